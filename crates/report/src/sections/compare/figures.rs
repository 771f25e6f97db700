//! Speed and throughput of every test on every side, coloured row by row by the share of the best that a figure is, and
//! the key metrics of every side.

use super::ratios;
use super::sides::{column, letter, ratio_column, table};
use crate::compare::{ComparedCell, ComparedRow, Comparison, KeyFigure, Rank, SummaryRow};
use crate::document::{self, Caption, Cell, Column, Form, Keep, Look, Note, Row, Section, Table};
use crate::legend::{self, EQUIVALENT, OTHER_CODE};

/// Which figure a section has, its anchor, its name, and what the figure is.
const SECTIONS: [(KeyFigure, &str, &str, &str); 2] = [
    (KeyFigure::Speed, "heat-speed", "Speed", " (1 node x 1 job x 1 thread)"),
    (KeyFigure::Throughput, "heat-throughput", "Throughput", " (best at any parallelism)"),
];

/// A section for each figure; without blocks where no two sides have such.
pub(super) fn sections(comparison: &Comparison) -> impl Iterator<Item = Section> {
    SECTIONS.into_iter().map(|(which, id, name, about)| {
        let mut section = Section::new(id, name).titled(name, about);
        let first = [
            Column::words("test", "Test", Keep::Always),
            Column::words("title", "Title", Keep::Drop(1)).optional(),
            Column::words("unit", "Unit", Keep::Drop(2)),
        ];
        let rows = comparison.rows.iter().filter(|row| row.which == which).map(line).collect();
        section.push(table(comparison, &format!("{name} by test and platform"), &first, rows).look(Look::Heat));
        section
    })
}

fn line(row: &ComparedRow) -> Row {
    Row::led([&row.test, &row.heading(), &row.shown_unit], row.cells.iter().map(|of| cell(row, of)))
}

/// A figure with its rank, its marks, and how it came about.
pub(super) fn cell(row: &ComparedRow, of: &ComparedCell) -> Cell {
    let Some((value, form)) = of.shown else {
        return Cell::figure(None, Form::Thousands).because(of.missing.clone());
    };
    let rank = match of.rank {
        Rank::Best => document::Rank::Best,
        Rank::Worst => document::Rank::Worst,
        Rank::Between | Rank::None => document::Rank::None,
    };
    let apart = of.doubtful || of.unlike.is_some() || row.unlike_sizes;
    let cell = Cell::figure(value, form).bounded(of.bound);
    cell.doubtful(apart).marked(marks(of)).ranked(rank, of.heat).because(Some(about(of)))
}

/// The marks behind a figure.
pub(crate) fn marks(of: &ComparedCell) -> String {
    let equivalent = of.equivalent.as_ref().map(|_| EQUIVALENT);
    let other = of.test.as_ref().map(|_| OTHER_CODE);
    legend::doubt(of.suspect.as_ref())
        .into_iter()
        .chain(other)
        .chain(equivalent)
        .chain(of.flags.iter().map(|flag| legend::letter(*flag)))
        .collect()
}

/// How a figure came about.
pub(crate) fn about(of: &ComparedCell) -> String {
    let mut parts: Vec<String> = of.dop.iter().map(|dop| format!("at {dop}")).collect();
    if of.values.len() > 1 {
        parts.push(format!("median of {} runs", of.values.len()));
    }
    parts.extend(of.test.as_ref().map(|code| format!("measured as {code}")));
    parts.extend(of.unlike.clone());
    parts.extend(of.suspect.as_ref().map(|s| format!("{}: {}", s.names(), s.why)));
    parts.extend(of.equivalent.as_ref().map(|how| format!("equivalent: {how}")));
    parts.join("; ")
}

/// The summary of every side beside the others', layer by layer: what is done in a second, how long one operation
/// takes, how it scales, and how many times as much each is of the baseline's. Without blocks where no side has a line
/// of it.
pub(super) fn summary(comparison: &Comparison) -> Section {
    let mut section = Section::new("summary", "Side by side").titled("Side by side", ": the key metrics of every side");
    if comparison.summary.is_empty() {
        return section;
    }
    let mut columns = vec![
        Column::words("metric", "Metric", Keep::Always),
        Column::words("test", "Test", Keep::Drop(1)),
        Column::words("unit", "Unit", Keep::Drop(2)),
    ];
    for at in 0..comparison.sides.len() {
        columns.push(column(comparison, at));
        columns.extend((at != comparison.baseline).then(|| ratio_column(comparison, at)));
    }
    let mut rows = Vec::new();
    for group in &comparison.summary {
        rows.push(Row::Group(group.title.clone()));
        for of_name in group.rows.chunk_by(|above, below| above.name == below.name) {
            rows.extend(of_name.iter().enumerate().map(|(n, of)| summary_line(comparison, of, n > 0)));
        }
    }
    section.push(Table::new(Caption::Page("Key metrics of every side".to_owned()), columns, rows).look(Look::Heat));
    let (base, other) = (letter(comparison.baseline), letter(usize::from(comparison.baseline == 0)));
    section.push(Note::plain(format!(
        "Throughput is the best at any parallelism, the time is that of one operation there, and scaling is throughput over \
         the speed of one job. {other}/{base} is the figure of {other} over that of {base}; where neither better nor worse \
         stands behind it, no difference was shown. Figures in parentheses are neither ranked nor divided."
    )));
    section
}

/// What is done in a second, its time or its scaling, with each side's ratio to the baseline behind its figure.
fn summary_line(comparison: &Comparison, line: &SummaryRow, is_further: bool) -> Row {
    let row = &line.row;
    let name = match (is_further, row.which) {
        (false, _) => line.name.clone(),
        (true, KeyFigure::Time) => "  time of one".to_owned(),
        (true, KeyFigure::Scaling) => "  scaling".to_owned(),
        (true, KeyFigure::Speed | KeyFigure::Throughput) => format!("  in {}", row.shown_unit),
    };
    let cells = row.cells.iter().enumerate().flat_map(|(at, of)| {
        let ratio = || of.ratio.as_ref().map_or_else(Cell::empty, ratios::cell);
        [cell(row, of)].into_iter().chain((at != comparison.baseline).then(ratio))
    });
    Row::led([name.as_str(), if is_further { "" } else { &row.test }, &row.shown_unit], cells)
}
