//! The search for the highest rate within limits: which rate comes next, and what was found, in words.

use super::asked::Search;
use super::judged::judged;
use super::limit::Limit;
use super::outcome::{SearchFinding, SearchPoint, SearchUnit, SearchVerdict};
use super::state::{self, Measured, SearchState, flags_of};
use crate::{Arrivals, ClientLoad, PlannedPoint, Point, Queue, Rate, Status};
use dbdyno_stats::search::{LimitFinding, LimitRules, LimitStep, NoLimit, RateTrial, RateVerdict, next_rate};

/// The longest window that a search makes by itself.
const LONGEST_WINDOW_S: f64 = 3_600.0;

/// The state after these points.
pub(super) fn state(
    search: &Search,
    limits: &[Limit],
    (arrivals, queue): (Arrivals, Queue),
    least_transactions: u64,
    measured: &[Measured<'_>],
) -> SearchState {
    let least = limits.iter().map(Limit::least_transactions).max().unwrap_or(0).max(least_transactions);
    let is_open = |planned: &PlannedPoint| planned.load.rate.is_some();
    let points = measured.iter().map(|of| tried(*of, limits, least_transactions));
    let mut outcome = state::outcome(search, points.collect());
    let closed = measured.iter().rev().find(|(_, planned, _)| !is_open(planned)).map(|(.., point)| *point);
    let Some(closed) = closed else { return SearchState::goes_on(search.template.clone(), measured, outcome) };
    let reached = closed.ops_per_s.filter(|per_s| closed.status == Status::Ok && *per_s > 0.0);
    let Some(closed_per_s) = reached else {
        let why = closed.reason.as_deref().unwrap_or("it has no rate");
        outcome.reason = Some(format!("the closed loop, which says where to begin, gave no figure: {why}"));
        return SearchState::ended(outcome);
    };
    let trials = measured.iter().filter(|(_, planned, _)| is_open(planned)).map(|(_, planned, point)| RateTrial {
        per_s: rate_of(planned),
        window_s: planned.duration_s,
        verdict: judged(point, limits, least_transactions).0,
    });
    let trials: Vec<RateTrial> = trials.collect();
    let rules = LimitRules {
        closed_per_s,
        least_transactions: least,
        window_s: search.template.duration_s,
        longest_window_s: LONGEST_WINDOW_S,
    };
    let at = |per_s: f64| measured.iter().filter(move |(_, planned, _)| is_open(planned) && rate_of(planned) == per_s);
    let why = |per_s: f64| at(per_s).filter_map(|(.., point)| judged(point, limits, least_transactions).1).next_back();
    match next_rate(&trials, rules) {
        LimitStep::Measure { per_s, window_s } => {
            let template = &search.template;
            let load = ClientLoad {
                rate: Some(Rate::PerS { thousandths: (per_s * 1e3).round().max(1.0) as u64 }),
                arrivals: Some(arrivals),
                queue: Some(queue),
                ..template.load
            };
            let next = PlannedPoint { load, duration_s: window_s, ..template.clone() };
            return SearchState::goes_on(next, measured, outcome);
        }
        LimitStep::Ended(Ok(LimitFinding { per_s, high_per_s, confirmed })) => {
            let ends = || at(per_s).chain(high_per_s.into_iter().flat_map(at));
            let reached = at(per_s).filter(|(.., point)| point.status == Status::Ok);
            outcome.finding = Some(SearchFinding {
                value: per_s,
                unit: SearchUnit::PerS,
                low: per_s,
                high: high_per_s,
                confirmed,
                per_s: reached.filter_map(|(.., point)| point.ops_per_s).next_back(),
                max_per_s: None,
                flags: flags_of(ends().map(|(.., point)| *point)),
            });
            outcome.reason = match high_per_s {
                Some(high) if confirmed => why(high).map(|why| format!("What ends it, at {high}/s: {why}")),
                Some(_) => Some("No points were left to measure both ends of the interval again".to_owned()),
                None => Some("No higher rate was tried: what a closed loop reaches is far exceeded".to_owned()),
            };
        }
        LimitStep::Ended(Err(none)) => outcome.reason = Some(in_words(none, why, least)),
    }
    SearchState::ended(outcome)
}

fn rate_of(planned: &PlannedPoint) -> f64 {
    planned.load.rate.map_or(0.0, |rate| rate.per_s(0.0))
}

fn tried((place, planned, point): Measured<'_>, limits: &[Limit], least_transactions: u64) -> SearchPoint {
    let is_open = planned.load.rate.is_some();
    let (verdict, why) = match (is_open, judged(point, limits, least_transactions)) {
        (true, (RateVerdict::Holds, why)) => (SearchVerdict::Holds, why),
        (true, (RateVerdict::Breaks, why)) => (SearchVerdict::Breaks, why),
        (true, (RateVerdict::TooFew { .. }, why)) => (SearchVerdict::TooFew, why),
        (false, _) if point.status == Status::Ok => (SearchVerdict::Measured, None),
        (false, _) => (SearchVerdict::NoFigure, point.reason.clone()),
    };
    SearchPoint {
        place,
        users: planned.dop.jobs,
        asked_per_s: is_open.then(|| rate_of(planned)),
        per_s: per_s(point),
        window_s: point.window_s,
        verdict,
        why,
    }
}

fn per_s(point: &Point) -> Option<f64> {
    point.ops_per_s.filter(|per_s| per_s.is_finite())
}

fn in_words(none: NoLimit, why: impl Fn(f64) -> Option<String>, least: u64) -> String {
    match none {
        NoLimit::NoneHolds { lowest_per_s } => {
            let why = why(lowest_per_s).map(|why| format!(": {why}")).unwrap_or_default();
            format!("no rate held the limits; the lowest tried was {lowest_per_s}/s{why}")
        }
        NoLimit::TooLong { per_s, window_s } => format!(
            "at {per_s}/s the {least} transactions that the limits need take a window of {window_s:.0} s, which is too long: limit a lower \
             percentile, or a larger share of errors"
        ),
        NoLimit::TooFew { per_s } => format!(
            "at {per_s}/s fewer than the {least} transactions that the limits need came, however long the window was"
        ),
    }
}
