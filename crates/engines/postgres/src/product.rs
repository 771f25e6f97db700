//! PostgreSQL as a product: how to reach a target of it.

use super::connection::PostgresConnection;
use super::dialect::{DIALECT, TABLE_NAMES};
use super::options::Options;
use super::{location, tls};
use dbdyno_engine::private::PrivateServer;
use dbdyno_engine::server::{NodeOf, ProductTarget, ServerEngine, ServerLocation, Vigil};
use dbdyno_engine::{Dialect, EngineError, Target, TargetError};
use dbdyno_model::TableName;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, OnceLock};
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

pub(crate) type Node = NodeOf<PostgresProduct>;

/// PostgreSQL, and a target of it.
#[derive(Clone)]
pub(crate) struct PostgresProduct {
    pub(crate) options: Options,
    /// How the client drive's sessions make TLS: lists of authorities are large, and one does for all.
    pub(crate) tls: OnceLock<Arc<rustls::ClientConfig>>,
}

pub(crate) type PostgresEngine = ServerEngine<PostgresProduct>;

pub(crate) fn engine(target: &Target, private: Option<PrivateServer>) -> Result<PostgresEngine, TargetError> {
    Ok(ServerEngine::new(PostgresProduct { options: Options::parse(target)?, tls: OnceLock::new() }, private))
}

impl PostgresProduct {
    /// How TLS is made.
    pub(crate) fn tls(&self) -> Result<Arc<rustls::ClientConfig>, EngineError> {
        if let Some(tls) = self.tls.get() {
            return Ok(Arc::clone(tls));
        }
        let tls = Arc::new(tls::config(&self.options)?);
        Ok(Arc::clone(self.tls.get_or_init(|| tls)))
    }
}

impl ProductTarget for PostgresProduct {
    type Connection = PostgresConnection;
    type Account = Account;
    const BLOCK_BYTES: u64 = location::BLOCK_BYTES;

    fn dialect() -> &'static Dialect {
        &DIALECT
    }

    fn nodes(&self) -> usize {
        self.options.hosts.len()
    }

    fn connect_timeout(&self) -> Duration {
        self.options.connect_timeout
    }

    fn vigil(&self) -> &Arc<Vigil> {
        &self.options.vigil
    }

    fn with_vigil(&self, vigil: Arc<Vigil>) -> Self {
        Self { options: Options { vigil, ..self.options.clone() }, tls: self.tls.clone() }
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
