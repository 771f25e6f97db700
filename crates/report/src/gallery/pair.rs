//! Two runs that were measured in turn: their ratios are those of pairs of points, which no card of one of them has.

use super::card::taken;
use crate::compare::{CompareOptions, Ratio, Side, compare};
use crate::sections::compare::ratios;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::RunJson;
use serde::Serialize;

#[derive(Serialize)]
struct PairJson<'a> {
    key: &'a str,
    /// The rows: test, figure, and the ratio.
    rows: Vec<(&'a str, &'static str, RatioJson)>,
}

#[derive(Serialize)]
struct RatioJson {
    value: Option<f64>,
    text: String,
    why: Option<String>,
}

/// The script with the ratios of a run to the baseline that it was measured in turn with; `None` where it was not.
pub(super) fn script(key: &str, base: &RunJson, other: &RunJson, catalogue: &Catalogue) -> Option<String> {
    let sides = [base, other].map(|run| Side::new(run.run.id.as_str(), vec![run.clone()]));
    let comparison = compare(&sides, &CompareOptions::default(), catalogue).ok()?;
    if comparison.pairs.is_empty() {
        return None;
    }
    let ratio =
        |ratio: &Ratio| RatioJson { value: ratio.value, text: ratios::cell(ratio).text(), why: ratio.why.clone() };
    let rows = comparison.rows.iter().filter_map(|row| {
        let of_other = row.cells.get(1)?.ratio.as_ref()?;
        Some((row.test.as_str(), row.which.words(), ratio(of_other)))
    });
    Some(taken(&PairJson { key, rows: rows.collect() }))
}
