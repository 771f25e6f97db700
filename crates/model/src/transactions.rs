//! The types of transactions that a point's program has, each with its own figures.

use crate::{Outcomes, ResponseTime};
use serde::{Deserialize, Serialize};

/// What the transactions of one type did inside the window, warm-up left out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TransactionType {
    /// Its name. A test's program has one type, named by the test's code.
    #[serde(rename = "type")]
    pub name: String,
    /// Its share is this weight over the sum of all weights. The one type of a test has weight 1.
    pub weight: u32,
    /// Transactions that succeeded inside the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ops: Option<u64>,
    /// The same per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ops_per_s: Option<f64>,
    /// Service time: from when a transaction was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_time_s: Option<ResponseTime>,
    /// Response time: from when it was due; absent in a closed loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_time_s: Option<ResponseTime>,
    /// How they ended, warm-up and tail included.
    #[serde(default)]
    pub outcomes: Outcomes,
}
