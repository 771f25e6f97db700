//! What `run`, `resume` and `orion` share: measure points of a plan, show the run, and suggest next steps.

use super::context::Context;
use super::named_runs;
use super::new_id::new_id;
use super::opened_target::OpenedTarget;
use super::script::Script;
use super::watch::Watch;
use super::workloads::WorkloadTarget;
use crate::error::Error;
use crate::output::{self, Format, shell_word};
use crate::progress::{Progress, Verbosity};
use dbdyno_engine::{Hold, MonotonicClock, Sampling};
use dbdyno_fleet::Coordinator;
use dbdyno_model::{Plan, Run, RunId, RunJson, RunStatus, Status};
use dbdyno_probe::Pacer;
use dbdyno_report::{Reported, texts};
use dbdyno_results::Repository;
use dbdyno_run::{
    Fleet, LoadRequest, LoadTrigger, LoadedWorkload, ReportFolder, RepositoryReports, RunContext, RunError, Runner,
    StopSwitch, TestMeasurer, hold,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

/// The fact with the result of checking the tables.
pub(super) const TABLES: &str = "tables";

/// A target that is ready to be measured: its data is there, and other dbdynos are kept away.
pub(super) struct Ready<'a> {
    context: &'a Context,
    place: &'a OpenedTarget,
    stop: StopSwitch,
    progress: Progress,
    /// The lock that keeps other dbdynos away.
    hold: Arc<dyn Hold>,
    data_verified: bool,
    /// Workloads on the target that the points need.
    workloads: Vec<LoadedWorkload>,
    pub(super) sampling: Sampling,
    /// Where the reports of the server's own repository go.
    pub(super) reports: Option<ReportFolder>,
    /// What the user has called before and after the run.
    pub(super) script: Option<Script>,
    /// How it is watched.
    pub(super) watch: Watch,
    /// What holds of the server for these points alone.
    pub(super) server_settings: BTreeMap<String, String>,
    /// The hosts that do the work, where it is not this one.
    pub(super) fleet: Option<Coordinator>,
    /// The options with which a further command finds these hosts, with a blank before each.
    pub(super) fleet_options: String,
}

impl<'a> Ready<'a> {
    /// Loads what the target lacks, and locks it. The switch stops it.
    ///
    /// # Errors
    /// The data is not there and cannot be loaded, or another dbdyno is at work on the target.
    pub(super) fn make(
        place: &'a OpenedTarget,
        workload: Option<WorkloadTarget>,
        load: LoadRequest<'_>,
        (stop, most_jobs): (StopSwitch, Option<u32>),
        context: &'a Context,
    ) -> Result<Self, Error> {
        let engine = place.engine.as_ref();
        let progress = Progress::new(context.verbosity);
        let data_verified = match workload {
            Some(_) => true,
            None => {
                let on_demand = LoadTrigger::OnDemand;
                let loaded = dbdyno_run::load(engine, &context.catalogue, load, on_demand, &progress, &stop);
                progress.finish();
                loaded?.verified
            }
        };
        let hold = hold(engine, load.target, &progress, &stop)?;
        let workloads =
            workload.map_or_else(|| Ok(Vec::new()), |workload| workload.loaded(place, most_jobs, &progress, &stop))?;
        Ok(Self {
            context,
            place,
            stop,
            progress,
            hold,
            data_verified,
            workloads,
            sampling: Sampling::On,
            reports: None,
            script: None,
            watch: Watch::default(),
            server_settings: BTreeMap::new(),
            fleet: None,
            fleet_options: String::new(),
        })
    }

    /// The switch that stops it.
    pub(super) fn stop(&self) -> StopSwitch {
        self.stop.clone()
    }

    /// Calls what the user has called before the first point.
    ///
    /// # Errors
    /// It says that something is wrong.
    pub(super) fn call_before(&self) -> Result<(), Error> {
        self.script.iter().try_for_each(|script| script.before(&self.stop))
    }

    /// Checks the tables of a plan's points again. Returns the result in words, for the database's facts.
    ///
    /// # Errors
    /// A table is not as it was loaded.
    pub(super) fn inspect_tables(&self, plan: &Plan, places: &[usize]) -> Result<String, Error> {
        let OpenedTarget { engine, target, size, seed, .. } = self.place;
        let points = places.iter().filter_map(|index| plan.points.get(*index));
        let tests = points.filter_map(|point| self.context.catalogue.test(point.subject.as_str()).ok());
        let inspected = dbdyno_run::inspect(engine.as_ref(), tests, &target.to_string(), (size, *seed), &self.stop)?;
        Ok(inspected.in_words(size))
    }

    /// Measures points of a run's plan, and shows the run. `again` has the arguments with which `dbdyno run` would
    /// measure the same again, if they are known.
    ///
    /// # Errors
    /// The run ended early, or some points are not valid figures. What was measured is kept, and shown all the same
    /// with `--json`.
    pub(super) fn measure(
        mut self,
        repository: &mut Repository,
        run: &RunId,
        plan: &mut Plan,
        places: &[usize],
        again: Option<&str>,
        format: Format,
    ) -> Result<(), Error> {
        let (context, script, stop) = (self.context, self.script.take(), self.stop.clone());
        let fleet = std::mem::take(&mut self.fleet_options);
        let measured = self.measure_points(repository, run, plan, places);
        script.iter().for_each(|script| script.after("post", &stop));
        let shown = conclude((repository, run, plan), measured, (again, &fleet), format, context);
        script.iter().for_each(|script| script.after("end", &stop));
        shown
    }

    /// The target.
    pub(super) fn place(&self) -> &'a OpenedTarget {
        self.place
    }

    /// What measures its points. The workloads that it has go with it.
    pub(super) fn measurer<'r>(&'r mut self, clock: &'r MonotonicClock, seed: u64) -> TestMeasurer<'r> {
        let workloads = std::mem::take(&mut self.workloads);
        self.measurer_of(workloads, clock, seed)
    }

    fn measurer_of<'r>(
        &'r self,
        workloads: Vec<LoadedWorkload>,
        clock: &'r MonotonicClock,
        seed: u64,
    ) -> TestMeasurer<'r> {
        let engine = self.place.engine.as_ref();
        // The machine's pace is taken if the machine does the work.
        let pacer = match engine.features().local {
            true => Pacer::new(engine.server_pid()),
            false => Err("the target is on another machine, whose pace dbdyno cannot take".to_owned()),
        };
        TestMeasurer::new(RunContext {
            engine,
            hold: self.hold.as_ref(),
            catalogue: &self.context.catalogue,
            size: &self.place.size,
            seed,
            data_verified: self.data_verified,
            clock,
            stop: &self.stop,
            sampling: self.sampling,
            pacer,
            workloads,
            live: &self.watch.readings.live,
            server_settings: self.server_settings.clone(),
            fleet: self.fleet.as_ref().map(|fleet| fleet as &dyn Fleet),
        })
    }

    /// Measures points of a run's plan.
    ///
    /// # Errors
    /// The run ended early; what was measured is kept.
    pub(super) fn measure_points(
        mut self,
        repository: &mut Repository,
        run: &RunId,
        plan: &mut Plan,
        places: &[usize],
    ) -> Result<(), RunError> {
        // Agents compare their clocks with the coordinator's.
        let (context, clock) = (self.context, self.fleet.as_ref().map(Coordinator::clock).unwrap_or_default());
        let (workloads, reports) = (std::mem::take(&mut self.workloads), self.reports.take());
        let reports = reports.map(|folder| RepositoryReports::new(folder, run.clone()));
        let mut measurer = self.measurer_of(workloads, &clock, plan.seed).with_reports(reports);
        let events = self.watch.listeners(&self.progress);
        let mut runner = Runner {
            measurer: &mut measurer,
            catalogue: &context.catalogue,
            repository: &mut *repository,
            run,
            plan,
            stop: &self.stop,
            events: &events,
            readings: &self.watch.readings,
        };
        let engine = self.place.engine.as_ref();
        let measured = self.watch.beside(engine, &events, &self.stop, || runner.measure_all(places));
        self.progress.finish();
        self.watch.close();
        // Those that came after the last point. Without them the run is whole all the same.
        if let Err(error) = repository.store_readings(run, &self.watch.readings.keeper) {
            output::complain(&format!("the last readings of the run are not kept: {error}"));
        }
        measured
    }
}

/// Shows a run whose points were measured. A further command has the arguments `again` to measure the same, and the
/// options of its `fleet`.
///
/// # Errors
/// As for [`Ready::measure`].
pub(super) fn conclude(
    (repository, run, plan): (&Repository, &RunId, &Plan),
    measured: Result<(), RunError>,
    (again, fleet): (Option<&str>, &str),
    format: Format,
    context: &Context,
) -> Result<(), Error> {
    if let Err(RunError::Results(error)) = measured {
        return Err(Error::Recording(error));
    }
    let run = named_runs::load(repository, run, context)?;
    let line = status_line(&run, plan, context);
    let page = || page((&run, plan), &line, (again, fleet), context);
    show_ended((&run, plan), measured, (&line, fleet), page, format, context)
}

fn page((run, plan): (&RunJson, &Plan), line: &str, options: (Option<&str>, &str), context: &Context) -> String {
    let reported = Reported::of(run.clone());
    let reports: &[&str] =
        if run.searches.is_empty() { &["bps8.0", "summary"] } else { &["bps8.0", "summary", "searches"] };
    let mut page = texts(reports, &reported, &context.catalogue, output::width());
    _ = write!(page, "\n{line}\n\n{}", next(run, plan, options, context));
    page
}

/// A run that begins now.
///
/// # Errors
/// The system gives no random bits.
pub(super) fn new_run(label: Option<&String>, plan: &Plan, target: String) -> Result<Run, Error> {
    Ok(Run {
        id: new_id()?,
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

/// The points that ended so, without those at which a search went too far on purpose.
fn unanswered(run: &RunJson, status: Status) -> usize {
    run.points.iter().filter(|p| p.status == status && !run.is_beyond_an_answer(p)).count()
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
/// people see the line alone. A command that goes on with it has the options of its `fleet`.
///
/// # Errors
/// The run ended early, or some points are not valid figures.
pub(super) fn show_ended(
    (run, plan): (&RunJson, &Plan),
    measured: Result<(), RunError>,
    (line, fleet): (&str, &str),
    page: impl FnOnce() -> String,
    format: Format,
    context: &Context,
) -> Result<(), Error> {
    if format == Format::Json || measured.is_ok() {
        format.show(run, page)?;
    } else if context.verbosity == Verbosity::Normal {
        output::note(line);
    }
    let id = &run.run.id;
    let place = &context.same_files;
    if let Err(source) = measured {
        let next = match &source {
            _ if run.is_of_storage() => format!("`dbdyno show {id}{place}` shows it"),
            RunError::HostLost(_) | RunError::Lost(_) => {
                format!("`dbdyno resume {id}{fleet}{place}` goes on when it is back")
            }
            _ => format!("`dbdyno resume {id}{fleet}{place}` goes on"),
        };
        return Err(Error::Run { source: Box::new(source), next });
    }
    let (failed, invalid) = (unanswered(run, Status::Failed), unanswered(run, Status::Invalid));
    if failed + invalid == 0 {
        // The page of a run ends with all that can be done.
        if format == Format::Json {
            context.say_next(&format!("dbdyno report {id}"), "makes a page of it for a browser");
        }
        return Ok(());
    }
    let mut next = format!("`dbdyno show {id}{place}` gives the reasons");
    if !run.is_of_storage() {
        _ = write!(next, ", `dbdyno resume {id}{fleet}{place}` measures the failed ones again");
    }
    Err(Error::Points { run: id.clone(), next, planned: plan.points.len(), failed, invalid })
}

/// Repeats from which figures have an interval.
const REPEATS_FOR_INTERVALS: u32 = 3;

/// Next steps for the reader: a command each, and its use.
fn next(run: &RunJson, plan: &Plan, (again, fleet): (Option<&str>, &str), context: &Context) -> String {
    let id = &run.run.id;
    let place = &context.same_files;
    let mut steps = vec![
        (
            format!("dbdyno show {id}{place}"),
            "this again; --table cells has medians and intervals, --table platform what they depend on",
        ),
        (format!("dbdyno report {id}{place}"), "the same as a page for a browser, to be sent and printed"),
    ];
    if run.points.iter().any(|p| p.status == Status::Failed) {
        steps.push((format!("dbdyno resume {id}{fleet}{place}"), "measures what failed once more"));
    }
    if let Some(again) = again {
        let target = shell_word(&run.run.target);
        // A workload's scale is among the arguments that can be repeated.
        let size = if run.run.is_of_workload() { String::new() } else { format!(" --size {}", run.run.size) };
        // A search repeats what decides.
        let repeats = plan.points.iter().map(|p| p.repeat).max().unwrap_or(0);
        if repeats < REPEATS_FOR_INTERVALS && plan.searches.is_empty() {
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
