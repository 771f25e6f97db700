//! What happens during a run, for display only: a listener may drop any of it, and no result depends on it.

use dbdyno_model::{PlannedPoint, Point};

/// Something that a listener may show.
#[derive(Debug)]
pub enum Event<'a> {
    /// Rows of a table being loaded (or of an index being built, a checksum being verified).
    Loading {
        /// What is being done.
        what: &'a str,
        /// Rows done.
        rows: u64,
        /// Rows in all.
        of: u64,
    },
    /// Something that was asked for to be told.
    Told {
        /// Its lines.
        text: &'a str,
    },
    /// A point begins.
    PointBegins {
        /// Its place in the plan, from 0.
        index: usize,
        /// Points of the plan.
        of: usize,
        /// What will be measured.
        planned: &'a PlannedPoint,
        /// Seconds that the rest of the plan will take, this point included.
        left_s: f64,
    },
    /// A point is recorded.
    PointRecorded {
        /// Its place in the plan, from 0.
        index: usize,
        /// Points of the plan.
        of: usize,
        /// The point.
        point: &'a Point,
    },
}

/// Hears what happens during a run.
pub trait Events: Sync {
    /// Called from the measuring thread: must return at once.
    fn on(&self, event: &Event<'_>);
}

/// Hears nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Events for Silent {
    fn on(&self, _: &Event<'_>) {}
}
