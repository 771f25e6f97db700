//! Looking at a table again that was loaded some time ago: by the server's catalogue, and by rows that are asked for
//! one by one.

use super::{Connection as _, ProductTables, expected};
use crate::client::Values;
use crate::data::{Sample, test_columns};
use crate::inspect::{Fact, compare, rows};
use crate::{EngineError, Inspection};
use dbdyno_model::{ErrorClass, TableName};

/// Columns of a row that its place follows from: id, day, region.
const KEY: [usize; 3] = [0, 4, 3];

/// Looks at a table.
///
/// # Errors
/// The server is lost, or does not tell.
pub(super) fn inspect<P: ProductTables>(
    connection: &mut P::Connection,
    table: TableName,
    sample: &mut Sample,
) -> Result<Inspection, EngineError> {
    let sql = P::dialect().fill("inspect/facts", &[("table", table.name())])?;
    let mut found = Fact::read(connection.texts(&format!("looking at {table}"), &sql)?);
    // Options have no order of their own.
    for (fact, _) in found.iter_mut().filter(|(fact, _)| fact.kind == "options") {
        let mut words: Vec<&str> = fact.text.split_whitespace().collect();
        words.sort_unstable();
        fact.text = words.join(" ");
    }
    let differences = compare(&expected::<P>(table)?, &found);
    let mut inspection = Inspection { differences, unseen: P::unseen(connection)? };
    if table == TableName::LargeCompressed {
        let why = format!("{table} has no key by which rows could be looked at; its scans add up all of them");
        inspection.unseen.push(why);
    } else if inspection.differences.is_empty() {
        // Of another thing rows would be asked in vain.
        inspection.differences.extend(rows(table.name(), look::<P>(connection, table, sample)?));
    }
    Ok(inspection)
}

/// Reads the rows of a sample.
fn look<P: ProductTables>(
    connection: &mut P::Connection,
    table: TableName,
    sample: &mut Sample,
) -> Result<Vec<String>, EngineError> {
    let doing = format!("reading rows of {table}");
    let sql = P::dialect().fill("inspect/row", &[("table", table.name())])?;
    let mut key = Values::new();
    sample.look(|made, each| {
        key.clear();
        for value in KEY.into_iter().filter_map(|at| made.get(at)) {
            key.push(value);
        }
        let read = connection.rows(&doing, &sql, &key, test_columns(), &mut |row| {
            each(row);
            Ok(())
        });
        match read {
            // A value of another kind is no row of ours.
            Err(error) if error.class == ErrorClass::Corruption => {
                each(&Values::new());
                Ok(())
            }
            read => read,
        }
    })
}
