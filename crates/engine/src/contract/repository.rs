//! A server's own workload repository: snapshots of what the server counts, taken around each point, and reports
//! between two of them, which the people who look after such a server know how to read.

use crate::EngineError;
use dbdyno_model::Awr;
use std::collections::BTreeMap;

/// The workload repository of a target's server.
pub trait WorkloadRepository {
    /// Whether the target lets it be used.
    ///
    /// # Errors
    /// What stands against it, and what to do.
    fn is_open(&self) -> Result<(), String>;

    /// The snapshots around the point that has ended last, if there were any. They are told once.
    fn taken(&self) -> Option<SnapshotsTaken>;

    /// The server's report of an instance between the snapshots of a point, as HTML.
    ///
    /// # Errors
    /// The server's; a snapshot is missing; the report is longer than so many bytes, or empty.
    fn report(&self, of: &Awr, instance: u64, most_bytes: usize) -> Result<String, EngineError>;
}

/// Snapshots around a point.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SnapshotsTaken {
    /// Their numbers.
    pub awr: Awr,
    /// JSON path within the point -> why the value is absent.
    pub missing: BTreeMap<String, String>,
}
