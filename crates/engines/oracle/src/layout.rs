//! How tables are laid out: the statements that create them with all their partitions and keys, one statement each.

use super::options::Part;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Leaf, compression};
use dbdyno_model::{Compression, ErrorClass, Organisation, Size, StorageTier, TableName, TableShape};

/// What a table needs that not every server has, or that has a licence of its own.
pub(super) fn needs(organisation: Organisation) -> &'static [Part] {
    match organisation {
        Organisation::Heap => &[],
        Organisation::Iot => &[Part::Iot],
        Organisation::Hash => &[Part::Hash],
        Organisation::HeapList | Organisation::HeapRangeList => &[Part::Partitioning],
        Organisation::IotList => &[Part::Partitioning, Part::Iot],
    }
}

/// What a way of compressing needs that has a licence of its own, or storage that not everybody has.
pub(super) fn needs_to_compress(compression: Compression) -> Option<Part> {
    match compression {
        Compression::None | Compression::Basic => None,
        Compression::Oltp => Some(Part::AdvancedCompression),
        Compression::HccQueryLow | Compression::HccArchiveLow => Some(Part::HybridColumnarCompression),
    }
}

/// How statements name a leaf: `small_heap`, `small_heap_list PARTITION (p3)`, `large_heap_range_list SUBPARTITION
/// (r07_p2)`.
pub(super) fn in_sql(leaf: &Leaf) -> String {
    leaf.in_sql(if leaf.table.shape() == TableShape::Large { "SUBPARTITION" } else { "PARTITION" })
}

/// The statements that create a test table, empty. Those that rows lie in have their primary key with them; the keys of
/// others come from [`indexes`] when it is full.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn tables(table: TableName, size: &Size) -> Result<Vec<String>, EngineError> {
    let (organisation, rows) = (table.organisation(), table.rows(size));
    let months = if table.shape() == TableShape::Large { Size::RANGES } else { 0 };
    create(table.name(), organisation, rows, compression(table), months)
}

/// The statements that create a table of an organisation without its keys, unless rows lie in them.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn create(
    table: &str,
    organisation: Organisation,
    rows: u64,
    compression: Compression,
    months: u64,
) -> Result<Vec<String>, EngineError> {
    let own = DIALECT.partitions(organisation, months)?;
    let storage = storage(organisation)?;
    let values = [
        ("{table}", table),
        ("{columns}", &DIALECT.get("tables/columns")?.text),
        ("{organisation}", &own),
        ("{storage}", &storage),
        ("{compression}", &DIALECT.get(&format!("tables/{}", compression.name()))?.text),
        ("{rows}", &rows.to_string()),
    ];
    let cluster = (organisation == Organisation::Hash).then_some("create_cluster".to_owned());
    let names = cluster.into_iter().chain([format!("create_{}", organisation.name())]);
    names.map(|name| filled(&DIALECT.get(&format!("tables/{name}"))?.text, &values)).collect()
}

/// The statements that give a test table the keys that it does not have yet, built by so many processes each.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn indexes(table: TableName, threads: u32) -> Result<Vec<String>, EngineError> {
    // What is compressed is only ever scanned.
    if table == TableName::LargeCompressed {
        return Ok(Vec::new());
    }
    create_indexes(table.name(), table.organisation(), threads)
}

/// The statements that give a table of an organisation the keys that it does not have yet.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn create_indexes(
    table: &str,
    organisation: Organisation,
    threads: u32,
) -> Result<Vec<String>, EngineError> {
    let storage = storage(organisation)?;
    let values = [("{table}", table), ("{storage}", &storage), ("{threads}", &threads.max(1).to_string())];
    let has_primary = matches!(organisation, Organisation::Iot | Organisation::IotList);
    let primary = ["create_primary", "no_parallel", "add_primary"];
    let names = primary.into_iter().filter(|_| !has_primary).chain(["create_customer", "no_parallel"]);
    let mut statements = Vec::new();
    let mut index = String::new();
    for name in names {
        if let Some(key) = name.strip_prefix("create_") {
            index = format!("{table}_{}", if key == "primary" { "pk" } else { key });
        }
        // What one process built needs no such word.
        if name != "no_parallel" || threads > 1 {
            statements.push(filled(&DIALECT.get(&format!("tables/{name}"))?.text.replace("{index}", &index), &values)?);
        }
    }
    Ok(statements)
}

/// The statement that gathers a table's statistics, by so many processes.
///
/// # Errors
/// The statement cannot be filled in.
pub(super) fn analyse(table: TableName, threads: u32) -> Result<String, EngineError> {
    let values = [("{table}", table.name()), ("{threads}", &threads.max(1).to_string())];
    filled(&DIALECT.get("load/analyse")?.text, &values)
}

/// The statements that keep the large table and its keys in a tier's cache, or (`keep` false) no longer; none for the
/// default tier.
///
/// # Errors
/// A statement cannot be filled in.
pub(super) fn tier(tier: StorageTier, keep: bool) -> Result<Vec<String>, EngineError> {
    let clause = match tier {
        StorageTier::Default => return Ok(Vec::new()),
        StorageTier::DatabaseFlash => "FLASH_CACHE",
        StorageTier::CellFlash => "CELL_FLASH_CACHE",
    };
    let value = if keep { "KEEP" } else { "DEFAULT" };
    Ok(vec![DIALECT.fill("tables/tier", &[("clause", clause), ("value", value)])?])
}

/// Small tables are cached, so they ask for the pool that is for them.
fn storage(organisation: Organisation) -> Result<String, EngineError> {
    let pool = if organisation == Organisation::HeapRangeList { "default_pool" } else { "keep_pool" };
    Ok(DIALECT.get(&format!("tables/{pool}"))?.text.clone())
}

/// A text with its placeholders replaced, by texts that are no identifiers.
pub(super) fn filled(text: &str, values: &[(&str, &str)]) -> Result<String, EngineError> {
    let filled = values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
    match filled.contains(['{', '}']) {
        true => Err(EngineError::new(ErrorClass::Other, format!("a placeholder is left in {filled}"))),
        false => Ok(filled),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::server::{leaves, partition_count};
    use dbdyno_testkit::conformance::catalogue::size_t;

    #[test]
    fn leaves_and_partitions_have_the_same_names() {
        for table in TableName::ALL {
            let leaves = leaves(table);
            let names: Vec<&str> = leaves.iter().filter_map(Leaf::partition).collect();
            assert_eq!(names.len() as u64, partition_count(table.organisation()), "{table}");
            assert!(!names.is_empty() || leaves.len() == 1, "{table}");
            let sql = tables(table, &size_t()).unwrap().concat();
            assert!(names.iter().all(|name| sql.contains(&format!("PARTITION {name} VALUES"))), "{sql}");
        }
        let named = |table, n: usize| in_sql(&leaves(table)[n]);
        assert_eq!(named(TableName::LargeHeapRangeList, 29), "large_heap_range_list SUBPARTITION (r07_p2)");
        assert_eq!(named(TableName::SmallIotList, 2), "small_iot_list PARTITION (p3)");
        assert_eq!(named(TableName::SmallHash, 0), "small_hash");
    }

    #[test]
    fn a_table_is_created_in_its_own_organisation() {
        let of = |table| tables(table, &size_t()).unwrap().join("\n");
        let sql = of(TableName::SmallHash);
        assert!(
            sql.contains("SINGLE TABLE HASHKEYS 3200 HASH IS id") && sql.ends_with("CLUSTER small_hash_c (id)"),
            "{sql}"
        );
        let sql = of(TableName::SmallIotList);
        assert!(sql.contains("PRIMARY KEY (id, region)\n) ORGANIZATION INDEX STORAGE (BUFFER_POOL KEEP)"), "{sql}");
        let sql = of(TableName::LargeCompressed);
        assert!(sql.contains("ROW STORE COMPRESS BASIC") && sql.contains("r11 VALUES LESS THAN (TO_DATE('2021-01-01'"));
        assert!(!sql.contains("KEEP"), "{sql}");
    }

    #[test]
    fn keys_are_global_and_forget_who_built_them() {
        let keys = indexes(TableName::LargeHeapRangeList, 4).unwrap();
        assert_eq!(keys.len(), 5);
        assert!(
            keys[0].starts_with("CREATE UNIQUE INDEX large_heap_range_list_pk ON large_heap_range_list (id) STORAGE")
        );
        assert!(keys[0].ends_with("PARALLEL 4") && !keys[0].contains("LOCAL"), "{}", keys[0]);
        assert_eq!(keys[1], "ALTER INDEX large_heap_range_list_pk NOPARALLEL");
        assert_eq!(keys[4], "ALTER INDEX large_heap_range_list_customer NOPARALLEL");
        assert_eq!(indexes(TableName::SmallIot, 1).unwrap().len(), 1, "its primary key is the table");
        assert!(indexes(TableName::LargeCompressed, 8).unwrap().is_empty());
    }

    #[test]
    fn no_name_is_longer_than_30_bytes() {
        for table in TableName::ALL {
            assert!(format!("{table}_customer").len() <= 30, "{table}");
        }
        let cells = tier(StorageTier::CellFlash, true).unwrap();
        assert!(cells.len() == 1 && cells[0].contains("STORAGE (CELL_FLASH_CACHE KEEP)"), "{cells:?}");
        assert!(tier(StorageTier::Default, true).unwrap().is_empty());
    }
}
