//! What was written must have reached a device, and not wait to be written after the window.

use super::evidence::{DEVICE_SHARE, Evidence};
use crate::checkpoint_window::LEAST_CHECKPOINTS;
use dbdyno_model::{Commits, Counter, Counters, Flag, PacedWrites, Point, ProcedureShape};

const DEFERRED_SHARE: f64 = 1.1;
/// The share of the blocks dirtied within whole checkpoints that must have been written.
const WRITTEN_SHARE: f64 = 0.9;

/// A storage test that writes must have written to a device: the bytes of its own work, or those of its redo.
pub(super) fn written(point: &mut Point, evidence: &Evidence<'_>) {
    let Evidence { work, features, log, window, counters, telemetry, .. } = evidence;
    let shape = work.test().map(|spec| spec.test.procedure.shape);
    if shape == Some(ProcedureShape::File) {
        by_cells(point, counters);
    }
    if !features.local {
        return point.lacks("proof.written", "the target's devices are not seen from here");
    }
    let asked = match shape {
        Some(ProcedureShape::File) => log.inside(*window).bytes,
        _ => counters.get(Counter::RedoBytes).map_or(0.0, |n| n as f64) * window.seconds() / evidence.counters_s,
    };
    let own = telemetry.process_write_bytes.filter(|_| features.in_process);
    // Without a known device the process's own account decides; without either, nothing is proved.
    let Some(seen) = own.into_iter().chain(telemetry.device_write_bytes).min().map(|n| n as f64) else {
        return point.lacks("proof.written", "the operating system does not say what was written to devices");
    };
    if asked > 0.0 && seen < DEVICE_SHARE * asked {
        let (asked, seen) = (asked / 1_048_576.0, seen / 1_048_576.0);
        point.flag(Flag::ServedFromOsCache, format!("{seen:.0} MiB of the {asked:.0} MiB written reached a device"));
    }
}

/// Storage cells may make a file by themselves, or keep it in their flash: then the devices below were not measured,
/// which a test of writing files is about.
fn by_cells(point: &mut Point, counters: &Counters) {
    let made = counters.get(Counter::CellMadeBytes).filter(|bytes| *bytes > 0);
    let made = made.map(|bytes| format!("made {} MiB by themselves", bytes >> 20));
    let kept = counters.get(Counter::CellFlashWrites).filter(|writes| *writes > 0);
    let done: Vec<String> = made.into_iter().chain(kept.map(|n| format!("kept {n} writes in their flash"))).collect();
    if !done.is_empty() {
        let note = format!("the storage cells {}: the devices below were not measured", done.join(" and "));
        point.flag(Flag::NotProved, note);
    }
}

/// The engine's statement on durability, and a law: one sync of the log serves at most one commit of each session,
/// those under way when it began. So there are at most sessions x (syncs + 1) commits.
pub(super) fn durable(point: &mut Point, evidence: &Evidence<'_>) {
    let Some(durability) = evidence.durability else { return };
    let said: Vec<&str> = durability.by_default.iter().chain(&durability.unsafe_settings).map(String::as_str).collect();
    if !said.is_empty() {
        point.flag(Flag::UnsafeDurability, said.join("; "));
        return;
    }
    let Evidence { work, features, commits, counters, .. } = evidence;
    let syncs = counters.get(Counter::LogSyncs).or_else(|| counters.get(Counter::RedoSyncs));
    let (Some(commits), Some(syncs), false) = (*commits, syncs, features.in_process) else { return };
    let sessions = u64::from(point.load.sessions(work.jobs()));
    if commits > sessions.saturating_mul(syncs + 1) {
        let note = format!("{commits} commits of {sessions} sessions, and the engine counted {syncs} syncs of its log");
        point.flag(Flag::UnsafeDurability, note);
        point.commits_found = Some(Commits::Unsafe);
    }
}

pub(super) fn deferred(point: &mut Point, counters: &Counters) {
    if let Some(paced) = point.paced_writes {
        return within_checkpoints(point, paced);
    }
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

/// A window of whole checkpoints must have written what it changed.
fn within_checkpoints(point: &mut Point, paced: PacedWrites) {
    let PacedWrites { checkpoints, blocks_dirtied, blocks_written } = paced;
    if checkpoints < LEAST_CHECKPOINTS || (blocks_written as f64) < WRITTEN_SHARE * blocks_dirtied as f64 {
        let note = format!(
            "{blocks_dirtied} blocks changed anew and {blocks_written} written within {checkpoints} whole checkpoints, of which \
             there must be {LEAST_CHECKPOINTS}"
        );
        point.flag(Flag::WritesDeferred, note);
    }
}
