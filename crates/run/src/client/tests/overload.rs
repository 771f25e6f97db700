//! A load that the sessions can carry passes, and one that they cannot carry is detected, whatever the random arrivals.

use super::simulated::{Service, Simulation};
use dbdyno_model::{Arrivals, Queue};

const SEEDS: u64 = 100;

/// How many of a hundred seeds are judged correctly: invalid exactly where more is asked for than can be carried.
#[track_caller]
fn is_told(sessions: u32, due: f64, utilisation: f64) {
    for service in [Service::Deterministic, Service::Exponential] {
        let (arrivals, queue) = (Arrivals::Poisson, Queue::Shared);
        let judged = |seed| Simulation { sessions, utilisation, due, arrivals, service, queue, seed }.judged();
        // Chance may make the number due a few per cent smaller than asked, which may be too few to judge.
        let right = (0..SEEDS).filter(|seed| judged(*seed).0 == (utilisation > 1.0)).count();
        assert!(right >= 99, "{right} of {SEEDS}: {sessions} sessions, {due} due, {utilisation}, {service:?}");
    }
}

#[test]
fn with_ten_thousand_due_five_per_cent_are_told_with_one_session() {
    is_told(1, 10_000.0, 0.95);
    is_told(1, 10_000.0, 1.05);
}

#[test]
fn with_ten_thousand_due_five_per_cent_are_told_with_eight_sessions() {
    is_told(8, 10_000.0, 0.95);
    is_told(8, 10_000.0, 1.05);
}

#[test]
fn with_ten_thousand_due_five_per_cent_are_told_with_many_sessions() {
    is_told(64, 10_000.0, 0.95);
    is_told(64, 10_000.0, 1.05);
}

#[test]
fn with_a_thousand_due_a_fifth_is_told() {
    for (sessions, due) in [(1, 1_000.0), (8, 1_000.0), (64, 4_000.0)] {
        is_told(sessions, due, 0.8);
        is_told(sessions, due, 1.2);
    }
}

#[test]
fn with_fewer_due_nothing_is_told_and_that_is_said() {
    for (sessions, due) in [(1, 1_000.0), (8, 1_000.0), (64, 4_000.0)] {
        let (arrivals, service, queue, utilisation) = (Arrivals::Poisson, Service::Exponential, Queue::Shared, 0.5);
        let judged = |due, seed| Simulation { sessions, utilisation, due, arrivals, service, queue, seed }.judged();
        // Five standard deviations on both sides.
        assert!((0..20).all(|seed| judged(due * 0.8, seed) == (false, true)), "{sessions}");
        assert!((0..20).all(|seed| judged(due * 1.2, seed) == (false, false)), "{sessions}");
    }
}

#[test]
fn constant_arrivals_beyond_the_capacity_are_found_where_two_a_session_are_left() {
    let (arrivals, service, queue) = (Arrivals::Constant, Service::Deterministic, Queue::Shared);
    for sessions in [1, 3, 8, 64] {
        for excess in [0.005, 0.01, 0.05, 0.2] {
            for times in [2.05, 4.0, 40.0] {
                let due = times * f64::from(sessions) / excess;
                let at = |utilisation| Simulation { sessions, utilisation, due, arrivals, service, queue, seed: 1 };
                assert!(at(1.0 + excess).judged().0, "{sessions} sessions, {excess} too many of {due}");
                assert!(!at(1.0 - excess).judged().0, "{sessions} sessions, {excess} fewer than {due}");
            }
        }
    }
    let few = |due| Simulation { sessions: 4, utilisation: 0.5, due, arrivals, service, queue, seed: 1 }.judged();
    assert_eq!((few(140.0), few(180.0)), ((false, true), (false, false)));
}

#[test]
fn overload_is_found_where_each_session_has_a_queue_of_its_own() {
    let (arrivals, service, queue) = (Arrivals::Poisson, Service::Exponential, Queue::Session);
    for (utilisation, over) in [(0.8, false), (1.2, true)] {
        let judged =
            |seed| Simulation { sessions: 8, utilisation, due: 10_000.0, arrivals, service, queue, seed }.judged();
        assert!((0..20).all(|seed| judged(seed).0 == over), "{utilisation}");
    }
}

#[test]
fn what_is_unfinished_is_in_the_response_times_with_its_age() {
    let simulation = Simulation {
        sessions: 8,
        utilisation: 1.5,
        due: 15_000.0,
        arrivals: Arrivals::Constant,
        service: Service::Deterministic,
        queue: Queue::Shared,
        seed: 1,
    };
    let result = simulation.run();
    let (open, response) = (result.open_loop.unwrap(), result.response.unwrap());
    // 1,500/s are due from 2 s before the window on, and 1,000/s are done.
    assert!(open.due.abs_diff(15_000) <= 1 && open.busy_pct > 99.99, "{open:?}");
    let begun = open.unfinished - open.waiting;
    assert!(open.unfinished.abs_diff(6_000) <= 20 && (7..=8).contains(&begun), "{open:?}");
    assert_eq!(response.count(), result.service.count() + open.unfinished);
    // Transactions that never began have no type. A session may have begun one more just after the window's end.
    let of_type = result.types[0].response.as_ref().unwrap().count() - result.service.count();
    assert!((begun..=begun + 8).contains(&of_type), "{of_type} of {open:?}");
    // The oldest waiting transaction was due 8 s after the barrier, so it has waited for 4 s.
    let longest_s = response.max_ns().unwrap() as f64 / 1e9;
    assert!((longest_s - 4.0).abs() < 0.05, "{longest_s}");
    // Transactions that ended inside had waited 0.67 s to 4 s, evenly distributed; the others 0 to 4 s. The median lies
    // below the middle.
    let median_s = response.percentile_ns(50.0).unwrap() as f64 / 1e9;
    assert!((median_s - 2.2).abs() < 0.2, "{median_s}");
}
