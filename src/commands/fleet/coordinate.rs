//! How `run --fleet` becomes the coordinator of a fleet.

use super::super::context::Context;
use super::super::opened_target::OpenedTarget;
use super::reach::{Reach, info, machine};
use super::started::agents;
use crate::cli::SharedArgs;
use crate::error::Error;
use dbdyno_engine::server::password::FoundPassword;
use dbdyno_engine::{Engine, Target};
use dbdyno_fleet::{Coordinator, DataRun, Found, RunOn, RunOrder, SentTarget, StorageRun};
use dbdyno_model::{ErrorClass, Plan, Platform, RunId, RunJson, Subject};
use dbdyno_run::{Fleet, Member, StopSwitch};
use std::time::Duration;

/// How long to wait for agents that are not there yet.
const WAIT: Duration = Duration::from_secs(20);

/// Makes this process the coordinator of the fleet that is asked for, if one is.
///
/// # Errors
/// Its agents cannot be reached, are too few, or do not fit.
pub(crate) fn coordinator(
    args: &SharedArgs,
    engine: Option<&dyn Engine>,
    stop: &StopSwitch,
    context: &Context,
) -> Result<Option<Coordinator>, Error> {
    let Some(shared) = &args.fleet else { return Ok(None) };
    if engine.is_some_and(|engine| engine.features().in_process) {
        return Err(Error::Usage(
            "the embedded engine works inside one process, which no other host can share: name a server with --target"
                .to_owned(),
        ));
    }
    let reach = Reach::of(&args.nats)?;
    if args.send_credentials
        && let Some(bare) = reach.access.urls.iter().find(|url| !url.starts_with("tls://"))
    {
        let shown = dbdyno_fleet::without_login(bare);
        return Err(Error::Usage(format!("--send-credentials needs TLS to NATS: {shown} begins with no tls://")));
    }
    let wait = args.fleet_wait.map_or(WAIT, Duration::from_secs_f64);
    let mut coordinator = Coordinator::connect(&reach.access, &shared.fleet, reach.key)?;
    coordinator.gather((shared.agents, wait), &info(1.0, None), stop)?;
    let names: Vec<&str> = coordinator.found().iter().map(|Found { name, .. }| name.as_str()).collect();
    context.say(&format!("fleet {}: {} ({})", shared.fleet, agents(names.len()), names.join(", ")));
    Ok(Some(coordinator))
}

/// The fact of a run that names the hosts that did its work.
pub(crate) const FLEET: &str = "fleet";

/// The option with which a run of a fleet goes on, with a blank before it; empty for other runs. A run may have been
/// imported, and what it says is no name until it looks like one.
pub(crate) fn as_option(run: &RunJson) -> String {
    let fleet = run.database.facts.get(FLEET).and_then(|fleet| fleet.split(':').next());
    let fleet = fleet.filter(|name| dbdyno_fleet::is_name(name));
    fleet.map_or_else(String::new, |fleet| format!(" --fleet {fleet}"))
}

/// The hosts of a fleet, as a run's record has them: what is not the same can not go on with it.
pub(crate) fn in_words(args: &SharedArgs, coordinator: &Coordinator) -> String {
    let name = args.fleet.as_ref().map_or("", |shared| &shared.fleet);
    let hosts = Fleet::members(coordinator).into_iter().map(|Member { name, weight, .. }| match weight == 1.0 {
        true => name,
        false => format!("{name} x{weight}"),
    });
    format!("{name}: {}", hosts.collect::<Vec<_>>().join(", "))
}

/// What each host has told of itself, as facts of a run.
pub(crate) fn hosts_in_words(coordinator: &Coordinator) -> impl Iterator<Item = (String, String)> {
    coordinator.found().iter().map(|Found { name, info }| {
        let sheet: Platform = serde_json::from_value(info.platform.clone()).unwrap_or_default();
        let Platform { host, cpu, memory, os, kernel, .. } = sheet;
        let gib = memory.total_bytes.map(|bytes| format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)));
        let threads = cpu.threads.map(|n| format!("{n} threads"));
        let told = [host, cpu.model, threads, gib, os, kernel.map(|kernel| format!("kernel {kernel}"))];
        (format!("{FLEET} host {name}"), told.into_iter().flatten().collect::<Vec<_>>().join(", "))
    })
}

/// The name under which the coordinator's token stands beside the data.
pub(super) const TOKEN: &str = "fleet";

/// Notes the coordinator's token beside the data, where the engine keeps books there.
fn noted(coordinator: &Coordinator, engine: &dyn Engine) -> Result<Option<String>, Error> {
    let token = coordinator.token();
    match engine.note(&[(TOKEN.to_owned(), token.clone())]) {
        Ok(()) => Ok(Some(token)),
        Err(error) if error.class == ErrorClass::Unsupported => Ok(None),
        Err(source) => Err(Error::Engine { doing: "noting the fleet on", target: engine.name().to_owned(), source }),
    }
}

/// Has the agents of a fleet open their targets for a run.
///
/// # Errors
/// One cannot.
pub(crate) fn join(
    coordinator: &Coordinator,
    place: &OpenedTarget,
    args: &SharedArgs,
    (run, plan): (&RunId, &Plan),
    is_sampled: bool,
    (stop, context): (&StopSwitch, &Context),
) -> Result<(), Error> {
    let workload = plan.points.iter().find_map(|planned| match &planned.subject {
        Subject::Workload(name) => Some(name.as_str().to_owned()),
        _ => None,
    });
    let engine = place.engine.as_ref();
    let target = args.send_credentials.then(|| coordinator.seal(&sent(&place.target))).transpose()?;
    let data = DataRun {
        engine: engine.name().to_owned(),
        size: plan.size.clone(),
        seed: plan.seed,
        workload,
        token: noted(coordinator, engine)?,
        is_sampled,
        target,
    };
    Ok(coordinator
        .join(&RunOrder { run: run.as_str().to_owned(), on: RunOn::Data(data) }, stop, &|text| context.say(text))?)
}

/// Has the agents of a fleet open the devices and files of a storage run.
///
/// # Errors
/// One cannot, may not, or has others.
pub(crate) fn join_storage(
    coordinator: &Coordinator,
    run: &RunId,
    mut on: StorageRun,
    (stop, context): (&StopSwitch, &Context),
) -> Result<(), Error> {
    let agents = coordinator.found().iter().map(|Found { info, .. }| (info.machine.clone(), info.pid));
    on.sharers = agents.chain([(machine(), std::process::id())]).collect();
    Ok(coordinator
        .join(&RunOrder { run: run.as_str().to_owned(), on: RunOn::Storage(on) }, stop, &|text| context.say(text))?)
}

/// The target as agents get it, with the password by which it was opened here.
fn sent(target: &Target) -> SentTarget {
    let found = FoundPassword::look(target.password(), None);
    SentTarget { url: target.to_string(), password: found.password().cloned() }
}
