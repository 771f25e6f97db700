//! The platform sheet: what influences the figures, and what could not be found out.

use super::own_platform::{self, pairs};
use super::pace::table_bytes;
use crate::groups::capital;
use crate::sections::prelude::*;
use crate::summary::head::year;
use dbdyno_model::{Costs, Cpu, Disk, EdgeSpread, PaceKind, PaceSpread, Platform, Published, Tool};
use serde_json::Value;

/// Hardware, operating system, storage, database and its parameters of a run.
pub(crate) fn section(run: &RunJson) -> Section {
    words::section("platform").with([Block::Sheet(sheet(run))])
}

/// The sheets of several runs, fact by fact, with a column for each.
pub(crate) fn beside(runs: &[&RunJson], columns: &[Column]) -> Section {
    let named =
        |(title, facts): (String, Facts)| facts.into_iter().map(move |(name, value)| ((title.clone(), name), value));
    let sheets: Vec<_> = runs.iter().map(|run| grouped(sheet(run).into_iter().flat_map(named))).collect();
    let facts = unique(sheets.iter().flatten().map(|(fact, _)| fact.clone()));
    let rows = facts.into_iter().map(|fact| {
        let value = |sheet: &Vec<((String, String), Vec<String>)>| {
            let (_, values) = sheet.iter().find(|(known, _)| *known == fact)?;
            Some(values.join(" "))
        };
        let values: Vec<Option<String>> = sheets.iter().map(value).collect();
        let (title, name) = fact;
        (title, (name, values))
    });
    let tables = grouped(rows).into_iter().map(|(title, rows)| Table::beside(title, columns, rows).into());
    Section::new("platforms", "Platforms").with(tables)
}

/// The facts of the sheet by title.
fn sheet(run: &RunJson) -> Vec<(String, Facts)> {
    let RunJson { platform, database, published, .. } = run;
    let is_own = published.is_none();
    let may_use = known([("May be used", may_use(&platform.cpu))]);
    let [measured, target] = if run.is_of_storage() { ["Measured", "Storage"] } else { ["Database", "Target"] };
    let data = [
        ("Engine", Some(database.engine.clone())),
        ("Version", Some(database.version.clone())),
        (target, is_own.then(|| run.run.target.clone())),
        ("Size", Some(run.run.size.clone())),
        ("Seed", is_own.then(|| run.run.seed.to_string())),
        ("Notice", database.notice.clone()),
    ];
    let costs = run.costs.as_ref().filter(|_| !own_platform::says_costs(run)).map(costs);
    let titled = [
        ("Hardware", [seen("hardware", platform), may_use].concat()),
        // Versions below the operating system, by what they are of.
        ("Firmware", pairs(&platform.firmware)),
        ("Operating system", seen("system", platform)),
        ("Pace", pace(run)),
        ("Storage", platform.disks.iter().map(|d| disk(d, run)).collect()),
        (measured, [known(data), pairs(&database.facts)].concat()),
        (if is_own { "Parameters" } else { "Configuration" }, pairs(&database.parameters)),
        ("Measured by", if is_own { measured_by(run) } else { Facts::new() }),
        ("Costs", costs.unwrap_or_default()),
        ("Publication", published.as_ref().map(publication).unwrap_or_default()),
        ("Not known", pairs(&platform.missing)),
    ];
    let titled = titled.map(|(title, facts)| (title.to_owned(), facts)).into_iter();
    titled.chain(own_platform::sections(run)).filter(|(_, facts)| !facts.is_empty()).collect()
}

/// The facts of a table in words.toml that are known. Their paths in the JSON of a platform say what a number counts.
fn seen(table: &str, platform: &Platform) -> Facts {
    let body = serde_json::to_value(platform).unwrap_or_default();
    let fact = |column: Column| {
        let text = match column.path.split('.').try_fold(&body, |value, key| value.get(key))? {
            Value::String(text) => text.clone(),
            Value::Number(n) if column.path.ends_with("_bytes") => bytes(n.as_u64()),
            Value::Number(n) if column.path.ends_with("_mhz") => format!("{:.0} MHz", n.as_f64()?),
            Value::Number(n) => n.to_string(),
            _ => return None,
        };
        Some((column.head, text))
    };
    words::table("platform", table, Vec::new()).columns.into_iter().filter_map(fact).collect()
}

/// The facts that are known.
fn known<'n>(facts: impl IntoIterator<Item = (&'n str, Option<String>)>) -> Facts {
    let facts = facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    facts.filter(|(_, value)| !value.is_empty()).collect()
}

/// What the work may use of the processors, where that is less than all.
pub(crate) fn may_use(cpu: &Cpu) -> Option<String> {
    let limits = cpu.limits.as_ref()?;
    let threads = limits.allowed_threads.zip(limits.machine_threads);
    let cores = limits.allowed_cores.map_or_else(String::new, |n| format!(" on {}", counted(u64::from(n), "core")));
    let allowed = threads.map(|(n, of)| format!("{n} of {of} hardware threads{cores}"));
    let quota = limits.quota_processors.map(|quota| format!("a quota of {} processors' time", printed(quota)));
    Some(joined(allowed.into_iter().chain(quota), ", ")).filter(|text| !text.is_empty())
}

/// The machine's pace, kind by kind, over all points.
fn pace(run: &RunJson) -> Facts {
    let last = run.points.iter().rev().find_map(|p| p.pace.as_ref());
    let edge = |name: &str, edge: Option<EdgeSpread>| {
        let EdgeSpread { best_ns, median_ns, p90_ns, .. } = edge?;
        let [best, median, p90] = [best_ns, median_ns, p90_ns].map(|ns| format!("{} ns", short(ns)));
        Some(format!("{name} the points: best tenth {best}, median {median}, 90th percentile {p90}"))
    };
    let line = |kind: PaceKind| {
        let spread = PaceSpread::of(&run.points, kind)?;
        let edges = joined([edge("before", spread.before), edge("after", spread.after)].into_iter().flatten(), "; ");
        let table = last.filter(|_| kind != PaceKind::Alu).map(|of| format!(" in {}", bytes(table_bytes(of, kind))));
        Some((format!("Step of {}", kind.name()), format!("{edges} a step{}", table.unwrap_or_default())))
    };
    PaceKind::ALL.into_iter().filter_map(line).collect()
}

/// The dbdyno that measured the run.
fn measured_by(run: &RunJson) -> Facts {
    let version = ("dbdyno".to_owned(), run.run.tool_version.clone());
    let why = "not known: the run is from before dbdyno noted it";
    let build = run.tool.is_none().then(|| ("Build".to_owned(), why.to_owned()));
    let known = run.tool.iter().flat_map(Tool::facts).map(|(name, value)| (capital(&name), value));
    let missing = run.tool.iter().flat_map(|tool| &tool.missing).map(|(name, why)| (format!("No {name}"), why.clone()));
    [version].into_iter().chain(build).chain(known).chain(missing).collect()
}

fn costs(costs: &Costs) -> Facts {
    let usd = |usd: f64| format!("{} USD", printed(usd));
    let licences = known([("Licences per core", costs.licences_per_core.map(|n| n.to_string()))]);
    let prices = costs.prices_usd.iter().map(|(what, price)| (format!("Price, {what}"), usd(*price)));
    let all = known([("Price, all", costs.total_usd().map(usd)), ("Terms", costs.terms.clone())]);
    [licences, prices.collect(), all].concat()
}

fn publication(published: &Published) -> Facts {
    let notes = published.notes.iter().map(|note| ("Note", Some(note.clone())));
    let source = ("Source", Some(published.source.clone()));
    let facts = [source, ("Year", year(published)), ("Benchmark", Some(published.benchmark.clone()))];
    known(facts.into_iter().chain(notes))
}

fn disk(disk: &Disk, run: &RunJson) -> (String, String) {
    let kind = disk.rotational.map(|spins| if spins { "rotating" } else { "solid state" });
    let holds = disk.holds_database.then_some(if run.is_of_storage() { "was measured" } else { "holds the database" });
    let facts = [
        holds.map(str::to_owned),
        disk.model.clone(),
        disk.size_bytes.map(bytes),
        kind.map(str::to_owned),
        disk.scheduler.as_ref().map(|s| format!("scheduler {s}")),
        disk.write_cache.as_ref().map(|c| format!("cache {c}")),
    ];
    (disk.name.clone(), joined(facts.iter().flatten().chain(&disk.mounts), "; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_at_paths_that_every_platform_has() {
        let body = serde_json::to_value(Platform::default()).unwrap();
        for table in ["hardware", "system"] {
            for column in words::table("platform", table, Vec::new()).columns {
                let is_known = body.pointer(&format!("/{}", column.path.replace('.', "/"))).is_some();
                assert!(is_known, "{}", column.path);
            }
        }
    }
}
