//! Servers of database products on this machine: making, setting, starting, stopping and killing any number of them.
//! What is a product's own is its [`Product`]; who starts servers (private instances, tests) says where they are, who
//! may come to them, and what becomes of them.
//!
//! A process that is started waits at a gate until whoever starts it has recorded it (spawn.rs). The data folder
//! belongs to the server's user, so nothing is followed there (data_folder.rs); and what is signalled is the server
//! (process.rs).

mod account;
mod data_folder;
mod error;
mod found;
mod log;
mod make;
mod place;
mod process;
mod product;
mod programs;
mod ready;
mod replication;
mod spawn;
mod start;
mod stop;
pub mod template;
mod watch;

use std::ffi::OsString;
use std::path::PathBuf;

pub use account::Account;
pub use data_folder::DataFolder;
pub use error::ServerError;
pub use found::{Found, Search};
pub use log::ServerLog;
pub use place::{Access, Login, Place, Setting, free_port};
pub use process::{Process, Stat, has_stopped, pids};
pub use product::{About, Product, Readiness, Sizing, Step, with_path};
pub use programs::Programs;
pub use ready::{Waited, wait};
pub use replication::{Link, Observed, Replication, ReplicationLog, StandbyKind};
pub use start::Started;
pub use stop::{end_at_once, end_in_order};
pub use watch::{Silent, Watch};

pub(crate) use process::{Kin, wait_until, working_in};

/// One server: a product's, in a place, of a user.
pub struct Server<'a> {
    /// The product.
    pub product: &'a dyn Product,
    /// Where it is. Its folders are there before anything is done.
    pub place: Place,
    /// The user that it runs as.
    pub account: Account,
    /// The file for what it says, in a folder of whoever starts it.
    pub log: PathBuf,
    /// What it has in its environment besides the usual.
    pub environment: Vec<(OsString, OsString)>,
}

/// Hears of a process that is going to work for a server, before it does anything. Where this fails, nothing is
/// started.
pub type Record<'a> = dyn FnMut(&Process) -> Result<(), ServerError> + 'a;
