//! What is sent, without a server.

use super::*;
use dbdyno_model::TableName;
use dbdyno_testkit::conformance::catalogue::{task, tests};

fn form(procedure: Procedure, table: TableName) -> (Form, Task) {
    let of = |test: &&dbdyno_model::Test| test.procedure == procedure && test.table == Some(table);
    let test = tests().iter().find(of).cloned().unwrap();
    let task = task(&test, 1);
    (Form::of(&Recipe::of(&test).unwrap(), &task).unwrap(), task)
}

#[test]
fn statements_are_those_of_the_procedures_with_parameters_and_without_sums() {
    use Parameter::{From, Key, Source, To};
    let (lookup, _) = form(Procedure::SelectPrimary, TableName::LargeHeapRangeList);
    let sql = "SELECT 1, quantity FROM large_heap_range_list
      WHERE id = ? AND region = 1 + ? DIV 64 % 4 AND booked_on >= ? AND booked_on < ? + INTERVAL 1 MONTH";
    assert_eq!(words(&lookup.test.sql), words(sql));
    assert_eq!(lookup.test.parameters, [Key, Key, From, From]);
    let (insert, _) = form(Procedure::Insert, TableName::SmallIot);
    assert!(insert.test.sql.starts_with("INSERT INTO load_iot (id, ") && !insert.test.sql.contains('@'), "{insert:?}");
    assert_eq!(insert.test.parameters, [Key, Source]);
    let (search, _) = form(Procedure::SelectSecondary, TableName::LargeHeapRangeList);
    assert_eq!(search.test.parameters, [Key, From, To]);
    let (join, _) = form(Procedure::Join, TableName::LargeHeapRangeList);
    assert_eq!(join.finds.unwrap().sql, "SELECT ref_id FROM small_heap WHERE customer_id = ?");
}

fn words(sql: &str) -> Vec<&str> {
    sql.split_whitespace().collect()
}

#[test]
fn values_come_from_the_key() {
    let (insert, _) = form(Procedure::Insert, TableName::SmallHeap);
    let Values { key, source, .. } = insert.values(Touch { key: 0, other: 7, opens: true });
    assert_eq!((key, source), (1, 7), "numbers count from 0, ids from 1");
    let (lookup, task) = form(Procedure::SelectPrimary, TableName::LargeHeapRangeList);
    let month = |key| lookup.values(Touch { key, ..Touch::default() }).from_month;
    let small_rows = task.size.small_rows;
    assert_eq!([1, small_rows, small_rows + 1, 32 * small_rows].map(month), [0, 0, 1, 31]);
    let (search, _) = form(Procedure::SelectSecondary, TableName::LargeHeapRangeList);
    let halves = search.halves(Touch { key: 3, other: 30, opens: false }).unwrap();
    assert_eq!(halves.map(|half| [half.from_month, half.to_month]), [[30, 32], [0, 30]]);
    let (plain, _) = form(Procedure::SelectSecondary, TableName::SmallHeap);
    assert_eq!(plain.halves(Touch::default()), None);
}

#[test]
fn every_test_with_a_client_form_has_an_example_that_can_be_run_by_hand() {
    for test in tests().into_iter().filter(|test| test.procedure.has_client_form()) {
        let task = task(&test, 1);
        let sent = Form::of(&Recipe::of(&test).unwrap(), &task).unwrap().example(&task).unwrap();
        let all = sent.join(";\n");
        assert!(!all.contains(['?', '{', '@']) && !all.contains("v_") && !all.contains("p_rows"), "{all}");
        let commits = Transactions::new(&task, 0).commits();
        assert_eq!((sent[0] == BEGIN, sent.last().unwrap() == COMMIT), (commits, commits), "{all}");
    }
}

#[test]
fn what_no_client_would_send_is_unsupported() {
    for test in tests().into_iter().filter(|test| !test.procedure.has_client_form()) {
        let Ok(recipe) = Recipe::of(&test) else { continue };
        let refused = Form::of(&recipe, &task(&test, 1)).unwrap_err();
        assert_eq!(refused.class, ErrorClass::Unsupported, "{}", test.code);
    }
}
