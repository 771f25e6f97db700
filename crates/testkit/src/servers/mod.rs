//! Scratch servers for tests, over `dbdyno_engine::servers`: each in a temporary folder, on a free loopback port and a
//! socket, gone when the test ends, however it ends. A product is given as a type; what tests know of its SQL is data,
//! in a file of its name.

mod client;
mod facts;
pub mod fixtures;
mod guard;
pub mod mariadb;
mod options;
pub mod postgres;
mod product;
mod round_trips;
mod running;
mod tls;

use dbdyno_engine::servers::Product;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

pub use client::{client, run_with};
pub use facts::ProductFacts;
pub use options::ServerOptions;
pub use product::{HasFacts, Scratch};
pub use round_trips::RoundTrips;
pub use running::RunningServer;

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
