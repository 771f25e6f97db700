//! What is a product's own about a standby: a second server that replicates from the first, its primary.

use super::{Place, Setting};
use crate::EngineError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;
use strum::VariantArray as _;

/// What an acknowledged commit has waited for.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::Display, strum::EnumString, strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum StandbyKind {
    /// The standby has it on its device.
    Sync,
    /// The standby has received it.
    Semisync,
    /// Nothing of the standby.
    Async,
}

impl StandbyKind {
    /// The kind of a name.
    ///
    /// # Errors
    /// There is none, in words that list them.
    pub fn named(name: &str) -> Result<Self, String> {
        let kinds: Vec<String> = Self::VARIANTS.iter().map(ToString::to_string).collect();
        name.parse().map_err(|_| format!("there is no standby that is '{name}'; it is one of {}", kinds.join(", ")))
    }
}

/// Where a standby reaches its primary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Link {
    /// A socket, by its path.
    Socket(PathBuf),
    /// A port of the loopback address.
    Port(u16),
}

/// What is observed of a standby.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observed {
    /// How it replicates; absent where it does not.
    pub kind: Option<StandbyKind>,
    /// What shows that, in words.
    pub text: String,
}

/// How a product replicates.
pub trait Replication: Sync {
    /// The kinds of standbys that there are.
    fn kinds(&self) -> &'static [StandbyKind];
    /// Where a standby is to reach a primary that will be in this place.
    ///
    /// # Errors
    /// There is no port for it.
    fn link(&self, primary: &Place) -> std::io::Result<Link>;
    /// What a primary is set to besides.
    fn of_primary(&self, kind: StandbyKind, link: &Link) -> Vec<Setting>;
    /// What a standby is set to besides.
    fn of_standby(&self, kind: StandbyKind, link: &Link) -> Vec<Setting>;
    /// An empty file in the data folder that makes it a standby's, where there is one.
    fn standby_file(&self) -> Option<&'static str> {
        None
    }
    /// Has a standby that runs follow its primary, of whose data it was started with a copy.
    ///
    /// # Errors
    /// One of them refuses.
    fn follow(&self, primary: &Place, standby: &Place, link: &Link) -> Result<(), EngineError>;
    /// Asks both how they replicate.
    ///
    /// # Errors
    /// One of them does not answer.
    fn observe(&self, primary: &Place, standby: &Place) -> Result<Observed, EngineError>;
    /// Makes a standby a primary, once it has applied all that it has received.
    ///
    /// # Errors
    /// It is none afterwards.
    fn promote(&self, standby: &Place) -> Result<(), EngineError>;
    /// The log that standbys read, where it is another one than that which the server recovers from.
    fn log(&self) -> Option<&'static dyn ReplicationLog> {
        None
    }
}

/// A log that standbys and restored backups read. What it misses is lost to them, though the server has it.
pub trait ReplicationLog: Sync {
    /// What a server is set to that writes it, as durable as its commits.
    fn settings(&self) -> Vec<Setting>;
    /// The statements of transactions that are whole in it, in its order: of its files that grow no more, and are not
    /// yet in `read`, which then has them.
    ///
    /// # Errors
    /// The server does not answer.
    fn committed(&self, server: &Place, read: &mut BTreeSet<String>) -> Result<Vec<String>, EngineError>;
}
