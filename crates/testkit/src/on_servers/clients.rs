//! What the client drive does according to the server.

use super::points::{conforms, with_engine};
use super::{Product, spec};
use crate::conformance::{self, EngineUnderTest, catalogue};
use crate::servers::fixtures::Database;
use crate::servers::{RoundTrips, Scratch as _};
use dbdyno_engine::client::{TestProgram, commits};
use dbdyno_engine::{Engine, PointSpec, Request, Sampling, Session, Target};
use dbdyno_model::{Counter, Drive, ErrorClass, Mapping};
use std::sync::Barrier;

/// Lists the tests of the client drive, for products whose engine has one.
#[macro_export]
macro_rules! clients {
    ($product:ty) => {
        $crate::points! { $product:
            clients_do_what_procedures_do
            what_a_client_rolls_back_was_never_there
            clients_can_be_stopped
            clients_are_refused_what_nobody_would_send
            statements_of_ones_own_take_values_and_answer
            transactions_go_by_what_they_have_read
            a_statement_that_fails_takes_its_transaction_with_it
            a_clients_commits_are_not_foreign
            calls_give_their_output_values
            a_client_in_a_deadlock_is_told_and_goes_on
            a_call_in_a_deadlock_is_told_and_goes_on
            clients_take_no_more_round_trips_than_their_work_needs
        }
    };
}

pub fn clients_do_what_procedures_do<S: Product>() {
    conforms::<S>(&[conformance::client::clients_do_what_procedures_do]);
}

pub fn what_a_client_rolls_back_was_never_there<S: Product>() {
    conforms::<S>(&[conformance::client::what_a_client_rolls_back_was_never_there]);
}

pub fn clients_can_be_stopped<S: Product>() {
    conforms::<S>(&[conformance::client::clients_can_be_stopped]);
}

pub fn clients_are_refused_what_nobody_would_send<S: Product>() {
    conforms::<S>(&[conformance::client::clients_are_refused_what_nobody_would_send]);
}

fn own_statements<S: Product>(check: fn(&EngineUnderTest<'_>, &str)) {
    with_engine::<S>(&S::fixtures().loaded(), 42, |under_test| check(under_test, &S::Server::table("small_heap")));
}

pub fn statements_of_ones_own_take_values_and_answer<S: Product>() {
    own_statements::<S>(conformance::own_statements::statements_of_ones_own_take_values_and_answer);
}

pub fn transactions_go_by_what_they_have_read<S: Product>() {
    own_statements::<S>(conformance::own_statements::transactions_go_by_what_they_have_read);
}

pub fn a_statement_that_fails_takes_its_transaction_with_it<S: Product>() {
    own_statements::<S>(conformance::own_statements::a_statement_that_fails_takes_its_transaction_with_it);
}

/// Makes the procedures that tests call.
fn make_procedures<S: Product>(database: &Database<S::Server>) {
    database.sql(S::Server::KNOWN.procedures);
}

pub fn calls_give_their_output_values<S: Product>() {
    let database = S::fixtures().loaded();
    make_procedures::<S>(&database);
    with_engine::<S>(&database, 42, |under_test| {
        for check in [
            conformance::calls::calls_give_their_output_values,
            conformance::calls::a_call_that_fails_leaves_its_session_usable,
            conformance::calls::a_call_may_commit,
        ] {
            check(under_test, &S::Server::table);
        }
    });
}

/// No other session may be at work there.
pub fn a_clients_commits_are_not_foreign<S: Product>() {
    let (server, database) = S::alone();
    let engine = S::engine(&server, &database);
    for code in ["T711", "DBL-11", "T611"] {
        let spec = PointSpec { drive: Drive::Client, ..spec(code, 4) };
        let counted = conformance::client::run_point(&*engine, &spec).counted;
        // Fewer than one a second count as housekeeping; ours are 20.
        assert!(counted.get(Counter::ForeignCommits).unwrap() <= 4, "{code}: {counted:?}");
    }
}

pub fn a_client_in_a_deadlock_is_told_and_goes_on<S: Product>() {
    let database = S::fixtures().loaded();
    let engine = S::engine_on(&database);
    let spec = PointSpec { drive: Drive::Client, ..spec("T711", 2) };
    engine.begin_point(&spec).unwrap();
    two_in_a_deadlock(engine.as_ref(), |session, job| _ = session.prepare(&spec, job).unwrap());
    engine.end_point(&spec).unwrap();
}

pub fn a_call_in_a_deadlock_is_told_and_goes_on<S: Product>() {
    let database = S::fixtures().loaded();
    make_procedures::<S>(&database);
    let statements = conformance::calls::taking_rows(&S::Server::table);
    two_in_a_deadlock(S::engine_on(&database).as_ref(), |session, _| session.prepare_statements(&statements).unwrap());
}

/// A deadlock of two clients: one loses its transaction, reports why, and can send it again. `prepare` prepares a
/// statement that locks the row with the given id.
fn two_in_a_deadlock(engine: &dyn Engine, prepare: impl Fn(&mut dyn Session, u32)) {
    let mut sessions: Vec<_> = (0..2).map(|job| engine.client_session(job, 1).unwrap()).collect();
    let update = |session: &mut dyn Session, key, opens| conformance::client::execute(session, 0, &[key], opens);
    for (job, session) in (0..).zip(&mut sessions) {
        prepare(session.as_mut(), job);
        update(session.as_mut(), 1 + i64::from(job), true).unwrap();
    }
    // The loser waits for the other's commit, because otherwise both could deadlock again.
    let settled = Barrier::new(2);
    let lost: u64 = std::thread::scope(|scope| {
        let jobs: Vec<_> = (0..)
            .zip(&mut sessions)
            .map(|(job, session)| {
                let settled = &settled;
                scope.spawn(move || {
                    let [own, others] = [1 + job, 2 - job];
                    let lost = update(session.as_mut(), others, false).err();
                    let first = if lost.is_some() { Request::Rollback } else { Request::Commit };
                    session.execute(&first).unwrap();
                    settled.wait();
                    let Some(failure) = lost else { return 0 };
                    assert_eq!(failure.error.class, ErrorClass::Conflict, "{}", failure.error);
                    update(session.as_mut(), own, true).unwrap();
                    update(session.as_mut(), others, false).unwrap();
                    session.execute(&Request::Commit).unwrap();
                    1
                })
            })
            .collect();
        jobs.into_iter().map(|job| job.join().unwrap()).sum()
    });
    assert_eq!(lost, 1, "one of them loses");
}

/// Round trips are counted on the way to the server. A call is one, whatever it returns.
pub fn clients_take_no_more_round_trips_than_their_work_needs<S: Product>() {
    const TRANSACTIONS: u64 = 4;
    let database = S::fixtures().loaded();
    let round_trips = RoundTrips::before(database.server.port);
    let target = database.server.tcp(&S::user_over_tcp(&database), &database.name);
    let target = target.replace(&format!(":{}/", database.server.port), &format!(":{}/", round_trips.port));
    let engine = (S::INFO.open)(&Target::parse(&target).unwrap(), &catalogue::size_t()).unwrap();
    for test in catalogue::tests().into_iter().filter(|test| test.procedure.has_client_form()) {
        if matches!(S::mapping(&test), Mapping::None { .. }) {
            continue;
        }
        // Sampling the sessions would cause round trips, too.
        let spec = PointSpec {
            drive: Drive::Client,
            sampling: Sampling::Off,
            test: test.clone(),
            ..spec(test.code.as_str(), 1)
        };
        let (mut sessions, prepared) = conformance::begin_point(&*engine, &spec);
        let mut program = TestProgram::new(&spec, 0, prepared.form.unwrap());
        let before = round_trips.count();
        conformance::client::send(sessions[0].as_mut(), &mut program, TRANSACTIONS).unwrap();
        let taken = round_trips.count() - before;
        let each = S::round_trips(&test, program.statements(), commits(&spec));
        assert_eq!(taken, TRANSACTIONS * each, "{}", test.code);
        drop(sessions);
        engine.end_point(&spec).unwrap();
    }
    make_procedures::<S>(&database);
    let mut session = engine.client_session(0, 1).unwrap();
    session.prepare_statements(&conformance::calls::taking_rows(&S::Server::table)).unwrap();
    let before = round_trips.count();
    for key in 1..=5 {
        conformance::client::execute(session.as_mut(), 0, &[key], false).unwrap();
        assert_eq!(session.answer().rows(), 1);
    }
    assert_eq!(round_trips.count() - before, 5, "a call is a round trip");
}
