//! Before and after a point: its procedure, the tables that its jobs fill, a warm cache, what to count and whom to
//! watch.

use super::link::Link;
use super::monitor::Monitor;
use super::recipe::Recipe;
use super::snapshot::{self, Watched};
use super::{MariaDbEngine, STATISTICS, TABLES, inspect, meta};
use dbdyno_engine::bookkeeping::{self, Made, Meta};
use dbdyno_engine::server::{ServerLink as _, Watches, first, no_point, recover};
use dbdyno_engine::{EngineError, PointStatistics, ProgramTask, Sampling, Task};
use dbdyno_model::{Cache, Drive, Organisation, Procedure, Shape, TableName};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const PREPARING: &str = "preparing the point";
/// The table that tests build indexes on.
const BUILT_ON: &str = "large_heap_range_list";
const WARM: &str = "reading the test's tables into the cache";

/// A point between its beginning and its end.
pub(super) struct UnderWay {
    watched: Watched,
    /// Tables that it reads.
    tables: Vec<TableName>,
    watches: Watches<Monitor>,
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
            // What the first node makes comes to others by replication, where they are no servers of their own.
            if node == 0 || !has_all(link, &recipe, task.drive)? {
                remove_leftovers(link, task, node)?;
                make(link, &recipe, task.drive)?;
            }
            warm_all(link, &recipe, task)
        })?;
    }
    let watched = Watched::new(&recipe, task)?;
    Ok(under_way(engine, (task.nodes, task.sampling), watched, recipe.reads().to_vec()))
}

/// Prepares a point of a program, which has made its tables itself.
pub(super) fn begin_program(engine: &MariaDbEngine, task: &ProgramTask) -> Result<UnderWay, EngineError> {
    for node in 0..engine.nodes.len().min(task.nodes as usize) {
        engine.nodes[node].account.begin();
        engine.on(node, |link| remove_made(link, &format!("preparing {}", task.work), node))?;
    }
    Ok(under_way(engine, (task.nodes, task.sampling), Watched::of_program(), Vec::new()))
}

/// A point whose sessions are watched from now on, on so many nodes.
fn under_way(engine: &MariaDbEngine, at: (u32, Sampling), watched: Watched, tables: Vec<TableName>) -> UnderWay {
    let watches = Watches::begin(at, engine.nodes.len(), |node| {
        Monitor::start(&engine.options, node, Arc::clone(&engine.nodes[node].ours))
    });
    UnderWay { watched, tables, watches }
}

/// Whether a session holds the lock that keeps other processes of dbdyno's away.
pub(super) fn is_held_by(link: &mut Link, session: u64) -> Result<bool, EngineError> {
    let holder = first(link.texts("asking for the lock of the run", &STATISTICS.get("held_by")?.text)?);
    Ok(holder.and_then(|id| id.parse().ok()) == Some(session))
}

/// Makes the procedure, which a client does without, and what its jobs share.
fn make(link: &mut Link, recipe: &Recipe, drive: Drive) -> Result<(), EngineError> {
    note(link, recipe)?;
    let procedure = if drive == Drive::Server { recipe.creates()? } else { Vec::new() };
    let statements = procedure.into_iter().chain(recipe.creates_before()?);
    statements.into_iter().try_for_each(|sql| link.batch("making what the test needs", &sql))
}

/// Whether all of that is there.
fn has_all(link: &mut Link, recipe: &Recipe, drive: Drive) -> Result<bool, EngineError> {
    if drive == Drive::Client {
        return Ok(
            recipe.creates_before()?.is_empty() || bookkeeping::ours(&recipe.makes(), &there(link)?).next().is_some()
        );
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

/// Drops what a point has made on a node, or an earlier one that did not come to its end.
pub(super) fn remove_leftovers(link: &mut Link, task: &Task, node: usize) -> Result<(), EngineError> {
    let doing = format!("removing what {} has made", task.test.code);
    remove_made(link, &doing, node)?;
    // A test that MariaDB does not have has made no procedure.
    let Ok(recipe) = Recipe::of(&task.test) else { return Ok(()) };
    recipe.drops()?.iter().try_for_each(|sql| link.batch(&doing, sql))
}

/// Drops what points have noted that they make, whichever point it was.
fn remove_made(link: &mut Link, doing: &str, node: usize) -> Result<(), EngineError> {
    let noted = names(link, &STATISTICS.get("noted")?.text)?;
    let made: Vec<Made> = noted.iter().filter_map(|entry| bookkeeping::noted(entry)).collect();
    if !made.is_empty() {
        let there = there(link)?;
        let tables = bookkeeping::ours(&made, &there).filter(|(kind, _)| kind == "table");
        inspect::refuse_others(link, tables.map(|(_, name)| name.as_str()), &Meta::default())?;
        for (kind, name) in bookkeeping::ours(&made, &there) {
            let sql = match kind.as_str() {
                "index" => STATISTICS.fill("drop_index", &[("index", name), ("table", BUILT_ON)])?,
                _ => TABLES.fill("drop_table", &[("name", name)])?,
            };
            link.batch(doing, &sql)?;
        }
        // A replica gets this from the first node, and could not go on if it had forgotten by itself.
        if node == 0 {
            link.batch(doing, &STATISTICS.get("forget_made")?.text)?;
        }
    }
    Ok(())
}

/// Tables and indexes whose names are such as points give.
fn there(link: &mut Link) -> Result<Vec<(String, String)>, EngineError> {
    let rows = link.texts("reading the catalogue", &STATISTICS.fill("there", &[("table", BUILT_ON)])?)?;
    let pair = |row: Vec<Option<String>>| match <[Option<String>; 2]>::try_from(row) {
        Ok([Some(kind), Some(name)]) => Some((kind, name)),
        _ => None,
    };
    Ok(rows.into_iter().filter_map(pair).collect())
}

/// Notes what the point is going to make, of which nothing may be there.
fn note(link: &mut Link, recipe: &Recipe) -> Result<(), EngineError> {
    let wanted = recipe.makes();
    if wanted.is_empty() {
        return Ok(());
    }
    bookkeeping::refuse_taken(&wanted, &there(link)?, "the database")?;
    wanted.iter().try_for_each(|made| meta::set(link, &made.entry(), "1"))
}

/// The first column's texts.
fn names(link: &mut Link, sql: &str) -> Result<Vec<String>, EngineError> {
    let rows = link.texts("reading the catalogue", sql)?;
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
}

/// What all nodes have counted for the point until now.
pub(super) fn statistics(
    engine: &MariaDbEngine,
    earlier: Option<&PointStatistics>,
) -> Result<PointStatistics, EngineError> {
    let point = recover(&engine.point);
    let UnderWay { watched, watches, .. } = point.as_ref().ok_or_else(no_point)?;
    watches.read(earlier, Monitor::seen, |number, monitor, _| {
        let node = &engine.nodes[number];
        engine.on(number, |link| snapshot::read(node, link, watched, monitor))
    })
}

/// Files of the tables that the point reads (of all tables between points), and the log, for the device that it lies
/// on.
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
