//! Dropping what is ours, and nothing else. What is there is looked at first: anything unknown stops the drop before it
//! begins. Then object by object, each in a transaction of its own, because one for all may need more locks than a
//! server has; the book-keeping goes last, for while it stands the rest is known to be ours.

use super::contents::{self, META, Object, listed, transaction};
use super::{Connection as _, ProductTables, leaves, month_name, run_lock};
use crate::EngineError;
use crate::bookkeeping::Meta;
use dbdyno_model::{ErrorClass, Organisation, Procedure, Size, TableName};
use std::time::{Duration, Instant};

/// How long we wait for the sessions of a load that has been interrupted.
const PATIENCE: Duration = Duration::from_secs(10);
/// Arguments of every procedure that a test calls.
const ARGUMENTS: u64 = 14;

/// Drops everything that is ours, and the place with it where a load made it and nothing else is there.
///
/// # Errors
/// The place is not ours or holds something that is not ours, somebody is loading, or something cannot be dropped.
pub(super) fn drop_all<P: ProductTables>(product: &P) -> Result<bool, EngineError> {
    let dialect = P::dialect();
    let mut connection = product.open(0, "dbdyno drop")?;
    let connection = &mut connection;
    if contents::look(product, connection)?.ours()?.is_none() && !has_empty_books::<P>(connection)? {
        return Ok(false);
    }
    let began = Instant::now();
    let give_up = || (began.elapsed() > PATIENCE).then_some(ErrorClass::Timeout);
    run_lock::hold(product, connection, &give_up, &|| ())?;
    let Some(meta) = contents::look(product, connection)?.ours()? else {
        let any = has_empty_books::<P>(connection)?;
        return if any { drop_books::<P>(connection).map(|()| true) } else { Ok(false) };
    };
    let objects = contents::objects::<P>(connection)?;
    let known = Known::new::<P>(&meta)?;
    let unknown: Vec<&Object> = objects.iter().filter(|object| !known.has(object)).collect();
    if !unknown.is_empty() {
        let message = format!(
            "{} holds what dbdyno did not make: {}; nothing was dropped: move that elsewhere or drop it yourself, then try \
             again",
            product.place(),
            listed(unknown.into_iter())
        );
        return Err(EngineError::new(ErrorClass::Other, message));
    }
    let tables = objects.iter().filter(|object| object.kind == "table").map(|object| object.name.as_str());
    contents::refuse_others::<P>(&product.place(), connection, tables, &meta)?;
    contents::refuse_needed::<P>(&product.place(), connection)?;
    let doing = "preparing to drop";
    connection.batch(doing, &dialect.get("load/session")?.text)?;
    transaction::<P, ()>(connection, doing, |connection| {
        connection.batch(doing, &dialect.get("load/no_longer_complete")?.text)
    })?;
    product.before_drop(connection)?;
    let left = contents::objects::<P>(connection)?;
    for object in left.iter().filter(|object| known.has(object) && object.name != META) {
        drop_object::<P>(connection, object)?;
    }
    drop_books::<P>(connection)?;
    // The server would take along whatever somebody has made since.
    if meta.says(P::CREATED) && contents::objects::<P>(connection)?.is_empty() {
        product.drop_place(connection)?;
    }
    Ok(true)
}

/// Whether there is a book-keeping without an entry, which a load left that was killed as it began.
fn has_empty_books<P: ProductTables>(connection: &mut P::Connection) -> Result<bool, EngineError> {
    Ok(P::EMPTY_BOOKS_ARE_OURS && contents::objects::<P>(connection)?.iter().any(|object| object.is_table(META)))
}

fn drop_books<P: ProductTables>(connection: &mut P::Connection) -> Result<(), EngineError> {
    let doing = "dropping the book-keeping";
    // What came before is on the device when this is.
    if let Ok(wait) = P::dialect().get("load/control") {
        connection.batch(doing, &wait.text)?;
    }
    let objects = contents::objects::<P>(connection)?;
    let drop = objects.into_iter().find(|object| object.is_table(META)).and_then(|object| object.drop);
    drop.map_or(Ok(()), |sql| connection.batch(doing, &sql))
}

/// Drops an object. A table of the tests is forgotten before it goes: what is noted of it would be wrong from then on.
///
/// # Errors
/// The server's.
pub(super) fn drop_object<P: ProductTables>(
    connection: &mut P::Connection,
    object: &Object,
) -> Result<(), EngineError> {
    let Some(sql) = &object.drop else { return Ok(()) };
    let doing = format!("dropping {}", object.description);
    match table_of(object) {
        Some(table) => transaction::<P, ()>(connection, &doing, |connection| {
            connection.batch(&doing, &P::dialect().fill("load/forget_table", &[("table", table.name())])?)?;
            connection.batch(&doing, sql)
        }),
        None => connection.batch(&doing, sql),
    }
}

/// The test table that an object is, or is a part of.
pub(super) fn table_of(object: &Object) -> Option<TableName> {
    TableName::ALL.into_iter().find(|table| match object.kind.as_str() {
        "table" => object.name == table.name() || parts(*table).any(|part| object.name == part),
        "cluster" => is_cluster_of(&object.name, *table),
        _ => false,
    })
}

/// The names of a table's parts, where these are tables, too.
fn parts(table: TableName) -> impl Iterator<Item = String> {
    let months = if table.organisation() == Organisation::HeapRangeList { Size::RANGES } else { 0 };
    let months = (0..months).map(move |range| month_name(table.name(), range));
    leaves(table).into_iter().map(|leaf| leaf.name).chain(months)
}

/// Whether a cluster is the one that a table with a hash of its key lies in.
fn is_cluster_of(cluster: &str, table: TableName) -> bool {
    table.organisation() == Organisation::Hash && cluster.strip_suffix("_c") == Some(table.name())
}

/// What dbdyno makes.
struct Known<'m> {
    meta: &'m Meta,
    tables: Vec<String>,
    /// By kind and name: what no note and no rule tells.
    own: Vec<(String, String)>,
}

impl<'m> Known<'m> {
    fn new<P: ProductTables>(meta: &'m Meta) -> Result<Self, EngineError> {
        let whole = TableName::ALL.into_iter().map(|table| table.name().to_owned());
        let parts = TableName::ALL.into_iter().filter(|_| P::PARTS_ARE_TABLES).flat_map(parts);
        let tables = whole.chain(parts).chain([META.to_owned()]).collect();
        let own = P::dialect().get("load/objects")?.notes.get("own").cloned().unwrap_or_default();
        let own = own.split(", ").filter_map(|own| own.split_once(' '));
        let own = own.map(|(kind, name)| (kind.to_owned(), name.to_owned())).collect();
        Ok(Self { meta, tables, own })
    }

    /// Whether dbdyno makes such a thing, or a point or a workload's load has noted it.
    fn has(&self, object: &Object) -> bool {
        let Object { kind, name, parts, .. } = object;
        let noted = || self.meta.keeps(kind, name) || self.meta.made().iter().any(|made| made.is(kind, name));
        let own = || self.own.iter().any(|(own_kind, own)| own_kind == kind && own == name);
        let by_rule = match kind.as_str() {
            "table" => self.tables.contains(name),
            "cluster" => TableName::ALL.into_iter().any(|table| is_cluster_of(name, table)),
            "procedure" => is_procedure(name) && *parts == ARGUMENTS,
            _ => false,
        };
        by_rule || own() || noted()
    }
}

/// Procedures are named for their work and, mostly, a table: `cpu_loop`, `scan_small_heap`.
fn is_procedure(name: &str) -> bool {
    let ends = name.match_indices('_').map(|(at, _)| at).chain([name.len()]);
    ends.into_iter().any(|end| serde_json::from_value::<Procedure>(name[..end].into()).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_is_known_by_kind_name_and_arguments() {
        let noted =
            ["made table load_heap_#", "made cluster load_hash_c", "kept table accounts", "kept procedure transfer"];
        let meta = Meta::from_iter(noted.map(|entry| (entry.to_owned(), "1".to_owned())));
        let tables = TableName::ALL.iter().map(|table| table.name().to_owned()).chain([META.to_owned()]).collect();
        let own = vec![("function".to_owned(), "fibonacci(integer)".to_owned())];
        let known = Known { meta: &meta, tables, own };
        let has = |kind: &str, name: &str, parts| {
            known.has(&Object { kind: kind.to_owned(), name: name.to_owned(), parts, ..Object::default() })
        };
        for name in
            ["cpu_loop", "scan_small_heap", "join_large", "bulk_load_heap", "index_non_unique_large_heap_range_list"]
        {
            assert!(has("procedure", name, ARGUMENTS), "{name}");
            assert!(!has("procedure", name, 1), "{name}");
        }
        for name in ["scanner", "pay", "my_scan_small_heap"] {
            assert!(!has("procedure", name, ARGUMENTS), "{name}");
        }
        assert!(has("procedure", "transfer", 4) && !has("procedure", "accounts", 4));
        assert!(has("function", "fibonacci(integer)", 1) && !has("function", "fibonacci(bigint)", 1));
        for name in ["meta", "small_iot_list", "large_heap_range_list", "load_heap_7", "accounts"] {
            assert!(has("table", name, 0), "{name}");
        }
        // What bears such a name and was not noted is somebody else's.
        for name in ["emp", "small_heap_p1", "small_iot_list_p8", "my_load_heap", "load_customers", "load_large_7"] {
            assert!(!has("table", name, 0), "{name}");
        }
        assert!(has("cluster", "small_hash_c", 0) && has("cluster", "load_hash_c", 0));
        assert!(!has("cluster", "small_heap_c", 0) && !has("cluster", "personnel", 0) && !has("other", "meta", 0));
    }

    #[test]
    fn parts_belong_to_their_table() {
        let table = |kind: &str, name: &str| {
            table_of(&Object { kind: kind.to_owned(), name: name.to_owned(), ..Object::default() })
        };
        for name in ["large_heap_range_list", "large_heap_range_list_r31", "large_heap_range_list_r00_p4"] {
            assert_eq!(table("table", name), Some(TableName::LargeHeapRangeList), "{name}");
        }
        assert_eq!(table("table", "small_iot_list_p8"), Some(TableName::SmallIotList));
        assert_eq!(table("cluster", "small_hash_c"), Some(TableName::SmallHash));
        for name in ["small_heap_p1", "large_heap_range_list_r32", "load_heap_1"] {
            assert_eq!(table("table", name), None, "{name}");
        }
    }
}
