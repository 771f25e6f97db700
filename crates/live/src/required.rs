//! What a project requires, as lines in the charts of a live view. A requirement of a figure that readings do not have
//! has no line; `dbdyno verdict` judges all of them.

use crate::RequirementLine;
use dbdyno_catalogue::{MeasuredFigure, Percentile, RequiredFigure, RequiredSubject, Requirement, RequirementLimit};
use dbdyno_report::numbers;

/// Metrics that readings have at once what points have in the end, and their paths in a reading.
const PATHS: [(&str, &str); 8] = [
    ("tx_per_s", "load.ops_per_s"),
    ("ops_per_s", "load.ops_per_s"),
    ("read_iops", "io.read_iops"),
    ("write_iops", "io.write_iops"),
    ("read_mib_per_s", "io.read_mib_per_s"),
    ("write_mib_per_s", "io.write_mib_per_s"),
    ("read_service_time_s", "io.read_service_time_s"),
    ("write_service_time_s", "io.write_service_time_s"),
];

/// The lines of requirements that are about one of these tests or workloads.
#[must_use]
pub fn requirement_lines(requirements: &[Requirement], subjects: &[&str]) -> Vec<RequirementLine> {
    requirements.iter().filter_map(|requirement| line(requirement, subjects)).collect()
}

fn line(requirement: &Requirement, subjects: &[&str]) -> Option<RequirementLine> {
    let RequiredFigure::Measured(figure) = &requirement.of else { return None };
    let subject = match &figure.subject {
        RequiredSubject::Test(code) => code.as_str(),
        // A line is drawn among the figures of all types together.
        RequiredSubject::Workload { name, transaction: None } => name.as_str(),
        RequiredSubject::Workload { .. } | RequiredSubject::Storage { .. } => return None,
    };
    let path = subjects.contains(&subject).then(|| path(figure))??;
    let (bound, value) = match requirement.limit {
        RequirementLimit::Minimum(value) => ("at least", value),
        RequirementLimit::Maximum(value) => ("at most", value),
    };
    let shown = match figure.unit.as_str() {
        "s" => numbers::duration(value),
        unit => format!("{} {unit}", numbers::thousands(value)),
    };
    Some(RequirementLine { path, value, words: format!("{subject}: {}, {bound} {shown}", requirement.title) })
}

fn path(figure: &MeasuredFigure) -> Option<String> {
    let metric = figure.metric.as_str();
    match (metric, figure.percentile) {
        ("service_time_s" | "response_time_s", Some(percentile @ (Percentile::P50 | Percentile::P99))) => {
            let percentile = if percentile == Percentile::P50 { "p50" } else { "p99" };
            Some(format!("load.{metric}.{percentile}"))
        }
        (_, None) => PATHS.iter().find(|(of, _)| *of == metric).map(|(_, path)| (*path).to_owned()),
        (_, Some(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_catalogue::{Catalogue, Requirements};

    #[test]
    fn requirements_of_what_is_measured_are_lines_and_others_are_none() {
        let text = r#"
            title = "x"
            [[requirement]]
            title = "Transactions"
            test = "T711"
            metric = "tx_per_s"
            minimum = 2000
            [[requirement]]
            title = "Tail"
            test = "T711"
            metric = "response_time_s.p99"
            maximum = 0.005
            [[requirement]]
            title = "A tail of which readings know nothing"
            test = "T711"
            metric = "response_time_s.p99_9"
            maximum = 0.05
            [[requirement]]
            title = "Of another test"
            test = "T626"
            metric = "read_iops"
            minimum = 10_000
        "#;
        let requirements = Requirements::parse("x", text, &Catalogue::embedded().unwrap()).unwrap();
        let lines = requirement_lines(&requirements.list, &["T711"]);
        let told: Vec<_> = lines.iter().map(|line| (line.path.as_str(), line.value, line.words.as_str())).collect();
        let expected = [
            ("load.ops_per_s", 2000.0, "T711: Transactions, at least 2,000 1/s"),
            ("load.response_time_s.p99", 0.005, "T711: Tail, at most 5.00 ms"),
        ];
        assert_eq!(told, expected);
    }
}
