//! Dropping what is ours, and nothing else. What the schema holds is looked at first: anything unknown stops the drop
//! before it begins. Then table by table and month by month, each in a transaction of its own, because one for all
//! would need more locks than a server has; the book-keeping goes last, for while it stands the rest is known to be
//! ours.

use super::connection::PostgresConnection;
use super::inspect;
use super::load;
use super::meta::{self, Kind, META, Object};
use super::options::Options;
use super::procedure::layout;
use super::{SCHEMA, TABLE_NAMES};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::bookkeeping::{Made, Meta};
use dbdyno_engine::server::Connection as _;
use dbdyno_model::{ErrorClass, Procedure};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// How long we wait for the sessions of a load that has been interrupted.
const PATIENCE: Duration = Duration::from_secs(10);
/// What the procedures call.
const FUNCTION: &str = "fibonacci";
/// Arguments of every procedure.
const ARGUMENTS: usize = 14;

/// Drops our tables and procedures, and the schema with them where the load made it.
///
/// # Errors
/// The schema is not ours or holds something that is not ours, somebody is loading, or something cannot be dropped.
pub(super) fn drop_all(options: &Options) -> Result<bool, EngineError> {
    let mut connection = PostgresConnection::open(options, 0, "dbdyno drop")?;
    let began = Instant::now();
    load::hold(&mut connection, &|| (began.elapsed() > PATIENCE).then_some(ErrorClass::Timeout), &|| ())?;
    let Some(meta) = meta::look(&mut connection)?.ours()? else { return Ok(false) };
    let objects = meta::objects(&mut connection)?;
    let known = Known::new(&meta);
    let unknown: Vec<&Object> = objects.iter().filter(|object| !known.has(object)).collect();
    if !unknown.is_empty() {
        let message = format!(
            "the schema {SCHEMA} holds what dbdyno did not make: {}; nothing was dropped: move that elsewhere or drop it \
             yourself, then try again",
            meta::listed(unknown.into_iter())
        );
        return Err(EngineError::new(ErrorClass::Other, message));
    }
    let tables = || objects.iter().filter(|object| object.kind == Kind::Table).map(|object| object.name.as_str());
    inspect::refuse_others(&mut connection, tables(), &meta)?;
    inspect::refuse_needed(&mut connection)?;
    connection.batch("preparing to drop", &DIALECT.get("load/session")?.text)?;
    connection.batch("preparing to drop", &DIALECT.get("load/no_longer_complete")?.text)?;
    let there: BTreeSet<&str> = tables().collect();
    for made in there.iter().filter(|name| known.made_besides(name)) {
        connection.batch(&format!("dropping {made}"), &DIALECT.fill("tables/drop_table", &[("table", made)])?)?;
    }
    for table in TABLE_NAMES {
        // A month takes its leaves along, a table what is left of it.
        let months =
            layout::parents(table.name(), table.organisation()).into_iter().filter(|parent| parent != table.name());
        for relation in months.chain([table.to_string()]).filter(|name| there.contains(name.as_str())) {
            connection.batch(&format!("dropping {relation}"), &load::forget_and_drop(table, &relation)?)?;
        }
    }
    for object in &objects {
        // The server's own words for it, with its arguments and quoted where needed.
        let (Kind::Procedure | Kind::Function, Some(signature)) = (object.kind, &object.signature) else { continue };
        connection.batch(&format!("dropping {signature}"), &format!("DROP ROUTINE IF EXISTS {signature}"))?;
    }
    // What came before is on the device when this is.
    connection.batch("dropping the book-keeping", "SET synchronous_commit = on")?;
    connection.batch("dropping the book-keeping", &DIALECT.fill("tables/drop_table", &[("table", META)])?)?;
    if meta.says(meta::CREATED_SCHEMA) {
        connection.batch("dropping the schema", &DIALECT.get("load/drop_empty_schema")?.text)?;
    }
    Ok(true)
}

/// The names of everything that dbdyno makes.
struct Known<'m> {
    tables: BTreeSet<String>,
    /// What points have noted that they make.
    made: Vec<Made>,
    /// What loads of workloads have noted.
    meta: &'m Meta,
}

impl<'m> Known<'m> {
    fn new(meta: &'m Meta) -> Self {
        let tables = TABLE_NAMES.into_iter().flat_map(layout::relations).chain([META.to_owned()]).collect();
        Self { tables, made: meta.made(), meta }
    }

    /// Whether a point or a workload's load has noted a table.
    fn made_besides(&self, table: &str) -> bool {
        self.meta.keeps("table", table) || self.made.iter().any(|made| made.is("table", table))
    }

    fn has(&self, object: &Object) -> bool {
        let name = object.name.as_str();
        let arguments = object.signature.as_deref().and_then(|text| text.strip_suffix(')')?.rsplit_once('('));
        let arguments = arguments.map_or("", |(_, arguments)| arguments);
        match object.kind {
            Kind::Table => self.tables.contains(name) || self.made_besides(name),
            Kind::Procedure => {
                let of_test = is_procedure(name) && arguments.split(',').count() == ARGUMENTS;
                of_test || self.meta.keeps("procedure", name)
            }
            Kind::Function => name == FUNCTION && arguments == "integer",
            Kind::Other => false,
        }
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
        let noted = ["made table load_heap_#", "kept table accounts", "kept procedure transfer"];
        let meta = Meta::from_iter(noted.map(|entry| (entry.to_owned(), "1".to_owned())));
        let known = Known::new(&meta);
        let has = |kind, name: &str, arguments: &str| {
            let signature = Some(format!("dbdyno.{name}({arguments})"));
            known.has(&Object { kind, name: name.to_owned(), description: String::new(), signature })
        };
        let fourteen = vec!["bigint"; ARGUMENTS].join(",");
        for name in
            ["cpu_loop", "scan_small_heap", "join_large", "bulk_load_heap", "index_non_unique_large_heap_range_list"]
        {
            assert!(has(Kind::Procedure, name, &fourteen), "{name}");
            assert!(!has(Kind::Procedure, name, "bigint"), "{name}");
        }
        for name in ["scanner", "pay", "my_scan_small_heap"] {
            assert!(!has(Kind::Procedure, name, &fourteen), "{name}");
        }
        assert!(has(Kind::Procedure, "transfer", "integer") && !has(Kind::Procedure, "accounts", "integer"));
        assert!(has(Kind::Function, "fibonacci", "integer") && !has(Kind::Function, "fibonacci", "bigint"));
        for name in ["meta", "small_iot_list_p8", "large_heap_range_list_r31", "load_heap_7", "accounts"] {
            assert!(has(Kind::Table, name, ""), "{name}");
        }
        assert!(!has(Kind::Table, "small_heap_p1", "") && !has(Kind::Other, "meta", ""));
        // What bears such a name and was not noted is somebody else's.
        assert!(!has(Kind::Table, "load_customers", "") && !has(Kind::Table, "load_large_7", ""));
    }
}
