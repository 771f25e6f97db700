//! Whether the rate stayed constant.

use super::evidence::Evidence;
use dbdyno_model::{Drive, Flag, Point};
use dbdyno_stats::Trend;

const DRIFT_PCT: f64 = 10.0;

/// Flags a rate that changed within the window by more than its own noise explains. With too few chunks this cannot be
/// judged, and the point says so.
pub(super) fn flag(point: &mut Point, evidence: &Evidence<'_>) {
    let Evidence { work, log, window, .. } = evidence;
    // The chunks of the client drive are the seconds of the window, with the work of all jobs in each.
    let jobs = if work.driven_by() == Drive::Server { work.jobs() } else { 1 };
    let rates = log.rates(*window, jobs);
    let Some(trend) = Trend::of(&rates) else {
        let (n, least) = (rates.len(), Trend::LEAST_RATES);
        let why = format!("a trend is judged from {least} chunks of each job on, and the window had {n}");
        return point.lacks("flags.not_steady", why);
    };
    if trend.change_pct.abs() > DRIFT_PCT && trend.is_beyond_noise() {
        let way = if trend.change_pct > 0.0 { "rose" } else { "fell" };
        let (change_pct, error_pct) = (trend.change_pct.abs(), trend.error_pct);
        let why = format!(
            "the rate {way} by {change_pct:.0} % of its mean over the window; its noise explains {error_pct:.1} %"
        );
        point.flag(Flag::NotSteady, why);
    }
}
