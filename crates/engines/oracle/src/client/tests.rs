//! What is sent: statements, and the order and types of their values. No server is asked.

use super::*;
use crate::connection::Bind;
use dbdyno_engine::client::Value;
use dbdyno_model::{ErrorClass, TableName, Test};
use dbdyno_testkit::conformance::catalogue::{spec, tests};

fn found(procedure: Procedure, table: TableName) -> Test {
    tests().into_iter().find(|test| test.procedure == procedure && test.table == Some(table)).unwrap()
}

fn form(test: &Test) -> Form {
    Form::of(&ProcedureSpec::of(test), &spec(test, 1)).unwrap()
}

/// The statement, and what its places are given.
fn sent(procedure: Procedure, table: TableName) -> (String, Vec<Parameter>) {
    let form = form(&found(procedure, table));
    (form.sql().split_whitespace().collect::<Vec<_>>().join(" "), form.parameters)
}

#[test]
fn statements_are_those_of_the_procedures_with_values_bound() {
    use Parameter::{Key, Region};
    let (sql, parameters) = sent(Procedure::SelectPrimary, TableName::LargeHeapRangeList);
    let expected = "SELECT /*+ QB_NAME(DBDYNO_TEST) INDEX(large_heap_range_list large_heap_range_list_pk) */ quantity \
                    FROM large_heap_range_list WHERE id = :1";
    assert_eq!((sql.as_str(), parameters), (expected, vec![Key]));
    let (sql, parameters) = sent(Procedure::UpdatePrimary, TableName::SmallIotList);
    assert!(sql.ends_with("WHERE id = :1 AND region = :2"), "{sql}");
    assert_eq!(parameters, [Key, Region]);
    let (sql, parameters) = sent(Procedure::Join, TableName::LargeHeapRangeList);
    assert!(
        sql.contains("COUNT(*), SUM(b.quantity) FROM small_heap a JOIN") && sql.ends_with("customer_id = :1"),
        "{sql}"
    );
    assert_eq!(parameters, [Key]);
}

#[test]
fn an_insert_sends_the_row_that_it_copies_under_the_new_id() {
    use Parameter::{Amount, BookedOn, CustomerId, Filler, Id, Quantity, RefId, Region, Status};
    let (sql, parameters) = sent(Procedure::Insert, TableName::SmallHash);
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
        let made = Form::of(&ProcedureSpec::of(&test), &spec(&test, 1));
        if !test.procedure.has_client_form() {
            assert_eq!(made.unwrap_err().class, ErrorClass::Unsupported, "{}", test.code);
            continue;
        }
        let form = made.unwrap();
        assert_eq!(form.sql().matches("QB_NAME(DBDYNO_TEST)").count(), 1, "{}", form.sql());
        let left = [" v_", "(v_", " p_", "/*test", "{", ";"];
        assert!(left.iter().all(|left| !form.sql().contains(left)), "{}", form.sql());
        let at = |n: usize| form.sql().find(&format!(":{n}"));
        assert!((1..form.parameters.len()).all(|n| at(n) < at(n + 1)), "{}", form.sql());
    }
}

#[test]
fn commits_wait_for_the_log_unless_somebody_wants_the_engines_own() {
    let update = found(Procedure::UpdatePrimary, TableName::SmallHeap);
    assert_eq!(form(&update).settings(), DURABLE);
    let own = PointSpec { commit: CommitMode::EngineDefault, ..spec(&update, 1) };
    assert_eq!(Form::of(&ProcedureSpec::of(&update), &own).unwrap().settings(), [""; 0]);
    assert_eq!(form(&found(Procedure::SelectPrimary, TableName::SmallHeap)).settings(), [""; 0]);
}
