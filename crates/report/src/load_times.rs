//! How long the transactions of each load took: what the table and the page of latency show.

use crate::document::{Cell, Form};
use crate::figures::median_of;
use crate::groups::grouped;
use crate::legend::{is_timed, refusal};
use crate::types::FAILED;
use dbdyno_model::{CellKey, Flag, Point, ResponseTime, RunJson, Status};

/// A figure of a distribution of times.
pub(crate) type TimeFigure = fn(&ResponseTime) -> Option<f64>;

/// The times of one load: its key, and its repeats with their indexes in the run.
pub(crate) struct LoadTimes<'a> {
    pub(crate) key: CellKey,
    pub(crate) points: Vec<(usize, &'a Point)>,
}

impl<'a> LoadTimes<'a> {
    /// The loads of a run whose transactions dbdyno timed, in its order.
    pub(crate) fn of(run: &'a RunJson) -> Vec<Self> {
        Self::of_points(run, is_timed)
    }

    /// The loads of a run that put I/Os on storage itself.
    pub(crate) fn of_storage(run: &'a RunJson) -> Vec<Self> {
        Self::of_points(run, |point| point.subject.storage().is_some())
    }

    fn of_points(run: &'a RunJson, is_meant: fn(&Point) -> bool) -> Vec<Self> {
        let points = run.points.iter().enumerate().filter(|(_, p)| is_meant(p) && !p.again);
        let loads = grouped(points.map(|(place, point)| (CellKey::of(point), (place, point))));
        loads.into_iter().map(|(key, points)| Self { key, points }).collect()
    }

    /// The repeats to show: the valid ones, or if there are none, those that missed their rate.
    pub(crate) fn shown(&self) -> Vec<(usize, &'a Point)> {
        let timed = || self.points.iter().copied().filter(|(_, p)| p.service_time_s.is_some());
        let status = if timed().any(|(_, p)| p.status == Status::Ok) { Status::Ok } else { Status::Invalid };
        timed().filter(|(_, p)| p.status == status).collect()
    }

    pub(crate) fn median(&self, figure: impl Fn(&Point) -> Option<f64>) -> Option<f64> {
        median_of(self.shown().iter().map(|(_, p)| figure(p)))
    }

    pub(crate) fn is_open(&self) -> bool {
        self.key.load.rate.is_some()
    }

    pub(crate) fn is_unmet(&self) -> bool {
        self.shown().iter().any(|(_, p)| p.status == Status::Invalid)
    }

    /// The flags of the repeats that are shown.
    pub(crate) fn flags(&self) -> Vec<Flag> {
        self.shown().iter().flat_map(|(_, p)| p.flags.iter().copied()).collect()
    }

    /// Why a repeat has no figures.
    pub(crate) fn refusal(&self) -> Option<String> {
        self.points.iter().rev().find_map(|(_, p)| refusal(p))
    }

    /// Response times of an open loop, service times of a closed one.
    fn times<'p>(&self, point: &'p Point) -> Option<&'p ResponseTime> {
        if self.is_open() { point.response_time_s.as_ref() } else { point.service_time_s.as_ref() }
    }

    pub(crate) fn time(&self, figure: TimeFigure) -> Option<f64> {
        self.median(|p| self.times(p).and_then(figure))
    }

    /// The time, or that it lies among the failures of a repeat.
    pub(crate) fn time_cell(&self, figure: TimeFigure) -> Cell {
        // A time that lies among the failures of one repeat is not the time of the others.
        let lacks = |p: &Point| self.times(p).is_some_and(|t| t.max.is_some() && figure(t).is_none());
        let is_failed = self.shown().iter().any(|(_, p)| lacks(p) && p.has(Flag::Errors));
        if is_failed { Cell::words(FAILED) } else { Cell::figure(self.time(figure), Form::Duration) }
    }
}
