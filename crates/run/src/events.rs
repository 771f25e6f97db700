//! What happens during a run, for display only. A listener may drop any event, and no result depends on it.

use dbdyno_model::{PlannedPoint, Point, Reading};

/// An event that a listener may show.
#[derive(Debug)]
pub enum Event<'a> {
    /// Rows of a table are being loaded, an index is being built, or a checksum is being verified.
    Loading {
        /// What is being done.
        what: &'a str,
        /// Rows done.
        rows: u64,
        /// Total rows.
        of: u64,
    },
    /// A text that the user asked to see, or what went wrong beside the measuring.
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
    /// A reading was taken; it comes from another thread than the other events.
    Reading {
        /// The reading.
        reading: &'a Reading,
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

/// A listener for the events of a run.
pub trait Events: Sync {
    /// Called from the threads that measure and take readings, so it must return at once.
    fn on(&self, event: &Event<'_>);
}

/// A listener that does nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Events for Silent {
    fn on(&self, _: &Event<'_>) {}
}
