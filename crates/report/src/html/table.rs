//! Tables: a caption, heads with units, one row header each, figures aligned to the right.

use crate::numbers::MISSING;
use crate::text::clean;
use maud::{Markup, html};

/// The head of a column.
#[derive(Debug, Clone)]
pub(crate) struct ColumnHead {
    pub(crate) text: String,
    pub(crate) unit: String,
    pub(crate) kind: ColumnKind,
}

/// What a column contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// Words, which may wrap.
    Words,
    /// Figures, aligned.
    Figures,
}

impl ColumnHead {
    pub(crate) fn words(text: impl Into<String>) -> Self {
        Self { text: text.into(), unit: String::new(), kind: ColumnKind::Words }
    }

    /// The heads of a row, as in `Test | Time [s] | n []`: a column of figures has its unit in brackets.
    pub(crate) fn row(heads: &str) -> Vec<Self> {
        let head = |text: &str| match text.strip_suffix(']').and_then(|text| text.split_once(" [")) {
            Some((text, unit)) => Self::figures(text, unit),
            None => Self::words(text),
        };
        heads.split(" | ").map(head).collect()
    }

    pub(crate) fn figures(text: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { text: text.into(), unit: unit.into(), kind: ColumnKind::Figures }
    }
}

/// One row.
#[derive(Debug, Clone)]
pub(crate) enum TableRow {
    /// A cell for each column.
    Figures(Vec<Markup>),
    /// The first cells, and a remark in place of the others.
    Remark(Vec<Markup>, String),
    /// A heading for the rows below it.
    Group(String),
}

impl TableRow {
    /// A row of texts alone.
    pub(crate) fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Figures(texts.into_iter().map(|t| text(t.as_ref())).collect())
    }
}

/// A table.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) caption: Markup,
    pub(crate) heads: Vec<ColumnHead>,
    pub(crate) rows: Vec<TableRow>,
    /// An additional class for the style sheet.
    pub(crate) class: &'static str,
}

/// A cell's text, which may come from outside.
pub(crate) fn text(text: &str) -> Markup {
    html! { (clean(text)) }
}

/// The most columns of settings in one table; further columns go into another table.
const MOST_BESIDE: usize = 7;

/// Tables of settings by name, with a column for each run.
pub(crate) fn beside(caption: &str, names: &[String], rows: &[(String, Vec<Option<String>>)]) -> Markup {
    let all: Vec<usize> = (0..names.len()).collect();
    let table = |group: &[usize]| {
        let mut heads = vec![ColumnHead::words("Setting")];
        heads.extend(group.iter().map(|n| ColumnHead::words(names[*n].as_str())));
        let row = |(name, values): &(String, Vec<Option<String>>)| {
            let mut cells = vec![text(name)];
            cells.extend(group.iter().map(|n| match values.get(*n).and_then(Option::as_deref) {
                Some(value) => text(value),
                None => html! { span.sub { "not known" } },
            }));
            TableRow::Figures(cells)
        };
        let more = if group.len() < all.len() && group[0] > 0 { ", continued" } else { "" };
        let class = if group.len() > 1 { "facts beside" } else { "facts" };
        let caption = text(&format!("{caption}{more}"));
        Table { caption, heads, rows: rows.iter().map(row).collect(), class }.render()
    };
    html! { @for group in all.chunks(MOST_BESIDE) { (table(group)) } }
}

impl Table {
    pub(crate) fn render(&self) -> Markup {
        html! {
            div.scroll tabindex="0" role="region" aria-label={ "Table: " (self.name()) } {
                table class=(self.class) {
                    caption { span { (self.caption) } }
                    @if self.heads.iter().any(|h| !h.text.is_empty()) { thead { tr {
                        @for head in &self.heads {
                            th scope="col" class=[(head.kind == ColumnKind::Figures).then_some("r")] {
                                (clean(&head.text))
                                @if !head.unit.is_empty() { " " span.unit { (clean(&head.unit)) } }
                            }
                        }
                    } } }
                    tbody { @for row in &self.rows { (self.row(row)) } }
                }
            }
        }
    }

    /// The caption without markup.
    fn name(&self) -> String {
        let mut inside = false;
        let kept = self.caption.0.chars().filter(|c| {
            let tag = inside || *c == '<';
            inside = (inside || *c == '<') && *c != '>';
            !tag
        });
        let name: String = kept.collect();
        // The caption is escaped already; this text is escaped again.
        name.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
    }

    fn row(&self, row: &TableRow) -> Markup {
        let cell = |n: usize, content: &Markup| {
            let figures = self.heads.get(n).is_some_and(|h| h.kind == ColumnKind::Figures);
            html! {
                @if n == 0 { th scope="row" class=[figures.then_some("r")] { (content) } }
                @else { td class=[figures.then_some("r")] { (content) } }
            }
        };
        html! {
            @match row {
                TableRow::Figures(cells) => tr { @for (n, content) in cells.iter().enumerate() { (cell(n, content)) } },
                TableRow::Remark(cells, remark) => tr {
                    @for (n, content) in cells.iter().enumerate() { (cell(n, content)) }
                    td.remark colspan=(self.heads.len().saturating_sub(cells.len()).max(1)) { (clean(remark)) }
                },
                TableRow::Group(title) => tr.group { th scope="rowgroup" colspan=(self.heads.len()) { (clean(title)) } },
            }
        }
    }

    /// Removes columns of figures in which no row has one; columns of words stay.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        let empty = |n: usize| {
            self.heads[n].kind == ColumnKind::Figures
                && self.rows.iter().all(|row| match row {
                    TableRow::Figures(cells) | TableRow::Remark(cells, _) => {
                        cells.get(n).is_none_or(|c| c.0 == MISSING || c.0.is_empty())
                    }
                    TableRow::Group(_) => true,
                })
        };
        let kept: Vec<bool> = (0..self.heads.len()).map(|n| !empty(n)).collect();
        for row in &mut self.rows {
            match row {
                TableRow::Figures(cells) | TableRow::Remark(cells, _) => retain(cells, &kept),
                TableRow::Group(_) => {}
            }
        }
        retain(&mut self.heads, &kept);
        self
    }
}

fn retain<T>(columns: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    columns.retain(|_| kept.next().copied().unwrap_or(true));
}
