//! What tests for all products need of a server.

use super::facts::ProductFacts;
use super::running::RunningServer;
use dbdyno_engine::servers::Product;
use std::ops::DerefMut;

/// What tests for all products need of a server.
pub trait Scratch: From<RunningServer> + DerefMut<Target = RunningServer> + Send + Sync + Sized + 'static {
    /// What tests know of the product.
    const KNOWN: &'static ProductFacts;
    /// The engine's name, with which targets begin.
    const ENGINE: &'static str = Self::KNOWN.engine;
    /// The administrator, who needs no password.
    const SUPERUSER: &'static str = Self::KNOWN.superuser;
    /// A database that every server has, for statements about the whole server.
    const HOME: &'static str = Self::KNOWN.home;
    /// Whether the product can copy a database as a whole.
    const COPIES: bool = Self::KNOWN.copy_database.is_some();

    /// What starts its servers.
    fn product() -> &'static dyn Product;

    /// The SQL name of a table of dbdyno's in its database.
    fn table(name: &str) -> String {
        Self::KNOWN.table.replace("NAME", name)
    }
}

/// The facts of a product.
pub trait HasFacts: Send + Sync + 'static {
    /// The facts.
    const FACTS: &'static ProductFacts;
}
