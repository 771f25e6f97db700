//! A machine that is even, and one that is not.

use super::*;
use crate::{Database, Platform, RunJson, TestCode};
use proptest::prelude::*;

const STEPS_NS: [f64; 4] = [1.2, 5.0, 30.0, 95.0];

fn pace(of: impl Fn(usize) -> f64) -> MachinePace {
    let ns = |kind: usize| Some(STEPS_NS[kind] * of(kind));
    MachinePace { alu_ns: ns(0), l2_ns: ns(1), llc_ns: ns(2), memory_ns: ns(3) }
}

fn point(before: MachinePace, after: MachinePace) -> Point {
    let mut point = Point::new(TestCode::new("T611").unwrap(), jiff::Timestamp::UNIX_EPOCH);
    point.pace = Some(PointPace { before: Some(before), after: Some(after), processors: 2, ..PointPace::default() });
    point
}

fn flagged(mut points: Vec<Point>) -> Vec<usize> {
    judge(&mut points);
    let flagged = points.iter().enumerate().filter(|(_, p)| p.has(Flag::UnevenMachine));
    flagged.map(|(at, _)| at).collect()
}

/// Normal noise of this standard deviation, from a generator of its own.
fn noise(seed: u64, sd: f64) -> impl FnMut() -> f64 {
    let mut mixer = dbdyno_stats::SplitMix64::new(seed);
    move || {
        let sum: f64 = (0..12).map(|_| mixer.uniform()).sum();
        1.0 + sd * (sum - 6.0)
    }
}

#[test]
fn an_even_machine_is_never_flagged() {
    // Chases on a quiet machine repeat within some percent, arithmetic within one.
    for seed in 0..200 {
        let (mut arithmetic, mut chase) = (noise(seed, 0.01), noise(seed + 1_000, 0.04));
        let mut one = || {
            let drawn = [arithmetic(), chase(), chase(), chase()];
            pace(|kind| drawn[kind])
        };
        let points = (0..60).map(|_| point(one(), one())).collect();
        assert_eq!(flagged(points), Vec::<usize>::new(), "seed {seed}");
    }
}

/// An even machine on which whatever comes before a point is slow: its clocks have to wake up first, for one.
fn slow_before(times: f64, mut noise: impl FnMut() -> f64) -> Vec<Point> {
    let mut one = |times: f64| {
        let drawn: [f64; 4] = std::array::from_fn(|_| times * noise());
        pace(|kind| drawn[kind])
    };
    (0..40).map(|_| point(one(times), one(1.0))).collect()
}

#[test]
fn befores_that_are_all_slower_are_no_unevenness() {
    for (seed, times) in [(1, 1.3), (2, 1.6), (3, 0.7)] {
        let points = slow_before(times, noise(seed, 0.02));
        for kind in PaceKind::ALL {
            let spread = PaceSpread::of(&points, kind).unwrap();
            assert!(!spread.is_uneven() && spread.unevenness < 1.1 && spread.log_sd < 0.05, "{spread:?}");
            let (before, after) = (spread.before.unwrap(), spread.after.unwrap());
            assert!((before.best_ns / after.best_ns / times - 1.0).abs() < 0.05, "{spread:?}");
        }
        assert_eq!(flagged(points), Vec::<usize>::new(), "befores take {times} times the afters");
    }
}

#[test]
fn a_neighbour_is_found_beside_befores_that_are_all_slower() {
    let mut points = slow_before(1.3, noise(4, 0.02));
    // The neighbour slows the caches down by half, around some points, and within one of them on one edge alone.
    let slow = |pace: &mut MachinePace| {
        for ns in [&mut pace.l2_ns, &mut pace.llc_ns].into_iter().flatten() {
            *ns *= 1.5;
        }
    };
    for (at, edges) in [(5, 2), (6, 2), (7, 2), (20, 1), (33, 2)] {
        let pace = points[at].pace.as_mut().unwrap();
        pace.after.as_mut().into_iter().chain(&mut pace.before).take(edges).for_each(slow);
    }
    assert_eq!(flagged(points), [5, 6, 7, 20, 33]);
}

#[test]
fn slow_moments_are_flagged_and_say_what_was_slow() {
    let mut points: Vec<Point> = (0..10).map(|_| point(pace(|_| 1.0), pace(|_| 1.0))).collect();
    points[3] = point(pace(|_| 1.0), pace(|kind| if kind == 1 { 1.69 } else { 1.0 }));
    points[7] = point(pace(|kind| if kind == 0 { 1.2 } else { 1.0 }), pace(|_| 1.0));
    judge(&mut points);
    assert_eq!(flagged(points.clone()), [3, 7]);
    assert_eq!(points[3].flag_notes["uneven_machine"], "second-level cache took 1.69 times its best");
    assert_eq!(points[7].flag_notes["uneven_machine"], "arithmetic took 1.20 times its best");
    // Read again from a document it stays as it is.
    let once = points.clone();
    judge(&mut points);
    assert_eq!(points, once);
}

#[test]
fn few_paces_judge_nothing() {
    let mut points: Vec<Point> = (0..4).map(|_| point(pace(|_| 1.0), pace(|_| 1.0))).collect();
    points[0] = point(pace(|_| 3.0), pace(|_| 3.0));
    assert_eq!(flagged(points), Vec::<usize>::new());
    assert_eq!(
        flagged(vec![Point::new(TestCode::new("T611").unwrap(), jiff::Timestamp::UNIX_EPOCH)]),
        Vec::<usize>::new()
    );
}

#[test]
fn a_run_that_is_put_together_is_judged_and_its_cells_know() {
    let mut points: Vec<Point> = (0..8).map(|_| point(pace(|_| 1.0), pace(|_| 1.0))).collect();
    points[2] = point(pace(|_| 2.0), pace(|_| 2.0));
    let run = crate::Run {
        id: crate::RunId::new("k7m2p9").unwrap(),
        label: None,
        suite: "quick".into(),
        size: "T".into(),
        seed: 1,
        started_at: jiff::Timestamp::UNIX_EPOCH,
        tool_version: String::new(),
        target: String::new(),
        status: crate::RunStatus::Done,
    };
    let run = RunJson::new(run, Platform::default(), Database::default(), points);
    assert!(run.points[2].has(Flag::UnevenMachine) && run.cells[0].flags.contains(&Flag::UnevenMachine));
    let text = serde_json::to_string(&run.points[0]).unwrap();
    assert!(text.contains(r#""alu_ns":1.2"#), "{text}");
    let without = Point::new(TestCode::new("T611").unwrap(), jiff::Timestamp::UNIX_EPOCH);
    assert!(!serde_json::to_string(&without).unwrap().contains("pace"), "a point without a pace has no such key");
}

proptest! {
    #[test]
    fn a_spread_is_in_order(paces in proptest::collection::vec(0.5f64..5.0, 1..60)) {
        let points: Vec<Point> = paces.iter().map(|times| point(pace(|_| *times), pace(|_| *times))).collect();
        for kind in PaceKind::ALL {
            let spread = PaceSpread::of(&points, kind).unwrap();
            for edge in spread.edges() {
                prop_assert!(edge.best_ns <= edge.median_ns && edge.median_ns <= edge.p90_ns);
            }
            prop_assert!(spread.unevenness >= 1.0 && spread.log_sd >= 0.0);
        }
    }
}
