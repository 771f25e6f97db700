//! The layout of all tables on a terminal: header lines, a dashed line, right-aligned figures, no borders. A row may
//! also be a remark, with a sentence in place of figures, which general table libraries do not support.
//!
//! A table that does not fit drops its least important columns and names them below.

use super::lines::{clean, columns, hanging, push_line};
use crate::document::{BEST, Cell, Column, Keep, Look, Rank, Row, Table, WORST};

/// A row as texts.
enum Line {
    Cells(Vec<String>),
    Remark(Vec<String>, String),
    Group(String),
}

/// A table as texts.
pub(crate) struct Sheet<'t> {
    columns: &'t [Column],
    lines: Vec<Line>,
    /// The width of each column; 0 for one that is left out.
    widths: Vec<usize>,
    /// Blanks between columns.
    gap: usize,
}

/// What stands behind the figures of a column: one place for ranks, and as many for marks as the fullest cell has. It
/// is the same for every cell, so that figures are aligned.
#[derive(Clone, Copy, Default)]
struct Behind {
    rank: bool,
    marks: usize,
}

impl Behind {
    fn of<'c>(cells: impl Iterator<Item = &'c Cell> + Clone) -> Self {
        let rank = cells.clone().any(|cell| cell.rank != Rank::None);
        Self { rank, marks: cells.map(|cell| columns(&clean(&cell.marks))).max().unwrap_or(0) }
    }

    fn text(self, cell: &Cell) -> String {
        let rank = match (self.rank, cell.rank) {
            (false, _) => String::new(),
            (true, Rank::None) => " ".to_owned(),
            (true, Rank::Best) => BEST.to_string(),
            (true, Rank::Worst) => WORST.to_string(),
        };
        let marks = clean(&cell.marks);
        format!("{}{rank}{marks}{}", clean(&cell.text()), " ".repeat(self.marks.saturating_sub(columns(&marks))))
    }
}

impl<'t> Sheet<'t> {
    pub(crate) fn of(table: &'t Table) -> Self {
        let cells_of = |row: &'t Row| match row {
            Row::Cells(cells) | Row::Remark(cells, _) => cells.as_slice(),
            Row::Group(_) => &[],
        };
        let behind: Vec<Behind> = (0..table.columns.len())
            .map(|n| Behind::of(table.rows.iter().filter_map(move |row| cells_of(row).get(n))))
            .collect();
        // The rows of a group are indented.
        let indent = |n: usize| if n == 0 && table.look == Look::Keys { " " } else { "" };
        let texts = |cells: &[Cell]| {
            let texts = cells.iter().zip(&behind).enumerate();
            texts.map(|(n, (cell, behind))| format!("{}{}", indent(n), behind.text(cell))).collect()
        };
        let lines: Vec<Line> = table
            .rows
            .iter()
            .map(|row| match row {
                Row::Cells(cells) => Line::Cells(texts(cells)),
                Row::Remark(cells, text) => Line::Remark(texts(cells), text.clone()),
                Row::Group(title) => Line::Group(title.clone()),
            })
            .collect();
        let gap = if matches!(table.look, Look::Keys | Look::Heat) { 1 } else { 2 };
        let mut sheet = Self { columns: &table.columns, lines, widths: Vec::new(), gap };
        let left_out = |n: usize| table.columns[n].optional && table.is_bare(n);
        sheet.widths = (0..table.columns.len()).map(|n| if left_out(n) { 0 } else { sheet.width(n) }).collect();
        sheet
    }

    /// The table as text, no line wider than `width`.
    pub(crate) fn render(&self, width: Option<u16>) -> String {
        let shown = self.shown(width);
        let mut out = String::new();
        self.push_head(&mut out, &shown, width);
        for (i, line) in self.lines.iter().enumerate() {
            match line {
                Line::Cells(cells) => match shown.split_last() {
                    // Words in the last column are wrapped where they do not fit.
                    Some((last, before)) if !self.columns[*last].figures => {
                        let gap = " ".repeat(if before.is_empty() { 0 } else { self.gap });
                        let text = cells.get(*last).map_or("", String::as_str);
                        out.push_str(&hanging(&format!("{}{gap}", self.line(cells, before)), text, width));
                    }
                    _ => push_line(&mut out, &self.line(cells, &shown), width),
                },
                Line::Remark(keys, text) => {
                    let keys_shown: Vec<usize> = shown.iter().copied().filter(|c| *c < keys.len()).collect();
                    let lead = format!("{}{}", self.line(keys, &keys_shown), " ".repeat(self.gap));
                    out.push_str(&hanging(&lead, text, width));
                }
                Line::Group(title) => {
                    if i > 0 {
                        out.push('\n');
                    }
                    push_line(&mut out, title, width);
                }
            }
        }
        self.push_dropped(&mut out, &shown, width);
        out
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.lines.iter().filter_map(|line| match line {
            Line::Cells(cells) | Line::Remark(cells, _) => cells.get(column),
            Line::Group(_) => None,
        });
        let widest = cells.map(|cell| columns(cell)).max().unwrap_or(0);
        self.columns[column].lines().into_iter().map(columns).fold(widest, usize::max)
    }

    fn total(&self, shown: &[usize]) -> usize {
        shown.iter().map(|c| self.widths[*c]).sum::<usize>() + self.gap * shown.len().saturating_sub(1)
    }

    /// The columns that fit. A column without any text (no marks on any row) is neither shown nor listed as dropped.
    fn shown(&self, width: Option<u16>) -> Vec<usize> {
        let mut shown = self.all();
        let Some(width) = width.map(usize::from) else { return shown };
        while self.total(&shown) > width {
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

    fn all(&self) -> Vec<usize> {
        (0..self.columns.len()).filter(|c| self.widths[*c] > 0).collect()
    }

    fn line<T: AsRef<str>>(&self, cells: &[T], shown: &[usize]) -> String {
        let padded = shown.iter().map(|c| {
            let text = cells.get(*c).map_or("", AsRef::as_ref);
            let blanks = " ".repeat(self.widths[*c].saturating_sub(columns(text)));
            if self.columns[*c].figures { format!("{blanks}{text}") } else { format!("{text}{blanks}") }
        });
        padded.collect::<Vec<_>>().join(&" ".repeat(self.gap))
    }

    fn push_head(&self, out: &mut String, shown: &[usize], width: Option<u16>) {
        let heads: Vec<Vec<&str>> = self.columns.iter().map(Column::lines).collect();
        let height = shown.iter().map(|c| heads[*c].len()).max().unwrap_or(0);
        for level in (0..height).rev() {
            let line: Vec<&str> =
                heads.iter().map(|head| head.iter().rev().nth(level).copied().unwrap_or("")).collect();
            push_line(out, &self.line(&line, shown), width);
        }
        let dashes: Vec<String> = self.widths.iter().map(|width| "-".repeat(*width)).collect();
        let dashes = self.line(&dashes, shown);
        push_line(out, dashes.get(..width.map_or(usize::MAX, usize::from)).unwrap_or(&dashes), width);
    }

    fn push_dropped(&self, out: &mut String, shown: &[usize], width: Option<u16>) {
        let all = self.all();
        let dropped: Vec<&str> = all.iter().filter(|c| !shown.contains(c)).map(|c| &*self.columns[*c].name).collect();
        if dropped.is_empty() {
            return;
        }
        let text = format!("Left out here: {} ({} columns show all)", dropped.join(", "), self.total(&all));
        out.push_str(&hanging("", &text, width));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Caption, Form};

    fn table() -> Table {
        let columns = vec![
            Column::words("code", "Code", Keep::Always),
            Column::figures("rate", "Rate\n[1/s]", Keep::Always),
            Column::figures("CPU", "CPU\n[%]", Keep::Drop(2)),
            Column::figures("time", "Time\n[s]", Keep::Drop(1)),
        ];
        let figures = [Cell::figure(147_200.0, Form::Scientific), Cell::figure(97.0, Form::Short), Cell::count(12_u64)];
        let rows = vec![
            Row::Cells([Cell::words("T611")].into_iter().chain(figures).collect()),
            Row::Remark(vec![Cell::words("T612")], "failed: the file was locked by another process".to_owned()),
        ];
        Table::new(Caption::Page("Rates".to_owned()), columns, rows)
    }

    #[test]
    fn a_wide_table_shows_everything() {
        let expected = "           Rate  CPU  Time
Code      [1/s]  [%]   [s]
----  ---------  ---  ----
T611  1.472E+05   97    12
T612  failed: the file was locked by another process
";
        assert_eq!(Sheet::of(&table()).render(None), expected);
    }

    #[test]
    fn words_in_the_last_column_wrap_and_columns_that_say_nothing_may_go() {
        let columns = vec![
            Column::words("code", "Code", Keep::Always),
            Column::figures("gets", "Gets", Keep::Always).optional(),
            Column::words("finding", "Finding", Keep::Always),
        ];
        let finding = Cell::words("the file was locked by another process");
        let row = Row::Cells(vec![Cell::words("T611"), Cell::figure(None, Form::Short), finding]);
        let table = Table::new(Caption::Page(String::new()), columns, vec![row]);
        let expected = "Code  Finding
----  --------------------------
T611  the file was locked by
      another process
";
        assert_eq!(Sheet::of(&table).render(Some(32)), expected);
    }

    #[test]
    fn a_narrow_table_drops_columns_and_says_so() {
        let table = table();
        let text = Sheet::of(&table).render(Some(22));
        assert!(text.contains("Left out here: time"), "{text}");
        assert!(text.contains("T611  1.472E+05   97\n"), "{text}");
        assert!(text.lines().all(|l| columns(l) <= 22), "{text}");
        assert!(Sheet::of(&table).render(Some(1)).lines().all(|l| columns(l) <= 1));
    }

    #[test]
    fn figures_are_aligned_whatever_stands_behind_them() {
        let figure = |value: f64| Cell::figure(value, Form::Thousands);
        let columns = vec![Column::figures("A", "A", Keep::Always)];
        let rows = [figure(10.0).ranked(Rank::Best, None), figure(7.0).marked("?"), figure(125.0)];
        let rows = rows.into_iter().map(|cell| Row::Cells(vec![cell])).collect();
        let table = Table::new(Caption::Page(String::new()), columns, rows);
        assert_eq!(Sheet::of(&table).render(None), "      A\n-------\n10.00+\n7.000 ?\n125.0\n");
    }
}
