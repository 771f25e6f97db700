//! What `run` and `resume` share: measure points of a plan, show the run, and suggest next steps.

use super::context::Context;
use super::named_runs;
use super::opened_target::OpenedTarget;
use crate::error::Error;
use crate::output::{self, Format, shell_word};
use crate::progress::{Progress, Verbosity};
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::{Hold, MonotonicClock, Sampling};
use dbdyno_model::{Plan, Run, RunId, RunJson, RunStatus, Status};
use dbdyno_probe::Pacer;
use dbdyno_report::{summary, tables};
use dbdyno_results::Repository;
use dbdyno_run::{
    LoadRequest, LoadTrigger, LoadedWorkload, RunContext, RunError, Runner, StopSwitch, TestMeasurer, load,
};
use std::fmt::Write as _;

/// The fact with the result of checking the tables.
pub(super) const TABLES: &str = "tables";

/// Loads what the target lacks. Returns whether the data is verified.
///
/// # Errors
/// The data is not there and cannot be loaded.
pub(super) fn ensure_data(
    place: &OpenedTarget,
    request: LoadRequest<'_>,
    catalogue: &Catalogue,
    progress: &Progress,
    stop: &StopSwitch,
) -> Result<bool, Error> {
    let loaded = load(place.engine.as_ref(), catalogue, request, LoadTrigger::OnDemand, progress, stop);
    progress.finish();
    Ok(loaded?.verified)
}

/// Checks the tables of a plan's points again, and stores the result in the database's facts.
///
/// # Errors
/// A table is not as it was loaded.
pub(super) fn inspect_tables(
    place: &OpenedTarget,
    plan: &Plan,
    places: &[usize],
    catalogue: &Catalogue,
    stop: &StopSwitch,
) -> Result<String, Error> {
    let points = places.iter().filter_map(|index| plan.points.get(*index));
    let tests = points.filter_map(|point| catalogue.test(point.subject.as_str()).ok());
    let data = (&place.size, place.seed);
    let inspected = dbdyno_run::inspect(place.engine.as_ref(), tests, &place.target.to_string(), data, stop)?;
    Ok(inspected.in_words(&place.size))
}

/// Points of a run that will be measured now.
pub(super) struct Measuring<'a> {
    pub(super) context: &'a Context,
    pub(super) place: &'a OpenedTarget,
    /// The lock that keeps other dbdynos away.
    pub(super) hold: &'a dyn Hold,
    pub(super) repository: &'a mut Repository,
    pub(super) run: &'a RunId,
    pub(super) plan: &'a Plan,
    pub(super) places: &'a [usize],
    pub(super) data_verified: bool,
    pub(super) progress: &'a Progress,
    pub(super) stop: &'a StopSwitch,
    pub(super) sampling: Sampling,
    pub(super) format: Format,
    /// Arguments with which `dbdyno run` would measure the same again, if they are known.
    pub(super) again: Option<&'a str>,
    /// Workloads on the target that the points need.
    pub(super) workloads: Vec<LoadedWorkload>,
}

impl Measuring<'_> {
    /// Measures the points and shows the run.
    ///
    /// # Errors
    /// The run ended early, or some points are not valid figures. What was measured is kept, and shown all the same
    /// with `--json`.
    pub(super) fn measure(mut self) -> Result<(), Error> {
        let workloads = std::mem::take(&mut self.workloads);
        let clock = MonotonicClock::default();
        let mut measurer = TestMeasurer::new(RunContext {
            engine: self.place.engine.as_ref(),
            hold: self.hold,
            catalogue: &self.context.catalogue,
            size: &self.place.size,
            seed: self.plan.seed,
            data_verified: self.data_verified,
            clock: &clock,
            stop: self.stop,
            sampling: self.sampling,
            pacer: self.pacer(),
            workloads,
        });
        let mut runner = Runner {
            measurer: &mut measurer,
            catalogue: &self.context.catalogue,
            repository: &mut *self.repository,
            run: self.run,
            plan: self.plan,
            stop: self.stop,
            events: self.progress,
        };
        let measured = runner.measure_all(self.places);
        self.progress.finish();
        if let Err(RunError::Results(error)) = measured {
            return Err(Error::Recording(error));
        }
        let mut run = self.repository.load(self.run)?;
        run.storage_reference = named_runs::storage_reference(self.repository, &run)?;
        let line = status_line(&run, self.plan, self.context);
        let page = || self.page(&run, &line);
        show_ended(&run, self.plan, measured, &line, page, self.format, self.context)
    }

    /// Takes the machine's pace, if the machine does the work.
    fn pacer(&self) -> Result<Pacer, String> {
        let engine = self.place.engine.as_ref();
        match engine.features().local {
            true => Pacer::new(engine.server_pid()),
            false => Err("the target is on another machine, whose pace dbdyno cannot take".to_owned()),
        }
    }

    fn page(&self, run: &RunJson, line: &str) -> String {
        let width = output::width();
        let catalogue = &self.context.catalogue;
        let mut page = tables::bps80(run, catalogue, width);
        _ = write!(page, "\n{}", summary::page(run, catalogue, width));
        _ = write!(page, "\n{line}\n\n{}", next(run, self.plan, self.again, self.context));
        page
    }
}

/// A run that begins now.
///
/// # Errors
/// The system gives no random bits.
pub(super) fn new_run(label: Option<&String>, plan: &Plan, target: String) -> Result<Run, Error> {
    let bits = getrandom::u64().map_err(|e| Error::Internal(format!("the system gives no random bits: {e}")))?;
    Ok(Run {
        id: RunId::from_random(bits),
        label: label.cloned(),
        suite: plan.suite.clone(),
        size: plan.size.clone(),
        seed: plan.seed,
        started_at: jiff::Timestamp::now(),
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        target,
        status: RunStatus::Running,
    })
}

fn count(run: &RunJson, status: Status) -> usize {
    run.points.iter().filter(|p| p.status == status).count()
}

/// How the points of a run ended, and where they are kept.
pub(super) fn status_line(run: &RunJson, plan: &Plan, context: &Context) -> String {
    let (data, unsupported) = match run.is_of_storage() {
        true => (String::new(), String::new()),
        false => {
            let unsupported = count(run, Status::Unsupported);
            (format!(", {}", run.run.data_words()), format!(", {unsupported} unsupported"))
        }
    };
    let missing = match plan.points.len().saturating_sub(run.points.len()) {
        0 => String::new(),
        n => format!(", {n} not measured"),
    };
    format!(
        "Run {} ({}{data}) of {} points: {} ok, {} failed, {} invalid{unsupported}{missing}; kept in {}",
        run.run.id,
        run.run.suite,
        plan.points.len(),
        count(run, Status::Ok),
        count(run, Status::Failed),
        count(run, Status::Invalid),
        context.results.display()
    )
}

/// Shows a run that has been measured, as JSON or as its page, and returns how it ended. Of a run that ended early,
/// people see the line alone.
///
/// # Errors
/// The run ended early, or some points are not valid figures.
pub(super) fn show_ended(
    run: &RunJson,
    plan: &Plan,
    measured: Result<(), RunError>,
    line: &str,
    page: impl FnOnce() -> String,
    format: Format,
    context: &Context,
) -> Result<(), Error> {
    if format == Format::Json || measured.is_ok() {
        format.show(run, page)?;
    } else if context.verbosity == Verbosity::Normal {
        output::note(line);
    }
    let (id, place) = (&run.run.id, &context.same_files);
    if let Err(source) = measured {
        let next = match &source {
            _ if run.is_of_storage() => format!("`dbdyno show {id}{place}` shows it"),
            RunError::Lost(_) => format!("`dbdyno resume {id}{place}` goes on when it is back"),
            _ => format!("`dbdyno resume {id}{place}` goes on"),
        };
        return Err(Error::Run { source: Box::new(source), next });
    }
    let (failed, invalid) = (count(run, Status::Failed), count(run, Status::Invalid));
    if failed + invalid == 0 {
        return Ok(());
    }
    let mut next = format!("`dbdyno show {id}{place}` gives the reasons");
    if !run.is_of_storage() {
        _ = write!(next, ", `dbdyno resume {id}{place}` measures the failed ones again");
    }
    Err(Error::Points { run: id.clone(), next, planned: plan.points.len(), failed, invalid })
}

/// Repeats from which figures have an interval.
const REPEATS_FOR_INTERVALS: u32 = 3;

/// Next steps for the reader: a command each, and its use.
fn next(run: &RunJson, plan: &Plan, again: Option<&str>, context: &Context) -> String {
    let id = &run.run.id;
    let place = &context.same_files;
    let mut steps = vec![(
        format!("dbdyno show {id}{place}"),
        "this again; --table cells has medians and intervals, --table platform what they depend on",
    )];
    if run.points.iter().any(|p| p.status == Status::Failed) {
        steps.push((format!("dbdyno resume {id}{place}"), "measures what failed once more"));
    }
    if let Some(again) = again {
        let target = shell_word(&run.run.target);
        // A workload's scale is among the arguments that can be repeated.
        let size = if run.run.is_of_workload() { String::new() } else { format!(" --size {}", run.run.size) };
        if plan.points.iter().map(|p| p.repeat).max().unwrap_or(0) < REPEATS_FOR_INTERVALS {
            let command = format!("dbdyno run {again} --target {target} --repeat {REPEATS_FOR_INTERVALS}{place}");
            steps.push((command, "the same with 95 % intervals, which tell noise from difference"));
        }
        let command = format!("dbdyno run {again} --target URL{size} --label NAME{place}");
        steps.push((command, "the same on another platform, to lay the two side by side"));
    }
    let mut text = "What next:\n".to_owned();
    for (command, why) in steps {
        _ = writeln!(text, "  {command}\n      {why}");
    }
    text
}
