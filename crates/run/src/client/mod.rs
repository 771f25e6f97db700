//! The client drive: dbdyno sends each statement, as an application would, and times each transaction.
//!
//! [`ClientDrive`] is one session, [`Team`] what the sessions of a point share, [`Timetable`] says when transactions
//! are due, and who serves which is a matter of the queues. Where users share sessions, [`Pool`] has those who wait.
//! What was done becomes a [`crate::Log`] like that of the server drive, whose chunks are the seconds of the window, so
//! that rates, proofs and flags are made of it in the same way.

mod drive;
mod pauses;
mod pool;
mod queues;
mod tally;
mod team;
mod timetable;

pub use drive::ClientDrive;
pub use pool::Pool;
pub use tally::Tally;
pub(crate) use team::GRACE;
pub use team::{ClientResult, OfType, Team};
pub use timetable::Timetable;

use dbdyno_model::{Arrivals, Load};

/// Share of an asked rate that must be reached.
const REACHED: f64 = 0.95;

/// What a rate is of, and what helps where it is not reached.
pub(crate) struct Words {
    pub(crate) what: &'static str,
    pub(crate) help: &'static str,
}

pub(crate) const TRANSACTIONS: Words = Words { what: "transactions", help: "use more jobs" };
/// The same where jobs share connections.
pub(crate) const OF_CONNECTIONS: Words = Words { help: "use more connections", ..TRANSACTIONS };

/// Whether the rate that was asked for was not reached, and by how much, in words. `ops` succeeded in `window_s`
/// seconds.
#[must_use]
pub(crate) fn unmet(
    load: Load,
    asked_per_s: f64,
    window_s: f64,
    ops: f64,
    sessions: u32,
    words: &Words,
) -> Option<String> {
    let due = asked_per_s * window_s;
    // Each session may have one in flight at the window's edges, and of independent arrivals the number itself varies.
    let in_flight = f64::from(sessions).min(due * (1.0 - REACHED)).max(1.0);
    let varies = if load.arrivals == Some(Arrivals::Constant) { 0.0 } else { 3.0 * due.sqrt() };
    let reached_per_s = ops / window_s;
    (ops < REACHED * due - in_flight - varies).then(|| unmet_words(asked_per_s, reached_per_s, words))
}

/// What was asked for and what was reached.
pub(crate) fn unmet_words(asked_per_s: f64, reached_per_s: f64, words: &Words) -> String {
    let (asked, reached) = (number(asked_per_s), number(reached_per_s));
    format!("{asked} {}/s were asked for and {reached} were reached: ask for less, or {}", words.what, words.help)
}

fn number(per_s: f64) -> String {
    if per_s < 100.0 { format!("{per_s:.1}") } else { format!("{per_s:.0}") }
}

#[cfg(test)]
mod tests;
