//! The client drive: dbdyno sends each statement, as an application would, and times each transaction.
//!
//! [`ClientDrive`] is one session, [`ClientContext`] what the sessions of a point share. [`Timetable`] says when
//! transactions are due. [`WaitingUsers`] holds the users without a connection where users share sessions. The work
//! becomes a [`crate::WorkLog`] like that of the server drive, whose chunks are the seconds of the window, so that
//! rates, proofs and flags are computed in the same way.

mod context;
mod counts;
mod drive;
mod gathered;
mod logon;
mod pausing;
mod result;
mod think_times;
mod timetable;
mod timetables;
mod waiting_users;

pub use context::ClientContext;
pub(crate) use context::GRACE;
pub use counts::Counts;
pub(crate) use counts::Executed;
pub use drive::ClientDrive;
pub(crate) use gathered::Gathered;
pub(crate) use logon::{LoggingOn, LogonSession};
pub(crate) use pausing::Pausing;
pub use result::{ClientResult, TypeResult};
pub use timetable::Timetable;
pub use waiting_users::WaitingUsers;

use dbdyno_model::{Arrivals, ClientLoad};

/// Share of an asked rate that must be reached.
const REACHED: f64 = 0.95;

/// Whether fewer operations were done than were due at the asked rate.
#[must_use]
pub(crate) fn is_unmet(load: ClientLoad, due: f64, done: f64, sessions: u32) -> bool {
    // Each session may have one operation under way at the window's edges, and the number of Poisson arrivals varies by
    // chance.
    let in_flight = f64::from(sessions).min(due * (1.0 - REACHED)).max(1.0);
    let varies = if load.arrivals == Some(Arrivals::Constant) { 0.0 } else { 3.0 * due.sqrt() };
    done < REACHED * due - in_flight - varies
}

/// The asked rate and the reached rate of transactions, in words.
pub(crate) fn unmet_words(asked_per_s: f64, reached_per_s: f64, help: &str) -> String {
    let (asked, reached) = (number(asked_per_s), number(reached_per_s));
    format!("{asked} transactions/s were asked for and {reached} were reached: ask for less, or {help}")
}

/// The asked rate of transactions, where it was reached only at the price of ever longer queues.
pub(crate) fn overload_words(asked_per_s: f64, help: &str) -> String {
    format!(
        "{} transactions/s were asked for, and the sessions fell behind: ask for less, or {help}",
        number(asked_per_s)
    )
}

/// A rate in a message.
pub(crate) fn number(per_s: f64) -> String {
    if per_s < 100.0 { format!("{per_s:.1}") } else { format!("{per_s:.0}") }
}

#[cfg(test)]
mod tests;
