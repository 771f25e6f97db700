//! By which factor the layers differ: what a side's throughput is of the baseline's, over the tests of a layer that all
//! sides have, that may be divided, and that all do by the same means.

use super::row::{ComparedCell, ComparedRow, KeyFigure, LayerFactor, LayerFactors};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Better, Layer};

/// The layers in the order of the reports.
pub(crate) const LAYERS: [Layer; 4] = [Layer::Cpu, Layer::Server, Layer::Storage, Layer::Database];

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
