//! What a load does that is PostgreSQL's own: rows are frozen as they arrive, which takes a COPY into a leaf that the
//! same transaction has emptied; indexes come leaf by leaf and then their parents', which adopt those of the leaves;
//! then statistics and the visibility map. No step waits for the disk: the server writes its log in order, so the last
//! commit, which says that everything is there, waits for all of it.

use super::connection::PostgresConnection;
use super::procedure::layout;
use super::{PostgresProduct, SCHEMA};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::server::load::{about, note};
use dbdyno_engine::server::{
    Connection as _, Leaf, Load, LoadStop, LoaderPool, Phase, PhaseProgress, ProductTables, Rows, Times, first,
};
use dbdyno_model::{Size, TableName};

/// Sort memory for a row of an index.
const INDEX_BYTES_A_ROW: u64 = 48;
/// What all index builds of a load may use together ...
const ALL_MEMORY_KB: u64 = 2 << 20;
/// ... and one of them at least and at most.
const LEAST_MEMORY_KB: u64 = 64 << 10;
const MOST_MEMORY_KB: u64 = 1 << 20;
/// Without so much for itself and for each worker, an index build asks for no workers.
const WORKER_MEMORY_KB: u64 = 32 << 10;
const MOST_WORKERS: u64 = 8;
/// 18.0, from where on a parent can be analysed without its leaves.
const ANALYSES_PARENTS_ALONE: u32 = 180_000;

impl ProductTables for PostgresProduct {
    const CREATED: &'static str = "created_schema";
    const PARTS_ARE_TABLES: bool = true;

    fn place(&self) -> String {
        place()
    }

    fn database(&self) -> String {
        format!("database {}", self.options.database)
    }

    fn how_to_read(&self, _: &mut PostgresConnection) -> Result<String, EngineError> {
        Ok("connect as its owner, whom `dbdyno check` names".to_owned())
    }

    fn create_place(&self, connection: &mut PostgresConnection) -> Result<bool, EngineError> {
        if !connection.texts("reading the schema", &DIALECT.get("load/schema")?.text)?.is_empty() {
            return Ok(false);
        }
        connection.batch("creating the schema", &DIALECT.get("tables/create_schema")?.text).map(|()| true)
    }

    fn drop_place(&self, connection: &mut PostgresConnection) -> Result<(), EngineError> {
        connection.batch("dropping the schema", &DIALECT.get("load/drop_empty_schema")?.text)
    }

    fn try_lock(&self, connection: &mut PostgresConnection, doing: &str) -> Result<bool, EngineError> {
        granted(connection, doing, "hold")
    }

    fn left_at_work(&self, connection: &mut PostgresConnection, doing: &str) -> Result<Option<String>, EngineError> {
        // Before the helpers, whose lock is taken where it is free.
        if let Some(pid) = first(connection.texts(doing, &DIALECT.get("load/job_at_work")?.text)?) {
            return Ok(Some(format!("end them with pg_terminate_backend (one is process {pid})")));
        }
        if !granted(connection, doing, "helpers_gone")? {
            return Ok(Some("end those named 'dbdyno load' with pg_terminate_backend".to_owned()));
        }
        granted(connection, doing, "let_helpers_in").map(|_| None)
    }

    fn prepare_loader(&self, connection: &mut PostgresConnection, doing: &str, _: u32) -> Result<(), EngineError> {
        connection.batch(doing, &DIALECT.get("load/help")?.text)
    }

    fn create_table(&self, table: TableName, _: &Size) -> Result<Vec<String>, EngineError> {
        layout::create(table.name(), table.organisation())
    }

    /// Everything below the table.
    fn parts(table: TableName) -> u64 {
        layout::relations(table.name(), table.organisation()).len() as u64 - 1
    }

    fn in_sql(leaf: &Leaf) -> String {
        leaf.name.clone()
    }

    fn fill(
        &self,
        connection: &mut PostgresConnection,
        doing: &str,
        (leaf, _): (&Leaf, &Size),
        rows: &mut Rows<'_>,
    ) -> Result<(), EngineError> {
        connection.batch(doing, &about::<Self>("load/empty_leaf", leaf)?)?;
        connection.insert(doing, &about::<Self>("load/copy_in", leaf)?, rows)
    }

    /// Indexes, statistics, the visibility map.
    fn after_rows(
        load: &mut Load<'_, Self>,
        label: &str,
        (tables, leaves, rows): (&[TableName], &[Leaf], u64),
    ) -> Result<(), EngineError> {
        let means = Means::ask(&mut load.control, load.pool.jobs(), rows)?;
        let (size, meta, times) = (load.request.size, &load.meta, &load.times);
        let progress = PhaseProgress::new(load.watch, format!("{label} indexes"), 0, rows);
        let index = |connection: &mut PostgresConnection, leaf: &Leaf, (): &mut (), _: &LoadStop<'_>| {
            let _clock = times.clock(leaf.table, Phase::Index);
            means.index(connection, leaf, size, meta, &progress)
        };
        load.pool.each(&format!("indexing {label}"), leaves, || (), index)?;
        index_parents(&mut load.pool, tables, meta, times)?;
        let progress = PhaseProgress::new(load.watch, format!("{label} vacuum"), 0, rows);
        let vacuum = |connection: &mut PostgresConnection, leaf: &Leaf, (): &mut (), _: &LoadStop<'_>| {
            let _clock = times.clock(leaf.table, Phase::Tidy);
            let sql = DIALECT.fill("load/vacuum_leaf", &[("relation", &leaf.name)])?;
            connection.batch(&format!("vacuuming {}", leaf.name), &sql)?;
            progress.add(leaf.rows(size));
            Ok(())
        };
        analyse_parents(&mut load.pool, tables, times)?;
        load.pool.each(&format!("vacuuming {label}"), leaves, || (), vacuum)
    }

    fn write_out(_: &[TableName]) -> Result<Vec<String>, EngineError> {
        Ok(vec![DIALECT.get("statistics/checkpoint")?.text.clone()])
    }
}

/// Where everything of dbdyno's lies, in words.
pub(super) fn place() -> String {
    format!("the schema {SCHEMA}")
}

/// Whether a statement that asks for a lock says that it is granted.
fn granted(connection: &mut PostgresConnection, doing: &str, statement: &str) -> Result<bool, EngineError> {
    Ok(first(connection.texts(doing, &DIALECT.get(&format!("load/{statement}"))?.text)?).as_deref() == Some("t"))
}

/// Memory and workers for the index builds of a phase.
struct Means {
    jobs: u64,
    /// Rows that the phase's leaves have.
    rows: u64,
    memory_kb: u64,
}

impl Means {
    /// Looks at what the server allows anyway.
    fn ask(connection: &mut PostgresConnection, jobs: u64, rows: u64) -> Result<Self, EngineError> {
        let doing = "asking for the memory of index builds";
        let memory = first(connection.texts(doing, &DIALECT.get("load/index_memory")?.text)?);
        Ok(Self { jobs, rows, memory_kb: memory.and_then(|kb| kb.parse().ok()).unwrap_or(0) })
    }

    /// Workers: the leaf's share of all jobs, so that small tables that are few do not leave processors idle.
    fn workers(&self, rows: u64) -> u64 {
        (self.jobs * rows / self.rows.max(1)).saturating_sub(1).min(MOST_WORKERS)
    }

    fn memory_kb(&self, rows: u64) -> u64 {
        let share = (ALL_MEMORY_KB / self.jobs.max(1)).clamp(LEAST_MEMORY_KB, MOST_MEMORY_KB);
        let wanted = (rows * INDEX_BYTES_A_ROW / 1024).clamp(LEAST_MEMORY_KB, share);
        wanted.max(WORKER_MEMORY_KB * (self.workers(rows) + 1)).max(self.memory_kb)
    }

    /// Builds what a leaf lacks.
    fn index(
        &self,
        connection: &mut PostgresConnection,
        leaf: &Leaf,
        size: &Size,
        meta: &Meta,
        progress: &PhaseProgress<'_>,
    ) -> Result<(), EngineError> {
        let (rows, name) = (leaf.rows(size), &leaf.name);
        let doing = format!("indexing {name}");
        let (memory, workers) = (self.memory_kb(rows).to_string(), self.workers(rows).to_string());
        let settings = DIALECT.fill("load/index_settings", &[("kilobytes", &memory), ("workers", &workers)])?;
        connection.batch(&doing, &settings)?;
        index(connection, &doing, leaf.table, name, meta)?;
        progress.add(rows);
        Ok(())
    }
}

/// Builds the indexes that a relation lacks; each is a transaction that also notes it.
fn index(
    connection: &mut PostgresConnection,
    doing: &str,
    table: TableName,
    relation: &str,
    meta: &Meta,
) -> Result<(), EngineError> {
    let statements = layout::index(relation, table.organisation())?;
    for (step, sql) in ["primary", "customer"].into_iter().zip(statements) {
        if !meta.done(step, relation) {
            connection.batch(doing, &format!("{sql}\n{}", note::<PostgresProduct>(step, relation)?))?;
        }
    }
    Ok(())
}

/// Lets parents adopt the indexes of their leaves, from below. Each is a transaction of its own: one for all would lock
/// hundreds of relations at once.
fn index_parents(
    pool: &mut LoaderPool<'_, PostgresConnection>,
    tables: &[TableName],
    meta: &Meta,
    times: &Times,
) -> Result<(), EngineError> {
    let all = tables.iter().flat_map(|table| {
        layout::parents(table.name(), table.organisation()).into_iter().map(|parent| (*table, parent))
    });
    let (tops, months): (Vec<_>, Vec<_>) = all.partition(|(table, parent)| table.name() == parent);
    for level in [months, tops] {
        let work = |connection: &mut PostgresConnection,
                    (table, relation): &(TableName, String),
                    (): &mut (),
                    _: &LoadStop<'_>| {
            let _clock = times.clock(*table, Phase::Index);
            index(connection, &format!("indexing {relation}"), *table, relation, meta)
        };
        pool.each("indexing", &level, || (), work)?;
    }
    Ok(())
}

/// Statistics over all partitions of the tables that have them. Comes before the leaves are vacuumed and analysed.
fn analyse_parents(
    pool: &mut LoaderPool<'_, PostgresConnection>,
    tables: &[TableName],
    times: &Times,
) -> Result<(), EngineError> {
    let parents: Vec<TableName> = tables.iter().copied().filter(|table| PostgresProduct::parts(*table) > 0).collect();
    let work = |connection: &mut PostgresConnection, table: &TableName, (): &mut (), _: &LoadStop<'_>| {
        let _clock = times.clock(*table, Phase::Tidy);
        let doing = format!("analysing {table}");
        let statements: &[&str] = if connection.version_num() >= ANALYSES_PARENTS_ALONE {
            &["analyse_parent_only"]
        } else {
            &["rough_sample", "analyse_parent", "usual_sample"]
        };
        let relation = [("relation", table.name())];
        statements
            .iter()
            .try_for_each(|statement| connection.batch(&doing, &DIALECT.fill(&format!("load/{statement}"), &relation)?))
    };
    pool.each("analysing", &parents, || (), work)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::ServerOptions;
    use crate::{TABLE_NAMES, engine};
    use dbdyno_engine::server::expected;
    use dbdyno_engine::{Engine as _, Loaded, Target};
    use dbdyno_testkit::conformance::NoProgress;
    use dbdyno_testkit::conformance::catalogue::size_t;

    #[test]
    fn a_load_that_has_ended_survives_a_power_failure() {
        // The server writes its log late, and the user may not make a checkpoint.
        let mut server =
            ServerOptions::default().set("synchronous_commit", "off").set("wal_writer_delay", "10s").start();
        server.psql("postgres", "CREATE ROLE scott LOGIN; GRANT CREATE ON DATABASE postgres TO scott");
        let target = Target::parse(&server.tcp("scott", "postgres")).unwrap();
        engine(&target, None).unwrap().load(&size_t(), 42, 2, false, &NoProgress).unwrap();
        server.kill();
        server.restart();
        let loaded = engine(&target, None).unwrap().loaded().unwrap();
        assert!(matches!(loaded, Loaded::Complete { .. }), "{loaded:?}");
    }

    #[test]
    fn what_the_catalogue_must_say_is_what_the_statements_of_tables_sql_make() {
        for table in TABLE_NAMES {
            let statements = layout::create_indexed(table.name(), table.organisation()).unwrap().join("\n");
            let facts = expected::<PostgresProduct>(table).unwrap();
            for fact in &facts {
                match fact.kind.as_str() {
                    "index" | "column" => {
                        assert!(statements.contains(fact.text.split(' ').next().unwrap()), "{fact:?}");
                    }
                    "kind" => assert!(statements.contains(&format!("CREATE TABLE dbdyno.{}", fact.of)), "{fact:?}"),
                    _ => {}
                }
            }
            let count = |kind: &str| facts.iter().filter(|fact| fact.kind == kind).count() as u64;
            let relations = PostgresProduct::parts(table) + 1;
            let counts = ["kind", "persistence", "options", "replica identity"].map(count);
            assert_eq!(counts, [relations; 4], "{table}");
            let others = ["column", "index", "place"].map(count);
            assert_eq!(others, [9 * relations, 2 * relations, relations - 1], "{table}");
        }
    }
}
