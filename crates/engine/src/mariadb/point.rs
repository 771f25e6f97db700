//! Before and after a point: its procedure, the tables that its jobs fill, a warm cache, what to count and whom to watch.

use super::link::Link;
use super::monitor::Monitor;
use super::recipe::Recipe;
use super::snapshot::{self, Base, Watched};
use super::{MariaDbEngine, STATISTICS, TABLES};
use crate::server::{Seen, ServerLink as _, add_seen, first, loading, recover, sum};
use crate::{EngineError, Sampling, Task};
use dbdyno_model::{Cache, Counters, Drive, ErrorClass, Organisation, Procedure, Shape, TableName};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const PREPARING: &str = "preparing the point";
const WARM: &str = "reading the test's tables into the cache";

/// A point between its beginning and its end.
pub(super) struct UnderWay {
    watched: Watched,
    /// How many nodes take part.
    working: usize,
    /// Tables that it reads.
    tables: Vec<TableName>,
    /// One a node; set by the first snapshot.
    bases: Vec<Option<Base>>,
    /// One a node that works, unless nobody watches.
    monitors: Vec<Monitor>,
    /// Why nobody does.
    unwatched: String,
}

impl UnderWay {
    /// Tables that it reads.
    pub(super) fn tables(&self) -> Vec<TableName> {
        self.tables.clone()
    }
}

/// Prepares what the jobs of a point share.
pub(super) fn begin(engine: &MariaDbEngine, task: &Task) -> Result<UnderWay, EngineError> {
    let recipe = Recipe::of(&task.test)?;
    for node in 0..engine.nodes.len().min(task.nodes as usize) {
        engine.nodes[node].account.begin();
        engine.on(node, |link| {
            if node == 0 {
                loading::take(link, PREPARING, lock, &|| None)?;
            }
            // What the first node makes comes to others by replication, where they are no servers of their own.
            if node == 0 || !has_all(link, &recipe, task.drive)? {
                remove_leftovers(link, task)?;
                make(link, &recipe, task.drive)?;
            }
            warm_all(link, &recipe, task)
        })?;
    }
    let mut monitors = Vec::new();
    let mut unwatched = "the sessions were not watched (--no-sampling)".to_owned();
    if task.sampling == Sampling::On {
        for (number, node) in engine.nodes.iter().enumerate().take(task.nodes as usize) {
            // A point without a watch is a point all the same; the reason is with its missing figures.
            match Monitor::start(&engine.options, number, Arc::clone(&node.ours)) {
                Ok(monitor) => monitors.push(monitor),
                Err(error) => unwatched = format!("the sessions could not be watched: {error}"),
            }
        }
        if monitors.len() < task.nodes as usize {
            monitors.clear();
        }
    }
    let bases = engine.nodes.iter().map(|_| None).collect();
    let watched = Watched::new(&recipe, task)?;
    Ok(UnderWay { watched, working: task.nodes as usize, tables: recipe.reads().to_vec(), bases, monitors, unwatched })
}

/// Keeps other processes of dbdyno's from measuring, loading or dropping here until the point has ended: they would drop
/// what its jobs work on. Says whether nobody else is at it; who holds the lock already is given it again.
pub(super) fn lock(link: &mut Link) -> Result<bool, EngineError> {
    Ok(first(link.texts(PREPARING, &STATISTICS.get("lock")?.text)?).as_deref() == Some("1"))
}

/// Lets others in again.
pub(super) fn unlock(link: &mut Link) -> Result<(), EngineError> {
    link.batch("ending the point", &STATISTICS.get("unlock")?.text)
}

/// Makes the procedure, which a client does without, and what its jobs share.
fn make(link: &mut Link, recipe: &Recipe, drive: Drive) -> Result<(), EngineError> {
    let procedure = if drive == Drive::Server { recipe.creates()? } else { Vec::new() };
    let statements = procedure.into_iter().chain(recipe.creates_before()?);
    statements.into_iter().try_for_each(|sql| link.batch("making what the test needs", &sql))
}

/// Whether all of that is there.
fn has_all(link: &mut Link, recipe: &Recipe, drive: Drive) -> Result<bool, EngineError> {
    if drive == Drive::Client {
        return Ok(recipe.creates_before()?.is_empty() || !names(link, &STATISTICS.get("made")?.text)?.is_empty());
    }
    let sql = STATISTICS.fill("has_procedure", &[("procedure", recipe.procedure())])?;
    Ok(!link.texts(PREPARING, &sql)?.is_empty())
}

/// Reads the tables of a cached test, and what inserts copy from, into the cache.
fn warm_all(link: &mut Link, recipe: &Recipe, task: &Task) -> Result<(), EngineError> {
    if task.test.cache == Cache::Cached || task.test.procedure == Procedure::Insert {
        recipe.reads().iter().try_for_each(|table| warm(link, *table))?;
    }
    Ok(())
}

/// Reads a table and its keys into the buffer pool.
fn warm(link: &mut Link, table: TableName) -> Result<(), EngineError> {
    // Where the rows lie in their primary key, reading them is reading that.
    let apart =
        matches!(table.organisation(), Organisation::Heap | Organisation::HeapList | Organisation::HeapRangeList);
    let statements = ["warm_rows", "warm_customer"].into_iter().chain(apart.then_some("warm_primary"));
    statements.into_iter().try_for_each(|name| link.batch(WARM, &STATISTICS.fill(name, &[("table", table.name())])?))
}

/// Drops what a point has made, or an earlier one that did not come to its end.
pub(super) fn remove_leftovers(link: &mut Link, task: &Task) -> Result<(), EngineError> {
    let doing = format!("removing what {} has made", task.test.code);
    for table in names(link, &STATISTICS.get("made")?.text)? {
        link.batch(&doing, &TABLES.fill("drop_table", &[("name", &table)])?)?;
    }
    let large = TableName::LargeHeapRangeList.name();
    for index in names(link, &STATISTICS.fill("made_indexes", &[("table", large)])?)? {
        link.batch(&doing, &STATISTICS.fill("drop_index", &[("index", &index), ("table", large)])?)?;
    }
    // A test that MariaDB does not have has made no procedure.
    let Ok(recipe) = Recipe::of(&task.test) else { return Ok(()) };
    recipe.drops()?.iter().try_for_each(|sql| link.batch(&doing, sql))
}

/// The first column's texts.
fn names(link: &mut Link, sql: &str) -> Result<Vec<String>, EngineError> {
    let rows = link.texts("reading the catalogue", sql)?;
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
}

/// The counters of all nodes now.
pub(super) fn snapshot(engine: &MariaDbEngine) -> Result<Counters, EngineError> {
    let mut point = recover(&engine.point);
    let Some(UnderWay { watched, working, bases, monitors, unwatched, .. }) = point.as_mut() else {
        return Err(EngineError::new(ErrorClass::Other, "counters were asked for outside a point"));
    };
    let mut nodes = Vec::new();
    // Nodes that do not work have nothing to say about the point.
    for (number, node) in engine.nodes.iter().enumerate().take(*working) {
        let base = &mut bases[number];
        let monitor = monitors.get(number);
        nodes.push(engine.on(number, |link| snapshot::read(node, link, watched, monitor, base))?);
    }
    let mut counters = sum(nodes);
    let seen: Vec<Seen> = monitors.iter().map(Monitor::seen).collect();
    add_seen(&mut counters, &seen, unwatched);
    Ok(counters)
}

/// Files of the tables that the point reads (of all tables between points), and the log, for the device that it lies on.
pub(super) fn files(data: &Path, database: &str, tables: Option<Vec<TableName>>) -> Vec<PathBuf> {
    let large = tables.filter(|tables| tables.iter().any(|table| table.shape() == Shape::Large));
    let wanted = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let of = |table: &TableName| {
            name.strip_prefix(table.name()).is_some_and(|rest| rest == ".ibd" || rest.starts_with("#P#"))
        };
        name.ends_with(".ibd") && large.as_ref().is_none_or(|tables| tables.iter().any(of))
    };
    let listed = |folder: PathBuf| std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = listed(data.join(database)).filter(wanted).collect();
    files.extend(Some(data.join("ib_logfile0")).filter(|log| log.is_file()));
    files
}
