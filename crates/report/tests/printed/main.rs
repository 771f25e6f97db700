//! What documents print, and whether dbdyno shows the same from the platform files: the same rows and columns, and
//! equal values. `pages/*.toml` has the figures of each page as they are printed; a page names the report that has
//! them, and each report has a golden file. `DBDYNO_BLESS=1` writes the golden files again; read the difference before
//! you commit it.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

mod cell;
mod pages;
mod text_table;

use dbdyno_catalogue::Catalogue;
use pages::{Columns, Page, Part, Read, Shared};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use text_table::TextTable;

/// Every part of every page with each of its reports: the page, the part, and the name and the text of the report.
struct Shown {
    shared: Shared,
    pages: Vec<Page>,
    texts: BTreeMap<(String, String), Vec<(String, String)>>,
}

impl Shown {
    fn of_all() -> Self {
        let (shared, catalogue) = (Shared::read(), Catalogue::embedded().unwrap());
        let pages: Vec<Page> = pages::all().into_values().flatten().collect();
        let mut texts = BTreeMap::new();
        for part in pages.iter().flat_map(|page| &page.part) {
            texts.entry(part.key()).or_insert_with(|| part.reports(&shared, &catalogue));
        }
        Self { shared, pages, texts }
    }

    fn parts(&self) -> impl Iterator<Item = (&Page, &Part, &str, &str)> {
        let parts = self.pages.iter().flat_map(|page| page.part.iter().map(move |part| (page, part)));
        parts.flat_map(|(page, part)| {
            self.texts[&part.key()].iter().map(move |(name, text)| (page, part, name.as_str(), text.as_str()))
        })
    }
}

#[test]
fn every_report_that_has_a_page_has_a_golden_file() {
    let shown = Shown::of_all();
    let reports: BTreeMap<&str, &str> = shown.parts().map(|(_, _, name, text)| (name, text)).collect();
    let mut wrong = Vec::new();
    for (name, text) in reports {
        assert!(text.contains("Source"), "{name} does not name its source:\n{text}");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden_platforms/{name}.txt"));
        if std::env::var_os("DBDYNO_BLESS").is_some() {
            std::fs::write(&path, text).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_else(|e| format!("{}: {e}", path.display()));
        if expected != text {
            wrong.push(format!("{name} differs from its golden file. It is now:\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_printed_figure_stands_in_its_row_and_column() {
    let shown = Shown::of_all();
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for (page, part, name, text) in shown.parts() {
        let found = part.read(text).map_err(|why| vec![why]).and_then(|read| part.check(&read, text, &shown.shared));
        match found {
            Ok(n) => compared += n,
            Err(why) => wrong.extend(why.into_iter().map(|why| format!("{}, {name}: {why}", page.title))),
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!((shown.pages.len(), compared), (PAGES, FIGURES));
}

/// How many pages there are, and how many of their figures are compared, those of several platforms for each: none is
/// lost unseen.
const PAGES: usize = 77;
const FIGURES: usize = 3_460;

/// No page is forgotten: every row of the tables that pages have, all points among them, is on a page.
#[test]
fn every_row_of_ours_is_on_a_page() {
    let shown = Shown::of_all();
    let mut rows: BTreeMap<(&str, &str), (TextTable, BTreeSet<usize>)> = BTreeMap::new();
    for (_, part, name, text) in shown.parts() {
        let (Some(caption), Ok(Read::Table(table))) = (&part.table, part.read(text)) else { continue };
        let found = part.rows_of_ours(&table, text, &shown.shared);
        rows.entry((name, caption)).or_insert_with(|| (table, BTreeSet::new())).1.extend(found);
    }
    let missing = rows.iter().flat_map(|(of, (table, found))| {
        let others = (0..table.rows.len()).filter(|n| !found.contains(n));
        others.map(move |n| format!("{of:?}: {}", table.rows[n].join(" | ")))
    });
    let missing: Vec<String> = missing.collect();
    assert!(missing.is_empty(), "on no page:\n{}", missing.join("\n"));
}

/// The check itself: a figure that is another one, a row, a column or a fact that is not there, all are found.
#[test]
fn a_changed_figure_and_a_missing_row_or_column_are_found() {
    let shown = Shown::of_all();
    for (page, part, name, text) in shown.parts() {
        let read = part.read(text).unwrap();
        let of = |what: &str| format!("{what} of {}, {name}", page.title);
        let finds = |changed: &Read| part.check(changed, text, &shown.shared).is_err();
        assert!(!finds(&read), "{}", of("nothing"));
        match (&read, part.columns(&shown.shared)) {
            (Read::Table(table), Some(columns)) => {
                let is_printed = |at: usize| part.rows().iter().any(|row| row[at] != ".");
                let places: Vec<usize> = printed_columns(columns, is_printed, |head| table.column(head).unwrap());
                for column in &places {
                    let mut without = table.clone();
                    without.heads[*column] = String::new();
                    assert!(finds(&Read::Table(without)), "{}", of(&table.heads[*column]));
                }
                // A row of ours matters if its loss is found; each printed row needs one, and each of its cells.
                let mut rows = 0;
                for n in 0..table.rows.len() {
                    let mut without = table.clone();
                    without.rows.remove(n);
                    if !finds(&Read::Table(without)) {
                        continue;
                    }
                    rows += 1;
                    for column in &places {
                        let mut changed = table.clone();
                        changed.rows[n][*column] = other(&table.rows[n][*column]);
                        assert!(finds(&Read::Table(changed)), "{}", of(&format!("row {n}, {}", table.heads[*column])));
                    }
                }
                assert_eq!(rows, part.rows().len(), "{}", of("rows"));
            }
            (Read::Facts(facts), None) => {
                let names: BTreeSet<&str> = part.rows().iter().map(|row| row[2]).collect();
                for n in (0..facts.len()).filter(|n| names.contains(facts[*n].0.as_str())) {
                    let (mut changed, mut without) = (facts.clone(), facts.clone());
                    changed[n].1 = other(&facts[n].1);
                    without.remove(n);
                    assert!(finds(&Read::Facts(changed)) && finds(&Read::Facts(without)), "{}", of(&facts[n].0));
                }
            }
            _ => panic!("{}", of("neither table nor facts")),
        }
    }
}

/// The places in our table of the columns in which something is printed.
fn printed_columns(columns: &Columns, is_printed: impl Fn(usize) -> bool, place: impl Fn(&str) -> usize) -> Vec<usize> {
    (0..columns.ours.len()).filter(|at| is_printed(*at)).map(|at| place(&columns.ours[at])).collect()
}

/// Another text: each digit is the next one, and each letter an x.
fn other(text: &str) -> String {
    let next = |c: char| c.to_digit(10).and_then(|digit| char::from_digit((digit + 1) % 10, 10));
    let other = |c: char| next(c).unwrap_or(if c.is_alphabetic() { 'x' } else { c });
    if text.chars().any(char::is_alphanumeric) { text.chars().map(other).collect() } else { "7".to_owned() }
}

/// The page for readers lists every page with the command that shows it, and no others.
#[test]
fn the_list_for_readers_is_complete() {
    let shared = Shared::read();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/published-pages.md");
    let list = std::fs::read_to_string(path).unwrap();
    let rows: Vec<&str> = list.lines().filter(|line| line.starts_with("| ") && line.contains('`')).collect();
    let pages: Vec<Page> = pages::all().into_values().flatten().collect();
    let expected: Vec<String> =
        pages.iter().map(|page| format!("| {} | {} |", page.title, page.commands(&shared))).collect();
    let lacks: Vec<&str> =
        expected.iter().map(String::as_str).filter(|row| !rows.iter().any(|r| r.starts_with(row))).collect();
    assert!(lacks.is_empty(), "docs/published-pages.md lacks:\n{}", lacks.join("\n"));
    assert_eq!(rows.len(), pages.len(), "docs/published-pages.md has rows of no page");
}
