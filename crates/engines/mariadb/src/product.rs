//! MariaDB as a product: how to reach a target of it.

use super::connection::MariaDbConnection;
use super::dialect::{DIALECT, TABLE_NAMES};
use super::options::Options;
use super::{location, snapshot};
use dbdyno_engine::private::PrivateServer;
use dbdyno_engine::server::{NodeOf, ProductTarget, Reach, ServerEngine, ServerLocation, Vigil};
use dbdyno_engine::{Dialect, EngineError, Target, TargetError};
use dbdyno_model::TableName;
use std::sync::Arc;
use std::time::Duration;

pub(crate) type Node = NodeOf<MariaDbProduct>;

/// MariaDB, and a target of it.
#[derive(Clone)]
pub(crate) struct MariaDbProduct {
    pub(crate) options: Options,
}

pub(crate) type MariaDbEngine = ServerEngine<MariaDbProduct>;

pub(crate) fn engine(target: &Target, private: Option<PrivateServer>) -> Result<MariaDbEngine, TargetError> {
    Ok(ServerEngine::new(MariaDbProduct { options: Options::parse(target)? }, private))
}

impl ProductTarget for MariaDbProduct {
    type Connection = MariaDbConnection;
    type Account = snapshot::Account;
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
        product.options.only_looks = true;
        product
    }

    fn node_name(&self, node: usize) -> String {
        self.options.host(node).to_string()
    }

    fn open(&self, node: usize, application: &str) -> Result<MariaDbConnection, EngineError> {
        MariaDbConnection::open(&self.options, node, application)
    }

    fn locate(
        &self,
        connection: &mut MariaDbConnection,
        private: Option<&PrivateServer>,
    ) -> Result<ServerLocation, EngineError> {
        location::look(connection, &self.options, private)
    }

    fn tables(&self) -> Vec<TableName> {
        TABLE_NAMES.to_vec()
    }
}
