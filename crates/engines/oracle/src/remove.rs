//! Dropping what is ours, and nothing else. What the schema holds is looked at first: anything unknown stops the drop
//! before it begins. Then table by table; the book-keeping goes last, for while it stands the rest is known to be ours.
//! The user itself is the administrator's, who made it.

use super::connection::OracleConnection;
use super::inspect;
use super::load;
use super::meta::{self, Kind, META, Object};
use super::options::Options;
use super::procedure::PACKAGE;
use super::{layout, point};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::server::Connection as _;
use dbdyno_model::{ErrorClass, Organisation, TableName};
use std::time::{Duration, Instant};

/// How long we wait for a load that has been interrupted to let go.
const PATIENCE: Duration = Duration::from_secs(10);

/// Drops our tables, clusters and packages.
///
/// # Errors
/// The schema is not ours or holds something that is not ours, somebody is loading, or something cannot be dropped.
pub(super) fn drop_all(options: &Options) -> Result<bool, EngineError> {
    let mut connection = OracleConnection::open(options, 0, "dbdyno drop")?;
    if meta::look(&mut connection, options)?.ours()?.is_none() {
        return drop_empty_meta(&mut connection);
    }
    let began = Instant::now();
    load::hold(&mut connection, &|| (began.elapsed() > PATIENCE).then_some(ErrorClass::Timeout), &|| ())?;
    let meta = meta::look(&mut connection, options)?.ours()?.unwrap_or_default();
    let objects = meta::objects(&mut connection)?;
    let unknown: Vec<&Object> = objects.iter().filter(|object| !is_ours(object, &meta)).collect();
    if !unknown.is_empty() {
        let message = format!(
            "the schema {} holds what dbdyno did not make: {}; nothing was dropped: move that elsewhere or drop it yourself, \
             then try again",
            options.schema(),
            meta::listed(unknown.into_iter())
        );
        return Err(EngineError::new(ErrorClass::Other, message));
    }
    let tables = objects.iter().filter(|object| object.kind == Kind::Table).map(|object| object.name.as_str());
    inspect::refuse_others(&mut connection, tables, &meta)?;
    inspect::refuse_needed(&mut connection)?;
    let doing = "preparing to drop";
    connection.batch(doing, &DIALECT.get("load/no_longer_complete")?.text)?;
    connection.batch(doing, "COMMIT")?;
    point::remove_made(&mut connection, "dropping what points have made")?;
    for table in TableName::ALL.into_iter().filter(|table| has(&objects, *table)) {
        let doing = format!("dropping {table}");
        // A table is forgotten before it goes: what is noted of it would be wrong from then on.
        connection.batch(&doing, &load::forget(table)?)?;
        for sql in layout::drops(table.name(), table.organisation())? {
            connection.batch(&doing, &sql)?;
        }
    }
    for object in objects.iter().filter(|object| meta.keeps(object.kind.name(), &object.name)) {
        let statement = format!("drop_{}", object.kind.name());
        let sql = DIALECT.fill(&format!("tables/{statement}"), &[("name", object.name.as_str())])?;
        connection.batch(&format!("dropping {}", object.description), &sql)?;
    }
    drop_meta(&mut connection)?;
    Ok(true)
}

fn has(objects: &[Object], table: TableName) -> bool {
    let (name, cluster) = (table.name(), format!("{}_c", table.name()));
    objects.iter().any(|object| object.name == name || object.name == cluster)
}

/// A book-keeping without an entry, which a load left that was killed as it began.
fn drop_empty_meta(connection: &mut OracleConnection) -> Result<bool, EngineError> {
    let any = meta::objects(connection)?.iter().any(|object| object.name == META);
    if any {
        drop_meta(connection)?;
    }
    Ok(any)
}

fn drop_meta(connection: &mut OracleConnection) -> Result<(), EngineError> {
    connection.batch("dropping the book-keeping", &DIALECT.fill("tables/drop_table", &[("name", META)])?)
}

/// Whether dbdyno makes such a thing, or a point or a workload's load has noted it.
fn is_ours(object: &Object, meta: &Meta) -> bool {
    let name = object.name.as_str();
    let is_table = |table: &TableName| table.name() == name;
    let by_points = |kind| meta.made().iter().any(|made| made.is(kind, name));
    if meta.keeps(object.kind.name(), name) {
        return true;
    }
    match object.kind {
        Kind::Table => name == META || TableName::ALL.iter().any(is_table) || by_points("table"),
        Kind::Cluster => {
            let of_hash =
                |table: &TableName| table.organisation() == Organisation::Hash && format!("{}_c", table.name()) == name;
            TableName::ALL.iter().any(of_hash) || by_points("cluster")
        }
        Kind::Package => name == PACKAGE,
        Kind::Procedure | Kind::Other => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ours_is_known_by_kind_and_name() {
        let noted =
            ["made table load_heap_#", "made cluster load_hash_c", "kept table accounts", "kept procedure transfer"];
        let meta = Meta::from_iter(noted.map(|entry| (entry.to_owned(), "1".to_owned())));
        let has = |kind, name: &str| {
            is_ours(&Object { kind, name: name.to_owned(), description: String::new(), parts: 0 }, &meta)
        };
        for name in ["meta", "small_iot_list", "large_heap_range_list", "load_heap_7", "accounts"] {
            assert!(has(Kind::Table, name), "{name}");
        }
        for name in ["emp", "small_heap_p1", "my_load_heap", "load_customers", "load_large"] {
            assert!(!has(Kind::Table, name), "{name}");
        }
        assert!(has(Kind::Cluster, "small_hash_c") && has(Kind::Cluster, "load_hash_c"));
        assert!(!has(Kind::Cluster, "small_heap_c") && !has(Kind::Cluster, "personnel"));
        assert!(has(Kind::Package, "dbdyno_work") && !has(Kind::Package, "payroll"));
        assert!(has(Kind::Procedure, "transfer") && !has(Kind::Procedure, "accounts"));
        assert!(!has(Kind::Other, "meta"));
    }
}
