//! Before and after a point: its package, the tables that its jobs fill, a warm cache, what to count and whom to watch.

use super::connection::OracleConnection;
use super::procedure::{self, Counting, PACKAGE};
use super::statistics::{Base, Watched};
use super::{OracleEngine, OracleProduct, layout, monitor, snapshot};
use crate::DIALECT;
use dbdyno_engine::procedure::ProcedureSpec;
use dbdyno_engine::server::{Connection as _, Watches, contents, first, leftovers};
use dbdyno_engine::{EngineError, PointSpec, PointStatistics, ProgramSpec, Sampling};
use dbdyno_model::{Cache, Drive, ErrorClass, ProcedureShape, StorageTier, TableName};
use std::sync::Arc;
use std::time::Instant;

const WARM: &str = "reading the test's tables into the cache";
const MAKING: &str = "making the test's package";

/// A point between its beginning and its end.
pub(super) struct UnderWay {
    watched: Watched,
    /// When it was prepared.
    began: Instant,
    /// One a node; set by the first reading.
    bases: Vec<Option<Base>>,
    watches: Watches<OracleConnection>,
}

/// What of a target's wishes stands against a test.
///
/// # Errors
/// `Unsupported`: the target leaves out what the test needs.
pub(super) fn refuse_left_out(engine: &OracleEngine, spec: &PointSpec) -> Result<(), EngineError> {
    let needs = procedure::needs(&spec.test);
    let Some(part) = needs.into_iter().find(|part| engine.product.options.leaves_out(*part)) else { return Ok(()) };
    let message =
        format!("{} needs {}, which the target leaves out (--without {})", spec.test.code, part.words(), part.name());
    Err(EngineError::new(ErrorClass::Unsupported, message))
}

/// A second index on the same columns of a table is none that the server makes (ORA-01408).
///
/// # Errors
/// `Unsupported`: several jobs are to build one each.
pub(super) fn refuse_several_builders(spec: &PointSpec) -> Result<(), EngineError> {
    if spec.test.procedure.shape != ProcedureShape::Index || spec.jobs <= 1 {
        return Ok(());
    }
    let message = format!(
        "{} with {} jobs: a table has one index on the same columns (ORA-01408); its ramp is one of threads: leave --jobs away",
        spec.test.code, spec.jobs
    );
    Err(EngineError::new(ErrorClass::Unsupported, message))
}

/// What a server has not got, whatever its target says.
///
/// # Errors
/// `Unsupported`: it has no such flash cache; the server's.
fn refuse_absent_tier(connection: &mut OracleConnection, spec: &PointSpec) -> Result<(), EngineError> {
    let (statement, lacks) = match spec.test.tier {
        StorageTier::Default => return Ok(()),
        StorageTier::DatabaseFlash => {
            ("flash_cache", "the server has no database flash cache (db_flash_cache_size is 0)")
        }
        StorageTier::CellFlash => ("cells", "the server has no storage cells (v$cell is empty)"),
    };
    let rows = snapshot::told(
        connection.texts("looking for the test's tier", &DIALECT.get(&format!("statistics/{statement}"))?.text),
    )?;
    let message = match rows.map(first) {
        Ok(Some(n)) if n.parse().is_ok_and(|n: u64| n > 0) => return Ok(()),
        Ok(_) => format!("{}: {lacks}", spec.test.code),
        Err(why) => format!("{}: whether the server has the test's tier is not known: {why}", spec.test.code),
    };
    Err(EngineError::new(ErrorClass::Unsupported, message))
}

/// Forgets what is in the buffer cache, before tests that are to read from storage. Who may not finds there what
/// earlier points have left, which the judge sees.
fn empty_cache(connection: &mut OracleConnection, spec: &PointSpec) -> Result<(), EngineError> {
    if spec.test.cache != Cache::NonCached {
        return Ok(());
    }
    match connection.batch("emptying the buffer cache", &DIALECT.get("statistics/empty_cache")?.text) {
        Err(error) if error.class == ErrorClass::Permission => Ok(()),
        done => done,
    }
}

/// Prepares what the jobs of a point share.
pub(super) fn begin(engine: &OracleEngine, spec: &PointSpec) -> Result<UnderWay, EngineError> {
    let procedure = procedure::of(&spec.test)?;
    refuse_left_out(engine, spec)?;
    refuse_several_builders(spec)?;
    engine.with(|connection| {
        refuse_absent_tier(connection, spec)?;
        remove_leftovers(connection, spec)?;
        note(connection, &procedure)?;
        make(connection, &procedure, spec)
    })?;
    for node in 0..engine.working_nodes(spec.nodes) {
        engine.nodes[node].account.begin();
        // All nodes of a cluster have one database, and each a cache of its own.
        engine.on(node, |connection| {
            engine.nodes[node].account.counted_in(connection.instance());
            empty_cache(connection, spec)?;
            spec.warm_tables().into_iter().try_for_each(|table| warm(connection, table))
        })?;
    }
    under_way(engine, (spec.nodes, spec.sampling), watched(procedure::counting(&procedure), spec.threads))
}

/// Prepares a point of a program, which has made its tables itself.
pub(super) fn begin_program(engine: &OracleEngine, spec: &ProgramSpec) -> Result<UnderWay, EngineError> {
    engine.with(|connection| remove_made(connection, &format!("preparing {}", spec.work)))?;
    for node in 0..engine.working_nodes(spec.nodes) {
        engine.nodes[node].account.begin();
        engine.on(node, |connection| {
            engine.nodes[node].account.counted_in(connection.instance());
            Ok(())
        })?;
    }
    under_way(engine, (spec.nodes, spec.sampling), watched(Counting::Nothing, 1))
}

/// A point whose sessions are watched from now on, on so many nodes.
fn under_way(engine: &OracleEngine, at: (u32, Sampling), watched: Watched) -> Result<UnderWay, EngineError> {
    let watches = Watches::begin(at, engine.nodes.len(), |node| {
        monitor::watch(&engine.product.options, node, Arc::clone(&engine.nodes[node].ours))
    });
    let bases = engine.nodes.iter().map(|_| None).collect();
    // An AWR snapshot begins and ends each point, for whoever has the pack and says so.
    snap(engine)?;
    Ok(UnderWay { watched, began: Instant::now(), bases, watches })
}

/// What a point's counters are about.
fn watched(counting: Counting, threads: u32) -> Watched {
    let (changes, scans, builds, marked) = match counting {
        Counting::Cursor { changes, scans } => (changes, scans, false, true),
        Counting::Builds => (false, false, true, true),
        Counting::Nothing => (false, false, false, false),
    };
    Watched { threads, changes, scans, builds, marked }
}

/// An AWR snapshot, where the target claims the Diagnostics Pack.
///
/// # Errors
/// The server is lost.
pub(super) fn snap(engine: &OracleEngine) -> Result<(), EngineError> {
    if !engine.product.options.diagnostics_pack {
        return Ok(());
    }
    let sql = &DIALECT.get("diagnostics/awr_snapshot")?.text;
    let taken = engine.with(|connection| connection.ask("taking an AWR snapshot", sql, 1));
    // Where it is refused the figures are what they are without it.
    snapshot::told(taken.map(|_| Vec::new())).map(drop)
}

/// Makes the package and what its jobs share.
fn make(connection: &mut OracleConnection, procedure: &ProcedureSpec, spec: &PointSpec) -> Result<(), EngineError> {
    for sql in procedure::shared(procedure, spec)? {
        connection.batch("making what the point fills", &sql)?;
    }
    // A client does without the package.
    if spec.drive == Drive::Client {
        return Ok(());
    }
    for setting in procedure::compiler() {
        match connection.batch(MAKING, setting) {
            // Compiled to the server's own code instead of the processor's; describe.rs says which it was.
            Err(error) if matches!(error.class, ErrorClass::Permission | ErrorClass::Unsupported) => {}
            done => done?,
        }
    }
    let object = PACKAGE.to_uppercase();
    let package = procedure::package(std::slice::from_ref(procedure), spec.commit)?;
    package.iter().try_for_each(|sql| connection.compile(MAKING, sql, &object))
}

/// Reads a table and its keys into the buffer cache.
fn warm(connection: &mut OracleConnection, table: TableName) -> Result<(), EngineError> {
    ["warm_primary", "warm_customer"].into_iter().try_for_each(|name| {
        let sql = DIALECT.fill(&format!("statistics/{name}"), &[("table", table.name())])?;
        connection.texts(WARM, &sql).map(drop)
    })
}

/// Drops what a point has made, or an earlier one that did not come to its end.
///
/// # Errors
/// The server's.
pub(super) fn remove_leftovers(connection: &mut OracleConnection, spec: &PointSpec) -> Result<(), EngineError> {
    let doing = format!("removing what {} has made", spec.test.code);
    remove_made(connection, &doing)?;
    // Tables that were brought into another tier.
    layout::tier(spec.test.tier, false)?.iter().try_for_each(|sql| connection.batch(&doing, sql))
}

/// Notes what the point is going to make, of which nothing may be there.
fn note(connection: &mut OracleConnection, procedure: &ProcedureSpec) -> Result<(), EngineError> {
    let entries = leftovers::entries_of(connection, &DIALECT, procedure, "the schema")?;
    if entries.is_empty() {
        return Ok(());
    }
    entries.iter().try_for_each(|entry| contents::set::<OracleProduct>(connection, [(entry.as_str(), "1")]))
}

/// Drops everything that points have noted that they make, whichever point it was.
///
/// # Errors
/// The server's.
pub(super) fn remove_made(connection: &mut OracleConnection, doing: &str) -> Result<(), EngineError> {
    connection.batch(doing, &procedure::drop_package()?)?;
    leftovers::remove_made(connection, &DIALECT, ("the schema", doing), true)
}

/// What all nodes have counted for the point until now.
///
/// # Errors
/// A node is lost, or no point is under way.
pub(super) fn statistics(
    engine: &OracleEngine,
    UnderWay { watched, began, bases, watches }: &mut UnderWay,
    earlier: Option<&PointStatistics>,
) -> Result<PointStatistics, EngineError> {
    watches.read(earlier, |number, _, _| {
        let (node, base) = (&engine.nodes[number], &mut bases[number]);
        let mut told = engine.on(number, |connection| snapshot::read(node, connection, watched, base))?;
        if engine.product.options.diagnostics_pack {
            told.counters.waits.extend(engine.on(number, |connection| snapshot::history(connection, began.elapsed()))?);
        }
        Ok(told)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_follows_the_recipe() {
        let of = |counting| watched(counting, 4);
        let inserts = of(Counting::Cursor { changes: true, scans: false });
        assert!(inserts.changes && inserts.marked && !inserts.scans && !inserts.builds);
        assert!(of(Counting::Builds).builds && of(Counting::Builds).marked);
        assert_eq!(of(Counting::Nothing), Watched { threads: 4, ..Watched::default() });
    }

    #[test]
    fn all_that_points_make_can_be_dropped() {
        for made in ["table", "cluster", "index", "tablespace"] {
            assert!(DIALECT.get(&format!("tables/drop_{made}")).is_ok(), "{made}");
        }
    }
}
