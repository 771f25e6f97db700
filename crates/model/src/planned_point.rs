//! One point of a plan.

use crate::{ClientLoad, CommitMode, Dop, Drive, Mapping, Mix, Parameters, StorageLoad, Subject};
use serde::{Deserialize, Serialize};

/// One point to be measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlannedPoint {
    /// What is measured. For storage, also the load that is asked for.
    #[serde(flatten)]
    pub subject: Subject<StorageLoad>,
    /// Who runs the loop.
    pub drive: Drive,
    /// Degree of parallelism.
    pub dop: Dop,
    /// When a client's transactions begin.
    #[serde(flatten)]
    pub load: ClientLoad,
    /// The weights of a workload's transactions. Absent where they are its own, for tests, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mix: Option<Mix>,
    /// The parameters of a workload that decide what its users do. Empty for tests, and in older documents.
    #[serde(default, skip_serializing_if = "Parameters::is_empty")]
    pub parameters: Parameters,
    /// Processors that the server is held to for this point alone, where a run goes through several numbers of them.
    /// Absent elsewhere, and in older documents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
    /// Rows per transaction; 0 where the test has no transactions.
    pub rows_per_tx: u64,
    /// 1, 2, 3 …
    pub repeat: u32,
    /// Whether this point measures the best of its ramp again. The best is unknown until the ramp is measured; until
    /// then the DOP is the ramp's first.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
    /// The planned length of the window.
    pub duration_s: f64,
    /// Fewest jobs of the ramp, where sessions may follow their server processes. One mode holds for a whole ramp, so
    /// that a change of mode is never a step in the curve. Absent: sessions stay where they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub may_follow_from_jobs: Option<u32>,
    /// How commits behave.
    pub commit: CommitMode,
    /// How the engine realises the test.
    pub mapping: Mapping,
    /// Hash of this test's definition: catalogue entry and SQL.
    pub definition: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_that_knew_no_client_is_one_of_closed_loops() {
        let older = r#"{"subject":{"kind":"test","name":"T611"},"drive":"server","dop":{"nodes":1,"jobs":2,"threads":1},"rows_per_tx":1,"repeat":1,
            "duration_s":2.0,"commit":"durable","mapping":{"native":{"ramp":null}},"definition":"0123456789abcdef"}"#;
        let mapping = serde_json::to_string(&Mapping::Native { ramp: None }).unwrap();
        let older = older.replace(r#"{"native":{"ramp":null}}"#, &mapping);
        let planned: PlannedPoint = serde_json::from_str(&older).unwrap();
        assert_eq!((planned.load, planned.dop.jobs, planned.again), (ClientLoad::default(), 2, false));
        let again: PlannedPoint = serde_json::from_str(&serde_json::to_string(&planned).unwrap()).unwrap();
        assert_eq!(again, planned);
    }
}
