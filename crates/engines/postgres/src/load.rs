//! Loading. All jobs fill leaves at the same time, each straight from the generator; then they index, vacuum and prove
//! them. Every step of a leaf is one transaction that also notes itself in `dbdyno.meta`, so that a load that was
//! killed goes on where it was. None of them waits for the disk: the server writes its log in order, so the last
//! commit, which says that everything is there, waits for all of it.

use crate::DIALECT;
mod fill;
mod finish;

pub(super) use fill::Broken;

use super::connection::PostgresConnection;
use super::meta;
use super::options::Options;
use super::procedure::layout;
use super::{TABLE_NAMES, verify};
use dbdyno_engine::bookkeeping::{Contents, Meta, checksum_key};
use dbdyno_engine::data::Generator;
use dbdyno_engine::server::loading::{self, Beginning, Wish};
use dbdyno_engine::server::{Connection as _, Leaf, LoaderPool, Phase, Stop, Tally, Times, first, held, leaves, prove};
use dbdyno_engine::{EngineError, LoadReport, LoadWatch};
use dbdyno_model::{ErrorClass, Shape, Size, TableName};
use std::collections::{BTreeMap, BTreeSet};

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
    let mut control = PostgresConnection::open(options, 0, "dbdyno load")?;
    let place = format!("database {}", options.database);
    let wish = Wish { tables: &TABLE_NAMES, size, seed, verify, has: |_, _| true, place };
    let hold = |control: &mut PostgresConnection| {
        let give_up = || watch.cancelled().then_some(ErrorClass::Cancelled);
        hold(control, &give_up, &|| watch.progress(held::WAITING, 0, 0))
    };
    let create = |control: &mut PostgresConnection| begin(control, size, seed);
    let (meta, resumed) = match loading::begin(&mut control, &wish, meta::look, hold, create)? {
        Beginning::Done(report) => return Ok(report),
        Beginning::From { meta, resumed } => (meta, resumed),
    };
    // The last commit waits for all that came before it, also where the server's own setting does not wait.
    control.batch("preparing to load", "SET synchronous_commit = on")?;
    let crew = crew(options, jobs, watch)?;
    let mut load = Load { size, seed, verify, watch, control, crew, meta, times: Times::default() };
    load.create()?;
    let mut rows_written = BTreeMap::new();
    for shape in [Shape::Small, Shape::Large] {
        rows_written.append(&mut load.group(shape)?);
    }
    load.finish()?;
    Ok(loading::report(&wish, &load.meta, &rows_written, &load.times, resumed))
}

/// The sessions of a load, all on the first node: the others may be read-only copies of it.
///
/// # Errors
/// The server turns one away.
pub(super) fn crew<'w>(
    options: &Options,
    jobs: u32,
    watch: &'w dyn LoadWatch,
) -> Result<LoaderPool<'w, PostgresConnection>, EngineError> {
    LoaderPool::open(jobs, watch, |_| {
        let mut connection = PostgresConnection::open(options, 0, "dbdyno load")?;
        connection.batch("preparing a session that loads", &DIALECT.get("load/session")?.text)?;
        connection.batch("preparing a session that loads", &DIALECT.get("load/help")?.text)?;
        Ok(connection)
    })
}

/// Makes sure that nobody else measures, loads or drops in this database, and waits for what an earlier load or run has
/// left at work: a server that builds an index does not notice that its client has gone. `give_up` says when not to
/// wait any longer, and what that is called; `waits` hears that it is waited for.
pub(super) fn hold(
    control: &mut PostgresConnection,
    give_up: &dyn Fn() -> Option<ErrorClass>,
    waits: &dyn Fn(),
) -> Result<(), EngineError> {
    let doing = "waiting for others that measure, load or drop here";
    let held = |control: &mut PostgresConnection| granted(control, doing, "hold");
    let left = |control: &mut PostgresConnection| {
        // Before the helpers, whose lock is taken where it is free.
        if let Some(pid) = first(control.texts(doing, &DIALECT.get("load/job_at_work")?.text)?) {
            return Ok(Some(format!("end them with pg_terminate_backend (one is process {pid})")));
        }
        let gone = granted(control, doing, "helpers_gone")?;
        Ok((!gone).then(|| "end those named 'dbdyno load' with pg_terminate_backend".to_owned()))
    };
    loading::alone(control, doing, held, left, give_up, waits)?;
    granted(control, doing, "let_helpers_in").map(drop)
}

fn granted(connection: &mut PostgresConnection, doing: &str, statement: &str) -> Result<bool, EngineError> {
    Ok(first(connection.texts(doing, &DIALECT.get(&format!("load/{statement}"))?.text)?).as_deref() == Some("t"))
}

/// The statement that notes a step of the load.
fn note(step: &str, relation: &str) -> Result<String, EngineError> {
    Ok(DIALECT.fill("load/note", &[("step", step), ("relation", relation)])?)
}

/// What drops a relation of a table and, with it, what was noted of the table: one transaction, so that a table of
/// which nothing is noted is never whole, with its indexes.
pub(super) fn forget_and_drop(table: TableName, relation: &str) -> Result<String, EngineError> {
    let forget = DIALECT.fill("load/forget_table", &[("table", table.name())])?;
    Ok(format!("{forget}\n{}", DIALECT.fill("tables/drop_table", &[("table", relation)])?))
}

/// The book-keeping of a load that begins.
fn begin(control: &mut PostgresConnection, size: &Size, seed: u64) -> Result<Meta, EngineError> {
    let mut meta = books(control)?;
    meta.begin_tables(size, seed);
    write(control, &meta)?;
    Ok(meta)
}

/// The book-keeping, which is made where there is none, and the schema with it.
///
/// # Errors
/// What is there is not ours; the server's.
pub(super) fn books(control: &mut PostgresConnection) -> Result<Meta, EngineError> {
    if let Some(meta) = meta::look(control)?.ours()? {
        return Ok(meta);
    }
    let doing = "creating the schema";
    let create_schema = !meta::schema_exists(control)?;
    let meta = Meta::without_tables(meta::FORMAT, (meta::CREATED_SCHEMA, create_schema));
    control.batch(doing, "BEGIN")?;
    if create_schema {
        control.batch(doing, &DIALECT.get("tables/create_schema")?.text)?;
    }
    control.batch("creating the book-keeping", &DIALECT.get("tables/create_meta")?.text)?;
    meta::write(&meta, control)?;
    control.batch(doing, "COMMIT")?;
    Ok(meta)
}

/// Writes all of it in one transaction.
fn write(control: &mut PostgresConnection, meta: &Meta) -> Result<(), EngineError> {
    let doing = "keeping the load's progress";
    control.batch(doing, "BEGIN")?;
    meta::write(meta, control)?;
    control.batch(doing, "COMMIT")
}

/// A load at work.
struct Load<'l> {
    size: &'l Size,
    seed: u64,
    verify: bool,
    watch: &'l dyn LoadWatch,
    control: PostgresConnection,
    crew: LoaderPool<'l, PostgresConnection>,
    meta: Meta,
    times: Times,
}

impl Load<'_> {
    /// Creates the tables that are not there. A table of which only parts are there is what a drop left that was
    /// interrupted, or somebody's hand: it is made anew, and nothing that was noted holds.
    fn create(&mut self) -> Result<(), EngineError> {
        let there: BTreeSet<String> = meta::objects(&mut self.control)?.into_iter().map(|object| object.name).collect();
        let mut batches = Vec::new();
        for table in TABLE_NAMES {
            let relations = layout::relations(table);
            let missing = relations.iter().filter(|relation| !there.contains(*relation)).count();
            let filled = leaves(table).iter().any(|leaf| self.meta.done("filled", &leaf.name));
            if missing == 0 {
                continue;
            }
            batches.push(DIALECT.get("load/no_longer_complete")?.text.clone());
            if filled || missing < relations.len() {
                batches.push(forget_and_drop(table, table.name())?);
            }
            batches.push(layout::create(table.name(), table.organisation())?.join("\n"));
        }
        let create = |connection: &mut PostgresConnection, batch: &String, (): &mut (), _: &Stop<'_>| {
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

    /// Loads the tables of a shape. Small tables are loaded together, so that those without partitions, each the work
    /// of one session, do not leave the others idle. Returns the rows written to each.
    fn group(&mut self, shape: Shape) -> Result<BTreeMap<TableName, u64>, EngineError> {
        let (size, watch, meta, times) = (self.size, self.watch, &self.meta, &self.times);
        let tables: Vec<TableName> = TABLE_NAMES.into_iter().filter(|table| table.shape() == shape).collect();
        let label = match tables.as_slice() {
            [table] => table.to_string(),
            _ => "small tables".to_owned(),
        };
        let all: Vec<Leaf> = tables.iter().flat_map(|table| leaves(*table)).collect();
        let rows_of = |leaves: &[Leaf]| leaves.iter().map(|leaf| leaf.rows(size)).sum::<u64>();
        let rows = rows_of(&all);
        let mut written = BTreeMap::new();
        if !meta.complete() {
            let missing: Vec<Leaf> = all.iter().filter(|leaf| !meta.done("filled", &leaf.name)).cloned().collect();
            for leaf in &missing {
                *written.entry(leaf.table).or_insert(0) += leaf.rows(size);
            }
            let tally = Tally::new(watch, label.clone(), rows - rows_of(&missing), rows);
            let generator = Generator::new(size, shape, self.seed);
            let tools = || fill::Filler::new(generator.clone());
            let fill =
                |connection: &mut PostgresConnection, leaf: &Leaf, filler: &mut fill::Filler, stop: &Stop<'_>| {
                    let _clock = times.clock(leaf.table, Phase::Fill);
                    filler.fill(connection, leaf, size, stop, &tally)
                };
            self.crew.each(&format!("loading {label}"), &missing, tools, fill)?;

            let means = finish::Means::ask(&mut self.control, self.crew.jobs(), rows)?;
            let tally = Tally::new(watch, format!("{label} indexes"), 0, rows);
            let index = |connection: &mut PostgresConnection, leaf: &Leaf, (): &mut (), _: &Stop<'_>| {
                let _clock = times.clock(leaf.table, Phase::Index);
                means.index(connection, leaf, size, meta, &tally)
            };
            self.crew.each(&format!("indexing {label}"), &all, || (), index)?;
            finish::index_parents(&mut self.crew, &tables, meta, times)?;

            let tally = Tally::new(watch, format!("{label} vacuum"), 0, rows);
            let vacuum = |connection: &mut PostgresConnection, leaf: &Leaf, (): &mut (), _: &Stop<'_>| {
                let _clock = times.clock(leaf.table, Phase::Tidy);
                finish::vacuum(connection, leaf, size, &tally)
            };
            finish::analyse_parents(&mut self.crew, &tables, times)?;
            self.crew.each(&format!("vacuuming {label}"), &all, || (), vacuum)?;
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
        self.control.batch("ending the load", "BEGIN")?;
        meta::set(&mut self.control, "verified", if self.verify { "1" } else { "0" })?;
        meta::set(&mut self.control, "complete", "1")?;
        self.control.batch("ending the load", "COMMIT")?;
        let checkpoint = |connection: &mut PostgresConnection, sql: &String, (): &mut (), _: &Stop<'_>| {
            connection.batch("a checkpoint", sql)
        };
        match self.crew.each("a checkpoint", &[DIALECT.get("statistics/checkpoint")?.text.clone()], || (), checkpoint) {
            // Not everybody may; the first point's settling then waits for the server's own checkpoint.
            Err(error) if error.class == ErrorClass::Permission => Ok(()),
            done => done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Wish;
    use dbdyno_engine::Target;
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
        // The server writes its log late, and the user may not make a checkpoint.
        let mut server = Wish::default().set("synchronous_commit", "off").set("wal_writer_delay", "10s").start();
        server.psql("postgres", "CREATE ROLE scott LOGIN; GRANT CREATE ON DATABASE postgres TO scott");
        let options = Options::parse(&Target::parse(&server.tcp("scott", "postgres")).unwrap()).unwrap();
        load(&options, &size_t(), 42, 2, false, &Patient).unwrap();
        server.kill();
        server.restart();
        let contents = meta::look(&mut PostgresConnection::open(&options, 0, "dbdyno").unwrap()).unwrap();
        assert!(matches!(contents, Contents::Ours(meta) if meta.complete()));
    }
}
