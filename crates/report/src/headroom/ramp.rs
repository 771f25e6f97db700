//! The ramps of a run as headroom reads them: the steps of one kind of work at rising parallelism or rate, with the
//! median of a figure over the repeats of each step. Points that do not show the platform are left out.

use crate::figures::{any_has, median_of};
use crate::groups::grouped;
use crate::numbers::thousands;
use crate::summary::head::dop_words;
use crate::verdict::REFUSED;
use dbdyno_model::{CellKey, ClientLoad, Commits, Drive, Flag, Mix, Parameters, Point, RunJson, Status};
use dbdyno_model::{Subject, UsableFor};

/// Whether a point shows what the platform can do. What a verdict refuses is no measure here either.
pub(super) fn is_usable(point: &Point) -> bool {
    let doubted = point.suspects.values().any(|suspect| suspect.usable_for() < UsableFor::LowerLimit);
    point.status == Status::Ok && !any_has(&[point], &REFUSED) && !point.has(Flag::ClockJump) && !doubted
}

/// Whether its commits waited for the log, as far as that was proved.
pub(super) fn is_durable(point: &Point) -> bool {
    is_usable(point) && point.commits() == Some(Commits::Durable)
}

/// A figure of a point.
pub(super) type PointFigure = fn(&Point) -> Option<f64>;

/// What the steps of a ramp have in common.
#[derive(Debug, Clone, PartialEq)]
struct RampKey<'r> {
    work: String,
    drive: Drive,
    nodes: u32,
    rows_per_tx: u64,
    cores: Option<u32>,
    load: ClientLoad,
    mix: Option<&'r Mix>,
    parameters: &'r Parameters,
    is_rated: bool,
}

impl<'r> RampKey<'r> {
    fn of(point: &'r Point) -> Self {
        Self {
            work: point.work().into_owned(),
            drive: point.drive,
            nodes: point.dop.nodes,
            rows_per_tx: point.rows_per_tx,
            cores: point.cores,
            load: ClientLoad { rate: None, arrivals: None, queue: None, connections: None, ..point.load },
            mix: point.mix.as_ref(),
            parameters: &point.parameters,
            is_rated: asked(point).is_some(),
        }
    }
}

/// The rate that an open loop asked for.
fn asked(point: &Point) -> Option<f64> {
    point.asked_per_s
}

/// A step of a ramp: the points of one load.
#[derive(Debug, Clone)]
pub(super) struct Step<'r> {
    /// Parallelism, or the rate that was asked for.
    pub(super) x: f64,
    pub(super) points: Vec<&'r Point>,
}

impl Step<'_> {
    /// The median of a figure over the repeats.
    pub(super) fn median(&self, figure: PointFigure) -> Option<f64> {
        median_of(self.points.iter().map(|point| figure(point)))
    }

    /// Its load in words.
    pub(super) fn place(&self) -> String {
        let Some(point) = self.points.first() else { return String::new() };
        let load = point.subject.storage().map_or_else(|| dop_words(point.dop), |storage| storage.load.to_string());
        let rate = asked(point).map(|rate| format!(" at {}/s", thousands(rate))).unwrap_or_default();
        let client = point.drive == Drive::Client && point.subject.storage().is_none();
        format!("{load}{rate}{}", if client { ", client drive" } else { "" })
    }
}

/// A ramp, its steps in order.
#[derive(Debug, Clone)]
pub(super) struct Ramp<'r> {
    pub(super) work: String,
    pub(super) is_rated: bool,
    pub(super) steps: Vec<Step<'r>>,
}

impl Ramp<'_> {
    /// How much it is like the work of an application: workloads first, then what clients send statement by statement,
    /// then what runs inside the database.
    pub(super) fn likeness(&self) -> u8 {
        let first = self.steps.iter().flat_map(|step| &step.points).next();
        match first.map(|point| (&point.subject, point.drive)) {
            Some((Subject::Workload(_), _)) => 3,
            Some((Subject::Test(_), Drive::Client)) => 2,
            Some((Subject::Test(_), Drive::Server)) => 1,
            _ => 0,
        }
    }

    /// Its name and its extent in words.
    pub(super) fn words(&self) -> String {
        let what = if self.is_rated { "set rates" } else { "degrees of parallelism" };
        format!("{}, {} {what}", self.work, self.steps.len())
    }
}

/// All ramps of a run over its points that pass; a single point is a ramp of one step.
pub(super) fn ramps<'r>(run: &'r RunJson, passes: impl Fn(&Point) -> bool) -> Vec<Ramp<'r>> {
    let passed = run.points.iter().filter(|point| passes(point));
    let ramp = |(key, points): (RampKey<'r>, Vec<&'r Point>)| {
        let x = |point: &Point| asked(point).unwrap_or(point.dop.parallelism() as f64);
        // A measurement of the best step again is a repeat of it here.
        let cell = |point: &Point| (x(point), CellKey { again: false, ..CellKey::of(point) });
        let steps = grouped(points.into_iter().map(|point| (cell(point), point)));
        let mut steps: Vec<Step<'r>> = steps.into_iter().map(|((x, _), points)| Step { x, points }).collect();
        steps.sort_by(|a, b| a.x.total_cmp(&b.x));
        Ramp { work: key.work, is_rated: key.is_rated, steps }
    };
    grouped(passed.map(|point| (RampKey::of(point), point))).into_iter().map(ramp).collect()
}
