//! Which variables are kept with a run: those that always count, and those that somebody has changed.

use super::Answers;

/// What decides figures on every server.
const ALWAYS: [&str; 66] = [
    "aria_pagecache_buffer_size",
    "binlog_commit_wait_count",
    "binlog_commit_wait_usec",
    "binlog_format",
    "binlog_row_image",
    "binlog_storage_engine",
    "character_set_server",
    "collation_server",
    "encrypt_binlog",
    "general_log",
    "innodb_adaptive_flushing",
    "innodb_adaptive_hash_index",
    "innodb_buffer_pool_size",
    "innodb_change_buffering",
    "innodb_checksum_algorithm",
    "innodb_compression_algorithm",
    "innodb_compression_level",
    "innodb_data_file_buffering",
    "innodb_data_file_write_through",
    "innodb_deadlock_detect",
    "innodb_doublewrite",
    "innodb_encrypt_log",
    "innodb_encrypt_tables",
    "innodb_file_per_table",
    "innodb_fill_factor",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_flush_neighbors",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_log_buffer_size",
    "innodb_log_file_buffering",
    "innodb_log_file_mmap",
    "innodb_log_file_size",
    "innodb_log_file_write_through",
    "innodb_lru_scan_depth",
    "innodb_max_dirty_pages_pct",
    "innodb_max_dirty_pages_pct_lwm",
    "innodb_numa_interleave",
    "innodb_page_size",
    "innodb_purge_threads",
    "innodb_random_read_ahead",
    "innodb_read_ahead_threshold",
    "innodb_read_io_threads",
    "innodb_undo_tablespaces",
    "innodb_use_native_aio",
    "innodb_write_io_threads",
    "join_buffer_size",
    "large_pages",
    "log_bin",
    "max_connections",
    "max_heap_table_size",
    "performance_schema",
    "query_cache_size",
    "query_cache_type",
    "rpl_semi_sync_master_enabled",
    "slow_query_log",
    "sort_buffer_size",
    "stored_program_cache",
    "sync_binlog",
    "table_open_cache",
    "thread_cache_size",
    "thread_handling",
    "tmp_table_size",
    "userstat",
    "wsrep_on",
];

/// What decides no figure: where files and hosts are, how times and messages look, who is who in replication.
const OF_NO_INTEREST: [&str; 31] = [
    "basedir",
    "bind_address",
    "datadir",
    "extra_port",
    "flashback",
    "hostname",
    "ignore_db_dirs",
    "innodb_data_home_dir",
    "innodb_undo_directory",
    "lc_messages",
    "lc_time_names",
    "log_bin_index",
    "log_error",
    "plugin_dir",
    "port",
    "proxy_protocol_networks",
    "relay_log",
    "relay_log_basename",
    "relay_log_index",
    "secure_file_priv",
    "server_id",
    "slave_load_tmpdir",
    "socket",
    "system_time_zone",
    "time_zone",
    "version_comment",
    "wsrep_cluster_address",
    "wsrep_cluster_name",
    "wsrep_node_address",
    "wsrep_node_incoming_address",
    "wsrep_node_name",
];

/// What may hold a secret, or commands that do.
const SECRETS: [&str; 7] = [
    "init_connect",
    "init_slave",
    "init_replica",
    "wsrep_notify_cmd",
    "wsrep_provider_options",
    "wsrep_sst_auth",
    "init_file",
];

/// The variables to keep. What may hold a secret is only said to be set.
pub(super) fn of(variables: &Answers, changed: &Answers) -> Answers {
    let always = ALWAYS.iter().filter_map(|name| Some(((*name).to_owned(), variables.get(*name)?.clone())));
    let changed = changed.iter().filter(|(name, _)| counts(name)).map(|(name, value)| {
        let value = if is_secret(name) { "(set)" } else { value };
        (name.clone(), value.to_owned())
    });
    always.chain(changed).collect()
}

fn counts(name: &str) -> bool {
    let prefixes = ["report_", "ssl_", "tls_", "lc_", "gtid_"];
    let suffixes = ["_dir", "_file", "_basename", "_path"];
    let out = OF_NO_INTEREST.contains(&name)
        || prefixes.iter().any(|prefix| name.starts_with(prefix))
        || suffixes.iter().any(|suffix| name.ends_with(suffix));
    !out || is_secret(name)
}

fn is_secret(name: &str) -> bool {
    let words = ["password", "secret", "token", "filekey", "passphrase"];
    SECRETS.contains(&name) || words.iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(pairs: &[(&str, &str)]) -> Answers {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn what_counts_is_kept_and_secrets_are_not() {
        let variables = answers(&[("innodb_page_size", "16384"), ("port", "3306"), ("optimizer_switch", "long")]);
        let changed = answers(&[
            ("max_statement_time", "60.000000"),
            ("port", "3306"),
            ("ssl_key", "/etc/key"),
            ("slow_query_log_file", "/var/log/slow"),
            ("wsrep_sst_auth", "sst:tiger"),
            ("file_key_management_filekey", "tiger"),
            ("init_connect", "SET x = 'tiger'"),
            ("tmpdir", "/fast"),
        ]);
        let kept = of(&variables, &changed);
        let kept: Vec<_> = kept.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let expected = [
            "file_key_management_filekey=(set)",
            "init_connect=(set)",
            "innodb_page_size=16384",
            "max_statement_time=60.000000",
            "tmpdir=/fast",
            "wsrep_sst_auth=(set)",
        ];
        assert_eq!(kept, expected);
    }

    #[test]
    fn the_lists_are_in_order() {
        assert!(ALWAYS.is_sorted() && OF_NO_INTEREST.is_sorted());
        assert!(ALWAYS.iter().all(|name| counts(name) && !is_secret(name)));
    }
}
