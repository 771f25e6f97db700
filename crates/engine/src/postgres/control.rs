//! dbdyno's own connections to the nodes, one each, beside those of the jobs; and the account of the transactions that
//! dbdyno makes for itself, which the server counts with those of the test.

use super::link::Link;
use super::options::Options;
use super::recover;
use crate::{Canceller, EngineError};
use dbdyno_model::ErrorClass;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// One node of the target.
#[derive(Default)]
pub(super) struct Node {
    /// Opened when it is first needed, and again after it was lost.
    link: Mutex<Option<Link>>,
    /// When that connection was last asked for something.
    idle_since: Mutex<Option<Instant>>,
    /// Stops what that connection is doing.
    canceller: Arc<Mutex<Option<Arc<dyn Canceller>>>>,
    /// Server processes of dbdyno's own sessions on this node.
    pub(super) ours: Arc<Mutex<BTreeSet<i32>>>,
    /// Transactions of jobs that are none of the test's, as far as their statistics are visible.
    pub(super) overhead: AtomicU64,
    /// Transactions that tests committed inside their procedures, by their own account.
    pub(super) claimed: AtomicU64,
}

impl Node {
    /// Runs something over this node's own connection. One that was lost is opened again the next time.
    ///
    /// # Errors
    /// The node cannot be reached, or what `work` answers.
    pub(super) fn with<T>(
        &self,
        options: &Options,
        node: usize,
        work: impl FnOnce(&mut Link) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let mut held = recover(&self.link);
        // What was cancelled refuses to work, and what was closed (by an idle_session_timeout, for one) cannot.
        let usable = held.take().filter(|link| !link.cancelled() && !link.is_closed());
        let link = match usable {
            Some(link) => held.insert(link),
            None => {
                let link = Link::open(options, node, "dbdyno")?;
                recover(&self.ours).insert(link.backend_pid());
                *recover(&self.canceller) = Some(link.canceller());
                held.insert(link)
            }
        };
        let done = work(link);
        *recover(&self.idle_since) = Some(Instant::now());
        // An error may have left a transaction open. Only a refused privilege is asked for again and again.
        if done.as_ref().is_err_and(|error| error.class != ErrorClass::Permission) {
            *recover(&self.canceller) = None;
            *held = None;
        }
        done
    }

    /// A handle that stops what this node's own connection is doing at that moment, whichever it is by then.
    pub(super) fn canceller(&self) -> Arc<dyn Canceller> {
        Arc::new(Current(Arc::clone(&self.canceller)))
    }

    /// When this node's own connection was last asked for something, before the present `with`.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        *recover(&self.idle_since)
    }

    /// Takes a job's account: what it did for itself, and what its test committed.
    pub(super) fn account(&self, overhead: u64, claimed: u64) {
        self.overhead.fetch_add(overhead, Ordering::Relaxed);
        self.claimed.fetch_add(claimed, Ordering::Relaxed);
    }
}

/// The canceller of whatever connection there is.
struct Current(Arc<Mutex<Option<Arc<dyn Canceller>>>>);

impl Canceller for Current {
    fn cancel(&self) {
        if let Some(canceller) = recover(&self.0).as_ref() {
            canceller.cancel();
        }
    }
}
