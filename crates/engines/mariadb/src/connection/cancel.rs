//! Stopping a connection's statement from another thread, by KILL QUERY over a connection of its own.

use super::connect::ConnectOptions;
use dbdyno_engine::Canceller;
use dbdyno_engine::server::{Cancellation, caught};
use mysql::prelude::Queryable as _;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Stops what a connection is doing.
pub(super) struct MariaDbCanceller {
    pub(super) connect_options: ConnectOptions,
    pub(super) session_id: u64,
    /// The server that numbers sessions so.
    pub(super) identity: String,
    pub(super) cancellation: Arc<Cancellation>,
}

/// Pauses between requests, each twice as long as the one before: one that finds no statement is lost, one that finds
/// all connections taken is refused, and one that finds a COMMIT in a procedure at its wait for the log is forgotten by
/// the server. A procedure that does little else than wait for commits takes many.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// After so many, about ten minutes, nobody waits any more.
const MOST_REQUESTS: u32 = 1_200;
/// How long each answer may take.
const ANSWER: Duration = Duration::from_secs(5);

impl Canceller for MariaDbCanceller {
    fn cancel(&self) {
        if !self.cancellation.request() {
            return;
        }
        let (options, id, identity) = (self.connect_options.clone(), self.session_id, self.identity.clone());
        let cancellation = Arc::clone(&self.cancellation);
        // A request is a connection of its own, which may take its time; whoever pressed Ctrl-C does not wait for it.
        thread::spawn(move || {
            let mut pause = FIRST_PAUSE;
            for _ in 0..MOST_REQUESTS {
                if cancellation.has_ended() {
                    return;
                }
                // Where the server cannot be reached, the statement ends with the connection.
                _ = caught(|| kill(&options, id, &identity, &cancellation));
                thread::sleep(pause);
                pause = (2 * pause).min(LONGEST_PAUSE);
            }
        });
    }
}

/// Asks the server once. Something between may lead us to another node, where that number is somebody else's session.
fn kill(options: &ConnectOptions, session_id: u64, identity: &str, cancellation: &Cancellation) -> mysql::Result<()> {
    let mut conn = options.open_briefly(ANSWER)?;
    let here: Option<String> = conn.query_first("SELECT CONCAT_WS(' ', @@hostname, @@port, @@datadir)")?;
    if here.as_deref() == Some(identity) && !cancellation.has_ended() {
        conn.query_drop(format!("KILL QUERY {session_id}"))?;
    }
    Ok(())
}
