//! Statistics with their uncertainty. Pure mathematics: no clock, no I/O, no engine.
//!
//! A [`Recorder`] collects times into a [`Histogram`] for each transaction type. An [`Estimate`] is the median of
//! repeats with its interval. A [`Difference`] says whether two samples of runs differ, and a [`Family`] judges many
//! differences together. [`Pairs`] compare what was measured in turn. A [`Fit`] says how a rate grows with parallelism,
//! and a [`Trend`] whether it changed within a window. [`Changes`] are where the level of a series of runs changed.
//! [`search`] chooses what to measure next, by what was measured.

mod buckets;
mod changes;
mod counts;
mod difference;
mod estimate;
mod histogram;
mod paired;
mod recorder;
mod scaling;
pub mod search;
mod split_mix;
mod student;
mod trend;
mod whole_parts;
mod winner;

pub use changes::{Change, Changes, Level, Outlier, TooFewSteps};
pub use difference::{Difference, Family, JudgedRow, NotComparable, RatioBound, holm};
pub use estimate::{Estimate, Interval};
pub use histogram::{Histogram, HistogramError};
pub use paired::{First, Pairs};
pub use recorder::{
    FollowedType, Follower, LocalRecorder, MOST_TYPES, PartError, RecordedTimes, Recorder, Recording, RecordingPart,
    Sample, StepCounts, StepSummary, TypeId, TypeRecording, Types, TypesError,
};
pub use scaling::{Fit, Located, NotLocated, ScalingLaw};
pub use split_mix::SplitMix64;
pub use trend::Trend;
pub use whole_parts::whole_parts;
pub use winner::{Candidate, beside_the_best, best};
