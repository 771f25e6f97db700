//! From what a user typed to the points that will be measured: everything is decided here, before the first point.

pub(crate) mod loads;

use dbdyno_catalogue::{Catalogue, CatalogueError};
use dbdyno_engine::{EngineError, EngineInfo, Features};
use dbdyno_model::{
    Arrivals, CommitMode, Dimension, Dop, Drive, Load, Mapping, Plan, PlannedPoint, ProcedureShape, Queue, Ramp, Rates,
    RepeatMode, Size, Subject, SuiteStep, Test, Think,
};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// Why there is no plan.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    /// The catalogue does not have what was asked for.
    #[error(transparent)]
    Catalogue(#[from] CatalogueError),
    /// The engine's SQL is incomplete.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A ramp and a fixed number for the same dimension.
    #[error(
        "--ramp has no use here: every test named moves a dimension that is fixed by --jobs or --threads; leave one of them away"
    )]
    UnusedRamp,
    /// An option of the client drive for the server drive.
    #[error(
        "{option} is for the client drive: add --drive client, or leave it away (in the server drive the database runs the loop, as fast as it can)"
    )]
    ClientOnly {
        /// The option.
        option: &'static str,
    },
    /// Pauses on a timetable.
    #[error(
        "--think has no use with --rate: with a rate transactions begin when they are due, without one after a pause; leave one of them away"
    )]
    ThinkAndRate,
    /// Arrivals without a rate.
    #[error(
        "--arrivals says how the transactions of a rate are spread: add --rate, as in --rate 500/s, or leave it away"
    )]
    ArrivalsAlone,
    /// Queues without a rate.
    #[error(
        "--queue says who serves the transactions of a rate: add --rate, as in --rate 500/s, or leave it away (in a closed loop nothing queues)"
    )]
    QueueAlone,
    /// Connections that nobody would use.
    #[error(
        "--connections {connections} is more than the {jobs} jobs that would share them: give at most as many, or more jobs (--jobs, --ramp; of a workload --users)"
    )]
    MoreConnections {
        /// What was asked for.
        connections: u32,
        /// The most jobs of a point.
        jobs: u32,
    },
    /// No test that was named can be driven by a client.
    #[error(
        "no test that was named can be driven by a client, which sends single statements; T311 to T322 and the T600, T700 and T800 classes can (`dbdyno list tests`)"
    )]
    NoClientForm,
    /// A fixed degree of parallelism above the limit.
    #[error(
        "--max-jobs {limit} is less than the {asked} that --jobs and --threads, or --users, ask for (jobs times threads); give fewer, or raise the limit"
    )]
    OverLimit {
        /// What was asked for.
        asked: u32,
        /// The limit.
        limit: u32,
    },
    /// Nothing was asked for.
    #[error("no test or suite was named; `dbdyno list suites` and `dbdyno list tests` show what there is")]
    Nothing,
}

/// What a user asks for, as typed; what is `None` comes from the suite.
#[derive(Debug, Clone, Default)]
pub struct Wish {
    /// A suite, or codes and patterns of tests.
    pub what: Vec<String>,
    /// DOPs of the dimension that the test names.
    pub ramp: Option<Ramp>,
    /// Fixed number of nodes.
    pub nodes: Option<u32>,
    /// Fixed number of jobs.
    pub jobs: Option<u32>,
    /// Fixed number of threads.
    pub threads: Option<u32>,
    /// The most jobs at once, each counted as often as it has threads.
    pub max_jobs: Option<u32>,
    /// Window of each point.
    pub duration_s: Option<f64>,
    /// How often the whole ramp is repeated.
    pub repeat: Option<u32>,
    /// How commits behave.
    pub commit: CommitMode,
    /// Who runs the loop.
    pub drive: Drive,
    /// Rates of open loops; a closed loop without.
    pub rates: Option<Rates>,
    /// How the transactions of a rate are spread.
    pub arrivals: Option<Arrivals>,
    /// Pause between the transactions of a closed loop.
    pub think: Option<Think>,
    /// Who serves the transactions of a rate.
    pub queue: Option<Queue>,
    /// Connections that the jobs of a point share, where there are more jobs.
    pub connections: Option<u32>,
    /// Whether sessions may follow their server processes; they may unless told otherwise.
    pub follow: Option<bool>,
}

/// What the plan is made for.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
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
struct Group<'a> {
    tests: Vec<&'a Test>,
    step: Option<&'a SuiteStep>,
    ramp: Ramp,
    duration_s: f64,
    repeat: u32,
}

/// A duration from which a suite is meant for decisions, so that tests' least durations apply.
const DECISIVE_DURATION_S: f64 = 10.0;

/// Makes the plan.
///
/// # Errors
/// Something that was asked for does not exist, or nothing was.
pub fn resolve(wish: &Wish, ground: Ground<'_>) -> Result<Plan, PlanError> {
    let loads = loads::of(wish)?;
    let asked = wish.jobs.unwrap_or(1).saturating_mul(wish.threads.unwrap_or(1));
    if let Some(limit) = wish.max_jobs.filter(|limit| asked > *limit) {
        return Err(PlanError::OverLimit { asked, limit });
    }
    let mut points = Vec::new();
    let mut definitions = BTreeMap::new();
    let mut ramp_used = false;
    let mut any_client_form = false;
    for group in groups(wish, ground.catalogue)? {
        for test in &group.tests {
            // A test that was named by its code keeps its place, with the reason; a suite or a pattern means those that
            // can.
            let has_form = wish.drive == Drive::Server || test.procedure.has_client_form();
            if !has_form && !wish.what.iter().any(|what| what.eq_ignore_ascii_case(test.code.as_str())) {
                continue;
            }
            any_client_form |= has_form;
            let mapping = (ground.engine.mapping)(test);
            let definition = definition(test, &mapping, ground)?;
            definitions.insert(test.code.clone(), definition.clone());
            let template = PlannedPoint {
                subject: test.code.clone().into(),
                drive: wish.drive,
                load: Load::default(),
                dop: Dop { nodes: wish.nodes.unwrap_or(1), ..Dop::ONE },
                rows_per_tx: test.rows_per_tx.unwrap_or(0),
                repeat: 1,
                again: false,
                duration_s: duration_s(wish, &group, test),
                may_follow_from_jobs: None,
                commit: wish.commit,
                mapping: mapping.clone(),
                definition,
            };
            if matches!(mapping, Mapping::None { .. }) || !has_form {
                points.push(template);
                continue;
            }
            ramp_used |= fixed(wish, dimension(&group, test, &mapping)).is_none();
            let mut steps = steps(wish, &group, test, &template, ground);
            if wish.drive == Drive::Client && wish.follow != Some(false) {
                // What is swept at one DOP is no step of the ramp.
                let of_ramp = steps.iter().filter(|step| step.rows_per_tx == template.rows_per_tx);
                let fewest = of_ramp.map(|step| loads::sessions(wish, step)).min();
                steps
                    .iter_mut()
                    .for_each(|step| step.may_follow_from_jobs = fewest.map(|n| n.min(loads::sessions(wish, step))));
            }
            let again = again(&steps, &template, &loads, group.repeat);
            for repeat in 1..=group.repeat {
                // Up and down in turn, so that a drift of the machine does not look like scaling.
                let turn = Turn::of_repeat(repeat);
                for step in turn.of(steps.clone()) {
                    points.extend(in_turn(&loads, turn).map(|load| PlannedPoint { repeat, load, ..step.clone() }));
                }
            }
            points.extend(again);
        }
    }
    loads::share(wish, &mut points)?;
    let measured = points.iter().any(|p| !matches!(p.mapping, Mapping::None { .. }));
    if wish.drive == Drive::Client && !any_client_form {
        return Err(PlanError::NoClientForm);
    }
    if wish.ramp.is_some() && measured && !ramp_used {
        return Err(PlanError::UnusedRamp);
    }
    let all: String = definitions.iter().map(|(code, hash)| format!("{code}={hash};")).collect();
    Ok(Plan {
        suite: wish.what.join(" "),
        size: ground.size.id.clone(),
        seed: ground.seed,
        definitions: format!("{:016x}", xxh3_64(all.as_bytes())),
        points,
    })
}

/// Which way a ramp is gone through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    Up,
    Down,
}

impl Turn {
    pub(crate) fn of_repeat(repeat: u32) -> Self {
        if repeat % 2 == 1 { Self::Up } else { Self::Down }
    }

    pub(crate) fn of<T>(self, mut ascending: Vec<T>) -> Vec<T> {
        if self == Self::Down {
            ascending.reverse();
        }
        ascending
    }
}

/// The loads of one step; a maximum stays first.
pub(crate) fn in_turn(loads: &[Load], turn: Turn) -> impl Iterator<Item = Load> {
    let (closed, open): (Vec<Load>, Vec<Load>) = loads.iter().partition(|load| load.rate.is_none());
    closed.into_iter().chain(turn.of(open))
}

fn groups<'a>(wish: &Wish, catalogue: &'a Catalogue) -> Result<Vec<Group<'a>>, PlanError> {
    let [first, ..] = wish.what.as_slice() else { return Err(PlanError::Nothing) };
    if wish.what.len() == 1 && catalogue.suites().iter().any(|s| s.id == *first) {
        let suite = catalogue.suite(first)?;
        let group = |step: &'a SuiteStep| -> Result<Group<'a>, PlanError> {
            Ok(Group {
                tests: step.tests.iter().map(|code| catalogue.test(code.as_str())).collect::<Result<_, _>>()?,
                step: Some(step),
                ramp: step.ramp.clone().unwrap_or_else(|| suite.ramp.clone()),
                duration_s: step.duration_s.unwrap_or(suite.duration_s) as f64,
                repeat: wish.repeat.unwrap_or(suite.repeat),
            })
        };
        return suite.steps.iter().map(group).collect();
    }
    let mut tests: Vec<&Test> = Vec::new();
    for pattern in &wish.what {
        let selected = catalogue.select(pattern).map_err(|error| match catalogue.suite(pattern) {
            // What is neither a test nor a suite, but looks like a suite, is answered as one.
            Err(suite_error) if !pattern.contains(|c: char| c.is_ascii_digit() || c == '*') => suite_error,
            _ => error,
        })?;
        tests.extend(
            selected.into_iter().filter(|t| !tests.iter().any(|known| known.code == t.code)).collect::<Vec<_>>(),
        );
    }
    let repeat = wish.repeat.unwrap_or(1);
    Ok(vec![Group { tests, step: None, ramp: Ramp::Threads(1), duration_s: DECISIVE_DURATION_S, repeat }])
}

fn duration_s(wish: &Wish, group: &Group<'_>, test: &Test) -> f64 {
    let least_s = test.least_duration_s.filter(|_| group.duration_s >= DECISIVE_DURATION_S).unwrap_or(0) as f64;
    wish.duration_s.unwrap_or_else(|| group.duration_s.max(least_s))
}

/// The dimension that a test's ramp moves here: the suite's choice, unless the engine knows only another.
fn dimension(group: &Group<'_>, test: &Test, mapping: &Mapping) -> Dimension {
    let by_suite = group.step.and_then(|s| s.dimension);
    let by_test = mapping.ramp().or(test.ramp.first().copied());
    by_suite.filter(|d| mapping.ramp().is_none_or(|m| m == *d)).or(by_test).unwrap_or(Dimension::Jobs)
}

fn fixed(wish: &Wish, dimension: Dimension) -> Option<u32> {
    match dimension {
        Dimension::Jobs => wish.jobs,
        Dimension::Threads => wish.threads,
    }
}

/// The ramp's points, in ascending order, with the sweep before and the last step behind.
fn steps(
    wish: &Wish,
    group: &Group<'_>,
    test: &Test,
    template: &PlannedPoint,
    ground: Ground<'_>,
) -> Vec<PlannedPoint> {
    let dimension = dimension(group, test, &template.mapping);
    // Every job of a file test has a file of its own; all other writers of a single-writer engine would only queue.
    let queues =
        ground.features.single_writer && test.procedure.writes() && test.procedure.shape != ProcedureShape::File;
    let dops = match (&wish.ramp, fixed(wish, dimension)) {
        (_, Some(n)) => vec![n],
        (Some(ramp), None) => ramp.resolve(ground.hardware_threads),
        (None, None) if queues && dimension == Dimension::Jobs => vec![1],
        (None, None) => group.ramp.resolve(ground.hardware_threads),
    };
    let base = match dimension {
        Dimension::Jobs => template.dop.with(Dimension::Threads, wish.threads.unwrap_or(1)),
        Dimension::Threads => template.dop.with(Dimension::Jobs, wish.jobs.unwrap_or(1)),
    };
    // What stands above the limit is left out; where all of it does, the limit is what is measured.
    let most = wish.max_jobs.map_or(u32::MAX, |limit| limit / (base.jobs.max(1) * base.threads.max(1)).max(1));
    let dops = match dops.iter().copied().filter(|n| *n <= most).collect::<Vec<u32>>() {
        within if within.is_empty() => vec![most.max(1)],
        within => within,
    };
    let at = |dop: Dop, rows_per_tx: u64| PlannedPoint { dop, rows_per_tx, ..template.clone() };
    let mut steps: Vec<PlannedPoint> = Vec::new();
    // The sweep is at DOP 1; what the ramp measures there anyway is measured once.
    let in_ramp = |rows: u64| rows == template.rows_per_tx && dops.contains(&1);
    let sweep = test.sweep_rows_per_tx.iter().filter(|n| !in_ramp(**n));
    steps.extend(sweep.map(|n| at(base.with(dimension, 1), *n)));
    steps.extend(dops.iter().map(|n| at(base.with(dimension, *n), template.rows_per_tx)));
    if let (Some(rows), Some(top)) = (test.last_step_rows_per_tx, dops.iter().max()) {
        steps.push(at(base.with(dimension, *top), rows));
    }
    steps
}

/// The best of the ramp once more for each repeat, after all of them: the figures that select it are too good to be
/// told. With one degree of parallelism nothing is selected, and of set rates there is no best.
pub(crate) fn again(
    steps: &[PlannedPoint],
    template: &PlannedPoint,
    loads: &[Load],
    repeats: u32,
) -> Vec<PlannedPoint> {
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
fn definition(test: &Test, mapping: &Mapping, ground: Ground<'_>) -> Result<String, PlanError> {
    let script = match mapping {
        Mapping::None { why } => why.clone(),
        _ => (ground.engine.script)(test, ground.size)?,
    };
    let whole = format!("{}\n{}\n{mapping:?}\n{script}", ground.catalogue.definition(test), ground.engine.name);
    Ok(format!("{:016x}", xxh3_64(whole.as_bytes())))
}

/// Seconds that points will take, roughly: what is certain (warm-up, window, settling), not how long a scan is.
#[must_use]
pub fn estimate_s(points: &[PlannedPoint], catalogue: &Catalogue) -> f64 {
    const SET_UP_S: f64 = 0.3;
    let one = |point: &PlannedPoint| {
        let rhythm = match &point.subject {
            Subject::Workload(_) => Some(RepeatMode::Chunks),
            subject => catalogue.test(subject.as_str()).map(|t| t.rhythm).ok(),
        };
        match (&point.mapping, rhythm) {
            (Mapping::None { .. }, _) | (_, None) => 0.0,
            (_, Some(RepeatMode::Once)) => SET_UP_S + point.duration_s,
            (_, Some(_)) => SET_UP_S + point.duration_s + (point.duration_s / 5.0).max(1.0),
        }
    };
    points.iter().map(one).sum()
}
