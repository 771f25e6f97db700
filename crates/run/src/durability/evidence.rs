//! Judging the observations of a few hundred commits. A pure function of the counts.

use dbdyno_model::{CommitProof, DeviceCounts, ProofOutcome};

/// The share of the commits up to which syncs of others are tolerated.
const FOREIGN_SHARE: f64 = 0.2;

/// What was observed.
#[derive(Debug, Clone)]
pub(super) struct Observation {
    pub(super) commits: u64,
    pub(super) elapsed_s: f64,
    /// Whether the server runs on this machine, so that its devices must show the syncs, too.
    pub(super) local: bool,
    pub(super) log: Result<LogSyncs, String>,
    pub(super) device: Result<DeviceWrites, String>,
}

/// Syncs according to the engine.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogSyncs {
    /// Upper bound for all syncs.
    pub(super) most: u64,
    /// Upper bound for the syncs of data files among them.
    pub(super) of_data: u64,
    pub(super) foreign_per_s: f64,
    /// Number of intervals that were counted, and of all intervals; the others were left out because pages were written
    /// in them.
    pub(super) quiet: Option<(u64, u64)>,
}

/// Writes or flushes that reached devices.
#[derive(Debug, Clone)]
pub(super) struct DeviceWrites {
    pub(super) names: Vec<String>,
    /// Whether the devices are known to hold the log.
    pub(super) is_log: bool,
    pub(super) counts: DeviceCounts,
    pub(super) count: u64,
    pub(super) foreign_per_s: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Conclusion {
    Enough,
    TooFew,
    Unclear,
}

impl Observation {
    /// The conclusion from a count. Commits of one session cannot share a sync, so there must be at least one for each
    /// but the last of each interval.
    fn says(&self, most: u64, least: u64, intervals: u64, foreign_per_s: f64) -> Conclusion {
        let foreign = foreign_per_s * self.elapsed_s;
        match () {
            () if most + intervals < self.commits => Conclusion::TooFew,
            () if least + intervals < self.commits || foreign > FOREIGN_SHARE * self.commits as f64 => {
                Conclusion::Unclear
            }
            () => Conclusion::Enough,
        }
    }

    /// The proof where too few commits were made in time, or too few in usable intervals.
    pub(super) fn too_few(self) -> CommitProof {
        let Self { commits, elapsed_s, log, .. } = &self;
        let seen = match log {
            Ok(LogSyncs { quiet: Some((quiet, all)), .. }) => format!(
                "not proved durable: only in {quiet} of {all} intervals no page was written, and the server counts syncs of \
                 its pages with those of its log"
            ),
            _ => format!(
                "{commits} commits of one session took {elapsed_s:.1} s: too few to prove that they are durable"
            ),
        };
        CommitProof { seen, outcome: ProofOutcome::NotProved, ..self.counts() }
    }

    /// The conclusion from all counts.
    pub(super) fn judge(self) -> CommitProof {
        let engine = self.log.as_ref().map(|log| {
            let intervals = log.quiet.map_or(1, |(quiet, _)| quiet);
            self.says(log.most, log.most.saturating_sub(log.of_data), intervals, log.foreign_per_s)
        });
        let device =
            self.device.as_ref().map(|device| match self.says(device.count, device.count, 1, device.foreign_per_s) {
                // The log may lie on a disk that was not observed.
                Conclusion::TooFew if !device.is_log => Conclusion::Unclear,
                says => says,
            });
        let outcome = match (&engine, &device) {
            (Ok(Conclusion::TooFew), _) | (_, Ok(Conclusion::TooFew)) => ProofOutcome::Refuted,
            (_, Ok(Conclusion::Enough)) => ProofOutcome::Proved,
            (Ok(Conclusion::Enough), Err(_)) if !self.local => ProofOutcome::Proved,
            _ => ProofOutcome::NotProved,
        };
        CommitProof { outcome, seen: self.words(outcome), ..self.counts() }
    }

    fn counts(&self) -> CommitProof {
        let (log, device) = (self.log.as_ref().ok(), self.device.as_ref().ok());
        CommitProof {
            commits: self.commits,
            elapsed_s: self.elapsed_s,
            log_syncs: log.map(|log| log.most),
            foreign_log_syncs_per_s: log.map(|log| log.foreign_per_s),
            devices: device.map(|device| device.names.clone()).unwrap_or_default(),
            device_count: device.map(|device| device.count),
            device_counts: device.map(|device| device.counts),
            foreign_device_per_s: device.map(|device| device.foreign_per_s),
            ..CommitProof::default()
        }
    }

    fn words(&self, outcome: ProofOutcome) -> String {
        let begin = match outcome {
            ProofOutcome::Proved => "durable",
            ProofOutcome::Refuted => "not durable",
            ProofOutcome::NotProved => "not proved durable",
        };
        let log = match &self.log {
            Ok(log) => {
                let quiet =
                    log.quiet.map(|(quiet, all)| format!(" in {quiet} of {all} intervals, without those with pages"));
                let (quiet, others) = (quiet.unwrap_or_default(), others(log.foreign_per_s));
                format!("the engine counted {} syncs of its log{quiet}{others}", log.most)
            }
            Err(why) => format!("no syncs of the log are counted ({why})"),
        };
        let device = match &self.device {
            Ok(DeviceWrites { names, counts, count, foreign_per_s, is_log }) => {
                let unknown = if *is_log { "" } else { ", any of which may hold the log" };
                format!("{} got {count} {}{}{unknown}", names.join(", "), counts.words(), others(*foreign_per_s))
            }
            Err(why) => format!("devices show nothing ({why})"),
        };
        format!("{begin}: for {} commits of one session, one after the other, {log}, and {device}", self.commits)
    }
}

fn others(per_s: f64) -> String {
    if per_s < 0.5 { String::new() } else { format!(" (others {per_s:.0} a second before)") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(most: u64, of_data: u64, foreign_per_s: f64) -> Result<LogSyncs, String> {
        Ok(LogSyncs { most, of_data, foreign_per_s, quiet: None })
    }

    fn device(count: u64, foreign_per_s: f64) -> Result<DeviceWrites, String> {
        Ok(DeviceWrites {
            names: vec!["vda".to_owned()],
            is_log: true,
            counts: DeviceCounts::Flushes,
            count,
            foreign_per_s,
        })
    }

    fn unseen<T>() -> Result<T, String> {
        Err("not seen".to_owned())
    }

    fn outcome(local: bool, log: Result<LogSyncs, String>, device: Result<DeviceWrites, String>) -> ProofOutcome {
        let proof = Observation { commits: 200, elapsed_s: 0.5, local, log, device }.judge();
        assert!(!proof.seen.is_empty());
        proof.outcome
    }

    #[test]
    fn each_commit_needs_a_sync_and_a_flush_of_its_own() {
        assert_eq!(outcome(true, log(200, 0, 0.0), device(200, 0.0)), ProofOutcome::Proved);
        assert_eq!(outcome(true, log(199, 0, 0.0), device(199, 0.0)), ProofOutcome::Proved, "the last may still run");
        assert_eq!(outcome(true, log(200, 0, 0.0), device(3, 0.0)), ProofOutcome::Refuted, "syncs that do nothing");
        assert_eq!(outcome(true, log(1, 0, 0.0), device(900, 10.0)), ProofOutcome::Refuted, "no syncs at all");
        assert_eq!(outcome(true, unseen(), device(200, 0.0)), ProofOutcome::Proved, "an engine that does not count");
        assert_eq!(outcome(true, unseen(), device(198, 0.0)), ProofOutcome::Refuted);
    }

    #[test]
    fn what_cannot_be_told_is_not_proved() {
        assert_eq!(outcome(true, log(200, 0, 0.0), unseen()), ProofOutcome::NotProved, "a local device must show it");
        assert_eq!(outcome(true, log(200, 0, 0.0), device(300, 100.0)), ProofOutcome::NotProved, "others: 50 of 200");
        assert_eq!(outcome(true, log(200, 0, 0.0), device(220, 60.0)), ProofOutcome::Proved, "others: 30 of 200");
        let guessed = device(3, 0.0).map(|device| DeviceWrites { is_log: false, ..device });
        assert_eq!(outcome(true, log(200, 0, 0.0), guessed), ProofOutcome::NotProved, "the log may lie elsewhere");
    }

    #[test]
    fn of_a_remote_server_its_own_count_decides() {
        assert_eq!(outcome(false, log(201, 0, 1.0), unseen()), ProofOutcome::Proved);
        assert_eq!(outcome(false, log(2, 0, 0.0), unseen()), ProofOutcome::Refuted);
        assert_eq!(outcome(false, unseen(), unseen()), ProofOutcome::NotProved);
        assert_eq!(outcome(false, log(300, 0, 300.0), unseen()), ProofOutcome::NotProved, "others share its log");
        assert_eq!(outcome(false, log(205, 20, 0.0), unseen()), ProofOutcome::NotProved, "some may be of data files");
    }

    #[test]
    fn slow_commits_prove_nothing() {
        let seen = Observation { commits: 40, elapsed_s: 20.0, local: true, log: unseen(), device: device(40, 0.0) };
        assert_eq!(seen.too_few().outcome, ProofOutcome::NotProved);
    }

    #[test]
    fn intervals_without_pages_prove_what_the_whole_cannot() {
        let quiet = |most, intervals| log(most, 0, 0.0).map(|log| LogSyncs { quiet: Some((intervals, 40)), ..log });
        assert_eq!(outcome(false, log(230, 30, 0.0), unseen()), ProofOutcome::Proved);
        assert_eq!(outcome(false, log(230, 32, 0.0), unseen()), ProofOutcome::NotProved, "16 pages");
        assert_eq!(outcome(false, quiet(200, 10), unseen()), ProofOutcome::Proved);
        assert_eq!(outcome(false, quiet(190, 10), unseen()), ProofOutcome::Proved, "the last of each may still run");
        assert_eq!(outcome(false, quiet(189, 10), unseen()), ProofOutcome::Refuted);
        let few =
            Observation { commits: 40, elapsed_s: 1.0, local: false, log: quiet(40, 2), device: unseen() }.too_few();
        assert_eq!(few.outcome, ProofOutcome::NotProved);
        assert!(few.seen.contains("only in 2 of 40 intervals no page was written"), "{}", few.seen);
        assert_eq!(few.log_syncs, Some(40), "another attempt may see more");
    }
}
