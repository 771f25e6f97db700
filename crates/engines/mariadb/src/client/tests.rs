//! What is sent, without a server.

use super::*;
use dbdyno_model::{Procedure, TableName};
use dbdyno_testkit::conformance::catalogue::{spec, tests};

fn form(procedure: Procedure, table: TableName) -> (Form, PointSpec) {
    let of = |test: &&dbdyno_model::Test| test.procedure == procedure && test.table == Some(table);
    let test = tests().iter().find(of).cloned().unwrap();
    let spec = spec(&test, 1);
    (Form::of(&ProcedureSpec::of(&test).unwrap(), &spec).unwrap(), spec)
}

#[test]
fn statements_are_those_of_the_procedures_with_parameters_and_without_sums() {
    use Parameter::{From, Id, Key, Source, To};
    let (lookup, _) = form(Procedure::SelectPrimary, TableName::LargeHeapRangeList);
    let sql = "SELECT 1, quantity FROM large_heap_range_list
      WHERE id = ? AND region = 1 + ? DIV 64 % 4 AND booked_on >= ? AND booked_on < ? + INTERVAL 1 MONTH";
    assert_eq!(words(&lookup.test.sql), words(sql));
    assert_eq!(lookup.test.parameters, [Key, Key, From, From]);
    let (insert, _) = form(Procedure::Insert, TableName::SmallIot);
    assert!(insert.test.sql.starts_with("INSERT INTO load_iot (id, ") && !insert.test.sql.contains('@'), "{insert:?}");
    assert_eq!((insert.test.parameters.as_slice(), insert.test_form().reads), (&[Id, Source][..], Reads::Changes));
    let (search, _) = form(Procedure::SelectSecondary, TableName::LargeHeapRangeList);
    assert_eq!(search.test.parameters, [Key, From, To]);
    let (join, _) = form(Procedure::Join, TableName::LargeHeapRangeList);
    assert_eq!(join.finds.unwrap().sql, "SELECT ref_id FROM small_heap WHERE customer_id = ?");
}

fn words(sql: &str) -> Vec<&str> {
    sql.split_whitespace().collect()
}

#[test]
fn searches_go_on_with_the_months_before_the_one_that_they_begin_with() {
    let of = |procedure, table| form(procedure, table).0.test_form();
    assert!(of(Procedure::SelectSecondary, TableName::LargeHeapRangeList).in_two);
    assert!(!of(Procedure::SelectSecondary, TableName::SmallHeap).in_two);
    assert!(!of(Procedure::SelectPrimary, TableName::LargeHeapRangeList).in_two);
    assert_eq!(of(Procedure::Join, TableName::LargeHeapRangeList).finds, Some(vec![Parameter::Key]));
}

#[test]
fn every_test_with_a_client_form_has_an_example_that_can_be_run_by_hand() {
    for test in tests().into_iter().filter(|test| test.procedure.has_client_form()) {
        let spec = spec(&test, 1);
        let sent = Form::of(&ProcedureSpec::of(&test).unwrap(), &spec).unwrap().example(&spec).unwrap();
        let all = sent.join(";\n");
        assert!(!all.contains(['?', '{', '@']) && !all.contains("v_") && !all.contains("p_rows"), "{all}");
        let commits = dbdyno_engine::client::commits(&spec);
        assert_eq!((sent[0] == BEGIN, sent.last().unwrap() == COMMIT), (commits, commits), "{all}");
    }
}

#[test]
fn what_no_client_would_send_is_unsupported() {
    for test in tests().into_iter().filter(|test| !test.procedure.has_client_form()) {
        let Ok(procedure) = ProcedureSpec::of(&test) else { continue };
        let refused = Form::of(&procedure, &spec(&test, 1)).unwrap_err();
        assert_eq!(refused.class, ErrorClass::Unsupported, "{}", test.code);
    }
}
