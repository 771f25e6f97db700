//! From the user's request to the points that will be measured. Everything is decided here, before the first point.

pub(crate) mod loads;
mod request;
pub(crate) mod searches;

pub use request::{PlanError, RunRequest, SearchRequest};

use dbdyno_catalogue::Catalogue;
use dbdyno_engine::{EngineInfo, Features};
use dbdyno_model::{
    Better, ClientLoad, Dimension, Dop, Drive, Mapping, MetricId, Plan, PlannedPoint, ProcedureShape, Ramp, RepeatMode,
    Size, Subject, SuiteStep, Test,
};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// What the plan is made for.
#[derive(Clone, Copy)]
pub struct PlanContext<'a> {
    /// The catalogue.
    pub catalogue: &'a Catalogue,
    /// The engine, without its target.
    pub engine: &'a EngineInfo,
    /// What the engine can do.
    pub features: Features,
    /// Size class of the data.
    pub size: &'a Size,
    /// Seed of the data.
    pub seed: u64,
    /// Hardware threads of the platform.
    pub hardware_threads: u32,
}

/// Tests that share a ramp and a duration.
struct StepGroup<'a> {
    tests: Vec<&'a Test>,
    step: Option<&'a SuiteStep>,
    ramp: Ramp,
    duration_s: f64,
    repeat: u32,
}

/// The duration from which a suite is meant for decisions, so that the tests' least durations apply.
const DECISIVE_DURATION_S: f64 = 10.0;

/// Makes the plan.
///
/// # Errors
/// Something that was asked for does not exist, or nothing was asked for.
pub fn resolve(request: &RunRequest, context: PlanContext<'_>) -> Result<Plan, PlanError> {
    match &request.search {
        Some(search) => resolve_searches(request, search, context),
        None => resolve_points(request, context),
    }
}

/// The plan of a search for each test.
fn resolve_searches(request: &RunRequest, search: &SearchRequest, context: PlanContext<'_>) -> Result<Plan, PlanError> {
    let catalogue = context.catalogue;
    if let Some(suite) = request.what.iter().find(|what| catalogue.suites().iter().any(|suite| suite.id == **what)) {
        return Err(PlanError::SearchOfSuite { search: search.option(), suite: suite.clone() });
    }
    searches::refuse_without_percentiles(search, request.drive)?;
    let first = searches::first_points(request, search)?;
    let threads = Some(first.threads.unwrap_or(1));
    let mut plan = resolve_points(&RunRequest { threads, ..first }, context)?;
    let test_of = |planned: &PlannedPoint| catalogue.test(planned.subject.as_str());
    plan.points.retain(|p| test_of(p).is_ok_and(|test| searches::is_first(p, test.rows_per_tx.unwrap_or(0))));
    let has_one_job = |p: &&PlannedPoint| {
        let by_engine = p.mapping.ramp().is_some_and(|only| only != Dimension::Jobs);
        let measured = !matches!(p.mapping, Mapping::None { .. });
        measured && (by_engine || test_of(p).is_ok_and(|test| !test.ramp.contains(&Dimension::Jobs)))
    };
    if let (SearchRequest::Saturation, Some(planned)) = (search, plan.points.iter().find(has_one_job)) {
        return Err(PlanError::OneJob { test: planned.subject.as_str().to_owned() });
    }
    // A time gets no better with more jobs.
    let is_rate = |id: &&MetricId| catalogue.metric(id).is_ok_and(|metric| metric.better == Better::Higher);
    let metric_of = |planned: &PlannedPoint| {
        let metric = test_of(planned).ok().and_then(|test| test.metrics.first().filter(is_rate).cloned());
        metric.unwrap_or_else(|| "ops_per_s".into())
    };
    Ok(searches::of_points(plan, request, search, metric_of))
}

fn resolve_points(request: &RunRequest, context: PlanContext<'_>) -> Result<Plan, PlanError> {
    let loads = loads::of(request)?;
    let asked = request.jobs.unwrap_or(1).saturating_mul(request.threads.unwrap_or(1));
    if let Some(limit) = request.max_jobs.filter(|limit| asked > *limit) {
        return Err(PlanError::OverLimit { asked, limit });
    }
    let mut points = Vec::new();
    let mut definitions = BTreeMap::new();
    let mut ramp_used = false;
    let mut any_client_form = false;
    for group in groups(request, context.catalogue)? {
        for test in &group.tests {
            // A test named by its code stays in the plan, with the reason why it cannot be driven. A suite or a pattern
            // selects only the tests that can.
            let has_form = request.drive == Drive::Server || test.procedure.has_client_form();
            if !has_form && !request.what.iter().any(|what| what.eq_ignore_ascii_case(test.code.as_str())) {
                continue;
            }
            any_client_form |= has_form;
            let mapping = (context.engine.mapping)(test);
            let definition = definition(test, &mapping, context)?;
            definitions.insert(test.code.clone(), definition.clone());
            let template = PlannedPoint {
                subject: test.code.clone().into(),
                drive: request.drive,
                load: ClientLoad::default(),
                dop: Dop { nodes: request.nodes.unwrap_or(1), ..Dop::ONE },
                rows_per_tx: test.rows_per_tx.unwrap_or(0),
                repeat: 1,
                again: false,
                duration_s: duration_s(request, &group, test),
                mix: None,
                parameters: dbdyno_model::Parameters::default(),
                cores: None,
                may_follow_from_jobs: None,
                commit: request.commit,
                mapping: mapping.clone(),
                definition,
            };
            if matches!(mapping, Mapping::None { .. }) || !has_form {
                points.push(template);
                continue;
            }
            ramp_used |= fixed(request, dimension(request, &group, test, &mapping)).is_none();
            let mut steps = steps(request, &group, test, &template, context);
            if request.drive == Drive::Client && request.follow != Some(false) {
                // A sweep at one DOP is not part of the ramp.
                let of_ramp = steps.iter().filter(|step| step.rows_per_tx == template.rows_per_tx);
                let fewest = of_ramp.map(|step| loads::sessions(request, step)).min();
                steps
                    .iter_mut()
                    .for_each(|step| step.may_follow_from_jobs = fewest.map(|n| n.min(loads::sessions(request, step))));
            }
            points.extend(repeated(steps, &template, &loads, group.repeat));
        }
    }
    loads::share(request, &mut points)?;
    let measured = points.iter().any(|p| !matches!(p.mapping, Mapping::None { .. }));
    if request.drive == Drive::Client && !any_client_form {
        return Err(PlanError::NoClientForm);
    }
    if request.ramp.is_some() && measured && !ramp_used {
        return Err(PlanError::UnusedRamp);
    }
    let all: String = definitions.iter().map(|(code, hash)| format!("{code}={hash};")).collect();
    Ok(Plan {
        suite: request.what.join(" "),
        size: context.size.id.clone(),
        seed: context.seed,
        definitions: format!("{:016x}", xxh3_64(all.as_bytes())),
        points,
        searches: Vec::new(),
        pairing: None,
    })
}

/// The repeats of a ramp: its steps under each load, up and down in turn, so that a drift of the machine does not look
/// like scaling. A maximum stays the first load of a step. Then the best step again.
pub(crate) fn repeated(
    mut steps: Vec<PlannedPoint>,
    template: &PlannedPoint,
    loads: &[ClientLoad],
    repeats: u32,
) -> Vec<PlannedPoint> {
    let again = again(&steps, template, loads, repeats);
    let (closed, mut open): (Vec<ClientLoad>, Vec<ClientLoad>) = loads.iter().partition(|load| load.rate.is_none());
    let mut points = Vec::new();
    for repeat in 1..=repeats {
        for step in &steps {
            let loads = closed.iter().chain(&open);
            points.extend(loads.map(|load| PlannedPoint { repeat, load: *load, ..step.clone() }));
        }
        steps.reverse();
        open.reverse();
    }
    points.extend(again);
    points
}

fn groups<'a>(request: &RunRequest, catalogue: &'a Catalogue) -> Result<Vec<StepGroup<'a>>, PlanError> {
    let [first, ..] = request.what.as_slice() else { return Err(PlanError::Nothing) };
    if request.what.len() == 1 && catalogue.suites().iter().any(|s| s.id == *first) {
        let suite = catalogue.suite(first)?;
        let group = |step: &'a SuiteStep| -> Result<StepGroup<'a>, PlanError> {
            Ok(StepGroup {
                tests: step.tests.iter().map(|code| catalogue.test(code.as_str())).collect::<Result<_, _>>()?,
                step: Some(step),
                ramp: step.ramp.clone().unwrap_or_else(|| suite.ramp.clone()),
                duration_s: step.duration_s.unwrap_or(suite.duration_s) as f64,
                repeat: request.repeat.unwrap_or(suite.repeat),
            })
        };
        return suite.steps.iter().map(group).collect();
    }
    let mut tests: Vec<&Test> = Vec::new();
    for pattern in &request.what {
        let selected = catalogue.select(pattern).map_err(|error| match catalogue.suite(pattern) {
            // A name that is neither a test nor a suite, but looks like a suite, gets the error for suites.
            Err(suite_error) if !pattern.contains(|c: char| c.is_ascii_digit() || c == '*') => suite_error,
            _ => error,
        })?;
        tests.extend(
            selected.into_iter().filter(|t| !tests.iter().any(|known| known.code == t.code)).collect::<Vec<_>>(),
        );
    }
    let repeat = request.repeat.unwrap_or(1);
    Ok(vec![StepGroup { tests, step: None, ramp: Ramp::Threads(1), duration_s: DECISIVE_DURATION_S, repeat }])
}

fn duration_s(request: &RunRequest, group: &StepGroup<'_>, test: &Test) -> f64 {
    let least_s = test.least_duration_s.filter(|_| group.duration_s >= DECISIVE_DURATION_S).unwrap_or(0) as f64;
    request.duration_s.unwrap_or_else(|| group.duration_s.max(least_s))
}

/// The dimension of a test's ramp: the suite's choice, unless the engine supports only another. If the user fixes it
/// and asks for a ramp all the same, it is the test's other one, where the test and the engine have both.
fn dimension(request: &RunRequest, group: &StepGroup<'_>, test: &Test, mapping: &Mapping) -> Dimension {
    let by_suite = group.step.and_then(|s| s.dimension);
    let by_test = mapping.ramp().or(test.ramp.first().copied());
    let first = by_suite.filter(|d| mapping.ramp().is_none_or(|m| m == *d)).or(by_test).unwrap_or(Dimension::Jobs);
    let is_taken = request.ramp.is_some() && fixed(request, first).is_some() && mapping.ramp().is_none();
    let other = test.ramp.iter().copied().find(|d| is_taken && fixed(request, *d).is_none());
    other.unwrap_or(first)
}

fn fixed(request: &RunRequest, dimension: Dimension) -> Option<u32> {
    match dimension {
        Dimension::Jobs => request.jobs,
        Dimension::Threads => request.threads,
    }
}

/// The ramp's points in ascending order, with the sweep before and the last step after.
fn steps(
    request: &RunRequest,
    group: &StepGroup<'_>,
    test: &Test,
    template: &PlannedPoint,
    context: PlanContext<'_>,
) -> Vec<PlannedPoint> {
    let dimension = dimension(request, group, test, &template.mapping);
    // Each job of a file test has its own file. All other writers of a single-writer engine would only queue.
    let queues =
        context.features.single_writer && test.procedure.writes() && test.procedure.shape != ProcedureShape::File;
    let dops = match (&request.ramp, fixed(request, dimension)) {
        (_, Some(n)) => vec![n],
        (Some(ramp), None) => ramp.resolve(context.hardware_threads),
        (None, None) if queues && dimension == Dimension::Jobs => vec![1],
        (None, None) => group.ramp.resolve(context.hardware_threads),
    };
    let base = match dimension {
        Dimension::Jobs => template.dop.with(Dimension::Threads, request.threads.unwrap_or(1)),
        Dimension::Threads => template.dop.with(Dimension::Jobs, request.jobs.unwrap_or(1)),
    };
    // Steps above the limit are left out; if all are, the limit itself is measured.
    let most = request.max_jobs.map_or(u32::MAX, |limit| limit / (base.jobs.max(1) * base.threads.max(1)).max(1));
    let dops = match dops.iter().copied().filter(|n| *n <= most).collect::<Vec<u32>>() {
        within if within.is_empty() => vec![most.max(1)],
        within => within,
    };
    let at = |dop: Dop, rows_per_tx: u64| PlannedPoint { dop, rows_per_tx, ..template.clone() };
    let mut steps: Vec<PlannedPoint> = Vec::new();
    // The sweep is at DOP 1; a point that the ramp measures there anyway is measured once.
    let in_ramp = |rows: u64| rows == template.rows_per_tx && dops.contains(&1);
    let sweep = test.sweep_rows_per_tx.iter().filter(|n| !in_ramp(**n));
    steps.extend(sweep.map(|n| at(base.with(dimension, 1), *n)));
    steps.extend(dops.iter().map(|n| at(base.with(dimension, *n), template.rows_per_tx)));
    if let (Some(rows), Some(top)) = (test.last_step_rows_per_tx, dops.iter().max()) {
        steps.push(at(base.with(dimension, *top), rows));
    }
    steps
}

/// The best of the ramp again for each repeat, after all repeats: the figures that select the best are biased upwards.
/// With one degree of parallelism nothing is selected, and set rates have no best.
fn again(steps: &[PlannedPoint], template: &PlannedPoint, loads: &[ClientLoad], repeats: u32) -> Vec<PlannedPoint> {
    let ramp: Vec<&PlannedPoint> = steps.iter().filter(|step| step.rows_per_tx == template.rows_per_tx).collect();
    let (Some(first), Some(load)) = (ramp.first(), loads.iter().find(|load| load.rate.is_none())) else {
        return Vec::new();
    };
    if ramp.iter().all(|step| step.dop == first.dop) {
        return Vec::new();
    }
    (1..=repeats).map(|repeat| PlannedPoint { repeat, load: *load, again: true, ..(*first).clone() }).collect()
}

/// Hash of everything that decides what a test measures: its entry, its mapping and every statement at this size.
fn definition(test: &Test, mapping: &Mapping, context: PlanContext<'_>) -> Result<String, PlanError> {
    let script = match mapping {
        Mapping::None { why } => why.clone(),
        _ => (context.engine.script)(test, context.size)?,
    };
    let whole = format!("{}\n{}\n{mapping:?}\n{script}", context.catalogue.definition(test), context.engine.name);
    Ok(format!("{:016x}", xxh3_64(whole.as_bytes())))
}

/// Rough seconds that points will take: warm-up, window and settling, but not the length of scans.
#[must_use]
pub fn estimate_s(points: &[PlannedPoint], catalogue: &Catalogue) -> f64 {
    const SET_UP_S: f64 = 0.3;
    let one = |point: &PlannedPoint| {
        let repeat_mode = match &point.subject {
            Subject::Workload(_) => Some(RepeatMode::Chunks),
            subject => catalogue.test(subject.as_str()).map(|t| t.repeat_mode).ok(),
        };
        match (&point.mapping, repeat_mode) {
            (Mapping::None { .. }, _) | (_, None) => 0.0,
            (_, Some(RepeatMode::Once)) => SET_UP_S + point.duration_s,
            (_, Some(_)) => SET_UP_S + point.duration_s + (point.duration_s / 5.0).max(1.0),
        }
    };
    points.iter().map(one).sum()
}
