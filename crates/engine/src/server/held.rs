//! The lock of a run on a server: a connection of its own, which does nothing but hold it from before the first point
//! to the end. Lost with that connection, because the server then lets others in.

use super::{Connection, recover};
use crate::{EngineError, Hold};
use dbdyno_model::ErrorClass;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What other sessions see of the connection that holds the lock.
pub const NAME: &str = "dbdyno run";
/// What is said while sessions of an earlier dbdyno are waited for.
pub const WAITING: &str = "waiting for what an earlier dbdyno has left at work on the server";

/// Asks the server whether the session of a connection still has the lock.
type Ask<L> = Box<dyn Fn(&mut L) -> Result<bool, EngineError> + Send + Sync>;

/// A connection that has taken the lock.
pub struct Held<L> {
    connection: Mutex<L>,
    ask: Ask<L>,
    /// Whether its end was seen: the server may need a moment more to let others in.
    ended: AtomicBool,
}

impl<L: Connection> Held<L> {
    /// The lock that a connection has taken. `ask` asks the server whether its session still has it.
    pub fn new(connection: L, ask: impl Fn(&mut L) -> Result<bool, EngineError> + Send + Sync + 'static) -> Self {
        Self { connection: Mutex::new(connection), ask: Box::new(ask), ended: AtomicBool::new(false) }
    }
}

impl<L: Connection> Hold for Held<L> {
    fn still_held(&self) -> Result<(), EngineError> {
        if let Some(error) = self.seen_lost() {
            return Err(error);
        }
        if (self.ask)(&mut recover(&self.connection))? { Ok(()) } else { Err(lost()) }
    }

    fn seen_lost(&self) -> Option<EngineError> {
        if !self.ended.load(Ordering::Relaxed) {
            self.ended.store(recover(&self.connection).has_ended(), Ordering::Relaxed);
        }
        self.ended.load(Ordering::Relaxed).then(lost)
    }
}

/// The error of a lock that is gone.
fn lost() -> EngineError {
    let message =
        "the session that kept other dbdynos away has ended, so others may have loaded, measured or dropped here";
    EngineError::new(ErrorClass::ConnectionLost, message)
}
