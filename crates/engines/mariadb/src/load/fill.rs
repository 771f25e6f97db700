//! Rows into leaves. A leaf is filled in one transaction, which also notes that it is done: so an interrupted load
//! never leaves half a leaf.
//!
//! Rows go as parameters of a prepared INSERT, many in one message of MariaDB's own bulk protocol. Measured at size D
//! (10.11, two processors), a million rows into a table with its keys take the server 6.9 s of processor time this way,
//! 9.0 s by LOAD DATA LOCAL, and 8.6 s by INSERTs of a hundred rows, which go to servers that refuse the bulk protocol;
//! and unlike LOAD DATA LOCAL, which turns errors into warnings, it fails where a row is not taken. Over TLS every
//! server refuses it, because the client crate asks for TLS without saying that it speaks it (docs/upstream). To build
//! the keys afterwards takes as long, and in one session. With `unique_checks` off the server sorts each leaf through
//! temporary files and builds it at once: that was slower, and rows would have to fit a second time.

use super::rows::{COLUMNS, DamagedRow, encode};
use super::{about, note};
use crate::DIALECT;
use crate::connection::MariaDbConnection;
use dbdyno_engine::EngineError;
use dbdyno_engine::data::Generator;
use dbdyno_engine::server::{Connection as _, Leaf, Stop, Tally};
use dbdyno_model::{ErrorClass, Size};
use mysql::prelude::Queryable as _;
use mysql::{Conn, Params, Value};

/// Rows of one message, about 350 KB. From 500 to 8,000 it makes no difference that could be measured.
const BULK_ROWS: usize = 1_000;
/// Rows of one INSERT where there is no bulk protocol; more take the server longer to prepare.
const INSERT_ROWS: usize = 100;
/// Bytes of a row in a message at most.
const ROW_BYTES: usize = 400;

/// How rows go to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// So many rows of parameters for one INSERT, in MariaDB's bulk protocol.
    Bulk(usize),
    /// INSERTs of so many rows.
    Inserts(usize),
}

impl Way {
    /// Asks the server.
    ///
    /// # Errors
    /// The server's.
    pub(super) fn ask(connection: &mut MariaDbConnection) -> Result<Self, EngineError> {
        let doing = "asking how rows may be sent";
        let packet = connection.control(doing).query_first("SELECT @@max_allowed_packet");
        let packet: Option<usize> = packet.map_err(|error| connection.error(doing, &error))?;
        let fit = |rows: usize| rows.min(packet.unwrap_or(0) / ROW_BYTES / 2).max(1);
        let probe = &DIALECT.get("load/no_entry")?.text;
        let tried = if connection.version().mysql {
            None
        } else {
            Some(connection.control(doing).exec_batch(probe, [("at all",)]))
        };
        match tried.transpose().map_err(|error| connection.error(doing, &error)) {
            Ok(Some(())) => Ok(Self::Bulk(fit(BULK_ROWS))),
            Ok(None) => Ok(Self::Inserts(fit(INSERT_ROWS))),
            Err(error) if error.class == ErrorClass::Unsupported => Ok(Self::Inserts(fit(INSERT_ROWS))),
            Err(error) => Err(error),
        }
    }

    fn rows(self) -> usize {
        match self {
            Self::Bulk(rows) | Self::Inserts(rows) => rows,
        }
    }
}

/// What a session needs to fill leaves.
pub(super) struct Filler {
    generator: Generator,
    way: Way,
}

impl Filler {
    pub(super) fn new(generator: Generator, way: Way) -> Self {
        Self { generator, way }
    }

    /// Fills a leaf.
    ///
    /// # Errors
    /// The server's, `Cancelled` when told to stop; the session's transaction is then still open.
    pub(super) fn fill(
        &mut self,
        connection: &mut MariaDbConnection,
        leaf: &Leaf,
        size: &Size,
        stop: &Stop<'_>,
        tally: &Tally<'_>,
    ) -> Result<(), EngineError> {
        let doing = format!("loading {}", leaf.name);
        connection.batch(&doing, "BEGIN")?;
        // What is not ours, or was loaded before somebody changed the notes.
        connection.batch(&doing, &about("empty_leaf", leaf)?)?;
        let insert = about("insert_into", leaf)?;
        let mut ids = leaf.ids(size).peekable();
        while ids.peek().is_some() {
            if stop.requested() {
                return Err(Broken::Stopped.in_words(connection, &doing));
            }
            let mut conn = connection.control(&doing);
            let sent = self.send(&mut conn, &insert, ids.by_ref().take(self.way.rows()));
            let (taken, warnings) = (conn.affected_rows(), conn.warnings());
            drop(conn);
            let sent = sent.map_err(|error| connection.error(&doing, &error))?;
            if taken != sent || warnings > 0 {
                let message = format!("{doing}: the server took {taken} rows of {sent}, with {warnings} warnings");
                return Err(EngineError::new(ErrorClass::Corruption, message));
            }
            tally.add(sent);
        }
        connection.batch(&doing, &format!("{}; COMMIT", note("filled", &leaf.name)?))
    }

    /// Sends the rows of one statement. Returns how many there were.
    fn send(&mut self, conn: &mut Conn, insert: &str, ids: impl Iterator<Item = u64>) -> mysql::Result<u64> {
        const ROW: &str = "(?, ?, ?, ?, ?, ?, ?, ?, ?)";
        let mut rows = 0;
        let generator = &mut self.generator;
        let encoded = ids.map(|id| {
            rows += 1;
            encode(&generator.row(id))
        });
        match self.way {
            Way::Bulk(_) => {
                conn.exec_batch(format!("{insert} {ROW}"), encoded.map(|row| Params::Positional(row.into())))?;
            }
            Way::Inserts(_) => {
                let values: Vec<Value> = encoded.flatten().collect();
                let all = vec![ROW; values.len() / COLUMNS].join(", ");
                conn.exec_drop(format!("{insert} {all}"), Params::Positional(values))?;
            }
        }
        Ok(rows)
    }
}

/// Why rows ended early.
pub(crate) enum Broken {
    /// The server or the connection to it.
    Server(mysql::Error),
    /// What came is no row of ours.
    Damaged(DamagedRow),
    /// We were told to.
    Stopped,
}

impl From<mysql::Error> for Broken {
    fn from(error: mysql::Error) -> Self {
        Self::Server(error)
    }
}

impl From<DamagedRow> for Broken {
    fn from(error: DamagedRow) -> Self {
        Self::Damaged(error)
    }
}

impl Broken {
    /// The error in words.
    pub(crate) fn in_words(self, connection: &MariaDbConnection, doing: &str) -> EngineError {
        let error = |class, what: String| EngineError::new(class, format!("{doing}: {what}"));
        match self {
            Self::Server(error) => connection.error(doing, &error),
            Self::Damaged(how) => error(ErrorClass::Corruption, how.to_string()),
            Self::Stopped => error(ErrorClass::Cancelled, "stopped".to_owned()),
        }
    }
}
