//! The types of transactions that a point's program has, each with its own figures.

use crate::{Drive, Outcomes, Point, ResponseTime, Subject};
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

impl Point {
    /// The one type of a test's program: its figures are those of the point. `None` where nothing was timed, and where
    /// the server runs the loop.
    #[must_use]
    pub fn as_one_type(&self) -> Option<TransactionType> {
        match (&self.subject, self.drive) {
            (Subject::Test(code), Drive::Client) => self.service_time_s.as_ref().map(|times| TransactionType {
                name: code.to_string(),
                weight: 1,
                ops: self.ops,
                ops_per_s: self.ops_per_s,
                service_time_s: Some(times.clone()),
                response_time_s: self.response_time_s.clone(),
                outcomes: self.outcomes.clone(),
            }),
            (Subject::Test(_), Drive::Server) | (Subject::Workload(_) | Subject::Storage(_), _) => None,
        }
    }
}
