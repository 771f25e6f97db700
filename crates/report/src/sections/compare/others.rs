//! Published series over something other than jobs and threads, side by side.

use super::sides::columns;
use crate::compare::{Comparison, OtherSeries, OtherSeriesRow};
use crate::document::{Block, Caption, Cell, Column, Form, Keep, Look, Part, Row, Section, Table};
use crate::legend::SUSPECT;

/// The section; without blocks where no two sides have such a series.
pub(super) fn section(comparison: &Comparison) -> Section {
    let about = " over something else than jobs and threads, as printed";
    let mut section = Section::new("others", "Other series").titled("Other series", about);
    let parts: Vec<Part> = comparison.others.iter().map(|other| part(comparison, other)).collect();
    if !parts.is_empty() {
        section.push(Block::Pairs(parts));
    }
    section
}

fn part(comparison: &Comparison, other: &OtherSeries) -> Part {
    let mut all = vec![Column::made(other.by.replace('_', " "), Keep::Always)];
    all.extend(columns(comparison));
    let row = |row: &OtherSeriesRow| {
        let cells = row.values.iter().zip(&row.suspects).map(|(value, suspect)| {
            let mark = if suspect.is_some() { SUSPECT.to_string() } else { String::new() };
            Cell::figure(*value, Form::Printed).marked(mark)
        });
        Row::Cells(std::iter::once(Cell::figure(row.at, Form::Printed)).chain(cells).collect())
    };
    let title = format!("{}: {}", other.title, other.key.replace('_', " "));
    let caption = Caption::Page(format!("{} {}", other.test, other.key.replace('_', " ")));
    let table = Table::new(caption, all, other.rows.iter().map(row).collect()).look(Look::Sides);
    Part { code: other.test.clone(), title, blocks: vec![table.into()], ..Part::default() }
}
