//! The layout of all tables on a terminal: header lines, a dashed line, right-aligned figures, no borders. A row may
//! also be a remark, with a sentence in place of figures, which general table libraries do not support.
//!
//! A table that does not fit drops its least important columns and names them below.

use super::lines::{clean, columns, hanging, line};
use crate::document::{Cell, Column, Look, Row, Table};

/// A table as texts.
pub(crate) struct Sheet<'t> {
    table: &'t Table,
    /// The cells of each row.
    texts: Vec<Vec<String>>,
    /// The width of each column.
    widths: Vec<usize>,
    /// Blanks between columns.
    gap: &'static str,
}

impl<'t> Sheet<'t> {
    pub(crate) fn of(table: &'t Table) -> Self {
        // Behind the figures of a column there is room for a rank, and for the marks of the fullest cell. It is the
        // same for every cell, so that figures are aligned.
        let room = |n: usize| {
            let cells = || table.rows.iter().filter_map(move |row| row.cells().get(n));
            let for_rank = usize::from(cells().any(|cell| cell.rank.sign().is_some()));
            let for_marks = cells().map(|cell| columns(&clean(&cell.marks))).max().unwrap_or(0);
            (for_rank, for_marks)
        };
        let rooms: Vec<(usize, usize)> = (0..table.columns.len()).map(room).collect();
        let text = |(cell, &(for_rank, for_marks)): (&Cell, &(usize, usize))| {
            let rank = cell.rank.sign().map_or_else(String::new, String::from);
            format!("{}{rank:for_rank$}{:for_marks$}", clean(&cell.text()), clean(&cell.marks))
        };
        let of_row = |row: &Row| row.cells().iter().zip(&rooms).map(text).collect();
        let mut texts: Vec<Vec<String>> = table.rows.iter().map(of_row).collect();
        if table.look == Look::Keys {
            // The rows of a group are indented.
            texts.iter_mut().filter_map(|cells| cells.first_mut()).for_each(|first| first.insert(0, ' '));
        }
        let width = |(n, column): (usize, &Column)| {
            let all = texts.iter().filter_map(|cells| cells.get(n)).map(String::as_str).chain(column.lines());
            all.map(columns).max().unwrap_or(0)
        };
        let widths = table.columns.iter().enumerate().map(width).collect();
        let gap = if matches!(table.look, Look::Keys | Look::Heat) { " " } else { "  " };
        Self { table, texts, widths, gap }
    }

    /// The table as text, no line wider than `width`.
    pub(crate) fn render(&self, width: Option<u16>) -> String {
        let shown = self.shown(width);
        let mut out = self.head(&shown, width);
        for (n, (row, cells)) in self.table.rows.iter().zip(&self.texts).enumerate() {
            // What stands before the text that is wrapped where it does not fit.
            let (before, text) = match (row, shown.split_last()) {
                (Row::Group(title), _) => {
                    out.push_str(if n > 0 { "\n" } else { "" });
                    out.push_str(&line(title, width));
                    continue;
                }
                (Row::Remark(_, text), _) => (shown.iter().copied().filter(|c| *c < cells.len()).collect(), &**text),
                // Words in the last column.
                (Row::Cells(_), Some((last, before))) if self.table.columns[*last].words => {
                    (before.to_vec(), cells.get(*last).map_or("", String::as_str))
                }
                (Row::Cells(_), _) => (shown.clone(), ""),
            };
            let gap = if before.is_empty() && matches!(row, Row::Cells(_)) { "" } else { self.gap };
            out.push_str(&hanging(&format!("{}{gap}", self.line(cells, &before)), text, width));
        }
        out + &self.dropped(&shown, width)
    }

    fn total(&self, shown: &[usize]) -> usize {
        shown.iter().map(|c| self.widths[*c]).sum::<usize>() + self.gap.len() * shown.len().saturating_sub(1)
    }

    /// The columns that fit.
    fn shown(&self, width: Option<u16>) -> Vec<usize> {
        let mut shown = self.table.kept(|_| false);
        while width.is_some_and(|width| self.total(&shown) > usize::from(width)) {
            let next = shown.iter().enumerate().filter_map(|(at, c)| Some((self.table.columns[*c].drop?, at)));
            let Some((_, at)) = next.min() else { break };
            shown.remove(at);
        }
        shown
    }

    fn line<T: AsRef<str>>(&self, cells: &[T], shown: &[usize]) -> String {
        let padded = shown.iter().map(|c| {
            let text = cells.get(*c).map_or("", AsRef::as_ref);
            let blanks = " ".repeat(self.widths[*c].saturating_sub(columns(text)));
            if self.table.columns[*c].words { format!("{text}{blanks}") } else { format!("{blanks}{text}") }
        });
        padded.collect::<Vec<_>>().join(self.gap)
    }

    /// The lines of the heads, and the dashes below them.
    fn head(&self, shown: &[usize], width: Option<u16>) -> String {
        let heads: Vec<Vec<&str>> = self.table.columns.iter().map(Column::lines).collect();
        let height = shown.iter().map(|c| heads[*c].len()).max().unwrap_or(0);
        let of_level = |level: usize| {
            let row: Vec<&str> = heads.iter().map(|head| head.iter().nth_back(level).copied().unwrap_or("")).collect();
            line(&self.line(&row, shown), width)
        };
        let dashes: Vec<String> = self.widths.iter().map(|width| "-".repeat(*width)).collect();
        let dashes = self.line(&dashes, shown);
        let dashes = line(dashes.get(..width.map_or(usize::MAX, usize::from)).unwrap_or(&dashes), width);
        (0..height).rev().map(of_level).chain([dashes]).collect()
    }

    /// What was dropped; empty where all is shown.
    fn dropped(&self, shown: &[usize], width: Option<u16>) -> String {
        let all = self.table.kept(|_| false);
        let dropped = all.iter().filter(|c| !shown.contains(c)).map(|c| self.table.columns[*c].name());
        let dropped = dropped.collect::<Vec<_>>().join(", ");
        let text = format!("Left out here: {dropped} ({} columns show all)", self.total(&all));
        if dropped.is_empty() { String::new() } else { hanging("", &text, width) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Form, Rank};

    fn table() -> Table {
        let columns = vec![
            Column::words("Code"),
            Column::figures("Rate\n[1/s]"),
            Column { drop: Some(2), ..Column::figures("CPU\n[%]") },
            Column { drop: Some(1), name: "time".to_owned(), ..Column::figures("Time\n[s]") },
        ];
        let figures = [Cell::figure(147_200.0, Form::Scientific), Cell::figure(97.0, Form::Short), Cell::count(12_u64)];
        let rows = vec![
            Row::Cells([Cell::words("T611")].into_iter().chain(figures).collect()),
            Row::Remark(vec![Cell::words("T612")], "failed: the file was locked by another process".to_owned()),
        ];
        Table::new("Rates", columns, rows)
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
        let columns =
            vec![Column::words("Code"), Column { optional: true, ..Column::figures("Gets") }, Column::words("Finding")];
        let finding = Cell::words("the file was locked by another process");
        let row = Row::Cells(vec![Cell::words("T611"), Cell::figure(None, Form::Short), finding]);
        let table = Table::new("", columns, vec![row]);
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
        let columns = vec![Column::figures("A")];
        let rows = [figure(10.0).ranked(Rank::Best, None), figure(7.0).marked("?"), figure(125.0)];
        let rows = rows.into_iter().map(|cell| Row::Cells(vec![cell])).collect();
        let table = Table::new("", columns, rows);
        assert_eq!(Sheet::of(&table).render(None), "      A\n-------\n10.00+\n7.000 ?\n125.0\n");
    }
}
