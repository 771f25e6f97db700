//! How tables are laid out: which relations one is made of, and the statements that create and index them.

use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::data::regions;
use dbdyno_engine::server::{leaf_name as leaf, leaf_names, month_name as month};
use dbdyno_model::{Organisation, Size, TableName, TableShape};

/// What is above the leaves, lowest first: each is indexed when everything below it is, and adopts those indexes.
pub(crate) fn parents(table: &str, organisation: Organisation) -> Vec<String> {
    match organisation {
        Organisation::Heap | Organisation::Iot | Organisation::Hash => Vec::new(),
        Organisation::HeapList | Organisation::IotList => vec![table.to_owned()],
        Organisation::HeapRangeList => {
            (0..Size::RANGES).map(|range| month(table, range)).chain([table.to_owned()]).collect()
        }
    }
}

/// Every relation of a table.
pub(crate) fn relations(table: &str, organisation: Organisation) -> Vec<String> {
    let leaves = leaf_names(table, organisation).into_iter().map(|(name, ..)| name);
    leaves.chain(parents(table, organisation)).collect()
}

/// The quantities of a range-list-partitioned table, month by month. The server takes that apart when it plans: the
/// leaves are read in this order, in the same way as those of the table.
pub(crate) fn by_months(table: TableName) -> String {
    let of_month = |range| format!("SELECT quantity FROM dbdyno.{}", month(table.name(), range));
    (0..Size::RANGES).map(of_month).collect::<Vec<_>>().join("\n      UNION ALL ")
}

/// The statements that create a table with all its partitions, without indexes.
///
/// # Errors
/// A statement cannot be filled in.
pub(crate) fn create(table: &str, organisation: Organisation) -> Result<Vec<String>, EngineError> {
    let whole = |statement: &str| DIALECT.fill(&format!("tables/{statement}"), &[("table", table)]);
    let part = |parent: &str, region: u64| {
        let (relation, region) = (leaf(parent, region), region.to_string());
        DIALECT.fill("tables/create_leaf", &[("relation", &relation), ("table", parent), ("region", &region)])
    };
    let mut statements = Vec::new();
    match organisation {
        Organisation::Heap | Organisation::Iot | Organisation::Hash => statements.push(whole("create_plain")?),
        Organisation::HeapList | Organisation::IotList => {
            statements.push(whole("create_list")?);
            for region in 1..=regions(TableShape::Small) {
                statements.push(part(table, region)?);
            }
        }
        Organisation::HeapRangeList => {
            statements.push(whole("create_range_list")?);
            for range in 0..Size::RANGES {
                let relation = month(table, range);
                statements.push(create_month(table, &relation, range)?);
                for region in 1..=regions(TableShape::Large) {
                    statements.push(part(&relation, region)?);
                }
            }
        }
    }
    Ok(statements)
}

fn create_month(table: &str, relation: &str, range: u64) -> Result<String, EngineError> {
    let year = |range: u64| (2020 + range / 12).to_string();
    let month = |range: u64| (1 + range % 12).to_string();
    let values = [
        ("relation", relation),
        ("table", table),
        ("year", &year(range)),
        ("month", &month(range)),
        ("next_year", &year(range + 1)),
        ("next_month", &month(range + 1)),
    ];
    Ok(DIALECT.fill("tables/create_range", &values)?)
}

/// The statements that index a leaf, a month or a table: primary key and secondary key.
///
/// # Errors
/// A statement cannot be filled in.
pub(crate) fn index(relation: &str, organisation: Organisation) -> Result<[String; 2], EngineError> {
    let primary = format!("index_primary_{}", organisation.name());
    let values = [("relation", relation)];
    Ok([DIALECT.fill(&format!("tables/{primary}"), &values)?, DIALECT.fill("tables/index_customer", &values)?])
}

/// The statements that create a table and its indexes while it is empty.
///
/// # Errors
/// A statement cannot be filled in.
pub(crate) fn create_indexed(table: &str, organisation: Organisation) -> Result<Vec<String>, EngineError> {
    let mut statements = create(table, organisation)?;
    for relation in relations(table, organisation) {
        statements.extend(index(&relation, organisation)?);
    }
    Ok(statements)
}
