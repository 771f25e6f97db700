//! The limits of the storage, as a run of a database shows them beside its own figures.

use crate::RunId;
use serde::{Deserialize, Serialize};

/// The best figure that was reached, and the number of I/Os outstanding there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StorageLimit {
    /// The median over repeats, in the unit that the field's name says.
    pub value: f64,
    /// I/Os outstanding.
    pub outstanding: u32,
    /// Bytes of one I/O.
    #[serde(default)]
    pub io_bytes: u64,
    /// Mean time of one I/O at this point.
    pub service_time_s: Option<f64>,
}

/// The limits that a run's storage points show. A limit that was not measured is absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StorageLimits {
    /// Small random reads/s.
    pub random_read_iops: Option<StorageLimit>,
    /// Small random reads/s at each measured number of outstanding I/Os, ascending, so that a database can be compared
    /// at its own depth.
    pub random_read_by_depth: Vec<StorageLimit>,
    /// Small random writes/s.
    pub random_write_iops: Option<StorageLimit>,
    /// Large sequential reads.
    pub sequential_read_mib_per_s: Option<StorageLimit>,
    /// Large sequential writes.
    pub sequential_write_mib_per_s: Option<StorageLimit>,
    /// Mean time of a small read with nothing else outstanding.
    pub read_service_time_s: Option<f64>,
    /// Mean time of a small write with nothing else outstanding.
    pub write_service_time_s: Option<f64>,
}

/// Why this reference run was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChosenBy {
    /// It has the same label.
    Label,
    /// It is the newest run of the same host.
    Host,
}

/// Whether a reference run measured the device that holds the database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SameDevice {
    /// It did.
    Yes,
    /// It measured another device, so the two cannot be compared.
    No {
        /// The devices that were measured.
        measured: Vec<String>,
        /// The devices that hold the database.
        database: Vec<String>,
    },
    /// The system does not show the devices below one of the two.
    NotKnown,
}

/// The storage's limits beside a run of a database.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StorageReference {
    /// The run that measured them.
    pub run: RunId,
    /// When it began.
    pub started_at: jiff::Timestamp,
    /// The paths that it measured.
    pub paths: String,
    /// Why this run was chosen.
    pub chosen_by: ChosenBy,
    /// Whether it measured the same device.
    pub same_device: SameDevice,
    /// The limits.
    pub limits: StorageLimits,
}
