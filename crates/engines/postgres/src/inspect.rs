//! Looking at a table again that was loaded some time ago: by the server's catalogue, and by rows that are asked for
//! one by one.

use super::SCHEMA;
use super::connection::PostgresConnection;
use super::procedure::layout;
use crate::DIALECT;
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::data::{Found, Row, Sample};
use dbdyno_engine::form;
use dbdyno_engine::inspect::{Fact, KIND, compare, rows};
use dbdyno_engine::server::{Connection as _, leaf_name, month_name};
use dbdyno_engine::{EngineError, Inspection};
use dbdyno_model::{ErrorClass, Organisation, Size, TableName};

const COLUMNS: [&str; 9] = [
    "id bigint not null",
    "customer_id bigint not null",
    "ref_id bigint not null",
    "region integer not null",
    "booked_on date not null",
    "quantity integer not null",
    "amount numeric(12,2) not null",
    "status character(1) not null",
    "filler character varying(256) not null",
];
/// Options of what rows lie in.
const LEAF_OPTIONS: &str = "autovacuum_enabled=off, fillfactor=90, parallel_workers=1024";

/// Looks at a table.
///
/// # Errors
/// The server is lost, or does not tell.
pub(super) fn inspect(
    connection: &mut PostgresConnection,
    table: TableName,
    sample: &mut Sample,
) -> Result<Inspection, EngineError> {
    let sql = DIALECT.fill("inspect/facts", &[("table", table.name())])?;
    let found = Fact::read(connection.texts(&format!("looking at {table}"), &sql)?);
    let mut differences = compare(&expected(table), &found);
    // Of another thing rows would be asked in vain.
    if differences.is_empty() {
        differences.extend(rows(table.name(), look(connection, table, sample)?));
    }
    Ok(Inspection { differences, unseen: Vec::new() })
}

/// Refuses to drop a table that dbdyno did not make so.
///
/// # Errors
/// There is one, or the server does not tell.
pub(super) fn refuse_others<'t>(
    connection: &mut PostgresConnection,
    tables: impl IntoIterator<Item = &'t str>,
    kept: &Meta,
) -> Result<(), EngineError> {
    let columns = connection.texts("looking at what is to be dropped", &DIALECT.get("inspect/columns")?.text)?;
    form::refuse_others(tables, &form::read(columns), kept, &format!("the schema {SCHEMA}"))
}

/// Refuses to drop what lies elsewhere and needs something of ours.
///
/// # Errors
/// There is such a thing, or the server does not tell.
pub(super) fn refuse_needed(connection: &mut PostgresConnection) -> Result<(), EngineError> {
    let dependents = connection.texts("looking for what needs the tables", &DIALECT.get("inspect/dependents")?.text)?;
    form::refuse_needed(dependents, &format!("the schema {SCHEMA}"))
}

/// What the catalogue must say.
fn expected(table: TableName) -> Vec<Fact> {
    let (name, organisation) = (table.name(), table.organisation());
    let parents = layout::parents(name, organisation);
    let mut facts = Vec::new();
    for relation in layout::relations(table) {
        let is_parent = parents.contains(&relation);
        let mut fact = |kind: &str, text: &str| facts.push(Fact::new(&relation, kind, text));
        fact(KIND, if is_parent { "partitioned table" } else { "table" });
        fact("persistence", "logged");
        fact("options", if is_parent { "none" } else { LEAF_OPTIONS });
        if !is_parent {
            fact("access method", "the default");
        }
        fact("replica identity", "the default");
        COLUMNS.iter().for_each(|column| fact("column", column));
        fact("index", &format!("{relation}_pk {}", primary(organisation)));
        fact("index", &format!("{relation}_customer btree (customer_id)"));
    }
    for (relation, parent, bound) in places(name, organisation) {
        facts.push(Fact::new(&relation, "place", format!("{parent} FOR VALUES {bound}")));
    }
    facts
}

/// The index of the primary key, as tables.sql makes it.
fn primary(organisation: Organisation) -> &'static str {
    match organisation {
        Organisation::Heap => "btree unique (id)",
        Organisation::Iot => "btree unique (id) include (quantity)",
        Organisation::Hash => "hash (id)",
        Organisation::HeapList => "btree unique (id, region)",
        Organisation::IotList => "btree unique (id, region) include (quantity)",
        Organisation::HeapRangeList => "btree unique (id, booked_on, region)",
    }
}

/// Each partition with its parent and its bound.
fn places(table: &str, organisation: Organisation) -> Vec<(String, String, String)> {
    let list = |parent: &str, regions: u64| -> Vec<(String, String, String)> {
        (1..=regions).map(|n| (leaf_name(parent, n), parent.to_owned(), format!("IN ({n})"))).collect()
    };
    match organisation {
        Organisation::Heap | Organisation::Iot | Organisation::Hash => Vec::new(),
        Organisation::HeapList | Organisation::IotList => {
            list(table, dbdyno_engine::data::regions(dbdyno_model::Shape::Small))
        }
        Organisation::HeapRangeList => (0..Size::RANGES)
            .flat_map(|range| {
                let first = |range: u64| dbdyno_engine::data::iso_day(dbdyno_engine::data::first_day(range));
                let month = month_name(table, range);
                let bound = format!("FROM ('{}') TO ('{}')", first(range), first(range + 1));
                let mut all = list(&month, dbdyno_engine::data::regions(dbdyno_model::Shape::Large));
                all.push((month, table.to_owned(), bound));
                all
            })
            .collect(),
    }
}

/// Reads the rows of a sample.
fn look(
    connection: &mut PostgresConnection,
    table: TableName,
    sample: &mut Sample,
) -> Result<Vec<String>, EngineError> {
    let doing = format!("reading rows of {table}");
    let sql = DIALECT.fill("inspect/row", &[("table", table.name())])?;
    let statement = connection.control(&doing).prepare(&sql);
    let statement = statement.map_err(|error| connection.error(&doing, &error))?;
    connection.count_transactions(1);
    sample.look(|made| {
        if connection.cancelled() {
            return Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped")));
        }
        let whole = |number: i64| i32::try_from(number).unwrap_or(i32::MAX);
        let (day, region) = (whole(made.booked_on_days), whole(made.region));
        let read = connection.control(&doing).query(&statement, &[&made.id, &day, &region]);
        let read = read.map_err(|error| connection.error(&doing, &error))?;
        connection.count_transactions(1);
        Ok(read.iter().fold(Found::Missing, |found, row| found.and(made, row_of(row).as_ref())))
    })
}

/// A row, as far as no test changes it.
fn row_of(row: &postgres::Row) -> Option<Row<'_>> {
    let whole = |at: usize| row.try_get::<_, i32>(at).ok().map(i64::from);
    Some(Row {
        id: row.try_get(0).ok()?,
        customer_id: row.try_get(1).ok()?,
        ref_id: row.try_get(2).ok()?,
        region: whole(3)?,
        booked_on_days: whole(4)?,
        quantity: whole(5)?,
        amount_cents: 0,
        status: "",
        filler: row.try_get(6).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TABLE_NAMES;

    #[test]
    fn what_must_be_is_what_the_statements_of_tables_sql_make() {
        for table in TABLE_NAMES {
            let organisation = table.organisation();
            let statements = layout::create_indexed(table.name(), organisation).unwrap().join("\n");
            for fact in expected(table) {
                match fact.kind.as_str() {
                    "index" => assert!(statements.contains(fact.text.split(' ').next().unwrap()), "{fact:?}"),
                    "column" => assert!(statements.contains(fact.text.split(' ').next().unwrap()), "{fact:?}"),
                    KIND => assert!(statements.contains(&format!("CREATE TABLE dbdyno.{}", fact.of)), "{fact:?}"),
                    _ => {}
                }
            }
            let relations = layout::relations(table).len();
            assert_eq!(expected(table).iter().filter(|fact| fact.kind == KIND).count(), relations);
            assert_eq!(places(table.name(), organisation).len(), relations - 1, "{table}");
        }
        assert!(DIALECT.get("tables/create_plain").unwrap().text.contains("autovacuum_enabled = off"));
    }
}
