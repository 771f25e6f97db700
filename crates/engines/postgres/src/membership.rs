//! A session's part in its node: it is one of dbdyno's own for as long as it lives, and tells the node's account what
//! it has committed.

use super::Node;
use super::connection::PostgresConnection;
use super::product::Account;
use dbdyno_engine::EngineError;
use dbdyno_engine::server::{Connection, Member};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A session's part in its node.
pub(super) struct Membership {
    member: Member<PostgresConnection, Account>,
    /// Transactions of the session's connection that the node has in its account.
    accounted: u64,
    /// Transactions that the test has committed since the last flush.
    claimed: u64,
    /// Since when the server has not been asked for anything; unknown while nobody looks at a clock for it.
    idle_since: Option<Instant>,
}

impl Membership {
    /// Notes a session among dbdyno's own.
    ///
    /// # Errors
    /// Another of our sessions has the same server process.
    pub(super) fn new(node: Arc<Node>, connection: &dyn Connection) -> Result<Self, EngineError> {
        let twice = "two sessions share one server process: a connection pooler stands between, and settings, plans and \
                     counts of one would be those of the other; name the server itself as the target";
        let member = Member::new(node, connection, twice)?;
        Ok(Self { member, accounted: 0, claimed: 0, idle_since: None })
    }

    /// The test has committed so many transactions.
    pub(super) fn claim(&mut self, transactions: u64) {
        self.claimed += transactions;
    }

    /// So many rows were changed in tables that are about to go.
    pub(super) fn discarded(&self, rows: u64) {
        self.member.node.account.discarded_rows.fetch_add(rows, Ordering::Relaxed);
    }

    /// Something is asked.
    pub(super) fn work(&mut self) {
        self.idle_since = None;
    }

    /// Nothing more is asked for the time being.
    pub(super) fn rest(&mut self) {
        self.idle_since = Some(Instant::now());
    }

    /// Since when the server has not been asked for anything, where that is known.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        self.idle_since
    }

    /// The session's statistics are out: brings the account to what its connection has committed by now.
    pub(super) fn settle(&mut self, transactions: u64) {
        self.rest();
        self.member.node.account.overhead.fetch_add(transactions - self.accounted, Ordering::Relaxed);
        self.member.node.account.claimed.fetch_add(self.claimed, Ordering::Relaxed);
        (self.accounted, self.claimed) = (transactions, 0);
    }
}
