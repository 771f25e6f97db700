//! How long single operations take under a load, on every side: transactions that dbdyno timed, and I/Os that it issued
//! itself. The loads are those of each side's newest run.

use super::side::Side;
use crate::figures::is_doubtful;
use crate::groups::{grouped, unique};
use crate::legend::is_timed;
use crate::load_times::LoadTimes;
use crate::sections::latency::{load_words, place};
use crate::summary::head::counted;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{CellKey, ClientLoad};
use serde::Serialize;

/// What a load is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LoadUnit {
    /// Operations per second that were asked for.
    Rate,
    /// Jobs, each of which begins an operation when the last one has ended.
    Jobs,
    /// I/Os outstanding at any moment.
    Outstanding,
}

/// One kind of work under several loads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedTimes {
    /// The test, or the kind of I/O.
    pub test: String,
    /// Its title.
    pub title: String,
    /// What all its loads have in common.
    pub place: String,
    /// What they are counted in.
    pub unit: LoadUnit,
    /// The loads, the lowest first.
    pub loads: Vec<ComparedLoad>,
}

/// One load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ComparedLoad {
    /// The load in words.
    pub load: String,
    /// The times of each side that was put under it.
    pub sides: Vec<Option<SideTimes>>,
}

/// The times of one side: medians of the repeats.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SideTimes {
    /// The load.
    pub at: f64,
    /// Half of the operations took no longer; absent where these are among those that failed.
    pub p50: Option<f64>,
    /// 99 % of them took no longer.
    pub p99: Option<f64>,
    /// The longest that succeeded.
    pub max: Option<f64>,
    /// Whether they are response times, from the moment at which an operation was due.
    pub from_due: bool,
    /// Whether the rate was missed, or the times mean something other than the test.
    pub doubtful: bool,
    /// The points, by their indexes in the run.
    #[serde(skip)]
    pub(crate) points: Vec<usize>,
}

/// What loads of one kind of work have in common.
type Work = (String, String, LoadUnit);

/// The times of what two sides have timed, of these tests alone.
pub(super) fn of(sides: &[Side], tests: &[String], catalogue: &Catalogue) -> Vec<ComparedTimes> {
    let all = sides.iter().enumerate().flat_map(|(side, of)| {
        let run = of.runs.first().into_iter();
        let loads = run.flat_map(|run| {
            LoadTimes::of(run, is_timed).into_iter().chain(LoadTimes::of(run, |p| p.subject.storage().is_some()))
        });
        loads.map(move |load| (load, side))
    });
    let all: Vec<(LoadTimes<'_>, usize)> = all.collect();
    let timed = all.iter().filter_map(|(load, side)| {
        let (work, words, times) = timed(load)?;
        tests.contains(&work.0).then_some((work, (words, *side, times)))
    });
    let compared = grouped(timed).into_iter().filter(|(_, of)| unique(of.iter().map(|(_, side, _)| *side)).len() > 1);
    let one = |((test, place, unit), of): (Work, Vec<(String, usize, SideTimes)>)| {
        let loads = grouped(of.into_iter().map(|(words, side, times)| (words, (side, times))));
        let load = |(load, of): (String, Vec<(usize, SideTimes)>)| {
            let of_side = |side| of.iter().find(|(at, _)| *at == side).map(|(_, times)| times.clone());
            ComparedLoad { load, sides: (0..sides.len()).map(of_side).collect() }
        };
        let mut loads: Vec<ComparedLoad> = loads.into_iter().map(load).collect();
        loads.sort_by(|a, b| a.at().total_cmp(&b.at()));
        let title = catalogue.test(&test).map_or_else(|_| String::new(), |test| test.title.clone());
        ComparedTimes { test, title, place, unit, loads }
    };
    compared.map(one).collect()
}

impl ComparedLoad {
    fn at(&self) -> f64 {
        self.sides.iter().flatten().map(|times| times.at).fold(f64::INFINITY, f64::min)
    }
}

/// The work of a load, the load in words, and its times; `None` where it has none.
fn timed(of: &LoadTimes<'_>) -> Option<(Work, String, SideTimes)> {
    let shown = of.shown();
    let (_, point) = shown.first()?;
    let key = &of.key;
    let storage = point.subject.storage().map(|storage| storage.load.outstanding());
    let unit = match storage {
        _ if of.is_open() => LoadUnit::Rate,
        Some(_) => LoadUnit::Outstanding,
        None => LoadUnit::Jobs,
    };
    let outstanding = |n: u32| format!("{n} outstanding");
    let (place, words, at) = match (unit, storage) {
        (LoadUnit::Rate, Some(n)) => (outstanding(n), load_words(&key.load), of.median(|p| p.asked_per_s)?),
        (LoadUnit::Rate, None) => (place(key), load_words(&key.load), of.median(|p| p.asked_per_s)?),
        (_, Some(n)) => (String::new(), outstanding(n), f64::from(n)),
        (_, None) => (closed_loop(key), counted(key.dop.jobs.into(), "job"), f64::from(key.dop.jobs)),
    };
    let mix = point.mix.as_ref().map(|mix| format!("mix {mix}"));
    let parameters = (!point.parameters.is_empty()).then(|| point.parameters.to_string());
    let cores = point.cores.map(|cores| counted(cores.into(), "core"));
    let chosen = mix.into_iter().chain(parameters).chain(cores);
    let place = [place].into_iter().filter(|place| !place.is_empty()).chain(chosen).collect::<Vec<_>>().join(", ");
    let times = SideTimes {
        at,
        p50: of.time(|t| t.p50),
        p99: of.time(|t| t.p99),
        max: of.time(|t| t.max),
        from_due: of.is_open(),
        doubtful: of.is_unmet() || is_doubtful(&of.flags()),
        points: shown.iter().map(|(place, _)| *place).collect(),
    };
    times.max?;
    Some(((point.work().into_owned(), place, unit), words, times))
}

/// What the steps of a ramp in a closed loop have in common. The first may have as many connections as jobs.
fn closed_loop(key: &CellKey) -> String {
    let counts = [(key.dop.nodes.into(), "node"), (key.dop.threads.into(), "thread")];
    let several = counts.into_iter().filter(|(n, _)| *n > 1).map(|(n, what)| counted(n, what));
    let rows = (key.rows_per_tx > 0).then(|| format!("{} per transaction", counted(key.rows_per_tx, "row")));
    let load = load_words(&ClientLoad { connections: None, ..key.load });
    std::iter::once(load).chain(several).chain(rows).collect::<Vec<_>>().join(", ")
}
