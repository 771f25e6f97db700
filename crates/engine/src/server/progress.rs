//! How far a load has come, and whether it must stop.

use crate::LoadWatch;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Tells the sessions of a load when to stop.
pub struct LoadStop<'w> {
    /// Knows whether the load was cancelled.
    pub(super) watch: &'w dyn LoadWatch,
    /// Whether a session has failed.
    pub(super) failed: AtomicBool,
}

impl LoadStop<'_> {
    /// Whether to stop: the load was cancelled, or a session has failed.
    pub fn requested(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || self.watch.cancelled()
    }
}

/// How many rows a phase of a load has done, over all sessions.
pub struct PhaseProgress<'w> {
    watch: &'w dyn LoadWatch,
    /// The phase, in words.
    what: String,
    total_rows: u64,
    done_rows: AtomicU64,
}

impl<'w> PhaseProgress<'w> {
    /// Begins a phase of `total_rows` rows, of which `done_rows` are done already.
    pub fn new(watch: &'w dyn LoadWatch, what: String, done_rows: u64, total_rows: u64) -> Self {
        let progress = Self { watch, what, total_rows, done_rows: AtomicU64::new(done_rows) };
        // The phase is reported at once, not only when its first rows are done.
        progress.add(0);
        progress
    }

    /// Adds rows that are done now, and reports the sum.
    pub fn add(&self, rows: u64) {
        let done_rows = self.done_rows.fetch_add(rows, Ordering::Relaxed) + rows;
        self.watch.progress(&self.what, done_rows.min(self.total_rows), self.total_rows);
    }
}
