//! Differences between the sides: every setting that influences figures and is not the same everywhere.

use super::builds;
use super::side::Side;
use super::side_values::{DifferingSetting, setting, text};
use crate::groups::unique;
use crate::legend::kinds_of_commits;
use crate::numbers::{bytes, duration};
use dbdyno_model::{Commits, RunJson, Status, Tool};
use std::collections::BTreeSet;

type RunFact = fn(&RunJson) -> Option<String>;

/// Facts of every run, in the order for readers.
const FACTS: &[(&str, RunFact)] = &[
    ("engine", |r| text(&r.database.engine)),
    ("database version", |r| text(&r.database.version)),
    ("benchmark", |r| Some(r.published.as_ref().map_or_else(|| "dbdyno".to_owned(), |p| p.benchmark.clone()))),
    ("dbdyno version", |r| text(&r.run.tool_version)),
    ("size", |r| text(&r.run.size)),
    ("seed", |r| r.published.is_none().then(|| r.run.seed.to_string())),
    ("duration", duration_of),
    ("commits", commits),
    ("year", |r| r.published.as_ref().and_then(|p| p.year).map(|y| y.to_string())),
    ("product", |r| r.platform.product.clone()),
    ("processor", |r| r.platform.cpu.model.clone()),
    ("sockets", |r| r.platform.cpu.sockets.map(|n| n.to_string())),
    ("cores", |r| r.platform.cpu.cores.map(|n| n.to_string())),
    ("hardware threads", |r| r.platform.cpu.threads.map(|n| n.to_string())),
    ("may be used", |r| crate::sections::platform::may_use(&r.platform.cpu)),
    ("clock", |r| r.platform.cpu.clock_mhz.map(|mhz| format!("{:.2} GHz", mhz / 1e3))),
    ("governor", |r| r.platform.cpu.governor.clone()),
    ("memory", |r| r.platform.memory.total_bytes.map(bytes)),
    ("huge pages", |r| r.platform.memory.huge_pages_bytes.map(bytes)),
    ("transparent huge pages", |r| r.platform.memory.transparent_huge_pages.clone()),
    ("operating system", |r| r.platform.os.clone()),
    ("kernel", |r| r.platform.kernel.clone()),
    ("virtualisation", |r| r.platform.virtualisation.clone()),
    ("storage", storage),
    ("driver hosts", |r| {
        r.points.iter().map(|point| point.agents.len()).max().filter(|n| *n > 0).map(|n| n.to_string())
    }),
    ("before each point", |r| r.pairing.as_ref()?.before.clone()),
];

/// The window that most points had; points of whole statements end when they end.
fn duration_of(run: &RunJson) -> Option<String> {
    let ok = run.points.iter().filter(|p| run.published.is_none() && p.status == Status::Ok);
    let mut windows: Vec<f64> = ok.filter_map(|p| p.window_s).collect();
    windows.sort_unstable_by(f64::total_cmp);
    // To a tenth: a window ends with a chunk.
    windows.get(windows.len() / 2).map(|s| duration((s * 10.0).round() / 10.0))
}

fn commits(run: &RunJson) -> Option<String> {
    let kinds = kinds_of_commits(&run.points);
    text(&kinds.into_iter().map(Commits::words).collect::<Vec<_>>().join(" and "))
}

fn storage(run: &RunJson) -> Option<String> {
    let disk = run.platform.disks.iter().find(|d| d.holds_database)?;
    let mut parts = vec![disk.model.clone().unwrap_or_else(|| disk.name.clone())];
    parts.extend(disk.scheduler.as_ref().map(|s| format!("scheduler {s}")));
    parts.extend(disk.mounts.iter().cloned());
    Some(parts.join("; "))
}

/// The settings that are not the same on all sides. A parameter counts where two sides have it. Among runs of one
/// engine, and sources of one suite, it also counts where one side lacks it.
pub(super) fn differing(sides: &[Side]) -> Vec<DifferingSetting> {
    let runs = || sides.iter().flat_map(|s| &s.runs);
    let facts = FACTS.iter().map(|(name, fact)| setting((*name).to_owned(), sides, fact));
    let names: BTreeSet<String> = runs().flat_map(firmware).map(|(name, _)| name).collect();
    let version = |run: &RunJson, name: &str| Some(firmware(run).find(|(known, _)| known == name)?.1);
    let firmware = names.into_iter().map(|name| setting(name.clone(), sides, &|run| version(run, &name)));
    // Who does not say it (a publication, an older dbdyno) differs in nothing.
    let firmware = firmware.filter(|setting| unique(setting.values.iter().flatten()).len() > 1);
    let kinds = unique(runs().map(|run| (&run.database.engine, run.published.as_ref().map(|p| &p.benchmark))));
    let is_one_kind = kinds.len() < 2;
    let names: BTreeSet<&String> = runs().flat_map(|run| run.database.parameters.keys()).collect();
    let parameter = |name: &String| setting(name.clone(), sides, &|run| run.database.parameters.get(name).cloned());
    let parameters = names.into_iter().map(parameter);
    let parameters = parameters.filter(|of| is_one_kind || of.values.iter().flatten().count() >= 2);
    let differing = facts.chain(firmware).chain(parameters).filter(|setting| unique(&setting.values).len() > 1);
    differing.chain(builds::differing(sides)).collect()
}

/// Everything that is known of a run and may influence figures, by name. What a run does not say is not there.
pub(crate) fn facts_of(run: &RunJson) -> Vec<(String, String)> {
    let facts = FACTS.iter().filter_map(|(name, fact)| Some(((*name).to_owned(), fact(run)?)));
    let parameters = run.database.parameters.iter().map(|(name, value)| (name.clone(), value.clone()));
    let build = run.tool.iter().flat_map(Tool::facts).map(|(name, value)| (builds::of_dbdyno(&name), value));
    facts.chain(firmware(run)).chain(build).chain(parameters).collect()
}

/// The facts of a run; those that are not known have no value.
pub(super) fn of_run(run: &RunJson) -> Vec<(&'static str, Option<String>)> {
    FACTS.iter().map(|(name, fact)| (*name, fact(run))).collect()
}

/// The versions of firmware of a run, by their names.
pub(super) fn firmware(run: &RunJson) -> impl Iterator<Item = (String, String)> {
    let name = |of: &str| if of == "microcode" { of.to_owned() } else { format!("firmware of {of}") };
    run.platform.firmware.iter().map(move |(of, version)| (name(of), version.clone()))
}

/// Names of the settings that differ among the runs of one side, which should be repeats of each other. Runs of a
/// database and runs of storage, which may share a label, are compared separately.
pub(super) fn unlike_within(side: &Side) -> Vec<String> {
    let differing_among = |of_storage: bool| {
        let runs = side.runs.iter().filter(|run| run.is_of_storage() == of_storage);
        differing(&runs.map(|run| Side::new("", vec![run.clone()])).collect::<Vec<_>>())
    };
    unique([false, true].into_iter().flat_map(differing_among).map(|setting| setting.name))
}
