//! Scratch servers for tests, over `dbdyno_engine::servers`: each in a temporary folder, on a free loopback port and a
//! socket, gone when the test ends, however it ends. A product is given as a type; what tests know of its SQL is data,
//! in a file of its name.

mod facts;
pub mod fixtures;
mod guard;
pub mod mariadb;
mod options;
pub mod postgres;
mod round_trips;
mod running;
mod tls;

use dbdyno_engine::servers::Product;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

pub use facts::ProductFacts;
pub use options::ServerOptions;
pub use round_trips::RoundTrips;
pub use running::{RunningServer, client, run_with};

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

/// A running server of a product.
pub struct Server<K, P> {
    running: RunningServer,
    product: PhantomData<fn() -> (K, P)>,
}

impl<K: HasFacts, P: Product + Default + 'static> Server<K, P> {
    /// Starts a server without special options.
    pub fn start() -> Self {
        ServerOptions::default().start()
    }
}

impl<K: HasFacts, P: Product + Default + 'static> Scratch for Server<K, P> {
    const KNOWN: &'static ProductFacts = K::FACTS;

    fn product() -> &'static dyn Product {
        // A product has no content, so leaking it costs nothing.
        Box::leak(Box::<P>::default())
    }
}

impl<K, P> From<RunningServer> for Server<K, P> {
    fn from(running: RunningServer) -> Self {
        Self { running, product: PhantomData }
    }
}

impl<K, P> Deref for Server<K, P> {
    type Target = RunningServer;

    fn deref(&self) -> &RunningServer {
        &self.running
    }
}

impl<K, P> DerefMut for Server<K, P> {
    fn deref_mut(&mut self) -> &mut RunningServer {
        &mut self.running
    }
}
