//! The load that is put on the storage.

use crate::{LunAccess, Luns, StorageError};
use dbdyno_model::Arrivals;
use serde::{Deserialize, Serialize};

/// The most I/Os outstanding in all.
pub(crate) const MOST_OUTSTANDING: u32 = 1 << 16;

/// Where large I/Os go; small ones are always random.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Pattern {
    /// Anywhere, aligned to their size.
    #[default]
    Random,
    /// One after the other, in streams that begin at equal distances. Each stream has its share of the outstanding
    /// I/Os.
    Sequential {
        /// Number of streams; at most the number of large I/Os outstanding.
        streams: u32,
    },
}

/// How the devices and files form one address space.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layout {
    /// One behind the other.
    #[default]
    Concat,
    /// In stripes. When a smaller device is full, the stripes go on over the others.
    Raid0 {
        /// Bytes of a stripe.
        stripe_bytes: u64,
    },
}

/// I/Os that are due at given moments, however long other I/Os take.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct IoRate {
    /// I/Os due per second; small and large ones in proportion to their outstanding numbers.
    pub iops: f64,
    /// How the due moments are spread.
    pub arrivals: Arrivals,
}

/// Which share of a load a host has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct IoShare {
    /// Sequential streams of hosts that come before.
    pub streams_before: u32,
    /// Sequential streams of all hosts.
    pub streams_in_all: u32,
    /// Where its due moments lie between those of the others: a share of the distance between two of its own.
    pub phase: f64,
}

/// The load of one point. The default has no I/Os.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct IoLoad {
    /// Number of small I/Os outstanding: always this many in a closed loop, at most this many in an open loop.
    pub small: u32,
    /// Number of large I/Os outstanding, likewise.
    pub large: u32,
    /// Bytes of a small I/O.
    pub small_bytes: u64,
    /// Bytes of a large I/O.
    pub large_bytes: u64,
    /// Where large I/Os go.
    pub pattern: Pattern,
    /// Percentage of writes. Random I/Os alternate between reads and writes in this proportion. Most sequential streams
    /// only write or only read. At most one of them alternates, for the rest of the percentage.
    pub write_pct: u8,
    /// How the devices and files form one address space.
    pub layout: Layout,
    /// Seconds of load before the measured window.
    pub warm_up_s: f64,
    /// Seconds of the measured window.
    pub duration_s: f64,
    /// The rate of an open loop. Without it, the loop is closed: an I/O that ends is replaced by another of its kind at
    /// once.
    pub rate: Option<IoRate>,
    /// Put a stamp into each written sector, and verify the stamps of what is read.
    pub verify: bool,
    /// Use huge pages where the kernel has free ones: then an I/O is one piece for the device.
    pub huge_pages: bool,
    /// Seed of the random addresses and of the data.
    pub seed: u64,
    /// Which share of a load it is, where several hosts have one each.
    pub share: Option<IoShare>,
}

impl IoLoad {
    /// Bytes of a small or of a large I/O.
    pub(crate) fn bytes(&self, large: bool) -> u64 {
        if large { self.large_bytes } else { self.small_bytes }
    }

    /// Number of I/Os outstanding, small and large.
    pub(crate) fn outstanding(&self) -> u32 {
        self.small + self.large
    }

    /// Number of sequential streams; 0 where large I/Os are random.
    pub(crate) fn streams(&self) -> u32 {
        match self.pattern {
            Pattern::Random => 0,
            Pattern::Sequential { streams } => streams.min(self.large),
        }
    }

    /// Whether any I/O writes.
    pub(crate) fn writes(&self) -> bool {
        self.write_pct > 0
    }

    /// Refuses a load that makes no sense, or that does not fit the devices and files.
    pub(crate) fn check(&self, luns: &Luns) -> Result<(), StorageError> {
        let refuse = |why: String| Err(StorageError::Load(why));
        if self.small.checked_add(self.large).is_none_or(|n| n == 0 || n > MOST_OUTSTANDING) {
            return refuse(format!(
                "{} small and {} large I/Os outstanding make no load; ask for 1 to {MOST_OUTSTANDING} in all",
                self.small, self.large
            ));
        }
        if self.write_pct > 100 {
            return refuse(format!("{} % writes are more than all; ask for 0 to 100", self.write_pct));
        }
        if self.writes() && luns.access == LunAccess::Read {
            return refuse("the devices and files are open for reading alone, and the load writes".to_owned());
        }
        let is_finite = (self.warm_up_s + self.duration_s).is_finite();
        if !(is_finite && self.duration_s > 0.0 && self.warm_up_s >= 0.0) {
            return refuse(format!(
                "a window of {} s after {} s makes no measurement",
                self.duration_s, self.warm_up_s
            ));
        }
        if self.rate.is_some_and(|rate| !(rate.iops.is_finite() && rate.iops > 0.0)) {
            return refuse("the rate must be above 0".to_owned());
        }
        if matches!(self.pattern, Pattern::Sequential { streams: 0 }) && self.large > 0 {
            return refuse("sequential I/O needs at least one stream".to_owned());
        }
        // With `verify`, no I/O under way may overlap a write (see `claims`). An I/O blocks up to two places of the
        // longest I/O, because it may lie across their border. Half of all places must stay free for the next I/O.
        let sizes = [(self.small, self.small_bytes), (self.large, self.large_bytes)];
        let longest_bytes = sizes.into_iter().filter(|(n, _)| *n > 0).map(|(_, bytes)| bytes).max().unwrap_or(0);
        let needed = longest_bytes.saturating_mul(4 * u64::from(self.outstanding()));
        if self.verify && self.writes() && luns.size_bytes() < needed {
            return refuse(format!(
                "{} I/Os under way may be in each other's way on {} bytes, of which proving reads beside writes needs {needed}; ask for \
                 fewer outstanding I/Os or a larger file",
                self.outstanding(),
                luns.size_bytes()
            ));
        }
        let block = luns.logical_block_bytes();
        let mut sizes = vec![];
        sizes.extend((self.small > 0).then_some(("small I/O", self.small_bytes)));
        sizes.extend((self.large > 0).then_some(("large I/O", self.large_bytes)));
        if let Layout::Raid0 { stripe_bytes } = self.layout {
            sizes.push(("stripe", stripe_bytes));
        }
        for (what, bytes) in sizes {
            if bytes == 0 || !bytes.is_multiple_of(block) || bytes > 1 << 30 {
                return refuse(format!(
                    "a {what} of {bytes} bytes does not fit blocks of {block} bytes; use a multiple of them, at most 1 GiB"
                ));
            }
        }
        Ok(())
    }
}
