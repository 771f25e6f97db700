//! dbdyno's own connections to the nodes, one each, beside those of the jobs; and an account of what its sessions have
//! done, in which each engine keeps what it must know to read the server's counters.

use super::{Connection, OwnSessions, recover};
use crate::{Canceller, EngineError, SessionAccount};
use dbdyno_model::ErrorClass;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// One node of the target.
pub struct Node<L, A> {
    /// Opened when it is first needed, and again after it was lost.
    connection: Mutex<Option<L>>,
    /// When that connection was last asked for something.
    idle_since: Mutex<Option<Instant>>,
    /// Stops what that connection is doing.
    canceller: Arc<Mutex<Option<Arc<dyn Canceller>>>>,
    /// dbdyno's own sessions on this node, as the server numbers them.
    pub(super) ours: Arc<Mutex<OwnSessions>>,
    /// What its sessions have done.
    pub account: A,
}

/// What is kept of what sessions have done. Sessions of other processes can be added.
pub trait Account: Default + Send + Sync + 'static {
    /// What was done until now, by names: sums, which only grow.
    fn told(&self) -> BTreeMap<String, u64>;

    /// Adds what sessions of another process have done.
    fn add_told(&self, done: &BTreeMap<String, u64>);
}

impl<L, A: Account> Node<L, A> {
    /// Its sessions and what they have done.
    pub(super) fn told(&self) -> SessionAccount {
        SessionAccount { sessions: recover(&self.ours).open().clone(), done: self.account.told() }
    }

    /// Takes sessions of another process as dbdyno's own, with what they have done.
    pub(super) fn include(&self, other: &SessionAccount) {
        let mut ours = recover(&self.ours);
        for session in &other.sessions {
            ours.insert(*session);
        }
        self.account.add_told(&other.done);
    }

    /// Sessions of another process have ended.
    pub(super) fn exclude(&self, other: &SessionAccount) {
        let mut ours = recover(&self.ours);
        other.sessions.iter().for_each(|session| ours.end(*session));
    }
}

impl<L, A: Default> Default for Node<L, A> {
    fn default() -> Self {
        Self {
            connection: Mutex::new(None),
            idle_since: Mutex::default(),
            canceller: Arc::default(),
            ours: Arc::default(),
            account: A::default(),
        }
    }
}

/// A session's part in its node: it is one of dbdyno's own for as long as it lives.
pub struct Member<L, A> {
    /// The node.
    pub node: Arc<Node<L, A>>,
    session: u64,
}

impl<L, A> Member<L, A> {
    /// Notes a session among dbdyno's own.
    ///
    /// # Errors
    /// Another of our sessions has the same number, which means what `twice` says.
    pub fn new(node: Arc<Node<L, A>>, connection: &dyn Connection, twice: &str) -> Result<Self, EngineError> {
        let session = connection.session_id();
        if !recover(&node.ours).insert(session) {
            return Err(EngineError::new(ErrorClass::Unsupported, twice));
        }
        Ok(Self { node, session })
    }
}

impl<L, A> Drop for Member<L, A> {
    fn drop(&mut self) {
        recover(&self.node.ours).end(self.session);
    }
}

impl<L: Connection, A> Node<L, A> {
    /// Runs something over this node's own connection, which `open` opens where there is none. One that was lost is
    /// opened again the next time.
    ///
    /// # Errors
    /// The node cannot be reached, or what `work` answers.
    pub fn with<T>(
        &self,
        open: impl FnOnce() -> Result<L, EngineError>,
        work: impl FnOnce(&mut L) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let mut held = recover(&self.connection);
        // What was cancelled refuses to work, and what was closed (by an idle_session_timeout, for one) cannot.
        if held.as_ref().is_some_and(|connection| connection.cancelled() || connection.is_closed()) {
            self.let_go(&mut held);
        }
        let connection = match held.as_mut() {
            Some(connection) => connection,
            None => {
                let connection = open()?;
                recover(&self.ours).insert(connection.session_id());
                *recover(&self.canceller) = Some(connection.canceller());
                held.insert(connection)
            }
        };
        let done = work(connection);
        *recover(&self.idle_since) = Some(Instant::now());
        // An error may have left a transaction open. Only a refused privilege is asked for again and again, and not
        // worth a new connection each time.
        let whole = match &done {
            Ok(_) => true,
            Err(error) if error.class == ErrorClass::Permission => connection.batch("rolling back", "ROLLBACK").is_ok(),
            Err(_) => false,
        };
        if !whole {
            self.let_go(&mut held);
        }
        done
    }

    /// Closes the connection. Its session is no longer ours: the number may be given to another.
    fn let_go(&self, held: &mut Option<L>) {
        *recover(&self.canceller) = None;
        if let Some(connection) = held.take() {
            recover(&self.ours).end(connection.session_id());
        }
    }

    /// A handle that stops what this node's own connection is doing at that moment, whichever it is by then.
    pub fn canceller(&self) -> Arc<dyn Canceller> {
        let current = Arc::clone(&self.canceller);
        Arc::new(move || {
            if let Some(canceller) = recover(&current).as_ref() {
                canceller.cancel();
            }
        })
    }

    /// When this node's own connection was last asked for something, before the present `with`.
    pub fn idle_since(&self) -> Option<Instant> {
        *recover(&self.idle_since)
    }
}
