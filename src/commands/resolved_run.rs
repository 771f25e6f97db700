//! What `run` and `pair` are to measure on a target. Whatever can be refused is refused here, before anything is done.

use super::context::Context;
use super::cores::CoresRequest;
use super::opened_target::OpenedTarget;
use super::workloads::{DataWish, WorkloadTarget};
use super::{searches, workloads};
use crate::cli::{RunArgs, WorkArgs};
use crate::error::Error;
use dbdyno_model::{Drive, Plan};
use dbdyno_run::{LoadRequest, LoadTrigger, RunRequest, refuse_unfit};
use dbdyno_workload::{Settings, Workload};

/// A target with a plan for it.
pub(super) struct ResolvedRun {
    pub(super) place: OpenedTarget,
    pub(super) workload: Option<WorkloadTarget>,
    pub(super) settings: Settings,
    pub(super) plan: Plan,
    /// The target without a password, as others may see it.
    target: String,
}

/// The workload that is asked for, if it is one. The arguments are those with its suite's.
///
/// # Errors
/// Arguments that contradict each other.
pub(super) fn workload(args: &RunArgs, context: &Context) -> Result<Option<&'static dyn Workload>, Error> {
    let workload = workloads::named(&args.work.what, &context.catalogue)?;
    workloads::refuse_misplaced(args, workload)?;
    searches::refuse_contradictions(args)?;
    Ok(workload)
}

impl ResolvedRun {
    /// Opens a target, and plans what is asked for.
    ///
    /// # Errors
    /// The target cannot be reached, does not fit, or what is asked for does not exist.
    pub(super) fn of(
        (args, workload): (&RunArgs, Option<&'static dyn Workload>),
        (url, held): (&str, Option<&CoresRequest>),
        settings: Settings,
        context: &Context,
    ) -> Result<Self, Error> {
        let place = OpenedTarget::open(url, args.target.size.as_deref(), args.target.seed, &context.catalogue)?;
        refuse_missing_nodes(&args.work, &place)?;
        let wish = DataWish {
            scale: args.work.scale,
            units_at_least: held.map(CoresRequest::most_schemas).or_else(|| {
                let schemas = args.work.schemas.as_ref()?;
                schemas.resolve(dbdyno_probe::hardware_threads()).into_iter().max()
            }),
            seed: args.target.seed,
            settings,
        };
        let workload = workload.map(|workload| WorkloadTarget::look(&place, workload, &wish)).transpose()?;
        let settings = wish.settings;
        let plan = match &workload {
            Some(workload) => workload.plan(args, &settings, &place, &request(args, &place))?,
            None => place.plan(&request(args, &place), &context.catalogue)?,
        };
        let target = place.target.to_string();
        Ok(Self { place, workload, settings, plan, target })
    }

    /// How the target is loaded, where something is missing.
    pub(super) fn load<'a>(&'a self, args: &RunArgs) -> LoadRequest<'a> {
        LoadRequest {
            target: &self.target,
            size: self.place.wished_size.as_deref(),
            seed: args.target.seed,
            // The user's limit holds for everything that the run does there.
            jobs: dbdyno_probe::hardware_threads().min(args.work.max_jobs.unwrap_or(u32::MAX)),
            verify: !args.work.no_verify,
        }
    }

    /// Refuses to measure what is missing, where dbdyno does not load without being asked.
    ///
    /// # Errors
    /// Something is missing, or does not fit.
    pub(super) fn refuse_unloaded(&self, args: &RunArgs) -> Result<(), Error> {
        let place = &self.place;
        match &self.workload {
            Some(workload) => workload.refuse_missing(place),
            None => {
                let (load, on_demand) = (self.load(args), LoadTrigger::OnDemand);
                Ok(refuse_unfit(place.engine.as_ref(), &place.held, &place.size, load, on_demand)?)
            }
        }
    }
}

/// The user's request. All hosts of the target take part unless a number says otherwise.
fn request(args: &RunArgs, place: &OpenedTarget) -> RunRequest {
    let work = &args.work;
    RunRequest {
        what: work.what.clone(),
        ramp: work.ramp.clone(),
        nodes: Some(work.nodes.unwrap_or(place.engine.features().nodes)),
        jobs: work.jobs,
        threads: work.threads,
        max_jobs: work.max_jobs,
        duration_s: work.duration,
        repeat: args.repeat,
        commit: work.commit,
        drive: work.client.drive.unwrap_or(Drive::Server),
        rates: work.client.rate.clone(),
        arrivals: work.client.arrivals,
        think: work.client.think,
        pause: work.client.pause,
        logon: work.client.logon.unwrap_or_default(),
        queue: work.client.queue,
        connections: work.client.connections,
        follow: work.client.follow,
        search: searches::asked(args, place),
    }
}

/// Jobs take turns over the hosts of the target, so more nodes than hosts would be a false claim.
fn refuse_missing_nodes(work: &WorkArgs, place: &OpenedTarget) -> Result<(), Error> {
    match (work.nodes, place.engine.features().nodes) {
        (Some(asked), named) if asked > named => Err(Error::Usage(format!(
            "--nodes {asked} was asked for, but {} names {named}; list the hosts of the cluster in the target, or leave --nodes away",
            place.target
        ))),
        _ => Ok(()),
    }
}
