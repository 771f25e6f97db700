//! What MariaDB says of itself: for the run's record, and for the reader of a figure.

use super::connection::MariaDbConnection;
use crate::DIALECT;
use dbdyno_engine::server::{Questions, describe, pairs};
use dbdyno_engine::{DurablePlaces, EngineError};
use dbdyno_model::Database;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What goes with every output where the server is MySQL.
pub(super) const MYSQL_NOTICE: &str = "the server is MySQL, with which dbdyno does its best but has not been verified";

/// The questions to this product. Its variables and status are tables of a schema, whose name is the product's.
pub(super) fn questions(connection: &MariaDbConnection) -> Questions {
    let version = connection.version();
    let (variant, about) = if version.mysql { ("mysql", "performance_schema") } else { ("", "information_schema") };
    Questions { variant, ..Questions::new(&DIALECT, version.number).with([("about", about.to_owned())]) }
}

/// Version, settings, facts. Changes nothing.
///
/// # Errors
/// The server is lost.
pub(super) fn database(connection: &mut MariaDbConnection) -> Result<Database, EngineError> {
    let questions = questions(connection);
    let notice = connection.version().mysql.then(|| MYSQL_NOTICE.to_owned());
    Ok(Database { notice, ..describe::database(connection, &questions)? })
}

/// Where logs and tables lie, by the server's own account; relative places are below its data folder.
///
/// # Errors
/// The server is lost.
pub(super) fn places(connection: &mut MariaDbConnection, data: &Path) -> Result<DurablePlaces, EngineError> {
    let said = pairs(questions(connection).rows(connection, "describe/places")??);
    let place = |name: &str| said.get(name).filter(|value| !value.is_empty()).map(|value| data.join(value));
    let mut log: Vec<PathBuf> = vec![place("innodb_log_group_home_dir").unwrap_or_else(|| data.to_owned())];
    // A name of files without their numbers.
    log.extend(place("log_bin_basename").and_then(|files| files.parent().map(Path::to_owned)));
    let more = ["innodb_data_home_dir", "innodb_undo_directory"].into_iter().filter_map(place);
    let data = [data.to_owned()].into_iter().chain(more).collect();
    Ok(DurablePlaces { log, data, synced_by_writing: is_synced_by_writing(&said) })
}

/// Whether the redo log's file is opened so that writing to it is syncing it, and commits write to it.
pub(super) fn is_synced_by_writing(settings: &BTreeMap<String, String>) -> bool {
    let is = |name: &str, values: &[&str]| settings.get(name).is_some_and(|value| values.contains(&value.as_str()));
    is("innodb_flush_log_at_trx_commit", &["1", "3"])
        && (is("innodb_flush_method", &["O_DSYNC"]) || is("innodb_log_file_write_through", &["ON"]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::ServerOptions;
    use dbdyno_engine::server::{Answers, Connection as _};
    use dbdyno_engine::{Durability, Target};
    use dbdyno_model::{CommitMode, Drive, TableName};

    fn durability_of(settings: &[(&str, &str)]) -> Durability {
        let settings: Answers =
            settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        DIALECT.settings.durability(settings, CommitMode::Durable, Drive::Server)
    }

    #[test]
    fn settings_that_lose_commits_are_named() {
        let safe = [("innodb_flush_log_at_trx_commit", "1"), ("log_bin", "OFF"), ("innodb_doublewrite", "ON")];
        for (change, said) in [
            ([("sync_binlog", "0"), ("innodb_flush_method", "O_DIRECT")].as_slice(), None),
            (&[("innodb_flush_log_at_trx_commit", "3")], None),
            (&[("innodb_flush_log_at_trx_commit", "2")], Some("innodb_flush_log_at_trx_commit=2: commits do not wait")),
            (&[("innodb_flush_log_at_trx_commit", "0")], Some("innodb_flush_log_at_trx_commit=0")),
            (&[("log_bin", "ON"), ("sync_binlog", "1")], None),
            (&[("log_bin", "ON"), ("sync_binlog", "0")], Some("sync_binlog=0 with the binary log on")),
            (&[("log_bin", "ON"), ("sync_binlog", "100")], Some("sync_binlog=100")),
            // With 3, InnoDB's log is brought to the device by itself.
            (&[("log_bin", "ON"), ("sync_binlog", "0"), ("innodb_flush_log_at_trx_commit", "3")], None),
            (&[("log_bin", "ON"), ("sync_binlog", "0"), ("binlog_storage_engine", "innodb")], None),
            (&[("innodb_doublewrite", "OFF")], Some("torn pages")),
            (&[("innodb_doublewrite", "fast")], None),
            (&[("innodb_flush_method", "nosync")], Some("innodb_flush_method=nosync")),
        ] {
            let changed = safe.into_iter().filter(|(name, _)| change.iter().all(|(other, _)| other != name));
            let all: Vec<(&str, &str)> = changed.chain(change.iter().copied()).collect();
            let durability = durability_of(&all);
            match said {
                None => assert_eq!(durability.unsafe_settings, Vec::<String>::new(), "{change:?}"),
                Some(said) => {
                    assert!(durability.unsafe_settings.len() == 1, "{change:?}: {durability:?}");
                    assert!(durability.unsafe_settings[0].contains(said), "{durability:?}");
                }
            }
        }
    }

    #[test]
    fn writes_of_the_log_are_syncs_only_where_they_are_made_so() {
        let is = |pairs: &[(&str, &str)]| {
            let settings = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            is_synced_by_writing(&settings)
        };
        let (always, later) = (("innodb_flush_log_at_trx_commit", "1"), ("innodb_flush_log_at_trx_commit", "2"));
        assert!(is(&[always, ("innodb_flush_method", "O_DSYNC")]));
        assert!(is(&[always, ("innodb_log_file_write_through", "ON")]));
        assert!(!is(&[later, ("innodb_flush_method", "O_DSYNC")]));
        assert!(!is(&[always, ("innodb_flush_method", "O_DIRECT")]));
    }

    #[test]
    fn what_counts_is_kept_and_secrets_are_not() {
        let answers = |pairs: &[(&str, &str)]| -> Answers {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
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
        let kept = DIALECT.settings.kept(&variables, &changed);
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

    /// A server whose variables and status are what a test says, asked in the statements of the dialect.
    #[test]
    fn roles_and_what_replication_adds_to_a_commit_are_told() {
        let server = ServerOptions::default().start();
        server.client(
            "",
            "CREATE DATABASE said; CREATE DATABASE work; CREATE TABLE said.global_variables (VARIABLE_NAME VARCHAR(64), \
             VARIABLE_VALUE VARCHAR(999)); CREATE TABLE said.global_status LIKE said.global_variables",
        );
        let target = Target::parse(&server.socket("root", "work")).unwrap();
        let options = super::super::options::Options::parse(&target).unwrap();
        let mut connection = MariaDbConnection::open(&options, 0, "dbdyno").unwrap();
        let mut told = |fact: &str, variables: &[(&str, &str)], status: &[(&str, &str)]| {
            connection.batch("emptying", "DELETE FROM said.global_variables; DELETE FROM said.global_status").unwrap();
            for (table, pairs) in [("global_variables", variables), ("global_status", status)] {
                for (name, value) in pairs {
                    let sql = format!("INSERT INTO said.{table} VALUES (UPPER('{name}'), '{value}')");
                    connection.batch("telling", &sql).unwrap();
                }
            }
            let questions = Questions::new(&DIALECT, 0).with([("about", "said".to_owned())]);
            let rows = questions.rows(&mut connection, &format!("facts/{fact}")).unwrap().unwrap();
            pairs(rows).into_values().next()
        };
        let (running, stopped) = (&[("Slaves_running", "1")][..], &[][..]);
        for (variables, status, role) in [
            (&[("read_only", "OFF"), ("gtid_slave_pos", "")][..], stopped, "primary"),
            (&[("read_only", "OFF")], running, "replica that takes writes"),
            (&[("read_only", "ON")], running, "replica, read-only"),
            (&[("read_only", "ON"), ("gtid_slave_pos", "")], stopped, "read-only"),
            (&[("read_only", "ON"), ("gtid_slave_pos", "0-1-7")], stopped, "replica, read-only"),
            (&[("read_only", "OFF"), ("gtid_slave_pos", "0-1-7")], stopped, "primary"),
            (&[("read_only", "NO_LOCK_NO_ADMIN")], stopped, "read-only"),
        ] {
            assert_eq!(told("role", variables, status).as_deref(), Some(role), "{variables:?} {status:?}");
        }
        let logs = [("log_bin", "ON"), ("binlog_format", "MIXED"), ("binlog_row_image", "FULL")];
        assert_eq!(told("binary_log", &logs, &[]).unwrap(), "on, format MIXED, row image FULL");
        let semi = [
            ("rpl_semi_sync_master_enabled", "ON"),
            ("rpl_semi_sync_master_wait_point", "AFTER_SYNC"),
            ("rpl_semi_sync_master_timeout", "10000"),
        ];
        let said = told("semi_synchronous", &semi, &[("Rpl_semi_sync_master_clients", "2")]).unwrap();
        assert_eq!(said, "on, AFTER_SYNC, waits up to 10000 ms for one of 2 replicas");
        let cluster = [("wsrep_on", "ON"), ("wsrep_provider", "/usr/lib/libgalera_smm.so")];
        assert!(told("galera", &cluster, &[("wsrep_cluster_size", "3")]).unwrap().contains("3 nodes"));
        assert_eq!(told("galera", &[("wsrep_on", "OFF")], &[]), None);
    }

    #[test]
    fn tables_that_innodb_does_not_keep_are_not_durable() {
        let sql = &DIALECT.get("durability/not_logged").unwrap().text;
        assert!(TableName::ALL.iter().all(|table| sql.contains(&format!("'{table}'"))), "{sql}");
        let server = ServerOptions::default().start();
        server.client(
            "",
            "CREATE DATABASE work; CREATE TABLE work.small_heap (x INT) ENGINE = MEMORY; \
             CREATE TABLE work.small_iot (x INT) ENGINE = InnoDB; CREATE TABLE work.somebodys (x INT) ENGINE = MyISAM",
        );
        let target = Target::parse(&server.socket("root", "work")).unwrap();
        let options = super::super::options::Options::parse(&target).unwrap();
        let mut connection = MariaDbConnection::open(&options, 0, "dbdyno").unwrap();
        let asked = questions(&connection);
        let durability = describe::durability(&mut connection, &asked, CommitMode::Durable, Drive::Client);
        let unsafe_settings = durability.unwrap().unsafe_settings;
        let tables: Vec<&String> = unsafe_settings.iter().filter(|text| text.starts_with("table ")).collect();
        assert!(tables.len() == 1 && tables[0].contains("table small_heap is one of MEMORY"), "{tables:?}");
    }
}
