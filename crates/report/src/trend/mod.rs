//! Runs one after the other: whether the level of any figure changed, when, by how much, and what of the platform
//! changed there. The result is pure data; `crate::sections::trend` says it.
//!
//! A series is one figure of one cell on one platform. Only figures of the same work are in one series: another
//! definition, other commits or another target begin a new one.

mod change;
mod gather;
mod key;
mod new_losses;
mod result;

pub use gather::{TrendOptions, TrendRuns};
pub use result::{
    ChangedFact, NewLoss, NewLosses, NoteAtChange, SeriesChange, SeriesLevel, SeriesOutlier, Trend, TrendChange,
    TrendError, TrendFigure, TrendRun, TrendSeries, TrendStep,
};
