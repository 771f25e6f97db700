//! Which parameters are kept with a run: those that always count, and those that somebody has changed.

use super::Answers;

/// What decides figures on every server.
const ALWAYS: [&str; 47] = [
    "commit_logging",
    "commit_wait",
    "compatible",
    "control_management_pack_access",
    "cpu_count",
    "cursor_sharing",
    "db_block_checking",
    "db_block_checksum",
    "db_block_size",
    "db_cache_size",
    "db_file_multiblock_read_count",
    "db_flash_cache_size",
    "db_keep_cache_size",
    "db_lost_write_protect",
    "db_writer_processes",
    "disk_asynch_io",
    "fast_start_mttr_target",
    "filesystemio_options",
    "inmemory_size",
    "log_buffer",
    "log_checkpoint_interval",
    "log_checkpoint_timeout",
    "memory_max_target",
    "memory_target",
    "open_cursors",
    "optimizer_adaptive_plans",
    "optimizer_features_enable",
    "optimizer_index_cost_adj",
    "optimizer_mode",
    "parallel_adaptive_multi_user",
    "parallel_degree_policy",
    "parallel_execution_message_size",
    "parallel_max_servers",
    "parallel_min_servers",
    "pga_aggregate_limit",
    "pga_aggregate_target",
    "plsql_code_type",
    "plsql_optimize_level",
    "processes",
    "resource_manager_plan",
    "result_cache_mode",
    "session_cached_cursors",
    "sga_max_size",
    "sga_target",
    "statistics_level",
    "undo_retention",
    "use_large_pages",
];

/// What decides no figure: where files and hosts are, how times and messages look, who is who.
const OF_NO_INTEREST: [&str; 19] = [
    "audit_file_dest",
    "background_dump_dest",
    "control_files",
    "core_dump_dest",
    "db_create_file_dest",
    "db_domain",
    "db_name",
    "db_recovery_file_dest",
    "db_unique_name",
    "diagnostic_dest",
    "dispatchers",
    "instance_name",
    "instance_number",
    "local_listener",
    "remote_listener",
    "service_names",
    "spfile",
    "thread",
    "user_dump_dest",
];

/// The parameters to keep. What may hold a secret, a path or an address is only said to be set.
pub(super) fn of(all: &Answers, changed: &Answers) -> Answers {
    let always = ALWAYS.iter().filter_map(|name| Some(((*name).to_owned(), all.get(*name)?.clone())));
    let changed = changed.iter().filter(|(name, _)| counts(name)).map(|(name, value)| {
        let value = if is_private(name) { "(set)" } else { value };
        (name.clone(), value.to_owned())
    });
    always.chain(changed).collect()
}

fn counts(name: &str) -> bool {
    let prefixes =
        ["nls_", "log_archive_dest", "db_file_name_convert", "log_file_name_convert", "fal_", "dg_broker_config"];
    let out = OF_NO_INTEREST.contains(&name) || prefixes.iter().any(|prefix| name.starts_with(prefix));
    !out || is_private(name)
}

fn is_private(name: &str) -> bool {
    let words = ["password", "wallet", "secret", "ldap", "keystore", "tde_configuration", "http", "event"];
    words.iter().any(|word| name.contains(word)) && name != "remote_login_passwordfile"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(pairs: &[(&str, &str)]) -> Answers {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_counts_is_kept_and_secrets_are_not() {
        let all = answers(&[("db_block_size", "8192"), ("db_name", "CDB1"), ("trace_enabled", "TRUE")]);
        let changed = answers(&[
            ("_serial_direct_read", "never"),
            ("control_files", "/u01/a.ctl"),
            ("log_archive_dest_1", "LOCATION=/arch"),
            ("nls_territory", "SWITZERLAND"),
            ("open_cursors", "900"),
            ("wallet_root", "/etc/wallet"),
        ]);
        let kept: Vec<_> = of(&all, &changed).iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(kept, ["_serial_direct_read=never", "db_block_size=8192", "open_cursors=900", "wallet_root=(set)"]);
    }

    #[test]
    fn the_lists_are_in_order() {
        assert!(ALWAYS.is_sorted() && OF_NO_INTEREST.is_sorted());
        assert!(ALWAYS.iter().all(|name| counts(name) && !is_private(name)));
    }
}
