//! Platforms side by side: their differences, what does not compare, each test's speed and throughput, the ratio to a
//! baseline with its significance, and figures per core and per dollar. The result is pure data;
//! `crate::sections::compare` says it.

mod alike;
mod builder;
pub(crate) mod builds;
pub(crate) mod card;
mod cells;
mod comparison;
mod curves;
mod efficiency;
mod in_turn;
mod junit;
pub(crate) mod layers;
pub(crate) mod likeness;
mod others;
mod paired_figures;
mod query;
mod regression;
mod row;
mod settings;
mod side;
mod side_values;
mod stated;
mod summary;
mod times;
mod units;
mod warnings;

pub use builder::{CompareOptions, compare};
pub use comparison::Comparison;
pub use curves::{RampCurve, RampPoint};
pub use efficiency::{Efficiency, EfficiencyRow, Per};
pub use in_turn::PairedRow;
pub use others::{OtherSeries, OtherSeriesRow};
pub use regression::{BrokenLimit, Regression};
pub use row::{ComparedCell, ComparedRow, KeyFigure, LayerFactor, LayerFactors, Rank, Ratio, RatioVerdict};
pub(crate) use settings::facts_of;
pub use side::{CompareError, MOST_SIDES, Side, SideInfo};
pub use side_values::DifferingSetting;
pub use stated::{Stated, StatedColumn, StatedFigure, StatedRow};
pub use summary::{SummaryGroup, SummaryRow};
pub use times::{ComparedLoad, ComparedTimes, LoadUnit, SideTimes};
pub(crate) use units::shown_unit;
pub use warnings::{Warning, WarningKind};
