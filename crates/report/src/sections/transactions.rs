//! What the users of a workload did: transactions by the second and by the minute, how they ended, and the statements
//! that were sent, a line for each point.

use super::points::points_section;
use crate::sections::prelude::*;

/// The section of a run; without blocks where it has no workload.
pub(crate) fn section(run: &RunJson) -> Section {
    points_section("transactions", run.points.iter().filter(|p| p.statements.is_some()), None)
}
