//! Tables: columns with heads and units, and rows of cells that know what they are.

use crate::groups::joined;
use crate::numbers::{self, MISSING};
use dbdyno_model::PrintedBound;
use serde::{Deserialize, Serialize};

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
    /// What it is called; a page shows it above the table.
    pub(crate) caption: String,
    /// Whether a terminal and Markdown show the caption, too; else what is above says it.
    pub(crate) caption_in_text: bool,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    pub(crate) look: Look,
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
    /// Names, and the values of several things.
    Beside,
}

/// One column.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Column {
    /// Its head, line by line; a line in brackets is the unit. A page shows the lines beside each other.
    pub(crate) head: String,
    /// Its name in the line about dropped columns, where that is not the head.
    pub(crate) name: String,
    /// What a page and Markdown add to the head.
    pub(crate) more: String,
    /// Whether it has words, or figures, which are aligned to the right.
    pub(crate) words: bool,
    /// The order in which a narrow terminal drops it, the lowest number first; `None` if it never does.
    pub(crate) drop: Option<u8>,
    /// Whether it is left out of a table in which no row has a text for it.
    pub(crate) optional: bool,
    /// Where it has figures of points, their path in the JSON document: under it, a point says why it has none.
    pub(crate) path: String,
    /// The name of such a figure in `sections/points/columns.rs`, where it is computed.
    pub(crate) derived: Option<String>,
    /// How such a figure becomes text.
    pub(crate) form: Option<Form>,
}

impl Column {
    /// A column of figures.
    pub(crate) fn figures(head: impl Into<String>) -> Self {
        Self { head: head.into(), ..Self::default() }
    }

    /// A column of words.
    pub(crate) fn words(head: impl Into<String>) -> Self {
        Self { words: true, ..Self::figures(head) }
    }

    /// The column with this number among several alike: the first two stay, and the last ones are dropped first.
    pub(crate) fn last_first(self, n: usize) -> Self {
        let drop = u8::MAX.saturating_sub(u8::try_from(n).unwrap_or(u8::MAX));
        Self { drop: (n > 1).then_some(drop), ..self }
    }

    /// Its name in the line about dropped columns.
    pub(crate) fn name(&self) -> String {
        if self.name.is_empty() { self.head.replace('\n', " ") } else { self.name.clone() }
    }

    /// The lines of the head.
    pub(crate) fn lines(&self) -> Vec<&str> {
        if self.head.is_empty() { Vec::new() } else { self.head.split('\n').collect() }
    }

    /// The head without its unit, and the unit without brackets, with what is added to the head.
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
    /// The same with its sign: `+5.2`.
    Signed,
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
            Self::Signed => format!("{}{}", if value > 0.0 { "+" } else { "" }, numbers::short(value)),
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// No side is better.
    Best,
    /// No side is worse.
    Worst,
    /// In between.
    Between,
    /// It is not ranked.
    #[default]
    None,
}

impl Rank {
    /// Its sign.
    pub(crate) fn sign(self) -> Option<char> {
        match self {
            Self::Best => Some(BEST),
            Self::Worst => Some(WORST),
            Self::Between | Self::None => None,
        }
    }
}

/// A cell: words, or a figure.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Cell {
    /// Words, or a text of several figures; empty in place of a figure.
    pub(crate) words: String,
    /// How the figure becomes text; `None` where there are words.
    pub(crate) form: Option<Form>,
    /// The figure, if it is known.
    pub(crate) value: Option<f64>,
    /// On which side of it the true value lies.
    pub(crate) bound: Option<PrintedBound>,
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
        Self { words: words.into(), ..Self::default() }
    }

    pub(crate) fn figure(value: impl Into<Option<f64>>, form: Form) -> Self {
        Self { value: value.into(), form: Some(form), ..Self::default() }
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

    /// With the side on which the true value lies, where only that is known.
    pub(crate) fn bounded(self, bound: Option<PrintedBound>) -> Self {
        Self { bound, ..self }
    }

    /// The text without marks: the one place where a figure becomes text.
    pub(crate) fn text(&self) -> String {
        let text = match self.form {
            Some(form) => joined([self.bound.map_or("", PrintedBound::sign), &form.text(self.value)], " "),
            None => self.words.clone(),
        };
        if self.doubtful && !text.is_empty() && text != MISSING { format!("({text})") } else { text }
    }

    /// Whether it says nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.form.is_none() && self.words.is_empty() && self.marks.is_empty()
    }

    /// Whether it says no more than that a figure is not known.
    pub(crate) fn is_missing(&self) -> bool {
        self.is_empty() || (self.marks.is_empty() && self.text() == MISSING)
    }
}

impl Table {
    /// A table of figures.
    pub(crate) fn new(caption: impl Into<String>, columns: Vec<Column>, rows: Vec<Row>) -> Self {
        Self { caption: caption.into(), caption_in_text: false, columns, rows, look: Look::default() }
    }

    /// The values of several things by name, a column for each thing; one that is not known is told so.
    pub(crate) fn beside(
        caption: impl Into<String>,
        things: &[Column],
        rows: Vec<(String, Vec<Option<String>>)>,
    ) -> Self {
        let unknown = || Cell::words("not known").tone(Tone::Unknown);
        let cell = |value: Option<String>| value.map_or_else(unknown, Cell::words);
        let rows = rows.into_iter().map(|(name, values)| Row::led([name], values.into_iter().map(cell)));
        let columns = [Column::words("Setting")].into_iter().chain(things.iter().cloned());
        Self::new(caption, columns.collect(), rows.collect()).look(Look::Beside)
    }

    pub(crate) fn look(self, look: Look) -> Self {
        Self { look, ..self }
    }

    /// The same with another caption.
    pub(crate) fn called(self, caption: impl Into<String>) -> Self {
        Self { caption: caption.into(), ..self }
    }

    /// The places of the columns to show. One that says nothing in any row is left out if it is optional, or if it
    /// is not the first one and has no head or may go for the caller.
    pub(crate) fn kept(&self, may_go: impl Fn(&Column) -> bool) -> Vec<usize> {
        let is_kept = |n: &usize| {
            let column = &self.columns[*n];
            let is_optional = column.optional || (*n > 0 && (column.head.is_empty() || may_go(column)));
            !is_optional || !self.is_bare(*n)
        };
        (0..self.columns.len()).filter(is_kept).collect()
    }

    /// Whether a column says nothing in any row; for one of figures, whether none is known.
    pub(crate) fn is_bare(&self, column: usize) -> bool {
        let is_bare = if self.columns[column].words { Cell::is_empty } else { Cell::is_missing };
        self.rows.iter().filter_map(|row| row.cells().get(column)).all(is_bare)
    }
}
