//! An instance and its standby: what was asked for, and what both servers show.

use super::Instance;
use super::home::InstanceFolder;
use crate::servers::{Account, Link, Observed, Place, Product, Replication, ServerError, StandbyKind};
use std::fmt;
use std::io;

/// What a standby is asked to be.
#[derive(Debug, Clone, Copy)]
pub struct StandbyRequest<'a> {
    /// What commits are to wait for.
    pub kind: StandbyKind,
    /// What is put in between.
    pub through: Option<&'a dyn Through>,
}

/// Something between a standby and its primary.
pub trait Through: fmt::Debug + Sync {
    /// Is told where the primary will be reached, and which user both servers are; answers where the standby is to go
    /// instead.
    ///
    /// # Errors
    /// It cannot be put in between.
    fn through(&self, link: &Link, account: &Account) -> io::Result<Link>;
}

/// Two servers that replicate.
#[derive(Clone)]
pub struct Pair {
    pub(super) replication: &'static dyn Replication,
    pub(super) primary: Place,
    pub(super) standby: Place,
    /// What was asked for.
    pub kind: StandbyKind,
    /// The main process of the standby.
    pub standby_pid: u32,
}

impl fmt::Debug for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pair").field("kind", &self.kind).field("standby", &self.standby).finish_non_exhaustive()
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        (&self.primary, &self.standby, self.kind) == (&other.primary, &other.standby, other.kind)
    }
}

impl Eq for Pair {}

impl Pair {
    /// That of an instance which was started with a standby.
    ///
    /// # Errors
    /// The standby's record cannot be read, or is not there.
    pub(super) fn of(
        instance: &Instance,
        folder: &InstanceFolder,
        product: &dyn Product,
    ) -> Result<Option<Self>, ServerError> {
        let (Some(kind), Some(replication)) = (instance.standby, product.replication()) else { return Ok(None) };
        let Some(standby) = Instance::read(&folder.standby())? else {
            return Err(gone(instance, "nothing is known of it"));
        };
        Ok(Some(Self {
            replication,
            primary: instance.place(),
            standby: standby.place(),
            kind,
            standby_pid: standby.pid(),
        }))
    }

    /// What both servers show now.
    #[must_use]
    pub fn observe(&self) -> Observed {
        let observed = self.replication.observe(&self.primary, &self.standby);
        observed.unwrap_or_else(|error| Observed { kind: None, text: error.message })
    }

    /// What both servers show now, in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        self.as_asked().unwrap_or_else(|why| why)
    }

    /// What both servers show now, if that is what was asked for.
    ///
    /// # Errors
    /// It is something else, in words.
    pub(super) fn as_asked(&self) -> Result<String, String> {
        let Observed { kind, text } = self.observe();
        match kind {
            Some(kind) if kind == self.kind => Ok(format!("{kind}: {text}")),
            _ => Err(format!("was to be {}, but is not: {text}", self.kind)),
        }
    }

    /// Refuses one that does not replicate as it was asked to.
    pub(super) fn refuse_other(&self, instance: &Instance) -> Result<(), ServerError> {
        match self.observe() {
            Observed { kind: Some(kind), .. } if kind == self.kind => Ok(()),
            Observed { text, .. } => Err(gone(instance, &text)),
        }
    }
}

fn gone(instance: &Instance, why: &str) -> ServerError {
    let (which, kind) = (instance.which(), instance.standby.map(|kind| kind.to_string()).unwrap_or_default());
    let command = which.arguments();
    ServerError::Refused(format!(
        "the standby of the private {which} does not replicate as it should ({kind}): {why}; start both again, the data can stay: dbdyno \
         down {command} --keep && dbdyno up {command} --size {} --standby {kind}",
        instance.size
    ))
}

/// The product's own part.
///
/// # Errors
/// It has no standbys, or none of this kind.
pub(super) fn replication(product: &dyn Product, kind: StandbyKind) -> Result<&'static dyn Replication, ServerError> {
    let engine = product.about().engine;
    let refused = |text: String| Err(ServerError::Refused(text));
    let Some(replication) = product.replication() else {
        return refused(format!("dbdyno starts no standby of {engine}; leave --standby away"));
    };
    if replication.kinds().contains(&kind) {
        return Ok(replication);
    }
    let kinds: Vec<String> = replication.kinds().iter().map(ToString::to_string).collect();
    refused(format!("{engine} has no standby that is {kind}; say --standby {}", kinds.join(" or --standby ")))
}
