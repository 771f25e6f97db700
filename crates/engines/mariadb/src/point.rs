//! Before and after a point: its procedure, the tables that its jobs fill, a warm cache, what to count and whom to
//! watch.

use super::connection::MariaDbConnection;
use super::procedure;
use super::product::MariaDbProduct;
use crate::DIALECT;
use dbdyno_engine::procedure::ProcedureSpec;
use dbdyno_engine::server::{Connection as _, leftovers};
use dbdyno_engine::{EngineError, PointSpec};
use dbdyno_model::{Drive, Organisation, TableName, TableShape};
use std::path::{Path, PathBuf};

const PREPARING: &str = "preparing the point";
const WARM: &str = "reading the test's tables into the cache";

/// Prepares on a node what the jobs of a point share.
pub(super) fn begin(
    connection: &mut MariaDbConnection,
    procedure: &ProcedureSpec,
    spec: &PointSpec,
    node: usize,
) -> Result<(), EngineError> {
    // What the first node makes comes to others by replication, where they are no servers of their own.
    if node == 0 || !has_all(connection, procedure, spec.drive)? {
        remove_leftovers(connection, spec, node)?;
        make(connection, procedure, spec.drive)?;
    }
    spec.warm_tables().into_iter().try_for_each(|table| warm(connection, table))
}

/// Makes the procedure, which a client does without, and what its jobs share.
fn make(connection: &mut MariaDbConnection, procedure: &ProcedureSpec, drive: Drive) -> Result<(), EngineError> {
    leftovers::note::<MariaDbProduct>(connection, procedure, "the database")?;
    let created = if drive == Drive::Server { procedure.creates()? } else { Vec::new() };
    let statements = created.into_iter().chain(procedure::shared(procedure)?);
    statements.into_iter().try_for_each(|sql| connection.batch("making what the test needs", &sql))
}

/// Whether all of that is there.
fn has_all(connection: &mut MariaDbConnection, procedure: &ProcedureSpec, drive: Drive) -> Result<bool, EngineError> {
    if drive == Drive::Client {
        return Ok(procedure::shared(procedure)?.is_empty() || leftovers::has_made(connection, &DIALECT, procedure)?);
    }
    let sql = DIALECT.fill("statistics/has_procedure", &[("procedure", &procedure.name)])?;
    Ok(!connection.texts(PREPARING, &sql)?.is_empty())
}

/// Reads a table and its keys into the buffer pool.
fn warm(connection: &mut MariaDbConnection, table: TableName) -> Result<(), EngineError> {
    // Where the rows lie in their primary key, reading them is reading that.
    let apart =
        matches!(table.organisation(), Organisation::Heap | Organisation::HeapList | Organisation::HeapRangeList);
    let statements = ["warm_rows", "warm_customer"].into_iter().chain(apart.then_some("warm_primary"));
    statements.into_iter().try_for_each(|name| {
        connection.batch(WARM, &DIALECT.fill(&format!("statistics/{name}"), &[("table", table.name())])?)
    })
}

/// Drops what a point has made on a node, or an earlier one that did not come to its end.
pub(super) fn remove_leftovers(
    connection: &mut MariaDbConnection,
    spec: &PointSpec,
    node: usize,
) -> Result<(), EngineError> {
    let doing = format!("removing what {} has made", spec.test.code);
    remove_made(connection, &doing, node)?;
    // A test that MariaDB does not have has made no procedure.
    let Ok(procedure) = procedure::of(&spec.test) else { return Ok(()) };
    procedure.drops()?.iter().try_for_each(|sql| connection.batch(&doing, sql))
}

/// Drops what points have noted that they make, whichever point it was. A replica gets from the first node that it is
/// forgotten, and could not go on if it had forgotten by itself.
pub(super) fn remove_made(connection: &mut MariaDbConnection, doing: &str, node: usize) -> Result<(), EngineError> {
    leftovers::remove_made(connection, &DIALECT, ("the database", doing), node == 0)
}

/// Files of the tables that the point reads (of all tables between points), and the log, for the device that it lies
/// on.
pub(super) fn files(data: &Path, database: &str, tables: Option<Vec<TableName>>) -> Vec<PathBuf> {
    let large = tables.filter(|tables| tables.iter().any(|table| table.shape() == TableShape::Large));
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
