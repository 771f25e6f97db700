//! Private instances: real servers that dbdyno starts for itself, one an engine, home and name (`dbdyno up`, `dbdyno
//! down`).
//!
//! A policy over [`crate::servers`], which makes, starts and stops servers. What must never happen: two servers on one
//! data folder, a half-made data folder that looks whole, a process that nobody knows of. So whoever starts or stops
//! holds a lock (lock.rs); data is made beside its place and renamed; and each process is recorded (instance.rs) before
//! it does anything. Nor may anybody else get at anything through whoever runs dbdyno: the folders down to the
//! instance's are his or root's own (way.rs), in the server's nothing is followed, what is removed was made by dbdyno
//! (ours.rs), and what is killed is the server. Everything here is the same for all engines; what is an engine's own is
//! its [`Product`].

mod cgroup;
mod cpus;
mod down;
mod held;
mod hold;
mod home;
mod instance;
mod lock;
mod ours;
mod page_cache;
mod pair;
mod promote;
mod ready;
mod server;
mod socket;
mod standby;
mod standing;
mod up;
mod way;
mod which;

use crate::servers::{Product, ServerError, StandbyKind};
use crate::{Engine, TargetError};
use dbdyno_model::Size;

pub use cpus::{Cpus, choose_cpus, words as cpus_in_words};
pub use down::{Down, down, hold, kill};
pub use held::HeldBy;
pub use home::{Home, InstanceFolder};
pub use instance::{Instance, Stage};
pub use ours::mark_folder;
pub use pair::{Pair, StandbyRequest, Through};
pub use promote::{promote, standby, take_place};
pub use server::PrivateServer;
pub use standing::Standing;
pub use up::{How, Up, UpRequest, up};
pub use way::HOME_VARIABLE;
pub use which::{SCHEME, Which};

type Open = fn(&PrivateServer, &Size) -> Result<Box<dyn Engine>, TargetError>;

/// What the registry knows of an engine's private instances.
#[derive(Clone, Copy)]
pub struct Private {
    /// What is the engine's own.
    pub product: &'static dyn Product,
    /// Opens a running instance.
    pub open: Open,
}

/// The running instance of an engine; with a standby of a kind, where one is asked for.
///
/// # Errors
/// None is running, or not with such a standby now, in words that say how to start one.
pub fn find(home: &Home, product: &dyn Product, standby: Option<StandbyKind>) -> Result<PrivateServer, ServerError> {
    let asked = standby.map(|kind| format!(" --standby {kind}")).unwrap_or_default();
    let instance_folder = home.instance_folder(product.about().engine)?;
    let which = &instance_folder.which;
    let refused = |text: String| Err(ServerError::Refused(text));
    let start = |size: &str| format!("dbdyno up {} --size {size}{asked}", which.arguments());
    let Some(instance) = Instance::read(&instance_folder)? else {
        return refused(format!("no private {which} is running; start it: {}", start("D")));
    };
    let start = start(&instance.size);
    match instance.stage {
        Stage::Running if instance.lives() => {
            let pair = Pair::of(&instance, &instance_folder, product)?;
            match (standby, &pair) {
                (Some(kind), Some(pair)) if pair.kind == kind => pair.refuse_other(&instance)?,
                (Some(kind), pair) => {
                    let now = pair
                        .as_ref()
                        .map_or("without one".to_owned(), |pair| format!("with one that is {}", pair.kind));
                    let command = which.arguments();
                    return refused(format!(
                        "a standby that is {kind} is asked for, and the private {which} runs {now}; start it anew, its data can stay: dbdyno down {command} \
                         --keep && {start}"
                    ));
                }
                (None, _) => {}
            }
            PrivateServer::of(instance, product, pair)
        }
        Stage::Running => {
            let log = instance.log.display();
            refused(format!("the private {which} has ended by itself ({log} may say why); start it again: {start}"))
        }
        Stage::Making | Stage::Starting if instance.lives() => {
            refused(format!("the private {which} is still being started; wait for it: {start}"))
        }
        _ => refused(format!("no private {which} is running; start it: {start}")),
    }
}
