//! Cached means that the engine's counters say so; not cached means that a device was read.

use super::{DEVICE_SHARE, Evidence};
use dbdyno_model::{Counter, Flag, Point};

/// Cached tests: physical reads per logical read from which a table is not cached.
const CACHED_LIMIT: f64 = 0.001;
/// Bytes that every row has at least on any engine (the filler and the numbers), for judging scans.
const LEAST_ROW_BYTES: f64 = 280.0;

pub(super) fn cached(point: &mut Point, evidence: &Evidence<'_>) {
    let get = |counter| evidence.counters.get(counter).map(|n| n as f64);
    let (Some(physical), Some(logical)) = (get(Counter::PhysicalReads), get(Counter::LogicalReads)) else {
        return point.lacks("proof.cached", "the engine does not count logical and physical reads");
    };
    if logical > 0.0 && physical / logical >= CACHED_LIMIT {
        point.flag(Flag::NotCached, format!("{physical} of {logical} block reads came from below the engine's cache"));
    }
}

pub(super) fn not_cached(point: &mut Point, evidence: &Evidence<'_>) {
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
    if share.is_finite() && share < DEVICE_SHARE {
        point.flag(
            Flag::ServedFromOsCache,
            format!("{share:.2} device reads per block visit, {DEVICE_SHARE} are asked for"),
        );
    }
}
