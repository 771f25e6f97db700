//! A document as a page: one file that needs a browser and no network. The style sheet gives the charts (SVG) their
//! colours, so that one page works on paper, on a phone and in dark mode. Every text is escaped (`maud`), and a content
//! security policy lets the browser run only the page's own script.

mod canvas;
mod drawing;
mod frame;
mod table;

use crate::document::{
    Bars, Beside, Block, Document, Facts, LegendEntry, Note, NoteKind, Part, Section, SideLine, Tile,
};
use crate::numbers::factor;
use crate::terminal::lines::clean;
use maud::{Markup, html};
use std::cell::Cell as Counter;

/// The page of a document.
pub(crate) fn page(document: &Document) -> String {
    let sections: Vec<&Section> = document.sections.iter().filter(|section| !section.blocks.is_empty()).collect();
    let page = Page { charts: Counter::new(0) };
    let content = html! {
        header {
            p.kind { (document.kind) }
            h1 { (clean(&document.title)) }
            (page.blocks(&document.head))
            nav aria-label="Sections" {
                @for section in &sections { a href={ "#" (section.id) } { (clean(&section.name)) } }
            }
        }
        @for section in &sections { (page.section(section)) }
    };
    frame::frame(&document.title, &content)
}

/// A page in the making.
struct Page {
    /// How many charts it has so far; they are numbered.
    charts: Counter<usize>,
}

impl Page {
    fn section(&self, section: &Section) -> Markup {
        let title = if section.title.is_empty() { &section.name } else { &section.title };
        html! {
            section id=(section.id) {
                h2 { (clean(title)) @if !section.about.is_empty() { span.sub { (clean(&section.about)) } } }
                (self.blocks(&section.blocks))
            }
        }
    }

    /// Facts that follow each other stand in columns, and warnings that do in one box.
    fn blocks(&self, blocks: &[Block]) -> Markup {
        let is_sheet = |block: &Block| matches!(block, Block::Facts(facts) if !facts.title.is_empty());
        let is_warning = |block: &Block| matches!(block, Block::Note(Note { kind: NoteKind::Warning, .. }));
        let groups = blocks.chunk_by(|a, b| (is_sheet(a) && is_sheet(b)) || (is_warning(a) && is_warning(b)));
        html! {
            @for group in groups {
                @if group.iter().any(is_sheet) { div.sheet { @for block in group { (self.block(block)) } } }
                @else if group.iter().any(is_warning) {
                    div.warnings role="note" {
                        p { b { "⚠ Not like with like" } }
                        ul { @for block in group { (self.block(block)) } }
                    }
                } @else { @for block in group { (self.block(block)) } }
            }
        }
    }

    fn block(&self, block: &Block) -> Markup {
        html! {
            @match block {
                Block::Note(of) => (note(of)),
                Block::Sides(of) => (sides(of)),
                Block::Facts(of) => (facts(of)),
                Block::Beside(of) => (beside(of)),
                Block::Table(of) => (table::render(of)),
                Block::Charts(charts) => @if !charts.is_empty() {
                    div.charts { @for chart in charts { (drawing::figure(chart, &self.chart())) } }
                },
                Block::Bars(of) => (bars(of)),
                Block::Tiles(tiles) => div.tiles { @for of in tiles { (tile(of)) } },
                Block::List(sentences) => ul.method { @for sentence in sentences { li { (clean(sentence)) } } },
                Block::Part(of) => (self.part(of)),
                Block::Pairs(parts) => div.pairs { @for of in parts { (self.part(of)) } },
                Block::Folded(of) => details { summary { (clean(&of.title)) } (self.blocks(&of.blocks)) },
                Block::Legend(entries) => (legend(entries)),
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

    /// The id of the next chart.
    fn chart(&self) -> String {
        self.charts.set(self.charts.get() + 1);
        format!("chart-{}", self.charts.get())
    }
}

fn note(note: &Note) -> Markup {
    let (lead, text) = (clean(note.lead.trim()), clean(&note.text));
    html! {
        @match note.kind {
            NoteKind::Plain => p.note { @if !lead.is_empty() { b { (lead) } " " } (text) },
            NoteKind::Notice => p.notice role="note" { b { "Notice. " } (text) },
            NoteKind::Warning => li { (text) },
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

fn facts(facts: &Facts) -> Markup {
    if facts.title.is_empty() {
        return html! {
            dl.head { @for (name, value) in &facts.facts { @if !name.is_empty() { dt { (clean(name)) } } dd { (clean(value)) } } }
        };
    }
    let rows: Vec<(String, Vec<Option<String>>)> =
        facts.facts.iter().map(|(name, value)| (name.clone(), vec![Some(value.clone())])).collect();
    table::facts(&facts.title, &[], &rows)
}

/// The most columns of settings in one table; further columns go into another table.
const MOST_BESIDE: usize = 7;

fn beside(beside: &Beside) -> Markup {
    let name = |n: usize| {
        let name = beside.names.get(n).map_or("", String::as_str);
        format!("{} {name}", beside.letters[n]).trim().to_owned()
    };
    let all: Vec<usize> = (0..beside.letters.len()).collect();
    html! {
        @for group in all.chunks(MOST_BESIDE) {
            @let names: Vec<String> = group.iter().map(|n| name(*n)).collect();
            @let rows: Vec<(String, Vec<Option<String>>)> = beside
                .rows
                .iter()
                .map(|(what, values)| (what.clone(), group.iter().map(|n| values.get(*n).cloned().flatten()).collect()))
                .collect();
            @let more = if group[0] > 0 { ", continued" } else { "" };
            (table::facts(&format!("{}{more}", beside.title), &names, &rows))
        }
    }
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
/// Room below the bars of a group.
const GAP: usize = 10;
/// Where the bars of no difference begin, and how long the longest is.
const MIDDLE: f64 = 340.0;
const LONGEST: f64 = 240.0;

/// A bar from 1 to each factor, on a logarithmic scale: twice as good is as long as half as good.
fn bars(bars: &Bars) -> Markup {
    let all = || bars.groups.iter().flat_map(|(_, bars)| bars);
    let widest = all().map(|bar| bar.factor.ln().abs()).fold(0.1, f64::max);
    let of_group = bars.groups.iter().map(|(_, bars)| bars.len()).max().unwrap_or(0) * BAR + GAP;
    let height = bars.groups.len() * of_group;
    html! {
        svg.layers viewBox={ "0 0 680 " (height) } role="img" aria-label=(bars.title) {
            path.axis d={ "M" (MIDDLE) " 0V" (height) } {}
            @for (n, (name, group)) in bars.groups.iter().enumerate() {
                text.name x="0" y=(n * of_group + BAR - 3) { (name) }
                @for (row, bar) in group.iter().enumerate() {
                    @let length = bar.factor.ln() / widest * LONGEST;
                    @let from = if length < 0.0 { MIDDLE + length } else { MIDDLE };
                    @let y = n * of_group + row * BAR;
                    rect class={ "s" (bar.style) } x=(format!("{from:.0}")) y=(y) width=(format!("{:.0}", length.abs().max(1.0))) height=(BAR - 3) {
                        title { (clean(&bar.text)) }
                    }
                    text x=(format!("{:.0}", MIDDLE + length.max(0.0) + 4.0)) y=(y + BAR - 4) { (bar.name) " " (factor(bar.factor)) }
                }
            }
        }
    }
}

/// Each mark, with a place to which the marks of figures lead.
fn legend(entries: &[LegendEntry]) -> Markup {
    html! {
        dl.marks {
            @for (n, entry) in entries.iter().enumerate() {
                // A mark with several meanings leads to the first of them.
                @let is_first = entries[..n].iter().all(|before| before.mark != entry.mark);
                dt id=[is_first.then(|| table::anchor(entry.mark))] { span.mark { (table::page_sign(entry.mark)) } }
                dd {
                    span { (clean(&entry.text)) }
                    @if !entry.notes.is_empty() {
                        details {
                            summary { "in single places" }
                            ul {
                                @for note in &entry.notes { li { (clean(note)) } }
                                @if entry.more > 0 { li { "and " (entry.more) " more in the JSON document" } }
                            }
                        }
                    }
                }
            }
        }
    }
}
