//! Loading. All jobs fill leaves at the same time, each straight from the generator, and then prove them. A leaf is one
//! transaction, which also notes itself in the book-keeping, so that a load that was killed goes on where it was and no
//! leaf is ever half full.

use crate::DIALECT;
mod fill;
mod rows;

pub(super) use fill::Broken;
pub(super) use rows::{decode, encode};

use super::connection::MariaDbConnection;
use super::meta::{self, Kind, Object};
use super::options::Options;
use super::{TABLE_NAMES, layout, verify};
use dbdyno_engine::bookkeeping::{Contents, Meta, checksum_key};
use dbdyno_engine::data::Generator;
use dbdyno_engine::server::loading::{self, Beginning, Wish};
use dbdyno_engine::server::{Connection as _, Leaf, LoaderPool, Phase, Stop, Tally, Times, held, leaves, prove};
use dbdyno_engine::{EngineError, LoadReport, LoadWatch};
use dbdyno_model::{ErrorClass, Shape, Size, TableName};
use mysql::prelude::Queryable as _;
use std::collections::BTreeMap;

/// Loads what is missing.
///
/// # Errors
/// The database is not ours, holds something else of ours, or cannot be written; what was committed stays.
pub(super) fn load(
    options: &Options,
    size: &Size,
    seed: u64,
    jobs: u32,
    verify: bool,
    watch: &dyn LoadWatch,
) -> Result<LoadReport, EngineError> {
    let mut control = MariaDbConnection::open(options, 0, "dbdyno load")?;
    let place = format!("database {}", options.database);
    let wish = Wish { tables: &TABLE_NAMES, size, seed, verify, has: |_, _| true, place };
    let hold = |control: &mut MariaDbConnection| {
        control.batch("preparing to load", &DIALECT.get("load/session")?.text)?;
        let give_up = || watch.cancelled().then_some(ErrorClass::Cancelled);
        hold(control, options, &give_up, &|| watch.progress(held::WAITING, 0, 0))
    };
    let create = |control: &mut MariaDbConnection| begin(control, options, size, seed);
    let (meta, resumed) = match loading::begin(&mut control, &wish, meta::look, hold, create)? {
        Beginning::Done(report) => return Ok(report),
        Beginning::From { meta, resumed } => (meta, resumed),
    };
    let crew = crew(options, jobs, watch)?;
    let mut load = Load { size, seed, verify, watch, control, crew, meta, times: Times::default() };
    load.create()?;
    let mut rows_written = BTreeMap::new();
    // Small tables are loaded together, so that those without partitions, each the work of one session, do not leave
    // the others idle.
    let (small, large): (Vec<_>, Vec<_>) = TABLE_NAMES.into_iter().partition(|table| table.shape() == Shape::Small);
    for (label, tables) in [("small tables", small), ("large tables", large)] {
        rows_written.append(&mut load.group(label, &tables)?);
    }
    load.finish()?;
    Ok(loading::report(&wish, &load.meta, &rows_written, &load.times, resumed))
}

/// The sessions of a load, all on the first node: the others may be read-only copies of it. Each holds a lock of its
/// own for as long as it has anything to do, its own rollback included.
///
/// # Errors
/// The server turns one away.
pub(super) fn crew<'w>(
    options: &Options,
    jobs: u32,
    watch: &'w dyn LoadWatch,
) -> Result<LoaderPool<'w, MariaDbConnection>, EngineError> {
    LoaderPool::open(jobs, watch, |job| {
        let doing = "preparing a session that loads";
        let mut connection = MariaDbConnection::open(options, 0, "dbdyno load")?;
        connection.batch(doing, &DIALECT.get("load/session")?.text)?;
        granted(&mut connection, doing, &helper_lock(options, job))?;
        Ok(connection)
    })
}

/// The name of the lock that keeps two dbdynos apart.
pub(super) fn lock_name(options: &Options) -> String {
    format!("dbdyno.{}", options.database)
}

fn helper_lock(options: &Options, job: u32) -> String {
    format!("{}.{job}", lock_name(options))
}

/// Makes sure that nobody else measures, loads or drops in this database, and waits for what an earlier load or run has
/// left at work: a server that takes back half a leaf, or builds an index, outlives its client. `give_up` says when not
/// to wait any longer, and what that is called; `waits` hears that it is waited for.
pub(super) fn hold(
    control: &mut MariaDbConnection,
    options: &Options,
    give_up: &dyn Fn() -> Option<ErrorClass>,
    waits: &dyn Fn(),
) -> Result<(), EngineError> {
    let doing = "waiting for others that measure, load or drop here";
    let held = |control: &mut MariaDbConnection| granted(control, doing, &lock_name(options));
    let left = |control: &mut MariaDbConnection| {
        let session = helper_at_work(control, doing, options)?;
        Ok(session.map(|session| format!("end them with KILL (one is number {session})")))
    };
    loading::alone(control, doing, held, left, give_up, waits)
}

fn granted(connection: &mut MariaDbConnection, doing: &str, lock: &str) -> Result<bool, EngineError> {
    let answer = connection.control(doing).exec_first::<Option<i64>, _, _>(&DIALECT.get("load/hold")?.text, (lock,));
    let answer = answer.map_err(|error| connection.error(doing, &error))?;
    Ok(answer.flatten() == Some(1))
}

/// A session of an earlier load, or a job of an earlier run, that has not ended.
fn helper_at_work(
    connection: &mut MariaDbConnection,
    doing: &str,
    options: &Options,
) -> Result<Option<u64>, EngineError> {
    let answer = connection.control(doing).exec_first(&DIALECT.get("load/at_work")?.text, (lock_name(options),));
    let answer: Option<Option<u64>> = answer.map_err(|error| connection.error(doing, &error))?;
    Ok(answer.flatten())
}

/// What forgets all that was noted of a table; comes before the table is dropped or made anew, so that nothing that is
/// noted is ever wrong.
pub(super) fn forget(table: TableName) -> Result<String, EngineError> {
    Ok(DIALECT.fill("load/forget_table", &[("table", table.name())])?)
}

/// The statement that notes a step of the load.
fn note(step: &str, leaf: &str) -> Result<String, EngineError> {
    Ok(DIALECT.fill("load/note", &[("step", step), ("leaf", leaf)])?)
}

/// A statement about a leaf.
pub(super) fn about(statement: &str, leaf: &Leaf) -> Result<String, EngineError> {
    Ok(DIALECT.get(&format!("load/{statement}"))?.text.replace("{leaf}", &layout::in_sql(leaf)))
}

/// The database, where it is not there, and the book-keeping.
fn begin(control: &mut MariaDbConnection, options: &Options, size: &Size, seed: u64) -> Result<Meta, EngineError> {
    let mut meta = books(control, options)?;
    meta.begin_tables(size, seed);
    control.batch("keeping the load's progress", "START TRANSACTION")?;
    for (name, value) in meta.entries() {
        meta::set(control, name, value)?;
    }
    control.batch("keeping the load's progress", "COMMIT")?;
    Ok(meta)
}

/// The book-keeping, which is made where there is none, and the database with it.
///
/// # Errors
/// What is there is not ours; the server's.
pub(super) fn books(control: &mut MariaDbConnection, options: &Options) -> Result<Meta, EngineError> {
    if let Some(meta) = meta::look(control)?.ours()? {
        return Ok(meta);
    }
    let create_database = meta::database(control)?.is_none();
    if create_database {
        let name = options.quoted_database();
        control.batch(&format!("creating the database {}", options.database), &format!("CREATE DATABASE {name}"))?;
        control.batch("entering the database", &format!("USE {name}"))?;
    }
    let meta = Meta::without_tables(meta::FORMAT, (meta::CREATED_DATABASE, create_database));
    meta::create(&meta, control, &DIALECT.get("tables/create_meta")?.text)?;
    Ok(meta)
}

/// A load at work.
struct Load<'l> {
    size: &'l Size,
    seed: u64,
    verify: bool,
    watch: &'l dyn LoadWatch,
    control: MariaDbConnection,
    crew: LoaderPool<'l, MariaDbConnection>,
    meta: Meta,
    times: Times,
}

impl Load<'_> {
    /// Creates the tables that are not there. A table of which only parts are there, or that has rows and no notes, is
    /// what a drop left that was interrupted, or somebody's hand: it is made anew, and nothing that was noted holds.
    fn create(&mut self) -> Result<(), EngineError> {
        let objects = meta::objects(&mut self.control)?;
        let mut batches = Vec::new();
        for table in TABLE_NAMES {
            let is_it = |object: &&Object| object.kind == Kind::Table && object.name == table.name();
            let there = objects.iter().find(is_it);
            if there.is_some_and(|object| object.parts == layout::parts(table.organisation()))
                && (self.any_filled(table) || self.is_empty(table)?)
            {
                continue;
            }
            batches.push(DIALECT.get("load/no_longer_complete")?.text.clone());
            batches.push(forget(table)?);
            if there.is_some() {
                batches.push(DIALECT.fill("tables/drop_table", &[("name", table.name())])?);
            }
            batches.push(layout::create(table.name(), table.organisation(), layout::Pages::of(table))?);
        }
        let create = |connection: &mut MariaDbConnection, batch: &String, (): &mut (), _: &Stop<'_>| {
            connection.batch("creating tables", batch)
        };
        // One after the other: what comes second may need what comes first.
        for batch in batches {
            self.crew.each("creating tables", &[batch], || (), create)?;
        }
        if let Contents::Ours(meta) = meta::look(&mut self.control)? {
            self.meta = meta;
        }
        Ok(())
    }

    fn any_filled(&self, table: TableName) -> bool {
        leaves(table).iter().any(|leaf| self.meta.done("filled", &leaf.name))
    }

    fn is_empty(&mut self, table: TableName) -> Result<bool, EngineError> {
        let sql = DIALECT.fill("load/any_row", &[("table", table.name())])?;
        Ok(self.control.texts(&format!("looking into {table}"), &sql)?.is_empty())
    }

    /// Loads tables of one shape. Returns the rows written to each.
    fn group(&mut self, label: &str, tables: &[TableName]) -> Result<BTreeMap<TableName, u64>, EngineError> {
        let (size, watch, meta, times) = (self.size, self.watch, &self.meta, &self.times);
        let shape = tables.first().map_or(Shape::Small, |table| table.shape());
        let all: Vec<Leaf> = tables.iter().flat_map(|table| leaves(*table)).collect();
        let rows_of = |leaves: &[Leaf]| leaves.iter().map(|leaf| leaf.rows(size)).sum::<u64>();
        let rows = rows_of(&all);
        let mut written = BTreeMap::new();
        if !meta.complete() {
            let missing: Vec<Leaf> = all.iter().filter(|leaf| !meta.done("filled", &leaf.name)).cloned().collect();
            for leaf in &missing {
                *written.entry(leaf.table).or_insert(0) += leaf.rows(size);
            }
            let tally = Tally::new(watch, label.to_owned(), rows - rows_of(&missing), rows);
            let way = fill::Way::ask(&mut self.control)?;
            let generator = Generator::new(size, shape, self.seed);
            let tools = || fill::Filler::new(generator.clone(), way);
            let fill = |connection: &mut MariaDbConnection, leaf: &Leaf, filler: &mut fill::Filler, stop: &Stop<'_>| {
                let _clock = times.clock(leaf.table, Phase::Fill);
                filler.fill(connection, leaf, size, stop, &tally)
            };
            self.crew.each(&format!("loading {label}"), &missing, tools, fill)?;

            let tally = Tally::new(watch, format!("{label} statistics"), 0, rows);
            let analyse = |connection: &mut MariaDbConnection, table: &TableName, (): &mut (), _: &Stop<'_>| {
                let _clock = times.clock(*table, Phase::Tidy);
                analyse(connection, *table)?;
                tally.add(table.rows(size));
                Ok(())
            };
            self.crew.each(&format!("analysing {label}"), tables, || (), analyse)?;
        }
        if self.verify {
            let tally = Tally::new(watch, format!("{label} checksum"), 0, rows);
            let generator = Generator::new(size, shape, self.seed);
            let clock = |table| times.clock(table, Phase::Prove);
            let sums = prove(&mut self.crew, &all, (size, &generator), &tally, &clock, verify::read)?;
            for (table, checksum) in sums {
                let (name, value) = (checksum_key(table), checksum.to_string());
                meta::set(&mut self.control, &name, &value)?;
                self.meta.put(name, value);
            }
        }
        Ok(written)
    }

    /// The last word, and everything onto the device.
    fn finish(&mut self) -> Result<(), EngineError> {
        let doing = "ending the load";
        self.control.batch(doing, "BEGIN")?;
        meta::set(&mut self.control, "verified", if self.verify { "1" } else { "0" })?;
        meta::set(&mut self.control, "complete", "1")?;
        self.control.batch(doing, "COMMIT")?;
        // Commits need not have waited for the device.
        self.control.batch(doing, &DIALECT.get("load/durable")?.text)?;
        let doing = "writing the tables out";
        let flush = |connection: &mut MariaDbConnection, table: &TableName, (): &mut (), _: &Stop<'_>| {
            connection.batch(doing, &DIALECT.fill("statistics/flush", &[("table", table.name())])?)
        };
        match self.crew.each(doing, &TABLE_NAMES, || (), flush) {
            // Not everybody may; the first point's settling then says so.
            Err(error) if error.class == ErrorClass::Permission => Ok(()),
            done => done,
        }
    }
}

/// Statistics of a table. The statement never fails: it answers with what it has to say.
fn analyse(connection: &mut MariaDbConnection, table: TableName) -> Result<(), EngineError> {
    let doing = format!("analysing {table}");
    for row in connection.texts(&doing, &DIALECT.fill("load/analyse", &[("table", table.name())])?)? {
        if let [_, _, Some(kind), Some(text)] = row.as_slice()
            && kind.eq_ignore_ascii_case("error")
        {
            return Err(EngineError::new(ErrorClass::Other, format!("{doing}: {text}")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remove;
    use crate::scratch::Wish;
    use dbdyno_engine::Target;
    use dbdyno_engine::data::Columns;
    use dbdyno_engine::server::checksum;
    use dbdyno_testkit::conformance::catalogue::size_t;

    struct Patient;

    impl LoadWatch for Patient {
        fn progress(&self, _: &str, _: u64, _: u64) {}

        fn cancelled(&self) -> bool {
            false
        }
    }

    #[test]
    fn a_load_that_has_ended_survives_a_power_failure() {
        // The server writes its log late, and the user may do nothing outside the database, which it makes itself.
        let late = [("innodb_flush_log_at_trx_commit", "0"), ("innodb_flush_log_at_timeout", "2700")];
        let mut server = late.into_iter().fold(Wish::default(), |wish, (name, value)| wish.set(name, value)).start();
        server.client("", "CREATE USER scott@'127.0.0.1'; GRANT ALL ON `my-bench`.* TO scott@'127.0.0.1'");
        let options = Options::parse(&Target::parse(&server.tcp("scott", "my-bench")).unwrap()).unwrap();
        load(&options, &size_t(), 42, 2, false, &Patient).unwrap();
        server.kill();
        server.restart();
        let contents = meta::look(&mut MariaDbConnection::open(&options, 0, "dbdyno").unwrap()).unwrap();
        assert!(matches!(contents, Contents::Ours(meta) if meta.complete()));
        assert!(remove::drop_all(&options).unwrap());
        assert_eq!(server.client("", "SHOW DATABASES LIKE 'my-bench'"), "");
    }

    #[test]
    fn a_server_that_refuses_the_bulk_protocol_gets_inserts() {
        let server = Wish::default().tls("DNS:localhost").start();
        server.client("", "CREATE USER scott@'127.0.0.1'; GRANT ALL ON bench.* TO scott@'127.0.0.1'");
        let open = |mode: &str| {
            let target = format!("{}?sslmode={mode}", server.tcp("scott", "bench"));
            let options = Options::parse(&Target::parse(&target).unwrap()).unwrap();
            (MariaDbConnection::open(&options, 0, "dbdyno").unwrap(), options)
        };
        let (mut control, options) = open("disable");
        begin(&mut control, &options, &size_t(), 42).unwrap();
        let before = meta::look(&mut control).unwrap();
        for (mode, way) in [("disable", fill::Way::Bulk(1_000)), ("require", fill::Way::Inserts(100))] {
            let (mut connection, _) = open(mode);
            assert_eq!(fill::Way::ask(&mut connection).unwrap(), way, "{mode}");
            // Asking changes nothing, and the session goes on.
            assert_eq!(meta::look(&mut connection).unwrap(), before, "{mode}");
        }
    }

    #[test]
    fn rows_come_through_whatever_the_way() {
        let server = Wish::default().set("max_allowed_packet", "16K").start();
        let options = Options::parse(&Target::parse(&server.socket("root", "bench")).unwrap()).unwrap();
        let mut control = MariaDbConnection::open(&options, 0, "dbdyno").unwrap();
        begin(&mut control, &options, &size_t(), 42).unwrap();
        assert_eq!(fill::Way::ask(&mut control).unwrap(), fill::Way::Bulk(20));
        let table = TableName::SmallIotList;
        control
            .batch("creating", &layout::create(table.name(), table.organisation(), layout::Pages::Dynamic).unwrap())
            .unwrap();
        let mut generator = Generator::new(&size_t(), Shape::Small, 42);
        for way in [fill::Way::Bulk(30), fill::Way::Inserts(30)] {
            let mut crew = crew(&options, 2, &Patient).unwrap();
            let tally = Tally::new(&Patient, String::new(), 0, 3_200);
            let tools = || fill::Filler::new(generator.clone(), way);
            let fill = |connection: &mut MariaDbConnection, leaf: &Leaf, filler: &mut fill::Filler, stop: &Stop<'_>| {
                filler.fill(connection, leaf, &size_t(), stop, &tally)
            };
            // What was there before goes.
            crew.each("loading", &leaves(table), tools, fill).unwrap();
            let held = checksum(&mut crew, table, (3_200, Columns::All), &Patient, verify::read).unwrap();
            assert_eq!(held, generator.checksum(), "{way:?}");
        }
        let Contents::Ours(meta) = meta::look(&mut control).unwrap() else { panic!("not ours") };
        assert!(leaves(table).iter().all(|leaf| meta.done("filled", &leaf.name)));
    }
}
