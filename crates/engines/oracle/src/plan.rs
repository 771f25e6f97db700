//! Plans in one line, from rows of `v$sql_plan` (what was executed) or of the user's own PLAN_TABLE (what EXPLAIN PLAN
//! thinks would be): both have the same columns.
//!
//! Each step is its operation and options, and what it works on: `INDEX UNIQUE SCAN on small_heap_pk`. Steps stand in
//! the server's order, each before what gives it rows, parted by ` > `. Before a step on a partitioned table stands
//! which of its partitions it reads: `PARTITIONS KEY to KEY`, or how many and which, `PARTITIONS 4 (25 to 28)`.
//! Parallel workers share out the blocks of partitions without a step of their own for these. The statement itself,
//! queues between parallel workers and names of what the server makes for one execution alone are left out: they are
//! others each time.

use dbdyno_engine::EngineError;
use dbdyno_model::ErrorClass;

/// A plan in one line, from rows of `id, parent_id, operation, options, object_name, partition_start, partition_stop`
/// in the order of `id`.
///
/// # Errors
/// The rows are no plan.
pub(super) fn compact(rows: &[Vec<Option<String>>]) -> Result<String, EngineError> {
    let unreadable = |why: &str| EngineError::new(ErrorClass::Other, format!("an unreadable plan: {why}"));
    let mut steps = Vec::new();
    for row in rows {
        match step(row).ok_or_else(|| unreadable("a row is no step"))? {
            (0, _) => {}
            (_, words) => {
                steps.extend(partitions(row));
                steps.push(words);
            }
        }
    }
    if steps.is_empty() { Err(unreadable("it has no steps")) } else { Ok(steps.join(" > ")) }
}

/// The partitions that a step on a table or an index reads.
fn partitions(row: &[Option<String>]) -> Option<String> {
    let [object, start, stop] = row.get(4..7)? else { return None };
    object.as_ref()?;
    let (start, stop) = (start.as_ref()?.trim(), stop.as_ref()?.trim());
    Some(match (start.parse::<u64>(), stop.parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => format!("PARTITIONS {} ({first} to {last})", last - first + 1),
        _ => format!("PARTITIONS {start} to {stop}"),
    })
}

/// A step's number and words.
fn step(row: &[Option<String>]) -> Option<(u64, String)> {
    let [id, _, operation, options, object] = row.get(..5)? else { return None };
    let text = |value: &Option<String>| value.as_deref().unwrap_or_default().trim().to_owned();
    let (mut words, options, object) = (text(operation), text(options), text(object));
    if words.is_empty() {
        return None;
    }
    if !options.is_empty() {
        words.push(' ');
        words.push_str(&options);
    }
    // `:TQ10000` is a queue, `SYS_TEMP_...` a table that lives as long as the statement.
    if !object.is_empty() && !object.starts_with(':') && !object.starts_with("SYS_TEMP") {
        words.push_str(" on ");
        words.push_str(&object.to_lowercase());
    }
    Some((id.as_ref()?.trim().parse().ok()?, words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::{Cache, Procedure, TableName};
    use dbdyno_testkit::conformance::catalogue;
    use std::collections::BTreeMap;

    fn rows(steps: &[(&str, &str, &str, &str)]) -> Vec<Vec<Option<String>>> {
        let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        let row = |(id, operation, options, object): &(&str, &str, &str, &str)| {
            vec![some(id), Some("0".to_owned()), some(operation), some(options), some(object)]
        };
        steps.iter().map(row).collect()
    }

    #[test]
    fn steps_stand_in_their_order() {
        let plan = rows(&[
            ("0", "SELECT STATEMENT", "", ""),
            ("1", "SORT", "AGGREGATE", ""),
            ("2", "NESTED LOOPS", "", ""),
            ("3", "TABLE ACCESS", "BY INDEX ROWID BATCHED", "SMALL_HEAP"),
            ("4", "INDEX", "RANGE SCAN", "SMALL_HEAP_CUSTOMER"),
            ("5", "INDEX", "UNIQUE SCAN", "SMALL_IOT_PK"),
        ]);
        let expected = "SORT AGGREGATE > NESTED LOOPS > TABLE ACCESS BY INDEX ROWID BATCHED on small_heap > INDEX RANGE SCAN \
                        on small_heap_customer > INDEX UNIQUE SCAN on small_iot_pk";
        assert_eq!(compact(&plan).unwrap(), expected);
    }

    #[test]
    fn what_lives_for_one_execution_has_no_name() {
        let plan = rows(&[
            ("0", "SELECT STATEMENT", "", ""),
            ("1", "PX COORDINATOR", "", ""),
            ("2", "PX SEND", "QC (RANDOM)", ":TQ10000"),
            ("3", "LOAD AS SELECT", "(CURSOR DURATION MEMORY)", "SYS_TEMP_0FD9D6602_1F3A"),
        ]);
        let expected = "PX COORDINATOR > PX SEND QC (RANDOM) > LOAD AS SELECT (CURSOR DURATION MEMORY)";
        assert_eq!(compact(&plan).unwrap(), expected);
    }

    /// A plan of plan/written.toml.
    #[derive(serde::Deserialize)]
    struct Written {
        name: String,
        #[serde(rename = "of")]
        _of: String,
        #[serde(rename = "source")]
        _source: String,
        procedure: String,
        table: TableName,
        threads: u32,
        passes: bool,
        steps: String,
    }

    /// Rows of `v$sql_plan` from the steps of a written plan.
    fn rows_of(steps: &str) -> Vec<Vec<Option<String>>> {
        let some = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let row = |(id, line): (usize, &str)| {
            let mut parts = line.split('|').map(some).collect::<Vec<_>>();
            parts.resize(5, None);
            [some(&id.to_string()), some("0")].into_iter().chain(parts).collect()
        };
        steps.trim().lines().enumerate().map(row).collect()
    }

    #[test]
    fn written_plans_pass_or_are_refused() {
        let written: BTreeMap<String, Vec<Written>> = toml::from_str(include_str!("plan/written.toml")).unwrap();
        let mut seen = [0, 0];
        for Written { name, procedure, table, threads, passes, steps, .. } in &written["plan"] {
            let known = Procedure::all().filter(|known| procedure.starts_with(known.name()));
            let procedure = known.max_by_key(|known| known.name().len()).unwrap();
            let test = catalogue::test("T421", procedure.name(), Some(*table), Cache::Any);
            let plan = compact(&rows_of(steps)).unwrap();
            let spec = catalogue::spec(&test, *threads);
            let problem = crate::procedure::of(&test).unwrap().plan_problem(&spec, &plan).unwrap();
            assert_eq!(problem.is_none(), *passes, "{name}: {plan}: {problem:?}");
            seen[usize::from(*passes)] += 1;
        }
        assert!(seen[0] >= 30 && seen[1] >= 30, "{seen:?}");
    }

    #[test]
    fn what_is_no_plan_is_refused() {
        assert!(compact(&[]).is_err());
        assert!(compact(&rows(&[("0", "SELECT STATEMENT", "", "")])).is_err());
        assert!(compact(&rows(&[("x", "INDEX", "", "")])).is_err());
        assert!(compact(&rows(&[("1", "", "", "")])).is_err());
        assert!(compact(&[vec![Some("0".to_owned())]]).is_err());
    }
}
