//! What is sent: statements, and the order and types of their values. No server is asked.

use super::*;
use crate::procedure::of;
use dbdyno_engine::client::{Parameter, Place, StatementText, Value, ValueType};
use dbdyno_engine::procedure::ClientText;
use dbdyno_model::{TableName, Test};
use dbdyno_testkit::conformance::catalogue::tests;

fn found(procedure: &str, table: TableName) -> Test {
    tests().into_iter().find(|test| test.procedure == procedure && test.table == Some(table)).unwrap()
}

fn text(test: &Test) -> ClientText {
    of(test).unwrap().client_form().unwrap().texts.remove(0)
}

/// The statement, and what its places are given.
fn sent(procedure: &str, table: TableName) -> (String, Vec<Parameter>) {
    let text = text(&found(procedure, table));
    (text.sql.split_whitespace().collect::<Vec<_>>().join(" "), text.parameters)
}

#[test]
fn statements_are_those_of_the_procedures_with_values_bound() {
    use Parameter::{Key, LastKey, Region};
    let (sql, parameters) = sent("select_primary", TableName::LargeHeapRangeList);
    let expected = "SELECT /*+ QB_NAME(DBDYNO_TEST) INDEX(large_heap_range_list large_heap_range_list_pk) */ quantity \
                    FROM large_heap_range_list WHERE id = :1";
    assert_eq!((sql.as_str(), parameters), (expected, vec![Key]));
    let (sql, parameters) = sent("update_primary", TableName::SmallIotList);
    assert!(sql.ends_with("WHERE id = :1 AND region = :2"), "{sql}");
    assert_eq!(parameters, [Key, Region]);
    let (sql, parameters) = sent("select_range", TableName::SmallIot);
    assert!(sql.ends_with("WHERE id BETWEEN :1 AND :2 ORDER BY id"), "{sql}");
    assert_eq!(parameters, [Key, LastKey]);
    let (sql, parameters) = sent("join", TableName::LargeHeapRangeList);
    assert!(
        sql.contains("COUNT(*), SUM(b.quantity) FROM small_heap a JOIN") && sql.ends_with("customer_id = :1"),
        "{sql}"
    );
    assert_eq!(parameters, [Key]);
}

#[test]
fn an_insert_sends_the_row_that_it_copies_under_the_new_id() {
    use Parameter::{Amount, BookedOn, CustomerId, Filler, Id, Quantity, RefId, Region, Status};
    let (sql, parameters) = sent("insert", TableName::SmallHash);
    assert!(
        sql.ends_with("VALUES (:1, :2, :3, :4, :5, :6, :7, :8, :9)") && sql.contains("INTO load_hash (id, "),
        "{sql}"
    );
    assert_eq!(parameters, [Id, CustomerId, RefId, Region, BookedOn, Quantity, Amount, Status, Filler]);
    let bound = [Value::Day(18_262), Value::Cents(-1_250), Value::Null].map(|value| format!("{:?}", Bind::from(value)));
    let expected = [Bind::day(18_262), Bind::cents(-1_250), Bind::Text("")].map(|value| format!("{value:?}"));
    assert_eq!(bound, expected);
}

#[test]
fn every_statement_is_counted_by_its_query_block_and_bound_in_order() {
    for test in tests() {
        let procedure = of(&test).unwrap();
        if !test.procedure.has_client_form() {
            assert_eq!(procedure.client_form().unwrap_err().class, ErrorClass::Unsupported, "{}", test.code);
            continue;
        }
        let ClientText { sql, parameters, .. } = text(&test);
        assert_eq!(sql.matches("QB_NAME(DBDYNO_TEST)").count(), 1, "{sql}");
        let left = [" v_", "(v_", " p_", "/*test", "{", ";"];
        assert!(left.iter().all(|left| !sql.contains(left)), "{sql}");
        let at = |n: usize| sql.find(&format!(":{n}"));
        assert!((1..parameters.len()).all(|n| at(n) < at(n + 1)), "{sql}");
    }
}

#[test]
fn commits_wait_for_the_log_unless_somebody_wants_the_engines_own() {
    assert_eq!(commit_settings(CommitMode::Durable), DURABLE);
    assert_eq!(commit_settings(CommitMode::EngineDefault), [""; 0]);
}

fn prepared(text: &StatementText) -> PreparedText {
    PreparedText::of(text, crate::DIALECT.procedures().unwrap()).unwrap()
}

#[test]
fn each_place_has_its_value() {
    let text = |sql: &str| prepared(&StatementText::from(sql.to_owned()));
    let update = text("update a set b = b + :2, c = :1 where d = :2");
    assert_eq!(update.sql, "update a set b = b + :1, c = :2 where d = :3");
    assert_eq!(update.places, [1, 0, 1].map(Place::Value));
    assert!(matches!(Sent::new(&update), Sent::Change(_)));
    assert!(matches!(Sent::new(&text("SELECT 1 FROM dual")), Sent::Query(_)));
    assert!(matches!(Sent::new(&text("DELETE FROM a")), Sent::Change(_)));
}

#[test]
fn a_call_brings_its_commit_along() {
    let outputs = vec![ValueType::Cents, ValueType::Text];
    let call = |sql: &str| prepared(&StatementText { outputs: outputs.clone(), ..sql.to_owned().into() });
    let text = call("call p(:2, :1, :3, :4)");
    let places = [Place::Value(1), Place::Value(0), Place::Output(outputs[0]), Place::Output(outputs[1])];
    assert_eq!(text.places, places);
    for (text, call) in [(text, "p(:1, :2, :3, :4);"), (call("BEGIN p(:1, :2); END;"), "BEGIN p(:1, :2); END;")] {
        let Sent::Call(blocks) = Sent::new(&text) else { panic!("{} is a call", text.sql) };
        assert_eq!(blocks, [format!("BEGIN {call} END;"), format!("BEGIN {call} COMMIT; END;")]);
    }
}

#[test]
fn sums_go_round_where_64_bits_end() {
    assert_eq!(sums(&[1, 2, 3, 4]), Some([1, 2, 3, 4]));
    assert_eq!(sums(&[1, 2, 3, -1]), Some([1, 2, 3, u64::MAX]));
    let beyond = i128::from(u64::MAX) + 8;
    assert_eq!(sums(&[1, 2, 3, beyond]), Some([1, 2, 3, 7]));
    assert_eq!(sums(&[beyond, 2, 3, 4]), None, "no count is as large");
    assert_eq!(sums(&[-1, 2, 3, 4]), None);
    assert_eq!(sums(&[1, 2, 3]), None);
}
