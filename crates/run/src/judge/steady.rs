//! Whether the rate stayed what it was.

use super::Evidence;
use dbdyno_model::{Flag, Point, Rhythm};

const DRIFT_PCT: f64 = 10.0;

/// Flags a rate that changed within the window.
pub(super) fn flag(point: &mut Point, evidence: &Evidence<'_>) {
    let Evidence { task, log, window, .. } = evidence;
    let repeats_itself = task.test.rhythm != Rhythm::Once;
    if let Some(drift_pct) = log.drift_pct(*window).filter(|d| repeats_itself && *d > DRIFT_PCT) {
        point.flag(Flag::NotSteady, format!("first and last third of the window differ by {drift_pct:.0} %"));
    }
}
