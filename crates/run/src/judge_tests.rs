//! Each flag, just below and just above its limit.

use super::*;
use crate::log::{Chunk, Lost};
use dbdyno_catalogue::Catalogue;
use dbdyno_engine::Sampling;
use dbdyno_model::{CommitMode, TestCode};
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

/// A point of a test over a window of ten seconds, in which `ops` operations were done at constant speed.
struct Case {
    task: Task,
    features: Features,
    log: Log,
    counters: Counters,
    telemetry: Telemetry,
    durability: Option<Durability>,
    clock_jump_s: f64,
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
            task: Task {
                test,
                size,
                seed: 1,
                key_seed: 1,
                nodes: 1,
                jobs: 1,
                threads: 1,
                rows_per_tx,
                commit: CommitMode::Durable,
                drive: dbdyno_model::Drive::Server,
                sampling: Sampling::On,
            },
            features: EMBEDDED,
            log: Log { chunks: (0..10).map(chunk).collect(), checksum: 0, lost: Lost::default() },
            counters: Counters { values: BTreeMap::from([(Counter::ForeignCommits, 0)]), ..Counters::default() },
            telemetry: Telemetry { seconds: 10.0, ..Telemetry::default() },
            durability: None,
            clock_jump_s: 0.0,
        }
    }

    fn count(mut self, counter: Counter, n: u64) -> Self {
        self.counters.values.insert(counter, n);
        self
    }

    fn judged(&self) -> Point {
        let mut point = Point::new(TestCode::new("T611").unwrap(), jiff::Timestamp::UNIX_EPOCH);
        let evidence = Evidence {
            task: &self.task,
            features: self.features,
            log: &self.log,
            window: Span { start_ns: 0, end_ns: 10 * SECOND },
            counters: &self.counters,
            telemetry: &self.telemetry,
            counters_s: 10.0,
            durability: self.durability.as_ref(),
            clock_jump_s: self.clock_jump_s,
        };
        flag(&mut point, &evidence);
        prove(&mut point, &evidence);
        point
    }

    fn flags(&self) -> Vec<Flag> {
        self.judged().flags
    }
}

#[test]
fn cached_means_fewer_than_one_physical_read_in_a_thousand() {
    let reads = |physical| {
        Case::new("T611", 1_000).count(Counter::LogicalReads, 10_000).count(Counter::PhysicalReads, physical)
    };
    assert_eq!(reads(9).flags(), []);
    assert_eq!(reads(10).flags(), [Flag::NotCached]);
}

#[test]
fn not_cached_means_seven_device_reads_in_ten_block_visits() {
    // T626: 10,240 rows an operation, each a visit of a block of 4 KiB.
    let visits = 10 * 10_240;
    let read = |blocks: u64, requests: u64| {
        let mut case = Case::new("T626", 10);
        case.telemetry.process_read_bytes = Some(blocks * 4_096);
        case.telemetry.device_read_ops = Some(requests);
        case.flags()
    };
    assert_eq!(read(visits * 7 / 10 + 1, visits), []);
    assert_eq!(read(visits * 6 / 10, visits), [Flag::ServedFromOsCache]);
    // Bytes alone prove nothing: neighbours that were read ahead are no visits.
    assert_eq!(read(visits, visits / 2), [Flag::ServedFromOsCache]);
}

#[test]
fn a_scan_from_storage_reads_its_rows_bytes() {
    let read = |bytes: u64| {
        let mut case = Case::new("T426", 10);
        case.telemetry.process_read_bytes = Some(bytes);
        case.flags()
    };
    let least = 10 * 1_024_000 * 280 * 7 / 10;
    assert_eq!(read(least + 1), []);
    assert_eq!(read(least - 1), [Flag::ServedFromOsCache]);
}

#[test]
fn what_a_storage_test_writes_must_reach_a_device() {
    let written = |bytes: u64| {
        let mut case = Case::new("T211", 10);
        case.log.chunks.iter_mut().for_each(|c| c.bytes = 1 << 20);
        case.telemetry.process_write_bytes = Some(bytes);
        case.telemetry.device_write_bytes = Some(u64::MAX);
        case.flags()
    };
    assert_eq!(written(8 << 20), []);
    assert_eq!(written(6 << 20), [Flag::ServedFromOsCache]);
}

#[test]
fn deferred_writes_are_those_above_a_tenth() {
    let wrote = |dirtied| {
        let mut case =
            Case::new("T721", 10).count(Counter::BlocksDirtied, dirtied).count(Counter::PhysicalWrites, 1_000);
        case.telemetry.process_write_bytes = Some(1);
        case.flags()
    };
    assert_eq!(wrote(1_100), []);
    assert_eq!(wrote(1_101), [Flag::WritesDeferred]);
}

#[test]
fn noise_of_the_machine_is_flagged() {
    let mut case = Case::new("T111", 10);
    case.telemetry.cpu.busy_pct = Some(100.0);
    case.telemetry.process_cpu_pct = Some(97.0);
    case.telemetry.cpu.steal_pct = Some(1.9);
    assert_eq!(case.flags(), []);
    case.telemetry.cpu.steal_pct = Some(2.1);
    assert_eq!(case.flags(), [Flag::CpuSteal]);
    case.telemetry.cpu.steal_pct = Some(0.0);
    case.telemetry.process_cpu_pct = Some(80.0);
    assert_eq!(case.flags(), [Flag::ForeignLoad]);
    let busy_neighbour = Case::new("T611", 10).count(Counter::ForeignCommits, 3);
    assert_eq!(busy_neighbour.flags(), [Flag::ForeignLoad]);
    let sampled = |ns| Case::new("T611", 10).count(Counter::ForeignBusyNs, ns).flags();
    assert_eq!(sampled(SECOND / 2), [], "5 % of the counters' 10 s");
    assert_eq!(sampled(SECOND), [Flag::ForeignLoad]);
}

#[test]
fn a_servers_own_time_is_no_foreign_load() {
    let mut case = Case::new("T611", 10);
    case.features.in_process = false;
    case.telemetry.cpu.busy_pct = Some(100.0);
    case.telemetry.process_cpu_pct = Some(1.0);
    case.telemetry.server_cpu_pct = Some(95.0);
    assert_eq!(case.flags(), []);
    case.telemetry.server_cpu_pct = Some(70.0);
    assert_eq!(case.flags(), [Flag::ForeignLoad]);
    case.telemetry.server_cpu_pct = None;
    assert_eq!(case.flags(), []);
}

#[test]
fn the_harness_is_weighed_where_it_can_be() {
    let mut case = Case::new("T111", 10);
    case.features.in_process = false;
    case.telemetry.cpu.harness_pct = Some(9.9);
    assert_eq!(case.flags(), []);
    case.telemetry.cpu.harness_pct = Some(10.1);
    assert_eq!(case.flags(), [Flag::HarnessHeavy]);
}

#[test]
fn unsafe_settings_clock_jumps_and_drift_are_flagged() {
    let mut case = Case::new("T711", 10);
    case.durability = Some(Durability { unsafe_settings: vec!["off".to_owned()], ..Durability::default() });
    assert_eq!(case.flags(), [Flag::UnsafeDurability]);
    case.durability = None;
    for (jump_s, flags) in [(0.09, vec![]), (-0.2, vec![Flag::ClockJump]), (3_600.0, vec![Flag::ClockJump])] {
        case.clock_jump_s = jump_s;
        assert_eq!(case.flags(), flags, "{jump_s}");
    }
    case.clock_jump_s = 0.0;
    case.log.chunks[9].ops = 10;
    assert_eq!(case.flags(), [Flag::NotSteady]);
}

#[test]
fn a_count_that_differs_makes_the_point_invalid() {
    let case = || Case::new("T711", 1_000).count(Counter::RowsChanged, 1_000).count(Counter::Commits, 1_000);
    assert_eq!(case().count(Counter::Executions, 1_000).judged().status, Status::Ok);
    let other = case().count(Counter::Executions, 999).judged();
    assert_eq!(other.status, Status::Invalid);
    assert_eq!(other.reason.as_deref(), Some("the engine counted 999 Executions, dbdyno 1000"));
    // A short chunk and a long one do not cancel out.
    let mut uneven = case().count(Counter::Executions, 1_000);
    uneven.log.chunks[0].rows -= 5;
    uneven.log.chunks[1].rows += 5;
    assert_eq!(uneven.judged().status, Status::Invalid);
    // What the engine does not count is said, not assumed.
    assert!(case().judged().missing.contains_key("proof.executions"));
}

#[test]
fn of_failed_transactions_the_engine_may_have_counted_a_part() {
    let status = |executions, statements, commits| {
        let mut case =
            Case::new("T711", 1_000).count(Counter::RowsChanged, 1_000).count(Counter::Executions, executions);
        case.counters.values.insert(Counter::Commits, commits);
        case.log.lost = Lost { statements, rows: 0, commits: 0 };
        case.judged().status
    };
    assert_eq!(status(1_000, 0, 1_000), Status::Ok);
    assert_eq!(status(1_001, 0, 1_000), Status::Invalid);
    assert_eq!((status(1_000, 7, 1_000), status(1_007, 7, 1_000)), (Status::Ok, Status::Ok));
    // Work that is missing is never explained by work that was lost, nor is one count by another.
    assert_eq!((status(999, 7, 1_000), status(1_008, 7, 1_000)), (Status::Invalid, Status::Invalid));
    assert_eq!(status(1_000, 7, 1_001), Status::Invalid);
}
