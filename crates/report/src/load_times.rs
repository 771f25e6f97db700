//! How long the transactions of each load took: what the table and the page of latency show.

use crate::document::{Cell, Form};
use crate::groups::grouped;
use crate::legend::{is_timed, refusal};
use crate::types::{FAILED, types};
use dbdyno_model::{CellKey, Flag, Point, ResponseTime, RunJson, Status};
use dbdyno_stats::Estimate;

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
        let of = |status| {
            let timed = self.points.iter().copied().filter(|(_, p)| p.service_time_s.is_some());
            timed.filter(move |(_, p)| p.status == status).collect::<Vec<_>>()
        };
        let ok = of(Status::Ok);
        if ok.is_empty() { of(Status::Invalid) } else { ok }
    }

    pub(crate) fn median(&self, figure: impl Fn(&Point) -> Option<f64>) -> Option<f64> {
        Estimate::of(&self.shown().iter().filter_map(|(_, p)| figure(p)).collect::<Vec<_>>()).map(|e| e.median)
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
    fn time_cell(&self, figure: TimeFigure) -> Cell {
        // A time that lies among the failures of one repeat is not the time of the others.
        let lacks = |p: &Point| self.times(p).is_some_and(|t| t.max.is_some() && figure(t).is_none());
        let is_failed = self.shown().iter().any(|(_, p)| lacks(p) && p.has(Flag::Errors));
        if is_failed { Cell::words(FAILED) } else { Cell::figure(self.time(figure), Form::Duration) }
    }

    /// The waits for a connection, where jobs share connections.
    pub(crate) fn waits<const N: usize>(&self, figures: [TimeFigure; N]) -> Option<[Option<f64>; N]> {
        let waits = figures.map(|figure| self.median(|p| p.connection_wait_s.as_ref().and_then(figure)));
        waits.iter().any(Option::is_some).then_some(waits)
    }

    /// A line for all transactions, one for each of several types, and one for the waits. A line has a label, the rate
    /// asked for, the rate reached, the kind of time, and the times. `labels` are those of the first line and the last.
    pub(crate) fn lines<const N: usize>(
        &self,
        labels: [&str; 2],
        figures: [TimeFigure; N],
        doubtful: bool,
    ) -> Vec<Vec<Cell>> {
        let open = self.is_open();
        let kind = if open { "response" } else { "service" };
        let line = |label: &str, rates: [Cell; 2], kind: &str, times: [Cell; N]| -> Vec<Cell> {
            let [asked, reached] = rates;
            [Cell::words(label), asked, reached, Cell::words(kind)].into_iter().chain(times).collect()
        };
        let rate = |value: Option<f64>| Cell::figure(value, Form::Thousands);
        let reached = rate(self.median(|p| p.ops_per_s)).doubtful(doubtful);
        let asked = Cell::known(self.median(|p| p.asked_per_s), Form::Thousands);
        let of_all = line(labels[0], [asked, reached], kind, figures.map(|figure| self.time_cell(figure)));
        let points: Vec<&Point> = self.shown().into_iter().map(|(_, point)| point).collect();
        let of_types = types(&points).into_iter().map(|of_type| {
            let times = figures.map(|figure| of_type.time_cell(open, figure));
            line(&of_type.label, [Cell::empty(), rate(of_type.reached_per_s())], kind, times)
        });
        let waits = self.waits(figures).map(|waits| {
            line(labels[1], [Cell::empty(), Cell::empty()], "wait", waits.map(|s| Cell::figure(s, Form::Duration)))
        });
        [of_all].into_iter().chain(of_types).chain(waits).collect()
    }
}
