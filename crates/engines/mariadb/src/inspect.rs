//! Looking at a table again that was loaded some time ago: by the server's catalogue, and by rows that are asked for
//! one by one.

use super::check::grants;
use super::connection::MariaDbConnection;
use super::layout::{self, Pages};
use super::load::{decode, encode};
use crate::DIALECT;
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::data::{Found, Sample, first_day, iso_day};
use dbdyno_engine::form;
use dbdyno_engine::inspect::{Fact, KIND, compare, rows};
use dbdyno_engine::server::{Connection as _, first};
use dbdyno_engine::{EngineError, Inspection};
use dbdyno_model::{ErrorClass, Organisation, Size, TableName};
use mysql::Value;
use mysql::prelude::Queryable as _;

/// Looks at a table.
///
/// # Errors
/// The server is lost, or does not tell.
pub(super) fn inspect(
    connection: &mut MariaDbConnection,
    table: TableName,
    sample: &mut Sample,
) -> Result<Inspection, EngineError> {
    let doing = format!("looking at {table}");
    let sql = DIALECT.fill("inspect/facts", &[("table", table.name())])?;
    let mut found = Fact::read(connection.texts(&doing, &sql)?);
    for (fact, _) in found.iter_mut().filter(|(fact, _)| fact.kind == "options") {
        fact.text = options(&fact.text);
    }
    let mut inspection = Inspection { differences: compare(&expected(table), &found), unseen: Vec::new() };
    if first(connection.texts(&doing, &DIALECT.get("inspect/may_see_triggers")?.text)?).as_deref() == Some("0") {
        inspection.unseen.push(grants::why_missing(connection, &["TRIGGER"]));
    }
    if Pages::of(table) != Pages::Dynamic {
        inspection
            .unseen
            .push(format!("{table} has no key by which rows could be looked at; its scans add up all of them"));
    } else if inspection.differences.is_empty() {
        inspection.differences.extend(rows(table.name(), look(connection, table, sample)?));
    }
    Ok(inspection)
}

/// Options of a table in an order of their own; that it has partitions is told by these.
fn options(text: &str) -> String {
    let mut words: Vec<&str> = text.split_whitespace().filter(|word| *word != "partitioned").collect();
    words.sort_unstable();
    words.join(" ")
}

/// Refuses to drop a table that dbdyno did not make so.
///
/// # Errors
/// There is one, or the server does not tell.
pub(super) fn refuse_others<'t>(
    connection: &mut MariaDbConnection,
    tables: impl IntoIterator<Item = &'t str>,
    kept: &Meta,
) -> Result<(), EngineError> {
    let columns = connection.texts("looking at what is to be dropped", &DIALECT.get("inspect/columns")?.text)?;
    form::refuse_others(tables, &form::read(columns), kept, "the database")
}

/// Refuses to drop what lies elsewhere and needs something of ours.
///
/// # Errors
/// There is such a thing, or the server does not tell.
pub(super) fn refuse_needed(connection: &mut MariaDbConnection) -> Result<(), EngineError> {
    let dependents = connection.texts("looking for what needs the tables", &DIALECT.get("inspect/dependents")?.text)?;
    form::refuse_needed(dependents, "the database")
}

/// What the catalogue must say.
fn expected(table: TableName) -> Vec<Fact> {
    let (name, organisation, pages) = (table.name(), table.organisation(), Pages::of(table));
    let mut facts = Vec::new();
    let mut fact = |kind: &str, text: &str| facts.push(Fact::new(name, kind, text));
    fact(KIND, "table");
    let (storage, kept) = match pages {
        Pages::Compressed => ("innodb compressed", "key_block_size=8 row_format=compressed"),
        Pages::PageCompressed => ("innodb dynamic", "page_compressed=1 row_format=dynamic"),
        Pages::Dynamic => ("innodb dynamic", "row_format=dynamic"),
    };
    fact("storage", storage);
    fact("options", &format!("{kept} stats_auto_recalc=0 stats_persistent=1"));
    // As tables.sql has it: what InnoDB shall not keep the rows by may be null.
    let heap = matches!(organisation, Organisation::Heap | Organisation::HeapList | Organisation::HeapRangeList);
    let has_keys = pages == Pages::Dynamic;
    let not_null = |yes: bool| if yes { " not null" } else { "" };
    fact("column", &format!("id bigint(20){}", not_null(!heap)));
    fact("column", "customer_id bigint(20) not null");
    fact("column", &format!("ref_id bigint(20){}", not_null(!has_keys || organisation != Organisation::HeapRangeList)));
    for column in [
        "region int(11) not null",
        "booked_on date not null",
        "quantity int(11) not null",
        "amount decimal(12,2) not null",
        "status char(1) not null ascii_bin",
        "filler varchar(256) not null ascii_bin",
    ] {
        fact("column", column);
    }
    if has_keys {
        let key = match organisation {
            Organisation::Heap | Organisation::Iot | Organisation::Hash => "id",
            Organisation::HeapList | Organisation::IotList => "id, region",
            Organisation::HeapRangeList => "id, booked_on, region",
        };
        let called = if heap { format!("{name}_pk") } else { "PRIMARY".to_owned() };
        fact("index", &format!("{called} unique btree ({key})"));
        fact("index", &format!("{name}_customer btree (customer_id)"));
    }
    for partition in partitions(organisation) {
        fact("partition", &partition);
    }
    facts
}

/// Each partition with what lies in it.
fn partitions(organisation: Organisation) -> Vec<String> {
    let names = layout::partitions(organisation).into_iter();
    match organisation {
        Organisation::Heap | Organisation::Iot => Vec::new(),
        Organisation::Hash => (0..layout::parts(organisation)).map(|n| format!("p{n} key id")).collect(),
        Organisation::HeapList | Organisation::IotList => {
            (1..).zip(names).map(|(region, name)| format!("{name} list region {region}")).collect()
        }
        Organisation::HeapRangeList => {
            let regions = layout::parts(organisation) / Size::RANGES;
            let bound = |n: u64| iso_day(first_day(n / regions + 1));
            (0..)
                .zip(names)
                .map(|(n, name)| format!("{name} range columns booked_on '{}' hash region", bound(n)))
                .collect()
        }
    }
}

/// Reads the rows of a sample.
fn look(connection: &mut MariaDbConnection, table: TableName, sample: &mut Sample) -> Result<Vec<String>, EngineError> {
    let doing = format!("reading rows of {table}");
    let sql = DIALECT.fill("inspect/row", &[("table", table.name())])?;
    let statement = connection.control(&doing).prep(&sql);
    let statement = statement.map_err(|error| connection.error(&doing, &error))?;
    let differences = sample.look(|made| {
        if connection.cancelled() {
            return Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped")));
        }
        let [id, _, _, region, booked_on, ..] = encode(made);
        let read: mysql::Result<Vec<mysql::Row>> =
            connection.control(&doing).exec(&statement, vec![id, booked_on, region] as Vec<Value>);
        let read = read.map_err(|error| connection.error(&doing, &error))?;
        // A value of another kind is no row of ours.
        Ok(read.iter().fold(Found::Missing, |found, row| found.and(made, decode(row).ok().as_ref())))
    });
    // The server forgets it with the session at the latest.
    _ = connection.control(&doing).close(statement);
    differences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TABLE_NAMES;

    #[test]
    fn what_must_be_is_what_the_statements_of_tables_sql_make() {
        for table in TABLE_NAMES {
            let sql = layout::create(table.name(), table.organisation(), Pages::of(table)).unwrap();
            let all = expected(table);
            let count = |kind: &str| all.iter().filter(|fact| fact.kind == kind).count();
            assert_eq!((count(KIND), count("column")), (1, 9), "{table}");
            assert_eq!(count("index"), sql.matches(" KEY ").count() - sql.matches("BY KEY ").count(), "{table}: {sql}");
            assert_eq!(count("partition") as u64, layout::parts(table.organisation()), "{table}");
            let nulls = all.iter().filter(|fact| fact.kind == "column" && !fact.text.contains("not null")).count();
            assert_eq!(nulls, sql.matches(" NULL").count() - sql.matches("NOT NULL").count(), "{table}: {sql}");
        }
        assert_eq!(
            options("stats_persistent=1 row_format=dynamic partitioned"),
            "row_format=dynamic stats_persistent=1"
        );
    }
}
