//! The sides of a comparison: their letters, what they are, and the tables that are about them.

use crate::compare::{Comparison, SideInfo};
use crate::document::SideLine;
use crate::sections::prelude::*;

/// The letters of sides: as many as there may be sides.
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRST";
/// Up to this many sides have their names in the heads of a page's columns; more have letters.
const MOST_NAMED: usize = 6;

/// The short name of a side.
pub(super) fn letter(side: usize) -> &'static str {
    LETTERS.get(side..=side).unwrap_or("?")
}

/// A column of words for each side.
pub(super) fn word_columns(comparison: &Comparison) -> Vec<Column> {
    let sides = comparison.sides.iter().enumerate();
    sides.map(|(at, side)| Column { more: side.name.clone(), ..Column::words(letter(at)) }).collect()
}

/// The baseline: `A (before)`.
pub(super) fn baseline(comparison: &Comparison) -> String {
    format!("{} ({})", letter(comparison.baseline), comparison.sides[comparison.baseline].name)
}

/// Colours of a style sheet; a style is a stroke times their number, and a colour.
const COLOURS: u8 = 8;
/// The strokes of families: whole lines, dashes and dots, dots. Of stroke 0 each colour has a stroke of its own.
const STROKES: [u8; 3] = [3, 1, 2];

/// The style of each side's lines. Those of a family share a stroke, and each side has a colour of its own where there
/// are enough.
pub(super) fn styles(comparison: &Comparison) -> Vec<u8> {
    let sides = &comparison.sides;
    let families = unique(sides.iter().filter_map(|side| side.family.as_deref()));
    let mut styles: Vec<u8> = Vec::new();
    for (at, side) in (0_u8..).zip(sides) {
        let family = side.family.as_deref().and_then(|family| families.iter().position(|known| *known == family));
        let first = COLOURS * family.map_or(0, |family| STROKES[family % STROKES.len()]);
        let mut of_stroke = (0..COLOURS).map(|n| first + (at + n) % COLOURS);
        let style = of_stroke.find(|style| !styles.contains(style)).unwrap_or(first + at % COLOURS);
        // Without families each side has a style of its own, as there are more styles than sides.
        styles.push(if families.is_empty() { at } else { style });
    }
    styles
}

/// What lines of one stroke have in common, where platform files say it.
pub(super) fn families(comparison: &Comparison) -> Option<Note> {
    let sides = comparison.sides.iter().enumerate();
    let families = grouped(sides.filter_map(|(at, side)| Some((side.family.as_deref()?, letter(at)))));
    let named = families.into_iter().map(|(family, letters)| format!("{family} {}", letters.join(", ")));
    let named = Some(joined(named, "; ")).filter(|named| !named.is_empty())?;
    Some(Note::plain(format!("Lines of a family have the same stroke: {named}.")))
}

/// The line of a side in a chart.
pub(super) fn series(comparison: &Comparison, at: usize, marks: Vec<Mark>) -> ChartSeries {
    let name = format!("{} {}", letter(at), comparison.sides[at].name);
    ChartSeries::new(name, styles(comparison)[at].into(), marks)
}

/// What each side is.
pub(super) fn lines(comparison: &Comparison) -> Vec<SideLine> {
    let styles = styles(comparison);
    let line = |(at, side): (usize, &SideInfo)| {
        let runs = if side.runs.len() > 1 { format!(", a sample of {} runs", side.runs.len()) } else { String::new() };
        SideLine {
            letter: letter(at).to_owned(),
            style: styles[at],
            name: side.name.clone(),
            text: format!("{}{runs}", side.title),
            is_baseline: at == comparison.baseline,
        }
    };
    comparison.sides.iter().enumerate().map(line).collect()
}

/// The source documents of published results, each once, with the letters of its sides.
pub(super) fn sources(comparison: &Comparison) -> impl Iterator<Item = Note> {
    let sides = comparison.sides.iter().enumerate();
    let sources = grouped(sides.filter_map(|(at, side)| Some((side.source.as_deref()?, letter(at)))));
    sources.into_iter().map(|(source, letters)| Note::led(format!("Source of {}: ", letters.join(", ")), source))
}

/// The column of a side. On a narrow terminal the last ones are dropped first, and the baseline is not.
pub(super) fn column(comparison: &Comparison, at: usize) -> Column {
    let more = if comparison.sides.len() <= MOST_NAMED { comparison.sides[at].name.clone() } else { String::new() };
    let place = if at == comparison.baseline { 0 } else { (2 * at).saturating_sub(2) };
    Column { more, ..Column::figures(letter(at)) }.last_first(place)
}

/// The column of a side's ratios to the baseline, which is dropped before the side's own.
pub(super) fn ratio_column(comparison: &Comparison, at: usize) -> Column {
    Column::figures(format!("{}/{}", letter(at), letter(comparison.baseline))).last_first((2 * at).saturating_sub(1))
}

/// In place of a ratio: the baseline's own is 1.
pub(super) fn without_ratio(comparison: &Comparison, at: usize) -> Cell {
    if at == comparison.baseline { Cell::words("1") } else { Cell::figure(None, Form::Factor) }
}

/// A table with a column for each side behind those that say what a row is.
pub(super) fn table(comparison: &Comparison, mut table: Table) -> Table {
    table.columns.extend((0..comparison.sides.len()).map(|at| column(comparison, at)));
    table.look(Look::Sides)
}

/// The same, each other side's ratios to the baseline behind its figures.
pub(super) fn table_with_ratios(comparison: &Comparison, mut table: Table) -> Table {
    for at in 0..comparison.sides.len() {
        table.columns.push(column(comparison, at));
        table.columns.extend((at != comparison.baseline).then(|| ratio_column(comparison, at)));
    }
    table.look(Look::Heat)
}
