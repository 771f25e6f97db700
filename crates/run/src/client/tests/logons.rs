//! Sessions that are opened for each transaction.

use super::spec;
use crate::client::{LoggingOn, LogonSession};
use crate::{ClientContext, ClientDrive, Window, WindowMode};
use dbdyno_engine::client::{Answer, Bound, PrepareWhen, Statements, TestForm, TestProgram, Values};
use dbdyno_engine::program::{Act, Program as _};
use dbdyno_engine::{ChunkResult, EngineError, Failure, MonotonicClock, Reply, Request, Session as _, Step, Work as _};
use dbdyno_model::{ClientLoad, CommitMode, ErrorClass};
use dbdyno_null::{Behaviour, NullEngine};
use std::sync::Arc;

fn program() -> LoggingOn<TestProgram> {
    LoggingOn::new(TestProgram::new(&spec(1), 0, TestForm::default()))
}

#[test]
fn a_transaction_logs_on_first_and_off_last_and_keeps_its_session_where_it_is_sent_again() {
    let mut program = program();
    let done = ChunkResult::default();
    for again in [false, true] {
        program.begin();
        assert_eq!(program.act(None), Act::LogOn);
        let first = program.act(None);
        assert!(matches!(first, Act::Execute { .. }), "{first:?}");
        if again {
            program.again();
            assert_eq!(program.act(None), first, "nobody logs on twice");
        }
        let mut acts = std::iter::from_fn(|| Some(program.act(Some((&done, Answer::NONE)))));
        assert_eq!(acts.find(|act| !matches!(act, Act::Execute { .. } | Act::Commit)), Some(Act::LogOff));
        assert_eq!(acts.next(), Some(Act::Ended));
    }
}

/// What a logon does is no work, so one that fails leaves nothing unknown. It ends the point, as with fewer users
/// something else would be measured.
#[test]
fn a_logon_that_fails_leaves_no_transaction_unknown_and_ends_the_point() {
    let (gone, refused) = (ErrorClass::ConnectionLost, ErrorClass::Other);
    for (lost, class, unknown) in
        [(Act::LogOn, gone, 0), (Act::LogOn, refused, 0), (Act::LogOn, ErrorClass::Conflict, 0), (Act::Commit, gone, 1)]
    {
        let window = Window::new(WindowMode::Steady { warm_up_ns: 0, duration_ns: 1_000_000_000, least_chunks: 0 }, 1);
        let context = ClientContext::new(&window, ClientLoad::default(), None, &spec(1));
        let mut drive: ClientDrive<'_, _> = context.job(program(), 0);
        let mut step = drive.next(1, None);
        for now_ns in 2.. {
            let fails = match &step {
                Step::Execute(Request::LogOn) => lost == Act::LogOn,
                Step::Execute(_) => lost == Act::Commit,
                _ => break,
            };
            let failed = || Failure::from(EngineError::new(class, "told to fail"));
            let result = if fails { Err(failed()) } else { Ok(ChunkResult::default()) };
            let reply = Reply { started_ns: now_ns - 1, ended_ns: now_ns, result, answer: Answer::NONE };
            step = drive.next(now_ns, Some(reply));
        }
        let counts = drive.into_counts();
        assert!(counts.error.is_some() && window.over(), "{lost:?} {class:?} ends the point");
        assert_eq!(counts.outcomes.errors.values().sum::<u64>(), 1, "{counts:?}");
        assert_eq!(counts.types[0].unknown, unknown, "{lost:?} is lost: {counts:?}");
    }
}

/// A transaction is as long as its user waits: from the logon to the end of the logoff.
#[test]
fn a_transaction_is_timed_with_its_logon_and_its_logoff() {
    const MS: u64 = 1_000_000;
    let window = Window::new(WindowMode::Steady { warm_up_ns: 0, duration_ns: 1_000 * MS, least_chunks: 0 }, 1);
    let context = ClientContext::new(&window, ClientLoad::default(), None, &spec(1));
    let mut drive = context.job(program(), 0);
    let (mut now_ns, mut requests, mut ended) = (1, 0, 0);
    let mut step = drive.next(now_ns, None);
    while ended < 3 {
        let Step::Execute(request) = &step else { panic!("{step:?}") };
        requests += 1;
        ended += u64::from(*request == Request::LogOff);
        let (started_ns, result) = (now_ns, Ok(ChunkResult::default()));
        now_ns += MS;
        step = drive.next(now_ns, Some(Reply { started_ns, ended_ns: now_ns, result, answer: Answer::NONE }));
    }
    let counts = drive.into_counts();
    let result = context.gather(vec![counts]);
    // Each request takes 1 ms. The first transaction ends the warm-up.
    let mean_ms = result.service.mean_ns().unwrap() / MS as f64;
    assert!((mean_ms - f64::from(requests) / 3.0).abs() < 0.01, "{mean_ms} ms of {requests} requests");
}

#[test]
fn what_stands_for_a_session_works_only_while_somebody_is_logged_on_and_obeys_a_stop() {
    let engine = NullEngine::new(Behaviour::default(), spec(1).size, Arc::new(MonotonicClock::default()));
    let mut session = LogonSession::new(&engine, 0, 1);
    let statements = Statements {
        work: "work".to_owned(),
        texts: vec!["SELECT 1".to_owned().into()],
        commit: CommitMode::Durable,
        prepared: PrepareWhen::Beforehand,
    };
    let values = Values::new();
    let select = Request::Statement(Bound { statement: 0, values: &values, times: 1, opens: false });
    assert!(session.execute(&Request::LogOn).is_err(), "it is prepared for nothing");
    session.prepare_statements(&statements).unwrap();
    assert!(session.execute(&select).is_err(), "nobody is logged on");
    for _ in 0..2 {
        session.execute(&Request::LogOn).unwrap();
        session.execute(&select).unwrap();
        session.execute(&Request::LogOff).unwrap();
        assert!(session.execute(&select).is_err(), "nobody is logged on any more");
    }
    session.flush().unwrap();
    session.canceller().cancel();
    let stopped = session.execute(&Request::LogOn).unwrap_err().error;
    assert_eq!(stopped.class, ErrorClass::Cancelled, "{stopped}");
}
