//! Each flag, just below and just above its limit.

mod machine;
mod reads;
mod steady;
mod windows;
mod work;
mod writes;

use super::*;
use crate::work::PointWork;
use crate::work_log::{Chunk, LostWork};
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::Sampling;
use dbdyno_engine::{Durability, Features};
use dbdyno_model::Counters;
use dbdyno_model::{CommitMode, TestCode};
use dbdyno_probe::Telemetry;
use std::collections::BTreeMap;

const SECOND: u64 = 1_000_000_000;
const EMBEDDED: Features = Features {
    in_process: true,
    local: true,
    loads_on_demand: true,
    single_writer: true,
    nodes: 1,
    block_bytes: 4_096,
};

/// A point of a test with a window of ten seconds in which `ops` operations were done at constant speed.
struct Case {
    spec: PointSpec,
    features: Features,
    log: WorkLog,
    counters: Counters,
    telemetry: Telemetry,
    share_in_memory: f64,
    durability: Option<Durability>,
    clock_jump_s: f64,
    connections: Option<u32>,
}

impl Case {
    fn new(code: &str, ops: u64) -> Self {
        let catalogue = Catalogue::embedded().unwrap();
        let test = catalogue.test(code).unwrap().clone();
        let size = catalogue.size("D").unwrap().clone();
        let rows_per_tx = test.rows_per_tx.unwrap_or(0);
        let rows = test.rows_per_op(&size, rows_per_tx).unwrap_or(0);
        let chunk = |n: u64| {
            let (started_ns, ended_ns) = (n * SECOND, (n + 1) * SECOND);
            Chunk { started_ns, ended_ns, ops: ops / 10, rows: ops / 10 * rows, bytes: 0 }
        };
        Self {
            spec: PointSpec {
                test,
                size,
                seed: 1,
                key_seed: 1,
                nodes: 1,
                jobs: 1,
                jobs_before: 0,
                jobs_after: 0,
                threads: 1,
                rows_per_tx,
                commit: CommitMode::Durable,
                drive: dbdyno_model::Drive::Server,
                sampling: Sampling::On,
            },
            features: EMBEDDED,
            log: WorkLog { chunks: (0..10).map(chunk).collect(), checksum: 0, lost: LostWork::default() },
            counters: Counters { values: BTreeMap::from([(Counter::ForeignCommits, 0)]), ..Counters::default() },
            telemetry: Telemetry { seconds: 10.0, ..Telemetry::default() },
            share_in_memory: 0.0,
            durability: None,
            clock_jump_s: 0.0,
            connections: None,
        }
    }

    fn count(mut self, counter: Counter, n: u64) -> Self {
        self.counters.values.insert(counter, n);
        self
    }

    fn evidence(&self) -> Evidence<'_> {
        Evidence {
            work: PointWork::Test(&self.spec),
            features: self.features,
            log: &self.log,
            first_failure: None,
            window: Span { start_ns: 0, end_ns: 10 * SECOND },
            counters: &self.counters,
            telemetry: &self.telemetry,
            share_in_memory: self.share_in_memory,
            counters_s: 10.0,
            durability: self.durability.as_ref(),
            commits: PointWork::Test(&self.spec).commits(&self.log, &[]),
            clock_jump_s: self.clock_jump_s,
        }
    }

    fn judged(&self) -> Point {
        let mut point = Point::new(TestCode::new("T611").unwrap(), jiff::Timestamp::UNIX_EPOCH);
        point.load.connections = self.connections;
        let evidence = self.evidence();
        flag(&mut point, &evidence);
        prove(&mut point, &evidence);
        point
    }

    fn flags(&self) -> Vec<Flag> {
        self.judged().flags
    }
}
