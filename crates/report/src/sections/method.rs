//! The method: what a reader needs to judge the figures, or to repeat the measurement.

use crate::legend::kinds_of_commits;
use crate::sections::prelude::*;
use crate::summary::head::{measured, points};
use dbdyno_model::{Commits, SCHEMA_VERSION};

/// What is true of all of dbdyno's runs, a paragraph each.
const METHOD: &str = include_str!("method.txt");

type MethodSetting = (&'static str, fn(&RunJson) -> String);

const SETTINGS: [MethodSetting; 14] = [
    ("Run", |r| r.run.id.to_string()),
    ("Label", |r| r.run.label.clone().unwrap_or_default()),
    ("Suite", |r| own(r, measured(r))),
    ("Points", points),
    ("Target", |r| own(r, r.run.target.clone())),
    ("Published in", |r| r.published.as_ref().map_or_else(String::new, |p| p.source.clone())),
    ("Database", |r| joined([&r.database.engine, &r.database.version], " ")),
    ("Size class", |r| r.run.size.clone()),
    ("Seed of data and keys", |r| own(r, r.run.seed.to_string())),
    ("Windows", windows),
    ("Repeats", |r| own(r, r.points.iter().map(|p| p.repeat).max().map_or_else(String::new, |n| n.to_string()))),
    ("Commits", |r| joined(kinds_of_commits(&r.points).into_iter().map(Commits::explanation), "; ")),
    ("Settings of durability", durability),
    ("Document", |_| format!("schema version {SCHEMA_VERSION}")),
];

/// The section of one run.
pub(crate) fn of_run(run: &RunJson) -> Section {
    section(&[run], &[Column { more: run.name().to_owned(), ..Column::words("") }])
}

/// The section of several runs, with a column for each.
pub(crate) fn section(runs: &[&RunJson], columns: &[Column]) -> Section {
    let published = runs.iter().any(|r| r.published.is_some()).then(|| note("method", "published").into());
    let sentences = METHOD.trim_end().split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
    let said = |text: String| (!text.is_empty()).then_some(text);
    let values = |value: fn(&RunJson) -> String| runs.iter().map(|r| said(value(r))).collect::<Vec<_>>();
    let rows = SETTINGS.iter().map(|(name, value)| ((*name).to_owned(), values(*value)));
    let rows = rows.filter(|(_, values)| values.iter().any(Option::is_some)).collect();
    let settings = Part { blocks: vec![Table::beside("Settings", columns, rows).into()], ..Part::default() };
    words::section("method").with(published).with([sentences.collect::<Vec<_>>().into(), settings.into()])
}

/// A text that only a run of dbdyno has.
fn own(run: &RunJson, text: String) -> String {
    if run.published.is_some() { String::new() } else { text }
}

/// The shortest and the longest.
fn windows(run: &RunJson) -> String {
    let all_s = || run.points.iter().filter_map(|p| p.window_s);
    let ends = [all_s().min_by(f64::total_cmp), all_s().max_by(f64::total_cmp)];
    joined(unique(ends.into_iter().flatten().map(duration)), " to ")
}

fn durability(run: &RunJson) -> String {
    let all = run.points.iter().flat_map(|p| &p.durability).map(|(key, value)| format!("{key} = {value}"));
    joined(all.collect::<BTreeSet<_>>(), "; ")
}
