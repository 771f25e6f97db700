//! Loading. All jobs fill leaves at the same time, each straight from the generator; then keys are built and statistics
//! gathered, and everything is read back. A leaf that is full is noted in the book-keeping, so that a load that was
//! killed goes on where it was.

use crate::DIALECT;
mod fill;
mod rows;

pub(super) use rows::{DamagedRow, decode};

use super::connection::OracleConnection;
use super::meta::{self, Kind, Object};
use super::options::Options;
use super::{layout, tables_of, verify};
use dbdyno_engine::bookkeeping::{Contents, Meta, checksum_key};
use dbdyno_engine::data::Generator;
use dbdyno_engine::server::loading::{self, Beginning, Wish};
use dbdyno_engine::server::{Connection as _, Leaf, LoaderPool, Phase, Stop, Tally, Times, held, leaves, prove};
use dbdyno_engine::{EngineError, LoadReport, LoadWatch};
use dbdyno_model::{ErrorClass, Shape, Size, TableName};
use std::collections::BTreeMap;

/// Under which name sessions that load are listed.
const APPLICATION: &str = "dbdyno load";

/// Loads what is missing.
///
/// # Errors
/// The schema is not ours, holds something else of ours, or cannot be written; what was committed stays.
pub(super) fn load(
    options: &Options,
    size: &Size,
    seed: u64,
    jobs: u32,
    verify: bool,
    watch: &dyn LoadWatch,
) -> Result<LoadReport, EngineError> {
    let mut control = OracleConnection::open(options, 0, APPLICATION)?;
    let (place, tables) = (format!("schema {}", options.schema()), tables_of(options));
    let wish = Wish { tables: &tables, size, seed, verify, has: is_full, place };
    let look = |control: &mut OracleConnection| meta::look(control, options);
    let hold = |control: &mut OracleConnection| {
        let give_up = || watch.cancelled().then_some(ErrorClass::Cancelled);
        hold(control, &give_up, &|| watch.progress(held::WAITING, 0, 0))
    };
    let create = |control: &mut OracleConnection| {
        let mut meta = books(control, options)?;
        meta.begin_tables(size, seed);
        meta::create(&meta, control).map(|()| meta)
    };
    let (meta, resumed) = match loading::begin(&mut control, &wish, look, hold, create)? {
        Beginning::Done(report) => return Ok(report),
        Beginning::From { meta, resumed } => (meta, resumed),
    };
    let crew = crew(options, jobs, watch)?;
    let mut load = Load { options, size, seed, jobs, verify, watch, control, crew, meta, times: Times::default() };
    load.create(&tables)?;
    let mut rows_written = BTreeMap::new();
    // Small tables are loaded together, so that those without partitions, each the work of one session, do not leave
    // the others idle. The compressed one is made of the other large one.
    let of = |wanted: fn(&TableName) -> bool| tables.iter().copied().filter(wanted).collect::<Vec<_>>();
    let groups = [
        ("small tables", of(|table| table.shape() == Shape::Small)),
        ("the large table", of(|table| *table == TableName::LargeHeapRangeList)),
        ("the compressed table", of(|table| *table == TableName::LargeCompressed)),
    ];
    for (label, tables) in groups.iter().filter(|(_, tables)| !tables.is_empty()) {
        rows_written.append(&mut load.group(label, tables)?);
    }
    load.finish()?;
    Ok(loading::report(&wish, &load.meta, &rows_written, &load.times, resumed))
}

/// The book-keeping, which is made where there is none.
///
/// # Errors
/// What is there is not ours; the server's.
pub(super) fn books(control: &mut OracleConnection, options: &Options) -> Result<Meta, EngineError> {
    if let Some(meta) = meta::look(control, options)?.ours()? {
        return Ok(meta);
    }
    let meta = Meta::without_tables(meta::FORMAT, (meta::MADE_SCHEMA, false));
    meta::create(&meta, control).map(|()| meta)
}

/// Whether a load that has ended had this table: one that its target left out can still be added.
fn is_full(meta: &Meta, table: TableName) -> bool {
    leaves(table).iter().all(|leaf| meta.done("filled", &leaf.name))
}

/// The sessions of a load, all on the first node.
///
/// # Errors
/// The server turns one away.
pub(super) fn crew<'w>(
    options: &Options,
    jobs: u32,
    watch: &'w dyn LoadWatch,
) -> Result<LoaderPool<'w, OracleConnection>, EngineError> {
    LoaderPool::open(jobs, watch, |_| {
        let doing = "preparing a session that loads";
        let mut connection = OracleConnection::open(options, 0, APPLICATION)?;
        connection.batch(doing, &DIALECT.get("load/session")?.text)?;
        connection.batch(doing, &DIALECT.get("fill/wait_for_locks")?.text)?;
        Ok(connection)
    })
}

/// Takes the lock that keeps two dbdynos apart, until the session ends. Says whether nobody else has it; who holds it
/// already is given it again.
///
/// # Errors
/// The server's.
pub(super) fn lock(connection: &mut OracleConnection, doing: &str) -> Result<bool, EngineError> {
    match connection.ask(doing, &DIALECT.get("load/hold")?.text, 1)?.as_slice() {
        // Granted, or had before.
        [0 | 4] => Ok(true),
        // Not in time: another has it.
        [1] => Ok(false),
        other => Err(EngineError::new(ErrorClass::Other, format!("{doing}: DBMS_LOCK answers {other:?}"))),
    }
}

/// Makes sure that nobody else measures, loads or drops in this schema, and waits for what an earlier load or run has
/// left at work: a server that takes back half a leaf outlives its client. `give_up` says when not to wait any longer,
/// and what that is called; `waits` hears that it is waited for.
pub(super) fn hold(
    control: &mut OracleConnection,
    give_up: &dyn Fn() -> Option<ErrorClass>,
    waits: &dyn Fn(),
) -> Result<(), EngineError> {
    let doing = "waiting for others that measure, load or drop here";
    let held = |control: &mut OracleConnection| lock(control, doing);
    // Who may not see sessions waits for their locks instead.
    let left = |control: &mut OracleConnection| {
        let session = left_at_work(control, doing)?;
        Ok(session.map(|sid| format!("have them ended by ALTER SYSTEM KILL SESSION (one has the SID {sid})")))
    };
    loading::alone(control, doing, held, left, give_up, waits)
}

/// A session of an earlier load or run that has not ended.
fn left_at_work(connection: &mut OracleConnection, doing: &str) -> Result<Option<String>, EngineError> {
    let rows = super::snapshot::told(connection.texts(doing, &DIALECT.get("load/loaders")?.text))?;
    Ok(dbdyno_engine::server::first(rows.unwrap_or_default()))
}

/// What forgets all that was noted of a table; comes before the table is dropped or made anew, so that nothing that is
/// noted is ever wrong.
pub(super) fn forget(table: TableName) -> Result<String, EngineError> {
    Ok(DIALECT.fill("load/forget_table", &[("table", table.name())])?)
}

/// The statement that notes a step of the load.
fn note(step: &str, part: &str) -> Result<String, EngineError> {
    Ok(DIALECT.fill("load/note", &[("step", step), ("leaf", part)])?)
}

/// A statement about a leaf.
pub(super) fn about(statement: &str, leaf: &Leaf) -> Result<String, EngineError> {
    Ok(DIALECT.get(&format!("load/{statement}"))?.text.replace("{leaf}", &layout::in_sql(leaf)))
}

/// A load at work.
struct Load<'l> {
    options: &'l Options,
    size: &'l Size,
    seed: u64,
    jobs: u32,
    verify: bool,
    watch: &'l dyn LoadWatch,
    control: OracleConnection,
    crew: LoaderPool<'l, OracleConnection>,
    meta: Meta,
    times: Times,
}

impl Load<'_> {
    /// Creates the tables that are not there. A table of which only parts are there, or that has rows and no notes, is
    /// what a drop left that was interrupted, or somebody's hand: it is made anew, and nothing that was noted holds.
    fn create(&mut self, tables: &[TableName]) -> Result<(), EngineError> {
        let objects = meta::objects(&mut self.control)?;
        let doing = "creating tables";
        for table in tables {
            if self.is_whole(*table, &objects)? {
                continue;
            }
            let name = table.name();
            self.control.batch(doing, &DIALECT.get("load/no_longer_complete")?.text)?;
            self.control.batch(doing, &forget(*table)?)?;
            // Both are there before the table goes: a statement that makes or drops something commits.
            let drops = layout::drops(name, table.organisation())?;
            for sql in drops.into_iter().chain(layout::tables(*table, self.size)?) {
                if self.watch.cancelled() {
                    return Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: the load was stopped")));
                }
                self.control.batch(doing, &sql)?;
            }
        }
        if let Contents::Ours(meta) = meta::look(&mut self.control, self.options)? {
            self.meta = meta;
        }
        Ok(())
    }

    fn is_whole(&mut self, table: TableName, objects: &[Object]) -> Result<bool, EngineError> {
        let is_it = |object: &&Object| object.kind == Kind::Table && object.name == table.name();
        let parts = layout::partitions(table.organisation()).len() as u64;
        if objects.iter().find(is_it).is_none_or(|object| object.parts != parts) {
            return Ok(false);
        }
        let any_filled = leaves(table).iter().any(|leaf| self.meta.done("filled", &leaf.name));
        let sql = DIALECT.fill("load/any_row", &[("table", table.name())])?;
        Ok(any_filled || self.control.texts(&format!("looking into {table}"), &sql)?.is_empty())
    }

    /// Loads tables of one shape. Returns the rows written to each.
    fn group(&mut self, label: &str, tables: &[TableName]) -> Result<BTreeMap<TableName, u64>, EngineError> {
        let (size, watch) = (self.size, self.watch);
        let shape = tables.first().map_or(Shape::Small, |table| table.shape());
        let all: Vec<Leaf> = tables.iter().flat_map(|table| leaves(*table)).collect();
        let rows_of = |leaves: &[Leaf]| leaves.iter().map(|leaf| leaf.rows(size)).sum::<u64>();
        let rows = rows_of(&all);
        let mut written = BTreeMap::new();
        let missing: Vec<Leaf> = all.iter().filter(|leaf| !self.meta.done("filled", &leaf.name)).cloned().collect();
        for leaf in &missing {
            *written.entry(leaf.table).or_insert(0) += leaf.rows(size);
        }
        if !missing.is_empty() {
            let times = &self.times;
            let tally = Tally::new(watch, label.to_owned(), rows - rows_of(&missing), rows);
            let generator = Generator::new(size, shape, self.seed);
            let tools = || fill::Filler::new(generator.clone());
            let fill = |connection: &mut OracleConnection, leaf: &Leaf, filler: &mut fill::Filler, stop: &Stop<'_>| {
                let _clock = times.clock(leaf.table, Phase::Fill);
                filler.fill(connection, leaf, size, stop, &tally)
            };
            self.crew.each(&format!("loading {label}"), &missing, tools, fill)?;
        }
        self.keys(label, tables, rows)?;
        if self.verify {
            let times = &self.times;
            let tally = Tally::new(watch, format!("{label} checksum"), 0, rows);
            let generator = Generator::new(size, shape, self.seed);
            let clock = |table| times.clock(table, Phase::Prove);
            let sums = prove(&mut self.crew, &all, (size, &generator), &tally, &clock, verify::read)?;
            for (table, checksum) in sums {
                let (name, value) = (checksum_key(table), checksum.to_string());
                meta::set(&mut self.control, &name, &value)?;
                self.control.batch("keeping the load's progress", &DIALECT.get("load/commit")?.text)?;
                self.meta.put(name, value);
            }
        }
        Ok(written)
    }

    /// Keys and statistics of tables that do not have them. A large one's are built by as many processes as there are
    /// jobs.
    fn keys(&mut self, label: &str, tables: &[TableName], rows: u64) -> Result<(), EngineError> {
        let missing: Vec<TableName> =
            tables.iter().copied().filter(|table| !self.meta.done("keys", table.name())).collect();
        let (size, times, jobs) = (self.size, &self.times, self.jobs);
        let tally = Tally::new(self.watch, format!("{label} keys"), 0, rows);
        let build = |connection: &mut OracleConnection, table: &TableName, (): &mut (), _: &Stop<'_>| {
            let doing = format!("building the keys of {table}");
            let threads = if table.shape() == Shape::Large { jobs } else { 1 };
            {
                let _clock = times.clock(*table, Phase::Index);
                let there = connection.texts(&doing, &DIALECT.fill("load/indexes", &[("table", table.name())])?)?;
                let there: Vec<String> = there.into_iter().flatten().flatten().collect();
                for sql in layout::indexes(*table, threads)? {
                    if index_made_by(&sql).is_none_or(|index| !there.iter().any(|name| name == index)) {
                        ignoring_a_key_that_is_there(connection.batch(&doing, &sql))?;
                    }
                }
            }
            let _clock = times.clock(*table, Phase::Tidy);
            connection
                .batch(&format!("analysing {table}"), &DIALECT.fill("load/analyse", &[("table", table.name())])?)?;
            connection.batch(&doing, &note("keys", table.name())?)?;
            connection.batch(&doing, &DIALECT.get("load/commit")?.text)?;
            tally.add(table.rows(size));
            Ok(())
        };
        self.crew.each(&format!("building the keys of {label}"), &missing, || (), build)
    }

    /// The last word, and everything onto the device.
    fn finish(&mut self) -> Result<(), EngineError> {
        let doing = "ending the load";
        meta::set(&mut self.control, "verified", if self.verify { "1" } else { "0" })?;
        meta::set(&mut self.control, "complete", "1")?;
        self.control.batch(doing, &DIALECT.get("load/commit")?.text)?;
        match self.control.batch("writing the tables out", &DIALECT.get("statistics/checkpoint")?.text) {
            // Not everybody may; the first point's settling then says so.
            Err(error) if error.class == ErrorClass::Permission => Ok(()),
            done => done,
        }
    }
}

/// The index that a statement makes, if it makes one.
fn index_made_by(sql: &str) -> Option<&str> {
    let rest = sql.strip_prefix("CREATE ")?;
    let rest = rest.strip_prefix("UNIQUE ").unwrap_or(rest).strip_prefix("INDEX ")?;
    rest.split_whitespace().next()
}

/// A table can have one primary key only, and has it where an earlier load came as far.
fn ignoring_a_key_that_is_there(done: Result<(), EngineError>) -> Result<(), EngineError> {
    match done {
        Err(error) if error.message.contains("ORA-02260") => Ok(()),
        done => done,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexes_are_known_by_what_makes_them() {
        for table in TableName::ALL {
            for sql in layout::indexes(table, 4).unwrap() {
                let made = index_made_by(&sql);
                assert_eq!(made.is_some(), sql.starts_with("CREATE "), "{sql}");
                assert!(made.is_none_or(|name| name.starts_with(table.name())), "{sql}");
            }
        }
        assert_eq!(index_made_by("ALTER INDEX x NOPARALLEL"), None);
    }

    #[test]
    fn a_primary_key_that_is_there_is_no_error() {
        let error = |text: &str| Err(EngineError::new(ErrorClass::Other, text));
        assert!(ignoring_a_key_that_is_there(error("x: ORA-02260: table can have only one primary key")).is_ok());
        assert!(ignoring_a_key_that_is_there(error("x: ORA-01652: no room for a sort")).is_err());
    }

    #[test]
    fn a_table_that_a_load_left_out_is_not_full() {
        let full =
            leaves(TableName::SmallHeapList).into_iter().map(|leaf| (format!("filled {}", leaf.name), "1".to_owned()));
        let meta: Meta = full.collect();
        assert!(is_full(&meta, TableName::SmallHeapList) && !is_full(&meta, TableName::SmallHeap));
    }

    #[test]
    fn every_statement_of_a_load_can_be_filled_in() {
        for table in TableName::ALL {
            for leaf in leaves(table) {
                for statement in ["rows_out", "insert_into", "empty_leaf"] {
                    let sql = about(statement, &leaf).unwrap();
                    assert!(!sql.contains(['{', '}']), "{sql}");
                }
                assert!(note("filled", &leaf.name).unwrap().contains(&format!("'filled {}'", leaf.name)));
            }
            assert!(forget(table).unwrap().contains(table.name()));
        }
    }
}
