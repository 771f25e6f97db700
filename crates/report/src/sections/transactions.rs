//! What the users of a workload did: transactions by the second and by the minute, how they ended, and the statements
//! that were sent, a line for each point.

use super::points::{notes, row};
use super::words::{self, alone, keys, note};
use crate::document::Section;
use dbdyno_model::{Point, RunJson};

/// The section of a run; without blocks where it has no workload.
pub(crate) fn section(run: &RunJson) -> Section {
    let section = words::section("transactions");
    let worked: Vec<&Point> = run.points.iter().filter(|p| p.statements.is_some()).collect();
    if worked.is_empty() {
        return section;
    }
    let columns = words::columns("transactions", "points");
    let rows = worked.iter().map(|p| row(p, keys(p.subject.name(), p.dop, p.rows_per_tx), &columns));
    let table = words::table("transactions", "points", rows.collect());
    let notes = notes(&worked, &table, &columns);
    section.with([table.into(), note("transactions", "points").into()]).with(notes)
}

/// The report of it alone.
pub(crate) fn report(run: &RunJson) -> Vec<Section> {
    vec![alone(section(run))]
}
