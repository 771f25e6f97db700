//! Whether a run is of production's own platform, and what of both may not be compared.

use super::rates::Alike;
use super::result::PlatformRelation;
use crate::numbers::bytes;
use dbdyno_model::{Cpu, Database, Disk, Platform, ProfileJson, RunJson};

/// How a run's platform relates to production's, by both platform sheets.
pub(super) fn relation(profile: &ProfileJson, run: &RunJson) -> PlatformRelation {
    let Some(own) = &profile.platform else {
        let is_same = !run.run.target.is_empty() && run.run.target == profile.target;
        return if is_same { PlatformRelation::SameTarget } else { PlatformRelation::NotKnown };
    };
    let theirs = &run.platform;
    let size = |cpu: &Cpu| cpu.threads.or(cpu.cores);
    if own.cpu.model.is_none() || theirs.cpu.model.is_none() || size(&own.cpu).zip(size(&theirs.cpu)).is_none() {
        return PlatformRelation::NotKnown;
    }
    if differences(own, theirs).is_empty() { PlatformRelation::Same } else { PlatformRelation::Another }
}

/// The relation in words, for a reader.
pub(super) fn words(profile: &ProfileJson, run: &RunJson) -> String {
    match (relation(profile, run), &profile.platform) {
        (PlatformRelation::Same, _) => {
            "the same by their sheets: host, processors, memory, virtualisation, the database's disks".to_owned()
        }
        (PlatformRelation::SameTarget, _) => "the same target; production's hardware was not seen".to_owned(),
        (PlatformRelation::Another, Some(own)) => {
            format!("another one than production's: {}", differences(own, &run.platform).join(", "))
        }
        (PlatformRelation::Another | PlatformRelation::NotKnown, _) => {
            "not known: production's or the run's hardware was not seen".to_owned()
        }
    }
}

/// A share by which two sizes of memory may differ on one machine, as kernels keep some for themselves.
const MEMORY: f64 = 0.02;

/// Where two sheets say that the hardware is another one; what only one of them says is no difference.
fn differences(own: &Platform, theirs: &Platform) -> Vec<String> {
    fn differ<T: PartialEq + ToString>(name: &str, own: &Option<T>, theirs: &Option<T>) -> Option<String> {
        let (own, theirs) = (own.as_ref()?, theirs.as_ref()?);
        (own != theirs).then(|| format!("{name} {} there and {} here", own.to_string(), theirs.to_string()))
    }
    let usable = |cpu: &Cpu| cpu.usable_threads().map(|usable| usable.n);
    let memory = match (own.memory.total_bytes, theirs.memory.total_bytes) {
        (Some(a), Some(b)) if (a as f64 - b as f64).abs() > MEMORY * a as f64 => {
            Some(format!("memory {} there and {} here", bytes(a), bytes(b)))
        }
        _ => None,
    };
    let disks = |platform: &Platform| {
        let of = |disk: &Disk| {
            format!(
                "{} of {}",
                disk.model.as_deref().unwrap_or(&disk.name),
                disk.size_bytes.map_or_else(|| "?".to_owned(), bytes)
            )
        };
        let mut all: Vec<String> = platform.disks.iter().filter(|disk| disk.holds_database).map(of).collect();
        all.sort();
        (!all.is_empty()).then(|| all.join(" and "))
    };
    let all = [
        differ("host", &own.host, &theirs.host),
        differ("product", &own.product, &theirs.product),
        differ("database's disks", &disks(own), &disks(theirs)),
        differ("processor", &own.cpu.model, &theirs.cpu.model),
        differ("sockets", &own.cpu.sockets, &theirs.cpu.sockets),
        differ("cores", &own.cpu.cores, &theirs.cpu.cores),
        differ("usable hardware threads", &usable(&own.cpu), &usable(&theirs.cpu)),
        memory,
        differ("virtualisation", &own.virtualisation, &theirs.virtualisation),
    ];
    all.into_iter().flatten().collect()
}

/// What of production and the run is alike.
pub(super) fn alike(profile: &ProfileJson, run: &RunJson) -> Alike {
    let (own, theirs, platforms) = (&profile.database, &run.database, relation(profile, run));
    if !own.engine.is_empty() && !theirs.engine.is_empty() && own.engine != theirs.engine {
        let why = format!("not comparable: {} and {} count other things", own.engine, theirs.engine);
        return Alike { platforms, redo: Some(why.clone()), blocks: Some(why) };
    }
    let blocks = block_sizes(own, theirs);
    let blocks = blocks.map(|(name, a, b)| format!("not comparable: {name} is {a} in production and {b} in the run"));
    Alike { platforms, redo: None, blocks }
}

/// A setting of the size of a block that both have, with other values.
fn block_sizes<'d>(own: &'d Database, theirs: &'d Database) -> Option<(&'d str, &'d str, &'d str)> {
    let is_of_blocks = |name: &str| ["block_size", "page_size"].iter().any(|part| name.ends_with(part));
    let of_blocks = own.parameters.iter().filter(|(name, _)| is_of_blocks(name));
    let mut unlike = of_blocks.filter_map(|(name, value)| Some((name, value, theirs.parameters.get(name)?)));
    unlike.find(|(_, a, b)| a != b).map(|(name, a, b)| (name.as_str(), a.as_str(), b.as_str()))
}

/// The most settings that are named.
const MOST_NAMES: usize = 6;

/// What may not be compared, in sentences.
pub(super) fn not_compared(profile: &ProfileJson, run: &RunJson) -> Vec<String> {
    let mut said = vec![
        "Transactions per second of production and of the run: a transaction of one is another amount of work than one \
         of the other, so only what they do to the layers is compared."
            .to_owned(),
    ];
    let (own, theirs) = (&profile.database, &run.database);
    if run.is_of_storage() {
        said.push("The run measured storage below any database: it says nothing of log, cache and commits.".to_owned());
    } else if own.engine != theirs.engine {
        said.push(format!(
            "Production runs on {}, and the run was on {}: log and cache are counted in other ways.",
            own.engine, theirs.engine
        ));
    } else if own.version != theirs.version {
        said.push(format!(
            "Production runs on {} {}, and the run was on {}: another version may need more or less for the same work.",
            own.engine, own.version, theirs.version
        ));
    }
    said.extend(settings(own, theirs));
    if !run.is_of_storage() {
        said.push(format!(
            "The run's data ({}) is not production's: how much of it the caches hold decides how many reads reach the \
             devices.",
            run.run.data_words()
        ));
    }
    if let (PlatformRelation::Another, Some(platform)) = (relation(profile, run), &profile.platform)
        && let (Some(a), Some(b)) = (platform.memory.total_bytes, run.platform.memory.total_bytes)
        && differences(platform, &run.platform).iter().any(|text| text.starts_with("memory"))
    {
        said.push(format!(
            "Production has {} of memory, and the run's platform {}: with another cache the same load reads more or \
             less from the devices.",
            bytes(a),
            bytes(b)
        ));
    }
    said
}

/// Settings that both have, with other values.
fn settings(own: &Database, theirs: &Database) -> Option<String> {
    let differ = |(name, value): &(&String, &String)| theirs.parameters.get(*name).is_some_and(|other| other != *value);
    let names: Vec<&str> = own.parameters.iter().filter(differ).map(|(name, _)| name.as_str()).collect();
    let first = names.get(..MOST_NAMES).unwrap_or(&names).join(", ");
    let more = names.len().saturating_sub(MOST_NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (own.engine == theirs.engine && !names.is_empty()).then(|| {
        format!("Settings that differ between production and the run: {first}{more}. The run shows the platform as it was set.")
    })
}
