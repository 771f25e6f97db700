//! Judging a point: is the work proved, and what must a reader know before relying on the figure?

mod evidence;
mod foreign;
mod machine;
mod rate;
mod reads;
mod steady;
mod windows;
mod writes;

pub(crate) use evidence::Evidence;
pub(crate) use machine::{STEAL_PCT, clock, flag as machine, throttled};
#[cfg(test)]
pub(crate) use rate::judge as judge_rate;
pub(crate) use rate::{least_due, rate};
pub(crate) use windows::too_short;

use crate::work_log::{Chunk, WorkLog};
use crate::{Span, Window};
use dbdyno_engine::PointSpec;
use dbdyno_engine::data::altered_quantities;
use dbdyno_model::{Cache, CountProof, Counter, Flag, Layer, Point, Status};

/// Compares the rows of every chunk, and the engine's own counts, with what the test must touch. A difference makes the
/// point invalid.
pub(crate) fn prove(point: &mut Point, evidence: &Evidence<'_>) {
    let Evidence { work, log, counters, .. } = evidence;
    // A workload has proofs of its own, made by reading its figures.
    let Some(spec) = work.test() else { return };
    let mut problems = Vec::new();
    if let Some(rows_per_op) = work.rows_per_op() {
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
    problems.extend(content(spec, log));
    for proof in spec.test.proofs(spec.rows_per_tx, spec.threads) {
        let (counter, expected) = match proof {
            CountProof::PerOperation(counter, times) => (counter, log.total_ops() * times),
            CountProof::PerRow(counter) => (counter, log.total_rows()),
        };
        // The engine may have counted a part of the transactions that failed or were sent again.
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

/// Compares the sum that full scans returned with the generator's sum.
fn content(spec: &PointSpec, log: &WorkLog) -> Option<String> {
    let table = spec.test.table.filter(|_| spec.test.procedure.reads_all())?;
    altered_quantities(&spec.size, table, spec.seed, log.total_ops(), log.checksum)
}

/// Sets the flags.
pub(crate) fn flag(point: &mut Point, evidence: &Evidence<'_>) {
    let Evidence { work, telemetry, .. } = evidence;
    steady::flag(point, evidence);
    windows::flag(point, evidence);
    match work.cache() {
        Cache::Cached => reads::cached(point, evidence),
        Cache::NonCached => reads::not_cached(point, evidence),
        Cache::Any => {}
    }
    if let Some(PointSpec { test, .. }) = work.test() {
        if test.procedure.scatters_writes() {
            writes::deferred(point, evidence.counters);
        }
        if test.layer == Layer::Storage && test.procedure.writes() {
            writes::written(point, evidence);
        }
    }
    if work.writes() && evidence.features.local {
        foreign::writes(point, evidence);
    }
    if let Some(each) = work.transactions_each() {
        let (done, due) = (point.outcomes.requests, each.saturating_mul(work.jobs().into()));
        if done < due {
            let text = format!("time ended the point when {done} of {due} transactions had been done");
            point.flag(Flag::TooShort, text);
        }
    }
    machine::sessions(point, evidence);
    let errors: u64 = point.outcomes.errors.values().sum();
    if errors > 0 {
        let of = point.outcomes.requests;
        let classes: Vec<String> = point.outcomes.errors.iter().map(|(class, n)| format!("{n} {class}")).collect();
        let first = evidence.first_failure.map_or_else(String::new, |error| format!("; the first said: {error}"));
        point.flag(Flag::Errors, format!("{errors} of {of} transactions: {}{first}", classes.join(", ")));
    }
    writes::durable(point, evidence);
    machine::clock(point, telemetry, evidence.clock_jump_s);
    machine::throttled(point, telemetry);
    if evidence.features.local {
        let server_pct = if evidence.features.in_process { Some(0.0) } else { telemetry.server_cpu_pct };
        machine::flag(point, telemetry, server_pct);
    }
}

/// Seconds from the barrier to the last chunk's end: the interval of the engine's counters.
pub(crate) fn counters_s(window: &Window, log: &WorkLog) -> f64 {
    match (window.barrier_ns(), log.last_ended_ns()) {
        (Some(from), Some(to)) => Span { start_ns: from, end_ns: to }.seconds(),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests;
