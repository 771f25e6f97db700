//! Statistics that carry their doubt. Pure mathematics: no clock, no I/O, no engine.
//!
//! A recorder is not a result: a [`Histogram`] collects times, an [`Estimate`] says what repeats allow to be said.

mod estimate;
mod histogram;

pub use estimate::{Estimate, Interval};
pub use histogram::{Histogram, HistogramError};
