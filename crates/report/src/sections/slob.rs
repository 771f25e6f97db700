//! Random I/O through the database in the figures that its users expect, a line for each point.

use super::points::points_section;
use crate::over_cores::is_random_io;
use crate::sections::prelude::*;

/// The section of a run; without blocks where it has no such points.
pub(crate) fn section(run: &RunJson) -> Section {
    let worked = run.points.iter().filter(|p| is_random_io(p) && run.published.is_none());
    points_section("slob", worked, Some(maximum(run)))
}

/// What the storage gives by itself, or how to find out.
fn maximum(run: &RunJson) -> Note {
    let reference = run.storage_reference.as_ref();
    let limit = reference.and_then(|of| Some((&of.run, of.limits.random_read_iops.as_ref()?)));
    let Some((run, limit)) = limit else { return note("slob", "not_measured") };
    let each = limit.service_time_s.map_or_else(String::new, |seconds| format!(", each in {}", duration(seconds)));
    let (rate, kib, outstanding) = (thousands(limit.value), limit.io_bytes / 1024, limit.outstanding);
    let what = format!("{rate} random reads/s of {kib} KiB with {outstanding} outstanding{each} (run {run})");
    Note::plain(format!("The storage by itself gave {what}."))
}
