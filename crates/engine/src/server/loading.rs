//! How a load of a server begins and what it reports: what is there already, whom to wait for, what was done for each
//! table.

use super::Times;
use crate::bookkeeping::{Contents, Meta};
use crate::{EngineError, LoadReport, TableLoad};
use dbdyno_model::{ErrorClass, Size, TableName};
use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

/// A server notices only after a moment that the last dbdyno has gone.
const GRACE: Duration = Duration::from_secs(5);
/// How often we ask whether others have ended.
const ASK_EVERY: Duration = Duration::from_millis(50);

/// What is asked of a load.
pub struct LoadRequest<'r> {
    /// Size class of the data.
    pub size: &'r Size,
    /// Seed of the data.
    pub seed: u64,
    /// Sessions that load at the same time, where the server takes so many.
    pub jobs: u32,
    /// Whether all rows are read back and compared with the generator's.
    pub verify: bool,
}

/// What is to be loaded.
pub struct Wish<'w> {
    /// The tables, in the order in which they are loaded.
    pub tables: &'w [TableName],
    /// Size class of the data.
    pub size: &'w Size,
    /// Seed of the data.
    pub seed: u64,
    /// Whether it is to be proved.
    pub verify: bool,
    /// Whether the book-keeping of a load that ended has a table.
    pub has: fn(&Meta, TableName) -> bool,
    /// Where, in words.
    pub place: String,
}

impl Wish<'_> {
    fn is_done(&self, meta: &Meta) -> bool {
        let there = meta.complete() && self.tables.iter().all(|table| (self.has)(meta, *table));
        there && (meta.verified() || !self.verify)
    }
}

/// What a load finds.
pub enum Beginning {
    /// Everything is there.
    Done(LoadReport),
    /// Some of it is there, or nothing.
    From {
        /// The book-keeping.
        meta: Meta,
        /// Whether an earlier load has left something.
        resumed: bool,
    },
}

/// Looks what is there; where something is missing, makes sure that nobody else is at work (`hold`), looks again, and
/// makes the book-keeping where there is none (`create`).
///
/// # Errors
/// What is there is not ours or of another size or seed; what the three answer.
pub fn begin<L>(
    connection: &mut L,
    wish: &Wish<'_>,
    look: impl Fn(&mut L) -> Result<Contents, EngineError>,
    hold: impl FnOnce(&mut L) -> Result<(), EngineError>,
    create: impl FnOnce(&mut L) -> Result<Meta, EngineError>,
) -> Result<Beginning, EngineError> {
    let fitting = |connection: &mut L| -> Result<Option<Meta>, EngineError> {
        let meta = look(connection)?.ours()?.filter(Meta::has_tables);
        meta.iter().try_for_each(|meta| meta.must_match(wish.size, wish.seed, &wish.place))?;
        Ok(meta)
    };
    let found = fitting(connection)?;
    let resumed = found.is_some();
    if let Some(meta) = found.filter(|meta| wish.is_done(meta)) {
        return Ok(Beginning::Done(report(wish, &meta, &BTreeMap::new(), &Times::default(), resumed)));
    }
    hold(connection)?;
    // Whoever held it before may have done more than we saw.
    let meta = match fitting(connection)? {
        Some(meta) => meta,
        None => create(connection)?,
    };
    Ok(Beginning::From { meta, resumed })
}

/// What a load did: rows written to each table, how long that took, the checksums that the book-keeping has.
pub fn report(
    wish: &Wish<'_>,
    meta: &Meta,
    rows_written: &BTreeMap<TableName, u64>,
    times: &Times,
    resumed: bool,
) -> LoadReport {
    let of = |table: &TableName| {
        let (write_s, elapsed_s) = times.of(*table);
        let checksum = meta.checksum(*table).map(|checksum| checksum.to_string()).unwrap_or_default();
        let rows_written = rows_written.get(table).copied().unwrap_or(0);
        TableLoad { table: *table, rows: table.rows(wish.size), rows_written, write_s, elapsed_s, checksum }
    };
    LoadReport { tables: wish.tables.iter().map(of).collect(), resumed }
}

/// Takes the lock that measuring, loading and dropping share. `held` tries once; the lock of a dbdyno that has just
/// ended may be held for a moment more.
///
/// # Errors
/// Another dbdyno has it; somebody gave up; what the server answers.
fn take<L>(
    connection: &mut L,
    doing: &str,
    held: impl Fn(&mut L) -> Result<bool, EngineError>,
    give_up: &dyn Fn() -> Option<ErrorClass>,
) -> Result<(), EngineError> {
    let began = Instant::now();
    while !held(connection)? {
        if began.elapsed() > GRACE || give_up().is_some() {
            return Err(EngineError::occupied(doing));
        }
        thread::sleep(ASK_EVERY);
    }
    Ok(())
}

/// Makes sure that nobody else loads or drops here, and waits for what an earlier load or run has left at work, because
/// a server may outlive its client by long. `held` says whether the place is ours alone, `left` names a session that is
/// still at work and says how to end it, `give_up` when not to wait for it any longer, and what that is called; `waits`
/// hears each time that it is waited for.
///
/// # Errors
/// Another dbdyno is at work; somebody gave up; what they answer.
pub fn alone<L>(
    connection: &mut L,
    doing: &str,
    held: impl Fn(&mut L) -> Result<bool, EngineError>,
    left: impl Fn(&mut L) -> Result<Option<String>, EngineError>,
    give_up: &dyn Fn() -> Option<ErrorClass>,
    waits: &dyn Fn(),
) -> Result<(), EngineError> {
    take(connection, doing, held, give_up)?;
    while let Some(how_to_end_it) = left(connection)? {
        if let Some(class) = give_up() {
            let message =
                format!("{doing}: sessions of an earlier dbdyno are still at work; wait for them, or {how_to_end_it}");
            return Err(EngineError::new(class, message));
        }
        waits();
        thread::sleep(ASK_EVERY);
    }
    Ok(())
}
