//! Before and after a point: its procedure, the tables that its jobs fill, a warm cache, what to count and whom to
//! watch.

use super::link::Link;
use super::monitor::Monitor;
use super::recipe::{Counting, Recipe};
use super::snapshot::{self, Watched};
use super::{COUNTERS, PostgresEngine, SCHEMA, STATISTICS, TABLES, inspect, meta, paced};
use dbdyno_engine::bookkeeping::{self, Made, Meta};
use dbdyno_engine::server::{ServerLink as _, Watches, first, no_point, recover};
use dbdyno_engine::{EngineError, PointStatistics, ProgramTask, Sampling, Task};
use dbdyno_model::{Cache, Drive, ErrorClass, Organisation, Procedure, Shape, TableName};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const PREPARING: &str = "preparing the point";
const WARM: &str = "reading the test's tables into the cache";
/// How long a standby may take to come to where the first node is.
const REPLAY_PATIENCE: Duration = Duration::from_secs(30);

/// A point between its beginning and its end.
pub(super) struct UnderWay {
    watched: Watched,
    /// Tables that it reads.
    tables: Vec<TableName>,
    watches: Watches<Monitor>,
}

impl UnderWay {
    /// The schema of the extension that counts blocks that wait to be written, where the point needs it and it is
    /// there.
    pub(super) fn buffercache(&self) -> Option<String> {
        self.watched.buffercache.clone()
    }

    /// Tables that it reads.
    pub(super) fn tables(&self) -> Vec<TableName> {
        self.tables.clone()
    }
}

/// Prepares what the jobs of a point share.
pub(super) fn begin(engine: &PostgresEngine, task: &Task) -> Result<UnderWay, EngineError> {
    let recipe = Recipe::of(&task.test)?;
    let watched = engine.with(|link| {
        if let Some(server) = &engine.private {
            paced::restore(link, server)?;
        }
        remove_leftovers(link, task)?;
        make(link, &recipe, task)?;
        warm_all(link, &recipe, task)?;
        watch(link, &recipe, task)
    })?;
    for node in 1..engine.nodes.len().min(task.nodes as usize) {
        // A standby gets what the first node has made; any other server is one of its own.
        let position = engine.with(|link| text(link, &COUNTERS.get("position")?.text))?.unwrap_or_default();
        engine.on(node, |link| {
            if replayed(link, &position)? == Replay::Primary {
                remove_leftovers(link, task)?;
                make(link, &recipe, task)?;
            }
            warm_all(link, &recipe, task)
        })?;
    }
    Ok(under_way(engine, (task.nodes, task.sampling), watched, recipe.reads().to_vec()))
}

/// Prepares a point of a program, which has made its tables itself.
pub(super) fn begin_program(engine: &PostgresEngine, task: &ProgramTask) -> Result<UnderWay, EngineError> {
    engine.with(|link| {
        if let Some(server) = &engine.private {
            paced::restore(link, server)?;
        }
        remove_made(link, &format!("preparing {}", task.work))
    })?;
    Ok(under_way(engine, (task.nodes, task.sampling), Watched::default(), Vec::new()))
}

/// A point whose sessions are watched from now on, on so many nodes.
fn under_way(engine: &PostgresEngine, at: (u32, Sampling), watched: Watched, tables: Vec<TableName>) -> UnderWay {
    let watches = Watches::begin(at, engine.nodes.len(), |node| {
        Monitor::start(&engine.options, node, Arc::clone(&engine.nodes[node].ours))
    });
    UnderWay { watched, tables, watches }
}

/// Keeps other processes of dbdyno's from measuring, loading or dropping here. Says whether nobody else is at it.
pub(super) fn lock(link: &mut Link) -> Result<bool, EngineError> {
    Ok(text(link, &COUNTERS.get("lock")?.text)?.as_deref() == Some("t"))
}

/// Lets others in again.
pub(super) fn unlock(link: &mut Link) -> Result<(), EngineError> {
    link.batch("letting others in", &COUNTERS.get("unlock")?.text)
}

/// Whether a session holds that lock.
pub(super) fn is_held_by(link: &mut Link, session: u64) -> Result<bool, EngineError> {
    let sql = COUNTERS.get("held_by")?.text.replace("{session}", &session.to_string());
    Ok(text(link, &sql)?.as_deref() == Some("t"))
}

/// Makes what the jobs share, and the procedure where there is one to be called.
fn make(link: &mut Link, recipe: &Recipe, task: &Task) -> Result<(), EngineError> {
    note(link, recipe)?;
    let procedure = if task.drive == Drive::Server { recipe.creates()? } else { Vec::new() };
    let statements = procedure.into_iter().chain(recipe.creates_before()?);
    statements.into_iter().try_for_each(|sql| link.batch("making the test's procedure", &sql))
}

/// Reads the tables of a cached test, and what inserts copy from, into the cache.
fn warm_all(link: &mut Link, recipe: &Recipe, task: &Task) -> Result<(), EngineError> {
    if task.test.cache == Cache::Cached || task.test.procedure == Procedure::Insert {
        recipe.reads().iter().try_for_each(|table| warm(link, *table, task))?;
    }
    Ok(())
}

/// What a node is to the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Replay {
    /// It takes writes of its own.
    Primary,
    /// It has replayed what the first one wrote.
    Standby,
}

/// Waits until a standby has come to a position of the log.
fn replayed(link: &mut Link, position: &str) -> Result<Replay, EngineError> {
    let sql = COUNTERS.get("replayed")?.text.replace("{position}", &position.replace('\'', ""));
    let began = Instant::now();
    loop {
        match text(link, &sql)?.as_deref() {
            None => return Ok(Replay::Primary),
            Some("t") => return Ok(Replay::Standby),
            Some(_) if began.elapsed() > REPLAY_PATIENCE => {
                let message = format!(
                    "the standby is {} s behind: it has not yet replayed {position}",
                    REPLAY_PATIENCE.as_secs()
                );
                return Err(EngineError::new(ErrorClass::Timeout, message));
            }
            Some(_) => std::thread::sleep(Duration::from_millis(20)),
        }
    }
}

/// The only value of a query.
fn text(link: &mut Link, sql: &str) -> Result<Option<String>, EngineError> {
    Ok(first(link.texts(PREPARING, sql)?))
}

/// Drops what a point has made, or an earlier one that did not come to its end.
pub(super) fn remove_leftovers(link: &mut Link, task: &Task) -> Result<(), EngineError> {
    let doing = format!("removing what {} has made", task.test.code);
    remove_made(link, &doing)?;
    // A test that PostgreSQL does not have has made no procedure.
    let Ok(recipe) = Recipe::of(&task.test) else { return Ok(()) };
    recipe.drops()?.iter().try_for_each(|sql| link.batch(&doing, sql))
}

/// Drops what points have noted that they make, whichever point it was.
fn remove_made(link: &mut Link, doing: &str) -> Result<(), EngineError> {
    let noted = names(link, &STATISTICS.get("noted")?.text)?;
    let made: Vec<Made> = noted.iter().filter_map(|entry| bookkeeping::noted(entry)).collect();
    if !made.is_empty() {
        let there = there(link)?;
        let tables = bookkeeping::ours(&made, &there).filter(|(kind, _)| kind == "table");
        inspect::refuse_others(link, tables.map(|(_, name)| name.as_str()), &Meta::default())?;
        // Each in a transaction of its own: one for all would need more locks than a server has.
        for (kind, name) in bookkeeping::ours(&made, &there) {
            let sql = match kind.as_str() {
                "index" => STATISTICS.fill("drop_index", &[("index", name)])?,
                _ => TABLES.fill("drop_table", &[("table", name)])?,
            };
            link.batch(doing, &sql)?;
        }
        link.batch(doing, &STATISTICS.get("forget_made")?.text)?;
    }
    Ok(())
}

/// Tables and indexes whose names are such as points give.
fn there(link: &mut Link) -> Result<Vec<(String, String)>, EngineError> {
    let rows = link.texts("reading the catalogue", &STATISTICS.get("there")?.text)?;
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
    bookkeeping::refuse_taken(&wanted, &there(link)?, &format!("the schema {SCHEMA}"))?;
    wanted.iter().try_for_each(|made| meta::set(link, &made.entry(), "1"))
}

/// The same on another node than the first; a standby drops what the first one drops.
pub(super) fn remove_leftovers_unless_standby(link: &mut Link, task: &Task) -> Result<(), EngineError> {
    match text(link, &COUNTERS.get("position")?.text)? {
        Some(_) => remove_leftovers(link, task),
        None => Ok(()),
    }
}

/// Reads a table and its indexes into shared buffers.
fn warm(link: &mut Link, table: TableName, task: &Task) -> Result<(), EngineError> {
    let leaves = names(link, &STATISTICS.fill("leaves", &[("table", table.name())])?)?;
    let settings = &STATISTICS.get("warm_settings")?.text;
    let primary = match table.organisation() {
        Organisation::Hash => "warm_hash",
        _ => "warm_primary",
    };
    let rows = task.size.rows(table.shape()).to_string();
    for leaf in leaves {
        for statement in [primary, "warm_customer"] {
            let sql = STATISTICS.fill(statement, &[("relation", leaf.as_str()), ("rows", &rows)])?;
            // The settings end with the transaction.
            let settings = settings.replace("SET ", "SET LOCAL ");
            link.batch(WARM, &format!("BEGIN; {settings} {sql} COMMIT"))?;
        }
    }
    Ok(())
}

/// The first column's texts.
fn names(link: &mut Link, sql: &str) -> Result<Vec<String>, EngineError> {
    let rows = link.texts("reading the catalogue", sql)?;
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
}

/// The tablespaces that hold what is committed, relative to the data folder.
pub(super) fn tablespaces(link: &mut Link) -> Result<Vec<String>, EngineError> {
    names(link, &COUNTERS.get("tablespaces")?.text)
}

/// What to count.
fn watch(link: &mut Link, recipe: &Recipe, task: &Task) -> Result<Watched, EngineError> {
    // Where writing may lie behind dirtying, the point's figure depends on it.
    let buffercache = match task.test.procedure {
        Procedure::UpdateSecondary => names(link, &COUNTERS.get("buffercache_schema")?.text)?.into_iter().next(),
        _ => None,
    };
    let mut oids = |relation: &str| -> Result<Vec<u32>, EngineError> {
        let oids = names(link, &STATISTICS.fill("leaf_oids", &[("relation", relation)])?)?;
        let unclear =
            |text: &String| EngineError::new(ErrorClass::Other, format!("'{text}' is no number of a relation"));
        oids.iter().map(|oid| oid.parse().map_err(|_| unclear(oid))).collect()
    };
    let procedure = task.test.procedure;
    let builds = matches!(procedure, Procedure::IndexUnique | Procedure::IndexNonUnique);
    let mut watched = Watched {
        workers: task.threads > 1,
        buffercache,
        makes_relations: builds || matches!(procedure, Procedure::BulkLoad | Procedure::WriteFile),
        ..Watched::default()
    };
    let counting = recipe.counting();
    match &counting {
        Counting::IndexScans { index, per_execution } => {
            watched.indexes = oids(index)?;
            watched.index_scans_per_execution = *per_execution;
        }
        Counting::TableScans { table, leaves, .. } => {
            watched.leaves = oids(table.name())?;
            watched.leaves_per_execution = *leaves;
            watched.rows_per_execution = counting.rows_per_execution(&task.size);
            watched.launches_per_execution = if builds { *leaves } else { 1 };
        }
        Counting::Nothing => {}
    }
    Ok(watched)
}

/// What all nodes have counted for the point until now.
pub(super) fn statistics(
    engine: &PostgresEngine,
    earlier: Option<&PointStatistics>,
) -> Result<PointStatistics, EngineError> {
    let point = recover(&engine.point);
    let UnderWay { watched, watches, .. } = point.as_ref().ok_or_else(no_point)?;
    watches.read(earlier, Monitor::seen, |number, monitor, others| {
        let node = &engine.nodes[number];
        engine.on(number, |link| snapshot::read(node, link, watched, monitor, others))
    })
}

/// Files of the tables that the point reads (of all tables between points), and one of the log, for the device that it
/// lies on.
pub(super) fn files(link: &mut Link, data: &Path, tables: Option<Vec<TableName>>) -> Result<Vec<PathBuf>, EngineError> {
    let mut relative = Vec::new();
    match tables.filter(|tables| tables.iter().any(|t| t.shape() == Shape::Large)) {
        Some(tables) => {
            for table in tables {
                relative.extend(names(link, &COUNTERS.fill("files", &[("table", table.name())])?)?);
            }
        }
        None => relative = names(link, &COUNTERS.get("all_files")?.text)?,
    }
    let mut files = Vec::new();
    for file in relative.iter().map(|file| data.join(file)) {
        // Segments of 1 GiB follow under the same name.
        let more = (1..).map(|n| PathBuf::from(format!("{}.{n}", file.display()))).take_while(|file| file.exists());
        files.extend(std::iter::once(file.clone()).chain(more));
    }
    let log = std::fs::read_dir(data.join("pg_wal")).into_iter().flatten().flatten().map(|entry| entry.path());
    // The newest: it waits to be written one day, while the oldest may be the one that is written now.
    files.extend(log.filter(|path| path.is_file()).max());
    Ok(files)
}
