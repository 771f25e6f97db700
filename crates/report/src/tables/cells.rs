//! The table of cells: median and interval of each test at each DOP.

use super::columns::keys;
use crate::figures;
use crate::layout::{Column, Keep, Row, Sheet};
use crate::legend::{self, marks, refusal};
use crate::numbers::{MISSING, percent, scientific};
use crate::text::hanging;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Cell, CellKey, Flag, Point, RunJson, Status};

use Keep::{Always, Drop};

const COLUMNS: [Column; 15] = [
    Column::left("code", &["Code"], Always),
    Column::right("#N", &["#N"], Drop(4)),
    Column::right("#J", &["#J"], Always),
    Column::right("#T", &["#T"], Always),
    Column::right("TX size", &["TX", "size"], Drop(5)),
    Column::left("storage load", &["Storage"], Drop(6)).optional(),
    Column::right("asked rate", &["Asked"], Always).optional(),
    Column::left("metric", &["Metric"], Drop(3)),
    Column::right("median", &["Median"], Always),
    Column::left("unit", &["Unit"], Always),
    Column::right("low", &["95 %", "from"], Drop(1)),
    Column::right("high", &["", "to"], Drop(2)),
    Column::right("half-width", &["±"], Always),
    Column::right("n", &["n"], Always),
    Column::left("marks", &[], Always),
];

/// One row per cell: the median of its key metric, the 95 % interval, the number of repeats, and flags.
#[must_use]
pub fn cells(run: &RunJson, catalogue: &Catalogue, width: Option<u16>) -> String {
    if run.cells.is_empty() {
        return hanging("", "This run has no cells yet.", width);
    }
    let rows = run.cells.iter().map(|cell| row(cell, run, catalogue)).collect();
    let sheet = Sheet { columns: COLUMNS.to_vec(), rows, gap: 2 };
    let points: Vec<&Point> = run.points.iter().collect();
    let flags: Vec<Flag> = run.cells.iter().flat_map(|c| c.flags.iter().copied()).collect();
    let mut out = sheet.render(width);
    out.push('\n');
    let legend = "± is half the 95 % interval in percent of the median; n counts repeats, 2/3 means that one of three \
                  gave no figure.";
    out.push_str(&hanging("", legend, width));
    out.push_str(&legend::mappings(&points, width));
    out.push_str(&legend::flags(&points, &flags, width));
    out.push_str(&legend::source(run, width));
    out
}

fn row(cell: &Cell, run: &RunJson, catalogue: &Catalogue) -> Row {
    let repeats: Vec<&Point> = run.points.iter().filter(|p| CellKey::of(p) == cell.key).collect();
    let key = &cell.key;
    let code = format!("{}{}", key.subject.name(), if key.again { " again" } else { "" });
    let mut texts = keys(code, key.dop, key.rows_per_tx);
    texts.extend([
        key.subject.storage().map_or_else(String::new, |load| load.work()),
        key.load.rate.map_or_else(String::new, |rate| rate.to_string()),
    ]);
    let Some(median) = cell.median else {
        let reason = repeats.iter().rev().find_map(|p| refusal(p));
        return Row::Remark {
            keys: texts,
            text: reason.unwrap_or_else(|| "no figure: its points have no key metric".into()),
        };
    };
    let metric = cell.metric.as_ref();
    let known_unit = metric.and_then(|id| catalogue.metric(id).ok()).map(|m| m.unit.as_str());
    let own_unit = repeats.iter().find_map(|p| p.metric.as_ref().map(|m| m.unit.as_str()));
    let ok: Vec<&Point> = repeats.iter().copied().filter(|p| p.status == Status::Ok).collect();
    let n = if repeats.len() > cell.n as usize { format!("{}/{}", cell.n, repeats.len()) } else { cell.n.to_string() };
    texts.extend([
        metric.map_or(MISSING, |m| m.as_str()).to_owned(),
        figures::bracketed(scientific(median), &cell.flags),
        known_unit.or(own_unit).unwrap_or(MISSING).to_owned(),
        scientific(cell.low),
        scientific(cell.high),
        percent(half_width_pct(cell)),
        n,
        marks(ok, &cell.flags),
    ]);
    Row::Figures(texts)
}

fn half_width_pct(cell: &Cell) -> Option<f64> {
    Some((cell.high? - cell.low?) / 2.0 / cell.median? * 100.0)
}
