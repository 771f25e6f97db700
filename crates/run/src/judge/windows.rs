//! Whether the work lasted long enough to mean anything.

use super::Evidence;
use dbdyno_model::{Flag, Point, Rhythm};

/// Seconds of work in all below which its rate says more of the moment than of the platform.
const LEAST_S: f64 = 0.5;

/// Flags pieces (files, loads, index builds) that were over before anything could be told of them. All other work has chunks of
/// a known length after a warm-up.
pub(super) fn flag(point: &mut Point, evidence: &Evidence<'_>) {
    let discarding_s = point.discarding_s.unwrap_or(0.0);
    let worked_s = evidence.window.seconds() - discarding_s;
    if evidence.task.test.rhythm == Rhythm::Once && worked_s < LEAST_S {
        let pieces = evidence.log.chunks.len();
        point.flag(Flag::TooShort, format!("the work took {worked_s:.2} s in all, in {pieces} pieces"));
    }
}
