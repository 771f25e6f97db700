//! Tests of the client drive on a simulated clock: what counts as overload, and what does not.

mod logons;
mod overload;
mod pooled;
mod simulated;
mod theory;
mod waiting;

use super::*;
use crate::judge::judge_rate;
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::{PointSpec, Sampling};
use dbdyno_model::{CommitMode, Drive, OpenLoop, Point};

/// Updates by so many jobs.
pub(super) fn spec(jobs: u32) -> PointSpec {
    let catalogue = Catalogue::embedded().unwrap();
    PointSpec {
        test: catalogue.test("T711").unwrap().clone(),
        size: catalogue.size("T").unwrap().clone(),
        seed: 1,
        key_seed: 1,
        nodes: 1,
        jobs,
        jobs_before: 0,
        jobs_after: 0,
        threads: 1,
        rows_per_tx: 1,
        commit: CommitMode::Durable,
        drive: Drive::Client,
        sampling: Sampling::Off,
    }
}

#[test]
fn a_rate_is_met_or_not() {
    let unmet = |arrivals, asked, window_s, ops| {
        let load = ClientLoad { arrivals: Some(arrivals), ..ClientLoad::default() };
        is_unmet(load, asked * window_s, ops, 1).then(|| unmet_words(asked, ops / window_s, "use more jobs"))
    };
    let constant = Arrivals::Constant;
    assert_eq!(unmet(constant, 1_000.0, 10.0, 9_960.0), None);
    assert_eq!(unmet(constant, 2.0, 2.0, 3.0), None, "one may be in flight at the edge");
    let reason = unmet(constant, 1_000.0, 10.0, 5_000.0).unwrap();
    assert!(reason.starts_with("1000 transactions/s were asked for and 500 were reached"), "{reason}");
    assert!(unmet(constant, 1_000.0, 10.0, 9_400.0).is_some());
    // Of 100 expected Poisson arrivals, 80 are within chance.
    assert_eq!(unmet(Arrivals::Poisson, 10.0, 10.0, 80.0), None);
    assert!(unmet(constant, 10.0, 10.0, 80.0).is_some());
}

#[test]
fn an_overload_that_reaches_its_rate_is_not_said_to_have_missed_it() {
    let mut point = Point { asked_per_s: Some(100.0), ..Point::default() };
    point.open_loop = Some(OpenLoop { due: 2_000, unfinished: 11, waiting: 9, busy_pct: 99.9 });
    let reason = |done: f64| {
        let mut point = point.clone();
        judge_rate(&mut point, 2, 20.0, done);
        assert!(point.overload, "{done}");
        point.reason.unwrap()
    };
    let behind = reason(2_000.0);
    assert!(behind.starts_with("100 transactions/s were asked for, and the sessions fell behind: "), "{behind}");
    let unmet = reason(1_000.0);
    assert!(unmet.starts_with("100 transactions/s were asked for and 50.0 were reached: "), "{unmet}");
    assert!(behind.contains("(overload: 9 ") && unmet.contains("(overload: 9 "), "{behind}\n{unmet}");
}
