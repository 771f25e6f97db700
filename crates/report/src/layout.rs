//! The layout of all tables: header lines, a dashed line, right-aligned figures, no borders. A row may also be a
//! remark, with a reason in place of figures, which general table libraries do not support.
//!
//! A table that does not fit drops its least important columns and names them below.

use crate::text::{clean, columns, hanging, push_line};
use std::borrow::Cow;

/// The alignment of the cells in a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// What happens to a column on a narrow terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// It is never dropped.
    Always,
    /// It is dropped, the lowest number first.
    Drop(u8),
}

/// One column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    /// Its name in the line about dropped columns.
    pub(crate) name: &'static str,
    /// Header lines; the last lines of all columns are aligned.
    pub(crate) head: &'static [&'static str],
    pub(crate) align: Align,
    pub(crate) keep: Keep,
    /// Whether it is left out of a table in which no row has a text for it.
    pub(crate) optional: bool,
}

impl Column {
    pub(crate) const fn left(name: &'static str, head: &'static [&'static str], keep: Keep) -> Self {
        Self { name, head, align: Align::Left, keep, optional: false }
    }

    pub(crate) const fn right(name: &'static str, head: &'static [&'static str], keep: Keep) -> Self {
        Self { name, head, align: Align::Right, keep, optional: false }
    }

    pub(crate) const fn optional(self) -> Self {
        Self { optional: true, ..self }
    }
}

/// One row.
#[derive(Debug, Clone)]
pub(crate) enum Row {
    /// One text per column.
    Figures(Vec<String>),
    /// Texts of the first columns, then a sentence across all others.
    Remark { keys: Vec<String>, text: String },
    /// A heading inside the table, after an empty line unless it comes first.
    Section(String),
}

/// A table of text.
#[derive(Debug, Clone)]
pub(crate) struct Sheet {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
    /// Blanks between columns.
    pub(crate) gap: usize,
}

impl Sheet {
    /// The table as text, no line wider than `width`.
    pub(crate) fn render(&self, width: Option<u16>) -> String {
        let natural = self.natural_widths();
        let shown = self.shown(&natural, width);
        let mut out = String::new();
        self.push_head(&mut out, &natural, &shown, width);
        for (i, row) in self.rows.iter().enumerate() {
            match row {
                Row::Figures(cells) => push_line(&mut out, &self.line(cells, &natural, &shown), width),
                Row::Remark { keys, text } => {
                    let key_columns: Vec<usize> = shown.iter().copied().filter(|c| *c < keys.len()).collect();
                    let lead = format!("{}{}", self.line(keys, &natural, &key_columns), " ".repeat(self.gap));
                    out.push_str(&hanging(&lead, text, width));
                }
                Row::Section(title) => {
                    if i > 0 {
                        out.push('\n');
                    }
                    push_line(&mut out, title, width);
                }
            }
        }
        self.push_dropped(&mut out, &natural, &shown, width);
        out
    }

    /// The indexes of the columns that fit on a terminal of this width.
    pub(crate) fn shown_columns(&self, width: Option<u16>) -> Vec<usize> {
        self.shown(&self.natural_widths(), width)
    }

    fn natural_widths(&self) -> Vec<usize> {
        (0..self.columns.len()).map(|c| self.natural_width(c)).collect()
    }

    fn natural_width(&self, column: usize) -> usize {
        let cells = self.rows.iter().filter_map(|row| match row {
            Row::Figures(cells) | Row::Remark { keys: cells, .. } => cells.get(column),
            Row::Section(_) => None,
        });
        let widest = cells.map(|c| columns(&clean(c))).max().unwrap_or(0);
        match self.columns[column] {
            Column { optional: true, .. } if widest == 0 => 0,
            Column { head, .. } => head.iter().map(|h| columns(h)).fold(widest, usize::max),
        }
    }

    fn total(&self, natural: &[usize], shown: &[usize]) -> usize {
        let gaps = self.gap * shown.len().saturating_sub(1);
        shown.iter().map(|c| natural[*c]).sum::<usize>() + gaps
    }

    /// The columns that fit. A column without any text (no marks on any row) is neither shown nor listed as dropped.
    fn shown(&self, natural: &[usize], width: Option<u16>) -> Vec<usize> {
        let mut shown: Vec<usize> = (0..self.columns.len()).filter(|c| natural[*c] > 0).collect();
        let Some(width) = width.map(usize::from) else { return shown };
        while self.total(natural, &shown) > width {
            let next = shown.iter().enumerate().filter_map(|(at, c)| match self.columns[*c].keep {
                Keep::Drop(order) => Some((order, at)),
                Keep::Always => None,
            });
            match next.min() {
                Some((_, at)) => _ = shown.remove(at),
                None => break,
            }
        }
        shown
    }

    fn line<T: AsRef<str>>(&self, cells: &[T], natural: &[usize], shown: &[usize]) -> String {
        let padded = shown.iter().map(|c| {
            let text = cells.get(*c).map_or(Cow::Borrowed(""), |t| clean(t.as_ref()));
            let blanks = " ".repeat(natural[*c].saturating_sub(columns(&text)));
            match self.columns[*c].align {
                Align::Left => format!("{text}{blanks}"),
                Align::Right => format!("{blanks}{text}"),
            }
        });
        padded.collect::<Vec<_>>().join(&" ".repeat(self.gap))
    }

    fn push_head(&self, out: &mut String, natural: &[usize], shown: &[usize], width: Option<u16>) {
        let height = shown.iter().map(|c| self.columns[*c].head.len()).max().unwrap_or(0);
        for level in (0..height).rev() {
            let heads = self.columns.iter().map(|c| c.head.iter().rev().nth(level).copied().unwrap_or(""));
            push_line(out, &self.line(&heads.collect::<Vec<_>>(), natural, shown), width);
        }
        let dashes: Vec<String> = natural.iter().map(|w| "-".repeat(*w)).collect();
        push_line(out, &self.line(&dashes, natural, shown), width);
    }

    fn push_dropped(&self, out: &mut String, natural: &[usize], shown: &[usize], width: Option<u16>) {
        let all: Vec<usize> = (0..self.columns.len()).filter(|c| natural[*c] > 0).collect();
        let dropped: Vec<&str> = all.iter().filter(|c| !shown.contains(c)).map(|c| self.columns[*c].name).collect();
        if dropped.is_empty() {
            return;
        }
        let text = format!("Left out here: {} ({} columns show all)", dropped.join(", "), self.total(natural, &all));
        out.push_str(&hanging("", &text, width));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        let columns = vec![
            Column::left("code", &["Code"], Keep::Always),
            Column::right("rate", &["Rate", "[1/s]"], Keep::Always),
            Column::right("CPU", &["CPU", "[%]"], Keep::Drop(2)),
            Column::right("time", &["Time", "[s]"], Keep::Drop(1)),
        ];
        let rows = vec![
            Row::Figures(["T611", "1.472E+05", "97", "12"].map(str::to_owned).to_vec()),
            Row::Remark {
                keys: vec!["T612".to_owned()],
                text: "failed: the file was locked by another process".into(),
            },
        ];
        Sheet { columns, rows, gap: 2 }
    }

    #[test]
    fn a_wide_table_shows_everything() {
        let expected = "           Rate  CPU  Time
Code      [1/s]  [%]   [s]
----  ---------  ---  ----
T611  1.472E+05   97    12
T612  failed: the file was locked by another process
";
        assert_eq!(sheet().render(None), expected);
    }

    #[test]
    fn a_narrow_table_drops_columns_and_says_so() {
        let text = sheet().render(Some(22));
        assert!(text.contains("Left out here: time"), "{text}");
        assert!(text.contains("T611  1.472E+05   97\n"), "{text}");
        assert!(text.lines().all(|l| columns(l) <= 22), "{text}");
        assert!(sheet().render(Some(1)).lines().all(|l| columns(l) <= 1));
    }
}
