//! `dbdyno list`. Each kind is a list of items: the items as JSON for programs, a row each for people.

use super::context::Context;
use crate::cli::{ListArgs, Listed};
use crate::error::Error;
use crate::output::{self, Format};
use clap::ValueEnum;
use dbdyno::ENGINES;
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::EngineInfo;
use dbdyno_model::{Drive, Experiment, Layer, Mapping, Metric, RunId, RunJson, RunStatus, Size, Suite, Test};
use dbdyno_report::{lists, numbers};
use dbdyno_results::{FileAccess, Repository, RunSummary};
use serde::Serialize;
use std::fmt::Display;

pub(super) fn list(args: &ListArgs, context: &Context) -> Result<(), Error> {
    if args.engine.is_some() && args.what != Some(Listed::Tests) {
        return Err(Error::Usage("--engine goes with `dbdyno list tests` only; leave it away".to_owned()));
    }
    let format = args.shown.format();
    let Context { catalogue, .. } = context;
    let Some(what) = args.what else { return kinds(context, format) };
    let listed = match what {
        Listed::Tests => {
            tests(catalogue.tests(), args.engine.as_deref().map(|name| ENGINES.engine(name)).transpose()?, format)
        }
        Listed::Suites => suites(catalogue.suites(), format),
        Listed::Workloads => workloads(format),
        Listed::Sizes => sizes(catalogue.sizes(), format),
        Listed::Engines => known_engines(format),
        Listed::Metrics => metrics(catalogue.metrics(), format),
        Listed::Platforms => platforms(catalogue, format),
        Listed::Runs => {
            let repository = Repository::open(&context.results, FileAccess::ReadOnly)?;
            let kept = repository.experiments()?.len();
            runs(&repository.list_runs()?, format).map(|()| {
                if kept > 0 {
                    context
                        .say(&format!("and {kept} that are no runs: `dbdyno list experiments{}`", context.same_files));
                }
            })
        }
        Listed::Experiments => {
            experiments(&Repository::open(&context.results, FileAccess::ReadOnly)?.experiments()?, format)
        }
    };
    let (command, purpose) = next(what);
    listed.map(|()| context.suggest_next(command, purpose))
}

/// What one does with what was listed.
fn next(what: Listed) -> (&'static str, &'static str) {
    match what {
        Listed::Tests => ("dbdyno run TEST", "measures it"),
        Listed::Suites => ("dbdyno run SUITE", "measures it"),
        Listed::Workloads => ("dbdyno run WORKLOAD", "measures it"),
        Listed::Sizes => ("dbdyno load --size SIZE", "makes tables of this size"),
        Listed::Engines => ("dbdyno run --target URL", "measures the suite quick there"),
        Listed::Metrics => ("dbdyno verdict RUN --requirements FILE", "judges a run by them"),
        Listed::Platforms => ("dbdyno show PLATFORM", "shows one; `dbdyno compare` puts several side by side"),
        Listed::Runs => ("dbdyno show RUN", "shows one"),
        Listed::Experiments => ("dbdyno show ID", "shows one"),
    }
}

/// What can be listed.
#[derive(Serialize)]
struct KindItem {
    what: String,
    title: String,
    /// The command that lists it.
    command: String,
}

fn kinds(context: &Context, format: Format) -> Result<(), Error> {
    let item = |kind: &Listed| {
        let word = kind.to_possible_value()?;
        let title = word.get_help().map(ToString::to_string).unwrap_or_default();
        let command = format!("dbdyno list {}{}", word.get_name(), context.same_files);
        Some(KindItem { what: word.get_name().to_owned(), title, command })
    };
    let items: Vec<KindItem> = Listed::value_variants().iter().filter_map(item).collect();
    show(&items, &["what", "command", "title"], |item| cells(&[&item.what, &item.command, &item.title]), format)
}

/// Prints the items, as JSON or as rows below these headers.
fn show<T: Serialize>(
    items: &[T],
    headers: &[&str],
    row: impl Fn(&T) -> Vec<String>,
    format: Format,
) -> Result<(), Error> {
    let rows = || items.iter().map(row).collect::<Vec<_>>();
    format.show(&items, || lists::table(headers, &rows(), output::width()))
}

/// A row of these values.
fn cells(values: &[&dyn Display]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}

#[derive(Serialize)]
struct TestItem<'a> {
    code: &'a str,
    class: String,
    title: &'a str,
    layer: Layer,
    drive: Drive,
    /// Whether a client can send its work statement by statement: `--drive client`. If an engine is named, on that
    /// engine.
    client_form: bool,
    /// The first key metric, the one of cells.
    metric: Option<&'a str>,
    /// How the engine realises the test; absent where no engine was named.
    mapping: Option<&'static str>,
    note: Option<String>,
}

fn tests(tests: &[Test], engine: Option<&EngineInfo>, format: Format) -> Result<(), Error> {
    let items: Vec<TestItem<'_>> = tests.iter().map(|test| TestItem::of(test, engine)).collect();
    let row = |item: &TestItem<'_>| {
        let mut row = cells(&[&item.code, &item.layer.name(), &item.drives(), &item.metric.unwrap_or_default()]);
        row.extend(item.mapping.map(str::to_owned));
        row.push(item.note.as_ref().map_or_else(|| item.title.to_owned(), |n| format!("{} ({n})", item.title)));
        row
    };
    let headers: &[&str] = match engine {
        Some(_) => &["code", "layer", "drives", "metric", "mapping", "title (note)"],
        None => &["code", "layer", "drives", "metric", "title (note)"],
    };
    show(&items, headers, row, format)
}

impl<'a> TestItem<'a> {
    fn of(test: &'a Test, engine: Option<&EngineInfo>) -> Self {
        let mapping = engine.map(|e| (e.mapping)(test));
        let notes = mapping.as_ref().and_then(|m| m.note()).into_iter().chain(test.note.as_deref());
        let note = notes.collect::<Vec<_>>().join("; ");
        Self {
            code: test.code.as_str(),
            class: test.code.class(),
            title: &test.title,
            layer: test.layer,
            drive: Drive::Server,
            client_form: test.procedure.has_client_form() && !matches!(mapping, Some(Mapping::None { .. })),
            metric: test.metrics.first().map(|m| m.as_str()),
            mapping: mapping.as_ref().map(|m| m.kind()),
            note: (!note.is_empty()).then_some(note),
        }
    }

    /// The drives that can run it, the default first.
    fn drives(&self) -> String {
        let client = if self.client_form { Some(Drive::Client.name()) } else { None };
        [self.drive.name()].into_iter().chain(client).collect::<Vec<_>>().join(", ")
    }
}

#[derive(Serialize)]
struct SuiteItem<'a> {
    id: &'a str,
    title: &'a str,
    tests: Vec<&'a str>,
    /// The workload that is run in place of tests.
    #[serde(skip_serializing_if = "Option::is_none")]
    workload: Option<&'a str>,
    ramp: String,
    duration_s: u64,
    repeat: u32,
}

#[derive(Serialize)]
struct WorkloadItem {
    name: &'static str,
    title: &'static str,
    /// What one unit of its scale is.
    scale: &'static str,
    /// Types of its transactions.
    types: Vec<String>,
    /// Their codes and weights, where it has several.
    mix: String,
    /// Engines with SQL for it.
    engines: Vec<&'static str>,
}

fn workloads(format: Format) -> Result<(), Error> {
    let item = |workload: &&'static dyn dbdyno_workload::Workload| WorkloadItem {
        name: workload.name(),
        title: workload.about().title,
        scale: workload.about().scale_words,
        types: workload.types().into_iter().map(|of| of.name).collect(),
        mix: own_mix(*workload),
        engines: ENGINES.all().iter().filter(|e| (e.workload_sql)(workload.name()).is_some()).map(|e| e.name).collect(),
    };
    let items: Vec<WorkloadItem> = dbdyno_workload::WORKLOADS.iter().map(item).collect();
    let row = |item: &WorkloadItem| {
        cells(&[&item.name, &item.types.join(", "), &item.mix, &item.scale, &item.engines.join(" "), &item.title])
    };
    show(&items, &["name", "transactions", "mix", "scale 1 is", "engines", "title"], row, format)
}

/// The weights of a workload's types, as `--mix` takes them.
fn own_mix(workload: &dyn dbdyno_workload::Workload) -> String {
    let weights = workload.codes().iter().zip(workload.types());
    weights.map(|(code, of)| format!("{code}={}", of.weight)).collect::<Vec<_>>().join(",")
}

fn suites(suites: &[Suite], format: Format) -> Result<(), Error> {
    let items: Vec<SuiteItem<'_>> = suites.iter().map(suite_item).collect();
    let row = |item: &SuiteItem<'_>| {
        let duration = format!("{}s", item.duration_s);
        let tests = item.workload.map_or_else(|| item.tests.len().to_string(), str::to_owned);
        cells(&[&item.id, &tests, &item.ramp, &duration, &item.repeat, &item.title])
    };
    show(&items, &["id", "tests", "ramp", "duration", "repeat", "title"], row, format)
}

fn suite_item(suite: &Suite) -> SuiteItem<'_> {
    let Suite { id, title, duration_s, repeat, ramp, workload, steps } = suite;
    let workload = workload.as_ref().map(|workload| workload.name.as_str());
    let tests = steps.iter().flat_map(|s| &s.tests).map(|t| t.as_str()).collect();
    SuiteItem { id, title, tests, workload, ramp: ramp.to_string(), duration_s: *duration_s, repeat: *repeat }
}

#[derive(Serialize)]
struct SizeItem<'a> {
    id: &'a str,
    title: &'a str,
    small_rows: u64,
    large_rows: u64,
    engine_cache_bytes: u64,
}

fn sizes(sizes: &[Size], format: Format) -> Result<(), Error> {
    let items: Vec<SizeItem<'_>> = sizes.iter().map(size_item).collect();
    let row = |item: &SizeItem<'_>| {
        let [small, large] = [item.small_rows, item.large_rows].map(numbers::count);
        cells(&[&item.id, &small, &large, &numbers::bytes(item.engine_cache_bytes), &item.title])
    };
    show(&items, &["id", "small rows", "large rows", "engine cache", "title"], row, format)
}

fn size_item(size: &Size) -> SizeItem<'_> {
    let Size { id, title, small_rows, large_rows, engine_cache_bytes, .. } = size;
    SizeItem { id, title, small_rows: *small_rows, large_rows: *large_rows, engine_cache_bytes: *engine_cache_bytes }
}

#[derive(Serialize)]
struct EngineItem {
    name: &'static str,
    title: &'static str,
    target: &'static str,
    /// What has not been verified.
    notice: Option<&'static str>,
}

fn known_engines(format: Format) -> Result<(), Error> {
    let shown = ENGINES.all().iter().filter(|e| !e.hidden);
    let items: Vec<EngineItem> =
        shown.map(|e| EngineItem { name: e.name, title: e.title, target: e.target, notice: e.notice }).collect();
    let row = |item: &EngineItem| {
        let title = item.notice.map_or_else(|| item.title.to_owned(), |n| format!("{} ({n})", item.title));
        cells(&[&item.name, &item.target, &title])
    };
    show(&items, &["name", "target", "title"], row, format)
}

fn metrics(metrics: &[Metric], format: Format) -> Result<(), Error> {
    let row = |metric: &Metric| cells(&[&metric.id, &metric.unit, &metric.better.name(), &metric.title]);
    show(metrics, &["id", "unit", "better", "title"], row, format)
}

#[derive(Serialize)]
struct PlatformItem {
    id: String,
    name: String,
    year: Option<u16>,
    /// The tool that measured.
    benchmark: String,
    source: String,
    points: usize,
    figures: usize,
}

fn platforms(catalogue: &Catalogue, format: Format) -> Result<(), Error> {
    let runs: Vec<RunJson> = catalogue.platform_ids().map(|id| catalogue.platform(id)).collect::<Result<_, _>>()?;
    let items: Vec<PlatformItem> = runs.into_iter().map(platform_item).collect();
    let row = |item: &PlatformItem| {
        let year = item.year.map_or_else(String::new, |y| y.to_string());
        cells(&[&item.id, &year, &item.benchmark, &item.points, &item.figures, &item.name])
    };
    show(&items, &["id", "year", "benchmark", "points", "figures", "name"], row, format)
}

fn platform_item(run: RunJson) -> PlatformItem {
    let published = run.published.unwrap_or_default();
    let others = published.curves.iter().filter(|c| c.primary.is_some()).map(|c| c.points.len()).sum::<usize>();
    PlatformItem {
        id: run.run.id.to_string(),
        name: run.run.label.unwrap_or_default(),
        year: published.year,
        benchmark: published.benchmark,
        source: published.source,
        points: run.points.len() + others,
        figures: published.figures.len() + published.results.len(),
    }
}

#[derive(Serialize)]
struct RunItem<'a> {
    id: &'a RunId,
    label: Option<&'a str>,
    suite: &'a str,
    size: &'a str,
    target: &'a str,
    started_at: jiff::Timestamp,
    status: RunStatus,
    /// Points recorded, of those planned.
    points: usize,
    points_planned: usize,
    ok: usize,
    failed: usize,
    invalid: usize,
    unsupported: usize,
}

fn runs(runs: &[RunSummary], format: Format) -> Result<(), Error> {
    let items: Vec<RunItem<'_>> = runs.iter().map(run_item).collect();
    let row = |item: &RunItem<'_>| {
        let bad = match item.failed + item.invalid {
            0 => String::new(),
            n => format!(", {n} bad"),
        };
        let (label, started) = (item.label.unwrap_or_default(), item.started_at.strftime("%Y-%m-%d %H:%M"));
        let (status, points) = (item.status.name(), format!("{}/{}{bad}", item.points, item.points_planned));
        cells(&[&item.id, &label, &item.suite, &item.size, &started, &status, &points, &item.target])
    };
    show(&items, &["id", "label", "suite", "size", "started (UTC)", "status", "points", "target"], row, format)
}

fn experiments(all: &[Experiment], format: Format) -> Result<(), Error> {
    let row = |item: &Experiment| {
        let Experiment { id, kind, label, started_at, target, complete } = item;
        let (label, started) = (label.as_deref().unwrap_or_default(), started_at.strftime("%Y-%m-%d %H:%M"));
        cells(&[id, &kind.name(), &label, &started, &if *complete { "done" } else { "ended early" }, target])
    };
    show(all, &["id", "kind", "label", "started (UTC)", "status", "target"], row, format)
}

fn run_item(summary: &RunSummary) -> RunItem<'_> {
    let run = &summary.run;
    RunItem {
        id: &run.id,
        label: run.label.as_deref(),
        suite: &run.suite,
        size: &run.size,
        target: &run.target,
        started_at: run.started_at,
        status: run.status,
        points: summary.points_done,
        points_planned: summary.points_planned,
        ok: summary.ok,
        failed: summary.failed,
        invalid: summary.invalid,
        unsupported: summary.unsupported,
    }
}
