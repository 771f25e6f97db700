//! Judging a point: is the work proved, and what must a reader know before believing the figure.

use crate::log::{Chunk, Log};
use crate::{Span, Window, client};
use dbdyno_engine::{Durability, Features, Task};
use dbdyno_model::{Cache, Counter, Counters, Drive, Flag, Layer, Point, Procedure, Proof, Rhythm, Status};
use dbdyno_probe::Telemetry;

/// Cached tests: physical reads per logical read from which a table is not cached.
const CACHED_LIMIT: f64 = 0.001;
/// Non-cached tests: device reads per block visit below which memory served them; likewise the share of what a storage test
/// writes that must reach a device.
const DEVICE_SHARE: f64 = 0.7;
/// Bytes that every row has at least on any engine (the filler and the numbers), for judging scans.
const LEAST_ROW_BYTES: f64 = 280.0;
const DRIFT_PCT: f64 = 10.0;
const DEFERRED_SHARE: f64 = 1.1;
const HARNESS_PCT: f64 = 10.0;
/// Processors that others may use, and the share of a small machine: kernel threads that write for us count as others.
const FOREIGN_PROCESSORS: f64 = 0.5;
const FOREIGN_PCT: f64 = 10.0;
/// Share of the time in which sessions that are not dbdyno's may be at work in the database.
const FOREIGN_SESSIONS_PCT: f64 = 5.0;
/// The kernel accounts in ticks of 10 ms; fewer than this many say nothing.
const TICKS: f64 = 3.0;
const STEAL_PCT: f64 = 2.0;

/// What a point is judged by.
pub(crate) struct Evidence<'a> {
    pub(crate) task: &'a Task,
    pub(crate) features: Features,
    pub(crate) log: &'a Log,
    pub(crate) window: Span,
    pub(crate) counters: &'a Counters,
    pub(crate) telemetry: &'a Telemetry,
    pub(crate) counters_s: f64,
    pub(crate) durability: Option<&'a Durability>,
    pub(crate) clock_jump_s: f64,
}

/// Compares the rows of every chunk, and the engine's own counts, with what the test must touch. What differs makes the
/// point invalid.
pub(crate) fn prove(point: &mut Point, evidence: &Evidence<'_>) {
    let Evidence { task, log, counters, .. } = evidence;
    let mut problems = Vec::new();
    if let Some(rows_per_op) = task.test.rows_per_op(&task.size, task.rows_per_tx) {
        let mut wrong = log.chunks.iter().filter(|c| c.rows != c.ops * rows_per_op);
        if let Some(first) = wrong.next() {
            let Chunk { ops, rows, .. } = first;
            let others = match wrong.count() {
                0 => String::new(),
                n => format!(" (and {n} more chunks)"),
            };
            problems.push(format!("{ops} operations must touch {} rows and touched {rows}{others}", ops * rows_per_op));
        }
    }
    for proof in task.test.proofs(task.rows_per_tx, task.threads) {
        let (counter, expected) = match proof {
            Proof::PerOperation(counter, times) => (counter, log.total_ops() * times),
            Proof::PerRow(counter) => (counter, log.total_rows()),
        };
        // Of transactions that failed or were sent again the engine may have counted a part.
        let lost = match counter {
            Counter::Commits => log.lost.commits,
            Counter::RowsChanged | Counter::RowsScanned => log.lost.rows,
            _ => log.lost.statements,
        };
        match counters.get(counter) {
            Some(counted) if (expected..=expected + lost).contains(&counted) => {}
            Some(counted) if lost == 0 => {
                problems.push(format!("the engine counted {counted} {counter:?}, dbdyno {expected}"));
            }
            Some(counted) => problems.push(format!(
                "the engine counted {counted} {counter:?}, dbdyno {expected} and up to {lost} of failed transactions"
            )),
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

/// A rate that was not reached is another load than was asked for.
pub(crate) fn rate(point: &mut Point, evidence: &Evidence<'_>) {
    let done = evidence.log.inside(evidence.window);
    let why = point.asked_per_s.and_then(|asked_per_s| {
        client::unmet(
            point.load,
            asked_per_s,
            evidence.window.seconds(),
            done.ops,
            evidence.task.jobs,
            &client::TRANSACTIONS,
        )
    });
    if let Some(why) = why {
        point.status = Status::Invalid;
        point.reason = Some(point.reason.take().map_or(why.clone(), |first| format!("{first}; {why}")));
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
    if task.test.layer == Layer::Storage && task.test.procedure.writes() {
        written(point, evidence);
    }
    match evidence.counters.get(Counter::ForeignCommits) {
        Some(0) => {}
        Some(commits) => point.flag(Flag::ForeignLoad, format!("at least {commits} commits by other sessions")),
        None => {
            let why = evidence.counters.missing.get(&Counter::ForeignCommits);
            point.lacks("proof.foreign_sessions", why.map_or("the engine does not tell", String::as_str));
        }
    }
    if let Some(why) = evidence.counters.missing.get(&Counter::ForeignBusyNs) {
        point.lacks("proof.foreign_busy", why.as_str());
    }
    if let Some(busy_ns) = evidence.counters.get(Counter::ForeignBusyNs) {
        let busy_pct = busy_ns as f64 / 1e9 / evidence.counters_s * 100.0;
        if busy_pct > FOREIGN_SESSIONS_PCT {
            point.flag(
                Flag::ForeignLoad,
                format!("other sessions of the server were at work for {busy_pct:.0} % of the time"),
            );
        }
    }
    let errors: u64 = point.outcomes.errors.values().sum();
    if errors > 0 {
        let of = point.outcomes.requests;
        let classes: Vec<String> = point.outcomes.errors.iter().map(|(class, n)| format!("{n} {class}")).collect();
        point.flag(Flag::Errors, format!("{errors} of {of} transactions: {}", classes.join(", ")));
    }
    if let Some(durability) = evidence.durability.filter(|d| !d.unsafe_settings.is_empty()) {
        point.flag(Flag::UnsafeDurability, durability.unsafe_settings.join("; "));
    }
    clock(point, telemetry, evidence.clock_jump_s);
    if evidence.features.local {
        let server_pct = if evidence.features.in_process { Some(0.0) } else { telemetry.server_cpu_pct };
        machine(point, telemetry, server_pct);
    }
}

/// Flags a wall clock that was set.
pub(crate) fn clock(point: &mut Point, telemetry: &Telemetry, clock_jump_s: f64) {
    if clock_jump_s.abs() > (0.01 * telemetry.seconds).max(0.1) {
        point.flag(Flag::ClockJump, format!("by {clock_jump_s:.1} s; the rates are of monotonic time"));
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
    if share.is_finite() && share < DEVICE_SHARE {
        point.flag(
            Flag::ServedFromOsCache,
            format!("{share:.2} device reads per block visit, {DEVICE_SHARE} are asked for"),
        );
    }
}

/// A storage test that writes must have written to a device: the bytes of its own work, or those of its redo.
fn written(point: &mut Point, evidence: &Evidence<'_>) {
    let Evidence { task, features, log, window, counters, telemetry, .. } = evidence;
    if !features.local {
        return point.lacks("proof.written", "the target's devices are not seen from here");
    }
    let asked = match task.test.procedure {
        Procedure::WriteFile => log.inside(*window).bytes,
        _ => counters.get(Counter::RedoBytes).map_or(0.0, |n| n as f64) * window.seconds() / evidence.counters_s,
    };
    let own = telemetry.process_write_bytes.filter(|_| features.in_process);
    // Without a known device the process's own account decides; without either nothing is proved.
    let Some(seen) = own.into_iter().chain(telemetry.device_write_bytes).min().map(|n| n as f64) else {
        return point.lacks("proof.written", "the operating system does not say what was written to devices");
    };
    if asked > 0.0 && seen < DEVICE_SHARE * asked {
        let (asked, seen) = (asked / 1_048_576.0, seen / 1_048_576.0);
        point.flag(Flag::ServedFromOsCache, format!("{seen:.0} MiB of the {asked:.0} MiB written reached a device"));
    }
}

fn deferred(point: &mut Point, counters: &Counters) {
    match (counters.get(Counter::BlocksDirtied), counters.get(Counter::PhysicalWrites)) {
        (Some(dirtied), Some(written)) if dirtied as f64 > DEFERRED_SHARE * written as f64 => {
            let note = format!(
                "{dirtied} blocks dirtied (one that waits twice counts twice), {written} written to data files"
            );
            point.flag(Flag::WritesDeferred, note);
        }
        (Some(_), Some(_)) => {}
        _ => point.flag(Flag::WritesDeferred, "the engine does not count blocks dirtied and written".to_owned()),
    }
}

/// Flags what others did on this machine. `server_pct` is what a database server took of it, 0 where there is none.
pub(crate) fn machine(point: &mut Point, telemetry: &Telemetry, server_pct: Option<f64>) {
    if let Some(steal_pct) = telemetry.cpu.steal_pct.filter(|s| *s > STEAL_PCT) {
        point.flag(Flag::CpuSteal, format!("{steal_pct:.1} % of the machine's time"));
    }
    let harness_pct = telemetry.cpu.harness_pct.filter(|h| *h > HARNESS_PCT && point.drive == Drive::Server);
    if let Some(harness_pct) = harness_pct {
        point.flag(Flag::HarnessHeavy, format!("{harness_pct:.1} % of the machine"));
    }
    let (Some(server_pct), Some(own_pct), Some(busy_pct)) =
        (server_pct, telemetry.process_cpu_pct, telemetry.cpu.busy_pct)
    else {
        return point.lacks("proof.foreign_load", "the server's processor time is not told from that of others");
    };
    // Busy includes what the hypervisor took, which has a flag of its own.
    let others_pct = busy_pct - own_pct - server_pct - telemetry.cpu.steal_pct.unwrap_or(0.0);
    if others_pct > foreign_limit_pct(telemetry.seconds) {
        point.flag(Flag::ForeignLoad, format!("others used {others_pct:.1} % of the machine"));
    }
}

/// Share of the machine from which other work is worth a flag: half a processor, but no more than a tenth of a small machine
/// and no less than the kernel's ticks can tell.
fn foreign_limit_pct(seconds: f64) -> f64 {
    let processors = f64::from(dbdyno_probe::hardware_threads());
    let ticks_pct = TICKS / (seconds * processors * 100.0) * 100.0;
    (FOREIGN_PROCESSORS / processors * 100.0).min(FOREIGN_PCT).max(ticks_pct)
}

/// Seconds from the barrier to the last chunk's end: the interval of the engine's counters.
pub(crate) fn counters_s(window: &Window, log: &Log) -> f64 {
    match (window.barrier_ns(), log.last_ended_ns()) {
        (Some(from), Some(to)) => Span { start_ns: from, end_ns: to }.seconds(),
        _ => 0.0,
    }
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
