//! The method: what a reader needs to judge the figures, or to repeat the measurement.

use crate::document::{Beside, Note, Part, Section};
use crate::legend::kinds_of_commits;
use crate::numbers::duration;
use crate::summary::head::{measured, points};
use dbdyno_model::{RunJson, SCHEMA_VERSION};

const SENTENCES: [&str; 6] = [
    "All jobs start at a barrier and work until the last one has passed the end of the window, so the load is constant; the rate is \
     the work inside the window over the window, after a warm-up that does not count.",
    "The work is proved: rows, operations and a checksum are compared with what the test must touch, and the sum over all calls with \
     the database's own count. A point that fails this, or ran under another plan than the test names, is invalid and gives no figure.",
    "A cached test finds its data in the database's cache, by its own counters; one that is not reads from the device. Where that was \
     not so, the figure stands in parentheses.",
    "Repeats repeat the whole ramp, up and down in turn. A figure is their median, the interval Student's t on the logarithms, 95 %, \
     from three repeats on. Two single runs never prove a difference.",
    "The best of several figures is the one that chance helped most. So the best of a ramp is measured again, once for each repeat, \
     and throughput is that.",
    "What is missing stays missing: no figure is a zero in place of one that is not known.",
];

type MethodSetting = (&'static str, fn(&RunJson) -> String);

const SETTINGS: [MethodSetting; 14] = [
    ("Run", |r| r.run.id.to_string()),
    ("Label", |r| r.run.label.clone().unwrap_or_default()),
    ("Suite", |r| own(r, measured(r))),
    ("Points", points),
    ("Target", |r| own(r, r.run.target.clone())),
    ("Published in", |r| r.published.as_ref().map_or_else(String::new, |p| p.source.clone())),
    ("Database", |r| format!("{} {}", r.database.engine, r.database.version).trim().to_owned()),
    ("Size class", |r| r.run.size.clone()),
    ("Seed of data and keys", |r| own(r, r.run.seed.to_string())),
    ("Windows", |r| span(r.points.iter().filter_map(|p| p.window_s)).map_or_else(String::new, |(a, b)| between(a, b))),
    ("Repeats", |r| own(r, r.points.iter().map(|p| p.repeat).max().map_or_else(String::new, |n| n.to_string()))),
    ("Commits", commits),
    ("Settings of durability", durability),
    ("Document", |_| format!("schema version {SCHEMA_VERSION}")),
];

/// The section of one run.
pub(crate) fn of_run(run: &RunJson) -> Section {
    let name = Beside { letters: vec![String::new()], names: vec![run.name().to_owned()], ..Beside::default() };
    section(&[run], &name)
}

/// The section of several runs; `sides` has their letters and names.
pub(crate) fn section(runs: &[&RunJson], sides: &Beside) -> Section {
    let mut section = Section::new("method", "Method and settings");
    if runs.iter().any(|r| r.published.is_some()) {
        section.push(Note::plain(
            "Published results were measured by other programs, in the way that their source says. What follows is true of dbdyno's \
             own runs.",
        ));
    }
    section.push(SENTENCES.map(str::to_owned).to_vec());
    let said = |text: String| (!text.is_empty()).then_some(text);
    let row = |(name, value): &MethodSetting| ((*name).to_owned(), runs.iter().map(|r| said(value(r))).collect());
    let mut rows: Vec<(String, Vec<Option<String>>)> = SETTINGS.iter().map(row).collect();
    rows.retain(|(_, values)| values.iter().any(Option::is_some));
    let settings = Beside { title: "Settings".to_owned(), rows, ..sides.clone() };
    section.push(Part { blocks: vec![settings.into()], ..Part::default() });
    section
}

/// A text that only a run of dbdyno has.
fn own(run: &RunJson, text: String) -> String {
    if run.published.is_some() { String::new() } else { text }
}

fn span(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |span, v| Some(span.map_or((v, v), |(low, high): (f64, f64)| (low.min(v), high.max(v)))))
}

fn between(low_s: f64, high_s: f64) -> String {
    let [low, high] = [low_s, high_s].map(duration);
    if low == high { low } else { format!("{low} to {high}") }
}

fn commits(run: &RunJson) -> String {
    match kinds_of_commits(&run.points).as_slice() {
        [] => String::new(),
        [one] => one.explanation().to_owned(),
        several => {
            let words: Vec<&str> = several.iter().map(|kind| kind.words()).collect();
            format!("mixed ({}): see the single points", words.join("; "))
        }
    }
}

fn durability(run: &RunJson) -> String {
    let mut all: Vec<String> =
        run.points.iter().flat_map(|p| &p.durability).map(|(k, v)| format!("{k} = {v}")).collect();
    all.sort_unstable();
    all.dedup();
    all.join("; ")
}
