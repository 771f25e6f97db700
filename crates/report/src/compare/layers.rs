//! By which factor the layers differ: what a side's throughput is of the baseline's, over the tests of a layer that all
//! sides have, that may be divided, and that all do by the same means.

use super::side_marks::{head, letter};
use super::{ComparedCell, ComparedRow, Comparison, KeyFigure, LayerFactor, LayerFactors};
use crate::layout::{Column, Keep, Row as Line, Sheet};
use crate::numbers::{MISSING, factor};
use crate::text::hanging;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Better, Layer};

/// The layers in the order of the reports.
const LAYERS: [Layer; 4] = [Layer::Cpu, Layer::Server, Layer::Storage, Layer::Database];

/// The layers that have a test which all sides share.
pub(super) fn of(rows: &[ComparedRow], baseline: usize, catalogue: &Catalogue) -> Vec<LayerFactors> {
    let shared = |row: &&ComparedRow| {
        let mut others = row.cells.iter().enumerate().filter(|(at, _)| *at != baseline);
        let is_native = |cell: &ComparedCell| cell.equivalent.is_none();
        let alike = row.cells.iter().all(|cell| is_native(cell) == is_native(&row.cells[baseline]));
        row.which == KeyFigure::Throughput && alike && others.all(|(_, cell)| gain(row, cell).is_some())
    };
    let rows: Vec<&ComparedRow> = rows.iter().filter(shared).collect();
    let layer_of = |row: &ComparedRow| catalogue.test(&row.test).ok().map(|test| test.layer);
    let factors = |layer: Layer| {
        let rows: Vec<&ComparedRow> = rows.iter().copied().filter(|row| layer_of(row) == Some(layer)).collect();
        let side = |at: usize| if at == baseline { None } else { over(&rows, at) };
        let sides: Vec<_> = (0..rows.first()?.cells.len()).map(side).collect();
        Some(LayerFactors { layer, tests: rows.iter().map(|row| row.test.clone()).collect(), sides })
    };
    LAYERS.into_iter().filter_map(factors).collect()
}

/// How many times as good as the baseline's a figure is, with the ends of its interval where it has one.
fn gain(row: &ComparedRow, cell: &ComparedCell) -> Option<(f64, Option<(f64, f64)>)> {
    let ratio = cell.ratio.as_ref()?;
    let (value, ends) = (ratio.value?, ratio.low.zip(ratio.high));
    Some(match row.better {
        Better::Higher => (value, ends),
        Better::Lower => (1.0 / value, ends.map(|(low, high)| (1.0 / high, 1.0 / low))),
    })
}

fn over(rows: &[&ComparedRow], side: usize) -> Option<LayerFactor> {
    let gains: Vec<_> = rows.iter().map(|row| gain(row, &row.cells[side])).collect::<Option<_>>()?;
    let factors: Vec<f64> = gains.iter().map(|(value, _)| *value).collect();
    let n = factors.len() as f64;
    let mean = (factors.iter().map(|value| value.ln()).sum::<f64>() / n).exp();
    // Independent errors of logarithms add up by their squares.
    let widths: Option<f64> =
        gains.iter().map(|(_, ends)| ends.map(|(low, high)| ((high / low).ln() / 2.0).powi(2))).sum();
    let (low, high) = match widths {
        Some(squares) => (mean * (-squares.sqrt() / n).exp(), mean * (squares.sqrt() / n).exp()),
        None => (factors.iter().copied().fold(f64::MAX, f64::min), factors.iter().copied().fold(f64::MIN, f64::max)),
    };
    Some(LayerFactor { mean, low, high, is_interval: widths.is_some(), factors })
}

/// The words for a layer.
pub(crate) fn words(layer: Layer) -> &'static str {
    match layer {
        Layer::Cpu => "CPU",
        Layer::Server => "Server",
        Layer::Storage => "Storage",
        Layer::Database => "Database",
    }
}

/// A factor with its interval or range: `1.83 (1.20 to 2.70)`.
pub(crate) fn shown(of: &LayerFactor) -> String {
    match of.factors.len() {
        1 if !of.is_interval => factor(of.mean),
        _ => format!("{} ({} to {})", factor(of.mean), factor(of.low), factor(of.high)),
    }
}

/// What is said of the figures in parentheses.
pub(crate) fn meaning(all: &[LayerFactors]) -> &'static str {
    let mut factors = all.iter().flat_map(|layer| layer.sides.iter().flatten());
    match factors.all(|factor| factor.is_interval) {
        true => "In parentheses the 95 % interval over runs.",
        false => "In parentheses the range over the tests, which is no interval: that takes three runs on each side.",
    }
}

/// The biggest gain and the biggest loss of each side: `B: most T141 2.81, least T711 0.52`.
pub(crate) fn extremes(comparison: &Comparison) -> Vec<String> {
    let of_side = |side: usize| {
        let tests = comparison.layers.iter().flat_map(|layer| {
            let factors = layer.sides[side].iter().flat_map(|factor| factor.factors.iter().copied());
            layer.tests.iter().zip(factors)
        });
        let mut all: Vec<(&String, f64)> = tests.collect();
        all.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (least, most) = (all.first()?, all.last()?);
        let end = |word: &str, (test, value): &(&String, f64)| format!("{word} {test} {}", factor(*value));
        Some(format!("{}: {}, {}", letter(side), end("most", most), end("least", least)))
    };
    (0..comparison.sides.len()).filter_map(of_side).collect()
}

/// The section of the text.
pub(super) fn section(comparison: &Comparison, width: Option<u16>) -> Option<(String, Sheet, String)> {
    if comparison.layers.is_empty() {
        return None;
    }
    let others: Vec<usize> = (0..comparison.sides.len()).filter(|at| *at != comparison.baseline).collect();
    let mut columns =
        vec![Column::left("layer", &["Layer"], Keep::Always), Column::right("tests", &["Tests"], Keep::Always)];
    columns.extend(others.iter().map(|at| Column::right(letter(*at), head(*at), Keep::Always)));
    let line = |layer: &LayerFactors| {
        let mut texts = vec![words(layer.layer).to_owned(), layer.tests.len().to_string()];
        texts.extend(others.iter().map(|at| layer.sides[*at].as_ref().map_or(MISSING.to_owned(), shown)));
        Line::Figures(texts)
    };
    let sheet = Sheet { columns, rows: comparison.layers.iter().map(line).collect(), gap: 2 };
    let base = comparison.baseline;
    let heading = format!("Layers: throughput as a multiple of {} ({})", letter(base), comparison.sides[base].name);
    let text = format!(
        "The geometric mean over the same tests of all sides; above 1 is better. {} {}.",
        meaning(&comparison.layers),
        extremes(comparison).join("; ")
    );
    Some((heading, sheet, hanging("", &text, width)))
}
