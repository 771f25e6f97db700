//! How it was measured: what a reader needs to judge the figures, or to measure them again.

use super::duration;
use super::table::{Head, Row, Table, text};
use crate::summary::head::{measured, points};
use dbdyno_model::{CommitMode, Point, RunJson, SCHEMA_VERSION};
use maud::{Markup, html};

type Setting = (&'static str, fn(&RunJson) -> String);

const SETTINGS: &[Setting] = &[
    ("Run", |r| r.run.id.to_string()),
    ("Label", |r| r.run.label.clone().unwrap_or_default()),
    ("Suite", measured),
    ("Points", points),
    ("Target", |r| r.run.target.clone()),
    ("Database", |r| format!("{} {}", r.database.engine, r.database.version)),
    ("Size class", |r| r.run.size.clone()),
    ("Seed of data and keys", |r| r.run.seed.to_string()),
    ("Windows", |r| span(r.points.iter().filter_map(|p| p.window_s)).map_or_else(String::new, |(a, b)| between(a, b))),
    ("Repeats", |r| r.points.iter().map(|p| p.repeat).max().map_or_else(String::new, |n| n.to_string())),
    ("Commits", commits),
    ("Settings of durability", durability),
    ("Document", |_| format!("schema version {SCHEMA_VERSION}")),
];

/// The section of all runs on the page.
pub(super) fn section(runs: &[&RunJson]) -> Markup {
    let mut heads = vec![Head::words("Setting")];
    heads.extend(runs.iter().map(|r| Head::words(super::name(r))));
    let rows = SETTINGS.iter().map(|(name, value)| (name, runs.iter().map(|r| value(r)).collect::<Vec<String>>()));
    let rows = rows.filter(|(_, values)| values.iter().any(|v| !v.is_empty()));
    let rows = rows.map(|(name, values)| {
        Row::Figures(std::iter::once(text(name)).chain(values.iter().map(|v| text(v))).collect())
    });
    let table = Table { caption: text("Settings"), heads, rows: rows.collect(), class: "facts" };
    html! {
        section #method {
            h2 { "Method and settings" }
            ul.method {
                li { "All jobs start at a barrier and work until the last one has passed the end of the window, so the load is constant;
                    the rate is the work inside the window over the window, after a warm-up that does not count." }
                li { "The work is proved: rows, operations and a checksum are compared with what the test must touch, and the sum over all
                    calls with the database's own count. A point that fails this, or ran under another plan than the test names, is invalid
                    and gives no figure." }
                li { "A cached test finds its data in the database's cache, by its own counters; one that is not reads from the device. Where
                    that was not so, the figure stands in parentheses." }
                li { "Repeats repeat the whole ramp, up and down in turn. A figure is their median, the interval Student's t on the logarithms,
                    95 %, from three repeats on. Two single runs never prove a difference." }
                li { "What is missing stays missing: no figure on this page is a zero in place of one that is not known." }
            }
            (table.render())
        }
    }
}

fn span(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |span, v| Some(span.map_or((v, v), |(low, high): (f64, f64)| (low.min(v), high.max(v)))))
}

fn between(low_s: f64, high_s: f64) -> String {
    if duration(low_s) == duration(high_s) {
        duration(low_s)
    } else {
        format!("{} to {}", duration(low_s), duration(high_s))
    }
}

fn commits(run: &RunJson) -> String {
    let has = |mode| run.points.iter().any(|p: &Point| p.commit == Some(mode));
    match (has(CommitMode::Durable), has(CommitMode::EngineDefault)) {
        (true, false) => "durable: each waits for the log".to_owned(),
        (false, true) => "as the engine does them by default, which may not wait for the log".to_owned(),
        (true, true) => "mixed: see the single points".to_owned(),
        (false, false) => String::new(),
    }
}

fn durability(run: &RunJson) -> String {
    let mut all: Vec<String> =
        run.points.iter().flat_map(|p| &p.durability).map(|(k, v)| format!("{k} = {v}")).collect();
    all.sort_unstable();
    all.dedup();
    all.join("; ")
}
