//! dbdyno's own connections to the nodes, one each, beside those of the jobs; and the account of the transactions that
//! dbdyno makes for itself, which the server counts with those of the test.

use super::link::Link;
use super::options::Options;
use super::recover;
use crate::EngineError;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// One node of the target.
#[derive(Default)]
pub(super) struct Node {
    /// Opened when it is first needed, and again after it was lost.
    link: Mutex<Option<Link>>,
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
        let link = match held.take() {
            Some(link) => held.insert(link),
            None => {
                let link = Link::open(options, node, "dbdyno")?;
                recover(&self.ours).insert(link.backend_pid());
                held.insert(link)
            }
        };
        let done = work(link);
        if done.as_ref().is_err_and(EngineError::target_lost) {
            *held = None;
        }
        done
    }

    /// Takes a job's account: what it did for itself, and what its test committed.
    pub(super) fn account(&self, overhead: u64, claimed: u64) {
        self.overhead.fetch_add(overhead, Ordering::Relaxed);
        self.claimed.fetch_add(claimed, Ordering::Relaxed);
    }
}
