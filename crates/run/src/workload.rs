//! Workloads on a target: their load, their plan, and the proof of each point, for which their figures are read before
//! and after it.

use crate::client::OfType;
use crate::load::Watch;
use crate::plan::{Turn, again, in_turn, loads};
use crate::work::{Work, WorkloadSpec};
use crate::{Bench, Events, PlanError, Stop, Wish};
use dbdyno_engine::{Engine, EngineError};
use dbdyno_model::{Dop, Flag, Load, Mapping, Plan, PlannedPoint, Point, Ramp, Status, Subject, WorkloadName};
use dbdyno_workload::{Dialect, Done, Ended, Held, Site, Workload};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// Window of each point unless the user says otherwise.
const DURATION_S: f64 = 10.0;
/// How long a server that was lost within a point is waited for, to prove what it had acknowledged.
const PATIENCE: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(200);

/// What a load did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkloadLoad {
    /// The scale that the target holds now.
    pub scale: u64,
    /// Rows that were made, by what they are; empty where everything was there.
    pub rows: Vec<(String, u64)>,
    /// Whether an earlier load was begun anew.
    pub anew: bool,
}

/// Loads a workload where it is not there, by so many jobs; one that is there is left as it is. The target is held.
///
/// # Errors
/// Another scale is there; the engine's.
pub fn load_workload(
    engine: &dyn Engine,
    dialect: &Dialect,
    scale: Option<u64>,
    jobs: u32,
    (events, stop): (&dyn Events, &Stop),
) -> Result<WorkloadLoad, EngineError> {
    let site = Site::new(engine, dialect);
    let held = site.held()?;
    if let Held::Complete { scale } = held {
        return Ok(WorkloadLoad { scale, rows: Vec::new(), anew: false });
    }
    let scale = scale.or(held.scale()).unwrap_or(1);
    let (rows, goes_on) = site.load(scale, jobs, &Watch { events, stop })?;
    Ok(WorkloadLoad { scale, rows, anew: held != Held::Nothing && !goes_on })
}

/// What is asked of a workload besides what is asked of tests.
#[derive(Debug, Clone, Copy)]
pub struct WorkloadWish<'a> {
    /// Its SQL on the target, or why there is none.
    pub dialect: Result<&'a Dialect, &'a str>,
    /// The workload.
    pub workload: &'static dyn Workload,
    /// How much of it there is, or will be.
    pub scale: u64,
    /// Numbers of users at work at once.
    pub users: Option<&'a Ramp>,
    /// Hardware threads of the platform.
    pub hardware_threads: u32,
    /// Seed of what users draw.
    pub seed: u64,
}

/// The plan of a workload: each number of users, up and down in turn, under each load.
///
/// # Errors
/// Options that contradict each other.
pub fn workload_plan(wish: &Wish, of: WorkloadWish<'_>) -> Result<Plan, PlanError> {
    let WorkloadWish { dialect, workload, scale, users, hardware_threads, seed } = of;
    // Whichever form it is, dbdyno begins the transactions.
    let loads = loads::of(&Wish { drive: dbdyno_model::Drive::Client, ..wish.clone() })?;
    let missing = dialect.map_or_else(|why| Some(why.to_owned()), |dialect| dialect.lacks(wish.drive));
    let mapping = missing.map_or(Mapping::Native { ramp: None }, |why| Mapping::None { why });
    let definition = dialect.map_or_else(|_| String::new(), |dialect| dialect.definition(scale));
    let name = WorkloadName::new(workload.name()).map_err(|_| PlanError::Nothing)?;
    let template = PlannedPoint {
        subject: Subject::Workload(name),
        drive: wish.drive,
        load: Load::default(),
        dop: Dop { nodes: wish.nodes.unwrap_or(1), ..Dop::ONE },
        rows_per_tx: 0,
        repeat: 1,
        again: false,
        duration_s: wish.duration_s.unwrap_or(DURATION_S),
        may_follow_from_jobs: None,
        commit: wish.commit,
        mapping: mapping.clone(),
        definition: definition.clone(),
    };
    let users = users.map_or_else(|| vec![1], |ramp| ramp.resolve(hardware_threads));
    if let (Some(limit), Some(least)) =
        (wish.max_jobs, users.iter().min().filter(|least| wish.max_jobs < Some(**least)))
    {
        return Err(PlanError::OverLimit { asked: *least, limit });
    }
    let users = users.into_iter().filter(|users| wish.max_jobs.is_none_or(|limit| *users <= limit));
    let mut steps: Vec<PlannedPoint> =
        users.map(|jobs| PlannedPoint { dop: Dop { jobs, ..template.dop }, ..template.clone() }).collect();
    if wish.follow != Some(false) {
        let fewest = steps.iter().map(|step| loads::sessions(wish, step)).min();
        steps.iter_mut().for_each(|step| step.may_follow_from_jobs = fewest);
    }
    let (mut points, repeats) = (Vec::new(), wish.repeat.unwrap_or(1));
    match mapping {
        Mapping::None { .. } => points.push(template),
        Mapping::Native { .. } | Mapping::Equivalent { .. } => {
            for repeat in 1..=repeats {
                let turn = Turn::of_repeat(repeat);
                for step in turn.of(steps.clone()) {
                    points.extend(in_turn(&loads, turn).map(|load| PlannedPoint { repeat, load, ..step.clone() }));
                }
            }
            points.extend(again(&steps, &template, &loads, repeats));
        }
    }
    loads::share(wish, &mut points)?;
    let size = format!("scale {scale}");
    Ok(Plan { suite: workload.name().to_owned(), size, seed, definitions: definition, points })
}

/// The figures of a workload before a point, by which its end is proved. Of tests there are none.
pub(crate) enum Books<'a> {
    None,
    Of { work: &'a WorkloadSpec<'a>, before: Vec<i64>, problems: Vec<String> },
}

impl<'a> Books<'a> {
    /// Reads the figures, and brings the tables to rest.
    ///
    /// # Errors
    /// The engine's.
    pub(crate) fn open(bench: &Bench<'_>, work: Work<'a>, point: &mut Point) -> Result<Self, EngineError> {
        let Work::Workload(work) = work else { return Ok(Self::None) };
        let site = work.site(bench.engine);
        let before = site.look().map_err(|error| error.while_doing("reading the workload's figures"))?;
        let last = work.loaded.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if last.is_some_and(|last| last != before) {
            let note = format!("{} was changed by somebody else since the point before", work.program.work);
            point.flag(Flag::ForeignLoad, note);
        }
        let broken = work.loaded.dialect.workload().broken(&before);
        let problems = broken.into_iter().map(|why| format!("before the point: {why}; load it anew")).collect();
        site.rest().map_err(|error| error.while_doing("bringing the workload's tables to rest"))?;
        Ok(Self::Of { work, before, problems })
    }

    /// Reads the figures again, and compares them with what became of the transactions. A breach makes the point
    /// invalid.
    pub(crate) fn prove(&self, bench: &Bench<'_>, point: &mut Point, types: &[OfType], checksum: Option<u64>) {
        let Self::Of { work, before, problems } = self else { return };
        let after = look(bench, work);
        // Where nobody knows them, the next point has nothing to compare its own with.
        *work.loaded.last.lock().unwrap_or_else(PoisonError::into_inner) = after.as_ref().ok().cloned();
        let after = match after {
            Ok(after) => after,
            Err(error) => {
                point.lacks("proof.workload", format!("its figures could not be read after the point: {error}"));
                return point
                    .flag(Flag::NotProved, "the workload's figures could not be read after the point".to_owned());
            }
        };
        let ended = |of: &OfType| Ended { acknowledged: of.outcomes.ok, unknown: of.unknown };
        let done = Done { types: types.iter().map(ended).collect(), checksum };
        let workload = work.loaded.dialect.workload();
        let found = workload.broken(&after).into_iter().chain(workload.miscounted(before, &after, &done));
        let problems: Vec<String> = problems.iter().cloned().chain(found).collect();
        if !problems.is_empty() {
            point.status = Status::Invalid;
            point.reason = Some(problems.join("; "));
        }
    }
}

/// The figures; a server that was lost may come back by itself.
fn look(bench: &Bench<'_>, work: &WorkloadSpec<'_>) -> Result<Vec<i64>, EngineError> {
    let began = Instant::now();
    loop {
        match work.site(bench.engine).look() {
            Err(error) if error.target_lost() && began.elapsed() < PATIENCE && !bench.stop.requested() => {
                std::thread::sleep(PAUSE);
            }
            done => return done,
        }
    }
}
