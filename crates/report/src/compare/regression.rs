//! Whether anything became worse than a limit allows. All rows are judged together, so that many rows do not produce a
//! difference by chance.

use super::likeness::unfit;
use super::row::{ComparedRow, KeyFigure};
use dbdyno_model::Better;
use dbdyno_stats::{Difference, Family, RatioBound};
use serde::Serialize;

/// Whether any row is worse than a limit allows.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Regression {
    /// The limit.
    pub limit_pct: f64,
    /// Number of rows that were judged together.
    pub judged: usize,
    /// Number of rows that could not be judged: too few runs, or a test of which the baseline alone has figures.
    pub not_judged: usize,
    /// Rows whose corrected interval lies wholly beyond the limit.
    pub broken: Vec<BrokenLimit>,
}

/// A row that is worse.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BrokenLimit {
    /// The test.
    pub test: String,
    /// Which figure of the test.
    pub which: KeyFigure,
    /// The index of the side.
    pub side: usize,
    /// Its ratio to the baseline.
    pub ratio: f64,
    /// Lower end of the interval at the corrected confidence.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Holm's corrected p value.
    pub p_value: f64,
}

impl BrokenLimit {
    /// What was shown, of a side with this name.
    pub(crate) fn sentence(&self, side: &str) -> String {
        let Self { test, which, ratio, low, high, .. } = self;
        format!(
            "{test} {} of {side} is {ratio:.3} of the baseline, corrected interval {low:.3}..{high:.3}, wholly beyond the limit",
            which.words()
        )
    }
}

/// Judges every row of every side except the baseline. A test that the baseline alone has figures of is no row, and may
/// be lost altogether.
pub(super) fn judge(rows: &[ComparedRow], alone: &[(String, usize)], baseline: usize, limit_pct: f64) -> Regression {
    let mut family: Vec<(Difference, RatioBound)> = Vec::new();
    let mut places: Vec<(&str, KeyFigure, usize)> = Vec::new();
    let mut not_judged = alone.iter().filter(|(_, side)| *side == baseline).count();
    for row in rows {
        let Some(base) = row.cells.get(baseline) else { continue };
        for (side, cell) in row.cells.iter().enumerate().filter(|(side, _)| *side != baseline) {
            let fit = !row.unlike_sizes && unfit(base, cell).is_none();
            match base.difference(cell) {
                Ok(difference) if fit => {
                    let bound = match row.better {
                        Better::Higher => RatioBound::AtLeast(1.0 - limit_pct / 100.0),
                        Better::Lower => RatioBound::AtMost(1.0 + limit_pct / 100.0),
                    };
                    family.push((difference, bound));
                    places.push((&row.test, row.which, side));
                }
                _ => not_judged += 1,
            }
        }
    }
    let judged = Family::judge(&family, 0.95);
    let broken = judged.iter().zip(&family).zip(&places).filter(|((judged, _), _)| judged.is_broken);
    let broken = broken.map(|((judged, (difference, _)), (test, which, side))| BrokenLimit {
        test: (*test).to_owned(),
        which: *which,
        side: *side,
        ratio: difference.ratio(),
        low: judged.interval.low,
        high: judged.interval.high,
        p_value: judged.p_value,
    });
    Regression { limit_pct, judged: family.len(), not_judged, broken: broken.collect() }
}
