//! What a reader must know about a figure before relying on it.

use crate::variants::all;
use serde::{Deserialize, Serialize};

/// A remark on a point or a cell. A flag never changes a figure; it says how far to trust the figure.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// The engine did not come to rest within the time limit before the point.
    NotSettled,
    /// The rate changed by more than 10 % over the window, and by more than its own noise explains.
    NotSteady,
    /// A cached test read more than 1 in 1,000 blocks from below the engine's cache.
    NotCached,
    /// A non-cached test was served from memory (fewer than 0.7 device reads per block visit), or the writes of a
    /// storage test stayed in memory.
    ServedFromOsCache,
    /// Pages dirtied exceed pages written by more than 10 %: the rest will be written after the window.
    WritesDeferred,
    /// A setting lets commits be lost in a crash.
    UnsafeDurability,
    /// dbdyno itself used more than 10 % of the machine in the server drive.
    HarnessHeavy,
    /// Other work on the machine, or other sessions in the database, during the window.
    ForeignLoad,
    /// The hypervisor gave more than 2 % of the time to other machines.
    CpuSteal,
    /// The clocks disagree about how long the point took: the machine was suspended, or the wall clock was set.
    ClockJump,
    /// The table's checksum was not verified after loading.
    DataNotVerified,
    /// Cell: the 95 % interval is wider than 5 % of the median to a side.
    Noisy,
    /// Cell: fewer than three repeats, so no interval.
    NoInterval,
    /// Some transactions of the client drive failed for good.
    Errors,
    /// Something that the figure depends on could not be observed, such as device reads or syncs.
    NotProved,
    /// The work took less than half a second in all.
    TooShort,
    /// A quota of processor time held back dbdyno or the server within the window.
    Throttled,
    /// The machine's own pace around the point was slower than its best by more than a bound.
    UnevenMachine,
    /// Too few transactions were due to tell overload from chance.
    TooFewToJudge,
}

impl Flag {
    /// Flags that make a figure mean something else than the test: memory in place of a device, a device in place of
    /// the engine's cache, a moment in place of a window, or an unproved claim.
    pub const DOUBTFUL: [Self; 4] = [Self::NotCached, Self::ServedFromOsCache, Self::NotProved, Self::TooShort];

    /// Every flag, in the order in which reports explain them.
    pub const ALL: [Self; 19] = all();

    /// What the flag means and what to do, in one sentence.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::NotSettled => "the engine was still busy with earlier work when the point began; repeat the test",
            Self::NotSteady => "the rate changed by more than 10 % within the window; use a longer --duration",
            Self::NotCached => "data came from below the engine's cache; give the engine more cache",
            Self::ServedFromOsCache => {
                "the device was hardly used, so this is a figure of memory; use a larger size or a file system that lets go of its cache"
            }
            Self::WritesDeferred => "pages were dirtied faster than written; use a longer --duration",
            Self::UnsafeDurability => {
                "a crash could lose commits with these settings; do not compare with durable runs"
            }
            Self::HarnessHeavy => {
                "dbdyno itself took over 10 % of the machine, or its hosts were held up; the figure is a lower bound"
            }
            Self::ForeignLoad => "something else was at work; repeat on a quiet machine",
            Self::CpuSteal => "the hypervisor took time away; repeat, or ask for reserved cores",
            Self::ClockJump => "the machine slept or its clock was set during the point; repeat it",
            Self::DataNotVerified => "the table's content was not proved after loading; load again without --no-verify",
            Self::Noisy => {
                "repeats differ: the 95 % interval is wider than 5 %; use more repeats or a longer --duration"
            }
            Self::NoInterval => "fewer than three repeats, so the error is unknown; use --repeat 3",
            Self::Errors => "some transactions failed and are not in the rates; look at outcomes.errors in --json",
            Self::NotProved => {
                "what the figure rests on could not be observed, so it is not believed; see the reason, or --accept not_proved"
            }
            Self::TooShort => {
                "the work took less than half a second in all, which measures nothing; use a longer --duration or a larger size"
            }
            Self::Throttled => "a processor quota held back the work; the figure is one of the quota",
            Self::UnevenMachine => {
                "the machine itself was slower than at its best, though nothing on it shows why; repeat more often"
            }
            Self::TooFewToJudge => {
                "too few transactions were due to tell overload from chance; use a longer --duration or a higher --rate"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_is_listed_and_named_as_in_json() {
        for flag in Flag::ALL {
            assert_eq!(serde_json::to_value(flag).unwrap(), flag.name());
            assert!(!flag.advice().is_empty());
        }
    }
}
