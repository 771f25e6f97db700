//! What is sent: statements, and the order and types of their values. No server is asked.

use super::*;
use dbdyno_engine::data::first_day;
use dbdyno_model::{ErrorClass, TableName, Test};
use dbdyno_testkit::conformance::catalogue::size_t;
use dbdyno_testkit::conformance::catalogue::{task, tests};

fn found(procedure: Procedure, table: TableName) -> Test {
    tests().into_iter().find(|test| test.procedure == procedure && test.table == Some(table)).unwrap()
}

fn form(test: &Test) -> Form {
    Form::of(&Recipe::of(test), &task(test, 1)).unwrap()
}

fn sent(procedure: Procedure, table: TableName, touch: Touch) -> (String, Vec<String>) {
    let form = form(&found(procedure, table));
    let mut small = Generator::new(&size_t(), Shape::Small, 42);
    let values = form.values(touch, &mut small).iter().map(|value| format!("{value:?}")).collect();
    (form.sql().split_whitespace().collect::<Vec<_>>().join(" "), values)
}

#[test]
fn statements_are_those_of_the_procedures_with_values_bound() {
    let touch = Touch { key: 65, other: 7, opens: false };
    let (sql, values) = sent(Procedure::SelectPrimary, TableName::LargeHeapRangeList, touch);
    let expected = "SELECT /*+ QB_NAME(DBDYNO_TEST) INDEX(large_heap_range_list large_heap_range_list_pk) */ quantity \
                    FROM large_heap_range_list WHERE id = :1";
    assert_eq!((sql.as_str(), values), (expected, vec!["Int(65)".to_owned()]));
    let (sql, values) = sent(Procedure::UpdatePrimary, TableName::SmallIotList, touch);
    assert!(sql.ends_with("WHERE id = :1 AND region = :2"), "{sql}");
    assert_eq!(values, ["Int(65)", "Int(2)"], "64 neighbours share a region");
    let (sql, values) = sent(Procedure::Join, TableName::LargeHeapRangeList, touch);
    assert!(
        sql.contains("COUNT(*), SUM(b.quantity) FROM small_heap a JOIN") && sql.ends_with("customer_id = :1"),
        "{sql}"
    );
    assert_eq!(values, ["Int(65)"]);
}

#[test]
fn an_insert_sends_the_row_that_it_copies_under_the_new_id() {
    let (sql, values) = sent(Procedure::Insert, TableName::SmallHash, Touch { key: 99, other: 7, opens: true });
    assert!(
        sql.ends_with("VALUES (:1, :2, :3, :4, :5, :6, :7, :8, :9)") && sql.contains("INTO load_hash (id, "),
        "{sql}"
    );
    let mut small = Generator::new(&size_t(), Shape::Small, 42);
    let row = small.row(7);
    assert_eq!(row.booked_on_days / 31, first_day(0) / 31);
    let expected = [
        Bind::Int(100),
        Bind::Int(row.customer_id),
        Bind::Int(row.ref_id),
        Bind::Int(row.region),
        Bind::day(row.booked_on_days),
        Bind::Int(row.quantity),
        Bind::cents(row.amount_cents),
        Bind::Text(row.status),
        Bind::Text(row.filler),
    ];
    assert_eq!(values, expected.map(|value| format!("{value:?}")));
}

#[test]
fn every_statement_is_counted_by_its_query_block_and_bound_in_order() {
    for test in tests() {
        let made = Form::of(&Recipe::of(&test), &task(&test, 1));
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
    let own = Task { commit: CommitMode::EngineDefault, ..task(&update, 1) };
    assert_eq!(Form::of(&Recipe::of(&update), &own).unwrap().settings(), [""; 0]);
    assert_eq!(form(&found(Procedure::SelectPrimary, TableName::SmallHeap)).settings(), [""; 0]);
}
