//! Plans in one line: node types outermost first, joined by ` > `; several children in parentheses, parted by `; `;
//! equal children of an Append collapsed with their number. Leaves and their indexes bear their table's name, because
//! which of them a key falls into is no matter. `, 7 pruned` are partitions that were left out when the statement
//! started, `(filtered)` is a node that also throws rows away.

use dbdyno_engine::EngineError;
use dbdyno_model::ErrorClass;
use serde_json::Value;

/// A plan in one line, from `EXPLAIN (FORMAT JSON)`.
///
/// # Errors
/// The text is no such plan.
pub(super) fn compact(json: &str) -> Result<String, EngineError> {
    let unreadable = |why: &str| EngineError::new(ErrorClass::Other, format!("an unreadable plan: {why}"));
    let explained: Value = serde_json::from_str(json).map_err(|e| unreadable(&e.to_string()))?;
    let plan = explained.pointer("/0/Plan").ok_or_else(|| unreadable("it has no node"))?;
    Ok(node(plan))
}

fn node(plan: &Value) -> String {
    let mut text = title(plan);
    let empty = Vec::new();
    let mut children: Vec<(String, usize)> = Vec::new();
    for child in plan.get("Plans").and_then(Value::as_array).unwrap_or(&empty).iter().map(node) {
        match children.last_mut() {
            Some((last, times)) if *last == child => *times += 1,
            _ => children.push((child, 1)),
        }
    }
    let children: Vec<String> = children
        .into_iter()
        .map(|(child, times)| if times == 1 { child } else { format!("{times} x {child}") })
        .collect();
    match children.as_slice() {
        [] => {}
        [only] => text.push_str(&format!(" > {only}")),
        several => text.push_str(&format!(" ({})", several.join("; "))),
    }
    match number(plan, "Subplans Removed") {
        0 => {}
        pruned => text.push_str(&format!(", {pruned} pruned")),
    }
    text
}

/// A node without its children, in the words of PostgreSQL's own text format.
fn title(plan: &Value) -> String {
    let kind = word(plan, "Node Type");
    let name = match (kind, word(plan, "Strategy")) {
        ("ModifyTable", _) => word(plan, "Operation").to_owned(),
        ("Aggregate", "Sorted") => "GroupAggregate".to_owned(),
        ("Aggregate", "Hashed") => "HashAggregate".to_owned(),
        ("Aggregate", "Mixed") => "MixedAggregate".to_owned(),
        _ => kind.to_owned(),
    };
    let mut text = String::new();
    match word(plan, "Partial Mode") {
        "" | "Simple" => {}
        mode => text.push_str(&format!("{mode} ")),
    }
    if plan.get("Parallel Aware").and_then(Value::as_bool) == Some(true) {
        text.push_str("Parallel ");
    }
    text.push_str(&name);
    match number(plan, "Workers Planned") {
        0 => {}
        workers => text.push_str(&format!(" {workers}")),
    }
    match (word(plan, "Index Name"), word(plan, "Relation Name")) {
        ("", "") => {}
        // What is changed is said by the scan below.
        _ if kind == "ModifyTable" => {}
        ("", relation) => text.push_str(&format!(" on {}", of_table(relation))),
        (index, _) => text.push_str(&format!(" using {}", of_table(index))),
    }
    if plan.get("Filter").is_some() {
        text.push_str(" (filtered)");
    }
    text
}

fn word<'a>(plan: &'a Value, key: &str) -> &'a str {
    plan.get(key).and_then(Value::as_str).unwrap_or("")
}

fn number(plan: &Value, key: &str) -> u64 {
    plan.get(key).and_then(Value::as_u64).unwrap_or(0)
}

/// A relation's name without what tells leaves apart: `_r07` and `_p3`.
fn of_table(relation: &str) -> String {
    let tells_apart = |part: &str| {
        let digits = part.strip_prefix(['r', 'p']);
        digits.is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
    };
    relation.split('_').filter(|part| !tells_apart(part)).collect::<Vec<_>>().join("_")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(n: u32) -> String {
        format!(
            r#"{{"Node Type": "Index Scan", "Parallel Aware": false, "Index Name": "large_heap_range_list_r{n:02}_p1_pk",
                "Relation Name": "large_heap_range_list_r{n:02}_p1", "Alias": "b", "Index Cond": "(id = 1)"}}"#
        )
    }

    #[test]
    fn leaves_collapse_and_pruned_ones_are_counted() {
        let leaves: Vec<String> = (0..3).map(leaf).collect();
        let json = format!(
            r#"[{{"Plan": {{"Node Type": "Aggregate", "Strategy": "Plain", "Partial Mode": "Simple", "Plans": [
                {{"Node Type": "Nested Loop", "Plans": [
                    {{"Node Type": "Index Scan", "Index Name": "small_heap_customer", "Relation Name": "small_heap"}},
                    {{"Node Type": "Append", "Subplans Removed": 125, "Plans": [{}]}}]}}]}}}}]"#,
            leaves.join(", ")
        );
        let expected = "Aggregate > Nested Loop (Index Scan using small_heap_customer; \
                        Append > 3 x Index Scan using large_heap_range_list_pk, 125 pruned)";
        assert_eq!(compact(&json).unwrap(), expected);
    }

    #[test]
    fn workers_strategies_and_filters_are_told() {
        let json = r#"[{"Plan": {"Node Type": "Aggregate", "Strategy": "Sorted", "Partial Mode": "Finalize", "Plans": [
            {"Node Type": "Gather Merge", "Workers Planned": 3, "Plans": [
                {"Node Type": "Aggregate", "Strategy": "Hashed", "Partial Mode": "Partial", "Plans": [
                    {"Node Type": "Seq Scan", "Parallel Aware": true, "Relation Name": "small_heap_list_p3",
                     "Filter": "(quantity > 1)"}]}]}]}}]"#;
        let expected = "Finalize GroupAggregate > Gather Merge 3 > Partial HashAggregate > \
                        Parallel Seq Scan on small_heap_list (filtered)";
        assert_eq!(compact(json).unwrap(), expected);
        let update = r#"[{"Plan": {"Node Type": "ModifyTable", "Operation": "Update", "Relation Name": "small_heap",
            "Plans": [{"Node Type": "Index Scan", "Index Name": "small_heap_pk", "Relation Name": "small_heap"}]}}]"#;
        assert_eq!(compact(update).unwrap(), "Update > Index Scan using small_heap_pk");
        assert!(compact("no plan").is_err() && compact("[]").is_err());
    }
}
