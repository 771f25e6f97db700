//! What a percentile needs before it is judged: enough transactions, and all of them. Failed transactions count as
//! slower than any limit. If they were left out, a platform that refuses work would look fast.

use crate::numbers;
use dbdyno_catalogue::{MeasuredFigure, Percentile, RequiredSubject};
use dbdyno_model::{Point, ResponseTime, TransactionType};

/// The least number of transactions beyond a percentile; with fewer a single one decides.
const LEAST_BEYOND: f64 = 20.0;

/// The share of all transactions that lies beyond a percentile.
pub(crate) fn share_beyond(percentile: Percentile) -> f64 {
    match percentile {
        Percentile::P50 => 0.5,
        Percentile::P90 => 0.1,
        Percentile::P95 => 0.05,
        Percentile::P99 => 0.01,
        Percentile::P99_9 => 0.001,
        Percentile::P99_99 => 0.000_1,
        Percentile::Max => 0.0,
    }
}

/// The least number of transactions for a percentile; the maximum needs no least number.
fn least(percentile: Percentile) -> Option<u64> {
    (percentile != Percentile::Max).then(|| (LEAST_BEYOND / share_beyond(percentile)).round() as u64)
}

/// The type of transactions that a requirement is about: `None` where it is about all, an error where the point has no
/// such type.
pub(super) fn transaction<'p>(point: &'p Point, asked: &MeasuredFigure) -> Option<Result<&'p TransactionType, ()>> {
    let RequiredSubject::Workload { transaction: Some(name), .. } = &asked.subject else { return None };
    Some(point.transactions.iter().find(|of_type| of_type.name == *name).ok_or(()))
}

/// Transactions that failed for good: of the window, or where one type is asked for, of all that was done.
fn failures(point: &Point, asked: &MeasuredFigure) -> u64 {
    match transaction(point, asked) {
        None => point.series.as_ref().map_or(0, |series| series.errors.iter().sum()),
        Some(of_type) => of_type.map_or(0, |of_type| of_type.outcomes.errors.values().sum()),
    }
}

/// All transactions that a point's percentiles are based on.
fn counted(point: &Point, asked: &MeasuredFigure) -> Option<u64> {
    // For unfinished transactions only a lower bound of the response time is known.
    let open = point.open_loop.filter(|_| asked.metric.as_str() == "response_time_s");
    let ops = match transaction(point, asked) {
        None => point.ops?,
        Some(of_type) => of_type.ok()?.ops?,
    };
    Some(ops + failures(point, asked) + open.map_or(0, |open| open.unfinished))
}

/// Why a point has too few transactions for the percentile.
pub(super) fn too_few(point: &Point, asked: &MeasuredFigure) -> Option<String> {
    let percentile = asked.percentile?;
    percentile.of(distribution(point, asked)?)?;
    let least = least(percentile)?;
    let Some(counted) = counted(point, asked) else {
        return Some("how many transactions there were is not known, and so not whether they are enough".to_owned());
    };
    (counted < least).then(|| {
        format!(
            "{} is judged from {} transactions on, and there were {}: use a longer --duration or a higher --rate",
            percentile.name().replace('_', "."),
            numbers::thousands(least as f64),
            numbers::thousands(counted as f64)
        )
    })
}

/// Whether the percentile lies among the failed transactions; the answer in words.
pub(super) fn failed(point: &Point, asked: &MeasuredFigure) -> Option<String> {
    let percentile = asked.percentile?;
    distribution(point, asked)?;
    let failed = failures(point, asked);
    // Percentiles of older documents only cover successful transactions, so the number of failures decides.
    let is_among = |all: &u64| failed > 0 && failed as f64 > *all as f64 * share_beyond(percentile);
    let counted = counted(point, asked).filter(is_among)?;
    let pct = failed as f64 / counted as f64 * 100.0;
    Some(format!(
        "{} of {} transactions failed ({} %), and count as slower than any limit: {} is among them",
        numbers::thousands(failed as f64),
        numbers::thousands(counted as f64),
        numbers::short(pct),
        if percentile == Percentile::Max { "the longest".to_owned() } else { percentile.name().replace('_', ".") }
    ))
}

/// The times that a requirement is about; `None` where its metric is no time.
pub(super) fn distribution<'a>(point: &'a Point, asked: &MeasuredFigure) -> Option<&'a ResponseTime> {
    let of_type = transaction(point, asked).transpose().ok()?;
    match asked.metric.as_str() {
        "service_time_s" => of_type.map_or(&point.service_time_s, |t| &t.service_time_s).as_ref(),
        "response_time_s" => of_type.map_or(&point.response_time_s, |t| &t.response_time_s).as_ref(),
        _ => None,
    }
}
