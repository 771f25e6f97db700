//! By which factor the layers differ, in figures and as bars.

use super::heads::heads;
use crate::compare::Comparison;
use crate::compare::layers::{extremes, meaning, shown, words};
use crate::compare::side_marks::letter;
use crate::html::table::{ColumnHead, Table, TableRow, text};
use crate::numbers::{MISSING, factor};
use crate::text::clean;
use maud::{Markup, html};

/// Height of a bar with the room below it, in units of the drawing.
const BAR: usize = 14;
/// Room below the bars of a layer.
const GAP: usize = 10;
/// Where the bars of no difference begin, and how long the longest is.
const MIDDLE: f64 = 340.0;
const LONGEST: f64 = 240.0;

/// The section; empty where no layer has a test that all sides share.
pub(super) fn section(comparison: &Comparison) -> Markup {
    let base = comparison.baseline;
    html! {
        @if !comparison.layers.is_empty() {
            section #layers {
                h2 { "Layers" span.sub { ": throughput as a multiple of " (letter(base)) " " (clean(&comparison.sides[base].name)) } }
                (bars(comparison))
                (table(comparison).render())
                p.note {
                    "The geometric mean over the same tests of all sides; above 1 is better. " (meaning(&comparison.layers)) " "
                    (extremes(comparison).join("; ")) "."
                }
            }
        }
    }
}

fn table(comparison: &Comparison) -> Table {
    let mut all = ColumnHead::row("Layer | Tests");
    all.extend(heads(comparison));
    let row = |layer: &crate::compare::LayerFactors| {
        let mut cells = vec![text(words(layer.layer)), text(&layer.tests.join(" "))];
        cells.extend(layer.sides.iter().enumerate().map(|(at, side)| match side {
            Some(side) => text(&shown(side)),
            None => text(if at == comparison.baseline { "1" } else { MISSING }),
        }));
        TableRow::Figures(cells)
    };
    let class = if comparison.sides.len() > 8 { "figures many" } else { "figures" };
    Table { caption: text("Factors by layer"), heads: all, rows: comparison.layers.iter().map(row).collect(), class }
}

/// A bar for each side from 1 to its factor, on a logarithmic scale: twice as good is as long as half as good.
fn bars(comparison: &Comparison) -> Markup {
    let all = comparison.layers.iter().flat_map(|layer| layer.sides.iter().flatten());
    let widest = all.map(|side| side.mean.ln().abs()).fold(0.1, f64::max);
    let others = comparison.sides.len() - 1;
    let of_layer = others * BAR + GAP;
    let height = comparison.layers.len() * of_layer;
    html! {
        svg.layers viewBox={ "0 0 680 " (height) } role="img" aria-label="Factors by layer" {
            path.axis d={ "M" (MIDDLE) " 0V" (height) } {}
            @for (n, layer) in comparison.layers.iter().enumerate() {
                text.name x="0" y=(n * of_layer + BAR - 3) { (words(layer.layer)) }
                @for (row, (at, side)) in layer.sides.iter().enumerate().filter_map(|(at, s)| Some((at, s.as_ref()?))).enumerate() {
                    @let length = side.mean.ln() / widest * LONGEST;
                    @let from = if length < 0.0 { MIDDLE + length } else { MIDDLE };
                    @let y = n * of_layer + row * BAR;
                    rect class={ "s" (at) } x=(format!("{from:.0}")) y=(y) width=(format!("{:.0}", length.abs().max(1.0))) height=(BAR - 3) {
                        title { (letter(at)) " " (words(layer.layer)) ": " (shown(side)) }
                    }
                    text x=(format!("{:.0}", MIDDLE + length.max(0.0) + 4.0)) y=(y + BAR - 4) { (letter(at)) " " (factor(side.mean)) }
                }
            }
        }
    }
}
