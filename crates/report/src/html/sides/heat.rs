//! A heatmap of speed and throughput of every test on every side, coloured row by row by the share of the best that
//! each figure is.

use super::heads::heads;
use crate::compare::side_marks::letter;
use crate::compare::{ComparedCell, ComparedRow as Figures, Comparison, KeyFigure, Rank};
use crate::html::marks::{marks_of, suspect};
use crate::html::table::{ColumnHead, Table, TableRow, text};
use crate::numbers::MISSING;
use crate::text::clean;
use dbdyno_model::UsableFor;
use maud::{Markup, html};

/// Shades from nothing to the best, one for each 5 %: 5 % less is to look like 5 % less.
const SHADES: f64 = 20.0;

/// Whether two sides have such a figure.
pub(super) fn is_there(comparison: &Comparison, which: KeyFigure) -> bool {
    comparison.rows.iter().any(|row| row.which == which)
}

/// A section for speed and one for throughput.
pub(super) fn sections(comparison: &Comparison) -> Markup {
    html! {
        (section(comparison, KeyFigure::Speed, "heat-speed", "Speed", "one job with one thread"))
        (section(comparison, KeyFigure::Throughput, "heat-throughput", "Throughput", "the best at any degree of parallelism"))
        @if !comparison.alone.is_empty() { (alone(comparison)) }
    }
}

fn section(comparison: &Comparison, which: KeyFigure, id: &str, title: &str, words: &str) -> Markup {
    let rows: Vec<&Figures> = comparison.rows.iter().filter(|r| r.which == which).collect();
    html! {
        @if !rows.is_empty() {
            section id=(id) {
                h2 { (title) span.sub { ": " (words) } }
                (table(comparison, &rows, title).render())
                p.note {
                    "Row by row the best has the full colour " span.h20.shade { "▲" } ", half of it half the colour " span.h10.shade { "½" }
                    ", and a figure that is not ranked none. Of times the shortest is the best. " b { "?" } " a published value with a doubt, " b { ">" } " one that is a lower limit, "
                    b { "!" } " one that is shown and not used, " b { "~" } " work done by other means, (parentheses) a figure of something
                    else than the test means."
                }
            }
        }
    }
}

fn table(comparison: &Comparison, rows: &[&Figures], title: &str) -> Table {
    let mut all = ColumnHead::row("Test | Title | Unit");
    all.extend(heads(comparison));
    let row = |row: &&Figures| {
        let mut cells = vec![text(&row.test), text(&row.heading()), text(&row.shown_unit)];
        cells.extend(row.cells.iter().map(cell));
        TableRow::Figures(cells)
    };
    let caption = text(&format!("{title} by test and platform"));
    let most = rows.iter().flat_map(|r| &r.cells).map(marks_in).max().unwrap_or(0);
    let class = classes(comparison.sides.len() > 8, most);
    Table { caption, heads: all, rows: rows.iter().map(row).collect(), class }
}

/// The table's classes. The room for marks is as wide as the fullest cell needs, so that all figures are aligned.
fn classes(many: bool, marks: usize) -> &'static str {
    const FEW: [&str; 5] = ["heat w0", "heat w1", "heat w2", "heat w3", "heat w4"];
    const MANY: [&str; 5] = ["heat many w0", "heat many w1", "heat many w2", "heat many w3", "heat many w4"];
    (if many { MANY } else { FEW })[marks.min(4)]
}

fn marks_in(cell: &ComparedCell) -> usize {
    usize::from(cell.suspect.is_some()) + usize::from(cell.equivalent.is_some()) + cell.flags.len()
}

fn cell(cell: &ComparedCell) -> Markup {
    let shade = cell.heat.map_or(0.0, |heat| (heat * SHADES).round());
    let rank = match cell.rank {
        Rank::Best => "▲",
        Rank::Worst => "▼",
        Rank::Between | Rank::None => "",
    };
    html! {
        @if cell.value.is_none() && cell.text.trim() == MISSING {
            span.h title=[cell.missing.as_deref().map(|m| clean(m).into_owned())] { "–" }
        } @else {
            span class={ "h h" (shade) } title=(about(cell)) {
                span.rank { (rank) } (clean(cell.text.trim()))
                span.slot { (doubt(cell)) (marks_of(&cell.flags)) }
            }
        }
    }
}

fn doubt(cell: &ComparedCell) -> Markup {
    html! {
        @match (&cell.suspect, cell.usable_for) {
            (Some(_), UsableFor::LowerLimit) => { b { ">" } },
            (Some(_), UsableFor::Nothing | UsableFor::NotForComparison) => { b { "!" } },
            (Some(_), UsableFor::Value) => { (suspect()) },
            (None, _) => {},
        }
        @if cell.equivalent.is_some() { a.mark href="#mark-equivalent" { "~" } }
    }
}

/// The text for readers who point at a figure.
fn about(cell: &ComparedCell) -> String {
    let mut parts: Vec<String> = cell.dop.iter().map(|dop| format!("at {dop}")).collect();
    if cell.values.len() > 1 {
        parts.push(format!("median of {} runs", cell.values.len()));
    }
    parts.extend(cell.suspect.as_ref().map(|s| format!("{}: {}", s.names(), s.why)));
    parts.extend(cell.equivalent.as_ref().map(|how| format!("equivalent: {how}")));
    clean(&parts.join("; ")).into_owned()
}

fn alone(comparison: &Comparison) -> Markup {
    html! {
        p.note {
            @for n in 0..comparison.sides.len() {
                @let codes: Vec<&str> =
                    comparison.alone.iter().filter(|(_, side)| *side == n).map(|(code, _)| code.as_str()).collect();
                @if !codes.is_empty() { "Only " (letter(n)) " has " (codes.join(", ")) ". " }
            }
        }
    }
}
