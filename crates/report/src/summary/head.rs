//! The head of the summary: what was measured, where, when and how.

use crate::document::{Block, Note};
use crate::groups::{joined, unique};
use crate::legend::kinds_of_commits;
use crate::numbers::bytes;
use dbdyno_model::{ClientLoad, Commits, Database, Dop, Platform, Published, RunJson, RunNote, Status};

/// The title of a report on a run.
pub(crate) fn title(run: &RunJson) -> String {
    match &run.run.label {
        Some(name) if run.published.is_some() => format!("Key metrics of {name}"),
        Some(label) => format!("Key metrics of {label} (run {})", run.run.id),
        None => format!("Key metrics of run {}", run.run.id),
    }
}

/// The first facts for a reader, and what has not been verified.
pub(crate) fn blocks(run: &RunJson) -> Vec<Block> {
    let facts: Vec<_> = facts(run).into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let notice = run.database.notice.as_ref().map(|notice| Note::notice(notice).into());
    [facts.into()].into_iter().chain(notice).collect()
}

/// The first facts for a reader.
fn facts(run: &RunJson) -> Vec<(&'static str, String)> {
    if let Some(published) = &run.published {
        return published_facts(run, published);
    }
    let (of, Database { engine, version, .. }) = (&run.run, &run.database);
    let what = match run.is_of_storage() {
        true => ("Storage", format!("{}, below any database", of.target)),
        false => ("Database", format!("{engine} {version}, {}, seed {}", of.data_words(), of.seed)),
    };
    let facts = [("Platform", platform(&run.platform)), what, ("Run", measured(run)), ("Points", points(run))];
    let noted = |note: &RunNote| ("Noted", format!("{}, {}", note.text, note.at.strftime("%Y-%m-%d")));
    facts.into_iter().chain(run.notes.iter().map(noted)).collect()
}

/// The facts of a published result.
fn published_facts(run: &RunJson, published: &Published) -> Vec<(&'static str, String)> {
    let size = (!run.run.size.is_empty()).then(|| run.run.data_words());
    let Published { figures, curves, .. } = published;
    let parts = [(run.points.len(), "series point"), (figures.len(), "printed figure"), (curves.len(), "other curve")];
    let parts = parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| counted(n as u64, what));
    vec![
        ("Platform", platform(&run.platform)),
        ("Database", known([run.database.facts.get("product").cloned(), Some(run.database.version.clone()), size])),
        ("Published", known([Some(published.benchmark.clone()), year(published)])),
        ("Source", published.source.clone()),
        ("Points", joined(parts, ", ")),
    ]
}

/// The year of publication in words.
pub(crate) fn year(published: &Published) -> Option<String> {
    published.year.map(|y| if published.year_printed { y.to_string() } else { format!("{y} or later") })
}

/// The hardware and the system of a platform in one text.
fn platform(platform: &Platform) -> String {
    let cpu = &platform.cpu;
    known([
        platform.product.clone(),
        cpu.model.clone(),
        cpu.clock_mhz.filter(|m| m.is_finite()).map(|m| format!("{:.2} GHz", m / 1e3)),
        cpu.sockets.map(|n| counted(u64::from(n), "socket")),
        cpu.cores.map(|n| counted(u64::from(n), "core")),
        cpu.threads.map(|n| counted(u64::from(n), "thread")),
        platform.memory.total_bytes.map(bytes),
        platform.host.clone(),
        platform.os.clone(),
        platform.kernel.as_ref().map(|k| format!("kernel {k}")),
        platform.virtualisation.as_ref().map(|v| if v == "none" { "bare metal".to_owned() } else { v.clone() }),
        platform.disks.iter().find(|d| d.holds_database).map(|d| match &d.model {
            // A published platform names its storage, not a kernel device.
            Some(what) if d.name == "storage" => what.clone(),
            _ => format!("data on {}", d.name),
        }),
    ])
}

/// What is known of several facts, in one text.
fn known<const N: usize>(parts: [Option<String>; N]) -> String {
    let text = joined(parts.into_iter().flatten(), ", ");
    if text.is_empty() { "not known".to_owned() } else { text }
}

pub(crate) fn measured(run: &RunJson) -> String {
    let started = run.run.started_at.strftime("%Y-%m-%d %H:%M UTC");
    let profile = run.tool.as_ref().and_then(|tool| tool.profile.as_ref()).map(|profile| format!(" ({profile})"));
    let mix = run.points.iter().find_map(|point| Some(format!(" with the mix {}", point.mix.as_ref()?)));
    let with = run.points.iter().find(|p| !p.parameters.is_empty()).map(|p| format!(" with {}", p.parameters));
    let [profile, mix, with] = [profile, mix, with].map(Option::unwrap_or_default);
    let within = run.points.first().map(|point| within(&point.load)).unwrap_or_default();
    let (suite, version, status) = (&run.run.suite, &run.run.tool_version, run.run.status.name());
    format!("{suite}{mix}{with}{within}, {started}, dbdyno {version}{profile}, {status}")
}

/// What users do within a transaction besides its statements, in words after a comma; nothing for most loads.
pub(crate) fn within(load: &ClientLoad) -> String {
    let pause = load.pause.map_or_else(String::new, |pause| format!(", pauses of {pause} within"));
    pause + if load.logon.is_kept() { "" } else { ", a logon for each transaction" }
}

/// How the points ended and how durable commits were.
pub(crate) fn points(run: &RunJson) -> String {
    let of = |status| run.points.iter().filter(|p| p.status == status).count();
    let statuses = [Status::Ok, Status::Failed, Status::Invalid, Status::Unsupported];
    let statuses = statuses.into_iter().filter(|status| *status == Status::Ok || of(*status) > 0);
    let tests = unique(run.points.iter().map(|p| p.subject.name())).len();
    let kinds = joined(kinds_of_commits(&run.points).into_iter().map(Commits::words), " and ");
    let commits = (!kinds.is_empty()).then(|| format!("commits {kinds}"));
    let parts = statuses.map(|status| format!("{} {}", of(status), status.name()));
    joined(parts.chain([counted(tests as u64, "test")]).chain(commits), ", ")
}

/// `1 core`, `2 cores`.
pub(crate) fn counted(n: u64, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}

/// A degree of parallelism in words.
pub(crate) fn dop_words(dop: Dop) -> String {
    let counts = [(dop.nodes, "node"), (dop.jobs, "job"), (dop.threads, "thread")];
    let told = counts.into_iter().filter(|(n, what)| *n > 1 || *what == "job");
    joined(told.map(|(n, what)| counted(n.into(), what)), ", ")
}
