//! `dbdyno run --dry-run`: what a run would do, how long it would take and what load it would put on, without doing
//! anything.

use super::context::Context;
use super::opened_target::OpenedTarget;
use super::searches;
use crate::error::Error;
use crate::output::{self, Format};
use crate::progress::about;
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::Loaded;
use dbdyno_model::{Cache, Mapping, Plan, PlannedPoint, ProcedureShape, Search, SubjectKind, Test};
use dbdyno_report::{lists, numbers};
use dbdyno_run::{LoadRequest, estimate_s};
use dbdyno_workload::{Workload, workload};
use serde::Serialize;
use std::fmt::Write as _;

/// What would be done.
#[derive(Debug, Serialize)]
struct DryRunDocument<'a> {
    target: String,
    size: &'a str,
    /// What must be loaded first; absent where everything is there.
    load_first: Option<LoadFirst>,
    /// Seconds of all points, without the load and without the time that statements take beyond their window.
    at_least_s: f64,
    /// The most jobs times threads at work at once.
    most_at_work: u32,
    tests: Vec<PlannedTest<'a>>,
    points: &'a [PlannedPoint],
    /// Searches that choose further points; absent where there are none.
    #[serde(skip_serializing_if = "<[Search]>::is_empty")]
    searches: &'a [Search],
    #[serde(skip)]
    about_searches: Option<&'static str>,
}

/// The missing tables. The time to load them is unknown for a target where nothing was loaded yet, so none is given.
#[derive(Debug, Serialize)]
struct LoadFirst {
    /// Whether the load continues an earlier one.
    resumes: bool,
    /// The most jobs that load at the same time.
    jobs: u32,
    /// Whether the tables are read back and verified.
    verifies: bool,
    rows_of_each_small_table: u64,
    rows_of_each_large_table: u64,
    /// Space that the device needs, including working space of the tests; 0 where nothing is stored.
    space_bytes: u64,
}

impl LoadFirst {
    fn of(place: &OpenedTarget, request: LoadRequest<'_>) -> Option<Self> {
        let (size, complete) = (&place.size, matches!(place.held, Loaded::Complete { .. }));
        (!complete).then(|| Self {
            resumes: matches!(place.held, Loaded::Partly { .. }),
            jobs: request.jobs,
            verifies: request.verify,
            rows_of_each_small_table: size.small_rows,
            rows_of_each_large_table: size.large_rows,
            space_bytes: place.engine.space_needed_bytes(size),
        })
    }

    fn in_words(&self, size: &str) -> String {
        let Self { resumes, jobs, verifies, .. } = self;
        let what =
            if *resumes { "are loaded in part, which is gone on with" } else { "are missing and will be loaded" };
        let (small, large) =
            (numbers::count(self.rows_of_each_small_table), numbers::count(self.rows_of_each_large_table));
        let proved = if *verifies { ", and then read back and proved" } else { "" };
        format!(
            "tables of size {size} {what} first, with no more jobs at once than {jobs}: {small} rows in each small table, {large} in each \
             large one, {} on the device with the tests' working space{proved}; the time that this takes comes on top and is \
             not known before (`dbdyno load` shows it)",
            numbers::bytes(self.space_bytes)
        )
    }
}

/// The points of a test.
#[derive(Debug, Serialize)]
struct PlannedTest<'a> {
    test: &'a str,
    points: usize,
    /// Nodes x jobs x threads of its points, each once.
    dops: Vec<String>,
    at_least_s: f64,
    /// What it does to the database, or why it is left out.
    load: String,
}

/// Prints what the run would do.
///
/// # Errors
/// Stdout cannot be written.
pub(super) fn show(
    place: &OpenedTarget,
    plan: &Plan,
    request: LoadRequest<'_>,
    format: Format,
    context: &Context,
) -> Result<(), Error> {
    let catalogue = &context.catalogue;
    // Processes of the server that work for a point at once.
    let at_work = plan.points.iter().map(|p| p.load.sessions(p.dop.jobs).saturating_mul(p.dop.threads));
    let answer = DryRunDocument {
        target: place.target.to_string(),
        size: &plan.size,
        load_first: super::workloads::of_plan(plan).is_none().then(|| LoadFirst::of(place, request)).flatten(),
        at_least_s: estimate_s(&plan.points, catalogue),
        most_at_work: at_work.max().unwrap_or(0),
        tests: tests(plan, catalogue),
        points: &plan.points,
        searches: &plan.searches,
        about_searches: searches::in_words(plan),
    };
    format.show(&answer, || page(&answer))
}

fn tests<'a>(plan: &'a Plan, catalogue: &Catalogue) -> Vec<PlannedTest<'a>> {
    let of_one_test = plan.points.chunk_by(|a, b| a.subject == b.subject);
    of_one_test
        .filter_map(|points| {
            let first = points.first()?;
            let mut dops: Vec<String> = Vec::new();
            // The best is known only when the ramp has been measured.
            for dop in points.iter().filter(|p| !p.again).map(|p| p.dop.to_string()) {
                if !dops.contains(&dop) {
                    dops.push(dop);
                }
            }
            let load = match (&first.mapping, catalogue.test(first.subject.as_str())) {
                (Mapping::None { why }, _) => format!("not supported: {why}"),
                _ if first.subject.kind() == SubjectKind::Workload => {
                    workload(first.subject.as_str()).map(|of| load_of(of, first)).unwrap_or_default()
                }
                (_, Ok(test)) => load(test).to_owned(),
                (_, Err(_)) => String::new(),
            };
            let at_least_s = estimate_s(points, catalogue);
            Some(PlannedTest { test: first.subject.as_str(), points: points.len(), dops, at_least_s, load })
        })
        .collect()
}

/// What a workload with these weights does to the database, in words.
fn load_of(workload: &dyn Workload, planned: &PlannedPoint) -> String {
    let PlannedPoint { mix, parameters, .. } = planned;
    let (about, types) = (workload.about(), workload.types_of(mix.as_ref(), parameters));
    let words = if about.writes(&types) { about.load_words } else { "reads its own tables" };
    let mix = mix.as_ref().map_or_else(String::new, |mix| format!("; mix {mix}"));
    let with = if parameters.is_empty() { String::new() } else { format!("; {parameters}") };
    format!("{words}{mix}{with}")
}

/// What a test does to the database, in words.
fn load(test: &Test) -> &'static str {
    let cached = test.cache == Cache::Cached;
    match test.procedure.shape {
        ProcedureShape::Loop => "processors alone",
        ProcedureShape::File => "writes files of its own, one a job, and has them brought to the device",
        ProcedureShape::Insert => "writes rows into a table of its own; commits again and again",
        ProcedureShape::Load => "writes tables of its own",
        ProcedureShape::Index => "reads a large table and writes indexes of its own",
        ProcedureShape::Update => "changes rows of dbdyno's tables; commits again and again",
        ProcedureShape::Select if cached => "reads rows from memory",
        ProcedureShape::Select => "reads rows from storage",
        ProcedureShape::Statement if cached => "reads whole tables from memory",
        ProcedureShape::Statement => "reads whole tables from storage, as fast as it gives them",
    }
}

fn page(answer: &DryRunDocument<'_>) -> String {
    let DryRunDocument { target, size, load_first, at_least_s, most_at_work, tests, points, about_searches, .. } =
        answer;
    let row = |planned: &PlannedTest<'_>| {
        let PlannedTest { test, points, dops, at_least_s, load } = planned;
        vec![(*test).to_owned(), dops.join(" "), points.to_string(), about(*at_least_s), load.clone()]
    };
    let rows: Vec<Vec<String>> = tests.iter().map(row).collect();
    let headers = ["test", "nodes x jobs x threads", "points", "about", "load"];
    let mut page = lists::table(&headers, &rows, output::width());
    if let Some(load) = load_first {
        _ = writeln!(page, "\n{}", load.in_words(size));
    }
    if let Some(words) = about_searches {
        _ = writeln!(page, "\n{words}");
    }
    _ = writeln!(
        page,
        "\n{} points on {target} ({}) take about {} or more: a window is as long as it was asked to be, and a statement \
         that it ends in is waited for",
        points.len(),
        if size.contains(' ') { (*size).to_owned() } else { format!("size {size}") },
        about(*at_least_s)
    );
    _ = writeln!(
        page,
        "at most {most_at_work} at work at once (jobs times threads), each as fast as the server lets it; before each point the \
         database is brought to rest (checkpoint, vacuum or flush) where dbdyno may"
    );
    _ = writeln!(
        page,
        "it touches dbdyno's own tables and what it makes beside them; --max-jobs and --max-duration set limits, Ctrl-C ends it\n\
         dry run: nothing was measured, loaded or stored"
    );
    page
}
