//! A profile: what was watched and for how long, every figure with its peaks, the hours, and what was not seen.

mod hours;

use crate::sections::prelude::*;
use crate::watched::{WATCHED, Watched, minute, second};
use dbdyno_model::{Platform, ProfileFigure, ProfileJson};

/// The report on a profile.
#[must_use]
pub fn profile_document(profile: &ProfileJson) -> Document {
    let sections = vec![figures(profile), hours::section(profile), unseen(profile)];
    Document::new("dbdyno profile", format!("Profile {}", profile.name), head(profile), sections)
}

fn head(profile: &ProfileJson) -> Vec<(&'static str, String)> {
    vec![
        ("Target", profile.target.clone()),
        ("Database", joined([&profile.database.engine, &profile.database.version], " ")),
        ("Platform", profile.platform.as_ref().map_or_else(|| text("profile", "no_platform").to_owned(), hardware)),
        ("Time", time(profile)),
        ("Watched", watched(profile)),
        ("Cost", cost(profile)),
    ]
}

fn hardware(platform: &Platform) -> String {
    let cpu = &platform.cpu;
    let parts = [
        platform.host.clone(),
        cpu.model.clone(),
        cpu.cores.map(|n| format!("{n} cores")),
        cpu.threads.map(|n| format!("{n} hardware threads")),
        platform.memory.total_bytes.map(bytes),
        platform.virtualisation.clone().filter(|kind| kind != "none"),
    ];
    joined(parts.into_iter().flatten(), ", ")
}

fn time(profile: &ProfileJson) -> String {
    let seconds = profile.ended_at.duration_since(profile.started_at).as_secs_f64();
    let (from, to) = (second(profile.started_at), second(profile.ended_at));
    format!("{from} to {to} UTC ({}), dbdyno {}", duration(seconds.max(0.0)), profile.tool_version)
}

/// How much of the time the readings cover.
fn watched(profile: &ProfileJson) -> String {
    let seen = &profile.seen;
    let lost = if seen.lost_s > 0.0 {
        format!("; in {} of it the database was not seen", duration(seen.lost_s))
    } else {
        "; the database was seen all the time".to_owned()
    };
    format!("{} readings, which cover {}{lost}", count(seen.readings), duration(seen.covered_s))
}

fn cost(profile: &ProfileJson) -> String {
    let of_core = profile.cost.core_pct().map_or_else(|| "not known".to_owned(), |pct| format!("{pct:.2} %"));
    let who = text("profile", if profile.cost.server_cpu_s.is_some() { "cost_of_both" } else { "cost_of_dbdyno" });
    format!("watching took {of_core} of one processor; {who}")
}

/// Every figure that was told.
fn figures(profile: &ProfileJson) -> Section {
    let told = WATCHED.iter().filter_map(|watched| Some((watched.group, (watched, watched.of(profile)?))));
    let rows = grouped(told).into_iter().flat_map(|(group, figures)| {
        let rows = figures.into_iter().map(|(watched, figure)| row(watched, figure));
        [Row::Group(group.to_owned())].into_iter().chain(rows)
    });
    let no_minute = profile.seen.figures.values().all(|figure| figure.peak_minute.is_none());
    let mut section = alone(words::section("figures").with(explained("profile", "figures", rows.collect())));
    section.push_notes([(no_minute, text("profile", "no_minute"))]);
    section
}

fn row(watched: &Watched, figure: &ProfileFigure) -> Row {
    let value = |value: Option<f64>| Cell::known(value, watched.form);
    let peak_minute_at = Cell::words(figure.peak_minute_at.map(minute).unwrap_or_default());
    let minutes = [value(Some(figure.mean)), value(figure.p95_minute), value(figure.peak_minute), peak_minute_at];
    let seconds = [value(Some(figure.peak)), Cell::words(second(figure.peak_at))];
    Row::led([format!("  {}", watched.name).as_str(), watched.unit], minutes.into_iter().chain(seconds))
}

/// What was not told, by the reason.
fn unseen(profile: &ProfileJson) -> Section {
    let missing = |watched: &'static Watched| Some((profile.seen.missing.get(watched.path)?.as_str(), watched));
    let said = grouped(WATCHED.iter().filter_map(missing)).into_iter().map(|(why, figures)| {
        let groups = grouped(figures.into_iter().map(|watched| (watched.group, watched.name)));
        let group = |(group, names): (&str, Vec<&str>)| format!("{} ({})", group.to_lowercase(), names.join(", "));
        format!("{why}: {}", joined(groups.into_iter().map(group), "; "))
    });
    words::section("unseen").with([said.collect::<Vec<_>>().into()])
}
