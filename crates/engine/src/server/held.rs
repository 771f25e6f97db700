//! The lock of a run: a connection of its own, which does nothing but hold it from before the first point to the end. Lost
//! with that connection, because the server then lets others in.

use super::{ServerLink, recover};
use crate::EngineError;
use dbdyno_model::ErrorClass;
use std::sync::Mutex;

/// What other sessions see of the connection that holds the lock.
pub const NAME: &str = "dbdyno run";
/// What is said while sessions of an earlier dbdyno are waited for.
pub const WAITING: &str = "waiting for what an earlier dbdyno has left at work on the server";

/// The connection, while a place is held.
pub struct Held<L>(Mutex<Option<L>>);

impl<L> Default for Held<L> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<L: ServerLink> Held<L> {
    /// Keeps a connection that has taken the lock.
    pub fn keep(&self, link: L) {
        *recover(&self.0) = Some(link);
    }

    /// The session that has the lock, as the server numbers it.
    pub fn session_id(&self) -> Option<u64> {
        recover(&self.0).as_ref().map(ServerLink::session_id)
    }

    /// Runs something over that connection, where there is one.
    pub fn with<T>(&self, work: impl FnOnce(&mut L) -> T) -> Option<T> {
        recover(&self.0).as_mut().map(work)
    }
}

/// The error of a lock that is gone.
pub fn lost() -> EngineError {
    let message =
        "the session that kept other dbdynos away has ended, so others may have loaded, measured or dropped here";
    EngineError::new(ErrorClass::ConnectionLost, message)
}
