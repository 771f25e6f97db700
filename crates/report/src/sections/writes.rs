//! What each point wrote: to the log, which commits wait for, and to the data files, which are written at checkpoints.

use super::points::{notes, row};
use super::words::{self, alone, keys, note};
use crate::document::Section;
use dbdyno_model::{Point, RunJson};

/// The report: a line for each point that writes, with its legend.
pub(crate) fn report(run: &RunJson) -> Vec<Section> {
    let mut section = words::section("writes");
    let counted = |p: &&Point| p.redo.mib_per_s.is_some() || p.database.data_writes_per_s.is_some();
    let wrote: Vec<&Point> = run.points.iter().filter(|p| p.commit.is_some()).filter(counted).collect();
    if !wrote.is_empty() {
        let columns = words::columns("writes", "points");
        let rows = wrote.iter().map(|p| row(p, keys(p.subject.name(), p.dop, p.rows_per_tx), &columns));
        let table = words::table("writes", "points", rows.collect());
        let notes = notes(&wrote, &table, &columns);
        section = section.with([table.into(), note("writes", "points").into()]).with(notes);
    }
    vec![alone(section)]
}
