//! The evidence that a point is judged by.

use crate::Span;
use crate::work::PointWork;
use crate::work_log::WorkLog;
use dbdyno_engine::{Durability, EngineError, Features};
use dbdyno_model::Counters;
use dbdyno_probe::Telemetry;

/// Non-cached tests: device reads per block visit below which memory served the reads. Storage tests: the share of the
/// writes that must reach a device.
pub(super) const DEVICE_SHARE: f64 = 0.7;

/// The evidence that a point is judged by.
pub(crate) struct Evidence<'a> {
    pub(crate) work: PointWork<'a>,
    pub(crate) features: Features,
    pub(crate) log: &'a WorkLog,
    /// The first error that ended a transaction and not the point, in the client drive.
    pub(crate) first_failure: Option<&'a EngineError>,
    pub(crate) window: Span,
    pub(crate) counters: &'a Counters,
    pub(crate) telemetry: &'a Telemetry,
    /// Share of the data files' bytes that lie in memory.
    pub(crate) share_in_memory: f64,
    pub(crate) counters_s: f64,
    pub(crate) durability: Option<&'a Durability>,
    /// Commits of the work that the log must keep, where the number is known.
    pub(crate) commits: Option<u64>,
    pub(crate) clock_jump_s: f64,
}
