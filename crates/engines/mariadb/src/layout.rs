//! How tables are laid out: the statements that create them with all their partitions and keys, and the names of the
//! partitions that rows lie in.

use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Leaf, leaf_name};
use dbdyno_model::{Organisation, Size, TableName};

/// Regions of a small partitioned table.
const SMALL_REGIONS: u64 = 8;
/// Regions of each month of a large one.
const LARGE_REGIONS: u64 = 4;
/// Partitions by a hash of the key.
const HASH_PARTITIONS: u64 = 8;

/// How pages are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pages {
    /// As they are.
    Dynamic,
    /// `ROW_FORMAT = COMPRESSED`: in a block of half the size, in memory too.
    Compressed,
}

impl Pages {
    /// How a test table keeps its pages.
    pub(super) fn of(table: TableName) -> Self {
        match table {
            TableName::LargeCompressed => Self::Compressed,
            _ => Self::Dynamic,
        }
    }

    fn clause(self) -> Result<&'static str, EngineError> {
        let name = match self {
            Self::Dynamic => "dynamic",
            Self::Compressed => "compressed",
        };
        Ok(&DIALECT.get(&format!("tables/{name}"))?.text)
    }
}

/// The partitions that rows of a table lie in, as SQL names them (`p3`, `r07_p1`), in loading order; nothing where the
/// table has none, or where the server alone decides on a row's place.
pub(super) fn partitions(organisation: Organisation) -> Vec<String> {
    match organisation {
        Organisation::Heap | Organisation::Iot | Organisation::Hash => Vec::new(),
        Organisation::HeapList | Organisation::IotList => (1..=SMALL_REGIONS).map(|n| format!("p{n}")).collect(),
        Organisation::HeapRangeList => (0..Size::RANGES)
            .flat_map(|range| (1..=LARGE_REGIONS).map(move |region| (range, region)))
            .map(|(range, region)| leaf_name(&month(range), region))
            .collect(),
    }
}

/// A month of a large table as SQL names its partition: `r07`.
pub(super) fn month(range: u64) -> String {
    format!("r{range:02}")
}

/// Partitions of a table, subpartitions where it has them.
pub(super) fn parts(organisation: Organisation) -> u64 {
    match organisation {
        Organisation::Hash => HASH_PARTITIONS,
        _ => partitions(organisation).len() as u64,
    }
}

/// The partition that a leaf is, as SQL names it; nothing where it is the whole table.
pub(super) fn partition(leaf: &Leaf) -> Option<&str> {
    leaf.name.strip_prefix(leaf.table.name())?.strip_prefix('_')
}

/// How statements name a leaf: `small_heap`, or `small_heap_list PARTITION (p3)`.
pub(super) fn in_sql(leaf: &Leaf) -> String {
    match partition(leaf) {
        Some(partition) => format!("{} PARTITION ({partition})", leaf.table),
        None => leaf.name.clone(),
    }
}

/// The statement that creates a table with its partitions and keys, empty.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn create(table: &str, organisation: Organisation, pages: Pages) -> Result<String, EngineError> {
    // What is compressed is only ever scanned. Its keys would be compressed as well, again and again while it is
    // filled.
    let columns = match pages {
        Pages::Dynamic => format!("create_{}", organisation.name()),
        Pages::Compressed => "create_month".to_owned(),
    };
    let columns = DIALECT.fill(&format!("tables/{columns}"), &[("table", table)])?;
    let partitions = match organisation {
        Organisation::Heap | Organisation::Iot => String::new(),
        Organisation::Hash => {
            format!("\n{}", DIALECT.fill("tables/by_hash", &[("number", &HASH_PARTITIONS.to_string())])?)
        }
        Organisation::HeapList | Organisation::IotList => {
            let list = |n: u64| DIALECT.fill("tables/list_partition", &[("region", &n.to_string())]);
            let all = (1..=SMALL_REGIONS).map(list).collect::<Result<Vec<_>, _>>()?;
            format!("\n{} (\n{}\n)", DIALECT.get("tables/by_list")?.text, all.join(",\n"))
        }
        Organisation::HeapRangeList => {
            let all = (0..Size::RANGES).map(range_partition).collect::<Result<Vec<_>, _>>()?;
            format!("\n{} (\n{}\n)", DIALECT.get("tables/by_range")?.text, all.join(",\n"))
        }
    };
    Ok(format!("{columns}{}{partitions}", storage(pages)?))
}

fn storage(pages: Pages) -> Result<String, EngineError> {
    Ok(format!(" {} {}", DIALECT.get("tables/storage")?.text, pages.clause()?))
}

fn range_partition(range: u64) -> Result<String, EngineError> {
    let (name, next) = (month(range), range + 1);
    let (year, next_month) = ((2020 + next / 12).to_string(), format!("{:02}", 1 + next % 12));
    let values = [("month", name.as_str()), ("next_year", &year), ("next_month", &next_month)];
    Ok(DIALECT.fill("tables/range_partition", &values)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TABLE_NAMES;
    use dbdyno_engine::server::leaves;

    #[test]
    fn leaves_and_partitions_have_the_same_names() {
        for table in TABLE_NAMES {
            let leaves = leaves(table);
            let names: Vec<&str> = leaves.iter().filter_map(partition).collect();
            assert_eq!(names, partitions(table.organisation()), "{table}");
            assert!(!names.is_empty() || leaves.len() == 1, "{table}");
        }
        let named = |table, n: usize| in_sql(&leaves(table)[n]);
        assert_eq!(named(TableName::LargeHeapRangeList, 29), "large_heap_range_list PARTITION (r07_p2)");
        assert_eq!(named(TableName::SmallIotList, 2), "small_iot_list PARTITION (p3)");
        assert_eq!(named(TableName::SmallHash, 0), "small_hash");
    }

    #[test]
    fn a_table_is_created_with_its_keys_and_partitions() {
        let sql = create("load_heap_list", Organisation::HeapList, Pages::Dynamic).unwrap();
        assert!(sql.contains("UNIQUE KEY load_heap_list_pk (id, region)"), "{sql}");
        assert!(sql.ends_with("PARTITION p8 VALUES IN (8)\n)"), "{sql}");
        let sql = create("t", Organisation::HeapRangeList, Pages::Compressed).unwrap();
        assert!(sql.contains("PARTITION r11 VALUES LESS THAN ('2021-01-01')\n(SUBPARTITION r11_p4,"), "{sql}");
        assert!(sql.contains("KEY_BLOCK_SIZE = 8"), "{sql}");
        assert!(!sql.contains("KEY ("), "{sql}");
    }
}
