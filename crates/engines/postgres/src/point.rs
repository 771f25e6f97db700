//! Before and after a point: its procedure, the tables that its jobs fill, a warm cache, what to count and whom to
//! watch.

use super::connection::PostgresConnection;
use super::load::place;
use super::procedure::Counting;
use super::snapshot::Watched;
use super::{PostgresEngine, PostgresProduct, paced, procedure};
use crate::DIALECT;
use dbdyno_engine::procedure::ProcedureSpec;
use dbdyno_engine::server::{Connection as _, first, leftovers};
use dbdyno_engine::{EngineError, PointSpec};
use dbdyno_model::{Drive, ErrorClass, Organisation, ProcedureShape, TableName, TableShape};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const PREPARING: &str = "preparing the point";
const WARM: &str = "reading the test's tables into the cache";
/// How long a standby may take to come to where the first node is.
const REPLAY_PATIENCE: Duration = Duration::from_secs(30);

/// Takes back what an earlier point has set on a private server.
pub(super) fn restore(engine: &PostgresEngine, connection: &mut PostgresConnection) -> Result<(), EngineError> {
    engine.private.as_ref().map_or(Ok(()), |server| paced::restore(connection, server))
}

/// Keeps other processes of dbdyno's from measuring, loading or dropping here. Says whether nobody else is at it.
pub(super) fn lock(connection: &mut PostgresConnection) -> Result<bool, EngineError> {
    Ok(text(connection, &DIALECT.get("counters/lock")?.text)?.as_deref() == Some("t"))
}

/// Lets others in again.
pub(super) fn unlock(connection: &mut PostgresConnection) -> Result<(), EngineError> {
    connection.batch("letting others in", &DIALECT.get("counters/unlock")?.text)
}

/// Makes what the jobs share, and the procedure where there is one to be called.
pub(super) fn make(
    connection: &mut PostgresConnection,
    procedure: &ProcedureSpec,
    spec: &PointSpec,
) -> Result<(), EngineError> {
    remove_leftovers(connection, spec)?;
    leftovers::note::<PostgresProduct>(connection, procedure, &place())?;
    let created = if spec.drive == Drive::Server { procedure.creates()? } else { Vec::new() };
    let statements = created.into_iter().chain(procedure::shared(procedure)?);
    statements.into_iter().try_for_each(|sql| connection.batch("making the test's procedure", &sql))
}

/// The position of the log; none on a standby.
pub(super) fn position(connection: &mut PostgresConnection) -> Result<Option<String>, EngineError> {
    text(connection, &DIALECT.get("counters/position")?.text)
}

/// Waits until a standby has come to a position of the log; says whether it is one, or takes writes of its own.
pub(super) fn replayed(connection: &mut PostgresConnection, position: &str) -> Result<bool, EngineError> {
    let sql = DIALECT.get("counters/replayed")?.text.replace("{position}", &position.replace('\'', ""));
    let began = Instant::now();
    loop {
        match text(connection, &sql)?.as_deref() {
            None => return Ok(false),
            Some("t") => return Ok(true),
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
fn text(connection: &mut PostgresConnection, sql: &str) -> Result<Option<String>, EngineError> {
    Ok(first(connection.texts(PREPARING, sql)?))
}

/// Drops what a point has made, or an earlier one that did not come to its end.
pub(super) fn remove_leftovers(connection: &mut PostgresConnection, spec: &PointSpec) -> Result<(), EngineError> {
    let doing = format!("removing what {} has made", spec.test.code);
    remove_made(connection, &doing)?;
    // A test that PostgreSQL does not have has made no procedure.
    let Ok(procedure) = procedure::of(&spec.test) else { return Ok(()) };
    procedure.drops()?.iter().try_for_each(|sql| connection.batch(&doing, sql))
}

/// Drops what points have noted that they make, whichever point it was.
pub(super) fn remove_made(connection: &mut PostgresConnection, doing: &str) -> Result<(), EngineError> {
    leftovers::remove_made(connection, &DIALECT, (&place(), doing), true)
}

/// Reads the tables of a point that are to be there, and their indexes, into shared buffers.
pub(super) fn warm(connection: &mut PostgresConnection, spec: &PointSpec) -> Result<(), EngineError> {
    // The settings end with the transaction.
    let settings = DIALECT.get("statistics/warm_settings")?.text.replace("SET ", "SET LOCAL ");
    for table in spec.warm_tables() {
        let leaves = names(connection, &DIALECT.fill("statistics/leaves", &[("table", table.name())])?)?;
        let primary = if table.organisation() == Organisation::Hash { "warm_hash" } else { "warm_primary" };
        let rows = spec.size.rows(table.shape()).to_string();
        for leaf in leaves {
            for statement in [primary, "warm_customer"] {
                let values = [("relation", leaf.as_str()), ("rows", &rows)];
                let sql = DIALECT.fill(&format!("statistics/{statement}"), &values)?;
                connection.batch(WARM, &format!("BEGIN; {settings} {sql} COMMIT"))?;
            }
        }
    }
    Ok(())
}

/// The first column's texts.
fn names(connection: &mut PostgresConnection, sql: &str) -> Result<Vec<String>, EngineError> {
    leftovers::names(connection, "reading the catalogue", sql)
}

/// The tablespaces that hold what is committed, relative to the data folder.
pub(super) fn tablespaces(connection: &mut PostgresConnection) -> Result<Vec<String>, EngineError> {
    names(connection, &DIALECT.get("counters/tablespaces")?.text)
}

/// What to count.
pub(super) fn watch(
    connection: &mut PostgresConnection,
    procedure: &ProcedureSpec,
    spec: &PointSpec,
) -> Result<Watched, EngineError> {
    // Where writing may lie behind dirtying, the point's figure depends on it.
    let mut buffercache = None;
    if spec.test.procedure.scatters_writes() {
        buffercache = names(connection, &DIALECT.get("counters/buffercache_schema")?.text)?.into_iter().next();
    }
    let mut oids = |relation: &str| -> Result<Vec<u32>, EngineError> {
        let oids = names(connection, &DIALECT.fill("statistics/leaf_oids", &[("relation", relation)])?)?;
        let unclear =
            |text: &String| EngineError::new(ErrorClass::Other, format!("'{text}' is no number of a relation"));
        oids.iter().map(|oid| oid.parse().map_err(|_| unclear(oid))).collect()
    };
    let shape = spec.test.procedure.shape;
    let builds = shape == ProcedureShape::Index;
    let mut watched = Watched {
        workers: spec.threads > 1,
        buffercache,
        makes_relations: builds || matches!(shape, ProcedureShape::Load | ProcedureShape::File),
        ..Watched::default()
    };
    let counting = procedure::counting(procedure);
    match &counting {
        Counting::IndexScans { index, per_execution } => {
            watched.indexes = oids(index)?;
            watched.index_scans_per_execution = *per_execution;
        }
        Counting::TableScans { table, leaves, .. } => {
            watched.leaves = oids(table.name())?;
            watched.leaves_per_execution = *leaves;
            watched.rows_per_execution = counting.rows_per_execution(&spec.size);
            watched.launches_per_execution = if builds { *leaves } else { 1 };
        }
        Counting::Nothing => {}
    }
    Ok(watched)
}

/// Files of the tables that the point reads (of all tables between points), and one of the log, for the device that it
/// lies on.
pub(super) fn files(
    connection: &mut PostgresConnection,
    data: &Path,
    tables: Option<Vec<TableName>>,
) -> Result<Vec<PathBuf>, EngineError> {
    let mut relative = Vec::new();
    match tables.filter(|tables| tables.iter().any(|t| t.shape() == TableShape::Large)) {
        Some(tables) => {
            for table in tables {
                relative.extend(names(connection, &DIALECT.fill("counters/files", &[("table", table.name())])?)?);
            }
        }
        None => relative = names(connection, &DIALECT.get("counters/all_files")?.text)?,
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
