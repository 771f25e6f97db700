//! Oracle Database as a product: how to reach a target of it.

use super::awr::snapshots::Snapshots;
use super::connection::OracleConnection;
use super::dialect::DIALECT;
use super::options::Options;
use super::{layout, location, statistics};
use dbdyno_engine::private::PrivateServer;
use dbdyno_engine::server::{NodeOf, ProductTarget, Reach, ServerEngine, ServerLocation, Vigil};
use dbdyno_engine::{Dialect, EngineError, Target, TargetError};
use dbdyno_model::TableName;
use std::sync::Arc;
use std::time::Duration;

/// The tables that a target has, in loading order: all but those that need what it leaves out.
pub(crate) fn tables_of(options: &Options) -> Vec<TableName> {
    let wanted = |table: &TableName| layout::needs(table.organisation()).iter().all(|part| !options.leaves_out(*part));
    TableName::ALL.into_iter().filter(wanted).collect()
}

pub(crate) type Node = NodeOf<OracleProduct>;

/// Oracle Database, and a target of it.
#[derive(Clone)]
pub(crate) struct OracleProduct {
    pub(crate) options: Options,
    /// AWR's snapshots around the point that is under way.
    pub(crate) snapshots: Arc<Snapshots>,
}

pub(crate) type OracleEngine = ServerEngine<OracleProduct>;

pub(crate) fn engine(target: &Target) -> Result<OracleEngine, TargetError> {
    Ok(ServerEngine::new(OracleProduct { options: Options::parse(target)?, snapshots: Arc::default() }, None))
}

impl ProductTarget for OracleProduct {
    type Connection = OracleConnection;
    type Account = statistics::Account;
    const BLOCK_BYTES: u64 = location::BLOCK_BYTES;

    fn dialect() -> &'static Dialect {
        &DIALECT
    }

    fn reach(&self) -> Reach {
        let Options { places, connect_timeout, vigil, .. } = &self.options;
        Reach { nodes: places.len(), connect_timeout: *connect_timeout, vigil: Arc::clone(vigil) }
    }

    fn with_vigil(&self, vigil: Arc<Vigil>) -> Self {
        Self { options: Options { vigil, ..self.options.clone() }, snapshots: Arc::clone(&self.snapshots) }
    }

    fn looked_at(&self, connect_timeout: Duration) -> Self {
        let mut product = self.with_vigil(Arc::default());
        product.options.connect_timeout = connect_timeout;
        product
    }

    fn node_name(&self, node: usize) -> String {
        self.options.place(node).to_string()
    }

    fn open(&self, node: usize, application: &str) -> Result<OracleConnection, EngineError> {
        OracleConnection::open(&self.options, node, application)
    }

    fn locate(
        &self,
        connection: &mut OracleConnection,
        _: Option<&PrivateServer>,
    ) -> Result<ServerLocation, EngineError> {
        location::look(connection, &self.options)
    }

    fn tables(&self) -> Vec<TableName> {
        tables_of(&self.options)
    }
}
