//! Why figures of a comparison are unlike.

use super::query::{Found, RowQuery};
use super::row::ComparedRow;
use super::side::Side;
use super::{builds, settings};
use crate::groups::unique;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Commits, Described, Point, RunJson, Subject, SuspectCode};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningKind {
    /// Different databases.
    Engines,
    /// Different amounts of data.
    Sizes,
    /// The work of a test was done by other means.
    Mappings,
    /// Another drive.
    Drives,
    /// Commits that wait for the log, beside commits that may not.
    Commits,
    /// Another definition of the test.
    Definitions,
    /// Transactions of another size.
    Transactions,
    /// Client drives whose sessions followed their server processes, beside ones whose sessions did not.
    Pumps,
    /// Client drives with different numbers of shared connections, or with one connection a job.
    Connections,
    /// Other weights of a workload's transactions.
    Mixes,
    /// A tool that cannot show times below a limit.
    Floor,
    /// Published figures beside measured ones.
    Published,
    /// Builds of dbdyno that may measure differently.
    Builds,
    /// Machines, or one machine at different times, with a different pace.
    Pace,
    /// The runs of one side differ from each other.
    Sample,
    /// Only some sides measured the best of a ramp again.
    Selection,
}

/// A warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Warning {
    /// Its kind.
    pub kind: WarningKind,
    /// The sentence.
    pub text: String,
}

/// A fact of a run that must be equal, or figures do not compare; empty where there is none.
type RunFact = fn(&RunJson) -> String;

/// What differs between whole runs, and is said first.
pub(super) const OF_DATA: [(WarningKind, &str, RunFact); 2] = [
    (WarningKind::Engines, "different engines: what differs is the product, too, and not the platform alone", |run| {
        run.database.engine.clone()
    }),
    (WarningKind::Sizes, "different sizes of data: caches hold another share of it", |run| run.run.size.clone()),
];

/// What differs between the loads of whole runs.
pub(super) const OF_LOADS: [(WarningKind, &str, RunFact); 2] = [
    (
        WarningKind::Connections,
        "a client's jobs that share connections, beside such as have one each or share another number of them",
        connections,
    ),
    (WarningKind::Mixes, "other weights or parameters of a workload (--mix, --set): that is other work", mix),
];

/// How the throughputs of whole runs came about.
pub(super) const OF_SELECTION: (WarningKind, &str, RunFact) = (
    WarningKind::Selection,
    "throughputs that came about in different ways: the best of several is too high by chance, some 3 to 4 % where the curve is flat",
    selection,
);

/// Every warning, the most serious first.
pub(super) fn all(sides: &[Side], rows: &[ComparedRow], catalogue: &Catalogue) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn = |kind, text: Option<String>| warnings.extend(text.map(|text| Warning { kind, text }));
    let of_runs = |text: &str, fact: RunFact| unlike(sides, &fact).map(|which| format!("{text}: {which}"));
    warn(WarningKind::Floor, floor(sides));
    warn(WarningKind::Published, published(sides));
    for (kind, text, fact) in OF_DATA {
        warn(kind, of_runs(text, fact));
    }
    for text in builds::warnings(sides) {
        warn(WarningKind::Builds, Some(text));
    }
    let bases = Bases::of(sides, rows, catalogue);
    for (kind, text, fact) in OF_FIGURES {
        warn(*kind, bases.unlike(sides, *fact).map(|which| format!("{text}: {which}")));
    }
    for (kind, text, fact) in OF_LOADS {
        warn(kind, of_runs(text, fact));
    }
    let paced: Vec<(&str, Vec<&Point>)> =
        sides.iter().map(|s| (s.name.as_str(), s.runs.iter().flat_map(|run| &run.points).collect())).collect();
    for text in crate::sections::pace::warnings(&paced) {
        warn(WarningKind::Pace, Some(text));
    }
    let (kind, text, fact) = OF_SELECTION;
    warn(kind, of_runs(text, fact));
    for side in sides {
        let names = settings::unlike_within(side);
        let text =
            || format!("the runs of {} are not repeats of each other; they differ in {}", side.name, names.join(", "));
        warn(WarningKind::Sample, (!names.is_empty()).then(text));
        let described = unique(side.runs.iter().map(|run| run.described.as_ref().map(Described::costs)));
        let text = || {
            format!("the runs of {} are described differently: prices and licences are those of the newest", side.name)
        };
        warn(WarningKind::Sample, (described.len() > 1).then(text));
    }
    warnings
}

/// Each side's values where they differ: `A sqlite, B postgres`.
fn unlike(sides: &[Side], fact: &dyn Fn(&RunJson) -> String) -> Option<String> {
    let values: Vec<BTreeSet<String>> =
        sides.iter().map(|side| side.runs.iter().map(fact).filter(|v| !v.is_empty()).collect()).collect();
    let all: BTreeSet<&String> = values.iter().flatten().collect();
    (all.len() > 1).then(|| named(sides, &values))
}

/// The values of each side that has any.
fn named(sides: &[Side], values: &[BTreeSet<String>]) -> String {
    let named = sides.iter().zip(values).filter(|(_, v)| !v.is_empty());
    let parts = named.map(|(s, v)| format!("{} {}", s.name, v.iter().cloned().collect::<Vec<_>>().join(" and ")));
    parts.collect::<Vec<_>>().join(", ")
}

/// How the throughputs of a run were selected. For other benchmarks this is unknown, and without ramps there is nothing
/// to say.
fn selection(run: &RunJson) -> String {
    let has_ramp = || {
        let reached = || run.points.iter().filter(|p| crate::figures::reached(p) && p.subject.storage().is_none());
        let other = |p: &Point, o: &Point| {
            (p.subject.name(), p.rows_per_tx, p.drive) == (o.subject.name(), o.rows_per_tx, o.drive) && p.dop != o.dop
        };
        reached().any(|p| reached().any(|o| other(p, o)))
    };
    let words = match run.points.iter().any(|p| p.again) {
        _ if run.published.is_some() => "",
        true => "measured again",
        false if has_ramp() => "the best of several",
        false => "",
    };
    words.to_owned()
}

/// The connections of the client drive's jobs. A run has one number of them, and the first steps of a ramp have fewer
/// jobs.
fn connections(run: &RunJson) -> String {
    let mut clients = run.points.iter().filter(|p| crate::legend::is_timed(p)).peekable();
    let any = clients.peek().is_some();
    let shared = clients.find_map(|p| p.load.connections);
    shared.map_or_else(|| if any { "one each" } else { "" }.to_owned(), |n| format!("{n} shared"))
}

/// The weights of a workload's transactions, or its parameters.
fn mix(run: &RunJson) -> String {
    let mut of_workloads = run.points.iter().filter(|p| matches!(p.subject, Subject::Workload(_)));
    of_workloads.next().map_or_else(String::new, |point| match &point.mix {
        Some(mix) => mix.to_string(),
        None if !point.parameters.is_empty() => point.parameters.to_string(),
        None => "its own".to_owned(),
    })
}

/// A tool with a shortest time, beside others.
fn floor(sides: &[Side]) -> Option<String> {
    let (with, without): (Vec<&Side>, Vec<&Side>) = sides.iter().partition(|side| side.runs.iter().any(has_floor));
    let tool = with.first()?.runs.first()?.published.as_ref()?.benchmark.clone();
    let names = |sides: &[&Side]| sides.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join(", ");
    (!without.is_empty()).then(|| {
        format!(
            "{tool} shows no time below a limit of its own (20 s in its published results), and counts whole seconds: figures of {} say \
             little about the platform beside those of {}. Compare {tool} with {tool} only",
            names(&with),
            names(&without)
        )
    })
}

/// Whether a run was measured with such a tool.
pub(super) fn has_floor(run: &RunJson) -> bool {
    let mut figures = run.published.iter().flat_map(|p| &p.figures).filter_map(|f| f.suspect.as_ref());
    figures.any(|s| s.codes.contains(&SuspectCode::Floor))
}

fn published(sides: &[Side]) -> Option<String> {
    let is = |side: &&Side| side.runs.iter().any(|run| run.published.is_some());
    let (published, own): (Vec<&Side>, Vec<&Side>) = sides.iter().partition(is);
    let tools: BTreeSet<&str> =
        published.iter().flat_map(|s| &s.runs).filter_map(|r| Some(r.published.as_ref()?.benchmark.as_str())).collect();
    let words = tools.iter().copied().collect::<Vec<_>>().join(", ");
    match (published.is_empty(), own.is_empty()) {
        (false, false) => Some(format!(
            "figures of dbdyno beside published ones of {words}: the same tests by name, measured by other programs in another way"
        )),
        (false, true) if tools.len() > 1 => {
            Some(format!("figures of different programs ({words}): the same tests by name, measured in another way"))
        }
        _ => None,
    }
}

/// What a figure depends on, whether measured or printed.
#[derive(Default)]
pub(super) struct Basis {
    equivalent: bool,
    client: bool,
    commit: Option<Commits>,
    rows_per_tx: u64,
    /// Whether the client drive's sessions followed their server processes.
    follow: Option<bool>,
    /// Engine and definition; a source has neither.
    definition: Option<String>,
}

impl Basis {
    /// Of every point behind a figure, or of its printed value.
    fn of(found: &Found<'_, '_>, test: &str, run: &RunJson) -> Vec<Self> {
        let figure = &found.figure;
        if let Some(printed) = figure.printed {
            return vec![Self { commit: printed.commit.map(Commits::from), ..Self::default() }];
        }
        // The definition of another code differs though its work is the same.
        let own = run.published.is_none() && found.code == test;
        let of_point = |p: &&Point| Self {
            equivalent: crate::legend::is_equivalent(p),
            client: crate::legend::is_of_client(p),
            commit: p.commits(),
            rows_per_tx: p.rows_per_tx,
            follow: p.pump.map(|pump| pump.sessions_follow),
            definition: own.then(|| format!("{} {}", run.database.engine, p.definition)),
        };
        figure.points.iter().map(of_point).collect()
    }
}

/// A fact of a figure that must be equal, or figures do not compare.
type BasisFact = fn(&Basis) -> Option<String>;

pub(super) const OF_FIGURES: &[(WarningKind, &str, BasisFact)] = &[
    (WarningKind::Mappings, "work done by other means than the test names, on one side only", |b| {
        Some(if b.equivalent { "equivalent" } else { "native" }.to_owned())
    }),
    (WarningKind::Drives, "different drives", |b| Some(if b.client { "client" } else { "server" }.to_owned())),
    (
        WarningKind::Pumps,
        "the client's sessions went to where their server processes ran, or stayed (--follow no)",
        |b| Some(if b.follow? { "followed" } else { "stayed" }.to_owned()),
    ),
    (WarningKind::Commits, "commits that wait for the log against commits that may not, so there is no ratio", |b| {
        Some(b.commit?.name().to_owned())
    }),
    (WarningKind::Transactions, "transactions of different sizes, in rows", |b| {
        Some(b.rows_per_tx).filter(|n| *n > 0).map(|n| n.to_string())
    }),
    (WarningKind::Definitions, "the tests themselves were not the same (entry or statements)", |b| {
        b.definition.clone()
    }),
];

/// The facts of a figure that must be equal, each once.
pub(super) fn facts_of_figure(found: &Found<'_, '_>, test: &str, run: &RunJson) -> BTreeSet<(WarningKind, String)> {
    let bases = Basis::of(found, test, run);
    let facts = bases.iter().flat_map(|basis| OF_FIGURES.iter().map(move |(kind, _, fact)| (*kind, fact(basis))));
    facts.filter_map(|(kind, value)| Some((kind, value?))).collect()
}

/// What the figures of each test and side depend on.
struct Bases<'a>(BTreeMap<&'a str, Vec<Vec<Basis>>>);

impl<'a> Bases<'a> {
    fn of(sides: &[Side], rows: &'a [ComparedRow], catalogue: &Catalogue) -> Self {
        let mut tests: BTreeMap<&str, Vec<Vec<Basis>>> = BTreeMap::new();
        for row in rows {
            let query = RowQuery::of(row, catalogue);
            let of_test = tests.entry(&row.test).or_insert_with(|| sides.iter().map(|_| Vec::new()).collect());
            for (bases, side) in of_test.iter_mut().zip(sides) {
                for run in &side.runs {
                    let found = query.figure(run, catalogue);
                    bases.extend(found.iter().flat_map(|found| Basis::of(found, &row.test, run)));
                }
            }
        }
        Self(tests)
    }

    /// The tests where a fact differs between the sides, grouped by its values.
    fn unlike(&self, sides: &[Side], fact: BasisFact) -> Option<String> {
        let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for (test, bases) in &self.0 {
            let values: Vec<BTreeSet<String>> = bases.iter().map(|b| b.iter().filter_map(fact).collect()).collect();
            if !disagree(&values) {
                continue;
            }
            groups.entry(named(sides, &values)).or_default().push(test);
        }
        let lines: Vec<String> =
            groups.iter().map(|(which, tests)| format!("{} ({which})", tests.join(", "))).collect();
        (!lines.is_empty()).then(|| lines.join("; "))
    }
}

/// Whether sides have other values than each other. Definitions only count within one engine; their values begin with
/// its name.
fn disagree(values: &[BTreeSet<String>]) -> bool {
    let mut known = values.iter().filter(|of_side| !of_side.is_empty());
    let first = known.next();
    if known.all(|of_side| Some(of_side) == first) {
        return false;
    }
    let mut by_kind: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for value in values.iter().flatten() {
        let (kind, rest) = value.split_once(' ').unwrap_or(("", value));
        by_kind.entry(kind).or_default().insert(rest);
    }
    by_kind.values().any(|rest| rest.len() > 1)
}
