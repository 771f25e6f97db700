//! What a percentile needs before it is judged: enough transactions, and all of them. Failed transactions count as
//! slower than any limit. If they were left out, a platform that refuses work would look fast.

use crate::numbers;
use dbdyno_catalogue::{Percentile, TestFigure};
use dbdyno_model::{MetricId, Point, ResponseTime};

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

/// Transactions of the window that failed for good.
fn failures(point: &Point) -> u64 {
    point.series.as_ref().map_or(0, |series| series.errors.iter().sum())
}

/// All transactions that a point's percentiles are based on.
fn counted(point: &Point, asked: &TestFigure) -> Option<u64> {
    // For unfinished transactions only a lower bound of the response time is known.
    let open = point.open_loop.filter(|_| asked.metric.as_str() == "response_time_s");
    Some(point.ops? + failures(point) + open.map_or(0, |open| open.unfinished))
}

/// Why a point has too few transactions for the percentile.
pub(super) fn too_few(point: &Point, asked: &TestFigure) -> Option<String> {
    let percentile = asked.percentile?;
    distribution(point, &asked.metric)?;
    let (least, counted) = (least(percentile)?, counted(point, asked)?);
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
pub(super) fn failed(point: &Point, asked: &TestFigure) -> Option<String> {
    let percentile = asked.percentile?;
    distribution(point, &asked.metric)?;
    let failed = failures(point);
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

pub(super) fn distribution<'a>(point: &'a Point, metric: &MetricId) -> Option<&'a ResponseTime> {
    match metric.as_str() {
        "service_time_s" => point.service_time_s.as_ref(),
        "response_time_s" => point.response_time_s.as_ref(),
        _ => None,
    }
}
