//! Judging an open loop by its own timetable: was the requested load put on, and could the sessions carry it?

use super::evidence::Evidence;
use crate::client;
use dbdyno_model::{Arrivals, Flag, OpenLoop, Point, Status};

/// Sessions that are busy for at least this percentage of the window's second half count as never free. At a rate of
/// 95 % of the capacity they are free for ten times as long.
const NEVER_FREE_PCT: f64 = 99.5;
/// With this many Poisson arrivals and few sessions, a rate of 80 % of the capacity is told from one of 120 % in 99 of
/// 100 points: a random queue grows with the square root of the number of arrivals, the queue of an overload with the
/// number.
const LEAST_DUE: f64 = 1_000.0;
/// With many sessions, this many Poisson arrivals a session are needed for the same: an overload shows by more than one
/// waiting transaction a session.
const LEAST_DUE_A_SESSION: f64 = 62.5;
/// Of this many constant arrivals a session at a rate 5 % above the capacity, two a session are unfinished at the end:
/// one is under way, and one waits.
const LEAST_EQUAL_A_SESSION: f64 = 40.0;

/// Judges a rate: one that was not reached, or that leads to ever longer queues, is another load than was asked for.
pub(crate) fn rate(point: &mut Point, evidence: &Evidence<'_>) {
    let done = evidence.log.inside(evidence.window).ops;
    judge(point, point.load.sessions(evidence.work.jobs()), evidence.window.seconds(), done);
}

/// Judges by the number of operations that were done inside the window.
pub(crate) fn judge(point: &mut Point, sessions: u32, window_s: f64, done: f64) {
    let Some(asked_per_s) = point.asked_per_s else { return };
    let help = if point.load.connections.is_some() { "use more connections" } else { "use more jobs" };
    let is_unmet = client::is_unmet(point.load, asked_per_s * window_s, done, sessions);
    let mut why = is_unmet.then(|| client::unmet_words(asked_per_s, done / window_s, help));
    if let Some(open) = point.open_loop {
        if is_overloaded(&open, sessions) {
            let words = why.unwrap_or_else(|| client::overload_words(asked_per_s, help));
            why = Some(format!("{words} ({})", overload(&open)));
        }
        let least = least_due(point.load.arrivals, sessions);
        if open.due < least {
            let note = format!(
                "{} transactions were due inside the window, and {least} are needed to tell whether {sessions} session{} can carry them",
                open.due,
                if sessions == 1 { "" } else { "s" }
            );
            point.flag(Flag::TooFewToJudge, note);
        }
    }
    if let Some(why) = why {
        point.overload = point.status == Status::Ok;
        point.status = Status::Invalid;
        point.reason = Some(point.reason.take().map_or(why.clone(), |first| format!("{first}; {why}")));
    }
}

/// Whether the sessions were never free, and more than one transaction a session was due and had not begun when the
/// window ended.
fn is_overloaded(open: &OpenLoop, sessions: u32) -> bool {
    open.busy_pct >= NEVER_FREE_PCT && open.waiting > u64::from(sessions)
}

fn overload(open: &OpenLoop) -> String {
    let OpenLoop { waiting, busy_pct, .. } = open;
    format!(
        "overload: {waiting} that were due were waiting when the window ended, and in its second half the sessions were busy for {busy_pct:.1} % of the time"
    )
}

/// Transactions that must be due, or an overload cannot be told from chance.
pub(crate) fn least_due(arrivals: Option<Arrivals>, sessions: u32) -> u64 {
    let sessions = f64::from(sessions);
    let least = match arrivals {
        Some(Arrivals::Constant) => LEAST_EQUAL_A_SESSION * sessions,
        Some(Arrivals::Poisson) | None => LEAST_DUE.max(LEAST_DUE_A_SESSION * sessions),
    };
    least.ceil() as u64
}
