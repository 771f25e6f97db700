//! Workloads on a target: their load, their plan, and the proof of each point, for which the workload's figures are
//! read before and after it.

use crate::client::TypeResult;
use crate::load::LoadProgress;
use crate::plan::{loads, repeated, searches};
use crate::work::{PointWork, WorkloadSpec};
use crate::{Events, PlanError, RunContext, RunRequest, StopSwitch};
use dbdyno_engine::{Engine, EngineError};
use dbdyno_model::{
    ClientLoad, Dop, Flag, Mapping, MixRequest, Plan, PlannedPoint, Point, Ramp, Status, Subject, WorkloadName,
};
use dbdyno_workload::{
    DataSpec, Dialect, Ended, LoadDone, LoadTimes, Settings, TargetWorkload, Workload, WorkloadData,
};
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Window of each point unless the user gives another.
const DURATION_S: f64 = 10.0;
/// How long to wait for a server that was lost within a point, to prove what it had acknowledged.
const PATIENCE: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(200);

/// The result of a load.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkloadLoad {
    /// The data that is on the target now.
    pub data: DataSpec,
    /// Rows that were made, by table; empty where everything was there.
    pub rows: Vec<(String, u64)>,
    /// Whether an unfinished earlier load was started over.
    pub anew: bool,
    /// How long its parts took; nothing where everything was there.
    pub times: Option<LoadTimes>,
}

/// Loads data of a workload, with `jobs` sessions, unless there is some, whatever it is. The caller has locked the
/// target.
///
/// # Errors
/// The engine's error.
pub fn load_workload(
    engine: &dyn Engine,
    dialect: &Dialect,
    wanted: &DataSpec,
    jobs: u32,
    (events, stop): (&dyn Events, &StopSwitch),
) -> Result<WorkloadLoad, EngineError> {
    let target_workload = TargetWorkload::new(engine, dialect);
    let held = target_workload.data()?;
    if let WorkloadData::Complete(data) = held {
        return Ok(WorkloadLoad { data, rows: Vec::new(), anew: false, times: None });
    }
    let LoadDone { rows, went_on, times } = target_workload.load(wanted, jobs, &LoadProgress { events, stop })?;
    let anew = held != WorkloadData::Nothing && !went_on;
    Ok(WorkloadLoad { data: wanted.clone(), rows, anew, times: Some(times) })
}

/// What is asked of a workload in addition to what is asked of tests.
#[derive(Debug, Clone, Copy)]
pub struct WorkloadRequest<'a> {
    /// Its SQL for the target, or why there is none.
    pub dialect: Result<&'a Dialect, &'a str>,
    /// The workload.
    pub workload: &'static dyn Workload,
    /// The data that is there or will be loaded. Its seed is that of the users' random numbers, too.
    pub data: &'a DataSpec,
    /// Numbers of users at work at once.
    pub users: Option<&'a Ramp>,
    /// The weights of its transactions, where they are not its own.
    pub mix: Option<&'a MixRequest>,
    /// What the user has set, where the workload has parameters.
    pub settings: &'a Settings,
    /// Hardware threads of the platform.
    pub hardware_threads: u32,
}

/// The plan of a workload: each number of users, up and down in turn, under each load.
///
/// # Errors
/// Options that contradict each other.
pub fn workload_plan(request: &RunRequest, of: WorkloadRequest<'_>) -> Result<Plan, PlanError> {
    let Some(search) = &request.search else { return points(request, of) };
    // In both forms dbdyno begins the transactions.
    let driven = RunRequest { drive: dbdyno_model::Drive::Client, ..request.clone() };
    let first = searches::first_points(&driven, search)?;
    let users = first.jobs.map(|users| Ramp::List(vec![users]));
    let plan = points(
        &RunRequest { drive: request.drive, jobs: None, ..first },
        WorkloadRequest { users: users.as_ref(), ..of },
    )?;
    Ok(searches::of_points(plan, request, search, |_| "tx_per_s".into()))
}

fn points(request: &RunRequest, of: WorkloadRequest<'_>) -> Result<Plan, PlanError> {
    let WorkloadRequest { dialect, workload, data, users, mix, settings, hardware_threads } = of;
    let parameters = &settings.work;
    // In both forms dbdyno begins the transactions.
    let mut loads = loads::of(&RunRequest { drive: dbdyno_model::Drive::Client, ..request.clone() })?;
    loads.iter_mut().for_each(|load| load.transactions_each = settings.transactions_each);
    let missing = dialect.map_or_else(|why| Some(why.to_owned()), |dialect| dialect.lacks(request.drive));
    let mapping = missing.map_or(Mapping::Native { ramp: None }, |why| Mapping::None { why });
    let refused = |why| PlanError::Mix { workload: workload.name(), why };
    let mix = mix.map(|mix| workload.mix(mix)).transpose().map_err(refused)?;
    // The workload's own weights are no other work, however they are written.
    let mix = mix.filter(|mix| workload.types_of(Some(mix), parameters) != workload.types());
    if request.pause.is_some() && request.drive == dbdyno_model::Drive::Server {
        return Err(PlanError::PauseInCall);
    }
    let definition =
        dialect.map_or_else(|_| String::new(), |dialect| dialect.definition(data, mix.as_ref(), parameters));
    let name = WorkloadName::new(workload.name()).map_err(|_| PlanError::Nothing)?;
    let template = PlannedPoint {
        subject: Subject::Workload(name),
        drive: request.drive,
        load: ClientLoad::default(),
        dop: Dop { nodes: request.nodes.unwrap_or(1), ..Dop::ONE },
        rows_per_tx: 0,
        repeat: 1,
        again: false,
        duration_s: request.duration_s.or(settings.duration_s).unwrap_or(DURATION_S),
        mix,
        parameters: parameters.clone(),
        cores: None,
        may_follow_from_jobs: None,
        commit: request.commit,
        mapping,
        definition: definition.clone(),
    };
    let users = users.map_or_else(|| vec![1], |ramp| ramp.resolve(hardware_threads));
    if let (Some(limit), Some(least)) =
        (request.max_jobs, users.iter().min().filter(|least| request.max_jobs < Some(**least)))
    {
        return Err(PlanError::OverLimit { asked: *least, limit });
    }
    let users = users.into_iter().filter(|users| request.max_jobs.is_none_or(|limit| *users <= limit));
    let mut steps: Vec<PlannedPoint> =
        users.map(|jobs| PlannedPoint { dop: Dop { jobs, ..template.dop }, ..template.clone() }).collect();
    if request.follow != Some(false) {
        let fewest = steps.iter().map(|step| loads::sessions(request, step)).min();
        steps.iter_mut().for_each(|step| step.may_follow_from_jobs = fewest);
    }
    let mut points = match template.mapping {
        Mapping::None { .. } => vec![template],
        _ => repeated(steps, &template, &loads, request.repeat.unwrap_or(1)),
    };
    loads::share(request, &mut points)?;
    let (size, seed) = (workload.data_words(data), data.seed);
    Ok(Plan {
        suite: workload.name().to_owned(),
        size,
        seed,
        definitions: definition,
        points,
        searches: Vec::new(),
        pairing: None,
    })
}

/// The figures of a workload before a point, which prove its end. Tests have none.
pub(crate) enum InvariantCheck<'a> {
    None,
    Of { work: &'a WorkloadSpec<'a>, before: Vec<i64>, problems: Vec<String> },
}

impl<'a> InvariantCheck<'a> {
    /// Reads the figures, and waits until the tables are at rest.
    ///
    /// # Errors
    /// The engine's.
    pub(crate) fn open(context: &RunContext<'_>, work: PointWork<'a>, point: &mut Point) -> Result<Self, EngineError> {
        let PointWork::Workload(work) = work else { return Ok(Self::None) };
        let target_workload = work.target_workload(context.engine);
        let before = target_workload.read_figures(&work.loaded.data);
        let before = before.map_err(|error| error.while_doing("reading the workload's figures"))?;
        let last = work.loaded.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if last.is_some_and(|last| last != before) {
            let note = format!("{} was changed by somebody else since the point before", work.program.work);
            point.flag(Flag::ForeignLoad, note);
        }
        let broken = target_workload.broken(&work.loaded.data, &before);
        let broken = broken.map_err(|error| error.while_doing("reading the workload's figures"))?;
        let data = &work.loaded.data;
        target_workload.settle(data).map_err(|error| error.while_doing("bringing the workload's tables to rest"))?;
        // They were looked at before the run, and after each point; a pass over all data takes its time.
        let displaced = match work.loaded.displaced.load(Ordering::Relaxed) {
            true => target_workload.recount_as_it_is(data),
            false => Ok(Vec::new()),
        };
        let displaced = displaced.map_err(|error| error.while_doing("looking where the workload's rows lie"))?;
        let problems = broken.into_iter().chain(displaced);
        let problems = problems.map(|why| format!("before the point: {why}; load it anew")).collect();
        Ok(Self::Of { work, before, problems })
    }

    /// Reads the figures again, and compares them with how the transactions ended. A difference makes the point
    /// invalid.
    pub(crate) fn prove(&self, context: &RunContext<'_>, point: &mut Point, types: &[TypeResult]) {
        let Self::Of { work, before, problems } = self else { return };
        let after = look(context, work);
        // If the figures are unknown, the next point has nothing to compare with.
        *work.loaded.last.lock().unwrap_or_else(PoisonError::into_inner) = after.as_ref().ok().cloned();
        let after = match after {
            Ok(after) => after,
            Err(error) => {
                point.lacks("proof.workload", format!("its figures could not be read after the point: {error}"));
                return point
                    .flag(Flag::NotProved, "the workload's figures could not be read after the point".to_owned());
            }
        };
        let ended = |of: &TypeResult| Ended {
            acknowledged: of.outcomes.ok - of.outcomes.rolled_back,
            rolled_back: of.outcomes.rolled_back,
            unknown: of.unknown,
            sum: of.sum,
        };
        let ended: Vec<Ended> = types.iter().map(ended).collect();
        let target_workload = work.target_workload(context.engine);
        if target_workload.places_rows() {
            // While it worked some of it was measured in other places than it should be, and nobody knows since when.
            let displaced = target_workload.recount_as_it_is(&work.loaded.data);
            let is_well = displaced.as_ref().is_ok_and(Vec::is_empty);
            work.loaded.displaced.store(!is_well, Ordering::Relaxed);
            match displaced {
                Ok(displaced) if displaced.is_empty() => {}
                Ok(displaced) => point.flag(Flag::NotProved, format!("after the point: {}", displaced.join("; "))),
                Err(error) => point.flag(Flag::NotProved, format!("nobody knows where rows lay in the end: {error}")),
            }
        }
        let workload = work.loaded.dialect.workload();
        let broken = work.target_workload(context.engine).broken(&work.loaded.data, &after);
        let broken = broken.unwrap_or_else(|_| workload.broken(&after));
        let found = broken.into_iter().chain(workload.miscounted(
            (before, &after),
            &ended,
            (&work.loaded.data, work.parameters),
        ));
        let problems: Vec<String> = problems.iter().cloned().chain(found).collect();
        if !problems.is_empty() {
            point.status = Status::Invalid;
            point.reason = Some(problems.join("; "));
        }
    }
}

/// Reads the figures. A server that was lost may come back by itself.
fn look(context: &RunContext<'_>, work: &WorkloadSpec<'_>) -> Result<Vec<i64>, EngineError> {
    let began = Instant::now();
    loop {
        match work.target_workload(context.engine).read_figures(&work.loaded.data) {
            Err(error) if error.target_lost() && began.elapsed() < PATIENCE && !context.stop.requested() => {
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}
