//! The platform sheet: what influences the figures, and what could not be found out.

use super::own_platform;
use crate::document::{Beside, Block, Facts, Section};
use crate::groups::unique;
use crate::numbers::{bytes, printed, short};
use crate::summary::head::{counted, year};
use dbdyno_model::{Costs, Cpu, Disk, EdgeSpread, Memory, PaceKind, PaceSpread, Platform, Published, RunJson};

/// Names and values.
type SheetFacts = Vec<(String, String)>;

/// Hardware, operating system, storage, database and its parameters of a run.
pub(crate) fn section(run: &RunJson) -> Section {
    Section::new("platform", "Platform").with(sheet(run).into_iter().map(Block::from))
}

/// The sheets of several runs, fact by fact; `sides` has their letters and names.
pub(crate) fn beside(runs: &[&RunJson], sides: &Beside) -> Section {
    let sheets: Vec<Facts> = runs.iter().flat_map(|run| sheet(run)).collect();
    let titles = unique(sheets.iter().map(|facts| facts.title.as_str()));
    let of_title = |title: &str| {
        let of_run = |run: &&RunJson| sheet(run).into_iter().find(|of| of.title == title).unwrap_or_default().facts;
        let facts: Vec<SheetFacts> = runs.iter().map(of_run).collect();
        let value = |facts: &SheetFacts, name: &str| {
            let values: Vec<&str> = facts.iter().filter(|(n, _)| n == name).map(|(_, v)| v.as_str()).collect();
            (!values.is_empty()).then(|| values.join(" "))
        };
        let names = unique(facts.iter().flatten().map(|(name, _)| name.as_str()));
        let rows = names.into_iter().map(|name| (name.to_owned(), facts.iter().map(|f| value(f, name)).collect()));
        Beside { title: title.to_owned(), rows: rows.collect(), ..sides.clone() }.into()
    };
    Section::new("platforms", "Platforms").with(titles.into_iter().map(of_title))
}

/// The facts of the sheet by title; titles without facts are left out.
fn sheet(run: &RunJson) -> Vec<Facts> {
    let platform = &run.platform;
    let database = &run.database;
    let titled = [
        ("Hardware", hardware(platform)),
        ("Operating system", operating_system(platform)),
        ("Pace", pace(run)),
        ("Storage", platform.disks.iter().map(|d| disk(d, run)).collect()),
        (if run.is_of_storage() { "Measured" } else { "Database" }, database_facts(run)),
        (if run.published.is_some() { "Configuration" } else { "Parameters" }, pairs(&database.parameters)),
        ("Measured by", measured_by(run)),
        ("Costs", run.costs.as_ref().filter(|_| !own_platform::says_costs(run)).map(costs).unwrap_or_default()),
        ("Publication", run.published.as_ref().map(publication).unwrap_or_default()),
    ];
    let own = own_platform::sections(run);
    let said = titled.into_iter().chain(own).chain([("Not known", pairs(&platform.missing))]);
    let said = said.filter(|(_, facts)| !facts.is_empty());
    said.map(|(title, facts)| Facts { title: title.to_owned(), facts }).collect()
}

/// The facts that are known.
fn known<'n>(facts: impl IntoIterator<Item = (&'n str, Option<String>)>) -> SheetFacts {
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn number(value: Option<impl ToString>) -> Option<String> {
    value.map(|value| value.to_string())
}

fn pairs(map: &std::collections::BTreeMap<String, String>) -> SheetFacts {
    map.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn hardware(platform: &Platform) -> SheetFacts {
    let Cpu { model, sockets, cores, threads, clock_mhz, governor, limits: _ } = &platform.cpu;
    let Memory { total_bytes, huge_pages_bytes, transparent_huge_pages, swap_bytes } = &platform.memory;
    known([
        ("Host", platform.host.clone()),
        ("Product", platform.product.clone()),
        ("Processor", model.clone()),
        ("Sockets", number(*sockets)),
        ("Cores", number(*cores)),
        ("Hardware threads", number(*threads)),
        ("May be used", may_use(&platform.cpu)),
        ("Clock", clock_mhz.filter(|m| m.is_finite()).map(|m| format!("{m:.0} MHz"))),
        ("Governor", governor.clone()),
        ("NUMA nodes", number(platform.numa_nodes)),
        ("Memory", total_bytes.map(bytes)),
        ("Huge pages", huge_pages_bytes.map(bytes)),
        ("Transparent huge pages", transparent_huge_pages.clone()),
        ("Swap", swap_bytes.map(bytes)),
    ])
}

/// What the work may use of the processors, where that is less than all.
pub(crate) fn may_use(cpu: &Cpu) -> Option<String> {
    let limits = cpu.limits.as_ref()?;
    let threads = limits.allowed_threads.zip(limits.machine_threads);
    let cores = limits.allowed_cores.map_or_else(String::new, |n| format!(" on {}", counted(u64::from(n), "core")));
    let allowed = threads.map(|(n, of)| format!("{n} of {of} hardware threads{cores}"));
    let quota = limits.quota_processors.map(|quota| format!("a quota of {} processors' time", printed(quota)));
    Some([allowed, quota].into_iter().flatten().collect::<Vec<_>>().join(", ")).filter(|text| !text.is_empty())
}

/// The machine's pace, kind by kind, over all points.
fn pace(run: &RunJson) -> SheetFacts {
    let last = run.points.iter().rev().find_map(|p| p.pace.as_ref());
    let table = |kind: PaceKind| match (kind, last) {
        (_, None) | (PaceKind::Alu, _) => String::new(),
        (PaceKind::L2, Some(pace)) => format!(" in {}", bytes(pace.l2_bytes)),
        (PaceKind::Llc, Some(pace)) => format!(" in {}", bytes(pace.llc_bytes)),
        (PaceKind::Memory, Some(pace)) => format!(" in {}", bytes(pace.memory_bytes)),
    };
    let ns = |ns: f64| format!("{} ns", short(ns));
    let edge = |name: &str, edge: Option<EdgeSpread>| {
        let EdgeSpread { best_ns, median_ns, p90_ns, .. } = edge?;
        let (best, median, p90) = (ns(best_ns), ns(median_ns), ns(p90_ns));
        Some(format!("{name} the points: best tenth {best}, median {median}, 90th percentile {p90}"))
    };
    let line = |kind: PaceKind| {
        let spread = PaceSpread::of(&run.points, kind)?;
        let edges = [edge("before", spread.before), edge("after", spread.after)];
        let text = format!("{} a step{}", edges.into_iter().flatten().collect::<Vec<_>>().join("; "), table(kind));
        Some((format!("Step of {}", kind.name()), text))
    };
    PaceKind::ALL.into_iter().filter_map(line).collect()
}

/// The dbdyno that measured the run.
fn measured_by(run: &RunJson) -> SheetFacts {
    if run.published.is_some() {
        return SheetFacts::new();
    }
    let mut facts = known([("dbdyno", Some(run.run.tool_version.clone()))]);
    match &run.tool {
        Some(tool) => {
            facts.extend(tool.facts().into_iter().map(|(name, value)| (capital(&name), value)));
            facts.extend(tool.missing.iter().map(|(name, why)| (format!("No {name}"), why.clone())));
        }
        None => facts.push(("Build".to_owned(), "not known: the run is from before dbdyno noted it".to_owned())),
    }
    facts
}

fn capital(name: &str) -> String {
    name.chars().enumerate().map(|(n, c)| if n == 0 { c.to_ascii_uppercase() } else { c }).collect()
}

fn costs(costs: &Costs) -> SheetFacts {
    let usd = |usd: f64| format!("{} USD", printed(usd));
    let mut facts = known([("Licences per core", number(costs.licences_per_core))]);
    facts.extend(costs.prices_usd.iter().map(|(what, price)| (format!("Price, {what}"), usd(*price))));
    facts.extend(known([("Price, all", costs.total_usd().map(usd)), ("Terms", costs.terms.clone())]));
    facts
}

fn publication(published: &Published) -> SheetFacts {
    let mut facts = known([
        ("Source", Some(published.source.clone())),
        ("Year", year(published)),
        ("Benchmark", Some(published.benchmark.clone())),
    ]);
    facts.extend(published.notes.iter().map(|note| ("Note".to_owned(), note.clone())));
    facts
}

fn operating_system(platform: &Platform) -> SheetFacts {
    known([
        ("Distribution", platform.os.clone()),
        ("Kernel", platform.kernel.clone()),
        ("Virtualisation", platform.virtualisation.clone()),
    ])
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
    let mut facts: Vec<String> = facts.into_iter().flatten().collect();
    facts.extend(disk.mounts.iter().cloned());
    (disk.name.clone(), facts.join("; "))
}

fn database_facts(run: &RunJson) -> SheetFacts {
    let said = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
    let is_own = run.published.is_none();
    let mut facts = known([
        ("Engine", said(&run.database.engine)),
        ("Version", said(&run.database.version)),
        (if run.is_of_storage() { "Storage" } else { "Target" }, is_own.then(|| run.run.target.clone())),
        ("Size", said(&run.run.size)),
        ("Seed", is_own.then(|| run.run.seed.to_string())),
    ]);
    facts.extend(pairs(&run.database.facts));
    facts.extend(known([("Notice", run.database.notice.clone())]));
    facts
}
