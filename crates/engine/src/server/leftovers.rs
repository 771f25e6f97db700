//! What points make beside their procedures. It is noted before it is made, and dropped by these notes, also where a
//! point did not come to its end.

use super::{Connection, ProductTables, contents};
use crate::bookkeeping::{self, Made, Meta};
use crate::procedure::ProcedureSpec;
use crate::{Dialect, EngineError, form};
use dbdyno_model::TableName;

const LOOKING: &str = "reading the catalogue";

/// The first column's texts of the rows that a statement answers with.
///
/// # Errors
/// The server's.
pub fn names(connection: &mut dyn Connection, doing: &str, sql: &str) -> Result<Vec<String>, EngineError> {
    let rows = connection.texts(doing, sql)?;
    Ok(rows.into_iter().filter_map(|row| row.into_iter().next().flatten()).collect())
}

/// Things whose names are such as points give, by kind and name, in the order in which they can be dropped.
fn there(connection: &mut dyn Connection, dialect: &Dialect) -> Result<Vec<(String, String)>, EngineError> {
    let pair = |row: Vec<Option<String>>| match <[Option<String>; 2]>::try_from(row) {
        Ok([Some(kind), Some(name)]) => Some((kind, name)),
        _ => None,
    };
    let rows = connection.texts(LOOKING, &dialect.get("statistics/there")?.text)?;
    Ok(rows.into_iter().filter_map(pair).collect())
}

/// Whether something that a point makes is there.
///
/// # Errors
/// The server's.
pub fn has_made(
    connection: &mut dyn Connection,
    dialect: &Dialect,
    procedure: &ProcedureSpec,
) -> Result<bool, EngineError> {
    Ok(bookkeeping::ours(&procedure.makes()?, &there(connection, dialect)?).next().is_some())
}

/// Notes what a point is going to make, of which nothing may be there. `place` is where it would be.
///
/// # Errors
/// Somebody else has a thing of such a name; the server's.
pub fn note<P: ProductTables>(
    connection: &mut P::Connection,
    procedure: &ProcedureSpec,
    place: &str,
) -> Result<(), EngineError> {
    let wanted = procedure.makes()?;
    if !wanted.is_empty() {
        bookkeeping::refuse_taken(&wanted, &there(connection, P::dialect())?, place)?;
    }
    wanted.iter().try_for_each(|made| contents::set::<P>(connection, [(made.entry().as_str(), "1")]))
}

/// Drops what points have noted that they make, whichever point it was, and forgets it where `forgets` says so.
///
/// # Errors
/// A table of such a name is not one that dbdyno makes; the server's.
pub fn remove_made(
    connection: &mut dyn Connection,
    dialect: &Dialect,
    (place, doing): (&str, &str),
    forgets: bool,
) -> Result<(), EngineError> {
    let noted = names(connection, LOOKING, &dialect.get("statistics/noted")?.text)?;
    let made: Vec<Made> = noted.iter().filter_map(|entry| bookkeeping::noted(entry)).collect();
    if made.is_empty() {
        return Ok(());
    }
    let there = there(connection, dialect)?;
    let tables = bookkeeping::ours(&made, &there).filter(|(kind, _)| kind == "table").map(|(_, name)| name.as_str());
    let columns = connection.texts("looking at what is to be dropped", &dialect.get("inspect/columns")?.text)?;
    form::refuse_others(tables, &form::read(columns), &Meta::default(), place)?;
    // Each in a transaction of its own: one for all would need more locks than some servers have.
    for (kind, name) in bookkeeping::ours(&made, &there) {
        // Tests build indexes on the large table alone.
        let named = [("name", name.as_str()), ("table", TableName::LargeHeapRangeList.name())];
        connection.batch(doing, &dialect.fill(&format!("tables/drop_{kind}"), &named)?)?;
    }
    if forgets { connection.batch(doing, &dialect.get("statistics/forget_made")?.text) } else { Ok(()) }
}
