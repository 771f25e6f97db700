//! The lock that measuring, loading and dropping share: one dbdyno at a time does any of these in a place.

use super::ProductTables;
use crate::EngineError;
use dbdyno_model::ErrorClass;
use std::thread;
use std::time::{Duration, Instant};

/// A server notices only after a moment that the last dbdyno has gone.
const GRACE: Duration = Duration::from_secs(5);
/// How often we ask whether others have ended.
const ASK_EVERY: Duration = Duration::from_millis(50);
const DOING: &str = "waiting for others that measure, load or drop here";

/// Takes the lock, and waits for what an earlier load or run has left at work: a server that builds an index or takes
/// back half a leaf outlives its client by long. `give_up` says when not to wait any longer, and what that is called;
/// `waits` hears each time that something is waited for.
///
/// # Errors
/// Another dbdyno is at work; somebody gave up; the server's.
pub(super) fn hold<P: ProductTables>(
    product: &P,
    connection: &mut P::Connection,
    give_up: &dyn Fn() -> Option<ErrorClass>,
    waits: &dyn Fn(),
) -> Result<(), EngineError> {
    let began = Instant::now();
    while !product.try_lock(connection, DOING)? {
        if began.elapsed() > GRACE || give_up().is_some() {
            return Err(EngineError::occupied(DOING));
        }
        thread::sleep(ASK_EVERY);
    }
    while let Some(how_to_end_it) = product.left_at_work(connection, DOING)? {
        if let Some(class) = give_up() {
            let message =
                format!("{DOING}: sessions of an earlier dbdyno are still at work; wait for them, or {how_to_end_it}");
            return Err(EngineError::new(class, message));
        }
        waits();
        thread::sleep(ASK_EVERY);
    }
    Ok(())
}
