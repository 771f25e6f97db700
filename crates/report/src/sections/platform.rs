//! The platform sheet: what influences the figures, and what could not be found out.

use super::own_platform::{self, SheetFacts, pairs};
use super::pace::table_bytes;
use crate::document::{Beside, Block, Facts, Section};
use crate::groups::{capital, grouped, joined, unique};
use crate::numbers::{bytes, printed, short};
use crate::summary::head::{counted, year};
use dbdyno_model::{Costs, Cpu, Disk, EdgeSpread, PaceKind, PaceSpread, Published, RunJson, Tool};

/// Hardware, operating system, storage, database and its parameters of a run.
pub(crate) fn section(run: &RunJson) -> Section {
    Section::new("platform", "Platform").with(sheet(run).into_iter().map(Block::from))
}

/// The sheets of several runs, fact by fact; `sides` has their letters and names.
pub(crate) fn beside(runs: &[&RunJson], sides: &Beside) -> Section {
    let named = |of: Facts| of.facts.into_iter().map(move |(name, value)| ((of.title.clone(), name), value));
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
    let tables = grouped(rows).into_iter().map(|(title, rows)| Beside { title, rows, ..sides.clone() }.into());
    Section::new("platforms", "Platforms").with(tables)
}

/// The facts of the sheet by title; some may be without facts.
fn sheet(run: &RunJson) -> Vec<Facts> {
    let RunJson { platform, database, published, .. } = run;
    let (cpu, memory, is_own) = (&platform.cpu, &platform.memory, published.is_none());
    let said = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    // Versions below the operating system, by what they are of.
    let firmware = joined(platform.firmware.iter().map(|(of, version)| format!("{of} {version}")), "; ");
    let hardware = [
        ("Host", platform.host.clone()),
        ("Product", platform.product.clone()),
        ("Processor", cpu.model.clone()),
        ("Sockets", number(cpu.sockets)),
        ("Cores", number(cpu.cores)),
        ("Hardware threads", number(cpu.threads)),
        ("May be used", may_use(cpu)),
        ("Clock", cpu.clock_mhz.filter(|m| m.is_finite()).map(|m| format!("{m:.0} MHz"))),
        ("Governor", cpu.governor.clone()),
        ("NUMA nodes", number(platform.numa_nodes)),
        ("Memory", memory.total_bytes.map(bytes)),
        ("Huge pages", memory.huge_pages_bytes.map(bytes)),
        ("Transparent huge pages", memory.transparent_huge_pages.clone()),
        ("Swap", memory.swap_bytes.map(bytes)),
        ("Firmware", said(&firmware)),
    ];
    let system = [
        ("Distribution", platform.os.clone()),
        ("Kernel", platform.kernel.clone()),
        ("Virtualisation", platform.virtualisation.clone()),
    ];
    let [measured, target] = if run.is_of_storage() { ["Measured", "Storage"] } else { ["Database", "Target"] };
    let data = [
        ("Engine", said(&database.engine)),
        ("Version", said(&database.version)),
        (target, is_own.then(|| run.run.target.clone())),
        ("Size", said(&run.run.size)),
        ("Seed", is_own.then(|| run.run.seed.to_string())),
    ];
    let notice = known([("Notice", database.notice.clone())]);
    let costs = run.costs.as_ref().filter(|_| !own_platform::says_costs(run)).map(costs);
    let titled = [
        ("Hardware", known(hardware)),
        ("Operating system", known(system)),
        ("Pace", pace(run)),
        ("Storage", platform.disks.iter().map(|d| disk(d, run)).collect()),
        (measured, [known(data), pairs(&database.facts), notice].concat()),
        (if is_own { "Parameters" } else { "Configuration" }, pairs(&database.parameters)),
        ("Measured by", if is_own { measured_by(run) } else { SheetFacts::new() }),
        ("Costs", costs.unwrap_or_default()),
        ("Publication", published.as_ref().map(publication).unwrap_or_default()),
    ];
    let titled = titled.map(|(title, facts)| Facts { title: title.to_owned(), facts });
    let not_known = Facts { title: "Not known".to_owned(), facts: pairs(&platform.missing) };
    titled.into_iter().chain(own_platform::sections(run)).chain([not_known]).collect()
}

/// The facts that are known.
fn known<'n>(facts: impl IntoIterator<Item = (&'n str, Option<String>)>) -> SheetFacts {
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn number(value: Option<impl ToString>) -> Option<String> {
    value.map(|value| value.to_string())
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
fn pace(run: &RunJson) -> SheetFacts {
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
fn measured_by(run: &RunJson) -> SheetFacts {
    let version = ("dbdyno".to_owned(), run.run.tool_version.clone());
    let why = "not known: the run is from before dbdyno noted it";
    let build = run.tool.is_none().then(|| ("Build".to_owned(), why.to_owned()));
    let known = run.tool.iter().flat_map(Tool::facts).map(|(name, value)| (capital(&name), value));
    let missing = run.tool.iter().flat_map(|tool| &tool.missing).map(|(name, why)| (format!("No {name}"), why.clone()));
    [version].into_iter().chain(build).chain(known).chain(missing).collect()
}

fn costs(costs: &Costs) -> SheetFacts {
    let usd = |usd: f64| format!("{} USD", printed(usd));
    let licences = known([("Licences per core", number(costs.licences_per_core))]);
    let prices = costs.prices_usd.iter().map(|(what, price)| (format!("Price, {what}"), usd(*price)));
    let all = known([("Price, all", costs.total_usd().map(usd)), ("Terms", costs.terms.clone())]);
    [licences, prices.collect(), all].concat()
}

fn publication(published: &Published) -> SheetFacts {
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
