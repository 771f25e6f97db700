//! What an engine's private instance needs and what there is of it, looked at without changing anything.

use super::{Home, Instance, Stage};
use crate::servers::{Account, Found, Product, Search, ServerError};
use std::path::Path;

/// How things stand with an engine's private instance.
#[derive(Debug)]
pub struct Standing {
    /// The server's programs that a start would take, or why there are none, in words that say what to install.
    pub programs: Result<Found, ServerError>,
    /// What is recorded of the instance.
    pub instance: Option<Instance>,
}

impl Standing {
    /// Looks. `named` is the folder of the server's programs; without it they are looked for.
    ///
    /// # Errors
    /// The record of the instance cannot be read, or others may change the way to it.
    pub fn look(home: &Home, product: &dyn Product, named: Option<&Path>) -> Result<Self, ServerError> {
        let instance = Instance::read(&home.instance_folder(product.about().engine)?)?;
        let search = Search { named, ..Search::default() };
        let programs =
            Account::choose(product.about().users).and_then(|account| Found::find(product, &account, &search));
        Ok(Self { programs, instance })
    }

    /// Whether its server runs.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.instance.as_ref().is_some_and(|instance| instance.stage == Stage::Running && instance.lives())
    }

    /// Whether there is data for a start, and no server runs on it.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        !self.runs() && self.instance.as_ref().is_some_and(|instance| instance.data.is_dir())
    }
}
