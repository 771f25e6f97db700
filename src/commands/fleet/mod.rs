//! Several driver hosts: `agent`, `fleet`, and how `run --fleet` becomes the coordinator of one.

mod agent;
mod local;
mod processes;

use super::context::Context;
use super::tool::tool;
use crate::cli::{FleetArgs, FleetCommand, NatsArgs, SharedArgs};
use crate::error::Error;
use dbdyno_engine::Engine;
use dbdyno_fleet::{AgentInfo, Coordinator, FleetKey, Found, NatsAccess, RunOrder};
use dbdyno_model::{Plan, RunId, Subject};
use dbdyno_run::StopSwitch;
use std::path::Path;

pub(super) use agent::agent;

pub(super) fn fleet(args: &FleetArgs, context: &Context) -> Result<(), Error> {
    match &args.command {
        FleetCommand::Up(args) => local::up(args, context),
        FleetCommand::Down => local::down(context),
        FleetCommand::Key => {
            let key = FleetKey::make().map_err(dbdyno_fleet::FleetError::from)?;
            crate::output::line(key.reveal())
        }
    }
}

/// How the hosts of a fleet are reached: as it is said, or else the fleet that `fleet up` has started here.
struct Reach {
    access: NatsAccess,
    key: FleetKey,
}

/// The variable that has a fleet's key.
const KEY_VARIABLE: &str = "DBDYNO_FLEET_KEY";

impl Reach {
    fn of(args: &NatsArgs) -> Result<Self, Error> {
        let local = local::running();
        let said = (!args.nats.is_empty()).then(|| args.nats.clone());
        let here = local.as_ref().filter(|_| said.is_none());
        let urls =
            said.or_else(|| here.map(|local| vec![local.url()])).unwrap_or_else(|| vec![NatsArgs::DEFAULT.to_owned()]);
        let key = match (&args.fleet_key, std::env::var(KEY_VARIABLE)) {
            (Some(file), _) => key_of(file)?,
            (None, Ok(text)) => text,
            (None, Err(_)) => match here {
                Some(local) => local.key.clone(),
                None => {
                    return Err(Error::Usage(format!(
                        "a fleet needs a key that all its hosts share: make one with `dbdyno fleet key`, and name its file with \
                         --fleet-key, or put it into {KEY_VARIABLE}"
                    )));
                }
            },
        };
        let key = FleetKey::new(&key).map_err(dbdyno_fleet::FleetError::from)?;
        let access = NatsAccess { urls, credentials: args.creds.clone(), authority: args.nats_ca.clone() };
        Ok(Self { access, key })
    }
}

fn key_of(file: &Path) -> Result<String, Error> {
    let unread = |why: String| Error::Usage(format!("--fleet-key {}: {why}", file.display()));
    if dbdyno_files::others_may_write(file).map_err(|error| unread(error.to_string()))? {
        return Err(unread("others may write to it, so it is no secret: chmod 600".to_owned()));
    }
    std::fs::read_to_string(file).map_err(|error| unread(error.to_string()))
}

/// Who an agent or a coordinator on this machine is.
fn info(weight: f64, node: Option<u32>) -> AgentInfo {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let space = std::fs::read_link("/proc/self/ns/pid").map(|link| link.display().to_string()).unwrap_or_default();
    AgentInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: tool().profile.unwrap_or_default(),
        weight,
        node,
        pid: std::process::id(),
        machine: format!("{} {space}", read("/proc/sys/kernel/random/boot_id")),
        platform: serde_json::to_value(dbdyno_probe::inventory(&[])).unwrap_or_default(),
    }
}

/// Makes this process the coordinator of the fleet that is asked for, if one is.
///
/// # Errors
/// Its agents cannot be reached, are too few, or do not fit.
pub(super) fn coordinator(
    args: &SharedArgs,
    stop: &StopSwitch,
    context: &Context,
) -> Result<Option<Coordinator>, Error> {
    let Some(shared) = &args.fleet else { return Ok(None) };
    let reach = Reach::of(&args.nats)?;
    let mut coordinator = Coordinator::connect(&reach.access, &shared.fleet, reach.key)?;
    let found = coordinator.gather(shared.agents, &info(1.0, None), stop)?;
    let names: Vec<&str> = found.iter().map(|Found { name, .. }| name.as_str()).collect();
    context.say(&format!("fleet {}: {} ({})", shared.fleet, agents(names.len()), names.join(", ")));
    Ok(Some(coordinator))
}

/// A number of agents, in words.
fn agents(n: usize) -> String {
    if n == 1 { "1 agent".to_owned() } else { format!("{n} agents") }
}

/// Has the agents of a fleet open their targets for a run.
///
/// # Errors
/// One cannot.
pub(super) fn join(
    coordinator: &Coordinator,
    engine: &dyn Engine,
    (run, plan): (&RunId, &Plan),
    is_sampled: bool,
    stop: &StopSwitch,
) -> Result<(), Error> {
    if engine.features().in_process && engine.name() != "null" {
        return Err(Error::Usage(
            "the embedded engine works inside one process, which no other host can share: name a server with --target"
                .to_owned(),
        ));
    }
    let workload = plan.points.iter().find_map(|planned| match &planned.subject {
        Subject::Workload(name) => Some(name.as_str().to_owned()),
        _ => None,
    });
    let order = RunOrder {
        run: run.as_str().to_owned(),
        engine: engine.name().to_owned(),
        size: plan.size.clone(),
        seed: plan.seed,
        workload,
        is_sampled,
    };
    Ok(coordinator.join(&order, stop)?)
}
