//! What `load`, `run` and `resume` do for workloads in addition to what they do for tests.

use super::opened_target::OpenedTarget;
use crate::cli::RunArgs;
use crate::error::Error;
use crate::output::shell_word;
use crate::progress::Progress;
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::{Finding, FindingLevel};
use dbdyno_model::{Drive, Plan, Scale, Subject};
use dbdyno_run::{
    LoadRequest, LoadedWorkload, RunRequest, StopSwitch, WorkloadLoad, WorkloadRequest, load_workload, workload_plan,
};
use dbdyno_workload::{Dialect, TargetWorkload, WORKLOADS, Workload, WorkloadData, near, workload};

/// The arguments with those of a workload's suite, where one was named: its workload, and what was not said otherwise.
///
/// # Errors
/// It was named together with something else, or this build has no such workload.
pub(super) fn with_suite(args: &RunArgs, catalogue: &Catalogue) -> Result<RunArgs, Error> {
    let mut args = args.clone();
    let found = args.what.iter().find_map(|what| {
        let suite = catalogue.suites().iter().find(|suite| suite.id == *what)?;
        Some((suite, suite.workload.as_ref()?))
    });
    let Some((suite, of)) = found else { return Ok(args) };
    if args.what.len() > 1 {
        return Err(Error::Usage(format!("the suite {} is run by itself: leave the rest away", suite.id)));
    }
    args.what = vec![known(&of.name)?.name().to_owned()];
    args.scale.get_or_insert(of.scale);
    args.duration.get_or_insert(suite.duration_s as f64);
    // A search finds its users, or is told them, and repeats what decides.
    if !args.search.until_saturated && args.search.until.is_empty() {
        args.repeat.get_or_insert(suite.repeat);
        args.users.get_or_insert_with(|| suite.ramp.clone());
    }
    Ok(args)
}

/// The workload that was named in place of tests, if one was.
///
/// # Errors
/// It was named together with tests.
pub(super) fn named(what: &[String], catalogue: &Catalogue) -> Result<Option<&'static dyn Workload>, Error> {
    let refused = |problem: String| Err(Error::Usage(problem));
    match (what.iter().find_map(|name| workload(name)), what) {
        (Some(found), [_]) => Ok(Some(found)),
        (Some(found), _) => refused(format!("the workload {} is run by itself: leave the rest away", found.name())),
        (None, [only]) if catalogue.select(only).is_err() && catalogue.suite(only).is_err() => near(only)
            .map_or(Ok(None), |near| {
                refused(format!("there is no test, suite or workload '{only}' (did you mean '{near}'?)"))
            }),
        (None, _) => Ok(None),
    }
}

/// A workload by its name.
///
/// # Errors
/// There is none with this name; the error has the nearest.
pub(super) fn known(name: &str) -> Result<&'static dyn Workload, Error> {
    workload(name).ok_or_else(|| {
        let hint = near(name).map(|near| format!(" (did you mean '{near}'?)")).unwrap_or_default();
        Error::Usage(format!("there is no workload '{name}'{hint}; `dbdyno list workloads` shows what there is"))
    })
}

/// Refuses options of tests for a workload, and options of workloads for tests.
///
/// # Errors
/// Such an option was given.
pub(super) fn refuse_misplaced(args: &RunArgs, workload: Option<&'static dyn Workload>) -> Result<(), Error> {
    let of_tests =
        [("--ramp", args.ramp.is_some()), ("--jobs", args.jobs.is_some()), ("--threads", args.threads.is_some())];
    let of_workloads = [
        ("--users", args.users.is_some(), "tests take --ramp 1,2,4 or --jobs N"),
        ("--scale", args.scale.is_some(), "tests take --size"),
        ("--mix", args.client.mix.is_some(), "a test has one type of transaction"),
        ("--pause", args.client.pause.is_some(), "tests take --think, which pauses between transactions"),
        ("--logon", args.client.logon.is_some(), "the sessions of tests are kept"),
    ];
    let problem = match workload {
        Some(of) => of_tests.iter().find(|(_, given)| *given).map(|(option, _)| {
            format!(
                "{option} is for tests; how many are at work on the workload {} at once is said by --users, as in --users 1,2,4",
                of.name()
            )
        }),
        None => of_workloads.iter().find(|(_, given, _)| *given).map(|(option, _, instead)| {
            format!("{option} is for workloads; {instead}")
        }),
    };
    problem.map_or(Ok(()), |problem| Err(Error::Usage(problem)))
}

/// A workload on a target: its SQL there and its data.
pub(super) struct WorkloadTarget {
    pub(super) workload: &'static dyn Workload,
    pub(super) dialect: Result<Dialect, String>,
    pub(super) data: WorkloadData,
    /// The scale of its data, else the requested one, else what the workload says.
    pub(super) scale: Scale,
    /// The seed of its data, else the requested one, else the default.
    pub(super) seed: u64,
}

impl WorkloadTarget {
    /// Examines a workload's data on a target.
    ///
    /// # Errors
    /// The target cannot be reached, or has another scale or seed, or something that is not dbdyno's.
    pub(super) fn look(
        place: &OpenedTarget,
        workload: &'static dyn Workload,
        scale: Option<Scale>,
        seed: Option<u64>,
    ) -> Result<Self, Error> {
        let about = workload.about();
        if let Some(scale) = scale.filter(|scale| !scale.is_multiple_of(about.scale_step)) {
            let (name, step) = (about.name, about.scale_step);
            return Err(Error::Usage(format!("{name} has no scale {scale}: it takes a multiple of {step}")));
        }
        place.refuse_foreign()?;
        let dialect = Dialect::of(workload, place.info);
        let data = match &dialect {
            Ok(dialect) => {
                TargetWorkload::new(place.engine.as_ref(), dialect).data().map_err(place.failed("looking into"))?
            }
            Err(_) => WorkloadData::Nothing,
        };
        if let WorkloadData::Complete { scale: found, seed: found_seed } = data {
            let asked = (scale.unwrap_or(found), seed.unwrap_or(found_seed));
            if asked != (found, found_seed) {
                return Err(other_data(place, workload, (found, found_seed), asked));
            }
        }
        // What is left of a load that was stopped is gone on with, unless something else is asked for.
        let left = data.scale().zip(data.seed()).filter(|(left_scale, left_seed)| {
            scale.is_none_or(|asked| asked == *left_scale) && seed.is_none_or(|asked| asked == *left_seed)
        });
        let scale = scale.or(left.map(|(scale, _)| scale)).unwrap_or(about.scale_by_default);
        let seed = seed.or(left.map(|(_, seed)| seed)).unwrap_or(LoadRequest::DEFAULT_SEED);
        Ok(Self { workload, dialect, data, scale, seed })
    }

    /// Refuses to measure a workload that is not loaded, where dbdyno does not load without being asked.
    ///
    /// # Errors
    /// It is not loaded.
    pub(super) fn refuse_missing(&self, place: &OpenedTarget) -> Result<(), Error> {
        let there = self.dialect.is_err() || matches!(self.data, WorkloadData::Complete { .. });
        if there || place.engine.features().loads_on_demand {
            return Ok(());
        }
        let (name, target) = (self.workload.name(), place.target.to_string());
        Err(Error::Usage(format!(
            "{target} holds no data of the workload {name}; load it first: `dbdyno load {name} --target {} --scale {}`",
            shell_word(&target),
            self.scale
        )))
    }

    /// The plan for the user's request.
    ///
    /// # Errors
    /// Options that contradict each other.
    pub(super) fn plan(&self, args: &RunArgs, request: &RunRequest) -> Result<Plan, Error> {
        let of = WorkloadRequest {
            dialect: self.dialect.as_ref().map_err(String::as_str),
            workload: self.workload,
            scale: self.scale,
            users: args.users.as_ref(),
            mix: args.client.mix.as_ref(),
            hardware_threads: dbdyno_probe::hardware_threads(),
            seed: self.seed,
        };
        let drive = args.client.drive.unwrap_or(Drive::Client);
        Ok(workload_plan(&RunRequest { drive, ..request.clone() }, of)?)
    }

    /// Loads the workload if it is not loaded, with as many jobs as the machine has hardware threads unless a number is
    /// given. The target is locked.
    ///
    /// # Errors
    /// The engine's error; or another scale or seed is loaded, or the load is incomplete.
    pub(super) fn load(
        &self,
        place: &OpenedTarget,
        jobs: Option<u32>,
        progress: &Progress,
        stop: &StopSwitch,
    ) -> Result<WorkloadLoad, Error> {
        let dialect = self.dialect.as_ref().map_err(|why| Error::Usage(why.clone()))?;
        let jobs = jobs.unwrap_or_else(dbdyno_probe::hardware_threads);
        let loaded = load_workload(place.engine.as_ref(), dialect, (self.scale, self.seed), jobs, (progress, stop));
        progress.finish();
        let loaded = loaded.map_err(|error| match stop.requested() {
            true => Error::LoadStopped("the same command goes on with the load"),
            false => place.failed("loading")(error),
        })?;
        // Another dbdyno may have loaded it since it was examined and the plan was made.
        let (found, asked) = ((loaded.scale, loaded.seed), (self.scale, self.seed));
        if found != asked {
            return Err(other_data(place, self.workload, found, asked));
        }
        if loaded.rows.is_empty() {
            self.recount(place, dialect)?;
        }
        Ok(loaded)
    }

    /// Counts the rows of an earlier load, because added or missing rows would be measured.
    fn recount(&self, place: &OpenedTarget, dialect: &Dialect) -> Result<(), Error> {
        let wrong = TargetWorkload::new(place.engine.as_ref(), dialect).recount(self.scale);
        let wrong = wrong.map_err(place.failed("counting the workload's rows of"))?;
        if wrong.is_empty() {
            return Ok(());
        }
        let (target, name, scale) = (shell_word(&place.target.to_string()), self.workload.name(), self.scale);
        Err(Error::Usage(format!(
            "{} does not hold what dbdyno loaded: {}; load anew: `dbdyno drop --target {target}`, then `dbdyno load {name} --target {target} \
             --scale {scale}`",
            place.target,
            wrong.join("; ")
        )))
    }

    /// The workload for measuring; empty where the engine has no SQL for it.
    ///
    /// # Errors
    /// As for [`WorkloadTarget::load`].
    pub(super) fn loaded(
        self,
        place: &OpenedTarget,
        progress: &Progress,
        stop: &StopSwitch,
    ) -> Result<Vec<LoadedWorkload>, Error> {
        if self.dialect.is_err() {
            return Ok(Vec::new());
        }
        let WorkloadLoad { scale, seed, .. } = self.load(place, None, progress, stop)?;
        Ok(self.dialect.into_iter().map(|dialect| LoadedWorkload::new(dialect, scale, seed)).collect())
    }
}

/// The error for a target with another scale or seed than requested.
fn other_data(place: &OpenedTarget, workload: &dyn Workload, found: (Scale, u64), asked: (Scale, u64)) -> Error {
    let words = |of: (Scale, u64)| match found.1 == asked.1 {
        true => format!("scale {}", of.0),
        false => format!("scale {}, seed {}", of.0, of.1),
    };
    let options = match (found.0 == asked.0, found.1 == asked.1) {
        (false, true) => format!("--scale {}", found.0),
        (true, _) => format!("--seed {}", found.1),
        (false, false) => format!("--scale {} --seed {}", found.0, found.1),
    };
    Error::Usage(format!(
        "{} holds {} at {}, and {} was asked for; say {options}, or run `dbdyno drop --target {}` first",
        place.target,
        workload.name(),
        words(found),
        words(asked),
        shell_word(&place.target.to_string())
    ))
}

/// What `dbdyno check` finds of workloads' data, which need not be that of a seed that was asked for.
///
/// # Errors
/// The engine's error.
pub(super) fn findings(place: &OpenedTarget, seed: Option<u64>) -> Result<Vec<Finding>, Error> {
    let mut findings = Vec::new();
    for workload in WORKLOADS {
        let Ok(dialect) = Dialect::of(workload, place.info) else { continue };
        let data = TargetWorkload::new(place.engine.as_ref(), &dialect).data().map_err(place.failed("looking into"))?;
        let Some((scale, held)) = data.scale().zip(data.seed()) else { continue };
        let held_words = format!("{} at scale {scale}, seed {held}", workload.name());
        let (level, message) = match data {
            _ if seed.is_some_and(|asked| asked != held) => {
                let advice = "not the seed that was asked for: a run of it with that seed would be refused";
                (FindingLevel::Warning, format!("{held_words}: {advice}"))
            }
            WorkloadData::Complete { .. } => (FindingLevel::Ok, held_words),
            _ => (
                FindingLevel::Warning,
                format!("{held_words}: its load is unfinished; the same command goes on with it"),
            ),
        };
        findings.push(Finding { level, subject: "workload".to_owned(), message });
    }
    Ok(findings)
}

/// The workload of a plan, if it is a workload's plan.
pub(super) fn of_plan(plan: &Plan) -> Option<&'static dyn Workload> {
    plan.points.iter().find_map(|point| match &point.subject {
        Subject::Workload(name) => workload(name.as_str()),
        Subject::Test(_) | Subject::Storage(_) => None,
    })
}
