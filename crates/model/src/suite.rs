//! Suites: ordered choices of tests with ramps and durations. Suites are data (catalogue/suites).

use crate::{Dimension, Ramp, Scale, TestCode};
use serde::{Deserialize, Serialize};

/// An ordered choice of tests, or a workload on so much data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// Its name.
    pub id: String,
    /// What the suite is for.
    pub title: String,
    /// The window of each point.
    pub duration_s: u64,
    /// How often the whole ramp is repeated.
    pub repeat: u32,
    /// The ramp, unless a step has its own.
    pub ramp: Ramp,
    /// The workload that is run in place of tests; the ramp is then its users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<SuiteWorkload>,
    /// The tests, in order.
    #[serde(rename = "step", default)]
    pub steps: Vec<SuiteStep>,
}

/// The workload of a suite.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteWorkload {
    /// Its name.
    pub name: String,
    /// How much data it has.
    pub scale: Scale,
}

/// Some tests of a suite that share a ramp and a duration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SuiteStep {
    /// The tests.
    pub tests: Vec<TestCode>,
    /// Their ramp, if it differs from the suite's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ramp: Option<Ramp>,
    /// The dimension that the ramp moves, if not the test's first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimension: Option<Dimension>,
    /// Their window, if it differs from the suite's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration_s: Option<u64>,
}
