//! What a report says, before anybody draws it: sections of notes, facts, tables and charts. A document is made once
//! from results. The terminal, the page and the Markdown draw the same document, and a figure becomes text in one place
//! ([`Cell::text`]). Texts are as they came; who draws them makes them harmless.

mod table;

pub use table::Rank;
pub(crate) use table::{BEST, Cell, Column, Form, Look, Row, Table, Tone, WORST, drawn_sign};

use crate::charts::LineChart;
use derive_more::From;

/// A whole report.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Document {
    /// What kind of document it is, in few words; a page has it above its title.
    pub(crate) kind: &'static str,
    /// Its title; a table alone has none.
    pub(crate) title: String,
    /// What comes before the sections.
    pub(crate) head: Vec<Block>,
    pub(crate) sections: Vec<Section>,
}

/// A part with a title.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Section {
    /// Its anchor, unique in a document.
    pub(crate) id: String,
    /// Its name in the navigation.
    pub(crate) name: String,
    /// Its title; empty where the text on a terminal needs none. A page then shows its name.
    pub(crate) title: String,
    /// More of the title, in small letters on a page.
    pub(crate) about: String,
    pub(crate) blocks: Vec<Block>,
}

/// A block of a section. Where two kinds hold the same, only the plain one is made by `into`: a list, and a part.
#[derive(Debug, Clone, PartialEq, From)]
pub(crate) enum Block {
    /// A paragraph.
    Note(Note),
    /// The sides of a comparison.
    Sides(Vec<SideLine>),
    /// What does not compare.
    #[from(skip)]
    Warnings(Vec<String>),
    /// Names and values.
    Facts(Facts),
    /// Several such under titles, beside each other where there is room.
    Sheet(Vec<(String, Facts)>),
    /// A table.
    Table(Table),
    /// Charts side by side; a terminal has none.
    Charts(Vec<LineChart>),
    /// Factors by layer, a bar for each side; a terminal has none, as a table says the same.
    Bars(Vec<(String, Vec<Bar>)>),
    /// The key figures at a glance; a terminal has none, as a table says the same.
    Tiles(Vec<Tile>),
    /// Short sentences of equal weight.
    List(Vec<String>),
    /// What belongs together under a heading.
    Part(Part),
    /// Parts that stand beside each other on a wide page.
    Pairs(Vec<Part>),
    /// What is hidden on a page until a reader asks for it.
    #[from(skip)]
    Folded(Part),
    /// What marks mean.
    Legend(Vec<LegendEntry>),
}

/// How a paragraph is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum NoteKind {
    /// An explanation.
    #[default]
    Plain,
    /// What has not been verified.
    Notice,
    /// A verdict: the requirements are met.
    Met,
    /// A verdict: they are not met.
    NotMet,
}

/// A paragraph.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Note {
    pub(crate) kind: NoteKind,
    /// How it begins: a mark, or a word. Further lines on a terminal are indented by its width.
    pub(crate) lead: String,
    pub(crate) text: String,
}

/// One side of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SideLine {
    /// Its short name.
    pub(crate) letter: String,
    /// The style of its lines in charts.
    pub(crate) style: u8,
    pub(crate) name: String,
    pub(crate) text: String,
    /// Whether ratios relate to it.
    pub(crate) is_baseline: bool,
}

/// Names and values of one thing. A name that is empty continues the one before.
pub(crate) type Facts = Vec<(String, String)>;

/// A part of a section under a heading of its own.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Part {
    /// Its anchor; may be empty.
    pub(crate) id: String,
    /// A test's code or the like.
    pub(crate) code: String,
    pub(crate) title: String,
    pub(crate) blocks: Vec<Block>,
}

/// A key figure at a glance.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tile {
    pub(crate) name: String,
    pub(crate) layer: String,
    /// The figure, or nothing.
    pub(crate) cell: Cell,
    pub(crate) unit: String,
    pub(crate) detail: String,
}

/// One bar, from 1 to its factor.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bar {
    pub(crate) name: String,
    /// The style of its side.
    pub(crate) style: u8,
    pub(crate) factor: f64,
    /// The text for readers who point at it.
    pub(crate) text: String,
}

/// The most notes on one mark, where there is room; the JSON document has all.
pub(crate) const MOST_NOTES: usize = 12;

/// What a mark means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LegendEntry {
    pub(crate) mark: char,
    pub(crate) text: String,
    /// What it means in single places.
    pub(crate) notes: Vec<String>,
}

impl Document {
    /// A document that begins with a title and facts.
    pub(crate) fn new(kind: &'static str, title: String, facts: Vec<(&str, String)>, sections: Vec<Section>) -> Self {
        let facts: Facts = facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { kind, title, head: vec![facts.into()], sections }
    }

    /// A document of sections alone: a table that was asked for by name.
    pub(crate) fn of(sections: Vec<Section>) -> Self {
        Self { sections, ..Self::default() }
    }
}

impl Section {
    pub(crate) fn new(id: impl Into<String>, name: impl Into<String>) -> Self {
        Self { id: id.into(), name: name.into(), ..Self::default() }
    }

    /// With a title on a terminal, too.
    pub(crate) fn titled(self, title: impl Into<String>, about: impl Into<String>) -> Self {
        Self { title: title.into(), about: about.into(), ..self }
    }

    /// Adds a block, if that says something.
    pub(crate) fn push(&mut self, block: impl Into<Block>) {
        self.blocks.extend(Some(block.into()).filter(|block| !block.is_empty()));
    }

    /// Adds a paragraph for each text that applies.
    pub(crate) fn push_notes<T: Into<String>>(&mut self, texts: impl IntoIterator<Item = (bool, T)>) {
        self.blocks.extend(texts.into_iter().filter(|(is, _)| *is).map(|(_, text)| Note::plain(text).into()));
    }

    /// With the further blocks that say something.
    pub(crate) fn with(mut self, blocks: impl IntoIterator<Item = Block>) -> Self {
        self.blocks.extend(blocks.into_iter().filter(|block| !block.is_empty()));
        self
    }
}

impl Note {
    /// A paragraph without a lead.
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self::led("", text)
    }

    /// A paragraph that begins with a mark or a word; on a terminal the text follows it as it is given here.
    pub(crate) fn led(lead: impl Into<String>, text: impl Into<String>) -> Self {
        Self { lead: lead.into(), text: text.into(), ..Self::default() }
    }

    /// What has not been verified.
    pub(crate) fn notice(text: impl Into<String>) -> Self {
        Self { kind: NoteKind::Notice, ..Self::led("Notice    ", text) }
    }
}

impl Block {
    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        match self {
            Self::Warnings(texts) | Self::List(texts) => texts.is_empty(),
            Self::Facts(facts) => facts.is_empty(),
            Self::Sheet(lists) => lists.is_empty(),
            Self::Table(table) => table.rows.is_empty(),
            Self::Pairs(parts) => parts.is_empty(),
            Self::Legend(entries) => entries.is_empty(),
            Self::Charts(charts) => charts.is_empty(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests;
