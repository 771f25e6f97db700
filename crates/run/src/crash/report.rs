//! What a crash test has found.

use super::clients::Seen;
use dbdyno_workload::crash::Judged;
use serde::Serialize;

/// One cut.
#[derive(Debug, Clone, Default, Serialize)]
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clients: Option<Seen>,
    /// What became of the transactions before it.
    pub judged: Judged,
    /// What the server's own checks found wrong; absent where they were not made.
    pub checks: Option<Vec<String>>,
    /// Why nothing could be compared: it did not come back, or a table is missing.
    pub gone: Option<String>,
}

impl Cut {
    /// Whether it lost nothing that was acknowledged, and left everything sound.
    #[must_use]
    pub fn is_well(&self) -> bool {
        self.gone.is_none() && self.judged.is_well() && self.checks.as_ref().is_none_or(Vec::is_empty)
    }
}

/// What came of a test.
#[derive(Debug, Clone, Default, Serialize)]
pub struct CrashReport {
    /// The cuts, in order.
    pub cuts: Vec<Cut>,
    /// What it showed of itself, where that says how it replicates.
    #[serde(skip_serializing_if = "Option::is_none")]
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
        let at_once = self.cuts.iter().map(|cut| cut.judged.lost).sum::<u64>();
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
