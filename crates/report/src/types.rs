//! The transactions of a workload by type, if it has several: a line for each, below the line for all together.

use dbdyno_model::{Point, TransactionType};

/// In place of a percentile that lies among failed transactions.
pub(crate) const FAILED: &str = "failed";

/// One type in the repeats of a load: its name and its weight, and what it did in each point.
pub(crate) type TypeRepeats<'a> = (String, Vec<(&'a Point, &'a TransactionType)>);

/// The types of the points of one load; empty where the work has only one, and that one was not chosen by a mix.
pub(crate) fn types<'a>(points: &[&'a Point]) -> Vec<TypeRepeats<'a>> {
    let first = points.first().map(|point| point.transactions.as_slice()).unwrap_or_default();
    let is_told = first.len() > 1 || points.iter().any(|point| point.mix.is_some() || !point.parameters.is_empty());
    let all: u64 = first.iter().map(|of_type| u64::from(of_type.weight)).sum();
    let of_type = |TransactionType { name, weight, .. }: &TransactionType| {
        let repeats = points.iter().filter_map(|p| Some((*p, p.transactions.iter().find(|t| t.name == *name)?)));
        (format!("  {name} ({weight} of {all})"), repeats.collect::<Vec<_>>())
    };
    first.iter().filter(|_| is_told).map(of_type).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::{Outcomes, TestCode};

    fn repeat(ops_per_s: [f64; 2]) -> Point {
        let types = [("transfer", 4), ("balance", 1)].into_iter().zip(ops_per_s);
        let of_type = |((name, weight), per_s): ((&str, u32), f64)| TransactionType {
            name: name.to_owned(),
            weight,
            ops: None,
            ops_per_s: Some(per_s),
            service_time_s: None,
            response_time_s: None,
            outcomes: Outcomes::default(),
        };
        let mut point = Point::new(TestCode::new("T611").unwrap(), "2026-03-14T09:26:53Z".parse().unwrap());
        point.transactions = types.map(of_type).collect();
        point
    }

    #[test]
    fn each_of_several_types_has_a_line_with_its_repeats() {
        let first = repeat([400.0, 100.0]);
        let second = repeat([440.0, 110.0]);
        let told = types(&[&first, &second]);
        let labels: Vec<&str> = told.iter().map(|(label, _)| label.as_str()).collect();
        assert_eq!(labels, ["  transfer (4 of 5)", "  balance (1 of 5)"]);
        let rates = told.iter().flat_map(|(_, repeats)| repeats).map(|(_, of_type)| of_type.ops_per_s.unwrap());
        assert_eq!(rates.collect::<Vec<f64>>(), [400.0, 440.0, 100.0, 110.0]);
        let mut one = first.clone();
        one.transactions.truncate(1);
        assert!(types(&[&one]).is_empty(), "the line of all together says it");
        one.mix = Some("BP=1".parse().unwrap());
        assert_eq!(types(&[&one]).len(), 1, "what a mix chose is named");
    }
}
