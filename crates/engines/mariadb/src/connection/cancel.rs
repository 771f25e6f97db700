//! Stopping a link's statement from another thread, by KILL QUERY over a connection of its own.

use super::connect::Way;
use dbdyno_engine::Canceller;
use dbdyno_engine::server::caught;
use mysql::prelude::Queryable as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// What a link and its cancellers share.
#[derive(Debug, Default)]
pub(super) struct Stop {
    /// Somebody wants this link to stop.
    pub(super) asked: AtomicBool,
    /// It has stopped.
    pub(super) ended: AtomicBool,
}

/// Stops one link.
pub(super) struct MariaDbCanceller {
    pub(super) way: Way,
    pub(super) session_id: u64,
    /// The server that numbers sessions so.
    pub(super) identity: String,
    pub(super) stop: Arc<Stop>,
}

/// Pauses between requests, each twice as long as the one before: one that finds no statement is lost, one that finds
/// no seat is refused, and one that finds a COMMIT in a procedure at its wait for the log is forgotten by the server. A
/// procedure that does little else than wait for commits takes many.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// After so many, about ten minutes, nobody waits any more.
const MOST_REQUESTS: u32 = 1_200;
/// How long each answer may take.
const ANSWER: Duration = Duration::from_secs(5);

impl Canceller for MariaDbCanceller {
    fn cancel(&self) {
        // The flag first: a statement that begins later is then not begun at all.
        if self.stop.asked.swap(true, Ordering::Relaxed) {
            return;
        }
        let (way, id, identity) = (self.way.clone(), self.session_id, self.identity.clone());
        let stop = Arc::clone(&self.stop);
        // A request is a connection of its own, which may take its time; whoever pressed Ctrl-C does not wait for it.
        thread::spawn(move || {
            let mut pause = FIRST_PAUSE;
            for _ in 0..MOST_REQUESTS {
                if stop.ended.load(Ordering::Relaxed) {
                    return;
                }
                // Where the server cannot be reached, the statement ends with the connection.
                _ = caught(|| kill(&way, id, &identity, &stop));
                thread::sleep(pause);
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
        });
    }
}

/// Asks the server once. Something between may lead us to another node, where that number is somebody else's session.
fn kill(way: &Way, session_id: u64, identity: &str, stop: &Stop) -> mysql::Result<()> {
    let mut conn = way.open_briefly(ANSWER)?;
    let here: Option<String> = conn.query_first("SELECT CONCAT_WS(' ', @@hostname, @@port, @@datadir)")?;
    if here.as_deref() == Some(identity) && !stop.ended.load(Ordering::Relaxed) {
        conn.query_drop(format!("KILL QUERY {session_id}"))?;
    }
    Ok(())
}
