//! What MariaDB says of itself: for the run's record, and for the reader of a figure. The questions are in
//! sql/describe.sql.

use crate::DIALECT;
mod parameters;

use super::connection::MariaDbConnection;
use super::snapshot;
use dbdyno_engine::server::Connection as _;
use dbdyno_engine::{Durability, DurablePlaces, EngineError};
use dbdyno_model::{CommitMode, Database, Drive, ErrorClass, TableName};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What goes with every output where the server is MySQL.
pub(super) const MYSQL_NOTICE: &str = "the server is MySQL, with which dbdyno does its best but has not been verified";

/// Names and values, names in small letters.
pub(super) type Answers = BTreeMap<String, String>;

/// Version, settings, facts. Changes nothing.
///
/// # Errors
/// The server is lost.
pub(super) fn database(connection: &mut MariaDbConnection) -> Result<Database, EngineError> {
    let server = Server::ask(connection)?;
    let changed = if connection.version().mysql { "changed_mysql" } else { "changed" };
    let changed = match ask(connection, changed) {
        Err(error) if error.target_lost() => return Err(error),
        // What always counts is known all the same.
        changed => changed.unwrap_or_default(),
    };
    let mut facts = ask(connection, "session")?;
    facts.insert("connection".to_owned(), encryption(&ask(connection, "connection")?));
    facts.extend(server.facts());
    Ok(Database {
        engine: super::INFO.name.to_owned(),
        version: server.variable("version").to_owned(),
        parameters: parameters::of(&server.variables, &changed),
        facts,
        notice: connection.version().mysql.then(|| MYSQL_NOTICE.to_owned()),
    })
}

/// Names and values that a question of sql/describe.sql is answered with. A value that the server does not show is left
/// out.
///
/// # Errors
/// The server is lost.
pub(super) fn ask(connection: &mut MariaDbConnection, question: &str) -> Result<Answers, EngineError> {
    let sql = &DIALECT
        .get(&format!("describe/{question}"))
        .map_err(|e| EngineError::new(ErrorClass::Other, e.to_string()))?
        .text;
    let rows = connection.texts(&format!("asking the server for its {question}"), sql)?;
    let pair = |row: Vec<Option<String>>| match <[_; 2]>::try_from(row) {
        Ok([Some(name), Some(value)]) => Some((name.to_ascii_lowercase(), value)),
        _ => None,
    };
    Ok(rows.into_iter().filter_map(pair).collect())
}

/// The lines that `SHOW GRANTS` answers.
///
/// # Errors
/// The server is lost.
pub(super) fn grants(connection: &mut MariaDbConnection) -> Result<Vec<String>, EngineError> {
    let sql = &DIALECT.get("describe/grants").map_err(|e| EngineError::new(ErrorClass::Other, e.to_string()))?.text;
    let rows = connection.texts("asking the server for this account's grants", sql)?;
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
}

/// How durable commits are. No session can change it, so it is the same whatever a point asks for.
///
/// # Errors
/// The server is lost.
pub(super) fn durability(
    connection: &mut MariaDbConnection,
    commit: CommitMode,
    drive: Drive,
) -> Result<Durability, EngineError> {
    let mut durability = Server { variables: ask(connection, "variables")?, ..Server::default() }.durability();
    durability
        .unsafe_settings
        .extend(ask(connection, "engines")?.iter().filter_map(|(table, engine)| not_logged(table, engine)));
    if (commit, drive) == (CommitMode::EngineDefault, Drive::Server) {
        durability.by_default.push(IN_PROCEDURES.to_owned());
    }
    Ok(durability)
}

/// Why a crash loses what commits change in a table that a storage engine keeps; none where that is InnoDB, or no table
/// of ours.
fn not_logged(table: &str, engine: &str) -> Option<String> {
    let ours = TableName::ALL.iter().any(|name| name.name() == table);
    (ours && !engine.eq_ignore_ascii_case("InnoDB")).then(|| {
        format!("table {table} is one of {engine}, not InnoDB: commits that change it do not wait for InnoDB's log")
    })
}

/// Where logs and tables lie, by the server's own account; relative places are below its data folder.
///
/// # Errors
/// The server is lost.
pub(super) fn places(connection: &mut MariaDbConnection, data: &Path) -> Result<DurablePlaces, EngineError> {
    let said = ask(connection, "places")?;
    let place = |name: &str| said.get(name).filter(|value| !value.is_empty()).map(|value| data.join(value));
    let mut log: Vec<PathBuf> = vec![place("innodb_log_group_home_dir").unwrap_or_else(|| data.to_owned())];
    // A name of files without their numbers.
    log.extend(place("log_bin_basename").and_then(|files| files.parent().map(Path::to_owned)));
    let more = ["innodb_data_home_dir", "innodb_undo_directory"].into_iter().filter_map(place);
    let data = [data.to_owned()].into_iter().chain(more).collect();
    Ok(DurablePlaces { log, data, synced_by_writing: snapshot::is_synced_by_writing(&said) })
}

/// What durable sessions do about it is in session.rs.
const IN_PROCEDURES: &str = "commits inside a procedure: while another session writes the log the server goes on with the \
     procedure, and waits for the device when it answers the call; a crash loses what was committed since the call began";

/// What a server has said of itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Server {
    /// Its variables.
    pub(super) variables: Answers,
    /// Its status.
    pub(super) status: Answers,
    /// What this session has instead of the server's.
    pub(super) own: Answers,
}

impl Server {
    /// Asks.
    ///
    /// # Errors
    /// The server is lost.
    pub(super) fn ask(connection: &mut MariaDbConnection) -> Result<Self, EngineError> {
        Ok(Self {
            variables: ask(connection, "variables")?,
            status: ask(connection, "status")?,
            own: ask(connection, "own")?,
        })
    }

    /// A variable's value; empty where there is none.
    pub(super) fn variable(&self, name: &str) -> &str {
        self.variables.get(name).map_or("", String::as_str)
    }

    /// Whether a variable is on.
    pub(super) fn is_on(&self, name: &str) -> bool {
        matches!(self.variable(name), "ON" | "1" | "YES")
    }

    /// Whether it takes part in a cluster that certifies each commit.
    pub(super) fn in_galera(&self) -> bool {
        self.is_on("wsrep_on") && !matches!(self.variable("wsrep_provider"), "" | "none")
    }

    /// Whether it follows another server. One that follows nobody now and takes writes may once have done so.
    pub(super) fn is_replica(&self) -> bool {
        let on = |name: &str| self.status.get(name).is_some_and(|value| !matches!(value.as_str(), "" | "0" | "OFF"));
        on("slaves_running")
            || on("slave_running")
            || self.is_read_only() && !self.variable("gtid_slave_pos").is_empty()
    }

    /// Whether most of its users may not write.
    pub(super) fn is_read_only(&self) -> bool {
        // From version 12 on it may also be a word that says for whom.
        let off = |name: &str| matches!(self.variable(name), "" | "OFF" | "0");
        !off("read_only") || !off("super_read_only") || !off("innodb_read_only")
    }

    fn facts(&self) -> Answers {
        let mut facts = Answers::new();
        let mut say = |name: &str, text: String| facts.insert(name.to_owned(), text);
        let v = |name| self.variable(name);
        say(
            "build",
            format!(
                "{}, {} ({} {})",
                v("version"),
                v("version_comment"),
                v("version_compile_os"),
                v("version_compile_machine")
            ),
        );
        say("licence", format!("{}; no licence to count", v("license")));
        if let (Some(set), Some(collation)) =
            (self.own.get("character_set_database"), self.own.get("collation_database"))
        {
            say("character set", format!("{set}, collation {collation}"));
        }
        say("role in replication", self.role());
        say("binary log", self.binary_log());
        say("semi-synchronous replication", self.semi_synchronous());
        if self.in_galera() {
            let size = self.status.get("wsrep_cluster_size").map_or("an unknown number", String::as_str);
            say("Galera", format!("on, a cluster of {size} nodes: each commit is certified by all of them"));
        }
        let files =
            if v("innodb_file_per_table") == "OFF" { "all tables in one file" } else { "a file for each table" };
        let encrypted = if matches!(v("innodb_encrypt_tables"), "" | "OFF") { "not encrypted" } else { "encrypted" };
        say("storage", format!("InnoDB, pages of {} bytes, {files}, {encrypted}", v("innodb_page_size")));
        facts
    }

    fn role(&self) -> String {
        match (self.is_replica(), self.is_read_only()) {
            (true, true) => "replica, read-only",
            (true, false) => "replica that takes writes",
            (false, true) => "read-only",
            (false, false) => "primary",
        }
        .to_owned()
    }

    fn binary_log(&self) -> String {
        if !self.is_on("log_bin") {
            return "off".to_owned();
        }
        let image = self.variable("binlog_row_image");
        format!("on, format {}, row image {image}", self.variable("binlog_format"))
    }

    fn semi_synchronous(&self) -> String {
        // MySQL's later names.
        let either = |old: &str, new: &str| {
            let value = self.variable(old);
            if value.is_empty() { self.variable(new).to_owned() } else { value.to_owned() }
        };
        if either("rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled") != "ON" {
            return "off".to_owned();
        }
        let point = either("rpl_semi_sync_master_wait_point", "rpl_semi_sync_source_wait_point");
        let limit = either("rpl_semi_sync_master_timeout", "rpl_semi_sync_source_timeout");
        let clients = ["rpl_semi_sync_master_clients", "rpl_semi_sync_source_clients"];
        let clients = clients.iter().find_map(|name| self.status.get(*name)).map_or("?", String::as_str);
        format!("on, {point}, waits up to {limit} ms for one of {clients} replicas")
    }

    /// How durable commits are, and what in the settings lets a crash lose some.
    pub(super) fn durability(&self) -> Durability {
        const COUNT: [&str; 10] = [
            "binlog_storage_engine",
            "innodb_doublewrite",
            "innodb_flush_log_at_timeout",
            "innodb_flush_log_at_trx_commit",
            "innodb_flush_method",
            "innodb_log_file_write_through",
            "log_bin",
            "rpl_semi_sync_master_enabled",
            "sync_binlog",
            "wsrep_on",
        ];
        let settings = COUNT.iter().filter_map(|name| Some(((*name).to_owned(), self.variables.get(*name)?.clone())));
        let settings = settings.collect();
        let mut unsafe_settings = Vec::new();
        let flush = self.variable("innodb_flush_log_at_trx_commit");
        match flush {
            "0" => unsafe_settings.push(
                "innodb_flush_log_at_trx_commit=0: commits wait for nothing, and a crash of the server loses the last \
                 second's"
                    .to_owned(),
            ),
            "2" => unsafe_settings.push(
                "innodb_flush_log_at_trx_commit=2: commits do not wait for the device, and a power failure loses the last \
                 second's"
                    .to_owned(),
            ),
            _ => {}
        }
        // Where there is a binary log, 1 means that it is what commits wait for, and InnoDB's own log follows.
        let (sync, in_innodb) = (self.variable("sync_binlog"), self.variable("binlog_storage_engine") == "innodb");
        if self.is_on("log_bin") && flush == "1" && sync != "1" && !in_innodb {
            unsafe_settings.push(format!(
                "sync_binlog={sync} with the binary log on: commits wait for a log that is not brought to the device each \
                 time, and a power failure loses the last ones"
            ));
        }
        let doublewrite = self.variable("innodb_doublewrite");
        if matches!(doublewrite, "OFF" | "0" | "DETECT_ONLY") {
            unsafe_settings.push(format!(
                "innodb_doublewrite={doublewrite}: a power failure can leave torn pages that recovery cannot mend, unless \
                 the storage writes whole pages or none"
            ));
        }
        let method = self.variable("innodb_flush_method");
        if matches!(method, "nosync" | "littlesync") {
            unsafe_settings.push(format!(
                "innodb_flush_method={method}: what is written is not brought to the device; a power failure loses commits \
                 and can damage the database"
            ));
        }
        Durability { settings, unsafe_settings, by_default: Vec::new() }
    }
}

fn encryption(connection: &Answers) -> String {
    match (connection.get("ssl_version"), connection.get("ssl_cipher")) {
        (Some(version), Some(cipher)) if !cipher.is_empty() => format!("{version}, {cipher}"),
        _ => "not encrypted".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(variables: &[(&str, &str)]) -> Server {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Server { variables, ..Server::default() }
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
            let mut all = server(&safe);
            all.variables.extend(server(change).variables);
            let durability = all.durability();
            match said {
                None => assert_eq!(durability.unsafe_settings, Vec::<String>::new(), "{change:?}"),
                Some(said) => {
                    assert!(durability.unsafe_settings.len() == 1, "{change:?}: {durability:?}");
                    assert!(
                        durability.unsafe_settings[0].starts_with(said) || durability.unsafe_settings[0].contains(said)
                    );
                }
            }
            assert_eq!(durability.settings["log_bin"], all.variable("log_bin"));
        }
    }

    #[test]
    fn tables_that_innodb_does_not_keep_are_not_durable() {
        assert!(not_logged("small_heap", "MEMORY").unwrap().contains("MEMORY"));
        assert!(not_logged("small_iot", "Aria").is_some());
        assert_eq!((not_logged("small_heap", "InnoDB"), not_logged("somebodys", "MyISAM")), (None, None));
    }

    #[test]
    fn roles_are_told_apart() {
        let mut said = server(&[("read_only", "OFF"), ("gtid_slave_pos", "")]);
        assert_eq!(said.role(), "primary");
        said.status.insert("slaves_running".to_owned(), "1".to_owned());
        assert_eq!(said.role(), "replica that takes writes");
        said.variables.insert("read_only".to_owned(), "ON".to_owned());
        assert_eq!(said.role(), "replica, read-only");
        said.status.clear();
        assert_eq!(said.role(), "read-only");
        said.variables.insert("gtid_slave_pos".to_owned(), "0-1-7".to_owned());
        assert_eq!(said.role(), "replica, read-only");
        said.variables.insert("read_only".to_owned(), "OFF".to_owned());
        assert_eq!(said.role(), "primary");
    }

    #[test]
    fn what_replicas_and_clusters_add_to_a_commit_is_said() {
        let mut said = server(&[
            ("log_bin", "ON"),
            ("binlog_format", "MIXED"),
            ("binlog_row_image", "FULL"),
            ("rpl_semi_sync_master_enabled", "ON"),
            ("rpl_semi_sync_master_wait_point", "AFTER_SYNC"),
            ("rpl_semi_sync_master_timeout", "10000"),
            ("wsrep_on", "ON"),
            ("wsrep_provider", "/usr/lib/libgalera_smm.so"),
        ]);
        for (name, value) in [("rpl_semi_sync_master_clients", "2"), ("wsrep_cluster_size", "3")] {
            said.status.insert(name.to_owned(), value.to_owned());
        }
        let facts = said.facts();
        assert_eq!(facts["binary log"], "on, format MIXED, row image FULL");
        assert_eq!(facts["semi-synchronous replication"], "on, AFTER_SYNC, waits up to 10000 ms for one of 2 replicas");
        assert!(facts["Galera"].contains("3 nodes"), "{facts:?}");
        assert!(!server(&[("wsrep_on", "OFF")]).facts().contains_key("Galera"));
    }
}
