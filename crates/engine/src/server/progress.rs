//! How far a load is, and whether it shall go on.

use crate::LoadWatch;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Tells sessions to stop.
pub struct LoadStop<'w> {
    pub(super) watch: &'w dyn LoadWatch,
    pub(super) failed: AtomicBool,
}

impl LoadStop<'_> {
    /// Whether to stop: somebody wants it, or another session has failed.
    pub fn requested(&self) -> bool {
        self.failed.load(Ordering::Relaxed) || self.watch.cancelled()
    }
}

/// How far a phase is, over all sessions.
pub struct PhaseProgress<'w> {
    watch: &'w dyn LoadWatch,
    what: String,
    of: u64,
    done: AtomicU64,
}

impl<'w> PhaseProgress<'w> {
    /// A phase of `of` rows.
    pub fn new(watch: &'w dyn LoadWatch, what: String, done: u64, of: u64) -> Self {
        let progress = Self { watch, what, of, done: AtomicU64::new(done) };
        progress.add(0);
        progress
    }

    /// Rows are done.
    pub fn add(&self, rows: u64) {
        let done = self.done.fetch_add(rows, Ordering::Relaxed) + rows;
        self.watch.progress(&self.what, done.min(self.of), self.of);
    }
}
