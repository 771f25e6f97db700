//! A standby of MariaDB: replication by GTID, through a port of the loopback address, as replication takes no socket.
//! The account for that may replicate and nothing else; its password is made anew for each standby, lies in the
//! standby's data folder alone, and goes with it.

use super::binary_log::{self, BINARY_LOG, owned};
use super::{MariaDb, NAME, connect};
use dbdyno_engine::EngineError;
use dbdyno_engine::servers::{Link, Observed, Place, Replication, ReplicationLog, Setting, StandbyKind, free_port};
use mysql::prelude::Queryable as _;
use mysql::{Conn, Row};
use std::fs::File;
use std::io::{self, Read as _};
use std::time::{Duration, Instant};

/// How long a standby may take to apply what it has received.
const APPLIES: Duration = Duration::from_secs(600);
const PAUSE: Duration = Duration::from_millis(10);
/// A primary that waits for its standby goes on waiting, in milliseconds: a day.
const NEVER_ALONE_MS: &str = "86400000";

impl Replication for MariaDb {
    fn kinds(&self) -> &'static [StandbyKind] {
        &[StandbyKind::Semisync, StandbyKind::Async]
    }

    fn link(&self, _: &Place) -> io::Result<Link> {
        free_port().map(Link::Port)
    }

    fn of_primary(&self, kind: StandbyKind, link: &Link) -> Vec<Setting> {
        let mut all = logs("1");
        if let Link::Port(port) = link {
            let port = port.to_string();
            all.extend([("skip_networking", "0"), ("bind_address", "127.0.0.1"), ("port", &port)].map(owned));
        }
        if kind != StandbyKind::Async {
            all.extend(
                [
                    ("rpl_semi_sync_master_enabled", "ON"),
                    ("rpl_semi_sync_master_wait_point", "AFTER_SYNC"),
                    ("rpl_semi_sync_master_timeout", NEVER_ALONE_MS),
                ]
                .map(owned),
            );
        }
        all
    }

    fn of_standby(&self, kind: StandbyKind, _: &Link) -> Vec<Setting> {
        let mut all = logs("2");
        let semisync = if kind == StandbyKind::Async { "OFF" } else { "ON" };
        all.extend(
            [
                ("read_only", "ON"),
                ("relay_log", "dbdyno-relay"),
                ("slave_parallel_threads", "8"),
                ("rpl_semi_sync_slave_enabled", semisync),
            ]
            .map(owned),
        );
        all
    }

    fn follow(&self, primary: &Place, standby: &Place, link: &Link) -> Result<(), EngineError> {
        let Link::Port(port) = link else {
            return Err(EngineError::other("replication of MariaDB takes a port"));
        };
        let failed = |error: mysql::Error| EngineError::other(format!("making it replicate: {}", hidden(&error)));
        let password = password().map_err(|error| EngineError::other(format!("no password can be made: {error}")))?;
        let mut on_primary = connect(primary).map_err(failed)?;
        // The standby has no need of it.
        let account = "dbdyno_standby@'127.0.0.1'";
        for sql in [
            "SET SESSION sql_log_bin = 0".to_owned(),
            format!("CREATE OR REPLACE USER {account} IDENTIFIED BY '{password}'"),
            format!("GRANT REPLICATION SLAVE ON *.* TO {account}"),
        ] {
            on_primary.query_drop(sql).map_err(failed)?;
        }
        let mut on_standby = connect(standby).map_err(failed)?;
        // What its copy has is what its own log ends with.
        let has: Option<String> = on_standby.query_first("SELECT @@GLOBAL.gtid_binlog_pos").map_err(failed)?;
        for sql in [
            format!("SET GLOBAL gtid_slave_pos = '{}'", has.unwrap_or_default()),
            format!(
                "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = {port}, MASTER_USER = 'dbdyno_standby', \
                 MASTER_PASSWORD = '{password}', MASTER_USE_GTID = slave_pos, MASTER_CONNECT_RETRY = 1, MASTER_SSL = 0"
            ),
            "START SLAVE".to_owned(),
        ] {
            on_standby.query_drop(sql).map_err(failed)?;
        }
        Ok(())
    }

    fn observe(&self, primary: &Place, standby: &Place) -> Result<Observed, EngineError> {
        let failed = |error: mysql::Error| EngineError::other(format!("looking at the standby: {}", hidden(&error)));
        let (mut on_primary, mut on_standby) = (connect(primary).map_err(failed)?, connect(standby).map_err(failed)?);
        let status: Vec<(String, String)> =
            on_primary.query("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_master_%'").map_err(failed)?;
        let of = |name: &str| {
            let found = status.iter().find(|(found, _)| found.eq_ignore_ascii_case(name));
            found.map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let point: Option<String> =
            on_primary.query_first("SELECT @@GLOBAL.rpl_semi_sync_master_wait_point").map_err(failed)?;
        let point = point.unwrap_or_default();
        let follows = slave(&mut on_standby).map_err(failed)?;
        let [io, sql] = ["Slave_IO_Running", "Slave_SQL_Running"].map(|name| text(follows.as_ref(), name));
        let errors = ["Last_IO_Error", "Last_SQL_Error"].map(|name| text(follows.as_ref(), name)).concat();
        let (semisync, clients) = (of("Rpl_semi_sync_master_status"), of("Rpl_semi_sync_master_clients"));
        let kind = match (semisync.as_str(), clients.as_str()) {
            _ if [&io, &sql].iter().any(|state| *state != "Yes") => None,
            ("ON", "1") if point == "AFTER_SYNC" => Some(StandbyKind::Semisync),
            ("OFF" | "", _) => Some(StandbyKind::Async),
            _ => None,
        };
        let colon = if errors.is_empty() { "" } else { ": " };
        let text = format!(
            "Rpl_semi_sync_master_status {semisync}, clients {clients}, {point}; Slave_IO_Running {io}, Slave_SQL_Running {sql}{colon}{errors}"
        );
        Ok(Observed { kind, text })
    }

    fn promote(&self, standby: &Place) -> Result<(), EngineError> {
        let failed = |error: mysql::Error| EngineError::other(format!("promoting the standby: {}", hidden(&error)));
        let mut connection = connect(standby).map_err(failed)?;
        connection.query_drop("STOP SLAVE IO_THREAD").map_err(failed)?;
        // Of a transaction that came in part nothing counts as received.
        let received = text(slave(&mut connection).map_err(failed)?.as_ref(), "Gtid_IO_Pos");
        let until = Instant::now() + APPLIES;
        let ask = format!("SELECT MASTER_GTID_WAIT('{received}', 1)");
        loop {
            let waited: Option<i32> = connection.query_first(&ask).map_err(failed)?;
            if waited == Some(0) {
                break;
            }
            let follows = slave(&mut connection).map_err(failed)?;
            let error = text(follows.as_ref(), "Last_SQL_Error");
            if Instant::now() > until || !error.is_empty() {
                let why = if error.is_empty() { "it takes very long".to_owned() } else { error };
                return Err(EngineError::other(format!("promoting the standby: it does not apply what it has: {why}")));
            }
            std::thread::sleep(PAUSE);
        }
        for sql in ["STOP SLAVE", "RESET SLAVE ALL", "SET GLOBAL read_only = OFF"] {
            connection.query_drop(sql).map_err(failed)?;
        }
        Ok(())
    }

    fn log(&self) -> Option<&'static dyn ReplicationLog> {
        Some(&BINARY_LOG)
    }
}

fn logs(server_id: &str) -> Vec<Setting> {
    let mut all = binary_log::settings();
    all.extend([("server_id", server_id), ("log_slave_updates", "ON")].map(owned));
    all
}

/// What the standby says of itself.
fn slave(connection: &mut Conn) -> mysql::Result<Option<Row>> {
    connection.query_first("SHOW SLAVE STATUS")
}

fn text(row: Option<&Row>, name: &str) -> String {
    row.and_then(|row| row.get_opt::<Option<String>, _>(name)?.ok().flatten()).unwrap_or_default()
}

/// An error without the statement, which may have a password in it.
fn hidden(error: &mysql::Error) -> String {
    match error {
        mysql::Error::MySqlError(error)
            if error.message.contains("PASSWORD") || error.message.contains("IDENTIFIED") =>
        {
            format!("error {} of user {NAME}", error.code)
        }
        mysql::Error::DriverError(error) => error.to_string(),
        error => error.to_string(),
    }
}

/// 128 bits that nobody can guess, in hexadecimal digits.
fn password() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
