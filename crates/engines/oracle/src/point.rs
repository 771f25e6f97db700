//! Before and after a point: its package, the tables that its jobs fill, a warm cache, what to count and whom to watch.

use super::awr;
use super::connection::OracleConnection;
use super::layout;
use super::procedure::{self, Counting, PACKAGE};
use super::product::{OracleEngine, OracleProduct};
use super::statistics::{Base, Watched, told};
use crate::DIALECT;
use dbdyno_engine::bookkeeping::{self, Made};
use dbdyno_engine::procedure::ProcedureSpec;
use dbdyno_engine::server::{Connection as _, contents, first, leftovers};
use dbdyno_engine::{EngineError, PointSpec};
use dbdyno_model::{Cache, Drive, ErrorClass, ProcedureShape, StorageTier};
use std::time::Instant;

const WARM: &str = "reading the test's tables into the cache";
const MAKING: &str = "making the test's package";

/// A point between its beginning and its end.
pub(super) struct UnderWay {
    pub(super) watched: Watched,
    /// When it was prepared.
    pub(super) began: Instant,
    /// One a node; set by the first reading.
    pub(super) bases: Vec<Option<Base>>,
}

impl UnderWay {
    /// A point that begins, on so many nodes. An AWR snapshot begins and ends each, for whoever has the pack and says
    /// so.
    pub(super) fn begin(engine: &OracleEngine, watched: Watched, nodes: u32) -> Result<Self, EngineError> {
        let bases = engine.nodes.iter().map(|_| None).collect();
        awr::begin(engine, nodes)?;
        Ok(Self { watched, began: Instant::now(), bases })
    }
}

/// What the counters of a test's point are about.
pub(super) fn watched_of(procedure: &ProcedureSpec, spec: &PointSpec) -> Watched {
    let rows = spec.test.rows_per_op(&spec.size, spec.rows_per_tx);
    let watched = watched(procedure::counting(procedure), spec.threads, rows);
    Watched { room_rows: procedure::room_rows(procedure, spec), ..watched }
}

/// What a point's counters are about. `rows` are those that one execution of the statement under test must touch.
pub(super) fn watched(counting: Counting, threads: u32, rows: Option<u64>) -> Watched {
    let (changes, scans, builds, marked) = match counting {
        Counting::Cursor { changes, scans } => (changes, scans, false, true),
        Counting::Builds => (false, false, true, true),
        Counting::Nothing => (false, false, false, false),
    };
    Watched { threads, changes, scans, builds, marked, rows: rows.filter(|_| scans), room_rows: None }
}

/// Begins to count on a node, and does what else there is to do.
pub(super) fn begin_on(
    engine: &OracleEngine,
    node: usize,
    work: impl FnOnce(&mut OracleConnection) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let account = &engine.nodes[node].account;
    account.begin();
    engine.on(node, |connection| {
        account.counted_in(connection.instance());
        work(connection)
    })
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
    let rows =
        told(connection.texts("looking for the test's tier", &DIALECT.get(&format!("statistics/{statement}"))?.text))?;
    let message = match rows.map(first) {
        Ok(Some(n)) if n.parse().is_ok_and(|n: u64| n > 0) => return Ok(()),
        Ok(_) => format!("{}: {lacks}", spec.test.code),
        Err(why) => format!("{}: whether the server has the test's tier is not known: {why}", spec.test.code),
    };
    Err(EngineError::new(ErrorClass::Unsupported, message))
}

/// Forgets what is in the buffer cache of a node, before tests that are to read from storage: of each node, because a
/// block that another node has comes from there. Who may not finds there what earlier points have left, which the judge
/// sees.
pub(super) fn empty_cache(connection: &mut OracleConnection, spec: &PointSpec) -> Result<(), EngineError> {
    if spec.test.cache != Cache::NonCached {
        return Ok(());
    }
    match connection.batch("emptying the buffer cache", &DIALECT.get("statistics/empty_cache")?.text) {
        Err(error) if error.class == ErrorClass::Permission => Ok(()),
        done => done,
    }
}

/// Notes the tablespaces that a point is going to make, each by its name: a user does not see those in which it owns
/// nothing, so nothing else tells after a crash that they are there.
///
/// # Errors
/// `Unsupported`: whether somebody else has a tablespace of such a name cannot be seen. Somebody has; the server's.
fn note_tablespaces(
    connection: &mut OracleConnection,
    procedure: &ProcedureSpec,
    spec: &PointSpec,
) -> Result<(), EngineError> {
    let code = &spec.test.code;
    let asked = connection.texts("looking at tablespaces", &DIALECT.get("statistics/tablespaces")?.text);
    let there = told(asked)?.map_err(|why| {
        let text = format!(
            "{code}: whether a tablespace is there under such a name as it gives is not known, and it would drop it: {why}; \
             GRANT SELECT ON sys.dba_tablespaces"
        );
        EngineError::new(ErrorClass::Unsupported, text)
    })?;
    let there: Vec<_> = there.into_iter().flatten().flatten().map(|name| ("tablespace".to_owned(), name)).collect();
    bookkeeping::refuse_taken(&procedure.makes()?, &there, "the database")?;
    for (kind, name) in procedure.made_by_all(spec.jobs_in_all(), 1)? {
        contents::set::<OracleProduct>(connection, [(Made::new(&kind, name).entry().as_str(), "1")])?;
    }
    Ok(())
}

/// Makes the package and what its jobs share.
pub(super) fn make(
    connection: &mut OracleConnection,
    procedure: &ProcedureSpec,
    spec: &PointSpec,
) -> Result<(), EngineError> {
    refuse_absent_tier(connection, spec)?;
    remove_leftovers(connection, spec)?;
    leftovers::note::<OracleProduct>(connection, procedure, "the schema")?;
    if spec.test.procedure.shape == ProcedureShape::File {
        note_tablespaces(connection, procedure, spec)?;
    }
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

/// Reads the tables of a point that are to be there, and their keys, into the buffer cache.
pub(super) fn warm(connection: &mut OracleConnection, spec: &PointSpec) -> Result<(), EngineError> {
    for table in spec.warm_tables() {
        for name in ["warm_primary", "warm_customer"] {
            let sql = DIALECT.fill(&format!("statistics/{name}"), &[("table", table.name())])?;
            connection.texts(WARM, &sql)?;
        }
    }
    Ok(())
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

/// Drops everything that points have noted that they make, whichever point it was.
///
/// # Errors
/// The server's.
pub(super) fn remove_made(connection: &mut OracleConnection, doing: &str) -> Result<(), EngineError> {
    connection.batch(doing, &procedure::drop_package()?)?;
    leftovers::remove_made(connection, &DIALECT, ("the schema", doing), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_counted_follows_the_recipe() {
        let of = |counting| watched(counting, 4, Some(7));
        let inserts = of(Counting::Cursor { changes: true, scans: false });
        assert!(inserts.changes && inserts.marked && !inserts.scans && !inserts.builds && inserts.rows.is_none());
        assert_eq!(of(Counting::Cursor { changes: false, scans: true }).rows, Some(7));
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
