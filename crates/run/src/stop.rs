//! Stopping: one switch for a whole run, which also cancels what sessions are doing at the moment.

use dbdyno_engine::Canceller;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Asks a run to stop. Clones are the same switch.
#[derive(Clone, Default)]
pub struct Stop(Arc<Inner>);

#[derive(Default)]
struct Inner {
    requested: AtomicBool,
    cancellers: Mutex<Vec<Arc<dyn Canceller>>>,
}

impl Stop {
    /// Stops the run: what is being executed is cancelled, and nothing more begins.
    pub fn request(&self) {
        self.0.requested.store(true, Ordering::SeqCst);
        self.cancel_current();
    }

    /// Whether a stop was asked for.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.0.requested.load(Ordering::SeqCst)
    }

    /// What is thrown, for work that looks at it by itself.
    #[must_use]
    pub fn switch(&self) -> &AtomicBool {
        &self.0.requested
    }

    /// Cancels what the sessions of the current point are doing, without stopping the run.
    pub(crate) fn cancel_current(&self) {
        for canceller in self.0.cancellers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            canceller.cancel();
        }
    }

    /// One more session is at work.
    pub(crate) fn also_at_work(&self, canceller: Arc<dyn Canceller>) {
        self.0.cancellers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&canceller));
        if self.requested() {
            canceller.cancel();
        }
    }

    /// The sessions that are at work now; an empty list when the point is done.
    pub(crate) fn at_work(&self, cancellers: Vec<Arc<dyn Canceller>>) {
        *self.0.cancellers.lock().unwrap_or_else(PoisonError::into_inner) = cancellers;
        if self.requested() {
            self.cancel_current();
        }
    }
}
