//! A comparison: pure data, which text, page and JSON show.

use super::curves::RampCurve;
use super::efficiency::Efficiency;
use super::in_turn::PairedRow;
use super::others::OtherSeries;
use super::regression::Regression;
use super::row::{ComparedRow, LayerFactors, Ratio, RatioVerdict};
use super::side::SideInfo;
use super::side_values::DifferingSetting;
use super::stated::Stated;
use super::summary::SummaryGroup;
use super::times::ComparedTimes;
use super::warnings::Warning;
use crate::groups::unique;
use serde::Serialize;

/// The whole comparison.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The sides, in the order in which they were named.
    pub sides: Vec<SideInfo>,
    /// The index of the side that ratios relate to.
    pub baseline: usize,
    /// Differences between the sides that make figures unlike.
    pub warnings: Vec<Warning>,
    /// What has not been verified of an engine.
    pub notices: Vec<String>,
    /// Settings that differ between the sides.
    pub settings: Vec<DifferingSetting>,
    /// The lines of a platform's summary.
    pub summary: Vec<SummaryGroup>,
    /// By which factor the layers differ.
    pub layers: Vec<LayerFactors>,
    /// Speed and throughput of each test that two sides have.
    pub rows: Vec<ComparedRow>,
    /// What was measured in turn, where both sides were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<PairedRow>,
    /// Tests that only one side has: code, and index of the side.
    pub alone: Vec<(String, usize)>,
    /// How rates grow with parallelism.
    pub curves: Vec<RampCurve>,
    /// How long single operations take under a load.
    pub times: Vec<ComparedTimes>,
    /// Published series over something other than jobs and threads.
    pub others: Vec<OtherSeries>,
    /// What published results state of whole platforms.
    pub stated: Stated,
    /// Throughput per core, thread, licence and price.
    pub efficiency: Vec<Efficiency>,
    /// Whether a limit was kept, where one was set.
    pub regression: Option<Regression>,
}

impl Comparison {
    /// Tests that the baseline alone has figures of: they may be lost on the other sides.
    pub(crate) fn of_baseline_alone(&self) -> impl Iterator<Item = &str> {
        self.alone.iter().filter(|(_, side)| *side == self.baseline).map(|(test, _)| test.as_str())
    }

    /// The rows of the tests, and those of the summary.
    pub(crate) fn all_rows(&self) -> impl Iterator<Item = &ComparedRow> {
        let summary = self.summary.iter().flat_map(|group| &group.rows).map(|line| &line.row);
        self.rows.iter().chain(summary)
    }

    /// Every ratio, row by row.
    pub(crate) fn ratios(&self) -> impl Iterator<Item = &Ratio> {
        self.rows.iter().flat_map(|row| &row.cells).filter_map(|cell| cell.ratio.as_ref())
    }

    /// Why the spread of ratios is not known, each reason once.
    pub(crate) fn unknown_spreads(&self) -> Vec<&str> {
        let unknown = self.ratios().filter(|ratio| ratio.verdict == RatioVerdict::SpreadUnknown);
        unique(unknown.filter_map(|ratio| ratio.why.as_deref()))
    }
}
