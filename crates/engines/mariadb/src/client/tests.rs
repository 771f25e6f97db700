//! What is sent, without a server.

use super::*;
use crate::procedure::of;
use dbdyno_engine::client::{Parameter, Reads};
use dbdyno_engine::procedure::ClientForm;
use dbdyno_model::TableName;
use dbdyno_testkit::conformance::catalogue::{spec, tests};

fn form(procedure: &str, table: TableName) -> ClientForm {
    let named = |test: &&dbdyno_model::Test| test.procedure == procedure && test.table == Some(table);
    let test = tests().iter().find(named).cloned().unwrap();
    of(&test).unwrap().client_form().unwrap()
}

#[test]
fn statements_are_those_of_the_procedures_with_parameters_and_without_sums() {
    use Parameter::{From, Id, Key, LastKey, Source, To};
    let lookup = form("select_primary", TableName::LargeHeapRangeList);
    let sql = "SELECT 1, quantity FROM large_heap_range_list
      WHERE id = ? AND region = 1 + ? DIV 64 % 4 AND booked_on >= ? AND booked_on < ? + INTERVAL 1 MONTH";
    assert_eq!(words(&lookup.texts[0].sql), words(sql));
    assert_eq!(lookup.texts[0].parameters, [Key, Key, From, From]);
    let insert = form("insert", TableName::SmallIot);
    let sql = &insert.texts[0].sql;
    assert!(sql.starts_with("INSERT INTO load_iot (id, ") && !sql.contains('@'), "{sql}");
    assert_eq!((insert.form.parameters.as_slice(), insert.form.reads), (&[Id, Source][..], Reads::Changes));
    let search = form("select_secondary", TableName::LargeHeapRangeList);
    assert_eq!(search.form.parameters, [Key, From, To]);
    let join = form("join", TableName::LargeHeapRangeList);
    assert_eq!(join.texts[0].sql, "SELECT ref_id FROM small_heap WHERE customer_id = ?");
    let range = form("select_range", TableName::SmallHeap);
    assert_eq!(range.texts[0].sql, "SELECT quantity FROM small_heap WHERE id BETWEEN ? AND ? ORDER BY id");
    assert_eq!((range.form.parameters.as_slice(), range.form.reads), (&[Key, LastKey][..], Reads::Quantities));
}

fn words(sql: &str) -> Vec<&str> {
    sql.split_whitespace().collect()
}

#[test]
fn searches_go_on_with_the_months_before_the_one_that_they_begin_with() {
    let of = |procedure, table| form(procedure, table).form;
    assert!(of("select_secondary", TableName::LargeHeapRangeList).in_two);
    assert!(!of("select_secondary", TableName::SmallHeap).in_two);
    assert!(!of("select_primary", TableName::LargeHeapRangeList).in_two);
    assert_eq!(of("join", TableName::LargeHeapRangeList).finds, Some(vec![Parameter::Key]));
}

#[test]
fn every_test_with_a_client_form_has_an_example_that_can_be_run_by_hand() {
    for test in tests().into_iter().filter(|test| test.procedure.has_client_form()) {
        let spec = spec(&test, 1);
        let sent = of(&test).unwrap().client_form().unwrap().example(&spec, 2, [BEGIN, COMMIT], written).unwrap();
        let all = sent.join(";\n");
        assert!(!all.contains(['?', '{', '@']) && !all.contains("v_") && !all.contains("p_rows"), "{all}");
        let commits = dbdyno_engine::client::commits(&spec);
        assert_eq!((sent[0] == BEGIN, sent.last().unwrap() == COMMIT), (commits, commits), "{all}");
    }
}

#[test]
fn what_no_client_would_send_is_unsupported() {
    for test in tests().into_iter().filter(|test| !test.procedure.has_client_form()) {
        let Ok(procedure) = of(&test) else { continue };
        assert_eq!(procedure.client_form().unwrap_err().class, ErrorClass::Unsupported, "{}", test.code);
    }
}

#[test]
fn calls_name_their_procedures() {
    for (sql, expected) in [
        ("CALL echo(?)", Some("echo")),
        (" call db.`echo` (?, 'a.b')", Some("echo")),
        ("CALL `db` . echo", Some("echo")),
        ("SELECT echo(?)", None),
        ("CALLED(?)", None),
    ] {
        assert_eq!(procedure(sql), expected, "{sql}");
    }
}

#[test]
fn values_come_back_as_numbers_and_texts() {
    let mut values = Values::new();
    let day = mysql::Value::Date(2026, 1, 31, 0, 0, 0, 0);
    for value in [
        mysql::Value::Int(-1),
        mysql::Value::UInt(u64::MAX),
        mysql::Value::Bytes(b"12.50".to_vec()),
        mysql::Value::NULL,
        day,
    ] {
        take(value, &mut values);
    }
    let expected = [
        Value::Int(-1),
        Value::Text("18446744073709551615"),
        Value::Text("12.50"),
        Value::Null,
        Value::Text("2026-01-31"),
    ];
    assert_eq!(values.iter().collect::<Vec<_>>(), expected);
}
