//! What a client sends: which keys, in which order, and what it makes of the answers.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use dbdyno_engine::client::{Answer, Parameter, Reads, TestForm, TestProgram, Value, commits};
use dbdyno_engine::data::{Generator, first_day};
use dbdyno_engine::program::{Act, Outcome, Program as _};
use dbdyno_engine::{ChunkResult, PointSpec};
use dbdyno_model::{TableShape, Test};
use dbdyno_testkit::conformance::catalogue;
use std::collections::BTreeSet;

fn test(procedure: &str) -> Test {
    catalogue::tests().into_iter().find(|test| test.procedure == procedure).unwrap()
}

fn spec(procedure: &str) -> PointSpec {
    PointSpec { jobs: 3, rows_per_tx: 4, ..catalogue::spec(&test(procedure), 1) }
}

/// The first value of each statement of a transaction, all of which touch one row.
fn transaction(program: &mut TestProgram) -> Vec<i64> {
    let done = ChunkResult { rows: 1, ..ChunkResult::default() };
    let (mut firsts, mut act) = (Vec::new(), program.act(None));
    while act != Act::Ended {
        if let (Act::Execute { .. }, Some(Value::Int(first))) = (act, program.values().get(0)) {
            firsts.push(first);
        }
        act = program.act(Some((&done, Answer::NONE)));
    }
    firsts
}

/// Keys of the first transactions of each job.
fn keys(spec: &PointSpec) -> Vec<Vec<i64>> {
    let of_job = |job| {
        let mut program = TestProgram::new(spec, job, TestForm::default());
        let of_next = |_| {
            program.begin();
            let keys = transaction(&mut program);
            program.ended(Outcome::Committed);
            keys
        };
        (0..50).flat_map(of_next).collect()
    };
    (0..spec.jobs).map(of_job).collect()
}

/// Tests that a client can drive.
fn tests() -> impl Iterator<Item = Test> {
    catalogue::tests().into_iter().filter(|test| test.procedure.has_client_form())
}

#[test]
fn jobs_that_write_never_meet() {
    for procedure in ["insert", "update_primary", "update_secondary"] {
        let jobs: Vec<BTreeSet<i64>> = keys(&spec(procedure)).into_iter().map(BTreeSet::from_iter).collect();
        assert!(jobs[0].is_disjoint(&jobs[1]) && jobs[1].is_disjoint(&jobs[2]), "{procedure:?}");
    }
}

#[test]
fn rows_are_inserted_without_a_gap() {
    let mut numbers: Vec<i64> = keys(&spec("insert")).concat();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..600).collect::<Vec<_>>());
}

#[test]
fn a_transaction_that_is_sent_again_is_the_same() {
    for test in tests() {
        let mut program = TestProgram::new(&catalogue::spec(&test, 1), 0, TestForm::default());
        for _ in 0..3 {
            program.begin();
            let first = transaction(&mut program);
            program.again();
            assert_eq!(transaction(&mut program), first, "{}", test.code);
            program.ended(Outcome::Committed);
        }
    }
}

#[test]
fn what_ends_with_a_commit_begins_with_its_first_statement() {
    for test in tests() {
        let spec = catalogue::spec(&test, 1);
        let mut program = TestProgram::new(&spec, 0, TestForm::default());
        program.begin();
        let (mut opens, mut committed, mut act) = (Vec::new(), false, program.act(None));
        while act != Act::Ended {
            match act {
                Act::Execute { opens: this, .. } => opens.push(this),
                _ => committed = act == Act::Commit,
            }
            act = program.act(Some((&ChunkResult::default(), Answer::NONE)));
        }
        assert_eq!((opens[0], committed), (commits(&spec), commits(&spec)), "{}", test.code);
        assert!(opens[1..].iter().all(|opens| !opens), "{}", test.code);
    }
}

/// The values of the first statement of a job's first transaction, after so many others.
fn values(spec: &PointSpec, parameters: &[Parameter], in_two: bool, others: u32) -> Vec<Value<'static>> {
    let form = TestForm { parameters: parameters.to_vec(), in_two, ..TestForm::default() };
    let mut program = TestProgram::new(spec, 0, form);
    (0..others).for_each(|_| program.ended(Outcome::Committed));
    program.begin();
    assert!(matches!(program.act(None), Act::Execute { statement: 0, times, .. } if times == 1 + usize::from(in_two)));
    let kept = |value| match value {
        Value::Text(text) => Value::Text(text.to_owned().leak()),
        Value::Int(number) => Value::Int(number),
        Value::Day(days) => Value::Day(days),
        Value::Cents(cents) => Value::Cents(cents),
        Value::Null => Value::Null,
    };
    program.values().iter().map(kept).collect()
}

#[test]
fn a_client_that_sends_whole_rows_sends_the_one_that_it_copies_under_the_new_id() {
    use Parameter::{Amount, BookedOn, CustomerId, Filler, Id, Quantity, RefId, Region, Source, Status};
    let spec = PointSpec { jobs: 1, rows_per_tx: 1, ..catalogue::spec(&test("insert"), 1) };
    let columns = [Id, CustomerId, RefId, Region, BookedOn, Quantity, Amount, Status, Filler];
    let mut small = Generator::new(&spec.size, TableShape::Small, spec.seed);
    let row = small.row(7 % spec.size.small_rows);
    let expected = [
        Value::Int(7),
        Value::Int(row.customer_id),
        Value::Int(row.ref_id),
        Value::Int(row.region),
        Value::Day(row.booked_on_days as i32),
        Value::Int(row.quantity),
        Value::Cents(row.amount_cents),
        Value::Text(row.status),
        Value::Text(row.filler),
    ];
    assert_eq!(values(&spec, &columns, false, 6), expected, "numbers count from 0, ids from 1");
    assert_eq!(values(&spec, &[Id, Source], false, 6), [Value::Int(7), Value::Int(7)]);
}

#[test]
fn days_are_those_of_the_month_that_a_row_lies_in_or_of_both_parts_of_a_search() {
    use Parameter::{From, Key, To};
    let large = |procedure| {
        let of =
            |test: &Test| test.procedure == procedure && test.table.is_some_and(|t| t.shape() == TableShape::Large);
        let test = catalogue::tests().into_iter().find(of).unwrap();
        PointSpec { rows_per_tx: 1, ..catalogue::spec(&test, 1) }
    };
    let day = |month| Value::Day(first_day(month) as i32);
    let lookup = large("select_primary");
    for others in 0..20 {
        let [Value::Int(key), from, to] = values(&lookup, &[Key, From, To], false, others)[..] else { panic!() };
        let month = (key as u64 - 1) / lookup.size.small_rows;
        assert_eq!((from, to), (day(month), day(month + 1)));
    }
    let search = values(&large("select_secondary"), &[Key, From, To], true, 3);
    assert_eq!((search[0], search[2], search[4]), (search[3], day(32), day(0)));
    assert_eq!(search[1], search[5], "the second part ends where the first began");
}

/// Rows and checksum of a transaction of one statement that is answered so.
fn did(procedure: &str, reads: Reads, rows: u64, answer: &Answer) -> (u64, u64) {
    let form = TestForm { reads, ..TestForm::default() };
    let spec = PointSpec { rows_per_tx: 1, ..catalogue::spec(&test(procedure), 1) };
    let mut program = TestProgram::new(&spec, 0, form);
    program.begin();
    program.act(None);
    let done = ChunkResult { rows, checksum: answer.sum(), ..ChunkResult::default() };
    assert_eq!(program.act(Some((&done, answer))), Act::Ended);
    (program.did().rows, program.did().checksum)
}

#[test]
fn answers_are_added_up_as_procedures_do() {
    let mut answer = Answer::default();
    answer.begin_row().push(320).push("7");
    answer.begin_row().push(0).push(Value::Null);
    assert_eq!(did("select_secondary", Reads::Sums, 2, &answer), (320, 7));
    let mut one = Answer::default();
    one.begin_row().push(33);
    assert_eq!(did("select_primary", Reads::Quantities, 1, &one), (1, 33));
    assert_eq!(did("update_primary", Reads::Changes, 0, Answer::NONE), (0, 0), "nothing was changed");
    let key = keys(&PointSpec { jobs: 2, rows_per_tx: 1, ..spec("update_primary") })[0][0];
    assert_eq!(did("update_primary", Reads::Changes, 1, Answer::NONE), (1, key as u64));
    let spec = spec("insert");
    let copied = Generator::new(&spec.size, TableShape::Small, spec.seed).quantity(1);
    assert_eq!(did("insert", Reads::Changes, 1, Answer::NONE), (1, copied));
}

#[test]
fn rows_that_were_found_are_looked_up_one_by_one() {
    let form = TestForm { reads: Reads::Sums, finds: Some(vec![Parameter::Key]), ..TestForm::default() };
    let mut program = TestProgram::new(&spec("join"), 0, form);
    let (mut found, mut partner) = (Answer::default(), Answer::default());
    [5, 9].iter().for_each(|ref_id| _ = found.begin_row().push(*ref_id));
    partner.begin_row().push(1).push(20);
    program.begin();
    let done = ChunkResult::default();
    assert_eq!(program.act(None), Act::Execute { statement: 0, times: 1, opens: false });
    for (ref_id, answer) in [(5, &found), (9, &partner)] {
        assert_eq!(program.act(Some((&done, answer))), Act::Execute { statement: 1, times: 1, opens: false });
        assert_eq!(program.values().get(0), Some(Value::Int(32 * ref_id - 16)));
    }
    assert_eq!(program.act(Some((&done, &partner))), Act::Ended);
    assert_eq!((program.did().rows, program.did().checksum), (2, 40));
}
