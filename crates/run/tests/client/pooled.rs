//! Users who share sessions: the order is right, and no transaction is lost.

use super::*;
use dbdyno_engine::{MonotonicClock, ThreadPump};
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU64, Ordering};

/// The user of a key: each user owns the keys with its number modulo the number of users.
fn user_of(key: i64, users: u32) -> usize {
    ((key - 1) % i64::from(users)) as usize
}

/// The user of each transaction of a session, in order. Asserts that transactions do not interleave.
fn transactions(asked: &[(Sent, u64, bool)], users: u32) -> Vec<(usize, u64)> {
    let mut all = Vec::new();
    let mut open: Option<usize> = None;
    for (sent, ended_ns, done) in asked {
        match (sent, open) {
            (Sent::Statement { key, opens }, at) => {
                let user = user_of(*key, users);
                assert!(at.is_none_or(|at| at == user), "{user} was let in while {at:?} was at work");
                open = (at.is_some() || *opens && *done).then_some(user);
                if open.is_none() && *done {
                    all.push((user, *ended_ns));
                }
            }
            (Sent::Commit, Some(user)) => {
                all.push((user, *ended_ns));
                open = None;
            }
            (Sent::Rollback, Some(_)) => open = None,
            (Sent::Commit | Sent::Rollback, None) => panic!("nothing was open: {asked:?}"),
        }
    }
    all
}

#[test]
fn users_without_pauses_take_turns() {
    let (users, takes_ns) = (8, MS);
    let Outcome { result, asked, .. } =
        run_users(users, "T711", ClientLoad::default(), SECOND, vec![steady(takes_ns), steady(takes_ns)]);
    let mut order: Vec<(u64, usize)> =
        asked.iter().flat_map(|asked| transactions(asked, users)).map(|(user, ended_ns)| (ended_ns, user)).collect();
    order.sort_unstable();
    // Two at a time, and always those who have waited longest.
    for (n, pair) in order.chunks_exact(2).enumerate() {
        let mut both = [pair[0].1, pair[1].1];
        both.sort_unstable();
        assert_eq!(both, [2 * n % 8, (2 * n + 1) % 8]);
    }
    // Three other pairs come first each time.
    let wait = result.connection_wait.unwrap();
    assert_eq!([wait.percentile_ns(1.0), wait.max_ns()].map(|ns| ns.unwrap() / 10_000), [300; 2]);
    assert_eq!((wait.count(), result.service.count()), (2_000, 2_000));
    assert_eq!(result.service.max_ns().unwrap() / 10_000, 100, "service begins when it has one");
}

#[test]
fn who_is_due_takes_the_connection_that_is_free_first() {
    let (users, takes_ns) = (7, 9 * MS);
    let load = ClientLoad { queue: Some(dbdyno_model::Queue::Shared), ..open("250/s", Arrivals::Poisson) };
    let manners = vec![steady(takes_ns), steady(takes_ns), steady(takes_ns)];
    let Outcome { asked, span, .. } = run_users(users, "T711", load, 2 * SECOND, manners);
    let mut ends: Vec<u64> = asked.iter().flatten().map(|(_, ended_ns, _)| *ended_ns).collect();
    ends.sort_unstable();
    let table = Timetable::new(Arrivals::Poisson, 250.0, 0, 1);
    let mut free = BinaryHeap::from([std::cmp::Reverse(0u64); 3]);
    let mut expected: Vec<u64> = Vec::new();
    while expected.len() < ends.len() {
        let begins_ns = free.pop().unwrap().0.max(table.take());
        expected.push(begins_ns + takes_ns);
        free.push(std::cmp::Reverse(begins_ns + takes_ns));
    }
    assert_eq!(ends, expected, "to the nanosecond");
    assert!(ends.last().unwrap() >= &(span.unwrap().end_ns - 50 * MS));
}

#[test]
fn a_session_that_sleeps_for_one_user_is_not_needed_for_another() {
    // About one transaction every 2 s for each user: a session nearly always sleeps, and connections are never scarce.
    let load = ClientLoad { think: Some("1s..3s".parse().unwrap()), ..ClientLoad::default() };
    let Outcome { result, .. } = run_users(20, "T711", load, 60 * SECOND, vec![steady(MS), steady(MS), steady(MS)]);
    let wait = result.connection_wait.unwrap();
    assert!(wait.count().abs_diff(600) < 60, "{wait:?}");
    // A fourth user waits only while three are at work: 20 users, each at work a two-thousandth of the time.
    assert!(wait.percentile_ns(99.0).unwrap() == 0 && wait.max_ns().unwrap() <= MS, "{wait:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn nothing_and_nobody_is_lost(
        sessions in proptest::collection::vec((20_000u64..20_000_000, 0u64..9, 0u64..3), 1..5),
        more in 1u32..20,
        two_statements in any::<bool>(),
        begins in 0u64..4,
    ) {
        let users = sessions.len() as u32 + more;
        let manners = sessions.iter().map(|(takes_ns, fails_every, class)| -> Manner {
            let (takes_ns, fails_every) = (*takes_ns, *fails_every);
            let class = [ErrorClass::Other, ErrorClass::Conflict, ErrorClass::Timeout][*class as usize];
            Arc::new(move |n| (takes_ns, (fails_every > 2 && n.is_multiple_of(fails_every)).then_some(class)))
        }).collect();
        let apart = |queue| ClientLoad { queue: Some(queue), ..open("300/s", Arrivals::Poisson) };
        let load = match begins {
            0 => ClientLoad::default(),
            1 => ClientLoad { think: Some("1ms..40ms".parse().unwrap()), ..ClientLoad::default() },
            2 => apart(dbdyno_model::Queue::Shared),
            _ => apart(dbdyno_model::Queue::Session),
        };
        let code = if two_statements { "T311" } else { "T711" };
        let Outcome { result, span, asked, .. } = run_users(users, code, load, 2 * SECOND, manners);
        let span = span.unwrap();
        prop_assert!(result.outcomes.adds_up());
        prop_assert_eq!(span.length_ns(), 2 * SECOND);
        let ends: Vec<u64> = if two_statements {
            let commits = asked.iter().flatten().filter(|(sent, ..)| *sent == Sent::Commit);
            commits.map(|(_, ended_ns, _)| *ended_ns).collect()
        } else {
            asked.iter().flat_map(|asked| transactions(asked, users)).map(|(_, ended_ns)| ended_ns).collect()
        };
        prop_assert_eq!(result.outcomes.ok, ends.len() as u64);
        let inside = ends.iter().filter(|at| span.start_ns < **at && **at <= span.end_ns).count() as u64;
        let unfinished = result.open_loop.map_or(0, |open| open.unfinished);
        let (service, wait) = (&result.service, result.connection_wait.unwrap());
        prop_assert_eq!(service.count(), inside);
        // A transaction that is due for a busy user needs no connection yet.
        let least = if begins == 3 { inside } else { inside + unfinished };
        prop_assert!((least..=inside + unfinished).contains(&wait.count()), "{wait:?}");
        let Some(open) = result.open_loop else { return Ok(()) };
        prop_assert_eq!(result.response.unwrap().count(), inside + unfinished);
        prop_assert!(open.unfinished - open.waiting <= sessions.len() as u64 && (0.0..=100.0).contains(&open.busy_pct));
        // Every transaction due in the window is accounted for, whichever session took it.
        let tables: Vec<Timetable> = match begins {
            2 => vec![Timetable::new(Arrivals::Poisson, 300.0, 0, 1)],
            _ => (0..users).map(|n| Timetable::new(Arrivals::Poisson, 300.0 / f64::from(users), 0, 1 + u64::from(n))).collect(),
        };
        let due = tables.iter().flat_map(|table| std::iter::repeat_with(|| table.take()).take_while(|due| *due < span.end_ns));
        prop_assert_eq!(open.due, due.filter(|due| *due >= span.start_ns).count() as u64);
    }
}

/// A session that panics at one statement; the other statements take a moment.
struct Fragile {
    panics_at: u64,
    statements: u64,
    all: Arc<AtomicU64>,
}

impl Session for Fragile {
    fn prepare(&mut self, _: &PointSpec, _: u32) -> Result<Prepared, EngineError> {
        Ok(Prepared::default())
    }

    fn execute(&mut self, _: &Request<'_>) -> Result<ChunkResult, Failure> {
        self.statements += 1;
        assert!(self.statements != self.panics_at, "told to");
        self.all.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(std::time::Duration::from_micros(200));
        Ok(ChunkResult { rows: 1, ..ChunkResult::default() })
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        struct Never;
        impl Canceller for Never {
            fn cancel(&self) {}
        }
        Arc::new(Never)
    }
}

#[test]
fn a_session_that_panics_ends_the_point_and_what_was_done_is_known() {
    let (spec, all) = (spec("T711", 9), Arc::new(AtomicU64::new(0)));
    let window = Window::new(WindowMode::of_client(60.0), 3);
    let load = ClientLoad { connections: Some(3), ..ClientLoad::default() };
    let context = ClientContext::new(&window, load, None, &spec);
    let pool = WaitingUsers::default();
    let fragile = |panics_at| Fragile { panics_at, statements: 0, all: Arc::clone(&all) };
    let mut sessions = [0, 50, 0].map(fragile);
    let program = |job| TestProgram::new(&spec, job, TestForm::default());
    let mut drives = context.sessions((0..9).map(|job| (job, program(job))), &pool);
    let pairs = sessions.iter_mut().zip(&mut drives).map(|(session, work)| Job { session, work }).collect();
    let error = ThreadPump.run(pairs, &MonotonicClock::default(), &StartGate::new(3)).unwrap_err();
    assert!(error.message.contains("panicked"), "{error}");
    let counts = drives.into_iter().map(ClientDrive::into_counts).chain([pool.counts(&context)]).collect();
    let result = context.gather(counts);
    assert_eq!((window.span(), result.outcomes.ok), (None, all.load(Ordering::Relaxed)));
}
