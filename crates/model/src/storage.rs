//! Storage points: I/O that dbdyno issues itself, below any database. The load that was asked for is part of a cell's
//! key. The point holds what was done, apart for small and large I/Os and for reads and writes.

use crate::ResponseTime;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where large I/Os go; small I/Os are always random.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "pattern", rename_all = "snake_case")]
pub enum StoragePattern {
    /// Anywhere.
    #[default]
    Random,
    /// One after the other, in several streams at once.
    Sequential {
        /// Number of streams.
        streams: u32,
    },
}

/// How several devices or files form one address space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "layout", rename_all = "snake_case")]
pub enum StorageLayout {
    /// One behind the other.
    #[default]
    Concat,
    /// In stripes.
    Raid0 {
        /// Length of a stripe.
        stripe_bytes: u64,
    },
}

/// What a storage point asks of devices or files. With the rate, it identifies the cell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct StorageLoad {
    /// Small I/Os outstanding at any moment.
    pub small_outstanding: u32,
    /// Large I/Os outstanding at any moment.
    pub large_outstanding: u32,
    /// Bytes of a small I/O.
    pub small_bytes: u64,
    /// Bytes of a large I/O.
    pub large_bytes: u64,
    /// Where the large ones go.
    #[serde(flatten)]
    pub pattern: StoragePattern,
    /// Percentage of writes.
    pub write_pct: u8,
    /// Number of devices or files.
    pub luns: u32,
    /// How they form one address space.
    #[serde(flatten)]
    pub layout: StorageLayout,
    /// Whether blocks carry proofs that are checked when the blocks are read.
    pub verify: bool,
}

impl StorageLoad {
    /// I/Os outstanding in all: the degree of parallelism.
    #[must_use]
    pub fn outstanding(&self) -> u32 {
        self.small_outstanding.saturating_add(self.large_outstanding)
    }

    /// The kind of I/O, without the number of outstanding I/Os. Figures of one kind form one curve: `8K random reads`,
    /// `1M sequential writes, 4 a stream`, `8K random reads beside 2 x 1M random`.
    #[must_use]
    pub fn work(&self) -> String {
        let kind = match self.write_pct {
            0 => " reads".to_owned(),
            100 => " writes".to_owned(),
            pct => format!(", {pct} % writes"),
        };
        let (pattern, streams) = match self.pattern {
            StoragePattern::Random => ("random", String::new()),
            // Along a curve of streams each stream has the same number of I/Os.
            StoragePattern::Sequential { streams } if streams > 0 && self.large_outstanding.is_multiple_of(streams) => {
                ("sequential", format!(", {} a stream", self.large_outstanding / streams))
            }
            StoragePattern::Sequential { streams } => ("sequential", format!(", {streams} streams")),
        };
        let large = size(self.large_bytes);
        let mut work = match (self.small_outstanding, self.large_outstanding) {
            (0, 1..) => format!("{large} {pattern}{kind}{streams}"),
            (_, 0) => format!("{} random{kind}", size(self.small_bytes)),
            (_, n) => format!("{} random{kind} beside {n} x {large} {pattern}{streams}", size(self.small_bytes)),
        };
        if self.luns > 1 {
            work += &format!(" on {} LUNs", self.luns);
        }
        if let StorageLayout::Raid0 { stripe_bytes } = self.layout {
            work += &format!(" in stripes of {}", size(stripe_bytes));
        }
        if self.verify {
            work += ", verified";
        }
        work
    }
}

impl fmt::Display for StorageLoad {
    /// `8 small, 2 large`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} small, {} large", self.small_outstanding, self.large_outstanding)
    }
}

/// A length as users type it: `8K`, `1M`.
fn size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")];
    let unit = UNITS.iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
    unit.map_or_else(|| format!("{bytes} B"), |(unit, name)| format!("{}{name}", bytes / unit))
}

/// A device or file that I/O went to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StorageLun {
    /// Its path, as it was given.
    pub path: String,
    /// `device` or `file`.
    pub kind: String,
    /// The part of it that is used, in bytes.
    pub size_bytes: u64,
    /// What it did inside the window; absent where nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<LunFigures>,
}

/// What one device or file did inside the window. An I/O that spans several counts once on each.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LunFigures {
    /// Reads/s.
    pub reads_per_s: f64,
    /// Writes/s.
    pub writes_per_s: f64,
    /// MiB/s read and written.
    pub mib_per_s: f64,
    /// Mean time of an I/O: from when it was due where a rate was set, else from when it was submitted.
    pub mean_s: Option<f64>,
    /// The longest.
    pub max_s: Option<f64>,
    /// When in the window the longest I/O was.
    pub max_at_s: Option<f64>,
    /// I/Os that failed, warm-up and tail included.
    pub errors: u64,
}

/// The window in steps, the first one first: what happened when, and on which device or file. All lists have the same
/// length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StorageSeries {
    /// Length of a step; the last one may be shorter.
    pub step_s: f64,
    /// I/Os/s.
    pub ios_per_s: Vec<f64>,
    /// MiB/s read and written.
    pub mib_per_s: Vec<f64>,
    /// Mean time of an I/O; absent where there was none.
    pub mean_s: Vec<Option<f64>>,
    /// The longest time of an I/O.
    pub max_s: Vec<Option<f64>>,
    /// The path, counted from 0, that the longest I/O waited for.
    pub max_lun: Vec<Option<u32>>,
}

impl StorageSeries {
    /// The step with the longest I/O: when it began, the time, and the path.
    #[must_use]
    pub fn longest(&self) -> Option<(f64, f64, Option<u32>)> {
        let times = self.max_s.iter().enumerate().filter_map(|(n, max_s)| Some((n, (*max_s)?)));
        let (n, max_s) = times.max_by(|(_, a), (_, b)| a.total_cmp(b))?;
        Some((n as f64 * self.step_s, max_s, self.max_lun.get(n).copied().flatten()))
    }
}

/// What `--verify` checked. A sector counts each time it is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StorageProof {
    /// Sectors with a stamp, which can be checked.
    pub stamped: u64,
    /// Sectors without a stamp, which cannot be checked.
    pub unstamped: u64,
    /// Sectors whose content is not what was written.
    pub wrong: u64,
}

/// What a storage point has in addition to every point's fields.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Storage {
    /// The load that was asked for.
    #[serde(flatten)]
    pub load: StorageLoad,
    /// Devices or files.
    pub paths: Vec<StorageLun>,
    /// The backend that did the I/O: `io_uring`, `threads`, `null`.
    pub backend: String,
    /// Threads that submitted it.
    pub submitters: Option<u32>,
    /// Bytes from the first to the last I/O, warm-up and tail included: what a device must have counted.
    pub total_bytes: Option<u64>,
    /// Notes on how the I/O was done.
    #[serde(default)]
    pub notes: Vec<String>,
    /// Small I/Os inside the window.
    #[serde(default)]
    pub small: StorageReadWrite,
    /// Large I/Os inside the window.
    #[serde(default)]
    pub large: StorageReadWrite,
    /// With a rate: I/Os/s that ended inside the window, whenever they were due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_per_s: Option<f64>,
    /// With a rate: I/Os/s that were also due inside the window. The others had been waiting when it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_time_per_s: Option<f64>,
    /// With `--verify`: what was checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<StorageProof>,
    /// The window second by second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<StorageSeries>,
}

impl Storage {
    /// A point of which only the requested load is known.
    #[must_use]
    pub fn requested(load: StorageLoad) -> Self {
        Self { load, ..Self::default() }
    }
}

/// Reads and writes of one size.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StorageReadWrite {
    /// Reads; absent where there were none.
    pub read: Option<StorageIos>,
    /// Writes; absent where there were none.
    pub write: Option<StorageIos>,
}

impl StorageReadWrite {
    /// Reads and writes/s.
    #[must_use]
    pub fn iops(&self) -> Option<f64> {
        self.sum(|ios| ios.iops)
    }

    /// MiB/s read and written.
    #[must_use]
    pub fn mib_per_s(&self) -> Option<f64> {
        self.sum(|ios| ios.mib_per_s)
    }

    fn sum(&self, figure: fn(&StorageIos) -> f64) -> Option<f64> {
        self.read.iter().chain(&self.write).map(figure).reduce(|a, b| a + b)
    }
}

/// I/Os of one size and direction inside the window.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageIos {
    /// How many.
    pub ios: u64,
    /// Their bytes.
    pub bytes: u64,
    /// I/Os/s.
    pub iops: f64,
    /// MiB/s.
    pub mib_per_s: f64,
    /// Service time: from when an I/O was submitted.
    pub service_time_s: ResponseTime,
    /// Response time: from when an I/O was due; absent without a rate.
    pub response_time_s: Option<ResponseTime>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(small_outstanding: u32, large_outstanding: u32) -> StorageLoad {
        StorageLoad {
            small_outstanding,
            large_outstanding,
            small_bytes: 8 << 10,
            large_bytes: 1 << 20,
            pattern: StoragePattern::Random,
            write_pct: 0,
            luns: 1,
            layout: StorageLayout::Concat,
            verify: false,
        }
    }

    #[test]
    fn work_is_what_a_curve_is_of() {
        let sequential = StoragePattern::Sequential { streams: 4 };
        let raid = StorageLayout::Raid0 { stripe_bytes: 1 << 20 };
        for (load, work) in [
            (load(8, 0), "8K random reads"),
            (StorageLoad { write_pct: 30, ..load(8, 0) }, "8K random, 30 % writes"),
            // Small I/Os are random whatever the pattern of large ones.
            (StorageLoad { pattern: sequential, ..load(8, 0) }, "8K random reads"),
            (load(0, 2), "1M random reads"),
            (StorageLoad { pattern: sequential, write_pct: 100, ..load(0, 8) }, "1M sequential writes, 2 a stream"),
            (StorageLoad { pattern: sequential, ..load(0, 9) }, "1M sequential reads, 4 streams"),
            (load(8, 2), "8K random reads beside 2 x 1M random"),
            (StorageLoad { small_bytes: 512, ..load(1, 0) }, "512 B random reads"),
            (
                StorageLoad { luns: 2, layout: raid, verify: true, ..load(1, 0) },
                "8K random reads on 2 LUNs in stripes of 1M, verified",
            ),
        ] {
            assert_eq!(load.work(), work);
        }
        assert_eq!(load(8, 2).work(), load(9, 2).work());
        assert_eq!((load(8, 2).outstanding(), load(8, 2).to_string().as_str()), (10, "8 small, 2 large"));
    }

    #[test]
    fn a_load_is_plain_json_and_comes_back() {
        let pattern = StoragePattern::Sequential { streams: 4 };
        let layout = StorageLayout::Raid0 { stripe_bytes: 65_536 };
        let load = StorageLoad { pattern, layout, write_pct: 30, ..load(8, 2) };
        let text = serde_json::to_string(&load).unwrap();
        assert_eq!(
            text,
            r#"{"small_outstanding":8,"large_outstanding":2,"small_bytes":8192,"large_bytes":1048576,"pattern":"sequential","streams":4,"write_pct":30,"luns":1,"layout":"raid0","stripe_bytes":65536,"verify":false}"#
        );
        assert_eq!(serde_json::from_str::<StorageLoad>(&text).unwrap(), load);
    }
}
