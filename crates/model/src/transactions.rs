//! What a point's program did: the types of its transactions, each with its own figures, and what it sent.

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

/// The rate of a workload's transactions by the minute.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PerMinute {
    /// The mean over the window: its transactions a second times 60.
    pub mean: f64,
    /// The most transactions of any 60 whole seconds of the window in a row. Absent in windows that are shorter.
    pub max: Option<f64>,
}

impl PerMinute {
    /// Seconds of a minute.
    const SECONDS: usize = 60;

    /// From the rate of the window, and the transactions a second of each of its whole seconds.
    #[must_use]
    pub fn of(tx_per_s: f64, each_second: &[f64]) -> Self {
        let minutes = each_second.windows(Self::SECONDS).map(|minute| minute.iter().sum::<f64>());
        Self { mean: tx_per_s * Self::SECONDS as f64, max: minutes.reduce(f64::max) }
    }
}

/// What a workload's users sent and the database answered without an error, by kind, inside the window and around it,
/// as [`TransactionType::outcomes`]; that of attempts that failed later, too. What procedures do is not seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StatementCounts {
    /// Queries.
    pub select: u64,
    /// Inserts.
    pub insert: u64,
    /// Updates.
    pub update: u64,
    /// Deletes.
    pub delete: u64,
    /// Calls of procedures.
    pub call: u64,
    /// Commits. A single statement or a call commits by itself.
    pub commit: u64,
    /// Rollbacks.
    pub rollback: u64,
    /// Sessions that were opened; absent where each is kept, and in older documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logon: Option<u64>,
}

impl StatementCounts {
    /// All that are sent in a session, with their names.
    #[must_use]
    pub fn all(&self) -> [(&'static str, u64); 7] {
        let Self { select, insert, update, delete, call, commit, rollback, logon: _ } = *self;
        [
            ("select", select),
            ("insert", insert),
            ("update", update),
            ("delete", delete),
            ("call", call),
            ("commit", commit),
            ("rollback", rollback),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_minute_may_begin_at_any_second() {
        let seconds: Vec<f64> = (0..90).map(|second| if (20..80).contains(&second) { 10.0 } else { 1.0 }).collect();
        let per_minute = PerMinute::of(7.0, &seconds);
        assert_eq!((per_minute.mean, per_minute.max), (420.0, Some(600.0)));
        assert_eq!(PerMinute::of(7.0, &seconds[..59]).max, None, "there is no whole minute");
    }
}
