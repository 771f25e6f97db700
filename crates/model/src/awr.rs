//! What a server's own workload repository (AWR) keeps of a point. It needs a licence of its own, so a point has it
//! only where the user claims one.

use serde::{Deserialize, Serialize};

/// Snapshots of the server's workload repository right before and after a point. What is absent has its reason in the
/// point's `missing`, under `awr.…`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Awr {
    /// The database's number in the repository; a pluggable database has one of its own.
    pub dbid: Option<u64>,
    /// Numbers of the instances that the point worked on.
    #[serde(default)]
    pub instances: Vec<u64>,
    /// The number of the snapshot before the point.
    pub begin_snapshot: Option<u64>,
    /// The number of the snapshot after it.
    pub end_snapshot: Option<u64>,
    /// The server's reports between the two that were written to files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reports: Vec<AwrReport>,
}

/// A report of the server's that was written to a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AwrReport {
    /// The number of the instance that it is about.
    pub instance: u64,
    /// The name of the file, in the folder that the user named.
    pub file: String,
}
