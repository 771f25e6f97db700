//! Speed and throughput of every test on every side, coloured row by row by the share of the best that a figure is.

use super::sides::columns;
use crate::compare::{ComparedCell, ComparedRow, Comparison, KeyFigure, Rank};
use crate::document::{self, Caption, Cell, Column, Form, Keep, Look, Row, Section, Table};
use crate::legend::{EQUIVALENT, SUSPECT, letter};
use dbdyno_model::UsableFor;

/// Marks a figure that is shown but not used.
pub(super) const UNUSED: char = '!';
/// Marks a figure that is only a lower limit.
pub(super) const LIMIT: char = '>';
/// Marks a figure that a side has under another code than its row's.
pub(super) const OTHER_CODE: char = '&';

/// Which figure a section has, its anchor, its name, and what the figure is.
const SECTIONS: [(KeyFigure, &str, &str, &str); 2] = [
    (KeyFigure::Speed, "heat-speed", "Speed", " (1 node x 1 job x 1 thread)"),
    (KeyFigure::Throughput, "heat-throughput", "Throughput", " (best at any parallelism)"),
];

/// A section for each figure; without blocks where no two sides have such.
pub(super) fn sections(comparison: &Comparison) -> impl Iterator<Item = Section> {
    SECTIONS.into_iter().map(|(which, id, name, about)| {
        let mut section = Section::new(id, name).titled(name, about);
        let rows: Vec<Row> = comparison.rows.iter().filter(|row| row.which == which).map(line).collect();
        if !rows.is_empty() {
            let mut all = vec![
                Column::words("test", "Test", Keep::Always),
                Column::words("title", "Title", Keep::Drop(1)).optional(),
                Column::words("unit", "Unit", Keep::Drop(2)),
            ];
            all.extend(columns(comparison));
            let caption = Caption::Page(format!("{name} by test and platform"));
            section.push(Table::new(caption, all, rows).look(Look::Heat));
        }
        section
    })
}

fn line(row: &ComparedRow) -> Row {
    let keys = [&row.test, &row.heading(), &row.shown_unit].map(Cell::words);
    Row::Cells(keys.into_iter().chain(row.cells.iter().map(|of| cell(row, of))).collect())
}

/// A figure with its rank, its marks, and how it came about.
pub(super) fn cell(row: &ComparedRow, of: &ComparedCell) -> Cell {
    if of.value.is_none() {
        return Cell::figure(None, Form::Thousands).because(of.missing.clone());
    }
    let rank = match of.rank {
        Rank::Best => document::Rank::Best,
        Rank::Worst => document::Rank::Worst,
        Rank::Between | Rank::None => document::Rank::None,
    };
    let apart = of.doubtful || of.unlike.is_some() || row.unlike_sizes;
    Cell::words(&of.text).doubtful(apart).marked(marks(of)).ranked(rank, of.heat).because(Some(about(of)))
}

/// The mark of a doubt.
pub(super) fn doubt(of: &ComparedCell) -> Option<char> {
    of.suspect.as_ref()?;
    Some(match of.usable_for {
        UsableFor::LowerLimit => LIMIT,
        UsableFor::Nothing | UsableFor::NotForComparison => UNUSED,
        UsableFor::Value => SUSPECT,
    })
}

fn marks(of: &ComparedCell) -> String {
    let equivalent = of.equivalent.as_ref().map(|_| EQUIVALENT);
    let other = of.test.as_ref().map(|_| OTHER_CODE);
    doubt(of).into_iter().chain(other).chain(equivalent).chain(of.flags.iter().map(|flag| letter(*flag))).collect()
}

fn about(of: &ComparedCell) -> String {
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
