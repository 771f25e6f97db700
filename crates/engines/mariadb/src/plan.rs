//! Plans in one line: how each table is reached, in the order of the join, parted by `; `. What is done with the rows
//! stands before that (`filesort > `, `temporary > `), a table that is made first in parentheses (`derived (...)`). `in
//! 4 partitions` are those that are left after pruning; `(index only)` visits no rows.

use dbdyno_engine::EngineError;
use dbdyno_model::ErrorClass;
use serde_json::{Map, Value};

/// A plan in one line, from `EXPLAIN FORMAT = JSON`.
///
/// # Errors
/// The text is no such plan.
pub(super) fn compact(json: &str) -> Result<String, EngineError> {
    let unreadable = |why: &str| EngineError::new(ErrorClass::Other, format!("an unreadable plan: {why}"));
    let explained: Value = serde_json::from_str(json).map_err(|e| unreadable(&e.to_string()))?;
    let block = explained.get("query_block").and_then(Value::as_object);
    Ok(inside(block.ok_or_else(|| unreadable("it has no query"))?))
}

/// What an object's parts say, in their order.
fn inside(parts: &Map<String, Value>) -> String {
    let mut said = Vec::new();
    for (name, part) in parts {
        let text = match (name.as_str(), part) {
            ("table", Value::Object(table)) => access(table),
            ("filesort", Value::Object(inner)) => named("filesort", inner),
            ("temporary_table", Value::Object(inner)) => named("temporary", inner),
            ("window_functions_computation", Value::Object(inner)) => named("window", inner),
            ("union_result", Value::Object(inner)) => named("union", inner),
            // These are only brackets, and what a sort for windows says of itself has no tables.
            (_, Value::Object(inner)) => inside(inner),
            (_, Value::Array(all)) => {
                let each = all.iter().filter_map(Value::as_object).map(inside).filter(|text| !text.is_empty());
                each.collect::<Vec<_>>().join("; ")
            }
            _ => String::new(),
        };
        if !text.is_empty() {
            said.push(text);
        }
    }
    said.join("; ")
}

fn named(name: &str, inner: &Map<String, Value>) -> String {
    match inside(inner) {
        below if below.is_empty() => String::new(),
        below => format!("{name} > {below}"),
    }
}

/// How a table is reached.
fn access(table: &Map<String, Value>) -> String {
    let word = |key: &str| table.get(key).and_then(Value::as_str).unwrap_or("");
    if let Some(made) = table.get("materialized").and_then(Value::as_object) {
        let made = inside(made);
        return if made.is_empty() { made } else { format!("derived ({made})") };
    }
    let name = word("table_name");
    // Rows that a statement makes of nothing, and what it has put together itself, are no access to a table.
    if name.is_empty() || name.starts_with('<') {
        return String::new();
    }
    let mut text = word("access_type").to_owned();
    if !word("key").is_empty() {
        text.push_str(&format!(" {}", word("key")));
    }
    text.push_str(&format!(" on {name}"));
    match table.get("partitions").and_then(Value::as_array).map(Vec::len) {
        None => {}
        Some(1) => text.push_str(" in 1 partition"),
        Some(n) => text.push_str(&format!(" in {n} partitions")),
    }
    if table.get("using_index").and_then(Value::as_bool) == Some(true) {
        text.push_str(" (index only)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_partitions_and_derived_tables_are_told() {
        let join = r#"{"query_block": {"select_id": 1, "nested_loop": [
            {"table": {"table_name": "a", "access_type": "ref", "key": "small_heap_customer", "rows": 320}},
            {"table": {"table_name": "b", "access_type": "eq_ref", "key": "PRIMARY", "partitions": ["p1", "p2"],
                       "using_index": true}}]}}"#;
        let expected = "ref small_heap_customer on a; eq_ref PRIMARY on b in 2 partitions (index only)";
        assert_eq!(compact(join).unwrap(), expected);
        let sort = r#"{"query_block": {"nested_loop": [{"table": {"table_name": "<derived2>", "access_type": "ALL",
            "materialized": {"query_block": {"nested_loop": [{"read_sorted_file": {"filesort": {"sort_key": "amount",
            "table": {"table_name": "t", "access_type": "ALL", "partitions": ["p1"]}}}}]}}}}]}}"#;
        assert_eq!(compact(sort).unwrap(), "derived (filesort > ALL on t in 1 partition)");
        assert!(compact("no plan").is_err() && compact("{}").is_err());
    }
}
