//! Statistics that carry their doubt. Pure mathematics: no clock, no I/O, no engine.
//!
//! A recorder is not a result: a [`Recorder`] collects times into a [`Histogram`], an [`Estimate`] says what repeats allow to be
//! said.

mod estimate;
mod histogram;
mod recorder;

pub use estimate::{Estimate, Interval};
pub use histogram::{Histogram, HistogramError};
pub use recorder::{Pen, Recorded, Recorder, Sample, StepSummary, Times};
