//! Searches over made-up points: what comes next, and what is said in the end.

use super::*;
use crate::{
    Arrivals, ClientLoad, CommitMode, Dop, Drive, Flag, Mapping, OpenLoop, Parameters, Queue, ResponseTime, RunJson,
    SearchKind, SearchUnit, SearchVerdict, Status, Subject, TestCode,
};

fn template(jobs: u32, duration_s: f64) -> PlannedPoint {
    PlannedPoint {
        subject: TestCode::new("T711").unwrap().into(),
        drive: Drive::Client,
        dop: Dop { jobs, ..Dop::ONE },
        load: ClientLoad::default(),
        rows_per_tx: 1,
        repeat: 1,
        again: false,
        duration_s,
        mix: None,
        parameters: Parameters::default(),
        cores: None,
        may_follow_from_jobs: None,
        commit: CommitMode::Durable,
        mapping: Mapping::Native { ramp: None },
        definition: String::new(),
    }
}

fn plan(goal: SearchGoal, template: PlannedPoint) -> Plan {
    Plan {
        suite: "T711".to_owned(),
        size: "T".to_owned(),
        seed: 1,
        definitions: String::new(),
        points: vec![template.clone()],
        searches: vec![Search { goal, template }],
        pairing: None,
    }
}

fn saturation(most_users: u32, connections: Option<u32>) -> Plan {
    plan(SearchGoal::Saturation { most_users, metric: "tx_per_s".into(), connections }, template(1, 2.0))
}

fn limits(texts: &[&str]) -> Plan {
    let limits = texts.iter().map(|text| text.parse().unwrap()).collect();
    let goal =
        SearchGoal::Limits { limits, arrivals: Arrivals::Poisson, queue: Queue::Shared, least_transactions: 1_000 };
    plan(goal, template(8, 2.0))
}

/// Measures until every search has ended, and returns the points.
fn searched(plan: &mut Plan, mut measure: impl FnMut(&PlannedPoint) -> Point) -> Vec<(usize, Point)> {
    let mut measured = vec![(0, measure(&plan.points[0]))];
    while let Some(next) = plan.next_of_searches(&measured) {
        let point = measure(&next);
        measured.push((plan.points.len(), point));
        plan.points.push(next);
        assert!(plan.points.len() < 60, "{:#?}", plan.points);
    }
    measured
}

fn outcome(plan: &Plan, measured: &[(usize, Point)]) -> SearchOutcome {
    let measured: Vec<(usize, &Point)> = measured.iter().map(|(place, point)| (*place, point)).collect();
    plan.search_outcomes(&measured).remove(0)
}

fn empty(planned: &PlannedPoint) -> Point {
    let subject: Subject<crate::Storage> = planned.subject.of_new_point();
    let mut point = Point::new(subject, jiff::Timestamp::UNIX_EPOCH);
    (point.dop, point.load, point.repeat, point.drive) = (planned.dop, planned.load, planned.repeat, planned.drive);
    point.window_s = Some(planned.duration_s);
    point
}

fn reached(planned: &PlannedPoint, per_s: f64) -> Point {
    Point { ops_per_s: Some(per_s), tx_per_s: Some(per_s), ..empty(planned) }
}

/// A point of users: as many as this keep the platform busy.
fn users(planned: &PlannedPoint, servers: u32) -> Point {
    reached(planned, f64::from(planned.dop.jobs.min(servers)) * 100.0)
}

/// A point of a rate, with p99 in milliseconds and its failures for each transaction.
fn rated(planned: &PlannedPoint, p99_ms: f64, failed: f64) -> Point {
    let Some(rate) = planned.load.rate else { return reached(planned, 1_000.0) };
    let per_s = rate.per_s(0.0);
    let mut point = reached(planned, per_s);
    let due = (per_s * planned.duration_s) as u64;
    point.open_loop = Some(OpenLoop { due, unfinished: 0, waiting: 0, busy_pct: 50.0 });
    point.response_time_s = Some(ResponseTime { p99: Some(p99_ms / 1e3), ..ResponseTime::default() });
    point.outcomes.requests = due;
    point.outcomes.errors.insert(crate::ErrorClass::Timeout, (due as f64 * failed) as u64);
    point
}

#[test]
fn saturation_is_found_and_its_ends_are_repeats_of_one_cell() {
    let mut plan = saturation(500, Some(16));
    let measured = searched(&mut plan, |planned| {
        let mut point = users(planned, 24);
        if planned.dop.jobs > 20 {
            point.flag(Flag::ForeignLoad, None);
        }
        point
    });
    let found = outcome(&plan, &measured);
    let finding = found.finding.clone().unwrap();
    assert_eq!((found.kind, found.most_users, found.users), (SearchKind::Saturation, Some(500), None));
    assert!(finding.low <= 24.0 && finding.value >= 23.0 && finding.high == Some(finding.value), "{finding:?}");
    assert_eq!((finding.unit, finding.confirmed), (SearchUnit::Users, true));
    assert_eq!((finding.max_per_s, finding.flags), (Some(2_400.0), vec![Flag::ForeignLoad]));
    assert!(plan.points.len() <= 12 && found.points.len() == plan.points.len());
    let at_knee = plan.points.iter().filter(|p| f64::from(p.dop.jobs) == finding.value).map(|p| p.repeat);
    assert_eq!(at_knee.collect::<Vec<_>>(), [1, 2, 3]);
    let shared = |p: &PlannedPoint| p.load.connections == Some(16).filter(|n| *n < p.dop.jobs);
    assert!(plan.points.iter().all(shared), "{:#?}", plan.points);
}

#[test]
fn a_search_goes_on_from_the_points_that_are_there() {
    let mut whole = saturation(500, None);
    let measured = searched(&mut whole, |planned| users(planned, 24));
    for n in 1..measured.len() {
        let interrupted = Plan { points: whole.points[..n].to_vec(), ..whole.clone() };
        assert_eq!(interrupted.next_of_searches(&measured[..n]).as_ref(), whole.points.get(n), "{n}");
        let so_far = outcome(&interrupted, &measured[..n]);
        assert!(so_far.finding.is_none() && so_far.reason.unwrap().contains("has not ended"));
    }
}

#[test]
fn what_was_not_seen_saturated_is_said_plainly() {
    let mut plan = saturation(32, None);
    let measured = searched(&mut plan, |planned| users(planned, 1_000));
    let said = outcome(&plan, &measured);
    assert!(said.finding.is_none());
    assert!(said.reason.unwrap().starts_with("still rising at 32 users, the most that were allowed"));
    // More users than the server takes.
    let mut plan = saturation(65_535, None);
    let measured = searched(&mut plan, |planned| match planned.dop.jobs {
        100.. => Point { status: Status::Failed, reason: Some("too many clients".to_owned()), ..empty(planned) },
        _ => users(planned, 1_000),
    });
    let said = outcome(&plan, &measured).reason.unwrap();
    assert!(said.starts_with("still rising at ") && said.ends_with("gave no figure: too many clients"), "{said}");
    let failed = searched(&mut saturation(9, None), |planned| Point {
        status: Status::Invalid,
        reason: Some("the sums differ".to_owned()),
        ..users(planned, 9)
    });
    let said = outcome(&saturation(9, None), &failed).reason.unwrap();
    assert_eq!(said, "the first point gave no figure: the sums differ");
}

#[test]
fn the_highest_rate_within_limits_is_found_with_enough_transactions() {
    let mut plan = limits(&["p99<5ms", "errors<0.1%"]);
    let measured = searched(&mut plan, |planned| {
        let per_s = planned.load.rate.map_or(0.0, |rate| rate.per_s(0.0));
        rated(planned, 5.0 * (per_s / 700.0).powi(5), 0.0)
    });
    let found = outcome(&plan, &measured);
    let finding = found.finding.clone().unwrap();
    assert!((680.0..700.0).contains(&finding.value) && finding.confirmed, "{finding:?}");
    assert!(finding.high.unwrap() >= 700.0 && finding.high.unwrap() < 715.0, "{finding:?}");
    assert!(found.reason.unwrap().contains("p99 was 5"));
    assert_eq!((found.users, found.limits.len()), (Some(8), 2));
    // 3,000 transactions for errors<0.1%, more than the 2,000 for p99.
    for (planned, (_, point)) in plan.points.iter().zip(&measured).skip(1) {
        assert!(point.open_loop.unwrap().due >= 3_000, "{planned:?}");
    }
    assert_eq!(found.points[0].verdict, SearchVerdict::Measured);
    assert!(found.points[0].asked_per_s.is_none() && found.points[1].asked_per_s == Some(800.0));
}

#[test]
fn what_failed_is_invalid_or_too_slow_for_a_percentile_never_holds() {
    let reject = |of: fn(&PlannedPoint, f64) -> Point| {
        let mut plan = limits(&["p99<5ms"]);
        let measured = searched(&mut plan, |planned| {
            let per_s = planned.load.rate.map_or(0.0, |rate| rate.per_s(0.0));
            if per_s > 400.0 { of(planned, per_s) } else { rated(planned, 1.0, 0.0) }
        });
        outcome(&plan, &measured)
    };
    for of in [
        |planned: &PlannedPoint, _| Point { status: Status::Invalid, ..rated(planned, 1.0, 0.0) },
        |planned: &PlannedPoint, _| Point { status: Status::Failed, ..empty(planned) },
        // The percentile is among the transactions that failed.
        |planned: &PlannedPoint, _| Point {
            response_time_s: Some(ResponseTime::default()),
            ..rated(planned, 1.0, 0.0)
        },
    ] {
        let found = reject(of);
        let finding = found.finding.unwrap();
        assert!((385.0..=400.0).contains(&finding.value) && finding.confirmed, "{finding:?}");
    }
}

#[test]
fn errors_are_limited_and_nothing_holds_is_said() {
    let mut plan = limits(&["errors<1%"]);
    let measured = searched(&mut plan, |planned| {
        let per_s = planned.load.rate.map_or(0.0, |rate| rate.per_s(0.0));
        rated(planned, 1.0, if per_s > 500.0 { 0.02 } else { 0.001 })
    });
    let finding = outcome(&plan, &measured).finding.unwrap();
    assert!((485.0..=500.0).contains(&finding.value), "{finding:?}");
    let mut plan = limits(&["p99<5ms"]);
    let measured = searched(&mut plan, |planned| rated(planned, 9.0, 0.0));
    let said = outcome(&plan, &measured);
    assert!(said.finding.is_none());
    let reason = said.reason.unwrap();
    assert_eq!(reason, "no rate held the limits; the lowest tried was 50/s: p99 was 9ms");
    // A closed loop that failed says nothing to begin with.
    let mut plan = limits(&["p99<5ms"]);
    let measured = searched(&mut plan, |planned| Point { status: Status::Failed, ..empty(planned) });
    assert!(outcome(&plan, &measured).reason.unwrap().starts_with("the closed loop, which says where to begin"));
}

#[test]
fn plans_and_outcomes_survive_json() {
    for plan in [saturation(9, Some(2)), limits(&["p99<5ms", "errors<1%"])] {
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan, "{text}");
        let mut plan = plan;
        let measured = searched(&mut plan, |planned| rated(planned, 1.0, 0.0));
        let outcome = outcome(&plan, &measured);
        let text = serde_json::to_string(&outcome).unwrap();
        assert_eq!(serde_json::from_str::<SearchOutcome>(&text).unwrap(), outcome, "{text}");
    }
}

#[test]
fn an_answer_excuses_what_goes_too_far_and_no_loss() {
    let mut plan = saturation(500, None);
    let measured = searched(&mut plan, |planned| users(planned, 24));
    let (places, points): (Vec<usize>, Vec<Point>) = measured.into_iter().unzip();
    let mut run =
        RunJson::new(crate::json::tests::run().run, crate::Platform::default(), crate::Database::default(), points);
    let of = |status, overload| Point { status, overload, ..empty(&plan.points[0]) };
    let refused = of(Status::Failed, false);
    assert!(!run.is_beyond_an_answer(&refused), "there is no answer");
    run.add_from_plan(&plan, &places);
    assert!(run.is_beyond_an_answer(&refused) && run.is_beyond_an_answer(&of(Status::Invalid, true)));
    assert!(!run.is_beyond_an_answer(&of(Status::Invalid, false)), "what the proof found is no part of a search");
    let other = Point { subject: TestCode::new("T611").unwrap().into(), ..refused };
    assert!(!run.is_beyond_an_answer(&other));
}
