//! Random I/O through the database in the figures that its users expect, a line for each point.

use super::points::{notes, row};
use super::words::{self, alone, keys, note};
use crate::document::{Note, Section};
use crate::numbers::{duration, thousands};
use crate::over_cores::is_random_io;
use dbdyno_model::{Point, RunJson};

/// The section of a run; without blocks where it has no such points.
pub(crate) fn section(run: &RunJson) -> Section {
    let section = words::section("slob");
    let worked: Vec<&Point> = run.points.iter().filter(|p| is_random_io(p) && run.published.is_none()).collect();
    if worked.is_empty() {
        return section;
    }
    let columns = words::columns("slob", "points");
    let rows = worked.iter().map(|p| row(p, keys(p.subject.name(), p.dop, p.rows_per_tx), &columns));
    let table = words::table("slob", "points", rows.collect());
    let notes = notes(&worked, &table, &columns);
    section.with([table.into(), note("slob", "points").into(), maximum(run).into()]).with(notes)
}

/// What the storage gives by itself, or how to find out.
fn maximum(run: &RunJson) -> Note {
    let limit = run
        .storage_reference
        .as_ref()
        .and_then(|reference| Some((reference.run.clone(), reference.limits.random_read_iops.clone()?)));
    Note::plain(match limit {
        Some((reference, limit)) => format!(
            "The storage by itself gave {} random reads/s of {} KiB with {} outstanding{} (run {reference}).",
            thousands(limit.value),
            limit.io_bytes / 1024,
            limit.outstanding,
            limit.service_time_s.map_or_else(String::new, |seconds| format!(", each in {}", duration(seconds))),
        ),
        None => "What the storage gives by itself was not measured: `dbdyno orion --reference`.".to_owned(),
    })
}

/// The report of it alone.
pub(crate) fn report(run: &RunJson) -> Vec<Section> {
    vec![alone(section(run))]
}
