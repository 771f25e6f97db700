//! A document as a page: one file that needs a browser and no network. The style sheet gives the charts (SVG) their
//! colours, so that one page works on paper, on a phone and in dark mode. Every text is escaped (`maud`), and a content
//! security policy lets the browser run only the page's own script.

mod drawing;
mod frame;
mod table;

use crate::document::{Bar, Block, Column, Document, Facts, LegendEntry, Look, MOST_NOTES, Note, NoteKind, Part};
use crate::document::{Row, Section, SideLine, Table, Tile, drawn_sign};
use crate::numbers::factor;
use crate::terminal::lines::clean;
use maud::{Markup, html};
use std::cell::RefCell;
use std::collections::BTreeSet;

use frame::MADE_BY;
pub(crate) use frame::{Folder, Frame, STYLE, frame};

impl Document {
    /// The page: one file that needs a browser and no network.
    #[must_use]
    pub fn page(&self) -> String {
        frame(&Frame::report(&self.title), &content(self, &html! {}))
    }

    /// Whether a text is such a page, of this or another version: it may be written over by a newer one.
    #[must_use]
    pub fn is_page(text: &str) -> bool {
        text.contains(&format!("<footer><p>{MADE_BY}"))
    }
}

/// What the page of a document shows, below what comes first.
pub(crate) fn content(document: &Document, first: &Markup) -> Markup {
    let sections: Vec<&Section> = document.sections.iter().filter(|section| !section.blocks.is_empty()).collect();
    let page = Page::default();
    html! {
        header {
            (first)
            p.kind { (document.kind) }
            h1 { (clean(&document.title)) }
            (page.blocks(&document.head))
            nav aria-label="Sections" {
                @for section in &sections { a href={ "#" (section.id) } { (clean(&section.name)) } }
            }
        }
        @for section in &sections {
            section id=(section.id) {
                h2 {
                    (clean(if section.title.is_empty() { &section.name } else { &section.title }))
                    @if !section.about.is_empty() { span.sub { (clean(&section.about)) } }
                }
                (page.blocks(&section.blocks))
            }
        }
    }
}

/// A page in the making.
#[derive(Default)]
struct Page {
    /// The marks that it has explained.
    explained: RefCell<BTreeSet<char>>,
}

impl Page {
    fn blocks(&self, blocks: &[Block]) -> Markup {
        html! { @for block in blocks { (self.block(block)) } }
    }

    fn block(&self, block: &Block) -> Markup {
        html! {
            @match block {
                _ if block.is_empty() => {},
                Block::Note(of) => (note(of)),
                Block::Sides(of) => (sides(of)),
                Block::Warnings(texts) => div.warnings role="note" {
                    p { b { "⚠ Not like with like" } }
                    ul { @for text in texts { li { (clean(text)) } } }
                },
                Block::Facts(facts) => dl.head {
                    @for (name, value) in facts { @if !name.is_empty() { dt { (clean(name)) } } dd { (clean(value)) } }
                },
                Block::Sheet(lists) => div.sheet { @for (title, of) in lists { (facts(title, of)) } },
                Block::Table(of) => (table::render(of)),
                Block::Charts(charts) => div.charts { @for of in charts { (drawing::figure(of)) } },
                Block::Bars(of) => (bars(of)),
                Block::Tiles(tiles) => div.tiles { @for of in tiles { (tile(of)) } },
                Block::List(sentences) => ul.method { @for sentence in sentences { li { (clean(sentence)) } } },
                Block::Part(of) => (self.part(of)),
                Block::Pairs(parts) => div.pairs { @for of in parts { (self.part(of)) } },
                Block::Folded(of) => details { summary { (clean(&of.title)) } (self.blocks(&of.blocks)) },
                Block::Legend(entries) => (self.legend(entries)),
            }
        }
    }

    fn part(&self, part: &Part) -> Markup {
        html! {
            article id=[(!part.id.is_empty()).then_some(&part.id)] {
                @if !part.code.is_empty() || !part.title.is_empty() {
                    h3 { @if !part.code.is_empty() { span.code { (clean(&part.code)) } " " } (clean(&part.title)) }
                }
                (self.blocks(&part.blocks))
            }
        }
    }

    /// Each mark, with a place to which the marks of figures lead.
    fn legend(&self, entries: &[LegendEntry]) -> Markup {
        html! {
            dl.marks {
                @for entry in entries {
                    // A mark with several meanings leads to the first of them.
                    @let is_first = self.explained.borrow_mut().insert(entry.mark);
                    dt id=[is_first.then(|| table::anchor(entry.mark))] { span.mark { (drawn_sign(entry.mark)) } }
                    dd {
                        span { (clean(&entry.text)) }
                        @if !entry.notes.is_empty() {
                            details {
                                summary { "in single places" }
                                ul {
                                    @for note in entry.notes.iter().take(MOST_NOTES) { li { (clean(note)) } }
                                    @let more = entry.notes.len().saturating_sub(MOST_NOTES);
                                    @if more > 0 { li { "and " (more) " more in the JSON document" } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn note(note: &Note) -> Markup {
    let (lead, text) = (clean(note.lead.trim()), clean(&note.text));
    html! {
        @match note.kind {
            NoteKind::Plain => p.note { @if !lead.is_empty() { b { (lead) } " " } (text) },
            NoteKind::Notice => p.notice role="note" { b { "Notice. " } (text) },
            // A sign, for readers who cannot distinguish the colours.
            NoteKind::Met => p.verdict.met { b { "✓" } span { (text) } },
            NoteKind::NotMet => p.verdict { b { "✗" } span { (text) } },
        }
    }
}

fn sides(sides: &[SideLine]) -> Markup {
    html! {
        ol.sides {
            @for side in sides {
                li {
                    span class={ "badge s" (side.style) } { (side.letter) } " "
                    span {
                        b { (clean(&side.name)) }
                        @if side.is_baseline { " " span.base { "baseline" } }
                        @if side.text != side.name { " " (clean(&side.text)) }
                    }
                }
            }
        }
    }
}

fn facts(title: &str, facts: &Facts) -> Markup {
    let rows = facts.iter().map(|(name, value)| Row::words([name, value])).collect();
    table::render(&Table::new(title, vec![Column::words(""); 2], rows).look(Look::Facts))
}

fn tile(tile: &Tile) -> Markup {
    html! {
        div.tile {
            h3 { (clean(&tile.name)) " " span.layer { (tile.layer) } }
            @if tile.cell.text().is_empty() { p.value.none { "–" } }
            @else { p.value { (table::figure(&tile.cell)) " " span.unit { (tile.unit) } } }
            p.detail { (clean(&tile.detail)) " " (table::marks(&tile.cell.marks)) }
        }
    }
}

/// Height of a bar with the room below it, in units of the drawing.
const BAR: usize = 14;
/// Room below the bars of a layer.
const GAP: usize = 10;
/// Where the bars of no difference begin, and how long the longest is.
const MIDDLE: f64 = 340.0;
const LONGEST: f64 = 240.0;

/// A bar from 1 to each factor, on a logarithmic scale: twice as good is as long as half as good.
fn bars(layers: &[(String, Vec<Bar>)]) -> Markup {
    let lengths = layers.iter().flat_map(|(_, bars)| bars).map(|bar| bar.factor.ln().abs());
    let widest = lengths.fold(0.1, f64::max);
    let of_layer = layers.iter().map(|(_, bars)| bars.len()).max().unwrap_or(0) * BAR + GAP;
    let height = layers.len() * of_layer;
    html! {
        svg.layers viewBox={ "0 0 680 " (height) } role="img" aria-label="Factors by layer" {
            path.axis d={ "M" (MIDDLE) " 0V" (height) } {}
            @for (n, (name, bars)) in layers.iter().enumerate() {
                text.name x="0" y=(n * of_layer + BAR - 3) { (name) }
                @for (row, bar) in bars.iter().enumerate() {
                    @let length = bar.factor.ln() / widest * LONGEST;
                    @let from = if length < 0.0 { MIDDLE + length } else { MIDDLE };
                    @let y = n * of_layer + row * BAR;
                    rect class={ "s" (bar.style) } x=(format!("{from:.0}")) y=(y) width=(format!("{:.0}", length.abs().max(1.0))) height=(BAR - 3) {
                        title { (clean(&bar.text)) }
                    }
                    text x=(format!("{:.0}", MIDDLE + length.max(0.0) + 4.0)) y=(y + BAR - 4) { (bar.name) " " (factor(bar.factor)) }
                }
            }
        }
    }
}
