//! Loading. SQLite has one writer, so threads make rows and one writes them, in order. While it loads, the file has a
//! truncating rollback journal and is not synchronised: pages that are appended need no journal, and a load that is
//! killed goes on from its last transaction, whose progress is part of it. At the end everything is synchronised at
//! once.

use super::connection::{Access, SqliteConnection};
use super::errors::{Fault, of_system};
use super::options::Options;
use super::rows::{self, DayTexts};
use super::{DIALECT, TABLE_NAMES, about_table, hold, index_statements, meta, shape_statement, table_name, verify};
use dbdyno_engine::bookkeeping::{Meta, checksum_key};
use dbdyno_engine::client::Values;
use dbdyno_engine::data::{Checksum, Columns, Generator, RowSource, RowSum, test_columns};
use dbdyno_engine::server::load::report;
use dbdyno_engine::server::{LoadRequest, Phase, PhaseProgress, Times};
use dbdyno_engine::{EngineError, FillTimes, LoadReport, LoadWatch, RowPart, TableRows};
use dbdyno_model::{ErrorClass, Size, TableName};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Rows that a maker hands over at once.
const UNIT_ROWS: u64 = 2_000;
/// Rows in a transaction.
const TRANSACTION_ROWS: u64 = 20_000;

/// Loads what is missing.
///
/// # Errors
/// The file is not ours, holds something else of ours, or cannot be written; another dbdyno is at work there. What was
/// committed stays.
pub(super) fn load(
    options: &Options,
    request: LoadRequest<'_>,
    watch: &dyn LoadWatch,
) -> Result<LoadReport, EngineError> {
    let LoadRequest { size, seed, jobs, verify } = request;
    let done = |meta: &Meta| meta.complete() && (meta.verified() || !verify);
    let (mut meta, mut resumed) = begin(options, size, seed)?;
    let (mut written, times) = (BTreeMap::new(), Times::default());
    let _alone;
    if !done(&meta) {
        _alone = hold::take(&options.path)?;
        // Whoever was there before may have done more than we saw.
        (meta, resumed) = begin(options, size, seed)?;
    }
    if !done(&meta) {
        let connection = open_for_load(options, size)?;
        if !resumed {
            create(&connection, &meta, &TABLE_NAMES)?;
        }
        for table in TABLE_NAMES {
            let mut loading = Loading { connection: &connection, table, request, times: &times, watch };
            written.insert(table, loading.fill(meta::rows_done(&meta, table))?);
            if !meta.done("indexed", table.name()) {
                loading.index()?;
            }
        }
        for table in TABLE_NAMES {
            let _clock = times.clock(table, Phase::Prove);
            let generator = verify.then(|| Generator::new(size, table.shape(), seed));
            let rows = (Columns::All, table.rows(size));
            let checksum = verify::checksum(&options.path, table, rows, jobs, generator, watch)?.to_string();
            meta::set(&connection, &checksum_key(table), &checksum)?;
            meta.put(checksum_key(table), checksum);
        }
        finish(&connection, options, verify)?;
    }
    Ok(report(&TABLE_NAMES, request, &meta, &written, &times, resumed))
}

/// What a load goes on from, and whether an earlier one has left it.
fn begin(options: &Options, size: &Size, seed: u64) -> Result<(Meta, bool), EngineError> {
    let mut meta = meta::look(&options.path)?.ours()?.unwrap_or_else(|| no_books(options));
    let resumed = meta.has_tables();
    if resumed {
        meta.must_match(size, seed, &options.path.display().to_string())?;
    } else {
        meta.begin_tables(size, seed);
    }
    Ok((meta, resumed))
}

/// The book-keeping of a file that has none yet.
fn no_books(options: &Options) -> Meta {
    let creates_file = options.path.metadata().map_or(true, |file| file.len() == 0);
    Meta::without_tables(meta::FORMAT, (meta::CREATED_FILE, creates_file))
}

/// A file of ours, made where there is none.
fn open(options: &Options) -> Result<SqliteConnection, EngineError> {
    dbdyno_files::make_private(&options.path);
    let connection = SqliteConnection::open(&options.path, Access::Create)?;
    connection.set("page_size", &super::totals::PAGE_BYTES.to_string())?;
    Ok(connection)
}

fn open_for_load(options: &Options, size: &Size) -> Result<SqliteConnection, EngineError> {
    let connection = open(options)?;
    connection.set_journal("truncate")?;
    connection.set("synchronous", "off")?;
    connection.set("temp_store", "file")?;
    connection.set_cache(size.engine_cache_bytes)?;
    Ok(connection)
}

/// Creates tables, and the book-keeping where there is none.
fn create(connection: &SqliteConnection, meta: &Meta, tables: &[TableName]) -> Result<(), EngineError> {
    let has_books = meta::objects(connection)?.iter().any(|name| name == meta::META);
    transaction(connection, || {
        if !has_books {
            connection.run("creating the book-keeping", &DIALECT.get("tables/create_meta")?.text)?;
        }
        for table in tables {
            let sql = about_table(shape_statement(table.organisation()), &table_name(*table))?;
            connection.run(&format!("creating {table}"), &sql)?;
        }
        meta::write(meta, connection)
    })
}

/// Sets entries of the book-keeping, which is made where there is none.
///
/// # Errors
/// The file is not ours, or SQLite's.
pub(super) fn note(options: &Options, cache_bytes: u64, entries: &[(String, String)]) -> Result<(), EngineError> {
    if meta::look(&options.path)?.ours()?.is_none() {
        let books = no_books(options);
        let connection = open(options)?;
        create(&connection, &books, &[])?;
        connection.set_journal(options.journal.name())?;
    }
    let connection = SqliteConnection::open_for_work(options, cache_bytes)?;
    transaction(&connection, || entries.iter().try_for_each(|(name, value)| meta::set(&connection, name, value)))
}

/// Fills tables of a workload, part by part, and reads all back.
///
/// # Errors
/// SQLite's; `Cancelled` once the watch says so; `Corruption` where other rows are there.
pub(super) fn fill(
    options: &Options,
    cache_bytes: u64,
    tables: &[TableRows],
    watch: &dyn LoadWatch,
) -> Result<FillTimes, EngineError> {
    let mut times = FillTimes::default();
    let books = meta::look(&options.path)?.ours()?.unwrap_or_default();
    let connection = SqliteConnection::open_for_work(options, cache_bytes)?;
    for table in tables {
        for part in table.parts() {
            let began = Instant::now();
            if !books.done("filled", &part.name) {
                transaction(&connection, || {
                    fill_part(&connection, table, &part, watch)?;
                    meta::set(&connection, &format!("filled {}", part.name), "1")
                })?;
            }
            times.write_s += began.elapsed().as_secs_f64();
            let began = Instant::now();
            prove_part(&connection, table, &part)?;
            times.read_back_s += began.elapsed().as_secs_f64();
        }
    }
    Ok(times)
}

/// Runs statements one after the other, interrupting them when the watch says so.
///
/// # Errors
/// SQLite's; `Cancelled` once the watch says so.
pub(super) fn run_each(
    (options, cache_bytes): (&Options, u64),
    what: &str,
    statements: &[String],
    watch: &dyn LoadWatch,
) -> Result<(), EngineError> {
    let doing = format!("making {what}");
    let connection = SqliteConnection::open_for_work(options, cache_bytes)?;
    let progress = PhaseProgress::new(watch, what.to_owned(), 0, statements.len() as u64);
    stoppable(&connection, watch, || {
        statements.iter().try_for_each(|sql| {
            watch.refuse(&doing)?;
            connection.run(&doing, sql)?;
            progress.add(1);
            Ok(())
        })
    })
}

fn fill_part(
    connection: &SqliteConnection,
    table: &TableRows,
    part: &RowPart,
    watch: &dyn LoadWatch,
) -> Result<(), EngineError> {
    let doing = format!("loading {}", table.name());
    let sql = table.filled(&DIALECT.get("tables/insert_rows")?.text);
    let mut statement = connection.raw.prepare_cached(&sql).map_err(|error| connection.says(&doing, error))?;
    let (mut source, mut row, days) = (table.source(), Values::new(), DayTexts::new());
    for id in part.ids.clone() {
        source.row(id, &mut row);
        rows::insert(&mut statement, row.iter(), &days).map_err(|error| connection.says(&doing, error))?;
        if id.is_multiple_of(UNIT_ROWS) || id == *part.ids.end() {
            watch.progress(&table.what, id, table.rows);
            watch.refuse(&doing)?;
        }
    }
    Ok(())
}

fn prove_part(connection: &SqliteConnection, table: &TableRows, part: &RowPart) -> Result<(), EngineError> {
    let (from, to) = table.keys(part);
    let sql = table.filled(&DIALECT.get("tables/rows_of")?.text);
    let sql = sql.replace("{from}", &from.to_string()).replace("{to}", &to.to_string());
    let mut sum = RowSum::new(&table.columns, Columns::All);
    let doing = format!("reading {} back", part.name);
    let read = rows::for_each(connection, (&doing, &sql), [], &table.columns, |row| {
        sum.add(row);
        Ok(())
    });
    let sum = match read {
        // A value that its column cannot have is no row of ours.
        Err(Fault::Engine(_)) => Checksum::default(),
        read => read.map(|()| sum.checksum).map_err(|fault| connection.says(&doing, fault))?,
    };
    table.prove(part, sum)
}

/// Everything onto the device, then into the journal mode of the target, then the last word.
fn finish(connection: &SqliteConnection, options: &Options, verified: bool) -> Result<(), EngineError> {
    let file = std::fs::OpenOptions::new().append(true).open(&options.path);
    file.and_then(|f| f.sync_all()).map_err(|error| {
        let words = format!("{}: writing it out: {error}", options.path.display());
        of_system(&error, ErrorClass::ConnectionLost, words)
    })?;
    connection.set("synchronous", "full")?;
    transaction(connection, || {
        meta::set(connection, "verified", if verified { "1" } else { "0" })?;
        meta::set(connection, "complete", "1")
    })?;
    connection.set_journal(options.journal.name())
}

fn transaction(
    connection: &SqliteConnection,
    work: impl FnOnce() -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    connection.run("beginning a transaction", "BEGIN IMMEDIATE")?;
    let done = work().and_then(|()| connection.run("committing", "COMMIT"));
    if done.is_err() {
        // The first error is the one to tell; SQLite may have rolled back by itself.
        drop(connection.run("rolling back", "ROLLBACK"));
    }
    done
}

/// The load of one table.
struct Loading<'l> {
    connection: &'l SqliteConnection,
    table: TableName,
    request: LoadRequest<'l>,
    times: &'l Times,
    watch: &'l dyn LoadWatch,
}

impl Loading<'_> {
    /// Writes the rows after the first `done`. Returns how many.
    fn fill(&mut self, done: u64) -> Result<u64, EngineError> {
        let LoadRequest { size, seed, jobs, .. } = self.request;
        let rows = self.table.rows(size);
        if done >= rows {
            return Ok(0);
        }
        let _clock = self.times.clock(self.table, Phase::Fill);
        let makers = jobs.clamp(1, 64) as usize;
        std::thread::scope(|scope| {
            let mut channels = Vec::with_capacity(makers);
            for maker in 0..makers {
                let (sender, receiver) = sync_channel(1);
                let mut generator = Generator::new(size, self.table.shape(), seed);
                // Makers take turns.
                let units = (done + 1..=rows).step_by(UNIT_ROWS as usize).skip(maker).step_by(makers);
                std::thread::Builder::new()
                    .name(format!("rows-{maker}"))
                    .spawn_scoped(scope, move || make(&mut generator, units, rows, &sender))
                    .map_err(|e| EngineError::other(format!("cannot start a thread: {e}")))?;
                channels.push(receiver);
            }
            self.write(&channels, done, rows)
        })?;
        Ok(rows - done)
    }

    fn write(&mut self, makers: &[Receiver<Values>], mut done: u64, rows: u64) -> Result<(), EngineError> {
        let name = table_name(self.table);
        let sql = about_table("insert_row", &name)?;
        let (doing, days, columns) = (format!("loading {name}"), DayTexts::new(), test_columns().len());
        let mut turn = makers.iter().cycle();
        while done < rows {
            self.watch.refuse(&doing)?;
            transaction(self.connection, || {
                let insert = self.connection.raw.prepare_cached(&sql);
                let mut insert = insert.map_err(|e| self.connection.says("preparing to load", e))?;
                let goal = (done + TRANSACTION_ROWS).min(rows);
                while done < goal {
                    let unit = turn.next().and_then(|maker| maker.recv().ok());
                    let unit = unit.ok_or_else(|| EngineError::other("a thread that makes rows ended"))?;
                    let (mut values, made) = (unit.iter(), unit.len() / columns);
                    for _ in 0..made {
                        rows::insert(&mut insert, values.by_ref().take(columns), &days)
                            .map_err(|e| self.connection.says(&doing, e))?;
                    }
                    done += made as u64;
                }
                meta::set(self.connection, &meta::rows_key(self.table), &done.to_string())
            })?;
            self.watch.progress(self.table.name(), done, rows);
        }
        Ok(())
    }

    /// Builds the table's indexes.
    fn index(&self) -> Result<(), EngineError> {
        let _clock = self.times.clock(self.table, Phase::Index);
        let (name, jobs) = (table_name(self.table), self.request.jobs);
        let threads = if jobs > 1 { jobs } else { 0 };
        self.connection.set("threads", &threads.to_string())?;
        let statements = index_statements(self.table.organisation());
        let progress = PhaseProgress::new(self.watch, format!("{} indexes", self.table), 0, statements.len() as u64);
        stoppable(self.connection, self.watch, || {
            transaction(self.connection, || {
                for statement in statements {
                    self.connection.run(&format!("indexing {name}"), &about_table(statement, &name)?)?;
                    progress.add(1);
                }
                meta::set(self.connection, &format!("indexed {}", self.table), "1")
            })
        })
    }
}

/// Runs long statements, interrupting them when the watch says so.
fn stoppable(
    connection: &SqliteConnection,
    watch: &dyn LoadWatch,
    work: impl FnOnce() -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let (interrupt, over) = (connection.raw.get_interrupt_handle(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                if watch.cancelled() {
                    interrupt.interrupt();
                }
                std::thread::park_timeout(Duration::from_millis(20));
            }
        });
        let done = work();
        over.store(true, Ordering::Relaxed);
        done
    })
}

/// Makes the rows of units that begin with these ids, each a message: the values of all rows, one after the other.
fn make(generator: &mut Generator, units: impl Iterator<Item = u64>, rows: u64, out: &SyncSender<Values>) {
    let mut row = Values::new();
    for first in units {
        let mut unit = Values::new();
        for id in first..=rows.min(first + UNIT_ROWS - 1) {
            RowSource::row(generator, id, &mut row);
            for value in row.iter() {
                unit.push(value);
            }
        }
        if out.send(unit).is_err() {
            // The writer has given up; so do we.
            return;
        }
    }
}
