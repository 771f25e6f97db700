//! Statistics that carry their doubt. Pure mathematics: no clock, no I/O, no engine.
//!
//! A recorder is not a result: a [`Recorder`] collects times into a [`Histogram`] for each transaction type, an
//! [`Estimate`] says what repeats allow to be said, a [`Difference`] whether two samples of runs are apart, a
//! [`Family`] of them what many rows say together, and a [`Fit`] how a rate grows with parallelism, a [`Trend`] whether
//! it changed within a window.

mod cells;
mod difference;
mod estimate;
mod histogram;
mod mixer;
mod recorder;
mod scaling;
mod trend;
mod winner;

pub use difference::{Bound, Difference, Family, Judged, Unknown, holm};
pub use estimate::{Estimate, Interval};
pub use histogram::{Histogram, HistogramError};
pub use mixer::Mixer;
pub use recorder::{
    MOST_TYPES, OfType, Part, PartError, Pen, Recorded, Recorder, Sample, StepCounts, StepSummary, Times, TypeId,
    Types, TypesError,
};
pub use scaling::{CannotTell, Fit, Located, ScalingLaw};
pub use trend::Trend;
pub use winner::{Candidate, beside_the_best, best};
