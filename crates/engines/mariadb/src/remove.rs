//! Dropping what is ours, and nothing else. What the database holds is looked at first: anything unknown stops the drop
//! before it begins. Then table by table; the book-keeping goes last, for while it stands the rest is known to be ours.

use super::TABLE_NAMES;
use super::connection::MariaDbConnection;
use super::inspect;
use super::load;
use super::meta::{self, Kind, META, Object};
use super::options::Options;
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::bookkeeping::Meta;
use dbdyno_engine::server::Connection as _;
use dbdyno_model::{ErrorClass, Procedure};
use std::time::{Duration, Instant};

/// How long we wait for the sessions of a load that has been interrupted.
const PATIENCE: Duration = Duration::from_secs(10);
/// What a procedure calls, itself too: functions must not recurse.
const FIBONACCI: &str = "fibonacci";
/// Arguments of every procedure that a test calls.
const ARGUMENTS: u64 = 14;

/// Drops our tables and procedures, and the database with them where the load made it.
///
/// # Errors
/// The database is not ours or holds something that is not ours, somebody is loading, or something cannot be dropped.
pub(super) fn drop_all(options: &Options) -> Result<bool, EngineError> {
    let mut connection = MariaDbConnection::open(options, 0, "dbdyno drop")?;
    let began = Instant::now();
    load::hold(&mut connection, options, &|| (began.elapsed() > PATIENCE).then_some(ErrorClass::Timeout), &|| ())?;
    let Some(meta) = meta::look(&mut connection)?.ours()? else { return Ok(false) };
    let objects = meta::objects(&mut connection)?;
    let unknown: Vec<&Object> = objects.iter().filter(|object| !is_ours(object, &meta)).collect();
    if !unknown.is_empty() {
        let message = format!(
            "the database {} holds what dbdyno did not make: {}; nothing was dropped: move that elsewhere or drop it \
             yourself, then try again",
            options.database,
            meta::listed(unknown.into_iter())
        );
        return Err(EngineError::new(ErrorClass::Other, message));
    }
    let tables = objects.iter().filter(|object| object.kind == Kind::Table).map(|object| object.name.as_str());
    inspect::refuse_others(&mut connection, tables, &meta)?;
    inspect::refuse_needed(&mut connection)?;
    connection.batch("preparing to drop", &DIALECT.get("load/session")?.text)?;
    connection.batch("preparing to drop", &DIALECT.get("load/no_longer_complete")?.text)?;
    for object in objects.iter().filter(|object| object.name != META) {
        let (name, doing) = (&object.name, format!("dropping {}", object.description));
        // A table is forgotten before it goes: what is noted of it would be wrong from then on.
        if let Some(table) = TABLE_NAMES.into_iter().find(|table| table.name() == name) {
            connection.batch(&doing, &load::forget(table)?)?;
        }
        let statement = if object.kind == Kind::Procedure { "drop_procedure" } else { "drop_table" };
        connection.batch(&doing, &DIALECT.fill(&format!("tables/{statement}"), &[("name", name)])?)?;
    }
    connection.batch("dropping the book-keeping", &DIALECT.fill("tables/drop_table", &[("name", META)])?)?;
    // The server would take along whatever somebody has made since.
    if meta.says(meta::CREATED_DATABASE) && meta::objects(&mut connection)?.is_empty() {
        let doing = format!("dropping the database {}", options.database);
        connection.batch(&doing, &format!("DROP DATABASE {}", options.quoted_database()))?;
    }
    Ok(true)
}

/// Whether dbdyno makes such a thing, or a point or a workload's load has noted it.
fn is_ours(object: &Object, meta: &Meta) -> bool {
    let name = object.name.as_str();
    let noted = |kind| meta.keeps(kind, name) || meta.made().iter().any(|made| made.is(kind, name));
    match object.kind {
        Kind::Table => name == META || TABLE_NAMES.iter().any(|table| table.name() == name) || noted("table"),
        Kind::Procedure => name == FIBONACCI || is_procedure(name) && object.parts == ARGUMENTS || noted("procedure"),
        Kind::Other => false,
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
        let has = |kind, name: &str, parts| {
            let noted = ["made table load_heap_#", "kept table accounts", "kept procedure transfer"];
            let meta = Meta::from_iter(noted.map(|entry| (entry.to_owned(), "1".to_owned())));
            is_ours(&Object { kind, name: name.to_owned(), description: String::new(), parts }, &meta)
        };
        for name in
            ["cpu_loop", "scan_small_heap", "join_large", "bulk_load_heap", "index_non_unique_large_heap_range_list"]
        {
            assert!(has(Kind::Procedure, name, ARGUMENTS), "{name}");
            assert!(!has(Kind::Procedure, name, 1), "{name}");
        }
        for name in ["scanner", "pay", "my_scan_small_heap"] {
            assert!(!has(Kind::Procedure, name, ARGUMENTS), "{name}");
        }
        assert!(has(Kind::Procedure, "fibonacci", 2));
        assert!(has(Kind::Procedure, "transfer", 4) && !has(Kind::Procedure, "accounts", 4));
        for name in ["meta", "small_iot_list", "large_heap_range_list", "load_heap_7", "accounts"] {
            assert!(has(Kind::Table, name, 0), "{name}");
        }
        assert!(!has(Kind::Table, "small_heap_p1", 0) && !has(Kind::Other, "meta", 0));
        // What bears such a name and was not noted is somebody else's.
        assert!(!has(Kind::Table, "load_customers", 0) && !has(Kind::Table, "load_large_7", 0));
    }
}
