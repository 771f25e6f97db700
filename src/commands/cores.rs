//! `dbdyno run slob --cores 1,2,4`: one run over rising numbers of processors. A private server is held to each of them
//! in turn, and started again with its data; schemas and the server's cache grow along. In the end it runs as before.

use super::context::Context;
use super::measuring::{Ready, conclude, status_line};
use super::opened_target::OpenedTarget;
use super::private_servers::{failed, product};
use super::up::UpWatch;
use super::watch::Watch;
use super::workloads::{self, DataWish, WorkloadTarget};
use crate::cli::RunArgs;
use crate::error::Error;
use crate::output;
use dbdyno::ENGINES;
use dbdyno_engine::Target;
use dbdyno_engine::private::{self, Cpus, Home, Instance, UpRequest, Which, choose_cpus, cpus_in_words};
use dbdyno_engine::servers::Product;
use dbdyno_model::{Plan, PlannedPoint, RunId, RunStatus, Size};
use dbdyno_report::numbers;
use dbdyno_results::Repository;
use dbdyno_run::{LoadRequest, RunError, StopSwitch};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::collections::BTreeMap;

/// The numbers of processors that a private server is held to, and how it grows along.
pub(super) struct CoresRequest {
    product: &'static dyn Product,
    home: Home,
    /// The server as it was found.
    found: Instance,
    steps: Vec<Step>,
    cache_per_core_bytes: Option<u64>,
}

/// One of the numbers.
struct Step {
    cores: u32,
    cpus: Cpus,
    schemas: u32,
}

/// What the user asks for, if it is a run over processors.
///
/// # Errors
/// The target is no private server that runs, or there are not so many processors.
pub(super) fn asked(args: &RunArgs, url: &str) -> Result<Option<CoresRequest>, Error> {
    let Some(ramp) = &args.cores.cores else { return Ok(None) };
    let refused = |problem: String| Err(Error::Usage(problem));
    if args.shared.fleet.is_some() {
        return refused(
            "--cores starts the server again and again, under the agents of --fleet: say one of them".to_owned(),
        );
    }
    if args.work.schemas.is_some() {
        return refused(
            "--cores says how many schemas there are, by --schemas-per-core: leave --schemas away".to_owned(),
        );
    }
    if args.work.what.first().map(String::as_str) != Some("slob") {
        return refused("--cores is for the workload slob, as in `dbdyno run slob --cores 1,2,4`".to_owned());
    }
    let target = Target::parse(url)?;
    if target.scheme != private::SCHEME {
        return refused(format!(
            "--cores starts the server again for each number, so it is for private servers, and {url} is none; say --target {}",
            ENGINES
                .with_private_servers()
                .next()
                .map(|(engine, _)| Which::of(engine.name).target())
                .unwrap_or_default()
        ));
    }
    let which = Which::of_target(&target)?;
    let schemas_per_core = args.cores.schemas_per_core.unwrap_or(1.0);
    if !(schemas_per_core > 0.0 && schemas_per_core <= 1_000.0) {
        return refused(format!("--schemas-per-core {schemas_per_core}: it is a number above 0, and 1,000 at most"));
    }
    let product = product(&which.engine)?;
    let looking = failed("looking at", &which);
    let home = Home::from_environment().and_then(|home| home.named(which.name.as_deref())).map_err(&looking)?;
    let found = home.instance_folder(&which.engine).and_then(|folder| Instance::read(&folder)).map_err(&looking)?;
    let Some(found) = found.filter(Instance::lives) else {
        return refused(format!("the private {which} does not run; start it first: dbdyno up {}", which.arguments()));
    };
    if found.standby.is_some() {
        return refused(format!(
            "--cores starts the server again and again, and that of {} has a standby; start it without: dbdyno down {command} --keep && \
             dbdyno up {command} --size {}",
            which.target(),
            found.size,
            command = which.arguments()
        ));
    }
    let mut cores = ramp.resolve(dbdyno_probe::hardware_threads());
    cores.sort_unstable();
    cores.dedup();
    let step = |cores: u32| {
        // Of the processors that dbdyno may use now, and not of what is left to it later.
        let cpus = choose_cpus(cores).map_err(|error| match looking(error) {
            Error::Usage(text) => Error::Usage(text.replace("--cpus", "--cores")),
            other => other,
        })?;
        let schemas = (f64::from(cores) * schemas_per_core).round().clamp(1.0, f64::from(u16::MAX)) as u32;
        Ok(Step { cores, cpus, schemas })
    };
    let steps = cores.into_iter().map(step).collect::<Result<Vec<_>, Error>>()?;
    Ok(Some(CoresRequest { product, home, found, steps, cache_per_core_bytes: args.cores.cache_per_core }))
}

impl CoresRequest {
    /// Schemas at the highest number of processors.
    pub(super) fn most_schemas(&self) -> u32 {
        self.steps.iter().map(|step| step.schemas).max().unwrap_or(1)
    }

    /// Puts the points of each number of processors into a plan, in the place of those of its one number of schemas.
    pub(super) fn spread(&self, plan: &mut Plan, users_per_schema: u32) {
        let templates: Vec<PlannedPoint> = plan.points.iter().filter(|planned| !planned.again).cloned().collect();
        let of_step = |step: &Step| {
            let jobs = step.schemas.saturating_mul(users_per_schema);
            let cores = Some(step.cores);
            let follow = |planned: &PlannedPoint| planned.may_follow_from_jobs.map(|_| jobs);
            let of = |planned: &PlannedPoint| PlannedPoint {
                dop: dbdyno_model::Dop { jobs, ..planned.dop },
                may_follow_from_jobs: follow(planned),
                cores,
                ..planned.clone()
            };
            templates.iter().map(of).collect::<Vec<_>>()
        };
        plan.points = self.steps.iter().flat_map(of_step).collect();
    }

    /// Measures the points of each number of processors, and shows the run. `ready` has loaded and locked the server as
    /// it was found.
    ///
    /// # Errors
    /// As for [`Ready::measure`]; or the server does not start again.
    pub(super) fn measure(
        self,
        (mut ready, place): (Ready<'_>, &OpenedTarget),
        (repository, run, plan): (&mut Repository, &RunId, &mut Plan),
        again: &str,
        args: &RunArgs,
        context: &Context,
    ) -> Result<(), Error> {
        let (script, sampling, target) = (ready.script.take(), ready.sampling, place.target.to_string());
        let stop = ready.stop();
        // The lock is given up with the server that it is on.
        drop(ready);
        let allowed = sched_getaffinity(None);
        let mut done = Ok(Ok(()));
        for step in &self.steps {
            done = self.step(step, (&target, sampling), (repository, run, plan), (args, &stop), context);
            if let Ok(all) = &allowed {
                _ = sched_setaffinity(None, all);
            }
            if !matches!(done, Ok(Ok(()))) {
                break;
            }
        }
        script.iter().for_each(|script| script.after("post", &stop));
        let back = self.restart(None, &stop, context);
        let shown = match done {
            Ok(measured) => {
                conclude((repository, run, plan), measured, (Some(again), ""), args.shown.format(), context)
            }
            Err(error) => broken_off((repository, run, plan), context).and(Err(error)),
        };
        script.iter().for_each(|script| script.after("end", &stop));
        shown.and(back)
    }

    /// Measures the points of one number of processors.
    fn step(
        &self,
        step: &Step,
        (target, sampling): (&str, dbdyno_engine::Sampling),
        (repository, run, plan): (&mut Repository, &RunId, &mut Plan),
        (args, stop): (&RunArgs, &StopSwitch),
        context: &Context,
    ) -> Result<Result<(), RunError>, Error> {
        let places: Vec<usize> =
            (0..plan.points.len()).filter(|index| plan.points[*index].cores == Some(step.cores)).collect();
        self.restart(Some(step), stop, context)?;
        let mut server_settings = BTreeMap::from([
            ("server_cpus".to_owned(), cpus_in_words(&step.cpus.server)),
            ("server_cache".to_owned(), numbers::bytes(self.cache_bytes(Some(step), self.size(context)?))),
        ]);
        server_settings.insert("dbdyno_cpus".to_owned(), stay_on(&step.cpus.left));
        let opened = OpenedTarget::open(target, args.target.size.as_deref(), args.target.seed, &context.catalogue)?;
        let workload =
            workloads::of_plan(plan).ok_or_else(|| Error::Internal("the plan has no workload".to_owned()))?;
        let workload = WorkloadTarget::look(&opened, workload, &DataWish::default())?;
        let load = LoadRequest {
            target,
            size: opened.wished_size.as_deref(),
            seed: args.target.seed,
            jobs: dbdyno_probe::hardware_threads(),
            verify: true,
        };
        let mut ready = Ready::make(&opened, Some(workload), load, (stop.clone(), args.work.max_jobs), context)?;
        (ready.sampling, ready.server_settings) = (sampling, server_settings);
        ready.watch = Watch::without_views(&args.watch);
        Ok(ready.measure_points(repository, run, plan, &places))
    }

    fn size<'c>(&self, context: &'c Context) -> Result<&'c Size, Error> {
        Ok(context.catalogue.size(&self.found.size)?)
    }

    /// The server's cache at a step, or as it was found.
    fn cache_bytes(&self, step: Option<&Step>, size: &Size) -> u64 {
        let grown = step.zip(self.cache_per_core_bytes).map(|(step, each)| each.saturating_mul(step.cores.into()));
        grown.unwrap_or(size.engine_cache_bytes)
    }

    /// Starts the server again with its data, for a step or as it was found.
    fn restart(&self, step: Option<&Step>, stop: &StopSwitch, context: &Context) -> Result<(), Error> {
        let (which, size) = (self.found.which(), self.size(context)?);
        // What the user stops is measuring; the server is still to run as before.
        let watch = UpWatch::with(context, if step.is_some() { stop.clone() } else { StopSwitch::default() });
        let sized = Size { engine_cache_bytes: self.cache_bytes(step, size), ..size.clone() };
        let programs = self.product.about().programs.named();
        let request = UpRequest {
            size: &sized,
            memory_limit_bytes: self.found.memory_limit_bytes,
            cpus: step.map_or(&self.found.cpus, |step| &step.cpus.server),
            keep: Some(self.found.keep),
            programs: programs.as_deref(),
            hardware_threads: dbdyno_probe::hardware_threads(),
            replication_log: false,
            standby: None,
        };
        private::down(&self.home, self.product, Some(true), &watch).map_err(failed("stopping", &which))?;
        private::up(&self.home, self.product, &request, &watch).map_err(failed("starting", &which))?;
        Ok(())
    }
}

/// Records that a run ended before its plan did, and says what is kept of it.
fn broken_off((repository, run, plan): (&mut Repository, &RunId, &Plan), context: &Context) -> Result<(), Error> {
    repository.set_status(run, RunStatus::Interrupted).map_err(Error::Recording)?;
    output::note(&status_line(&repository.load(run).map_err(Error::Recording)?, plan, context));
    Ok(())
}

/// Keeps what begins from now on in this process on the processors that are left. Returns where it works, in words.
fn stay_on(left: &[u32]) -> String {
    let mut set = CpuSet::new();
    left.iter().for_each(|cpu| set.set(*cpu as usize));
    match left.is_empty() {
        true => "shares those of the server".to_owned(),
        false if sched_setaffinity(None, &set).is_ok() => cpus_in_words(left),
        false => {
            output::note("dbdyno cannot leave the server's processors");
            "may share those of the server".to_owned()
        }
    }
}
