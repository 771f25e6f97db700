//! The binary log of MariaDB: what standbys read, and what a restored backup is brought up to date with. The server
//! recovers from another one, InnoDB's own.

use super::connect_for;
use dbdyno_engine::EngineError;
use dbdyno_engine::servers::{Place, ReplicationLog, Setting};
use mysql::prelude::Queryable as _;
use mysql::{Conn, Row};
use std::collections::BTreeSet;
use std::time::Duration;

pub(super) static BINARY_LOG: BinaryLog = BinaryLog;

/// The files of the log are read to their last whole event; behind it the server says this, in an error that it uses
/// for other reasons, too.
const NO_WHOLE_EVENT: (u16, &str) = (1220, "Wrong offset or I/O error");
/// Its file is not read while commits wait for a busy device.
const PATIENCE: Duration = Duration::from_secs(300);

pub(super) struct BinaryLog;

/// As durable as the server's own log.
pub(super) fn settings() -> Vec<Setting> {
    [("log_bin", "dbdyno-binlog"), ("binlog_format", "ROW"), ("sync_binlog", "1")].map(owned).into()
}

/// Each change of rows stands beside the statement that made it, and what is damaged is not read as sound.
const READ_BACK: [(&str, &str); 3] =
    [("binlog_annotate_row_events", "ON"), ("binlog_checksum", "CRC32"), ("master_verify_checksum", "ON")];

pub(super) fn owned((name, value): (&str, &str)) -> Setting {
    (name.to_owned(), value.to_owned())
}

impl ReplicationLog for BinaryLog {
    fn settings(&self) -> Vec<Setting> {
        let mut all = settings();
        all.extend(READ_BACK.map(owned));
        all
    }

    fn committed(&self, server: &Place, read: &mut BTreeSet<String>) -> Result<Vec<String>, EngineError> {
        let failed = |error: mysql::Error| EngineError::other(format!("reading the binary log: {error}"));
        let mut connection = connect_for(server, PATIENCE).map_err(failed)?;
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
            Err(mysql::Error::MySqlError(error))
                if error.code == NO_WHOLE_EVENT.0 && error.message.contains(NO_WHOLE_EVENT.1) =>
            {
                break;
            }
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
