//! The card of a run or a published result as a script of the gallery's folder: a page may load such a script from a
//! folder, too, where nothing else could be read.

use super::entry::Entry;
use crate::compare::WarningKind;
use crate::compare::card::{Card, CardCell, CardTest};
use crate::compare::likeness::{OF_COMMITS, OF_WORK, bar};
use crate::document::{Cell, Form};
use crate::sections::compare::figures::{about, cell_marks};
use crate::sections::pace::{SidePace, uneven};
use crate::terminal::lines::clean;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{PaceKind, Point, PublishedCurve, RunJson};
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The function that takes what a script of the folder has.
const TAKE: &str = "gallery";

/// What a card has for a script.
#[derive(Serialize)]
struct CardJson<'a> {
    key: &'a str,
    title: &'a str,
    /// Where it comes from.
    from: String,
    notice: Option<&'a str>,
    size: &'a str,
    facts: BTreeMap<WarningKind, &'a str>,
    builds: &'a [(String, Vec<String>)],
    paces: BTreeMap<&'static str, SidePace>,
    uneven: Option<String>,
    kind: &'a str,
    settings: &'a [(&'static str, Option<String>)],
    firmware: &'a [(String, String)],
    parameters: Vec<(&'a String, &'a String)>,
    tests: &'a [CardTest],
    cells: Vec<CellJson<'a>>,
    curves: Vec<CurveJson<'a>>,
}

#[derive(Serialize)]
struct CellJson<'a> {
    value: Option<f64>,
    text: String,
    /// As the source prints it, and the unit.
    printed: Option<(String, &'a str)>,
    /// Whether it stands in parentheses.
    apart: bool,
    /// Why it is never divided: the place of the reason among reasons, and the words.
    bar: Option<(u8, String)>,
    /// What two figures must have alike, in the order of the gallery's words.
    alike: [Option<String>; 3],
    facts: BTreeMap<WarningKind, Vec<&'a str>>,
    equivalent: bool,
    marks: String,
    about: String,
    /// The code under which it was measured, where that is another than the row's.
    test: Option<&'a str>,
}

/// A series over something other than jobs and threads.
#[derive(Serialize)]
struct CurveJson<'a> {
    test: &'a str,
    by: String,
    keys: Vec<KeyJson>,
}

/// The values of one of its keys: the place, its text, and the text of the value.
#[derive(Serialize)]
struct KeyJson {
    key: String,
    points: Vec<(f64, String, String)>,
}

/// The script that has the card of a run.
pub(super) fn script(entry: &Entry, run: &RunJson, catalogue: &Catalogue) -> String {
    let card = Card::of(run, catalogue);
    let points: Vec<&Point> = run.points.iter().collect();
    let pace = |kind: PaceKind| Some((kind.name(), SidePace::of(&points, kind)?));
    taken(&CardJson {
        key: &entry.key,
        title: &card.info.title,
        from: match &card.info.source {
            Some(source) => format!("Source: {source}"),
            None => format!("From the exported run {}", entry.source),
        },
        notice: run.database.notice.as_deref(),
        size: &run.run.size,
        facts: card.facts.iter().map(|(kind, value)| (*kind, value.as_str())).collect(),
        builds: &card.builds,
        paces: PaceKind::ALL.into_iter().filter_map(pace).collect(),
        uneven: uneven(&points),
        kind: &card.kind,
        settings: &card.settings,
        firmware: &card.firmware,
        // Names from outside are no keys of an object: a script reads one of them as something else.
        parameters: run.database.parameters.iter().collect(),
        tests: &card.tests,
        cells: card.cells.iter().map(cell).collect(),
        curves: card.curves.iter().map(curve).collect(),
    })
}

fn cell(of: &CardCell) -> CellJson<'_> {
    let CardCell { cell, printed, facts } = of;
    let text = |value: f64, form: Form| Cell::figure(value, form).bounded(cell.bound).text();
    let mut by_kind: BTreeMap<WarningKind, Vec<&str>> = BTreeMap::new();
    for (kind, value) in facts {
        by_kind.entry(*kind).or_default().push(value);
    }
    let [transactions, ways] = &OF_WORK;
    CellJson {
        value: cell.value.filter(|value| value.is_finite()),
        text: cell.value.map_or_else(String::new, |value| text(value, Form::Thousands)),
        printed: printed.as_ref().map(|printed| (text(printed.value, Form::Printed), printed.unit.as_str())),
        apart: cell.doubtful || cell.unlike.is_some(),
        bar: bar(cell).map(|(bar, words)| (bar as u8, words)),
        alike: [transactions, ways, &OF_COMMITS].map(|likeness| (likeness.of)(cell)),
        facts: by_kind,
        equivalent: cell.equivalent.is_some(),
        marks: cell_marks(cell),
        about: about(cell),
        test: cell.test.as_deref(),
    }
}

fn curve(of: &PublishedCurve) -> CurveJson<'_> {
    let mut keys: Vec<&String> = of.points.iter().flat_map(|point| point.values.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys.retain(|key| **key != of.by);
    // The series' own result comes first.
    keys.sort_by_key(|key| of.primary.as_ref() != Some(*key));
    let of_key = |key: &String| {
        let points = of.points.iter().filter_map(|point| {
            let (at, value) = (*point.values.get(&of.by)?, *point.values.get(key)?);
            let doubt = point.suspects.get(key).or_else(|| point.suspects.get(&of.by)).or_else(|| of.suspects.get(key));
            let text = Cell::figure(value, Form::Printed).text() + &crate::legend::suspect_mark(doubt.is_some());
            Some((at, Form::Printed.text(at), text))
        });
        KeyJson { key: key.replace('_', " "), points: points.collect() }
    };
    let keys = keys.into_iter().map(of_key).collect();
    CurveJson { test: &of.test, by: of.by.replace('_', " "), keys }
}

/// A script that hands something over.
pub(super) fn taken(what: &impl Serialize) -> String {
    format!("{TAKE}({});\n", json(what))
}

/// A value as JSON that is no markup wherever it stands, with texts that control no display.
pub(super) fn json(what: &impl Serialize) -> String {
    let value = serde_json::to_value(what).map(cleaned).unwrap_or_default();
    value.to_string().replace('<', "\\u003c").replace('>', "\\u003e")
}

fn cleaned(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(&text).into_owned()),
        Value::Array(all) => all.into_iter().map(cleaned).collect(),
        Value::Object(all) => all.into_iter().map(|(key, value)| (clean(&key).into_owned(), cleaned(value))).collect(),
        other => other,
    }
}
