//! The pages of documents, as the files in `pages` have them: what each prints, and which report has the same.

use crate::cell::{fact_says, is_same, is_zero_and_nothing};
use crate::text_table::{TextTable, facts};
use dbdyno_catalogue::Catalogue;
use dbdyno_report::compare::{self, CompareOptions, Side};
use dbdyno_report::{Extent, Reported, report};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What the pages share.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Shared {
    platforms: BTreeMap<String, Vec<String>>,
    columns: BTreeMap<String, Columns>,
}

/// The columns of one kind of table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Columns {
    /// As the documents print them.
    printed: Vec<String>,
    /// Those of dbdyno that have the same.
    pub(crate) ours: Vec<String>,
    /// Those that identify a row.
    keys: Vec<String>,
    /// Those in which a printed 0 means that it was not counted, which dbdyno says below the table.
    #[serde(default)]
    not_counted: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PagesOfFile {
    page: Vec<Page>,
}

/// One page of a document.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    pub(crate) title: String,
    pub(crate) part: Vec<Part>,
}

/// Figures of a page that one report has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Part {
    /// The report, or `compare`.
    show: String,
    /// The platforms: a comparison of all, or a report of each.
    of: String,
    /// How the line above our table begins.
    pub(crate) table: Option<String>,
    /// Which columns it has.
    columns: Option<String>,
    /// The title of our facts.
    facts: Option<String>,
    rows: String,
}

/// A part of a report, read back from its text.
#[derive(Clone)]
pub(crate) enum Read {
    Table(TextTable),
    Facts(Vec<(String, String)>),
}

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/printed/pages")
}

impl Shared {
    pub(crate) fn read() -> Self {
        let shared: Self = toml::from_str(&std::fs::read_to_string(folder().join("shared.toml")).unwrap()).unwrap();
        for (name, columns) in &shared.columns {
            assert_eq!(columns.printed.len(), columns.ours.len(), "{name}");
            assert!(columns.keys.iter().chain(&columns.not_counted).all(|key| columns.ours.contains(key)), "{name}");
        }
        shared
    }
}

/// Every page, by the name of its file.
pub(crate) fn all() -> BTreeMap<String, Vec<Page>> {
    let files = std::fs::read_dir(folder()).unwrap().map(|file| file.unwrap().path());
    let pages = files.filter(|path| !path.ends_with("shared.toml")).map(|path| {
        let text = std::fs::read_to_string(&path).unwrap();
        let pages: PagesOfFile = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        (path.file_stem().unwrap().to_string_lossy().into_owned(), pages.page)
    });
    pages.collect()
}

impl Page {
    /// The commands that show it, for readers.
    pub(crate) fn commands(&self, shared: &Shared) -> String {
        let mut commands: Vec<String> = Vec::new();
        for part in &self.part {
            // The command line calls both tables of 8.4 so, and has no other names for them.
            let show = match part.show.as_str() {
                "bps8.4-load" | "bps8.4-oltp" => "8.4",
                show => show.strip_prefix("bps").unwrap_or(show),
            };
            let command = match (&shared.platforms[&part.of][..], show) {
                (_, "compare") => format!("`compare`, {} platforms", shared.platforms[&part.of].len()),
                ([_], show) => format!("`show {} --table {show}`", shared.platforms[&part.of][0]),
                (_, show) => format!("`show PLATFORM --table {show}`"),
            };
            if !commands.contains(&command) {
                commands.push(command);
            }
        }
        commands.join(", ")
    }
}

impl Part {
    /// What its reports depend on.
    pub(crate) fn key(&self) -> (String, String) {
        (self.show.clone(), self.of.clone())
    }

    /// The reports that have it: the name of the golden file and the text of each.
    pub(crate) fn reports(&self, shared: &Shared, catalogue: &Catalogue) -> Vec<(String, String)> {
        let ids = shared.platforms.get(&self.of).unwrap_or_else(|| panic!("no platforms are called '{}'", self.of));
        if self.show == "compare" {
            let sides: Vec<Side> =
                ids.iter().map(|id| Side::new(id.as_str(), vec![catalogue.platform(id).unwrap()])).collect();
            let comparison = compare::compare(&sides, &CompareOptions::default(), catalogue).unwrap();
            let text = comparison.document(&[], &[], catalogue, Extent::Screen).text(None);
            return vec![(format!("compare.{}", self.of), text)];
        }
        let text = |id: &String| {
            let run = Reported::of(catalogue.platform(id).unwrap());
            let report = report(&self.show).unwrap_or_else(|| panic!("there is no report '{}'", self.show));
            (format!("{id}.{}", self.show), report.of(&run, catalogue).text(None))
        };
        ids.iter().map(text).collect()
    }

    /// Reads the part of a report back.
    pub(crate) fn read(&self, text: &str) -> Result<Read, String> {
        match (&self.table, &self.facts) {
            (Some(table), None) => TextTable::below(text, table).map(Read::Table),
            (None, Some(title)) => facts(text, title).map(Read::Facts),
            _ => Err("a part needs one of 'table' and 'facts'".to_owned()),
        }
    }

    /// The printed rows, cell by cell: between bars, or between spaces where there is no bar.
    pub(crate) fn rows(&self) -> Vec<Vec<&str>> {
        let lines = self.rows.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| if line.contains('|') { barred(line) } else { line.split_whitespace().collect() }).collect()
    }

    pub(crate) fn columns<'s>(&self, shared: &'s Shared) -> Option<&'s Columns> {
        self.columns.as_ref().map(|name| &shared.columns[name])
    }

    /// The rows of our table that it has.
    pub(crate) fn rows_of_ours(&self, table: &TextTable, text: &str, shared: &Shared) -> Vec<usize> {
        let columns = self.columns(shared);
        let rows = self.rows();
        rows.iter().filter_map(|row| columns.and_then(|columns| columns.find(row, table, text).ok())).collect()
    }

    /// What is printed and not found: `Ok` with how many figures were compared if all is.
    pub(crate) fn check(&self, read: &Read, text: &str, shared: &Shared) -> Result<usize, Vec<String>> {
        let mut wrong = Vec::new();
        let mut compared = 0;
        for row in self.rows() {
            let found = match (read, self.columns(shared)) {
                (Read::Table(table), Some(columns)) => columns.check(&row, table, text),
                (Read::Facts(facts), None) => check_fact(&row, facts).map(|()| 1),
                _ => Err(vec!["a table needs 'columns', and facts have none".to_owned()]),
            };
            match found {
                Ok(n) => compared += n,
                Err(why) => wrong.extend(why.into_iter().map(|why| format!("{}: {why}", row.join(" | ")))),
            }
        }
        if wrong.is_empty() { Ok(compared) } else { Err(wrong) }
    }
}

/// A printed cell: the head of our column, what is printed, and the place of our column.
type PrintedCell<'p> = (&'p String, &'p str, usize);

impl Columns {
    /// The cells of a printed row that our table has a column for: those that identify the row, and the others.
    fn cells<'p>(
        &'p self,
        printed: &[&'p str],
        table: &TextTable,
    ) -> Result<(Vec<PrintedCell<'p>>, Vec<PrintedCell<'p>>), String> {
        if printed.len() != self.ours.len() {
            return Err(format!("{} cells for {} columns", printed.len(), self.ours.len()));
        }
        let mut cells: Vec<PrintedCell<'p>> = Vec::new();
        for (head, cell) in self.ours.iter().zip(printed) {
            match table.column(head) {
                Ok(place) => cells.push((head, *cell, place)),
                // A column that says nothing is left out.
                Err(_) if *cell == "." => {}
                Err(why) => return Err(why),
            }
        }
        Ok(cells.into_iter().partition(|(head, ..)| self.keys.contains(head)))
    }

    fn is_equal(&self, row: &[String], (head, cell, place): &PrintedCell<'_>, text: &str) -> bool {
        let may_be_nothing = self.not_counted.contains(head) && text.contains("printed as 0");
        is_same(cell, &row[*place]) || (may_be_nothing && is_zero_and_nothing(cell, &row[*place]))
    }

    /// The number of the only row of ours that has the keys of a printed row.
    fn find(&self, printed: &[&str], table: &TextTable, text: &str) -> Result<usize, String> {
        let (keys, _) = self.cells(printed, table)?;
        let has = |row: &[String]| keys.iter().all(|cell| self.is_equal(row, cell, text));
        let found: Vec<usize> = (0..table.rows.len()).filter(|n| has(&table.rows[*n])).collect();
        let [at] = found[..] else { return Err(format!("{} rows of ours have its keys", found.len())) };
        Ok(at)
    }

    /// Compares the cells of a printed row with those of the row of ours: how many, or which differ.
    fn check(&self, printed: &[&str], table: &TextTable, text: &str) -> Result<usize, Vec<String>> {
        let found = self.find(printed, table, text).and_then(|at| Ok((at, self.cells(printed, table)?.1)));
        let (at, cells) = found.map_err(|why| vec![why])?;
        let row = &table.rows[at];
        let wrong = cells.iter().filter(|cell| !self.is_equal(row, cell, text));
        let wrong: Vec<String> =
            wrong.map(|(head, cell, place)| format!("{head}: '{cell}' is '{}' here", row[*place])).collect();
        let figures = cells.iter().filter(|(_, cell, _)| *cell != ".").count();
        if wrong.is_empty() { Ok(figures) } else { Err(wrong) }
    }
}

fn barred(line: &str) -> Vec<&str> {
    line.split('|').map(str::trim).collect()
}

fn check_fact(printed: &[&str], facts: &[(String, String)]) -> Result<(), Vec<String>> {
    let [_, said, name] = printed else { return Err(vec!["a fact has a label, a text and our name".to_owned()]) };
    let found: Vec<&str> = facts.iter().filter(|(of, _)| of == name).map(|(_, text)| text.as_str()).collect();
    match found[..] {
        [ours] if fact_says(said, ours) => Ok(()),
        [ours] => Err(vec![format!("here it is '{ours}'")]),
        _ => Err(vec![format!("{} facts of ours are called '{name}'", found.len())]),
    }
}
