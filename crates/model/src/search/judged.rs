//! Does a point hold its limits? What is invalid or failed never does, and what has too few transactions is not judged.

use super::limit::{Limit, Limited, LimitedPercentile};
use crate::{Point, ResponseTime, Status};
use dbdyno_stats::search::RateVerdict;

/// The verdict on a point of an open loop, and the reason where it does not hold.
pub(super) fn judged(point: &Point, limits: &[Limit], least_transactions: u64) -> (RateVerdict, Option<String>) {
    if point.status != Status::Ok {
        let name: &str = point.status.into();
        return (RateVerdict::Breaks, Some(point.reason.clone().unwrap_or_else(|| name.to_owned())));
    }
    let transactions = point.open_loop.map_or(point.outcomes.requests, |open| open.due);
    let needed = |limit: &Limit| limit.least_transactions().max(least_transactions);
    let enough = limits.iter().filter(|limit| transactions >= needed(limit));
    let broken: Vec<String> = enough.filter_map(|limit| broken(point, limit)).collect();
    let most = limits.iter().map(needed).max().unwrap_or(least_transactions);
    if !broken.is_empty() {
        (RateVerdict::Breaks, Some(broken.join("; ")))
    } else if transactions < most {
        let why = format!("{transactions} transactions were due, and {most} are needed to judge");
        (RateVerdict::TooFew { transactions }, Some(why))
    } else {
        (RateVerdict::Holds, None)
    }
}

/// How a point with enough transactions breaks a limit, if it does.
fn broken(point: &Point, limit: &Limit) -> Option<String> {
    match limit.limited {
        Limited::Percentile(percentile, below_s) => {
            let name = percentile.name();
            match point.response_time_s.as_ref().and_then(|times| of(times, percentile)) {
                Some(seconds) => (seconds >= below_s).then(|| format!("{name} was {}", millis(seconds))),
                None => Some(format!("{name} is among the transactions that failed")),
            }
        }
        Limited::Errors(below) => {
            let errors: u64 = point.outcomes.errors.values().sum();
            let share = errors as f64 / point.outcomes.requests.max(1) as f64;
            (share >= below).then(|| format!("{:.3} % of the transactions failed", share * 100.0))
        }
    }
}

/// A time as limits are written: `7.25ms`.
fn millis(seconds: f64) -> String {
    format!("{}ms", (seconds * 1e6).round() / 1e3)
}

fn of(times: &ResponseTime, percentile: LimitedPercentile) -> Option<f64> {
    match percentile {
        LimitedPercentile::P50 => times.p50,
        LimitedPercentile::P90 => times.p90,
        LimitedPercentile::P95 => times.p95,
        LimitedPercentile::P99 => times.p99,
        LimitedPercentile::P99_9 => times.p99_9,
        LimitedPercentile::P99_99 => times.p99_99,
    }
}
