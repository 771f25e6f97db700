//! How long the transactions of each load took: what the table and the page of latency show.

use crate::document::{Cell, Form};
use crate::figures::median_of;
use crate::groups::grouped;
use crate::legend::refusal;
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
    /// The loads of a run of such points, in its order: of transactions that dbdyno timed, or of storage itself.
    pub(crate) fn of(run: &'a RunJson, is_meant: fn(&Point) -> bool) -> Vec<Self> {
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

    /// Of an open loop what is said of its response times, of a closed one what is said of its service times.
    pub(crate) fn either<T>(&self, response: T, service: T) -> T {
        if self.is_open() { response } else { service }
    }

    pub(crate) fn time(&self, figure: TimeFigure) -> Option<f64> {
        self.median(|p| figure(self.either(p.response_time_s.as_ref(), p.service_time_s.as_ref())?))
    }
}

/// A time over repeats, each with its point, or that it lies among the failures of one: then it is not the time of the
/// others.
pub(crate) fn time_cell(repeats: &[(&Point, Option<&ResponseTime>)], figure: TimeFigure) -> Cell {
    let lacks = |time: &ResponseTime| time.max.is_some() && figure(time).is_none();
    let is_failed = repeats.iter().any(|(point, time)| point.has(Flag::Errors) && time.is_some_and(lacks));
    let time = median_of(repeats.iter().map(|(_, time)| time.and_then(figure)));
    if is_failed { Cell::words(FAILED) } else { Cell::figure(time, Form::Duration) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::TestCode;

    #[test]
    fn a_time_among_the_failures_of_a_repeat_is_none_of_the_others() {
        let mut point = Point::new(TestCode::new("T611").unwrap(), "2026-03-14T09:26:53Z".parse().unwrap());
        let times = [Some(0.5), None].map(|p99| ResponseTime { p99, max: Some(1.0), ..ResponseTime::default() });
        let p99 = |point: &Point, times: &[ResponseTime]| {
            let repeats: Vec<_> = times.iter().map(|time| (point, Some(time))).collect();
            time_cell(&repeats, |t| t.p99).text()
        };
        assert_eq!(p99(&point, &times), "500 ms", "no transaction failed: that time was not kept");
        point.flag(Flag::Errors, None);
        assert_eq!([p99(&point, &times[..1]), p99(&point, &times), p99(&point, &[])], ["500 ms", FAILED, "-"]);
    }
}
