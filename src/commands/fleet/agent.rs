//! `dbdyno agent`: a driver host of a fleet.

use super::super::context::Context;
use super::super::opened_target::OpenedTarget;
use super::super::workloads::{DataWish, WorkloadTarget};
use super::coordinate::TOKEN;
use super::reach::{Reach, info};
use super::storage::{self, JoinedStorage};
use crate::cli::{AgentArgs, FilesArgs};
use crate::error::Error;
use crate::signals;
use dbdyno_engine::private::Home;
use dbdyno_engine::{AloneAnyway, EngineError, MonotonicClock, Sampling, Target};
use dbdyno_fleet::{Agent, AgentWork, DataRun, PartFolder, RunOn, RunOrder, SentTarget, is_name};
use dbdyno_model::{PlannedPoint, Subject};
use dbdyno_run::{
    LiveWork, LoadedWorkload, PartOrder, RunContext, RunRequest, SessionsOrder, Starts, StopSwitch, measure_part,
};
use dbdyno_workload::{DataSpec, WorkloadData};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) fn agent(args: &AgentArgs, context: &Context) -> Result<(), Error> {
    let name = match &args.name {
        Some(name) => name.clone(),
        None => own_name()?,
    };
    let reach = Reach::of(&args.nats)?;
    let folder = match &args.parts {
        Some(folder) => folder.clone(),
        None => folder(&name)?,
    };
    let unfit = |error: std::io::Error| Error::Usage(format!("{} cannot keep parts: {error}", folder.display()));
    let parts = PartFolder::open(&folder, (&args.fleet, &name)).map_err(unfit)?;
    let stop = signals::end_of_watching("the agent ends, and what it does is cancelled")?;
    let node = args.agent_node.map(|node| node - 1);
    let live = Arc::new(LiveWork::default());
    let agent = Agent::connect(
        &reach.access,
        (&args.fleet, &name),
        reach.key,
        info(args.weight, node),
        (parts, Arc::clone(&live), stop),
    )?;
    context.say(&format!("agent {name} of the fleet {} waits for runs; Ctrl-C ends it", args.fleet));
    let mut work = Work { context, target: args.target.clone(), files: &args.files, node, live, joined: None };
    agent.serve(&mut work, &|text| context.say(text));
    Ok(())
}

/// The host's name, as far as it may be an agent's.
fn own_name() -> Result<String, Error> {
    let host = dbdyno_probe::inventory(&[]).host.unwrap_or_default();
    let name: String = host.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(64).collect();
    if is_name(&name) { Ok(name) } else { Err(Error::Usage("this host has no name: say --name".to_owned())) }
}

fn folder(name: &str) -> Result<PathBuf, Error> {
    let home = Home::from_environment().map_err(|error| Error::Usage(error.to_string()))?;
    Ok(home.path().join("agents").join(name))
}

/// What an agent does for runs.
struct Work<'c> {
    context: &'c Context,
    target: Option<String>,
    files: &'c FilesArgs,
    node: Option<u32>,
    live: Arc<LiveWork>,
    joined: Option<Joined>,
}

/// A run that it has joined.
enum Joined {
    Data(Box<JoinedData>),
    Storage(JoinedStorage),
}

/// A run on a database.
struct JoinedData {
    place: OpenedTarget,
    seed: u64,
    workload: Option<(WorkloadTarget, DataSpec)>,
    sampling: Sampling,
    /// Definitions that are the coordinator's, too.
    known: BTreeSet<String>,
}

impl Work<'_> {
    fn open(&self, run: &DataRun, given: Option<SentTarget>) -> Result<JoinedData, String> {
        let size = run.workload.is_none().then_some(run.size.as_str());
        let place = match (&self.target, given) {
            (Some(own), _) => OpenedTarget::open(own, size, Some(run.seed), &self.context.catalogue),
            (None, Some(given)) => self.open_given(given, size, run.seed),
            (None, None) => {
                let ways = "start it with --target, or the run with --send-credentials";
                return Err(format!("it has no target: {ways}"));
            }
        };
        let place = place.map_err(|error| error.to_string())?;
        if place.info.name != run.engine {
            return Err(format!("its target is of {}, and the coordinator's of {}", place.info.name, run.engine));
        }
        let nodes = place.engine.features().nodes;
        if let Some(node) = self.node.filter(|node| *node >= nodes) {
            return Err(format!("its target names {nodes} nodes, and it is to work on number {}", node + 1));
        }
        let workload = match &run.workload {
            None if (place.size.id.as_str(), place.seed) != (run.size.as_str(), run.seed) => {
                return Err(format!(
                    "its target has size {} (seed {}), and the coordinator's size {} (seed {})",
                    place.size.id, place.seed, run.size, run.seed
                ));
            }
            None => None,
            Some(name) => Some(self.workload(&place, name, run)?),
        };
        if let Some(token) = &run.token {
            let books = place.engine.books().map_err(|error| error.to_string())?;
            if books.entries().all(|(name, value)| (name, value) != (TOKEN, token.as_str())) {
                return Err("its target is another database than the coordinator's".to_owned());
            }
        }
        let sampling = if run.is_sampled { Sampling::On } else { Sampling::Off };
        Ok(JoinedData { place, seed: run.seed, workload, sampling, known: BTreeSet::new() })
    }

    fn open_given(&self, given: SentTarget, size: Option<&str>, seed: u64) -> Result<OpenedTarget, Error> {
        let target = Target::parse(&given.url)?;
        let target = match given.password {
            Some(password) => target.with_password(password.reveal()),
            None => target,
        };
        OpenedTarget::open_parsed(target, size, Some(seed), &self.context.catalogue)
    }

    fn workload(&self, place: &OpenedTarget, name: &str, run: &DataRun) -> Result<(WorkloadTarget, DataSpec), String> {
        let known = dbdyno_workload::workload(name).ok_or_else(|| format!("it does not know the workload {name}"))?;
        let looked = WorkloadTarget::look(place, known, &DataWish::default()).map_err(|error| error.to_string())?;
        let spec = looked.spec.clone();
        let held = (known.data_words(&spec), spec.seed);
        if looked.data == WorkloadData::Nothing || held != (run.size.clone(), run.seed) {
            return Err(format!("its target does not hold {} of {name} with the seed {}", run.size, run.seed));
        }
        Ok((looked, spec))
    }
}

impl JoinedData {
    /// Whether a point is defined here as the coordinator defines it.
    fn knows(&mut self, planned: &PlannedPoint, context: &Context) -> Result<(), EngineError> {
        if self.known.contains(&planned.definition) {
            return Ok(());
        }
        let here = match (&planned.subject, &self.workload) {
            (Subject::Workload(_), Some((workload, spec))) => {
                let dialect = workload.dialect.as_ref().map_err(|why| EngineError::other(why.clone()))?;
                vec![dialect.definition(spec, planned.mix.as_ref(), &planned.parameters)]
            }
            _ => {
                let request = RunRequest { what: vec![planned.subject.as_str().to_owned()], ..RunRequest::default() };
                let plan = self.place.plan(&request, &context.catalogue);
                let plan = plan.map_err(|error| EngineError::other(error.to_string()))?;
                plan.points.into_iter().map(|planned| planned.definition).collect()
            }
        };
        if here.contains(&planned.definition) {
            self.known.insert(planned.definition.clone());
            return Ok(());
        }
        let name = planned.subject.as_str();
        Err(EngineError::other(format!(
            "{name} is defined otherwise here than at the coordinator (catalogue entry or SQL)"
        )))
    }

    fn measure(
        &mut self,
        (order, clock): (&SessionsOrder, &MonotonicClock),
        context: &Context,
        live: &LiveWork,
        starts: &mut dyn Starts,
        stop: &StopSwitch,
    ) -> Result<(), EngineError> {
        self.knows(&order.planned, context)?;
        let workloads = match &self.workload {
            Some((workload, spec)) => {
                let dialect = workload.dialect.clone().map_err(EngineError::other)?;
                vec![LoadedWorkload::new(dialect, spec.clone())]
            }
            None => Vec::new(),
        };
        let run = RunContext {
            engine: self.place.engine.as_ref(),
            // The coordinator keeps others away.
            hold: &AloneAnyway,
            catalogue: &context.catalogue,
            size: &self.place.size,
            seed: self.seed,
            data_verified: true,
            clock,
            stop,
            sampling: self.sampling,
            pacer: Err("the coordinator takes the machine's pace".to_owned()),
            workloads,
            live,
            server_settings: BTreeMap::new(),
            fleet: None,
        };
        measure_part(&run, order, starts)
    }
}

impl AgentWork for Work<'_> {
    fn join(&mut self, run: &RunOrder, given: Option<SentTarget>) -> Result<(), String> {
        self.joined = None;
        self.joined = Some(match &run.on {
            RunOn::Data(run) => Joined::Data(Box::new(self.open(run, given)?)),
            RunOn::Storage(run) => Joined::Storage(storage::join(self.files, run)?),
        });
        Ok(())
    }

    fn measure(
        &mut self,
        order: &PartOrder,
        clock: &MonotonicClock,
        starts: &mut dyn Starts,
        stop: &StopSwitch,
    ) -> Result<(), EngineError> {
        match (&mut self.joined, order) {
            (Some(Joined::Data(joined)), PartOrder::Sessions(order)) => {
                joined.measure((order.as_ref(), clock), self.context, &self.live, starts, stop)
            }
            (Some(Joined::Storage(joined)), PartOrder::Storage(order)) => joined.measure(order, clock, starts, stop),
            (Some(_), _) => Err(EngineError::other("it has joined a run of another kind")),
            (None, _) => Err(EngineError::other("it has joined no run")),
        }
    }

    fn leave(&mut self) {
        self.joined = None;
    }
}
