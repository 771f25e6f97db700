//! What is said of a platform beside what dbdyno saw of it: an observation is never replaced by a claim, and a claim
//! that says something else is named.
//!
//! Vendors write one thing in many ways (`Intel(R) Xeon(R) CPU X7560 @ 2.27GHz`), so two texts agree where all words of
//! one are in the other. A clock is not compared, because it moves.

use super::{Described, DescribedDifference, DescribedKey, DescribedTable, DescribedValue};
use crate::{Database, Disk, Platform};
use std::collections::BTreeSet;

/// Words that say nothing about what it is.
const EMPTY_WORDS: [&str; 6] = ["r", "tm", "c", "cpu", "processor", "gnu"];

/// A machine shows a little less memory than is built in, and vendors round.
const MEMORY_ALIKE: std::ops::RangeInclusive<f64> = 0.9..=1.05;

/// What dbdyno saw. Of several texts each is true.
enum Observed {
    Texts(Vec<String>),
    Count(u32),
    Gib(f64),
}

impl Observed {
    fn agrees(&self, said: &DescribedValue) -> bool {
        match self {
            Self::Texts(texts) => texts.iter().any(|text| are_alike(text, &said.to_string())),
            Self::Count(n) => said.number() == Some(f64::from(*n)),
            Self::Gib(gib) => said.number().is_none_or(|said| MEMORY_ALIKE.contains(&(gib / said))),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Texts(texts) => texts.join(", "),
            Self::Count(n) => n.to_string(),
            Self::Gib(gib) => format!("{gib:.1} GiB"),
        }
    }
}

impl Described {
    /// The claims that contradict what dbdyno saw. What it did not see is compared with nothing.
    #[must_use]
    pub fn differences(&self, platform: &Platform, database: &Database) -> Vec<DescribedDifference> {
        let of_key = |key: &DescribedKey| {
            let said = self.table(key.table).get(&key.key)?;
            let seen = observed(key, platform, database).filter(|seen| !seen.agrees(said))?;
            let (table, name) = (key.table.name(), &key.key);
            let (key, title) = (format!("{table}.{name}"), key.title.clone());
            Some(DescribedDifference { key, title, said: said.to_string(), observed: seen.shown() })
        };
        let of_setting = |(name, said): (&String, &String)| {
            let seen = database.parameters.get(name).filter(|seen| !seen.eq_ignore_ascii_case(said))?;
            let (key, title) = (format!("settings.{name}"), name.clone());
            Some(DescribedDifference { key, title, said: said.clone(), observed: seen.clone() })
        };
        let of_keys = DescribedKey::all().iter().filter_map(of_key);
        of_keys.chain(self.settings.iter().filter_map(of_setting)).collect()
    }
}

/// What dbdyno saw of the thing that a key is about.
fn observed(key: &DescribedKey, platform: &Platform, database: &Database) -> Option<Observed> {
    let cpu = &platform.cpu;
    let text = |text: &Option<String>| text.clone().filter(|text| !text.is_empty()).map(|text| vec![text]);
    let of_disks = |of: fn(&Disk) -> Vec<String>| {
        let texts: BTreeSet<String> = platform.disks.iter().filter(|d| d.holds_database).flat_map(of).collect();
        Some(texts.into_iter().collect::<Vec<_>>()).filter(|texts| !texts.is_empty())
    };
    let texts = match (key.table, key.key.as_str()) {
        (DescribedTable::Platform, "sockets") => return cpu.sockets.map(Observed::Count),
        (DescribedTable::Platform, "cores") => return cpu.cores.map(Observed::Count),
        (DescribedTable::Platform, "threads") => {
            let machine = cpu.limits.as_ref().and_then(|limits| limits.machine_threads);
            return machine.or(cpu.threads).map(Observed::Count);
        }
        (DescribedTable::Platform, "memory_gib") => {
            let bytes = platform.memory.total_bytes.filter(|bytes| *bytes > 0)?;
            return Some(Observed::Gib(bytes as f64 / f64::from(1 << 30)));
        }
        (DescribedTable::Platform, "hardware") => text(&platform.product),
        (DescribedTable::Platform, "cpu_model") => text(&cpu.model),
        (DescribedTable::Platform, "os") => text(&platform.os),
        (DescribedTable::Platform, "kernel") => text(&platform.kernel),
        (DescribedTable::Platform, "virtualisation") => text(&platform.virtualisation),
        (DescribedTable::Platform, "engine") => text(&Some(database.engine.clone())),
        (DescribedTable::Platform, "database_version") => text(&Some(database.version.clone())),
        (DescribedTable::Storage, "device") => of_disks(|disk| disk.model.clone().into_iter().collect()),
        (DescribedTable::Storage, "io_scheduler") => of_disks(|disk| disk.scheduler.clone().into_iter().collect()),
        (DescribedTable::Storage, "file_system") => of_disks(file_systems),
        _ => None,
    };
    texts.map(Observed::Texts)
}

/// The types of the file systems on a disk; a mount is its place, type and options.
fn file_systems(disk: &Disk) -> Vec<String> {
    disk.mounts.iter().filter_map(|mount| mount.rsplit(' ').nth(1).map(str::to_owned)).collect()
}

/// Whether all words of one text are in the other.
fn are_alike(one: &str, other: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let lower = text.to_lowercase();
        let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty() && !EMPTY_WORDS.contains(w));
        words.map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    one.is_subset(&other) || other.is_subset(&one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cpu, CpuLimits, Memory};

    fn seen() -> (Platform, Database) {
        let limits = CpuLimits { machine_threads: Some(128), ..CpuLimits::default() };
        let disk = Disk {
            name: "sda".to_owned(),
            model: Some("OPEN-V".to_owned()),
            scheduler: Some("none".to_owned()),
            mounts: vec!["/data xfs rw,noatime".to_owned(), "/boot ext4 rw".to_owned()],
            holds_database: true,
            ..Disk::default()
        };
        let platform = Platform {
            cpu: Cpu {
                model: Some("Intel(R) Xeon(R) CPU X7560 @ 2.27GHz".to_owned()),
                cores: Some(64),
                threads: Some(4),
                limits: Some(limits),
                ..Cpu::default()
            },
            memory: Memory { total_bytes: Some(188 << 30), ..Memory::default() },
            os: Some("Debian GNU/Linux 12 (bookworm)".to_owned()),
            kernel: Some("6.18.44".to_owned()),
            virtualisation: Some("docker on kvm".to_owned()),
            disks: vec![disk, Disk { model: Some("other".to_owned()), ..Disk::default() }],
            ..Platform::default()
        };
        let mut database =
            Database { engine: "postgres".to_owned(), version: "16.4".to_owned(), ..Database::default() };
        database.parameters.insert("block_size".to_owned(), "8192".to_owned());
        (platform, database)
    }

    fn said(table: DescribedTable, key: &str, value: DescribedValue) -> Described {
        let mut described = Described::default();
        described.table_mut(table).insert(key.to_owned(), value);
        described
    }

    #[test]
    fn what_says_the_same_agrees_however_it_is_written() {
        use DescribedTable::{Platform, Storage};
        let (platform, database) = seen();
        let text = |text: &str| DescribedValue::Text(text.to_owned());
        for (table, key, same, other) in [
            (Platform, "cpu_model", text("Intel Xeon X7560"), text("Intel Xeon X7570")),
            (Platform, "cores", DescribedValue::Count(64), DescribedValue::Count(32)),
            (Platform, "threads", DescribedValue::Count(128), DescribedValue::Count(4)),
            (Platform, "memory_gib", DescribedValue::Count(192), DescribedValue::Number(96.5)),
            (Platform, "os", text("Debian 12"), text("Debian 13")),
            (Platform, "kernel", text("6.18"), text("6.1")),
            (Platform, "virtualisation", text("KVM"), text("VMware ESXi 8")),
            (Platform, "engine", text("postgres"), text("another")),
            (Platform, "database_version", text("16"), text("15.2")),
            (Storage, "device", text("open-v"), text("other")),
            (Storage, "io_scheduler", text("none"), text("mq-deadline")),
            (Storage, "file_system", text("xfs, 4 KiB"), text("zfs")),
        ] {
            assert_eq!(said(table, key, same).differences(&platform, &database), [], "{key}");
            let found = said(table, key, other.clone()).differences(&platform, &database);
            assert_eq!(found.len(), 1, "{key}");
            assert_eq!((&found[0].key, &found[0].said), (&format!("{}.{key}", table.name()), &other.to_string()));
        }
    }

    #[test]
    fn settings_are_compared_by_name() {
        let (platform, database) = seen();
        let mut described = Described::default();
        described.settings.insert("block_size".to_owned(), "16384".to_owned());
        described.settings.insert("flashback".to_owned(), "no".to_owned());
        let found = described.differences(&platform, &database);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].said.as_str(), found[0].observed.as_str()), ("16384", "8192"));
    }

    #[test]
    fn what_nobody_saw_contradicts_nothing() {
        let (mut platform, _) = seen();
        platform.disks.clear();
        let raid = said(DescribedTable::Storage, "raid", DescribedValue::Text("RAID-6".to_owned()));
        assert_eq!(raid.differences(&platform, &Database::default()), []);
        for (table, key) in [(DescribedTable::Platform, "cores"), (DescribedTable::Storage, "device")] {
            let claim = said(table, key, DescribedValue::Count(2));
            assert_eq!(claim.differences(&Platform::default(), &Database::default()), [], "{key}");
        }
    }
}
