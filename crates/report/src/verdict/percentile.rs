//! What a percentile must rest on before it is judged: transactions enough, and all of them. What failed took longer
//! than any limit, since nobody got what was asked for; left out, it would make a platform that refuses its work a
//! quick one.

use super::figure::distribution;
use crate::numbers;
use dbdyno_catalogue::{Percentile, TestFigure};
use dbdyno_model::Point;

/// So many transactions must lie beyond a percentile, or a single one decides.
const LEAST_BEYOND: f64 = 20.0;

/// The share of all transactions that lies beyond a percentile.
fn share_beyond(percentile: Percentile) -> f64 {
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

/// Transactions that a percentile is judged from on; the longest of any number is the longest.
fn least(percentile: Percentile) -> Option<u64> {
    (percentile != Percentile::Max).then(|| (LEAST_BEYOND / share_beyond(percentile)).round() as u64)
}

/// Transactions of the window that failed for good.
fn failures(point: &Point) -> u64 {
    point.series.as_ref().map_or(0, |series| series.errors.iter().sum())
}

/// All that the percentiles of a measured point are of.
fn counted(point: &Point, asked: &TestFigure) -> Option<u64> {
    // Of what was unfinished only the response time is known in part.
    let open = point.open_loop.filter(|_| asked.metric.as_str() == "response_time_s");
    Some(point.ops? + failures(point) + open.map_or(0, |open| open.unfinished))
}

/// Why a point has too few transactions for the percentile that is asked for.
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

/// Whether the percentile that is asked for is among the transactions that failed, and if so, in words.
pub(super) fn failed(point: &Point, asked: &TestFigure) -> Option<String> {
    let percentile = asked.percentile?;
    distribution(point, &asked.metric)?;
    let failed = failures(point);
    // Older documents have percentiles of what succeeded alone: the failures decide, not whether there is a number.
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
