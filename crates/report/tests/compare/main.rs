//! Comparisons: the documents' heatmaps from the platform files alone, and conclusions about samples.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

#[path = "../fixture/mod.rs"]
mod fixture;
mod heatmaps;
mod in_turn;
mod latency;
mod like;
mod pipeline;
mod samples;
mod summary;

use dbdyno_catalogue::Catalogue;
use dbdyno_model::{RunId, RunJson};
use dbdyno_report::Extent;
use dbdyno_report::compare::{self, CompareOptions, ComparedRow, Comparison, KeyFigure, RatioVerdict, Side};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden_platforms")
}

fn golden(name: &str, text: &str) {
    let path = folder().join(format!("{name}.txt"));
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert!(expected == text, "{name} differs from its golden file. It is now:\n{text}");
}

fn catalogue() -> Catalogue {
    Catalogue::embedded().unwrap()
}

fn platforms(ids: &[&str], catalogue: &Catalogue) -> Vec<Side> {
    ids.iter().map(|id| Side::new(*id, vec![catalogue.platform(id).unwrap()])).collect()
}

fn compared(sides: &[Side], options: &CompareOptions<'_>) -> Comparison {
    compare::compare(sides, options, &catalogue()).unwrap()
}

/// A run whose T611 did this many transactions/s with one job, and twice as many with two.
fn run(id: &str, tx_per_s: f64) -> RunJson {
    let point = |jobs: u32| {
        let mut point = fixture::bare("T611", (1, jobs, 1));
        point.tx_per_s = Some(tx_per_s * f64::from(jobs));
        point
    };
    let whole = fixture::run();
    let header = dbdyno_model::Run { id: RunId::new(id).unwrap(), ..whole.run };
    RunJson::new(header, whole.platform, whole.database, vec![point(1), point(2)])
}

fn sample(name: &str, rates: &[f64]) -> Side {
    let runs = rates.iter().enumerate().map(|(n, rate)| run(&format!("{name}{n}"), *rate)).collect();
    Side::new(name, runs)
}

fn verdict(comparison: &Comparison) -> RatioVerdict {
    comparison.rows[0].cells[1].ratio.as_ref().unwrap().verdict
}

fn throughput(comparison: &Comparison) -> &ComparedRow {
    comparison.rows.iter().find(|row| row.which == KeyFigure::Throughput).unwrap()
}

/// The text of a comparison of these sides.
fn text(comparison: &Comparison, show: Extent, width: Option<u16>) -> String {
    comparison.document(&[], &[], &catalogue(), show).text(width)
}
