//! PostgreSQL as a product: how to reach a target of it.

use super::connection::PostgresConnection;
use super::dialect::{DIALECT, TABLE_NAMES};
use super::location;
use super::options::Options;
use dbdyno_engine::private::PrivateServer;
use dbdyno_engine::server::{NodeOf, ProductTarget, Reach, ServerEngine, ServerLocation, Vigil};
use dbdyno_engine::{Dialect, EngineError, Target, TargetError};
use dbdyno_model::TableName;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a node's sessions have done that its counters hold besides.
#[derive(Debug, Default)]
pub(crate) struct Account {
    /// Transactions of jobs that are none of the test's, as far as their statistics are visible.
    pub(crate) overhead: AtomicU64,
    /// Transactions that tests committed inside their procedures, by their own account.
    pub(crate) claimed: AtomicU64,
    /// Rows that were changed in tables which are gone, as the server had counted them.
    pub(crate) discarded_rows: AtomicU64,
}

impl Account {
    fn each(&self) -> [(&'static str, &AtomicU64); 3] {
        [("overhead", &self.overhead), ("claimed", &self.claimed), ("discarded_rows", &self.discarded_rows)]
    }
}

impl dbdyno_engine::server::Account for Account {
    fn told(&self) -> BTreeMap<String, u64> {
        self.each().map(|(name, n)| (name.to_owned(), n.load(Ordering::Relaxed))).into()
    }

    fn add_told(&self, done: &BTreeMap<String, u64>) {
        for (name, sum) in self.each() {
            sum.fetch_add(done.get(name).copied().unwrap_or(0), Ordering::Relaxed);
        }
    }
}

pub(crate) type Node = NodeOf<PostgresProduct>;

/// PostgreSQL, and a target of it.
#[derive(Clone)]
pub(crate) struct PostgresProduct {
    pub(crate) options: Options,
}

pub(crate) type PostgresEngine = ServerEngine<PostgresProduct>;

pub(crate) fn engine(target: &Target, private: Option<PrivateServer>) -> Result<PostgresEngine, TargetError> {
    Ok(ServerEngine::new(PostgresProduct { options: Options::parse(target)? }, private))
}

impl ProductTarget for PostgresProduct {
    type Connection = PostgresConnection;
    type Account = Account;
    const BLOCK_BYTES: u64 = location::BLOCK_BYTES;

    fn dialect() -> &'static Dialect {
        &DIALECT
    }

    fn reach(&self) -> Reach {
        let options = &self.options;
        let (nodes, vigil) = (options.hosts.len(), Arc::clone(&options.vigil));
        Reach { nodes, connect_timeout: options.connect_timeout, vigil }
    }

    fn with_vigil(&self, vigil: Arc<Vigil>) -> Self {
        let mut product = self.clone();
        product.options.server.vigil = vigil;
        product
    }

    fn looked_at(&self, connect_timeout: Duration) -> Self {
        let mut product = self.with_vigil(Arc::default());
        product.options.server.connect_timeout = connect_timeout;
        product
    }

    fn node_name(&self, node: usize) -> String {
        self.options.host(node).to_string()
    }

    fn open(&self, node: usize, application: &str) -> Result<PostgresConnection, EngineError> {
        PostgresConnection::open(&self.options, node, application)
    }

    fn locate(
        &self,
        connection: &mut PostgresConnection,
        private: Option<&PrivateServer>,
    ) -> Result<ServerLocation, EngineError> {
        location::look(connection, &self.options, private)
    }

    fn tables(&self) -> Vec<TableName> {
        TABLE_NAMES.to_vec()
    }
}
