//! What follows the rows: indexes, leaf by leaf and then their parents', which adopt those of the leaves; statistics
//! and the visibility map.

use super::super::connection::PostgresConnection;
use super::super::procedure::layout;
use super::note;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::server::{Connection as _, Leaf, LoaderPool, Phase, Stop, Tally, Times};
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

/// Memory and workers for the index builds of a phase.
pub(super) struct Means {
    jobs: u64,
    /// Rows that the phase's leaves have.
    rows: u64,
    memory_kb: u64,
}

impl Means {
    /// Looks at what the server allows anyway.
    pub(super) fn ask(connection: &mut PostgresConnection, jobs: u64, rows: u64) -> Result<Self, EngineError> {
        let doing = "asking for the memory of index builds";
        let answer = connection.texts(doing, &DIALECT.get("load/index_memory")?.text)?;
        let memory = answer.first().and_then(|row| row.first().cloned().flatten());
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
    pub(super) fn index(
        &self,
        connection: &mut PostgresConnection,
        leaf: &Leaf,
        size: &Size,
        meta: &Meta,
        tally: &Tally<'_>,
    ) -> Result<(), EngineError> {
        let (rows, name) = (leaf.rows(size), &leaf.name);
        let doing = format!("indexing {name}");
        let (memory, workers) = (self.memory_kb(rows).to_string(), self.workers(rows).to_string());
        let settings = DIALECT.fill("load/index_settings", &[("kilobytes", &memory), ("workers", &workers)])?;
        connection.batch(&doing, &settings)?;
        index(connection, &doing, leaf.table, name, meta)?;
        tally.add(rows);
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
            connection.batch(doing, &format!("{sql}\n{}", note(step, relation)?))?;
        }
    }
    Ok(())
}

/// Lets parents adopt the indexes of their leaves, from below. Each is a transaction of its own: one for all would lock
/// hundreds of relations at once.
pub(super) fn index_parents(
    crew: &mut LoaderPool<'_, PostgresConnection>,
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
                    _: &Stop<'_>| {
            let _clock = times.clock(*table, Phase::Index);
            index(connection, &format!("indexing {relation}"), *table, relation, meta)
        };
        crew.each("indexing", &level, || (), work)?;
    }
    Ok(())
}

/// Vacuums and analyses a leaf.
pub(super) fn vacuum(
    connection: &mut PostgresConnection,
    leaf: &Leaf,
    size: &Size,
    tally: &Tally<'_>,
) -> Result<(), EngineError> {
    let sql = DIALECT.fill("load/vacuum_leaf", &[("relation", &leaf.name)])?;
    connection.batch(&format!("vacuuming {}", leaf.name), &sql)?;
    tally.add(leaf.rows(size));
    Ok(())
}

/// Statistics over all partitions of the tables that have them. Comes before the leaves are vacuumed and analysed.
pub(super) fn analyse_parents(
    crew: &mut LoaderPool<'_, PostgresConnection>,
    tables: &[TableName],
    times: &Times,
) -> Result<(), EngineError> {
    let parents: Vec<TableName> = tables
        .iter()
        .copied()
        .filter(|table| !layout::parents(table.name(), table.organisation()).is_empty())
        .collect();
    let work = |connection: &mut PostgresConnection, table: &TableName, (): &mut (), _: &Stop<'_>| {
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
    crew.each("analysing", &parents, || (), work)
}
