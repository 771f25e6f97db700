//! How tables are laid out: the statements that create them with all their partitions and keys.

use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::partition_count;
use dbdyno_model::{Compression, Organisation, Size};

/// Partitions by a hash of the key.
const HASH_PARTITIONS: u64 = 8;

/// Partitions of a table, subpartitions where it has them.
pub(super) fn parts(organisation: Organisation) -> u64 {
    match organisation {
        Organisation::Hash => HASH_PARTITIONS,
        _ => partition_count(organisation),
    }
}

/// The statement that creates a table with its partitions and keys, empty.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn create(table: &str, organisation: Organisation, compression: Compression) -> Result<String, EngineError> {
    // What is compressed is only ever scanned. Its keys would be compressed as well, again and again while it is
    // filled.
    let (columns, pages) = match compression {
        Compression::None => (format!("create_{}", organisation.name()), "dynamic"),
        _ => ("create_month".to_owned(), "compressed"),
    };
    let columns = DIALECT.fill(&format!("tables/{columns}"), &[("table", table)])?;
    let by = match organisation {
        Organisation::Heap | Organisation::Iot => String::new(),
        Organisation::Hash => {
            format!("\n{}", DIALECT.fill("tables/by_hash", &[("number", &HASH_PARTITIONS.to_string())])?)
        }
        Organisation::HeapList | Organisation::IotList => by_value("tables/by_list", organisation)?,
        Organisation::HeapRangeList => by_value("tables/by_range", organisation)?,
    };
    let pages = &DIALECT.get(&format!("tables/{pages}"))?.text;
    Ok(format!("{columns} {} {pages}{by}", DIALECT.get("tables/storage")?.text))
}

fn by_value(statement: &str, organisation: Organisation) -> Result<String, EngineError> {
    let clauses = DIALECT.partitions(organisation, Size::RANGES)?;
    Ok(format!("\n{} (\n{clauses}\n)", DIALECT.get(statement)?.text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TABLE_NAMES;
    use crate::product::MariaDbProduct;
    use dbdyno_engine::server::{Leaf, ProductTables as _, compression, leaves};
    use dbdyno_model::TableName;

    #[test]
    fn leaves_and_partitions_have_the_same_names() {
        for table in TABLE_NAMES {
            let leaves = leaves(table);
            let names: Vec<&str> = leaves.iter().filter_map(Leaf::partition).collect();
            assert_eq!(names.len() as u64, partition_count(table.organisation()), "{table}");
            assert!(!names.is_empty() || leaves.len() == 1, "{table}");
            let sql = create(table.name(), table.organisation(), compression(table)).unwrap();
            assert!(names.iter().all(|name| sql.contains(&format!("PARTITION {name}"))), "{sql}");
        }
        let named = |table, n: usize| MariaDbProduct::in_sql(&leaves(table)[n]);
        assert_eq!(named(TableName::LargeHeapRangeList, 29), "large_heap_range_list PARTITION (r07_p2)");
        assert_eq!(named(TableName::SmallIotList, 2), "small_iot_list PARTITION (p3)");
        assert_eq!(named(TableName::SmallHash, 0), "small_hash");
    }

    #[test]
    fn a_table_is_created_with_its_keys_and_partitions() {
        let sql = create("load_heap_list", Organisation::HeapList, Compression::None).unwrap();
        assert!(sql.contains("UNIQUE KEY load_heap_list_pk (id, region)"), "{sql}");
        assert!(sql.ends_with("PARTITION p8 VALUES IN (8)\n)"), "{sql}");
        let sql = create("t", Organisation::HeapRangeList, Compression::Basic).unwrap();
        assert!(sql.contains("PARTITION r11 VALUES LESS THAN ('2021-01-01')\n(SUBPARTITION r11_p4,"), "{sql}");
        assert!(sql.contains("KEY_BLOCK_SIZE = 8"), "{sql}");
        assert!(!sql.contains("KEY ("), "{sql}");
    }
}
