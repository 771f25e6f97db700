//! What a client sends: which keys, in which order.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use dbdyno_engine::Task;
use dbdyno_engine::client::Transactions;
use dbdyno_model::Procedure;
use dbdyno_testkit::conformance::catalogue;
use std::collections::BTreeSet;

fn task(procedure: Procedure) -> Task {
    let test = catalogue::tests().into_iter().find(|test| test.procedure == procedure).unwrap();
    Task { jobs: 3, rows_per_tx: 4, ..catalogue::task(&test, 1) }
}

/// Keys of the first transactions of each job.
fn keys(task: &Task) -> Vec<Vec<u64>> {
    let of_job = |job| {
        let mut transactions = Transactions::new(task, job);
        let mut keys = Vec::new();
        for _ in 0..50 {
            keys.extend((0..transactions.statements()).map(|i| transactions.statement(i).key));
            transactions.advance();
        }
        keys
    };
    (0..task.jobs).map(of_job).collect()
}

#[test]
fn jobs_that_write_never_meet() {
    for procedure in [Procedure::Insert, Procedure::UpdatePrimary, Procedure::UpdateSecondary] {
        let jobs: Vec<BTreeSet<u64>> = keys(&task(procedure)).into_iter().map(BTreeSet::from_iter).collect();
        assert!(jobs[0].is_disjoint(&jobs[1]) && jobs[1].is_disjoint(&jobs[2]), "{procedure:?}");
    }
}

#[test]
fn rows_are_inserted_without_a_gap() {
    let mut numbers: Vec<u64> = keys(&task(Procedure::Insert)).concat();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..600).collect::<Vec<_>>());
}

#[test]
fn a_transaction_that_is_sent_again_is_the_same() {
    for test in catalogue::tests().into_iter().filter(|test| test.procedure.has_client_form()) {
        let mut transactions = Transactions::new(&catalogue::task(&test, 1), 0);
        for _ in 0..3 {
            let send = |all: &mut Transactions| (0..all.statements()).map(|i| all.statement(i)).collect::<Vec<_>>();
            let first = send(&mut transactions);
            transactions.again();
            assert_eq!(send(&mut transactions), first, "{}", test.code);
            transactions.advance();
        }
    }
}

#[test]
fn what_ends_with_a_commit_begins_with_its_first_statement() {
    for test in catalogue::tests().into_iter().filter(|test| test.procedure.has_client_form()) {
        let mut transactions = Transactions::new(&catalogue::task(&test, 1), 0);
        let opens: Vec<bool> = (0..transactions.statements()).map(|i| transactions.statement(i).opens).collect();
        assert_eq!(opens[0], transactions.commits(), "{}", test.code);
        assert!(opens[1..].iter().all(|opens| !opens), "{}", test.code);
    }
}
