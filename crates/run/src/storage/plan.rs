//! The plan of a storage run, which is stored first, like any plan.

use dbdyno_model::{
    ClientLoad, CommitMode, Dop, Drive, Mapping, Plan, PlannedPoint, REFERENCE_SUITE, Rate, StorageLayout, StorageLoad,
    StoragePattern, Subject,
};
use dbdyno_storage::orion::{Choice, OrionSettings, PlannedIoPoint};
use dbdyno_storage::{self as storage, Layout, Pattern};

/// The definition of storage points. Figures measured in another way would have another definition, and not count as
/// repeats.
const DEFINITION: &str = "storage 1";

/// The plan of a storage run: its points in order, each as often as it is repeated.
#[must_use]
pub fn storage_plan(settings: &OrionSettings, seed: u64) -> Plan {
    let definition = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(DEFINITION.as_bytes()));
    let point = |planned: &PlannedIoPoint| {
        let load = settings.load(planned, seed);
        let storage = asked(&load, settings.luns.len());
        PlannedPoint {
            subject: Subject::Storage(storage),
            drive: Drive::Client,
            dop: Dop { jobs: storage.outstanding(), ..Dop::ONE },
            load: rated(&load),
            rows_per_tx: 0,
            repeat: 1,
            again: false,
            duration_s: load.duration_s,
            mix: None,
            parameters: dbdyno_model::Parameters::default(),
            cores: None,
            may_follow_from_jobs: None,
            commit: CommitMode::Durable,
            mapping: Mapping::Native { ramp: None },
            definition: definition.clone(),
        }
    };
    Plan {
        suite: settings.run.map_or_else(|| REFERENCE_SUITE.to_owned(), |run| format!("orion {}", run.word())),
        size: String::new(),
        seed,
        definitions: definition.clone(),
        points: settings.points.iter().map(point).collect(),
        searches: Vec::new(),
        pairing: None,
    }
}

/// The part of a load that identifies a cell.
fn asked(load: &storage::IoLoad, luns: usize) -> StorageLoad {
    StorageLoad {
        small_outstanding: load.small,
        large_outstanding: load.large,
        small_bytes: load.small_bytes,
        large_bytes: load.large_bytes,
        pattern: match load.pattern {
            Pattern::Random => StoragePattern::Random,
            Pattern::Sequential { streams } => StoragePattern::Sequential { streams },
        },
        write_pct: load.write_pct,
        luns: u32::try_from(luns).unwrap_or(u32::MAX),
        layout: match load.layout {
            Layout::Concat => StorageLayout::Concat,
            Layout::Raid0 { stripe_bytes } => StorageLayout::Raid0 { stripe_bytes },
        },
        verify: load.verify,
    }
}

/// The rate of an open loop, as all points have it.
fn rated(load: &storage::IoLoad) -> ClientLoad {
    load.rate.map_or_else(ClientLoad::default, |open| ClientLoad {
        rate: Some(Rate::PerS { thousandths: (open.iops * 1e3).round().max(1.0) as u64 }),
        arrivals: Some(open.arrivals),
        ..ClientLoad::default()
    })
}
