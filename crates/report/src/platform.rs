//! The platform sheet: what influences the figures, and what could not be found out.

use crate::numbers::{bytes, printed, short};
use crate::own_platform;
use crate::summary::head::counted;
use crate::text::{columns, hanging, push_line};
use dbdyno_model::{Costs, Cpu, Disk, EdgeSpread, Memory, PaceKind, PaceSpread, Platform, Published, RunJson};

/// Names and values.
pub(crate) type SheetFacts = Vec<(String, String)>;

/// Hardware, operating system, storage, database and its parameters, one fact a line. `width` is the terminal's.
#[must_use]
pub fn sheet(run: &RunJson, width: Option<u16>) -> String {
    let sections = sections(run);
    // One column for all names; a very long name does not widen it.
    let names = sections.iter().flat_map(|(_, facts)| facts.iter().map(|(name, _)| columns(name)));
    let widest = names.max().unwrap_or(0).min(28);
    let mut out = String::new();
    for (i, (title, facts)) in sections.iter().enumerate() {
        if i > 0 {
            out.push('\n');
        }
        push_line(&mut out, title, width);
        for (name, value) in facts {
            let blanks = " ".repeat(widest.saturating_sub(columns(name)) + 2);
            out.push_str(&hanging(&format!("  {name}{blanks}"), value, width));
        }
    }
    out
}

/// The facts of the sheet by section; sections without facts are left out.
pub(crate) fn sections(run: &RunJson) -> Vec<(&'static str, SheetFacts)> {
    let platform = &run.platform;
    let database = &run.database;
    let mut sections = vec![
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
    sections.extend(own_platform::sections(run));
    sections.push(("Not known", pairs(&platform.missing)));
    sections.retain(|(_, facts)| !facts.is_empty());
    sections
}

fn fact(facts: &mut SheetFacts, name: &str, value: Option<impl ToString>) {
    if let Some(value) = value {
        facts.push((name.to_owned(), value.to_string()));
    }
}

fn pairs(map: &std::collections::BTreeMap<String, String>) -> SheetFacts {
    map.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn hardware(platform: &Platform) -> SheetFacts {
    let Cpu { model, sockets, cores, threads, clock_mhz, governor, limits: _ } = &platform.cpu;
    let Memory { total_bytes, huge_pages_bytes, transparent_huge_pages, swap_bytes } = &platform.memory;
    let mut facts = SheetFacts::new();
    fact(&mut facts, "Host", platform.host.as_ref());
    fact(&mut facts, "Product", platform.product.as_ref());
    fact(&mut facts, "Processor", model.as_ref());
    fact(&mut facts, "Sockets", *sockets);
    fact(&mut facts, "Cores", *cores);
    fact(&mut facts, "Hardware threads", *threads);
    fact(&mut facts, "May be used", may_use(&platform.cpu));
    fact(&mut facts, "Clock", clock_mhz.filter(|m| m.is_finite()).map(|m| format!("{m:.0} MHz")));
    fact(&mut facts, "Governor", governor.as_ref());
    fact(&mut facts, "NUMA nodes", platform.numa_nodes);
    fact(&mut facts, "Memory", total_bytes.map(bytes));
    fact(&mut facts, "Huge pages", huge_pages_bytes.map(bytes));
    fact(&mut facts, "Transparent huge pages", transparent_huge_pages.as_ref());
    fact(&mut facts, "Swap", swap_bytes.map(bytes));
    facts
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
    let mut facts = SheetFacts::new();
    if run.published.is_some() {
        return facts;
    }
    fact(&mut facts, "dbdyno", Some(&run.run.tool_version));
    match &run.tool {
        Some(tool) => {
            facts.extend(tool.facts().into_iter().map(|(name, value)| (capital(&name), value)));
            facts.extend(tool.missing.iter().map(|(name, why)| (format!("No {name}"), why.clone())));
        }
        None => fact(&mut facts, "Build", Some("not known: the run is from before dbdyno noted it")),
    }
    facts
}

fn capital(name: &str) -> String {
    name.chars().enumerate().map(|(n, c)| if n == 0 { c.to_ascii_uppercase() } else { c }).collect()
}

fn costs(costs: &Costs) -> SheetFacts {
    let mut facts = SheetFacts::new();
    fact(&mut facts, "Licences per core", costs.licences_per_core);
    for (what, usd) in &costs.prices_usd {
        facts.push((format!("Price, {what}"), format!("{} USD", printed(*usd))));
    }
    fact(&mut facts, "Price, all", costs.total_usd().map(|usd| format!("{} USD", printed(usd))));
    fact(&mut facts, "Terms", costs.terms.as_ref());
    facts
}

fn publication(published: &Published) -> SheetFacts {
    let year = published.year.map(|y| if published.year_printed { y.to_string() } else { format!("{y} or later") });
    let mut facts = SheetFacts::new();
    fact(&mut facts, "Source", Some(&published.source));
    fact(&mut facts, "Year", year);
    fact(&mut facts, "Benchmark", Some(&published.benchmark));
    facts.extend(published.notes.iter().map(|note| ("Note".to_owned(), note.clone())));
    facts
}

fn operating_system(platform: &Platform) -> SheetFacts {
    let mut facts = SheetFacts::new();
    fact(&mut facts, "Distribution", platform.os.as_ref());
    fact(&mut facts, "Kernel", platform.kernel.as_ref());
    fact(&mut facts, "Virtualisation", platform.virtualisation.as_ref());
    facts
}

fn disk(disk: &Disk, run: &RunJson) -> (String, String) {
    let kind = disk.rotational.map(|spins| if spins { "rotating" } else { "solid state" });
    let holds = disk.holds_database.then_some(if run.is_of_storage() { "was measured" } else { "holds the database" });
    let scheduler = disk.scheduler.as_ref().map(|s| format!("scheduler {s}"));
    let cache = disk.write_cache.as_ref().map(|c| format!("cache {c}"));
    let facts = [
        holds.map(str::to_owned),
        disk.model.clone(),
        disk.size_bytes.map(bytes),
        kind.map(str::to_owned),
        scheduler,
        cache,
    ];
    let mut facts: Vec<String> = facts.into_iter().flatten().collect();
    facts.extend(disk.mounts.iter().cloned());
    (disk.name.clone(), facts.join("; "))
}

fn database_facts(run: &RunJson) -> SheetFacts {
    let mut facts = SheetFacts::new();
    let there = |text| Some(text).filter(|text: &&String| !text.is_empty());
    fact(&mut facts, "Engine", there(&run.database.engine));
    fact(&mut facts, "Version", there(&run.database.version));
    let own = run.published.is_none();
    fact(&mut facts, if run.is_of_storage() { "Storage" } else { "Target" }, own.then_some(&run.run.target));
    fact(&mut facts, "Size", Some(&run.run.size).filter(|size| !size.is_empty()));
    fact(&mut facts, "Seed", own.then_some(run.run.seed));
    facts.extend(pairs(&run.database.facts));
    fact(&mut facts, "Notice", run.database.notice.as_ref());
    facts
}
