//! Stopping: one switch for a whole run, which also cancels what sessions are doing.

use dbdyno_engine::Canceller;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A switch that stops a run. Clones are the same switch.
#[derive(Clone, Default)]
pub struct StopSwitch(Arc<Inner>);

#[derive(Default)]
struct Inner {
    requested: AtomicBool,
    cancellers: Mutex<Vec<Arc<dyn Canceller>>>,
    /// Why, where it was no signal.
    why: OnceLock<String>,
}

impl StopSwitch {
    /// Stops the run: statements under way are cancelled, and nothing more begins.
    pub fn request(&self) {
        self.0.requested.store(true, Ordering::SeqCst);
        self.cancel_current();
    }

    /// Stops the run for a reason, in words. The first reason stays.
    pub fn request_because(&self, why: String) {
        drop(self.0.why.set(why));
        self.request();
    }

    /// Why the run was stopped, where there is a reason.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        self.0.why.get().map(String::as_str)
    }

    /// Whether a stop was asked for.
    #[must_use]
    pub fn requested(&self) -> bool {
        self.0.requested.load(Ordering::SeqCst)
    }

    /// The flag, for work that checks it by itself.
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

    /// Adds a session that is at work.
    pub(crate) fn also_at_work(&self, canceller: Arc<dyn Canceller>) {
        self.0.cancellers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&canceller));
        if self.requested() {
            canceller.cancel();
        }
    }

    /// Sets the sessions that are at work; an empty list when the point is done.
    pub(crate) fn at_work(&self, cancellers: Vec<Arc<dyn Canceller>>) {
        *self.0.cancellers.lock().unwrap_or_else(PoisonError::into_inner) = cancellers;
        if self.requested() {
            self.cancel_current();
        }
    }
}
