//! What all sessions on a file share.

use super::monitor::Monitor;
use super::options::Options;
use super::totals::Totals;
use super::writer::WriterQueue;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};

/// What all sessions share.
pub(crate) struct Shared {
    pub(crate) options: Options,
    pub(crate) cache_bytes: u64,
    pub(crate) writer: Arc<WriterQueue>,
    /// Pages of the log that no checkpoint has moved yet.
    pub(crate) pending_pages: AtomicU64,
    /// Held by the job that makes a checkpoint.
    pub(crate) checkpointing: Mutex<()>,
    pub(crate) totals: Mutex<Totals>,
    /// Watches for commits of others while a point is under way, or why it does not.
    pub(crate) monitor: Mutex<Result<Monitor, String>>,
}

/// Why nobody watches between points.
pub(crate) fn no_monitor() -> Result<Monitor, String> {
    Err("commits of other processes are watched for during points only".to_owned())
}
