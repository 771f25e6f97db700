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
    let is_chosen = points.iter().any(|point| point.mix.is_some() || !point.parameters.is_empty());
    of_repeats(&points.iter().map(|point| point.transactions.as_slice()).collect::<Vec<_>>(), is_chosen)
}

fn of_repeats<'a>(repeats: &[&'a [TransactionType]], is_chosen: bool) -> Vec<TypeFigures<'a>> {
    let Some(first) = repeats.first().filter(|types| types.len() > 1 || is_chosen) else { return Vec::new() };
    let all: u64 = first.iter().map(|of_type| u64::from(of_type.weight)).sum();
    let of_type = |of_type: &TransactionType| TypeFigures {
        label: format!("  {} ({} of {all})", of_type.name, of_type.weight),
        repeats: repeats.iter().filter_map(|types| types.iter().find(|t| t.name == of_type.name)).collect(),
    };
    first.iter().map(of_type).collect()
}

impl TypeFigures<'_> {
    fn median(&self, figure: impl Fn(&TransactionType) -> Option<f64>) -> Option<f64> {
        median_of(self.repeats.iter().map(|t| figure(t)))
    }

    /// Transactions per second that succeeded.
    pub(crate) fn reached_per_s(&self) -> Option<f64> {
        self.median(|of_type| of_type.ops_per_s)
    }

    /// A time, or that it lies among the failures of a repeat: the response time of an open loop, else the service
    /// time.
    pub(crate) fn time_cell(&self, open: bool, figure: fn(&ResponseTime) -> Option<f64>) -> Cell {
        let times = |t: &TransactionType| if open { t.response_time_s.clone() } else { t.service_time_s.clone() };
        let is_failed = |t: &&TransactionType| times(t).is_some_and(|t| t.max.is_some() && figure(&t).is_none());
        let time = self.median(|t| times(t).as_ref().and_then(figure));
        if self.repeats.iter().any(is_failed) { Cell::words(FAILED) } else { Cell::figure(time, Form::Duration) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::Outcomes;

    fn repeat(ops_per_s: [f64; 2], p99: [Option<f64>; 2]) -> Vec<TransactionType> {
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
        types.map(of_type).collect()
    }

    #[test]
    fn each_of_several_types_has_a_line_with_its_medians() {
        let first = repeat([400.0, 100.0], [Some(0.5), Some(0.1)]);
        let second = repeat([440.0, 110.0], [Some(0.5), None]);
        let told = of_repeats(&[&first, &second], false);
        let labels: Vec<&str> = told.iter().map(|of_type| of_type.label.as_str()).collect();
        assert_eq!(labels, ["  transfer (4 of 5)", "  balance (1 of 5)"]);
        assert_eq!(
            told.iter().map(|t| t.reached_per_s().map(f64::round)).collect::<Vec<_>>(),
            [Some(420.0), Some(105.0)]
        );
        let p99 = |open| told.iter().map(move |t| t.time_cell(open, |t| t.p99).text()).collect::<Vec<_>>();
        assert_eq!(p99(false), ["500 ms", FAILED], "one of the repeats has failures there");
        assert_eq!(p99(true), ["-", "-"]);
        assert!(of_repeats(&[&first[..1]], false).is_empty(), "the line of all together says it");
        assert_eq!(of_repeats(&[&first[..1]], true).len(), 1, "what a mix chose is named");
    }
}
