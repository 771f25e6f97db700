//! A document on a terminal: text in lines of its width.

pub(crate) mod lines;
pub(crate) mod sheet;

use crate::document::{Block, Document, Facts, LegendEntry, Look, Part, Row, SideLine, Table};
use crate::groups::{grouped, joined};
use lines::{columns, hanging, line};
use sheet::Sheet;

/// The most notes on one mark on a terminal; a page has room for more.
const MOST_NOTES_IN_TEXT: usize = 3;
/// The room for the names of facts: with the blank behind them, that of the words beside them, such as `Notice    `.
const FACT_NAMES: usize = 9;
/// A name wider than this does not widen the column of names.
const WIDEST_NAME: usize = 28;

impl Document {
    /// The text for a terminal of this width; `None` is as wide as needed.
    #[must_use]
    pub fn text(&self, width: Option<u16>) -> String {
        let mut text = Text { width, ..Text::default() };
        if !self.title.is_empty() {
            text.heading(&self.title, "=");
        }
        text.blocks(&self.head);
        for section in self.sections.iter().filter(|section| !section.blocks.is_empty()) {
            text.due();
            if !section.title.is_empty() {
                text.heading(&format!("{}{}", section.title, section.about), "-");
            }
            text.blocks(&section.blocks);
        }
        text.out
    }
}

/// The text in the making.
#[derive(Default)]
struct Text {
    out: String,
    width: Option<u16>,
    /// Whether an empty line is due before the next line.
    is_due: bool,
    /// How long the text was after its last heading, in bytes: right below a heading, or at the beginning, no empty
    /// line is due.
    heading_end: usize,
}

impl Text {
    fn due(&mut self) {
        self.is_due = self.out.len() > self.heading_end;
    }

    fn put(&mut self, lines: &str) {
        if std::mem::take(&mut self.is_due) {
            self.out.push('\n');
        }
        self.out.push_str(lines);
    }

    fn line(&mut self, text: &str) {
        self.put(&line(text, self.width));
    }

    fn hanging(&mut self, lead: &str, text: &str) {
        self.put(&hanging(lead, text, self.width));
    }

    fn heading(&mut self, title: &str, underlined_by: &str) {
        self.line(title);
        self.line(&underlined_by.repeat(columns(&lines::clean(title))));
        self.heading_end = self.out.len();
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            match block {
                _ if block.is_empty() => {}
                Block::Note(note) => self.hanging(&note.lead, &note.text),
                Block::Sides(sides) => self.sides(sides),
                Block::Warnings(texts) => {
                    self.due();
                    self.heading("NOT LIKE WITH LIKE", "-");
                    texts.iter().for_each(|text| self.hanging("! ", text));
                }
                Block::Facts(facts) => self.facts(facts, "", FACT_NAMES, " "),
                Block::Sheet(lists) => self.sheet(lists),
                Block::Table(table) if table.look == Look::Beside => self.beside(table),
                Block::Table(table) => self.table(table),
                Block::List(sentences) => sentences.iter().for_each(|sentence| self.hanging("- ", sentence)),
                Block::Part(part) | Block::Folded(part) => self.part(part),
                Block::Pairs(parts) => parts.iter().for_each(|part| self.part(part)),
                Block::Legend(entries) => entries.iter().for_each(|entry| self.legend(entry)),
                // A table beside them says the same.
                Block::Charts(_) | Block::Bars(_) | Block::Tiles(_) => {}
            }
        }
    }

    fn sides(&mut self, sides: &[SideLine]) {
        let widest = sides.iter().map(|side| columns(&side.name)).max().unwrap_or(0);
        for side in sides {
            let base = if side.is_baseline { " (baseline)" } else { "" };
            self.hanging(&format!("{}  {:widest$}  ", side.letter, side.name), &format!("{}{base}", side.text));
        }
    }

    /// A line for each fact. Its name has this room, between an indent and a gap.
    fn facts(&mut self, facts: &Facts, indent: &str, room: usize, gap: &str) {
        for (name, value) in facts {
            let blanks = " ".repeat(room.saturating_sub(columns(name)));
            self.hanging(&format!("{indent}{name}{blanks}{gap}"), value);
        }
    }

    /// All lists have one column of names; a very long one does not widen it.
    fn sheet(&mut self, lists: &[(String, Facts)]) {
        let names = lists.iter().flat_map(|(_, facts)| facts).map(|(name, _)| columns(name));
        let widest = names.max().unwrap_or(0).min(WIDEST_NAME);
        for (title, facts) in lists {
            self.due();
            self.line(title);
            self.facts(facts, "  ", widest, "  ");
        }
        self.due();
    }

    /// A line for each name. Things with the same value are listed together, by the heads of their columns.
    fn beside(&mut self, table: &Table) {
        for cells in table.rows.iter().map(Row::cells) {
            let values = cells.iter().zip(&table.columns).skip(1).map(|(cell, thing)| (&cell.words, &*thing.head));
            let parts = grouped(values).into_iter().map(|(value, of)| format!("{} {value}", of.concat()));
            let lead = cells.first().map_or_else(String::new, |name| format!("{}: ", name.words));
            self.hanging(&lead, parts.collect::<Vec<_>>().join("; ").trim_start());
        }
    }

    fn table(&mut self, table: &Table) {
        self.due();
        if table.caption_in_text {
            self.hanging("", &table.caption);
        }
        self.put(&Sheet::of(table).render(self.width));
        self.due();
    }

    fn part(&mut self, part: &Part) {
        self.due();
        let title = joined([&part.code, &part.title], "  ");
        if !title.is_empty() {
            self.line(&title);
        }
        self.blocks(&part.blocks);
        self.due();
    }

    fn legend(&mut self, entry: &LegendEntry) {
        self.hanging(&format!("{} ", entry.mark), &entry.text);
        for note in entry.notes.iter().take(MOST_NOTES_IN_TEXT) {
            self.hanging("    ", note);
        }
        let more = entry.notes.len().saturating_sub(MOST_NOTES_IN_TEXT);
        if more > 0 {
            self.hanging("    ", &format!("and {more} more in --json"));
        }
    }
}
