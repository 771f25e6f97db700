//! What each point wrote: to the log, which commits wait for, and to the data files, which are written at checkpoints.

use super::points::points_section;
use crate::sections::prelude::*;

/// The report: a line for each point that writes, with its legend.
pub(crate) fn report(run: &RunJson) -> Vec<Section> {
    let counted = |p: &&Point| p.redo.mib_per_s.is_some() || p.database.data_writes_per_s.is_some();
    let wrote = run.points.iter().filter(|p| p.commit.is_some()).filter(counted);
    vec![alone(points_section("writes", wrote, None))]
}
