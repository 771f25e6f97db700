//! Plans in one line, from rows of `v$sql_plan` (what was executed) or of the user's own PLAN_TABLE (what EXPLAIN PLAN
//! thinks would be): both have the same columns.
//!
//! Each step is its operation and options, and what it works on: `INDEX UNIQUE SCAN on small_heap_pk`. Steps stand in
//! the server's order, each before what gives it rows, parted by ` > `. The statement itself, queues between parallel
//! workers and names of what the server makes for one execution alone are left out: they are others each time.

use dbdyno_engine::EngineError;
use dbdyno_model::ErrorClass;

/// A plan in one line, from rows of `id, parent_id, operation, options, object_name` in the order of `id`.
///
/// # Errors
/// The rows are no plan.
pub(super) fn compact(rows: &[Vec<Option<String>>]) -> Result<String, EngineError> {
    let unreadable = |why: &str| EngineError::new(ErrorClass::Other, format!("an unreadable plan: {why}"));
    let mut steps = Vec::new();
    for row in rows {
        match step(row).ok_or_else(|| unreadable("a row is no step"))? {
            (0, _) => {}
            (_, words) => steps.push(words),
        }
    }
    if steps.is_empty() { Err(unreadable("it has no steps")) } else { Ok(steps.join(" > ")) }
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

    #[test]
    fn what_is_no_plan_is_refused() {
        assert!(compact(&[]).is_err());
        assert!(compact(&rows(&[("0", "SELECT STATEMENT", "", "")])).is_err());
        assert!(compact(&rows(&[("x", "INDEX", "", "")])).is_err());
        assert!(compact(&rows(&[("1", "", "", "")])).is_err());
        assert!(compact(&[vec![Some("0".to_owned())]]).is_err());
    }
}
