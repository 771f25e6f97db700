//! The client drive: dbdyno sends each statement, as an application would, and times each transaction.
//!
//! [`ClientDrive`] is one job, [`Team`] what the jobs of a point share, [`Timetable`] says when transactions are due. What was done
//! becomes a [`crate::Log`] like that of the server drive, whose chunks are the seconds of the window, so that rates, proofs and
//! flags are made of it in the same way.

mod drive;
mod tally;
mod team;
mod timetable;

pub use drive::ClientDrive;
pub use tally::Tally;
pub(crate) use team::GRACE;
pub use team::{ClientResult, Team};
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

/// Whether the rate that was asked for was not reached, and by how much, in words. `ops` succeeded in `window_s` seconds.
#[must_use]
pub(crate) fn unmet(load: Load, asked_per_s: f64, window_s: f64, ops: f64, jobs: u32, words: &Words) -> Option<String> {
    let due = asked_per_s * window_s;
    // Each job may have one in flight at the window's edges, and of independent arrivals the number itself varies.
    let in_flight = f64::from(jobs).min(due * (1.0 - REACHED)).max(1.0);
    let varies = if load.arrivals == Some(Arrivals::Constant) { 0.0 } else { 3.0 * due.sqrt() };
    let reached_per_s = ops / window_s;
    (ops < REACHED * due - in_flight - varies).then(|| {
        format!(
            "{} {}/s were asked for and {} were reached: ask for less, or {}",
            number(asked_per_s),
            words.what,
            number(reached_per_s),
            words.help
        )
    })
}

fn number(per_s: f64) -> String {
    if per_s < 100.0 { format!("{per_s:.1}") } else { format!("{per_s:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_met_or_not() {
        let unmet = |arrivals, asked, window_s, ops| {
            unmet(Load { arrivals: Some(arrivals), ..Load::default() }, asked, window_s, ops, 1, &TRANSACTIONS)
        };
        let constant = Arrivals::Constant;
        assert_eq!(unmet(constant, 1_000.0, 10.0, 9_960.0), None);
        assert_eq!(unmet(constant, 2.0, 2.0, 3.0), None, "one may be in flight at the edge");
        let reason = unmet(constant, 1_000.0, 10.0, 5_000.0).unwrap();
        assert!(reason.starts_with("1000 transactions/s were asked for and 500 were reached"), "{reason}");
        assert!(unmet(constant, 1_000.0, 10.0, 9_400.0).is_some());
        // 100 independent arrivals may well be 80.
        assert_eq!(unmet(Arrivals::Poisson, 10.0, 10.0, 80.0), None);
        assert!(unmet(constant, 10.0, 10.0, 80.0).is_some());
    }
}
