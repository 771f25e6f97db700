//! Which of a server's statistics are which counter. The file `statistics.toml` of a dialect says so.
//!
//! ```toml
//! counter = [
//!   { name = "logical_reads", add = ["hits", "reads"] },       # statistics that are added; `subtract` takes away
//!   { name = "redo_write_ns", add = ["write_us"], factor = 1000, from = 14, missing = "timing is off" },
//!   { name = "redo_write_ns", until = 13, missing = "this version does not tell" },
//!   { name = "redo_bytes", of = "session", add = ["redo"] },   # whose, where the engine tells several apart
//! ]
//! ```
//! The first entry of a counter whose statistics are all there counts.

use dbdyno_model::{Counter, Counters};
use serde::Deserialize;

/// What a server's statistics are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StatisticsTable {
    counter: Vec<Entry>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: Counter,
    #[serde(default)]
    of: String,
    #[serde(default)]
    add: Vec<String>,
    #[serde(default)]
    subtract: Vec<String>,
    factor: Option<u64>,
    from: Option<u32>,
    until: Option<u32>,
    missing: Option<String>,
}

impl Entry {
    fn is_for(&self, version: u32) -> bool {
        self.from.is_none_or(|from| version >= from) && self.until.is_none_or(|until| version <= until)
    }

    fn read(&self, told: &dyn Fn(&str, &str) -> Result<u64, String>) -> Result<u64, String> {
        let sum = |names: &[String]| names.iter().map(|name| told(&self.of, name)).sum::<Result<u64, String>>();
        let value = match self.add.as_slice() {
            [] => Err(String::new()),
            names => sum(names).and_then(|added| Ok(added.saturating_sub(sum(&self.subtract)?))),
        };
        let value = value.map(|value| value * self.factor.unwrap_or(1));
        value.map_err(|why| self.missing.clone().unwrap_or(why))
    }
}

impl StatisticsTable {
    /// Counters of a server of this version. `told` gives a statistic by `of` and name, or why there is none.
    pub fn read(&self, version: u32, told: &dyn Fn(&str, &str) -> Result<u64, String>) -> Counters {
        let mut counters = Counters::default();
        for entry in self.counter.iter().filter(|entry| entry.is_for(version)) {
            if counters.values.contains_key(&entry.name) {
                continue;
            }
            counters.note(entry.name, entry.read(told));
        }
        counters
    }

    /// The counters that it is about.
    pub fn counters(&self) -> impl Iterator<Item = Counter> {
        self.counter.iter().map(|entry| entry.name)
    }

    /// The statistics that it names, each with whose it is.
    pub fn statistics(&self) -> impl Iterator<Item = (&str, &str)> {
        self.counter
            .iter()
            .flat_map(|entry| entry.add.iter().chain(&entry.subtract).map(|name| (entry.of.as_str(), name.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_become_counters_with_reasons_for_what_is_missing() {
        let table: StatisticsTable = toml::from_str(
            "[[counter]]\nname = 'logical_reads'\nadd = ['hit', 'read']\n\
             [[counter]]\nname = 'table_physical_reads'\nadd = ['read']\nsubtract = ['hit']\n\
             [[counter]]\nname = 'redo_write_ns'\nadd = ['fine_us']\nfactor = 1000\n\
             [[counter]]\nname = 'redo_write_ns'\nadd = ['coarse_cs']\nfactor = 10000000\n\
             [[counter]]\nname = 'redo_writes'\nuntil = 13\nmissing = 'too old'\n\
             [[counter]]\nname = 'redo_writes'\nfrom = 14\nadd = ['writes']\nmissing = 'off'\n\
             [[counter]]\nname = 'file_reads'\nof = 'files'\nadd = ['reads']\n",
        )
        .unwrap();
        let told = |of: &str, name: &str| match (of, name) {
            ("", "hit") => Ok(3),
            ("", "read") => Ok(10),
            ("", "coarse_cs") => Ok(2),
            (of, name) => Err(format!("no {name} of {of}")),
        };
        let counters = table.read(14, &told);
        assert_eq!(counters.get(Counter::LogicalReads), Some(13));
        assert_eq!(counters.get(Counter::TablePhysicalReads), Some(7));
        assert_eq!(counters.get(Counter::RedoWriteNs), Some(20_000_000));
        assert_eq!(counters.missing[&Counter::RedoWrites], "off");
        assert_eq!(counters.missing[&Counter::FileReads], "no reads of files");
        assert_eq!(counters.missing.len(), 2);
        assert_eq!(table.read(13, &told).missing[&Counter::RedoWrites], "too old");
        assert!(table.statistics().any(|of| of == ("files", "reads")) && table.counters().count() == 7);
    }
}
