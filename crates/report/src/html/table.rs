//! Tables on a page: a caption, heads with units, one row header each, figures aligned to the right.

use crate::document::{BEST, Cell, Column, Look, Rank, Row, Table, Tone, WORST};
use crate::legend::{CLIENT, EQUIVALENT, PARENTHESES, RATED, SUSPECT};
use crate::numbers::MISSING;
use crate::terminal::lines::clean;
use maud::{Markup, html};

/// Shades from nothing to the best, one for each 5 %: 5 % less is to look like 5 % less.
const SHADES: f64 = 20.0;
/// With more columns figures are set smaller, so that they fit on paper.
const MOST_AT_FULL_SIZE: usize = 14;
/// The same for figures of sides, which have marks of their own.
const MOST_SIDES_AT_FULL_SIZE: usize = 11;

/// The anchor of what a mark means.
pub(super) fn anchor(mark: char) -> String {
    let name = match mark {
        EQUIVALENT => "equivalent",
        CLIENT => "client",
        RATED => "rated",
        SUSPECT => "suspect",
        PARENTHESES => "parentheses",
        letter if letter.is_ascii_alphanumeric() => return format!("mark-{letter}"),
        other => return format!("mark-{}", u32::from(other)),
    };
    format!("mark-{name}")
}

/// Marks, each a link to its explanation.
pub(super) fn marks(marks: &str) -> Markup {
    html! { @for mark in marks.chars().filter(|mark| *mark != ' ') { a.mark href={ "#" (anchor(mark)) } { (mark) } } }
}

/// The sign of a mark on a page: ranks have signs of their own.
pub(super) fn page_sign(mark: char) -> char {
    match mark {
        BEST => '▲',
        WORST => '▼',
        other => other,
    }
}

/// The figure or the words of a cell.
pub(super) fn figure(cell: &Cell) -> Markup {
    let text = cell.text();
    let text = clean(&text);
    html! {
        @if cell.doubtful && text != MISSING {
            a.doubt href={ "#" (anchor(PARENTHESES)) } title="not a figure of what the test means to measure" { (text) }
        } @else if let Some(link) = &cell.link { a href={ "#" (link) } { (text) } }
        @else { (text) }
    }
}

fn cell(cell: &Cell, look: Look) -> Markup {
    let why = cell.why.as_deref().map(|why| clean(why).into_owned());
    let class = match cell.tone {
        Tone::Plain => None,
        Tone::Better => Some("better"),
        Tone::Worse => Some("worse"),
    };
    // Signs, for readers who cannot distinguish the colours.
    let sign = match (look, cell.tone) {
        (Look::Verdict, Tone::Better) => "✓ ",
        (Look::Verdict, Tone::Worse) => "✗ ",
        _ => "",
    };
    let rank = match cell.rank {
        Rank::Best => page_sign(BEST).to_string(),
        Rank::Worst => page_sign(WORST).to_string(),
        Rank::None => String::new(),
    };
    html! {
        @if look == Look::Heat && !cell.is_empty() && (cell.heat.is_some() || cell.why.is_some() || !rank.is_empty()) {
            @let shade = cell.heat.map_or(0.0, |heat| (heat * SHADES).round());
            span class={ "h h" (shade) } title=[why] { span.rank { (rank) } (figure(cell)) span.slot { (marks(&cell.marks)) } }
        } @else if class.is_some() || why.is_some() {
            span class=[class] title=[why] { (sign) (figure(cell)) (marks(&cell.marks)) }
        } @else {
            @if !rank.is_empty() { span.better { (rank) " " (figure(cell)) } } @else { (figure(cell)) }
            (marks(&cell.marks))
        }
    }
}

/// Whether most columns have figures: then the other cells say that they are words, which makes a page much smaller.
fn is_of_figures(table: &Table) -> bool {
    table.columns.iter().filter(|column| column.figures).count() * 2 > table.columns.len()
}

/// The class of a cell, where it is not aligned as most of its table are.
fn alignment(column: &Column, of_figures: bool) -> Option<&'static str> {
    match (column.figures, of_figures) {
        (true, true) | (false, false) => None,
        (true, false) => Some("r"),
        (false, true) => Some("l"),
    }
}

fn classes(table: &Table, columns: usize) -> String {
    let mut classes = looks(table, columns);
    classes.push_str(if is_of_figures(table) { " n" } else { "" });
    classes
}

fn looks(table: &Table, columns: usize) -> String {
    let (name, of_sides) = match table.look {
        Look::Figures => ("figures", false),
        Look::Keys => ("keys", false),
        Look::Prose => ("prose", false),
        Look::Sides => ("figures", true),
        Look::Heat => ("heat", true),
        Look::Verdict => ("verdicts", false),
    };
    let most = if of_sides { MOST_SIDES_AT_FULL_SIZE } else { MOST_AT_FULL_SIZE };
    let many = if columns > most { " many" } else { "" };
    if table.look != Look::Heat {
        return format!("{name}{many}");
    }
    // The room for marks is as wide as the fullest cell needs, so that all figures are aligned.
    let cells = table.rows.iter().flat_map(|row| match row {
        Row::Cells(cells) => cells.as_slice(),
        Row::Remark(..) | Row::Group(_) => &[],
    });
    let most = cells.map(|cell| cell.marks.trim().chars().count()).max().unwrap_or(0);
    format!("{name}{many} w{}", most.min(4))
}

/// A table. Columns that say nothing are left out; a side is not, whatever it has.
pub(super) fn render(table: &Table) -> Markup {
    if table.rows.is_empty() {
        return html! {};
    }
    // The style knows the columns of the key metrics by their places.
    let is_fixed = matches!(table.look, Look::Sides | Look::Heat | Look::Keys);
    let kept = |n: &usize| {
        let column = &table.columns[*n];
        let may_go = column.optional || column.head.is_empty() || (column.figures && !is_fixed);
        *n == 0 || !may_go || !table.is_bare(*n)
    };
    let kept: Vec<usize> = (0..table.columns.len()).filter(kept).collect();
    let columns: Vec<&Column> = kept.iter().map(|n| &table.columns[*n]).collect();
    scrolled(
        table.name(),
        &classes(table, columns.len()),
        &columns.iter().map(|column| head(column, is_of_figures(table))).collect::<Vec<_>>(),
        &html! {
            @for row in &table.rows { (line(row, table, &kept)) }
        },
    )
}

/// The frame of every table.
fn scrolled(caption: &str, class: &str, heads: &[Markup], rows: &Markup) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Table: " (clean(caption)) } {
            table class=(class) {
                caption { span { (clean(caption)) } }
                @if heads.iter().any(|head| !head.0.is_empty()) { thead { tr { @for head in heads { (head) } } } }
                tbody { (rows) }
            }
        }
    }
}

fn head(column: &Column, of_figures: bool) -> Markup {
    let (text, unit) = column.head_and_unit();
    let units = [unit, column.more.as_str()].into_iter().filter(|unit| !unit.is_empty()).collect::<Vec<_>>().join(", ");
    html! {
        th scope="col" class=[alignment(column, of_figures)] {
            (clean(&text))
            @if !units.is_empty() { " " span.unit { (clean(&units)) } }
        }
    }
}

fn line(row: &Row, table: &Table, kept: &[usize]) -> Markup {
    let one = |n: usize, of: &Cell| {
        let class = alignment(&table.columns[n], is_of_figures(table));
        html! {
            @if n == 0 { th scope="row" class=[class] { (cell(of, table.look)) } }
            @else { td class=[class] { (cell(of, table.look)) } }
        }
    };
    let cells = |cells: &[Cell]| {
        let there: Vec<(usize, &Cell)> = kept.iter().filter_map(|n| Some((*n, cells.get(*n)?))).collect();
        (there.len(), html! { @for (n, of) in there { (one(n, of)) } })
    };
    html! {
        @match row {
            Row::Cells(all) => tr { (cells(all).1) },
            Row::Remark(keys, remark) => {
                @let (n, keys) = cells(keys);
                tr { (keys) td.remark colspan=(kept.len().saturating_sub(n).max(1)) { (clean(remark)) } }
            },
            Row::Group(title) => tr.group { th scope="rowgroup" colspan=(kept.len()) { (clean(title)) } },
        }
    }
}

/// A table of facts: a name, and a value for each thing that is named.
pub(super) fn facts(caption: &str, names: &[String], rows: &[(String, Vec<Option<String>>)]) -> Markup {
    let class = if names.len() > 1 { "facts beside" } else { "facts" };
    let heads: Vec<Markup> = if names.is_empty() {
        Vec::new()
    } else {
        let heads = std::iter::once("Setting").chain(names.iter().map(String::as_str));
        heads.map(|name| html! { th scope="col" { (clean(name)) } }).collect()
    };
    scrolled(
        caption,
        class,
        &heads,
        &html! {
            @for (name, values) in rows {
                tr {
                    th scope="row" { (clean(name)) }
                    @for value in values {
                        td { @match value { Some(value) => (clean(value)), None => span.sub { "not known" } } }
                    }
                }
            }
        },
    )
}
