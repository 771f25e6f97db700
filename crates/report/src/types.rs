//! The transactions of a workload by type, if it has several: a line for each, below the line for all together.

use crate::document::{Cell, Form};
use crate::figures::median_of;
use dbdyno_model::{Point, ResponseTime, TransactionType};

/// In place of a percentile that lies among failed transactions.
pub(crate) const FAILED: &str = "failed";

/// One type in the repeats of a load.
pub(crate) struct TypeFigures<'a> {
    /// Its name and its weight.
    pub(crate) label: String,
    repeats: Vec<&'a TransactionType>,
}

/// The types of the points of one load; empty where the work has only one, and that one was not chosen by a mix.
pub(crate) fn types<'a>(points: &[&'a Point]) -> Vec<TypeFigures<'a>> {
    let first = points.first().map(|point| point.transactions.as_slice()).unwrap_or_default();
    let is_told = first.len() > 1 || points.iter().any(|point| point.mix.is_some() || !point.parameters.is_empty());
    let all: u64 = first.iter().map(|of_type| u64::from(of_type.weight)).sum();
    let of_type = |of_type: &TransactionType| TypeFigures {
        label: format!("  {} ({} of {all})", of_type.name, of_type.weight),
        repeats: points.iter().filter_map(|p| p.transactions.iter().find(|t| t.name == of_type.name)).collect(),
    };
    first.iter().filter(|_| is_told).map(of_type).collect()
}

impl TypeFigures<'_> {
    /// Transactions per second that succeeded.
    pub(crate) fn reached_per_s(&self) -> Option<f64> {
        median_of(self.repeats.iter().map(|of_type| of_type.ops_per_s))
    }

    /// A time, or that it lies among the failures of a repeat: the response time of an open loop, else the service
    /// time.
    pub(crate) fn time_cell(&self, open: bool, figure: fn(&ResponseTime) -> Option<f64>) -> Cell {
        let times = self.repeats.iter().map(|t| if open { &t.response_time_s } else { &t.service_time_s });
        let is_failed = times.clone().flatten().any(|time| time.max.is_some() && figure(time).is_none());
        let time = median_of(times.map(|time| time.as_ref().and_then(figure)));
        if is_failed { Cell::words(FAILED) } else { Cell::figure(time, Form::Duration) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::{Outcomes, TestCode};

    fn repeat(ops_per_s: [f64; 2], p99: [Option<f64>; 2]) -> Point {
        let types = [("transfer", 4), ("balance", 1)].into_iter().zip(ops_per_s).zip(p99);
        let of_type = |(((name, weight), per_s), p99): (((&str, u32), f64), Option<f64>)| TransactionType {
            name: name.to_owned(),
            weight,
            ops: None,
            ops_per_s: Some(per_s),
            service_time_s: Some(ResponseTime { p99, max: Some(1.0), ..ResponseTime::default() }),
            response_time_s: None,
            outcomes: Outcomes::default(),
        };
        let mut point = Point::new(TestCode::new("T611").unwrap(), "2026-03-14T09:26:53Z".parse().unwrap());
        point.transactions = types.map(of_type).collect();
        point
    }

    #[test]
    fn each_of_several_types_has_a_line_with_its_medians() {
        let first = repeat([400.0, 100.0], [Some(0.5), Some(0.1)]);
        let second = repeat([440.0, 110.0], [Some(0.5), None]);
        let told = types(&[&first, &second]);
        let labels: Vec<&str> = told.iter().map(|of_type| of_type.label.as_str()).collect();
        assert_eq!(labels, ["  transfer (4 of 5)", "  balance (1 of 5)"]);
        assert_eq!(
            told.iter().map(|t| t.reached_per_s().map(f64::round)).collect::<Vec<_>>(),
            [Some(420.0), Some(105.0)]
        );
        let p99 = |open| told.iter().map(move |t| t.time_cell(open, |t| t.p99).text()).collect::<Vec<_>>();
        assert_eq!(p99(false), ["500 ms", FAILED], "one of the repeats has failures there");
        assert_eq!(p99(true), ["-", "-"]);
        let mut one = first.clone();
        one.transactions.truncate(1);
        assert!(types(&[&one]).is_empty(), "the line of all together says it");
        one.mix = Some("BP=1".parse().unwrap());
        assert_eq!(types(&[&one]).len(), 1, "what a mix chose is named");
    }
}
