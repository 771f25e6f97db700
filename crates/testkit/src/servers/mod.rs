//! Scratch servers for tests, over `dbdyno_engine::servers`: each in a temporary folder, on a free loopback port and a
//! socket, gone when the test ends, however that ends. A product is handed in as a type; what tests know of its SQL is
//! data, in a file of its name.

mod facts;
mod guard;
pub mod lend;
pub mod mariadb;
pub mod postgres;
mod round_trips;
mod running;
mod tls;
mod wish;

use dbdyno_engine::servers::Product;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

pub use facts::Facts;
pub use round_trips::RoundTrips;
pub use running::{Running, client, run_with};
pub use wish::Wish;

/// What tests that are the same for every product need of its servers.
pub trait Scratch: From<Running> + DerefMut<Target = Running> + Send + Sync + Sized + 'static {
    /// What tests know of it.
    const KNOWN: &'static Facts;
    /// The engine's name, which targets begin with.
    const ENGINE: &'static str = Self::KNOWN.engine;
    /// The administrator, who needs no password.
    const SUPERUSER: &'static str = Self::KNOWN.superuser;
    /// A database that every server has, for what an administrator says of the whole server.
    const HOME: &'static str = Self::KNOWN.home;
    /// Whether the product can copy a database as a whole.
    const COPIES: bool = Self::KNOWN.copy_database.is_some();

    /// What starts its servers.
    fn product() -> &'static dyn Product;

    /// A table of dbdyno's, as SQL in its database names it.
    fn table(name: &str) -> String {
        Self::KNOWN.table.replace("NAME", name)
    }
}

/// Which facts are a product's.
pub trait Known: Send + Sync + 'static {
    /// They.
    const FACTS: &'static Facts;
}

/// A running server of a product.
pub struct Server<K, P> {
    running: Running,
    product: PhantomData<fn() -> (K, P)>,
}

impl<K: Known, P: Product + Default + 'static> Server<K, P> {
    /// One with nothing special.
    pub fn start() -> Self {
        Wish::default().start()
    }
}

impl<K: Known, P: Product + Default + 'static> Scratch for Server<K, P> {
    const KNOWN: &'static Facts = K::FACTS;

    fn product() -> &'static dyn Product {
        // A product has no content, so nothing is lost by this.
        Box::leak(Box::<P>::default())
    }
}

impl<K, P> From<Running> for Server<K, P> {
    fn from(running: Running) -> Self {
        Self { running, product: PhantomData }
    }
}

impl<K, P> Deref for Server<K, P> {
    type Target = Running;

    fn deref(&self) -> &Running {
        &self.running
    }
}

impl<K, P> DerefMut for Server<K, P> {
    fn deref_mut(&mut self) -> &mut Running {
        &mut self.running
    }
}
