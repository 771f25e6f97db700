//! Whether the work lasted long enough to be meaningful.

use super::evidence::Evidence;
use dbdyno_model::{Flag, Point, RepeatMode};

/// Seconds of work in all below which a rate describes the moment rather than the platform.
const LEAST_S: f64 = 0.5;

/// Flags work that was over too soon, even where the user asked for so little.
pub(super) fn flag(point: &mut Point, evidence: &Evidence<'_>) {
    let worked_s = evidence.window.seconds() - point.discarding_s.unwrap_or(0.0);
    let pieces = match evidence.work.repeat_mode() {
        RepeatMode::Once => format!(", in {} pieces", evidence.log.chunks.len()),
        RepeatMode::Chunks | RepeatMode::Statements => String::new(),
    };
    too_short(point, worked_s, &pieces);
}

/// The same for this many seconds of work, with a further remark.
pub(crate) fn too_short(point: &mut Point, worked_s: f64, more: &str) {
    if worked_s < LEAST_S {
        point.flag(Flag::TooShort, format!("the work took {worked_s:.2} s in all{more}"));
    }
}
