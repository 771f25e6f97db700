//! The binary log of MariaDB: what standbys read, and what a restored backup is brought up to date with. The server
//! recovers from another one, InnoDB's own.

use super::connect;
use super::replication::owned;
use dbdyno_engine::EngineError;
use dbdyno_engine::servers::{Place, ReplicationLog, Setting};
use mysql::prelude::Queryable as _;
use mysql::{Conn, Row};
use std::collections::BTreeSet;

pub(super) static BINARY_LOG: BinaryLog = BinaryLog;

/// The files of the log are read to their last whole event; behind it the server says this.
const NO_WHOLE_EVENT: u16 = 1220;

pub(super) struct BinaryLog;

/// As durable as the server's own log. Each change of rows stands beside the statement that made it.
pub(super) fn settings() -> Vec<Setting> {
    [("log_bin", "dbdyno-binlog"), ("binlog_format", "ROW"), ("binlog_annotate_row_events", "ON"), ("sync_binlog", "1")]
        .map(owned)
        .into()
}

impl ReplicationLog for BinaryLog {
    fn name(&self) -> &'static str {
        "binary log"
    }

    fn settings(&self) -> Vec<Setting> {
        settings()
    }

    fn committed(&self, server: &Place, read: &mut BTreeSet<String>) -> Result<Vec<String>, EngineError> {
        let failed = |error: mysql::Error| EngineError::other(format!("reading the binary log: {error}"));
        let mut connection = connect(server).map_err(failed)?;
        let files: Vec<Row> = connection.query("SHOW BINARY LOGS").map_err(failed)?;
        let mut files: Vec<String> = files.into_iter().filter_map(|row| text(&row, "Log_name")).collect();
        // The last one still grows.
        files.pop();
        let mut committed = Vec::new();
        for file in files.into_iter().filter(|file| !read.contains(file)).collect::<Vec<_>>() {
            committed.extend(of_file(&mut connection, &file).map_err(failed)?);
            read.insert(file);
        }
        Ok(committed)
    }
}

/// The statements of the transactions of a file that end in it.
fn of_file(connection: &mut Conn, file: &str) -> mysql::Result<Vec<String>> {
    let (mut committed, mut begun) = (Vec::new(), Vec::new());
    let quoted = file.replace('\\', "\\\\").replace('\'', "\\'");
    for row in connection.query_iter(format!("SHOW BINLOG EVENTS IN '{quoted}'"))? {
        let row = match row {
            Err(mysql::Error::MySqlError(error)) if error.code == NO_WHOLE_EVENT => break,
            row => row?,
        };
        match text(&row, "Event_type").as_deref() {
            Some("Gtid") => begun.clear(),
            Some("Annotate_rows") => begun.extend(text(&row, "Info")),
            Some("Xid") => committed.append(&mut begun),
            _ => {}
        }
    }
    Ok(committed)
}

fn text(row: &Row, name: &str) -> Option<String> {
    row.get_opt::<String, _>(name)?.ok()
}
