//! Whether any series lost as much as a limit or more, and nobody has noted why. The newest level is laid beside the
//! best one since the last change that was noted, so that several small losses count as what they are together, and a
//! loss that was made good is none.

use super::change::OfPlace;
use super::result::{NewLoss, NewLosses, SeriesLevel, TrendChange, TrendRun, TrendSeries, TrendStep};
use dbdyno_model::{Better, Status};

/// Why a figure does not count: figures are compared by their ratio.
pub(super) const NOT_POSITIVE: &str = "not above zero";

/// Judges every series.
pub(super) fn of(
    series: &[TrendSeries],
    changes: &[TrendChange],
    (runs, steps): (&[TrendRun], &[TrendStep]),
    limit_pct: f64,
) -> NewLosses {
    let judged = series.iter().filter(|of| of.is_judged()).count();
    let is_noted = |at: usize, change: usize| {
        changes.iter().any(|place| !place.notes.is_empty() && place.series.contains(&(at, change)))
    };
    let broken = series.iter().enumerate().filter_map(|(at, of)| {
        let noted = (0..of.changes.len()).rev().find(|change| is_noted(at, *change));
        // A change lies before the level of the next number.
        let since = of.levels.get(noted.map_or(0, |change| change + 1)..)?;
        loss(since, of.better, limit_pct).map(|loss| NewLoss { series: at, ..loss })
    });
    let has_failed = |(at, of): (usize, &TrendSeries)| {
        let since = of.missing_since.filter(|_| of.missing_why.as_deref().is_some_and(is_failure))?;
        let last = runs.get(of.figures.last()?.run)?;
        OfPlace::of(last, runs, steps).notes(since).is_empty().then_some(at)
    };
    let ended = series.iter().enumerate().filter_map(has_failed).collect();
    NewLosses { limit_pct, judged, not_judged: series.len() - judged, broken: broken.collect(), ended }
}

/// Whether this in place of a figure is a failure. A doubtful figure may be as good as before.
fn is_failure(why: &str) -> bool {
    [Status::Failed.name(), Status::Invalid.name(), NOT_POSITIVE].contains(&why)
}

/// What the newest of some levels lost against the best of them, if that is as much as the limit or more.
fn loss(levels: &[SeriesLevel], better: Better, limit_pct: f64) -> Option<NewLoss> {
    let good = |level: &SeriesLevel| if better == Better::Higher { level.mean } else { -level.mean };
    let newest = levels.last()?;
    let (place, best) = levels.iter().enumerate().max_by(|(_, a), (_, b)| good(a).total_cmp(&good(b)))?;
    let ratio = newest.mean / best.mean;
    let is_lost = match better {
        Better::Higher => ratio <= 1.0 - limit_pct / 100.0,
        Better::Lower => ratio >= 1.0 + limit_pct / 100.0,
    };
    let since_step = levels.get(place + 1)?.from;
    is_lost.then_some(NewLoss { series: 0, best: best.mean, newest: newest.mean, ratio, since_step })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(means: &[f64]) -> Vec<SeriesLevel> {
        let level = |(n, mean): (usize, &f64)| SeriesLevel {
            from: n * 10,
            to: n * 10 + 9,
            steps: 10,
            mean: *mean,
            spread_pct: 1.0,
        };
        means.iter().enumerate().map(level).collect()
    }

    #[test]
    fn several_small_losses_count_together_and_a_loss_made_good_is_none() {
        let rate = |means: &[f64]| loss(&levels(means), Better::Higher, 5.0).map(|loss| loss.since_step);
        assert_eq!(rate(&[100.0, 94.0]), Some(10));
        assert_eq!(rate(&[100.0, 97.0, 94.0]), Some(10), "3 % and 3 %");
        assert_eq!(rate(&[100.0, 90.0, 99.0]), None, "made good");
        assert_eq!(rate(&[100.0, 120.0, 105.0]), Some(20), "more than at first, and less than it was");
        assert_eq!(rate(&[100.0, 96.0]), None);
        let time = |means: &[f64]| loss(&levels(means), Better::Lower, 5.0).is_some();
        assert!(time(&[0.010, 0.011]));
        assert!(!time(&[0.010, 0.009]));
    }
}
