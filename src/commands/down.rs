//! `dbdyno down`: stops a private server and removes its data, unless it is to be kept. It asks for no confirmation,
//! because the data can be made again; it reports what it did.

use super::context::Context;
use super::private_servers::{self, Asking, failed, product};
use super::up::UpWatch;
use crate::cli::DownArgs;
use crate::error::Error;
use crate::output::shell_word;
use dbdyno_engine::private::{self, Down, Home, Which};
use serde::Serialize;

#[derive(Debug, Serialize)]
struct DownDocument<'a> {
    target: String,
    /// Whether a server was running.
    stopped: bool,
    /// Whether data is left for the next start.
    kept: bool,
    /// Whether data was removed.
    removed: bool,
    /// Whether there was a standby; its data is never kept.
    standby: bool,
    /// The size class of the data; absent where there was none.
    size: Option<&'a str>,
}

pub(super) fn down(args: &DownArgs, context: &Context) -> Result<(), Error> {
    let Some(engine) = &args.engine else {
        return private_servers::show(Asking::Down, args.shown.format(), context);
    };
    let product = product(engine)?;
    let which = Which { engine: engine.clone(), name: args.name.clone() };
    let failed = failed("stopping", &which);
    let home = Home::from_environment().and_then(|home| home.named(args.name.as_deref())).map_err(&failed)?;
    let done = private::down(&home, product, args.keep, &UpWatch::new(context)?);
    let done = done.map_err(&failed)?;
    let Down { stopped, kept, removed, ref instance, standby } = done;
    let (target, size) = (which.target(), instance.as_ref().map(|i| i.size.as_str()));
    let answer = DownDocument { target, stopped, kept, removed, standby, size };
    args.shown.format().show(&answer, || page(&which, &done, &home))
}

fn page(which: &Which, done: &Down, home: &Home) -> String {
    let home = home.path().display();
    let Some(instance) = &done.instance else {
        return if done.removed {
            format!("removed the data of a private {which} that nothing more was known of")
        } else {
            format!("nothing to stop: there is no private {which} in {home}")
        };
    };
    let with = if done.standby { " with its standby" } else { "" };
    let stopped = format!("{}{with}", if done.stopped { "stopped" } else { "does not run" });
    let name = format!("private {which} for size {}", instance.size);
    if done.kept {
        let data = instance.data.display();
        let (arguments, size) = (which.arguments(), shell_word(&instance.size));
        format!(
            "{name}: {stopped}; its data is kept in {data}\n  dbdyno up {arguments} --size {size}   starts it again\n  dbdyno down {arguments} --keep=false   removes its data"
        )
    } else if done.removed {
        format!("{name}: {stopped}; its data was removed from {home}")
    } else {
        format!("{name}: {stopped}; it had no data")
    }
}
