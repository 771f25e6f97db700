//! Reads a report in text back: its tables by column, and its facts by name.

/// A table of a report.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TextTable {
    /// The head of each column, its lines in one.
    pub(crate) heads: Vec<String>,
    /// The cells of each row, with their marks.
    pub(crate) rows: Vec<Vec<String>>,
}

/// The lines below the only line that begins so.
fn below<'t>(text: &'t str, start: &str) -> Result<Vec<&'t str>, String> {
    let lines: Vec<&str> = text.lines().collect();
    let found: Vec<usize> = (0..lines.len()).filter(|n| lines[*n].starts_with(start)).collect();
    match found[..] {
        [at] => Ok(lines[at + 1..].to_vec()),
        _ => Err(format!("{} lines begin with '{start}'", found.len())),
    }
}

/// The columns of the line below the heads, as ranges of characters; `None` for any other line.
fn columns(line: &str) -> Option<Vec<(usize, usize)>> {
    if !line.contains("- -") && !line.contains("-  -") || line.chars().any(|c| c != '-' && c != ' ') {
        return None;
    }
    let chars: Vec<char> = line.chars().collect();
    let starts = (0..chars.len()).filter(|n| chars[*n] == '-' && (*n == 0 || chars[n - 1] == ' '));
    Some(starts.map(|from| (from, from + chars[from..].iter().take_while(|c| **c == '-').count())).collect())
}

fn cells(line: &str, columns: &[(usize, usize)]) -> Vec<String> {
    let chars: Vec<char> = line.chars().collect();
    let cell = |(from, to): &(usize, usize)| {
        let part = &chars[(*from).min(chars.len())..(*to).min(chars.len())];
        part.iter().collect::<String>().trim().to_owned()
    };
    columns.iter().map(cell).collect()
}

impl TextTable {
    /// The table below the line that begins so.
    pub(crate) fn below(text: &str, caption: &str) -> Result<Self, String> {
        let lines = below(text, caption)?;
        let ruled = lines.iter().enumerate().find_map(|(n, line)| Some((n, columns(line)?)));
        let (ruler, columns) = ruled.ok_or_else(|| format!("there is no table below '{caption}'"))?;
        let heads: Vec<&&str> = lines[..ruler].iter().rev().take_while(|line| !is_end_of_heads(line)).collect();
        let mut names = vec![String::new(); columns.len()];
        for line in heads.into_iter().rev() {
            for (name, part) in names.iter_mut().zip(cells(line, &columns)) {
                *name = format!("{name} {part}").trim().to_owned();
            }
        }
        let rows = lines[ruler + 1..].iter().take_while(|line| !line.trim().is_empty());
        Ok(Self { heads: names, rows: rows.map(|line| cells(line, &columns)).collect() })
    }

    /// The place of a column.
    pub(crate) fn column(&self, head: &str) -> Result<usize, String> {
        let found: Vec<usize> = (0..self.heads.len()).filter(|n| self.heads[*n] == head).collect();
        match found[..] {
            [at] => Ok(at),
            _ => Err(format!("{} columns are headed '{head}'; there are: {}", found.len(), self.heads.join(", "))),
        }
    }
}

/// A blank line, or one that underlines a title.
fn is_end_of_heads(line: &str) -> bool {
    line.chars().all(|c| c == '-' || c == ' ')
}

/// Names and values below a title.
pub(crate) fn facts(text: &str, title: &str) -> Result<Vec<(String, String)>, String> {
    let lines = below(text, title)?;
    let facts = lines.into_iter().map_while(|line| line.strip_prefix("  "));
    let split = |line: &str| line.split_once("  ").map(|(name, value)| (name.to_owned(), value.trim().to_owned()));
    facts.map(|line| split(line).ok_or_else(|| format!("'{line}' is no fact"))).collect()
}

#[test]
fn a_text_is_read_by_column() {
    let text = "Speed\n-----\nTest  Rows/s    Time\n       [rps]     [s]\n----  ------  ------\nT1     1,165   2 s ?\n\
                T10        -       3\n\nFacts\n  Sockets           4\n  Hardware threads  64\n\n";
    let table = TextTable::below(text, "Speed").unwrap();
    assert_eq!(table.heads, ["Test", "Rows/s [rps]", "Time [s]"]);
    assert_eq!(table.rows, [["T1", "1,165", "2 s ?"], ["T10", "-", "3"]]);
    assert_eq!((table.column("Time [s]"), table.column("Time").is_err()), (Ok(2), true));
    let two = [("Sockets", "4"), ("Hardware threads", "64")].map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(facts(text, "Facts").unwrap(), two);
    assert!(TextTable::below(text, "T1").is_err(), "two lines begin so");
    assert!(TextTable::below(text, "Facts").is_err() && facts(text, "Costs").is_err());
}
