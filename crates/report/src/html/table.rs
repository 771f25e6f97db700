//! Tables on a page: a caption, heads with units, one row header each, figures aligned to the right.

use crate::document::{Cell, Column, Look, Row, Table, Tone, drawn_sign};
use crate::legend::PARENTHESES;
use crate::numbers::MISSING;
use crate::terminal::lines::clean;
use maud::{Markup, html};

/// Shades from nothing to the best, one for each 5 %: 5 % less is to look like 5 % less.
const SHADES: f64 = 20.0;
/// With more columns figures are set smaller, so that they fit on paper.
const MOST_AT_FULL_SIZE: usize = 14;
/// The same for figures of sides, which have marks of their own.
const MOST_SIDES_AT_FULL_SIZE: usize = 11;
/// The room for more marks than this behind the figures of a heat map is the same.
const MOST_ROOM: usize = 4;

/// The anchor of what a mark means.
pub(super) fn anchor(mark: char) -> String {
    format!("mark-{}", u32::from(mark))
}

/// Marks, each a link to its explanation.
pub(super) fn marks(marks: &str) -> Markup {
    html! { @for mark in marks.chars().filter(|mark| *mark != ' ') { a.mark href={ "#" (anchor(mark)) } { (mark) } } }
}

/// A text whose long names may go on in the next line, after an underscore.
fn breakable(text: &str) -> Markup {
    let mut parts = text.split_inclusive('_').peekable();
    html! { @while let Some(part) = parts.next() { (part) @if parts.peek().is_some() { wbr; } } }
}

/// The figure or the words of a cell.
pub(super) fn figure(cell: &Cell) -> Markup {
    let text = breakable(&clean(&cell.text()));
    html! {
        @if cell.doubtful && cell.text() != MISSING {
            a.doubt href={ "#" (anchor(PARENTHESES)) } title="not a figure of what the test means to measure" { (text) }
        } @else if let Some(link) = &cell.link { a href={ "#" (link) } { (text) } }
        @else { (text) }
    }
}

fn cell(cell: &Cell, look: Look) -> Markup {
    let why = cell.why.as_deref().map(clean);
    // Signs, for readers who cannot distinguish the colours.
    let (class, sign) = match cell.tone {
        Tone::Plain => (None, ""),
        Tone::Better => (Some("better"), "✓ "),
        Tone::Worse => (Some("worse"), "✗ "),
        Tone::Unknown => (Some("sub"), ""),
    };
    let rank = cell.rank.sign().map(drawn_sign);
    let class = class.or(rank.map(|_| "better"));
    let marks = marks(&cell.marks);
    html! {
        @if look == Look::Heat && (cell.heat.is_some() || why.is_some() || rank.is_some()) {
            @let shade = cell.heat.map_or(0.0, |heat| (heat * SHADES).round());
            span class={ "h h" (shade) } title=[why] {
                span.rank { @if let Some(rank) = rank { (rank) } } (figure(cell)) span.slot { (marks) }
            }
        } @else if class.is_some() || why.is_some() {
            span class=[class] title=[why] {
                @if look == Look::Verdict { (sign) } @if let Some(rank) = rank { (rank) " " } (figure(cell)) (marks)
            }
        } @else { (figure(cell)) (marks) }
    }
}

/// Whether most columns have figures: then the other cells say that they are words, which makes a page much smaller.
fn is_of_figures(table: &Table) -> bool {
    table.columns.iter().filter(|column| !column.words).count() * 2 > table.columns.len()
}

/// The class of a cell, where it is not aligned as most of its table are.
fn alignment(column: &Column, of_figures: bool) -> Option<&'static str> {
    (column.words == of_figures).then_some(if column.words { "l" } else { "r" })
}

/// The class of a table with so many columns.
fn class(look: Look, columns: usize) -> &'static str {
    match look {
        Look::Figures | Look::Sides => "figures",
        Look::Keys => "keys",
        Look::Prose => "prose",
        Look::Heat => "heat",
        Look::Verdict => "verdicts",
        Look::Beside if columns > 2 => "facts beside",
        Look::Facts | Look::Beside => "facts",
    }
}

/// A table. Columns that say nothing are left out; a side is not, whatever it has.
pub(super) fn render(table: &Table) -> Markup {
    let is_of_sides = matches!(table.look, Look::Sides | Look::Heat);
    // The style knows the columns of the key metrics by their places.
    let is_fixed = is_of_sides || table.look == Look::Keys;
    let kept = table.kept(|column| !column.words && !is_fixed);
    let columns = || kept.iter().map(|n| &table.columns[*n]);
    let most = if is_of_sides { MOST_SIDES_AT_FULL_SIZE } else { MOST_AT_FULL_SIZE };
    // The room for marks is as wide as the fullest cell needs, so that all figures are aligned.
    let marks = table.rows.iter().flat_map(Row::cells).map(|cell| cell.marks.trim().chars().count());
    let room = marks.max().unwrap_or(0).min(MOST_ROOM);
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Table: " (clean(&table.caption)) } {
            table.(class(table.look, kept.len()))
                .many[kept.len() > most].{ "w" (room) }[table.look == Look::Heat].n[is_of_figures(table)] {
                caption { span { (clean(&table.caption)) } }
                @if columns().any(|column| !column.head.is_empty()) {
                    thead { tr { @for column in columns() { (head(column, is_of_figures(table))) } } }
                }
                tbody { @for row in &table.rows { (line(row, table, &kept)) } }
            }
        }
    }
}

fn head(column: &Column, of_figures: bool) -> Markup {
    let (text, unit) = column.head_and_unit();
    html! {
        th scope="col" class=[alignment(column, of_figures)] {
            (breakable(&clean(&text)))
            @if !unit.is_empty() { " " span.unit { (breakable(&clean(&unit))) } }
        }
    }
}

fn line(row: &Row, table: &Table, kept: &[usize]) -> Markup {
    let there: Vec<(usize, &Cell)> = kept.iter().filter_map(|n| Some((*n, row.cells().get(*n)?))).collect();
    html! {
        tr class=[matches!(row, Row::Group(_)).then_some("group")] {
            @for (n, of) in &there {
                @let class = alignment(&table.columns[*n], is_of_figures(table));
                @if kept.first() == Some(n) { th scope="row" class=[class] { (cell(of, table.look)) } }
                @else { td class=[class] { (cell(of, table.look)) } }
            }
            @match row {
                Row::Cells(_) => {},
                Row::Remark(_, remark) => td.remark colspan=(kept.len().saturating_sub(there.len()).max(1)) { (clean(remark)) },
                Row::Group(title) => th scope="rowgroup" colspan=(kept.len()) { (clean(title)) },
            }
        }
    }
}
