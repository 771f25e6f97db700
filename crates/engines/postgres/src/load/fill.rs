//! Rows into leaves. A leaf is emptied and filled in one transaction, which also notes that it is done: so an
//! interrupted load never leaves half a leaf, and the rows can be frozen as they arrive.

use super::super::connection::PostgresConnection;
use super::super::copy::{CopyError, Encoder};
use super::note;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::data::Generator;
use dbdyno_engine::server::{Asked, Connection as _, Leaf, Stop, Tally};
use dbdyno_model::{ErrorClass, Size};
use postgres::Client;
use std::io::{self, Write};

/// Bytes that are handed to the connection at once. Less costs more round trips to the kernel, more leaves the
/// processor's caches: from 32 to 128 KiB it makes no difference that could be measured.
const SEND_BYTES: usize = 64 << 10;
/// Rows of one COPY at most: the server tells of an error (a full disk) only at its end.
const COPY_ROWS: usize = 500_000;
/// Rows between two words about the progress.
const TELL_ROWS: u64 = 8_000;

/// What a session needs to fill leaves.
pub(super) struct Filler {
    generator: Generator,
    encoder: Encoder,
}

impl Filler {
    pub(super) fn new(generator: Generator) -> Self {
        Self { generator, encoder: Encoder::new(SEND_BYTES) }
    }

    /// Fills a leaf.
    pub(super) fn fill(
        &mut self,
        connection: &mut PostgresConnection,
        leaf: &Leaf,
        size: &Size,
        stop: &Stop<'_>,
        tally: &Tally<'_>,
    ) -> Result<(), EngineError> {
        let doing = format!("loading {}", leaf.name);
        let relation = [("relation", leaf.name.as_str())];
        connection.batch(&doing, &DIALECT.fill("load/empty_leaf", &relation)?)?;
        let sql = DIALECT.fill("load/copy_in", &relation)?;
        let mut ids = leaf.ids(size).peekable();
        while ids.peek().is_some() {
            let copied = self.copy(connection.control(&doing), &sql, ids.by_ref().take(COPY_ROWS), stop, tally);
            let (sent, taken) = copied.map_err(|broken| broken.in_words(connection, &doing))?;
            if sent != taken {
                let message = format!("{doing}: the server took {taken} rows of {sent}");
                return Err(EngineError::new(ErrorClass::Corruption, message));
            }
        }
        connection.batch(&doing, &format!("{}\nCOMMIT;", note("filled", &leaf.name)?))
    }

    /// Sends one COPY. Returns the rows sent, and those that the server took.
    fn copy(
        &mut self,
        mut client: Asked<'_, Client>,
        sql: &str,
        ids: impl Iterator<Item = u64>,
        stop: &Stop<'_>,
        tally: &Tally<'_>,
    ) -> Result<(u64, u64), Broken> {
        let (client, asking) = client.parts();
        let mut writer = client.copy_in(sql)?;
        let mut rows = Told { tally, all: 0, told: 0 };
        self.encoder.begin();
        for id in ids {
            self.encoder.row(&self.generator.row(id));
            rows.all += 1;
            if self.encoder.full() {
                if stop.requested() {
                    // A writer that is dropped makes the server abandon the COPY.
                    return Err(Broken::Stopped);
                }
                writer.write_all(self.encoder.bytes())?;
                asking.heard();
                self.encoder.clear();
                rows.tell(TELL_ROWS);
            }
        }
        self.encoder.end();
        writer.write_all(self.encoder.bytes())?;
        let taken = writer.finish()?;
        rows.tell(1);
        Ok((rows.all, taken))
    }
}

/// Rows made, and rows that the tally knows of.
struct Told<'t> {
    tally: &'t Tally<'t>,
    all: u64,
    told: u64,
}

impl Told<'_> {
    fn tell(&mut self, from: u64) {
        if self.all - self.told >= from {
            self.tally.add(self.all - self.told);
            self.told = self.all;
        }
    }
}

/// Why a COPY ended early.
pub(crate) enum Broken {
    /// The server or the connection to it.
    Server(postgres::Error),
    /// The connection.
    Io(io::Error),
    /// What came is no row of ours.
    Damaged(CopyError),
    /// We were told to.
    Stopped,
}

impl From<postgres::Error> for Broken {
    fn from(error: postgres::Error) -> Self {
        Self::Server(error)
    }
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        // The crate hands its own errors through here, too.
        match error.downcast::<postgres::Error>() {
            Ok(error) => Self::Server(error),
            Err(error) => Self::Io(error),
        }
    }
}

impl Broken {
    /// The error in words.
    pub(crate) fn in_words(self, connection: &PostgresConnection, doing: &str) -> EngineError {
        let error = |class, what: String| EngineError::new(class, format!("{doing}: {what}"));
        match self {
            Self::Server(error) => connection.error(doing, &error),
            Self::Io(io) => error(ErrorClass::ConnectionLost, io.to_string()),
            Self::Damaged(how) => error(ErrorClass::Corruption, how.to_string()),
            Self::Stopped => error(ErrorClass::Cancelled, "stopped".to_owned()),
        }
    }
}
