//! Plain aligned lists for `dbdyno list`.

use crate::document::{Column, Row, Table};
use crate::terminal::sheet::Sheet;

/// A list with a header line, a dashed line and left-aligned columns. The last column is wrapped to the remaining
/// width, and put on lines of its own if that is too narrow. `width` is the terminal's; `None` wraps nothing.
#[must_use]
pub fn table(headers: &[&str], rows: &[Vec<String>], width: Option<u16>) -> String {
    if headers.is_empty() {
        return String::new();
    }
    let columns = headers.iter().map(|head| Column::words(*head));
    let rows = rows.iter().map(|row| Row::words(row.iter().cloned()));
    Sheet::of(&Table::new("", columns.collect(), rows.collect())).render(width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::lines::columns;

    fn rows() -> Vec<Vec<String>> {
        [["T611", "native", "select by primary key, cached"], ["T612", "equivalent", "\u{1b}[31mthe same on an iot"]]
            .map(|r| r.map(str::to_owned).to_vec())
            .to_vec()
    }

    #[test]
    fn the_last_column_wraps() {
        let expected = "\
Code  Mapping     Title
----  ----------  ------------------------
T611  native      select by primary key,
                  cached
T612  equivalent  \\u{1b}[31mthe same on an
                  iot
";
        assert_eq!(table(&["Code", "Mapping", "Title"], &rows(), Some(42)), expected);
    }

    #[test]
    fn narrow_empty_and_ragged_lists_hold_their_width() {
        let narrow = table(&["Code", "Mapping", "Title"], &rows(), Some(20));
        assert!(narrow.lines().all(|l| columns(l) <= 20), "{narrow}");
        assert!(narrow.contains("    select by"), "{narrow}");
        assert_eq!(table(&[], &rows(), None), "");
        assert_eq!(table(&["Code"], &[vec![]], None), "Code\n----\n\n");
    }
}
