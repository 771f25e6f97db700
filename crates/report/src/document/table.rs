//! Tables: columns with heads and units, and rows of cells that know what they are.

use crate::groups::joined;
use crate::numbers::{self, MISSING};
use dbdyno_model::PrintedBound;
use serde::Deserialize;
use std::borrow::Cow;

/// The sign of the best figure of a row; a page has its own.
pub(crate) const BEST: char = '+';
/// The sign of the worst.
pub(crate) const WORST: char = '-';

/// The sign of a mark where there is room for signs of their own: on a page, and in a summary that is read without the
/// legend beside it, where a minus behind a figure would be misread.
pub(crate) fn drawn_sign(mark: char) -> char {
    match mark {
        BEST => '▲',
        WORST => '▼',
        other => other,
    }
}

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    pub(crate) caption: Caption,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    pub(crate) look: Look,
}

/// What a table is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Caption {
    /// It stands above the table.
    Shown(String),
    /// It stands above the table on a page; on a terminal, what is above says it.
    Page(String),
}

/// How a table is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Look {
    /// Figures in columns.
    #[default]
    Figures,
    /// The key metrics.
    Keys,
    /// Sentences in columns.
    Prose,
    /// Figures of several sides, a column for each.
    Sides,
    /// The same, coloured by their share of the best.
    Heat,
    /// Requirements and results.
    Verdict,
    /// Names and values.
    Facts,
}

/// What happens to a column on a narrow terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// It is never dropped.
    Always,
    /// It is dropped, the lowest number first.
    Drop(u8),
}

impl Keep {
    /// For columns of which the first two stay, and the last ones are dropped first.
    pub(crate) fn last_first(n: usize) -> Self {
        if n < 2 { Self::Always } else { Self::Drop(u8::MAX.saturating_sub(u8::try_from(n).unwrap_or(u8::MAX))) }
    }
}

/// One column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    /// Its name in the line about dropped columns.
    pub(crate) name: Cow<'static, str>,
    /// Its head, line by line; a line in brackets is the unit. A page shows the lines beside each other.
    pub(crate) head: Cow<'static, str>,
    /// What a page adds to the head.
    pub(crate) more: String,
    /// Whether it has figures, which are aligned to the right, or words.
    pub(crate) figures: bool,
    pub(crate) keep: Keep,
    /// Whether it is left out of a table in which no row has a text for it.
    pub(crate) optional: bool,
}

impl Column {
    /// A column of words.
    pub(crate) const fn words(name: &'static str, head: &'static str, keep: Keep) -> Self {
        let mut column = Self::figures(name, head, keep);
        column.figures = false;
        column
    }

    /// A column of figures.
    pub(crate) const fn figures(name: &'static str, head: &'static str, keep: Keep) -> Self {
        let (name, head) = (Cow::Borrowed(name), Cow::Borrowed(head));
        Self { name, head, more: String::new(), figures: true, keep, optional: false }
    }
    /// A column of figures with a head that depends on the results; it is its own name.
    pub(crate) fn made(head: impl Into<String>, keep: Keep) -> Self {
        let head = head.into();
        Self { name: head.replace('\n', " ").into(), head: head.into(), ..Self::figures("", "", keep) }
    }

    /// The lines of the head.
    pub(crate) fn lines(&self) -> Vec<&str> {
        if self.head.is_empty() { Vec::new() } else { self.head.split('\n').collect() }
    }

    /// The head without its unit, and the unit without brackets, with what a page adds.
    pub(crate) fn head_and_unit(&self) -> (String, String) {
        let mut lines = self.lines();
        let unit = lines.pop_if(|last| last.starts_with('[') && last.ends_with(']'));
        let unit = unit.map_or("", |line| &line[1..line.len() - 1]);
        (lines.join(" ").trim().to_owned(), joined([unit, &self.more], ", "))
    }
}

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Row {
    /// A cell for each column.
    Cells(Vec<Cell>),
    /// The first cells, and a sentence in place of the others.
    Remark(Vec<Cell>, String),
    /// A heading for the rows below it.
    Group(String),
}

impl Row {
    /// A row of words.
    pub(crate) fn words<T: Into<String>>(words: impl IntoIterator<Item = T>) -> Self {
        Self::led(words, [])
    }

    /// A row that begins with words.
    pub(crate) fn led(words: impl IntoIterator<Item: Into<String>>, cells: impl IntoIterator<Item = Cell>) -> Self {
        Self::Cells(words.into_iter().map(Cell::words).chain(cells).collect())
    }

    /// Its cells; a heading has none.
    pub(crate) fn cells(&self) -> &[Cell] {
        match self {
            Self::Cells(cells) | Self::Remark(cells, _) => cells,
            Self::Group(_) => &[],
        }
    }
}

/// How a figure becomes text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// Four digits and an exponent: `1.472E+05`.
    Scientific,
    /// Four digits: `147,200`.
    Thousands,
    /// For narrow columns: `97`, `5.2`.
    Short,
    /// Seconds in microseconds, for narrow columns.
    Micros,
    /// As a source printed it.
    Printed,
    /// A whole number.
    Count,
    /// Seconds, in the unit that suits them.
    Duration,
    /// A share: `97 %`.
    Percent,
    /// A factor: `1.83`.
    Factor,
    /// With so many decimals.
    Decimals(u8),
}

impl Form {
    /// A value as text; `-` where there is none.
    pub(crate) fn text(self, value: impl Into<Option<f64>>) -> String {
        let Some(value) = value.into().filter(|value| value.is_finite()) else { return MISSING.to_owned() };
        match self {
            Self::Scientific => numbers::scientific(value),
            Self::Thousands => numbers::thousands(value),
            Self::Short => numbers::short(value),
            Self::Micros => numbers::short(value * 1e6),
            Self::Printed => numbers::printed(value),
            Self::Duration => numbers::duration(value),
            Self::Percent => numbers::percent(value),
            Self::Count => numbers::count(value.max(0.0) as u64),
            Self::Factor => numbers::factor(value),
            Self::Decimals(n) => format!("{value:.0$}", usize::from(n)),
        }
    }
}

/// What a cell holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum Content {
    /// Nothing.
    #[default]
    Empty,
    /// Words, or a text of several figures.
    Words(String),
    /// A figure; `None` is one that is not known.
    Figure {
        /// The figure.
        value: Option<f64>,
        /// How it becomes text.
        form: Form,
        /// On which side of it the true value lies.
        bound: Option<PrintedBound>,
    },
}

/// How a cell is meant.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) enum Tone {
    /// As it is.
    #[default]
    Plain,
    /// A gain.
    Better,
    /// A loss.
    Worse,
    /// It stands for what is not known.
    Unknown,
}

/// The place of a figure among those of its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Rank {
    /// It is not ranked, or in between.
    #[default]
    None,
    /// No side is better.
    Best,
    /// No side is worse.
    Worst,
}

impl Rank {
    /// Its sign.
    pub(crate) fn sign(self) -> Option<char> {
        match self {
            Self::None => None,
            Self::Best => Some(BEST),
            Self::Worst => Some(WORST),
        }
    }
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Cell {
    pub(crate) content: Content,
    /// Whether the figure is not one of what the test is meant to measure: it stands in parentheses.
    pub(crate) doubtful: bool,
    /// Marks behind it, which a legend explains.
    pub(crate) marks: String,
    pub(crate) tone: Tone,
    pub(crate) rank: Rank,
    /// What share of the best of its row it is, from 0 to 1.
    pub(crate) heat: Option<f64>,
    /// Why it is as it is, for readers who point at it.
    pub(crate) why: Option<String>,
    /// The anchor to which it leads.
    pub(crate) link: Option<String>,
}

impl Cell {
    pub(crate) fn empty() -> Self {
        Self::default()
    }

    pub(crate) fn words(words: impl Into<String>) -> Self {
        let words = words.into();
        let content = if words.is_empty() { Content::Empty } else { Content::Words(words) };
        Self { content, ..Self::default() }
    }

    pub(crate) fn figure(value: impl Into<Option<f64>>, form: Form) -> Self {
        Self { content: Content::Figure { value: value.into(), form, bound: None }, ..Self::default() }
    }

    /// A whole number.
    pub(crate) fn count(value: impl Into<u64>) -> Self {
        Self::figure(value.into() as f64, Form::Count)
    }

    /// A figure, or nothing where it is not known.
    pub(crate) fn known(value: Option<f64>, form: Form) -> Self {
        value.map_or_else(Self::empty, |value| Self::figure(value, form))
    }

    /// Marks alone.
    pub(crate) fn marks(marks: impl Into<String>) -> Self {
        Self { marks: marks.into(), ..Self::default() }
    }

    pub(crate) fn doubtful(self, doubtful: bool) -> Self {
        Self { doubtful, ..self }
    }

    pub(crate) fn marked(self, marks: impl Into<String>) -> Self {
        Self { marks: marks.into(), ..self }
    }

    pub(crate) fn tone(self, tone: Tone) -> Self {
        Self { tone, ..self }
    }

    pub(crate) fn ranked(self, rank: Rank, heat: Option<f64>) -> Self {
        Self { rank, heat, ..self }
    }

    pub(crate) fn because(self, why: Option<String>) -> Self {
        Self { why: why.filter(|why| !why.is_empty()), ..self }
    }

    pub(crate) fn linked(self, anchor: impl Into<String>) -> Self {
        Self { link: Some(anchor.into()), ..self }
    }

    /// With the side on which the true value lies, where only that is known.
    pub(crate) fn bounded(mut self, of: Option<PrintedBound>) -> Self {
        if let Content::Figure { bound, .. } = &mut self.content {
            *bound = of;
        }
        self
    }

    /// The text without marks: the one place where a figure becomes text.
    pub(crate) fn text(&self) -> String {
        let text = match &self.content {
            Content::Empty => return String::new(),
            Content::Words(words) => words.clone(),
            Content::Figure { value, form, bound: None } => form.text(*value),
            Content::Figure { value, form, bound: Some(bound) } => format!("{} {}", bound.sign(), form.text(*value)),
        };
        if self.doubtful && text != MISSING { format!("({text})") } else { text }
    }

    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.content == Content::Empty && self.marks.is_empty()
    }

    /// Whether it says no more than that a figure is not known.
    pub(crate) fn is_missing(&self) -> bool {
        self.is_empty() || (self.marks.is_empty() && self.text() == MISSING)
    }
}

/// A column, and the cell in it that something has.
pub(crate) type Field<T> = (Column, fn(&T) -> Cell);

impl Table {
    /// A table with a row for each of these things.
    pub(crate) fn of<T>(caption: Caption, fields: &[Field<T>], things: &[T]) -> Self {
        let row = |thing| Row::Cells(fields.iter().map(|(_, cell)| cell(thing)).collect());
        let columns = fields.iter().map(|(column, _)| column.clone()).collect();
        Self::new(caption, columns, things.iter().map(row).collect())
    }

    /// A table of figures.
    pub(crate) fn new(caption: Caption, columns: Vec<Column>, rows: Vec<Row>) -> Self {
        Self { caption, columns, rows, look: Look::default() }
    }

    pub(crate) fn look(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// With a caption that a page shows.
    pub(crate) fn called(self, caption: impl Into<String>) -> Self {
        Self { caption: Caption::Page(caption.into()), ..self }
    }

    /// The caption.
    pub(crate) fn name(&self) -> &str {
        match &self.caption {
            Caption::Shown(name) | Caption::Page(name) => name,
        }
    }

    /// The columns but for those that say nothing and may go for that: optional ones, ones without a head, and these.
    /// The first one stays.
    pub(crate) fn kept(&self, may_go: impl Fn(&Column) -> bool) -> Vec<usize> {
        let may_go = |column: &Column| column.optional || column.head.is_empty() || may_go(column);
        let is_kept = |n: &usize| *n == 0 || !may_go(&self.columns[*n]) || !self.is_bare(*n);
        (0..self.columns.len()).filter(is_kept).collect()
    }

    /// Whether a column says nothing in any row; for one of figures, whether none is known.
    pub(crate) fn is_bare(&self, column: usize) -> bool {
        let is_bare = if self.columns[column].figures { Cell::is_missing } else { Cell::is_empty };
        self.rows.iter().filter_map(|row| row.cells().get(column)).all(is_bare)
    }
}
