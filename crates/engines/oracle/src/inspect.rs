//! Looking at a table again that was loaded some time ago: by the dictionary, and by rows that are asked for one by
//! one.

use super::connection::{Bind, OracleConnection};
use super::layout;
use super::load::decode;
use crate::DIALECT;
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::data::{Found, Sample};
use dbdyno_engine::form;
use dbdyno_engine::inspect::{Fact, KIND, compare, rows};
use dbdyno_engine::server::Connection as _;
use dbdyno_engine::{EngineError, Inspection};
use dbdyno_model::{Compression, Organisation, Size, TableName};

const COLUMNS: [&str; 9] = [
    "id number(19,0) not null",
    "customer_id number(19,0) not null",
    "ref_id number(19,0) not null",
    "region number(3,0) not null",
    "booked_on date not null",
    "quantity number(3,0) not null",
    "amount number(12,2) not null",
    "status char(1) not null",
    "filler varchar2(256) not null",
];

/// Looks at a table.
///
/// # Errors
/// The server is lost, or does not tell.
pub(super) fn inspect(
    connection: &mut OracleConnection,
    table: TableName,
    sample: &mut Sample,
) -> Result<Inspection, EngineError> {
    let sql = DIALECT.fill("inspect/facts", &[("table", table.name())])?;
    let found = Fact::read(connection.texts(&format!("looking at {table}"), &sql)?);
    let mut inspection = Inspection { differences: compare(&expected(table), &found), unseen: Vec::new() };
    if layout::compression(table) != Compression::None {
        let why = format!("{table} has no key by which rows could be looked at; its scans add up all of them");
        inspection.unseen.push(why);
    } else if inspection.differences.is_empty() {
        inspection.differences.extend(rows(table.name(), look(connection, table, sample)?));
    }
    Ok(inspection)
}

/// Refuses to drop a table that dbdyno did not make so.
///
/// # Errors
/// There is one, or the server does not tell.
pub(super) fn refuse_others<'t>(
    connection: &mut OracleConnection,
    tables: impl IntoIterator<Item = &'t str>,
    kept: &Meta,
) -> Result<(), EngineError> {
    let columns = connection.texts("looking at what is to be dropped", &DIALECT.get("inspect/columns")?.text)?;
    form::refuse_others(tables, &form::read(columns), kept, "the schema")
}

/// Refuses to drop what lies elsewhere and needs something of ours.
///
/// # Errors
/// There is such a thing, or the server does not tell.
pub(super) fn refuse_needed(connection: &mut OracleConnection) -> Result<(), EngineError> {
    let dependents = connection.texts("looking for what needs the tables", &DIALECT.get("inspect/dependents")?.text)?;
    form::refuse_needed(dependents, "the schema")
}

/// What the dictionary must say.
fn expected(table: TableName) -> Vec<Fact> {
    let (name, organisation) = (table.name(), table.organisation());
    let mut facts = Vec::new();
    let mut fact = |kind: &str, text: &str| facts.push(Fact::new(name, kind, text));
    fact(KIND, "table");
    fact("persistence", "logged");
    COLUMNS.iter().for_each(|column| fact("column", column));
    // What is compressed is only ever scanned.
    if layout::compression(table) == Compression::None {
        let key = if organisation == Organisation::IotList { "id, region" } else { "id" };
        fact("index", &format!("{name}_pk unique ({key})"));
        fact("index", &format!("{name}_customer nonunique (customer_id)"));
    }
    match organisation {
        Organisation::Heap | Organisation::Iot | Organisation::Hash => {}
        Organisation::HeapList | Organisation::IotList => {
            fact("parts", &layout::partitions(organisation).len().to_string());
        }
        Organisation::HeapRangeList => fact("parts", &Size::RANGES.to_string()),
    }
    facts
}

/// Reads the rows of a sample.
fn look(connection: &mut OracleConnection, table: TableName, sample: &mut Sample) -> Result<Vec<String>, EngineError> {
    let doing = format!("reading rows of {table}");
    let sql = DIALECT.fill("inspect/row", &[("table", table.name())])?;
    sample.look(|made| {
        let binds = [Bind::Int(made.id), Bind::day(made.booked_on_days), Bind::Int(made.region)];
        let mut found = Found::Missing;
        connection.each_row(&doing, &sql, &binds, 2, |row| {
            // A value of another kind is no row of ours.
            found = found.and(made, decode(row).ok().as_ref());
            Ok(())
        })?;
        Ok(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_be_is_what_the_statements_of_tables_sql_make() {
        let size = dbdyno_testkit::conformance::catalogue::size_t();
        for table in TableName::ALL {
            let all = expected(table);
            let count = |kind: &str| all.iter().filter(|fact| fact.kind == kind).count();
            assert_eq!((count(KIND), count("column")), (1, 9), "{table}");
            let sql = layout::tables(table, &size).unwrap().join("\n") + &layout::indexes(table, 1).unwrap().join("\n");
            for fact in all.iter().filter(|fact| fact.kind == "index") {
                let (called, _) = fact.text.split_once(' ').unwrap();
                assert!(sql.contains(called), "{fact:?}");
            }
            assert_eq!(count("index"), sql.matches("_customer ON").count() + sql.matches("PRIMARY KEY (").count());
        }
    }
}
