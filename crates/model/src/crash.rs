//! What a crash test has found.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Keys of what is wrong that are told.
const MOST_TOLD: usize = 10;

/// What came of the transactions that precede a cut.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judged {
    /// Transactions that were acknowledged.
    pub acknowledged: u64,
    /// Those of them of which a row is missing.
    pub lost: u64,
    /// Transactions whose answer never came, and that are there.
    pub unknown_kept: u64,
    /// Transactions whose answer never came, of which a part is there.
    pub torn: u64,
    /// Rows with other contents than were written.
    pub altered: u64,
    /// Rows that are there more than once.
    pub duplicates: u64,
    /// Rows that no session has written.
    pub strangers: u64,
    /// What does not agree between tables.
    pub disagreements: u64,
    /// The first of what is wrong, in words.
    pub first: Vec<String>,
}

impl Judged {
    /// Whether everything that was acknowledged is there, whole and unaltered, and nothing else is.
    #[must_use]
    pub fn is_well(&self) -> bool {
        let Self { lost, torn, altered, duplicates, strangers, disagreements, .. } = self;
        lost + torn + altered + duplicates + strangers + disagreements == 0
    }

    /// These and those of another cut.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let mut first = self.first;
        first.extend(other.first);
        first.truncate(MOST_TOLD);
        Self {
            acknowledged: self.acknowledged + other.acknowledged,
            lost: self.lost + other.lost,
            unknown_kept: self.unknown_kept + other.unknown_kept,
            torn: self.torn + other.torn,
            altered: self.altered + other.altered,
            duplicates: self.duplicates + other.duplicates,
            strangers: self.strangers + other.strangers,
            disagreements: self.disagreements + other.disagreements,
            first,
        }
    }

    /// With so many rows of no cut that there was.
    #[must_use]
    pub fn with_strangers(mut self, rows: u64) -> Self {
        self.strangers += rows;
        if rows > 0 {
            self.tell(|| format!("from nowhere: {rows} rows of no cut that there was"));
        }
        self
    }

    /// Keeps what is wrong in words, of the first few.
    pub fn tell(&mut self, text: impl FnOnce() -> String) {
        if self.first.len() < MOST_TOLD {
            self.first.push(text());
        }
    }
}

/// What clients that know several hosts saw of a cut.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientsSeen {
    /// How many clients there were.
    pub clients: u32,
    /// Commits that they were acknowledged.
    pub acknowledged: u64,
    /// Errors by class.
    pub errors: BTreeMap<String, u64>,
    /// The longest time between two acknowledgements of one client, in seconds.
    pub longest_gap_s: f64,
    /// Clients that found no host again.
    pub lost: u32,
}

impl ClientsSeen {
    /// These and those of others.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        for (class, count) in other.errors {
            *self.errors.entry(class).or_default() += count;
        }
        self.clients += other.clients;
        self.acknowledged += other.acknowledged;
        self.longest_gap_s = self.longest_gap_s.max(other.longest_gap_s);
        self.lost += other.lost;
        self
    }
}

/// One cut.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Cut {
    /// Its number, from 1 on.
    pub cut: u32,
    /// How long the sessions had worked, in seconds.
    pub worked_s: f64,
    /// How long before it the last acknowledgement came in, in seconds.
    pub last_acknowledged_s: f64,
    /// From the cut to the first commit afterwards, in seconds; absent where it did not come back.
    pub recovery_s: Option<f64>,
    /// Commits in each tenth of a second from the start of sessions after the recovery; empty after the last cut.
    pub after: Vec<u64>,
    /// What clients with several hosts saw, where there were some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<ClientsSeen>,
    /// What became of the transactions before it.
    pub judged: Judged,
    /// The same of the log that standbys read, where that was compared: what of it is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logged: Option<Judged>,
    /// What the server's own checks found wrong; absent where they were not made.
    pub checks: Option<Vec<String>>,
    /// Why nothing could be compared: it did not come back, or a table is missing.
    pub gone: Option<String>,
}

impl Cut {
    /// Whether it lost nothing that was acknowledged, and left everything sound.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.gone.is_none()
            && self.judged.is_well()
            && self.logged.as_ref().is_none_or(Judged::is_well)
            && self.checks.as_ref().is_none_or(Vec::is_empty)
    }

    /// Commits that are missing in the tables, or in the log that standbys read: whichever misses more.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.judged.lost.max(self.logged.as_ref().map_or(0, |logged| logged.lost))
    }
}

/// What came of a test.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CrashReport {
    /// The cuts, in order.
    pub cuts: Vec<Cut>,
    /// What it showed of itself, where that says how it replicates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed: Option<String>,
    /// Why the server's own checks were not made, if they were not.
    pub unchecked: Option<String>,
    /// Everything that was acknowledged before any cut, compared once more at the end; absent where it ended early.
    pub in_the_end: Option<Judged>,
}

impl CrashReport {
    /// Commits that were acknowledged, and those of them that are lost. Whoever does not come back has lost all.
    #[must_use]
    pub fn counted(&self) -> (u64, u64) {
        let acknowledged = self.cuts.iter().map(|cut| cut.judged.acknowledged).sum();
        let at_once = self.cuts.iter().map(Cut::lost).sum::<u64>();
        let in_the_end = self.in_the_end.as_ref().map_or(0, |judged| judged.lost);
        let is_gone = self.cuts.iter().any(|cut| cut.gone.is_some());
        (acknowledged, if is_gone { acknowledged } else { at_once.max(in_the_end) })
    }

    /// Cuts after which something that was acknowledged was missing, or something was wrong.
    #[must_use]
    pub fn losses(&self) -> usize {
        let in_the_end = self.in_the_end.as_ref().is_some_and(|judged| !judged.is_well());
        let at_once = self.cuts.iter().filter(|cut| !cut.is_well()).count();
        // What was there after its cut and is gone now was lost by a later one.
        at_once.max(usize::from(in_the_end))
    }
}

/// The share of cuts, in percent, that may lose something where none of so many did, with a confidence of 95 %: the
/// exact bound of a binomial share, 1 - 0.05^(1/n).
#[must_use]
pub fn most_lossy_pct(cuts: usize) -> f64 {
    if cuts == 0 { 100.0 } else { 100.0 * (1.0 - 0.05_f64.powf(1.0 / cuts as f64)) }
}

#[cfg(test)]
mod tests;
