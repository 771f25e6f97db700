//! Private instances: real servers that dbdyno starts for itself, one an engine and home (`dbdyno up`, `dbdyno down`).
//!
//! What must never happen: two servers on one data folder, a half-made data folder that looks whole, a process that
//! nobody knows of. So whoever starts or stops holds a lock (lock.rs); data is made beside its place and renamed; and each
//! process is recorded (instance.rs) before it does anything (spawn.rs). Nor may anybody else get at anything through whoever
//! runs dbdyno: the folders down to the instance's are his or root's own (way.rs), in the server's nothing is followed
//! (data_folder.rs), what is removed was made by dbdyno (ours.rs), and what is killed is the server (process.rs). Everything
//! here is the same for all engines; what is an engine's own is its [`Product`].

mod account;
mod cgroup;
mod data_folder;
mod down;
mod error;
mod home;
mod instance;
mod lock;
mod log;
mod ours;
mod process;
mod product;
mod programs;
mod ready;
mod socket;
mod spawn;
mod up;
mod watch;
mod way;

use crate::{Engine, Target, TargetError};
use dbdyno_model::Size;
use std::path::PathBuf;

pub use account::Account;
pub use data_folder::DataFolder;
pub use down::{Down, down};
pub use error::PrivateError;
pub use home::{HOME_VARIABLE, Home, Site};
pub use instance::{Instance, Stage};
pub use ours::mark_folder;
pub use process::{Process, Stat, pids};
pub use product::{Ground, Product, Readiness, Step};
pub use programs::Programs;
pub use up::{How, Up, Wish, up};
pub use watch::{Silent, Watch};

/// The scheme of targets that are private instances.
pub const SCHEME: &str = "private";

type Open = fn(&PrivateServer, &Size) -> Result<Box<dyn Engine>, TargetError>;

/// What the registry knows of an engine's private instances.
#[derive(Clone, Copy)]
pub struct Private {
    /// What is the engine's own.
    pub product: &'static dyn Product,
    /// Opens a running instance.
    pub open: Open,
}

/// A running private instance, as its engine needs to know it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateServer {
    /// How to reach it.
    pub target: Target,
    /// Its data folder, on this machine.
    pub data: PathBuf,
    /// The server's main process.
    pub pid: u32,
    /// The size class whose settings it has.
    pub size: String,
}

/// The target by which an engine's private instance is known.
#[must_use]
pub fn target_of(engine: &str) -> String {
    format!("{SCHEME}:{engine}")
}

/// The running instance of an engine.
///
/// # Errors
/// None is running, in words that say how to start one.
pub fn find(home: &Home, product: &dyn Product) -> Result<PrivateServer, PrivateError> {
    let engine = product.engine();
    let refused = |text: String| Err(PrivateError::Refused(text));
    let start = |size: &str| format!("dbdyno up {engine} --size {size}");
    let Some(instance) = Instance::read(&home.site(engine)?)? else {
        return refused(format!("no private {engine} is running; start it: {}", start("D")));
    };
    let start = start(&instance.size);
    match instance.stage {
        Stage::Running if instance.lives() => {
            let target = Target::parse(&product.target(&instance)).map_err(|e| PrivateError::Refused(e.to_string()))?;
            Ok(PrivateServer { target, pid: instance.pid(), data: instance.data, size: instance.size })
        }
        Stage::Running => {
            let log = instance.log.display();
            refused(format!("the private {engine} has ended by itself ({log} may say why); start it again: {start}"))
        }
        Stage::Making | Stage::Starting if instance.lives() => {
            refused(format!("the private {engine} is still being started; wait for it: {start}"))
        }
        _ => refused(format!("no private {engine} is running; start it: {start}")),
    }
}
