//! What sections say in fixed words: names, columns of tables and notes, as `words.toml` has them and explains them.

use crate::document::{Block, Cell, Column, Form, Note, Row, Section, Table};
use crate::embedded::embedded;
use dbdyno_model::Dop;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::LazyLock;

static WORDS: LazyLock<Words> = LazyLock::new(|| embedded(include_str!("words.toml")));

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    columns: BTreeMap<String, Column>,
    sections: BTreeMap<String, SectionWords>,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct SectionWords {
    name: String,
    title: String,
    about: String,
    nothing: String,
    tables: BTreeMap<String, TableWords>,
    notes: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableWords {
    #[serde(default)]
    caption: String,
    columns: Vec<TableColumn>,
}

/// A column of a table: the key of one that several tables have, or one of its own.
#[derive(Deserialize)]
#[serde(untagged)]
enum TableColumn {
    Shared(String),
    Own(Column),
}

/// A section without blocks.
pub(super) fn section(id: &str) -> Section {
    let SectionWords { name, title, about, .. } = &WORDS.sections[id];
    Section::new(id, name).titled(title, about)
}

/// The section, with its `nothing` in place of blocks where it has none: for a report of its own, and for sections that
/// are always shown.
pub(crate) fn alone(mut section: Section) -> Section {
    if section.blocks.is_empty() {
        section.push(Note::plain(&WORDS.sections[&section.id].nothing));
    }
    section
}

/// A note of a section.
pub(super) fn note(section: &str, name: &str) -> Note {
    Note::plain(text(section, name))
}

/// Its text.
pub(super) fn text(section: &str, name: &str) -> &'static str {
    &WORDS.sections[section].notes[name]
}

/// A table of a section.
pub(super) fn table(section: &str, name: &str, rows: Vec<Row>) -> Table {
    let TableWords { caption, columns } = &WORDS.sections[section].tables[name];
    let column = |column: &TableColumn| match column {
        TableColumn::Shared(key) => WORDS.columns[key].clone(),
        TableColumn::Own(column) => column.clone(),
    };
    Table::new(caption, columns.iter().map(column).collect(), rows)
}

/// The same with a caption of its own, which a terminal shows, too.
pub(super) fn captioned(section: &str, name: &str, caption: impl Into<String>, rows: Vec<Row>) -> Table {
    Table { caption_in_text: true, ..table(section, name, rows).called(caption) }
}

/// A table with the note of the same name; nothing without rows.
pub(super) fn explained(section: &str, name: &str, rows: Vec<Row>) -> Vec<Block> {
    if rows.is_empty() {
        return Vec::new();
    }
    vec![table(section, name, rows).into(), note(section, name).into()]
}

/// The cells of the columns with which most tables begin: code, nodes, jobs, threads, and rows per transaction, which a
/// test without transactions does not have.
pub(super) fn keys(code: impl Display, dop: Dop, rows_per_tx: u64) -> Vec<Cell> {
    let [nodes, jobs, threads] = [dop.nodes, dop.jobs, dop.threads].map(Cell::count);
    let rows = Cell::figure((rows_per_tx > 0).then_some(rows_per_tx as f64), Form::Count);
    vec![Cell::words(code.to_string()), nodes, jobs, threads, rows]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn all_sources() -> String {
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sections"))
    }

    fn sources(folder: &Path) -> String {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let text = |path: std::path::PathBuf| match path.is_dir() {
            true => sources(&path),
            false if path.extension().is_some_and(|end| end == "rs") => std::fs::read_to_string(&path).unwrap(),
            false => String::new(),
        };
        entries.map(text).collect()
    }

    /// The first two texts in the parentheses behind each call of a function.
    fn asked<'s>(sources: &'s str, function: &str) -> Vec<[&'s str; 2]> {
        let call = format!("{function}(\"");
        let calls = sources.split(&call).skip(1);
        let texts = calls.filter_map(|rest| rest.split_once(')')).map(|(texts, _)| texts.split('"').step_by(2));
        texts.map(|mut texts| [texts.next().unwrap(), texts.next().unwrap_or_default()]).collect()
    }

    #[test]
    fn what_is_asked_for_is_there() {
        let sources = all_sources();
        let asked = |function: &str| asked(&sources, function);
        for [id, _] in asked("words::section").into_iter().chain(asked("points_section")) {
            assert_eq!(section(id).id, id);
        }
        for [id, name] in ["words::table", "explained", "captioned"].into_iter().flat_map(asked) {
            assert!(name.is_empty() || !table(id, name, Vec::new()).columns.is_empty());
        }
        let notes: Vec<_> = asked(" note").into_iter().chain(asked("[note")).chain(asked("(note")).collect();
        assert!(notes.len() > 9, "{notes:?}");
        for [id, name] in notes.into_iter().chain(asked("text")).filter(|[_, name]| !name.is_empty()) {
            assert!(!text(id, name).is_empty());
        }
    }

    #[test]
    fn what_is_there_is_asked_for() {
        let sources = all_sources();
        let is_asked = |name: &String| sources.contains(&format!("\"{name}\""));
        for (id, words) in &WORDS.sections {
            let lost = words.tables.keys().chain(words.notes.keys()).find(|name| !is_asked(name));
            assert_eq!(lost, None, "{id}");
        }
        let columns =
            || WORDS.sections.values().flat_map(|words| words.tables.values()).flat_map(|table| &table.columns);
        let is_shared = |key: &String| columns().any(|of| matches!(of, TableColumn::Shared(shared) if shared == key));
        assert!(WORDS.columns.keys().all(is_shared));
    }

    #[test]
    fn figures_are_at_known_paths() {
        let paths = include_str!("../export/columns/point.txt");
        for (id, words) in &WORDS.sections {
            let columns = words.tables.keys().flat_map(|name| table(id, name, Vec::new()).columns);
            for column in columns.filter(|column| column.form.is_some()) {
                let is_known = paths.lines().any(|path| path == column.path);
                assert!(is_known || column.derived.is_some(), "{id}: {}", column.path);
            }
        }
    }
}
