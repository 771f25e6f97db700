//! Plain aligned lists for `dbdyno list`.

use crate::text::{clean, columns, hanging, push_line};

/// Blanks between columns.
const GAP: usize = 2;

/// A list with a header line, a dashed line and left-aligned columns. The last column is wrapped to the remaining
/// width, and put on lines of its own if that is too narrow. `width` is the terminal's; `None` wraps nothing.
#[must_use]
pub fn table(headers: &[&str], rows: &[Vec<String>], width: Option<u16>) -> String {
    let widths: Vec<usize> = (0..headers.len())
        .map(|c| rows.iter().filter_map(|r| r.get(c)).map(|t| columns(&clean(t))).max().unwrap_or(0))
        .zip(headers)
        .map(|(cells, head)| cells.max(columns(head)))
        .collect();
    let Some(last) = headers.len().checked_sub(1) else { return String::new() };
    let lead_of = |cells: &[&str]| -> String {
        let padded = cells.iter().zip(&widths).take(last).map(|(text, width)| {
            let text = clean(text);
            let blanks = (width + GAP).saturating_sub(columns(&text));
            format!("{text}{}", " ".repeat(blanks))
        });
        padded.collect()
    };
    let mut out = String::new();
    push_line(&mut out, &format!("{}{}", lead_of(headers), headers[last]), width);
    let indent: usize = widths.iter().take(last).map(|w| w + GAP).sum();
    let room = width.map_or(usize::MAX, |w| usize::from(w).saturating_sub(indent));
    let dashes: Vec<String> = widths.iter().map(|w| "-".repeat(*w)).collect();
    let dashes: Vec<&str> = dashes.iter().map(String::as_str).collect();
    let last_dashes = dashes[last].get(..widths[last].min(room)).unwrap_or_default();
    push_line(&mut out, &format!("{}{last_dashes}", lead_of(&dashes)), width);
    for row in rows {
        let cells: Vec<&str> = (0..=last).map(|c| row.get(c).map_or("", String::as_str)).collect();
        out.push_str(&hanging(&lead_of(&cells), cells[last], width));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

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
