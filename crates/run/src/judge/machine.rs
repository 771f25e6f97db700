//! What others did on this machine and in the database, and what the hypervisor and the clocks did.

use super::evidence::Evidence;
use dbdyno_model::{Counter, Drive, Flag, Point};
use dbdyno_probe::Telemetry;

const HARNESS_PCT: f64 = 10.0;
/// Processors, and the share of a small machine, that others may use. Kernel threads that write for the test count as
/// others.
const FOREIGN_PROCESSORS: f64 = 0.5;
const FOREIGN_PCT: f64 = 10.0;
/// Percentage of the time in which sessions of others may be at work in the database.
const FOREIGN_SESSIONS_PCT: f64 = 5.0;
/// The kernel accounts in ticks of 10 ms; fewer ticks than this are below its resolution.
const TICKS: f64 = 3.0;
/// Percentage of stolen time from which it counts.
pub(crate) const STEAL_PCT: f64 = 2.0;

/// Flags other sessions of the database.
pub(super) fn sessions(point: &mut Point, evidence: &Evidence<'_>) {
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
}

/// Flags a wall clock that was set.
pub(crate) fn clock(point: &mut Point, telemetry: &Telemetry, clock_jump_s: f64) {
    if clock_jump_s.abs() > (0.01 * telemetry.seconds).max(0.1) {
        point.flag(Flag::ClockJump, format!("by {clock_jump_s:.1} s; the rates are of monotonic time"));
    }
}

/// Flags quotas of processor time, of dbdyno or the server, that were used up within the window.
pub(crate) fn throttled(point: &mut Point, telemetry: &Telemetry) {
    if let Some(why) = telemetry.missing.get("throttled") {
        point.lacks("proof.throttled", why.as_str());
    }
    if let Some(held) = telemetry.throttled.filter(|held| held.throttled > 0) {
        let text = format!(
            "in {} of {} periods of a processor quota; processors were kept waiting for {:.2} s in all",
            held.throttled, held.periods, held.seconds
        );
        point.flag(Flag::Throttled, text);
    }
}

/// Flags what others did on this machine. `server_pct` is the database server's share, 0 where there is no server.
pub(crate) fn flag(point: &mut Point, telemetry: &Telemetry, server_pct: Option<f64>) {
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
    // Busy time includes stolen time, which has a flag of its own.
    let others_pct = busy_pct - own_pct - server_pct - telemetry.cpu.steal_pct.unwrap_or(0.0);
    if others_pct > foreign_limit_pct(telemetry.seconds) {
        point.flag(Flag::ForeignLoad, format!("others used {others_pct:.1} % of the machine"));
    }
}

/// Share of the machine above which other work is flagged: half a processor, at most a tenth of a small machine, and at
/// least what the kernel's ticks can show.
fn foreign_limit_pct(seconds: f64) -> f64 {
    let processors = f64::from(dbdyno_probe::hardware_threads());
    let ticks_pct = TICKS / (seconds * processors * 100.0) * 100.0;
    (FOREIGN_PROCESSORS / processors * 100.0).min(FOREIGN_PCT).max(ticks_pct)
}
