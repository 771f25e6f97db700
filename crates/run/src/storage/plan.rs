//! The points of a storage run as a plan, so that they are stored first, like any.

use dbdyno_model::{
    CommitMode, Dop, Drive, Load, Mapping, Plan, PlannedPoint, REFERENCE_SUITE, Rate, StorageLayout, StorageLoad,
    StoragePattern, Subject,
};
use dbdyno_storage::orion::{Choice, Planned, Settings};
use dbdyno_storage::{self as storage, Layout, Pattern};

/// What a storage point is made of, so that figures of another way to measure would not be taken for repeats of these.
const DEFINITION: &str = "storage 1";

/// The plan of a storage run: its points in their order, each as often as they are repeated.
#[must_use]
pub fn storage_plan(settings: &Settings, seed: u64) -> Plan {
    let definition = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(DEFINITION.as_bytes()));
    let point = |planned: &Planned| {
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
    }
}

/// The part of a load that makes a point one and not another.
fn asked(load: &storage::Load, luns: usize) -> StorageLoad {
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

/// An open loop's rate in the words of all points.
fn rated(load: &storage::Load) -> Load {
    load.rate.map_or_else(Load::default, |open| Load {
        rate: Some(Rate::PerS { thousandths: (open.iops * 1e3).round().max(1.0) as u64 }),
        arrivals: Some(open.arrivals),
        ..Load::default()
    })
}
