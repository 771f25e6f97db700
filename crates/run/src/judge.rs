//! Judging a point: is the work proved, and what must a reader know before believing the figure.

use crate::log::Log;
use crate::{Span, Window};
use dbdyno_engine::{Durability, Features, Task};
use dbdyno_model::{Cache, Counter, Counters, Drive, Flag, Point, Procedure, Proof, Rhythm, Status};
use dbdyno_probe::Telemetry;

/// Cached tests: physical reads per logical read from which a table is not cached.
const CACHED_LIMIT: f64 = 0.001;
/// Non-cached tests: device reads per block visit below which memory served them.
const DEVICE_READS_PER_VISIT: f64 = 0.7;
/// Bytes that every row has at least on any engine (the filler and the numbers), for judging scans.
const LEAST_ROW_BYTES: f64 = 280.0;
const DRIFT_PCT: f64 = 10.0;
const DEFERRED_SHARE: f64 = 1.1;
const HARNESS_PCT: f64 = 10.0;
/// Kernel threads that write for us count as others, so a few percent say nothing.
const FOREIGN_PCT: f64 = 10.0;
const STEAL_PCT: f64 = 2.0;

/// What a point is judged by.
pub(crate) struct Evidence<'a> {
    pub(crate) task: &'a Task,
    pub(crate) features: Features,
    pub(crate) log: &'a Log,
    pub(crate) window: Span,
    pub(crate) counters: &'a Counters,
    pub(crate) telemetry: &'a Telemetry,
    pub(crate) durability: Option<&'a Durability>,
    pub(crate) clock_jump_s: f64,
}

/// Compares the rows of every chunk, and the engine's own counts, with what the test must touch. What differs makes the
/// point invalid.
pub(crate) fn prove(point: &mut Point, evidence: &Evidence<'_>) {
    let Evidence { task, log, counters, .. } = evidence;
    let mut problems = Vec::new();
    if let Some(rows_per_op) = task.test.rows_per_op(&task.size, task.rows_per_tx) {
        let (ops, rows) = (log.total_ops(), log.total_rows());
        if rows != ops * rows_per_op {
            problems.push(format!("{ops} operations must touch {} rows and touched {rows}", ops * rows_per_op));
        }
    }
    for proof in task.test.proofs(task.rows_per_tx) {
        let (counter, expected) = match proof {
            Proof::PerOperation(counter, times) => (counter, log.total_ops() * times),
            Proof::PerRow(counter) => (counter, log.total_rows()),
        };
        match counters.get(counter) {
            Some(counted) if counted == expected => {}
            Some(counted) => problems.push(format!("the engine counted {counted} {counter:?}, dbdyno {expected}")),
            None => {
                let why = counters.missing.get(&counter).map_or("the engine does not count it", String::as_str);
                point.lacks(&format!("proof.{counter:?}").to_lowercase(), why);
            }
        }
    }
    if !problems.is_empty() {
        point.status = Status::Invalid;
        point.reason = Some(problems.join("; "));
    }
}

/// Sets the flags.
pub(crate) fn flag(point: &mut Point, evidence: &Evidence<'_>) {
    let Evidence { task, log, window, telemetry, .. } = evidence;
    let repeats_itself = task.test.rhythm != Rhythm::Once;
    if let Some(drift_pct) = log.drift_pct(*window).filter(|d| repeats_itself && *d > DRIFT_PCT) {
        point.flag(Flag::NotSteady, format!("first and last third of the window differ by {drift_pct:.0} %"));
    }
    match task.test.cache {
        Cache::Cached => cached(point, evidence),
        Cache::NonCached => not_cached(point, evidence),
        Cache::Any => {}
    }
    if task.test.procedure == Procedure::UpdateSecondary {
        deferred(point, evidence.counters);
    }
    if let Some(durability) = evidence.durability.filter(|d| !d.unsafe_settings.is_empty()) {
        point.flag(Flag::UnsafeDurability, durability.unsafe_settings.join("; "));
    }
    if evidence.clock_jump_s.abs() > (0.01 * telemetry.seconds).max(0.1) {
        point.flag(Flag::ClockJump, format!("by {:.1} s; the rates are of monotonic time", evidence.clock_jump_s));
    }
    if evidence.features.local {
        machine(point, evidence);
    }
}

fn cached(point: &mut Point, evidence: &Evidence<'_>) {
    let get = |counter| evidence.counters.get(counter).map(|n| n as f64);
    let (Some(physical), Some(logical)) = (get(Counter::PhysicalReads), get(Counter::LogicalReads)) else {
        return point.lacks("proof.cached", "the engine does not count logical and physical reads");
    };
    if logical > 0.0 && physical / logical >= CACHED_LIMIT {
        point.flag(Flag::NotCached, format!("{physical} of {logical} block reads came from below the engine's cache"));
    }
}

fn not_cached(point: &mut Point, evidence: &Evidence<'_>) {
    let Evidence { task, features, log, window, telemetry, .. } = evidence;
    if !features.local {
        return point.lacks("proof.non_cached", "the target's devices are not seen from here");
    }
    let bytes = if features.in_process { telemetry.process_read_bytes } else { telemetry.device_read_bytes };
    let Some(bytes) = bytes.map(|b| b as f64) else {
        return point.lacks("proof.non_cached", "the operating system does not say what was read from devices");
    };
    let done = log.inside(*window);
    let window_s = window.seconds();
    let seconds = telemetry.seconds;
    if window_s <= 0.0 || seconds <= 0.0 {
        return;
    }
    let share = match task.test.block_visits_per_op(&task.size, task.rows_per_tx) {
        Some(visits) => {
            // A device may be asked for neighbours too, and others may ask it: the smaller of the two counts is ours.
            let blocks = bytes / features.block_bytes as f64;
            let reads = telemetry.device_read_ops.map_or(blocks, |ops| blocks.min(ops as f64));
            reads / seconds / (done.ops * visits as f64 / window_s)
        }
        None => bytes / seconds / (done.rows * LEAST_ROW_BYTES / window_s),
    };
    if share.is_finite() && share < DEVICE_READS_PER_VISIT {
        point.flag(
            Flag::ServedFromOsCache,
            format!("{share:.2} device reads per block visit, {DEVICE_READS_PER_VISIT} are asked for"),
        );
    }
}

fn deferred(point: &mut Point, counters: &Counters) {
    match (counters.get(Counter::BlocksDirtied), counters.get(Counter::PhysicalWrites)) {
        (Some(dirtied), Some(written)) if dirtied as f64 > DEFERRED_SHARE * written as f64 => {
            point.flag(Flag::WritesDeferred, format!("{dirtied} blocks dirtied, {written} written to data files"));
        }
        (Some(_), Some(_)) => {}
        _ => point.flag(Flag::WritesDeferred, "the engine does not count blocks dirtied and written".to_owned()),
    }
}

fn machine(point: &mut Point, evidence: &Evidence<'_>) {
    let Evidence { features, telemetry, .. } = evidence;
    if let Some(steal_pct) = telemetry.cpu.steal_pct.filter(|s| *s > STEAL_PCT) {
        point.flag(Flag::CpuSteal, format!("{steal_pct:.1} % of the machine's time"));
    }
    let harness_pct = telemetry.cpu.harness_pct.filter(|h| *h > HARNESS_PCT && point.drive == Drive::Server);
    if let Some(harness_pct) = harness_pct {
        point.flag(Flag::HarnessHeavy, format!("{harness_pct:.1} % of the machine"));
    }
    if features.in_process {
        // Busy includes what the hypervisor took, which has a flag of its own.
        let ours_pct = telemetry.process_cpu_pct.map(|own| own + telemetry.cpu.steal_pct.unwrap_or(0.0));
        let others_pct = telemetry.cpu.busy_pct.zip(ours_pct).map(|(busy, ours)| busy - ours);
        if let Some(others_pct) = others_pct.filter(|o| *o > FOREIGN_PCT) {
            point.flag(Flag::ForeignLoad, format!("others used {others_pct:.1} % of the machine"));
        }
    }
}

/// Seconds from the barrier to the last chunk's end: the interval of the engine's counters.
pub(crate) fn counters_s(window: &Window, log: &Log) -> f64 {
    match (window.barrier_ns(), log.last_ended_ns()) {
        (Some(from), Some(to)) => Span { start_ns: from, end_ns: to }.seconds(),
        _ => 0.0,
    }
}
