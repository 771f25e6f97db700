//! Several driver hosts: `agent`, `fleet`, and how `run --fleet` becomes the coordinator of one.

mod agent;
mod coordinate;
mod local;
mod processes;
mod reach;
mod started;
mod storage;

use super::context::Context;
use crate::cli::{FleetArgs, FleetCommand};
use crate::error::Error;
use crate::output;
use dbdyno_fleet::{FleetError, FleetKey};

pub(super) use agent::agent;
pub(super) use coordinate::{FLEET, as_option, coordinator, hosts_in_words, in_words, join, join_storage};

pub(super) fn fleet(args: &FleetArgs, context: &Context) -> Result<(), Error> {
    match &args.command {
        FleetCommand::Up(args) => local::up(args, context),
        FleetCommand::Down => local::down(context),
        FleetCommand::Key => output::line(FleetKey::make().map_err(FleetError::from)?.reveal()),
    }
}
