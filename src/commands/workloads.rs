//! What `load`, `run` and `resume` do for workloads in addition to what they do for tests.

mod misplaced;
mod wish;

use super::opened_target::OpenedTarget;
use crate::cli::RunArgs;
use crate::error::Error;
use crate::output::shell_word;
use crate::progress::Progress;
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::{Finding, FindingLevel};
use dbdyno_model::{Drive, Plan, Ramp, Subject};
use dbdyno_report::numbers;
use dbdyno_run::{LoadedWorkload, RunRequest, StopSwitch, WorkloadLoad, WorkloadRequest, load_workload, workload_plan};
use dbdyno_workload::{DataSpec, Dialect, Settings, TargetWorkload, WORKLOADS, Workload, WorkloadData, near, workload};
use wish::other_data;

pub(super) use misplaced::refuse_misplaced;
pub(super) use wish::{DataWish, amount};

/// The arguments with those of a workload's suite, where one was named: its workload, and what was not said otherwise.
///
/// # Errors
/// It was named together with something else, or this build has no such workload.
pub(super) fn with_suite(args: &RunArgs, catalogue: &Catalogue) -> Result<RunArgs, Error> {
    let mut args = args.clone();
    let found = args.work.what.iter().find_map(|what| {
        let suite = catalogue.suites().iter().find(|suite| suite.id == *what)?;
        Some((suite, suite.workload.as_ref()?))
    });
    let Some((suite, of)) = found else { return Ok(args) };
    if args.work.what.len() > 1 {
        return Err(Error::Usage(format!("the suite {} is run by itself: leave the rest away", suite.id)));
    }
    args.work.what = vec![known(&of.name)?.name().to_owned()];
    args.work.scale.get_or_insert(of.scale);
    args.work.duration.get_or_insert(suite.duration_s as f64);
    // A search finds its users, or is told them, and repeats what decides.
    if !args.search.until_saturated && args.search.until.is_empty() {
        args.repeat.get_or_insert(suite.repeat);
        args.work.users.get_or_insert_with(|| suite.ramp.clone());
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

/// A workload on a target: its SQL there and its data.
pub(super) struct WorkloadTarget {
    pub(super) workload: &'static dyn Workload,
    pub(super) dialect: Result<Dialect, String>,
    pub(super) data: WorkloadData,
    /// The data that is there, else what was asked for, else what the workload says.
    pub(super) spec: DataSpec,
    /// Jobs that load it, where somebody has said so.
    load_jobs: Option<u32>,
}

impl WorkloadTarget {
    /// Examines a workload's data on a target.
    ///
    /// # Errors
    /// The target cannot be reached, or has other data than was asked for, or something that is not dbdyno's.
    pub(super) fn look(place: &OpenedTarget, workload: &'static dyn Workload, wish: &DataWish) -> Result<Self, Error> {
        let about = workload.about();
        if let Some(scale) = wish.scale.filter(|scale| !scale.is_multiple_of(about.scale_step)) {
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
        if let WorkloadData::Complete(held) = &data
            && !wish.is_met_by(held)
        {
            return Err(other_data(place, workload, held, wish));
        }
        // What is left of a load that was stopped is gone on with, unless something else is asked for.
        let spec = match data.spec() {
            Some(held) if wish.is_met_by(held) => held.clone(),
            _ => wish.spec(workload),
        };
        workload.fits(&spec, &wish.settings.work).map_err(Error::Usage)?;
        Ok(Self { workload, dialect, data, spec, load_jobs: wish.settings.load_jobs })
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
            "{target} holds no data of the workload {name}; load it first: `dbdyno load {name} --target {} {}`",
            shell_word(&target),
            amount(self.workload, &self.spec)
        )))
    }

    /// The plan for the user's request.
    ///
    /// # Errors
    /// Options that contradict each other.
    pub(super) fn plan(
        &self,
        args: &RunArgs,
        settings: &Settings,
        place: &OpenedTarget,
        request: &RunRequest,
    ) -> Result<Plan, Error> {
        let users = match self.workload.about().unit {
            Some(_) => Some(self.users_of_units(args, settings, place)?),
            None => args.work.users.clone(),
        };
        let of = WorkloadRequest {
            dialect: self.dialect.as_ref().map_err(String::as_str),
            workload: self.workload,
            data: &self.spec,
            users: users.as_ref(),
            mix: args.work.client.mix.as_ref(),
            settings,
            hardware_threads: dbdyno_probe::hardware_threads(),
        };
        let drive = args.work.client.drive.unwrap_or(Drive::Client);
        Ok(workload_plan(&RunRequest { drive, ..request.clone() }, of)?)
    }

    /// How many users are at work at each step, where each unit of the scale has users of its own.
    fn users_of_units(&self, args: &RunArgs, settings: &Settings, place: &OpenedTarget) -> Result<Ramp, Error> {
        let units = match &args.work.schemas {
            Some(ramp) => ramp.resolve(dbdyno_probe::hardware_threads()),
            None => vec![self.spec.scale.whole_units()],
        };
        let users: Vec<u32> = units.iter().map(|units| units.saturating_mul(settings.users_per_unit)).collect();
        let changes = self.workload.about().writes(&self.workload.types_of(None, &settings.work));
        let many = users.iter().any(|users| *users > 1);
        if many && changes && place.engine.features().single_writer {
            return Err(Error::Usage(format!(
                "{} has one writer, so updates go to one schema at a time: say --schemas 1 and THREADS_PER_SCHEMA=1, or --update-pct 0",
                place.target
            )));
        }
        Ok(Ramp::List(users))
    }

    /// Loads the workload if it is not loaded, with as many jobs as the machine has hardware threads unless a number is
    /// given. The target is locked.
    ///
    /// # Errors
    /// The engine's error; or other data is loaded, or the load is incomplete.
    pub(super) fn load(
        &self,
        place: &OpenedTarget,
        jobs: Option<u32>,
        progress: &Progress,
        stop: &StopSwitch,
    ) -> Result<WorkloadLoad, Error> {
        let dialect = self.dialect.as_ref().map_err(|why| Error::Usage(why.clone()))?;
        // What is there of this data has its space already.
        if self.data.spec() != Some(&self.spec) {
            self.refuse_too_much(place, dialect)?;
        }
        let jobs = jobs.or(self.load_jobs).unwrap_or_else(dbdyno_probe::hardware_threads);
        let loaded = load_workload(place.engine.as_ref(), dialect, &self.spec, jobs, (progress, stop));
        progress.finish();
        let loaded = loaded.map_err(|error| match stop.requested() {
            true => Error::LoadStopped("the same command goes on with the load"),
            false => place.failed("loading")(error),
        })?;
        // Another dbdyno may have loaded it since it was examined and the plan was made.
        if loaded.data != self.spec {
            let wish = DataWish { scale: Some(self.spec.scale), seed: Some(self.spec.seed), ..DataWish::default() };
            return Err(other_data(place, self.workload, &loaded.data, &wish));
        }
        if loaded.rows.is_empty() {
            self.recount(place, dialect)?;
        }
        Ok(loaded)
    }

    /// Refuses to load what the device has no room for, where it is seen.
    fn refuse_too_much(&self, place: &OpenedTarget, dialect: &Dialect) -> Result<(), Error> {
        let needed = TargetWorkload::new(place.engine.as_ref(), dialect).bytes_at_least(&self.spec);
        let needed = needed.map_err(place.failed("loading"))?;
        let free = place.engine.data_place().and_then(|place| dbdyno_probe::free_bytes(&place).ok());
        let Some(free) = free else { return Ok(()) };
        if needed <= free {
            return Ok(());
        }
        Err(Error::Usage(format!(
            "{} of {} takes {} at least, and {} are free; load less: {}",
            self.workload.name(),
            self.workload.data_words(&self.spec),
            numbers::bytes(needed),
            numbers::bytes(free),
            amount(self.workload, &self.workload.data_by_default())
        )))
    }

    /// Counts the rows of an earlier load, because added or missing rows would be measured.
    fn recount(&self, place: &OpenedTarget, dialect: &Dialect) -> Result<(), Error> {
        let wrong = TargetWorkload::new(place.engine.as_ref(), dialect).recount(&self.spec);
        let wrong = wrong.map_err(place.failed("counting the workload's rows of"))?;
        if wrong.is_empty() {
            return Ok(());
        }
        let (target, name) = (shell_word(&place.target.to_string()), self.workload.name());
        Err(Error::Usage(format!(
            "{} does not hold what dbdyno loaded: {}; load anew: `dbdyno drop --target {target}`, then `dbdyno load {name} --target {target} \
             {}`",
            place.target,
            wrong.join("; "),
            amount(self.workload, &self.spec)
        )))
    }

    /// The workload for measuring; empty where the engine has no SQL for it.
    ///
    /// # Errors
    /// As for [`WorkloadTarget::load`].
    pub(super) fn loaded(
        self,
        place: &OpenedTarget,
        most_jobs: Option<u32>,
        progress: &Progress,
        stop: &StopSwitch,
    ) -> Result<Vec<LoadedWorkload>, Error> {
        if self.dialect.is_err() {
            return Ok(Vec::new());
        }
        let by_default = dbdyno_probe::hardware_threads();
        let jobs = most_jobs.map(|most| self.load_jobs.unwrap_or(by_default).min(most));
        let WorkloadLoad { data, .. } = self.load(place, jobs, progress, stop)?;
        Ok(self.dialect.into_iter().map(|dialect| LoadedWorkload::new(dialect, data.clone())).collect())
    }
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
        let Some(held) = data.spec() else { continue };
        let held_words = format!("{} at {}, seed {}", workload.name(), workload.data_words(held), held.seed);
        let (level, message) = match data {
            _ if seed.is_some_and(|asked| asked != held.seed) => {
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
