//! What `durability` says: as JSON and as a page.

use super::control::Control;
use crate::cli::{CutBy, DurabilityArgs};
use crate::error::Error;
use dbdyno_report::numbers;
use dbdyno_run::crash::{CrashReport, Cut, LEAST_ACKNOWLEDGED, most_lossy_pct};
use serde::Serialize;
use std::fmt::Write as _;

/// The document.
#[derive(Debug, Serialize)]
pub(super) struct DurabilityDocument {
    schema_version: u32,
    started_at: jiff::Timestamp,
    tool_version: &'static str,
    /// The engine, and its version where its programs say it.
    engine: &'static str,
    version: Option<String>,
    /// How it was cut, what that loses, and why it was not cut in a stronger way.
    cut_by: &'static str,
    loses: &'static str,
    not_stronger: Option<String>,
    sessions: u32,
    seed: u64,
    /// Cuts that were asked for.
    planned_cuts: u32,
    /// Commits that were acknowledged, and those of them that are lost.
    acknowledged: u64,
    lost: u64,
    /// Cuts after which something was lost or wrong.
    lossy_cuts: usize,
    /// Where no cut lost anything: at most so many of a hundred do, with a confidence of 95 %.
    at_most_lossy_pct: Option<f64>,
    #[serde(flatten)]
    report: CrashReport,
    control: Option<ControlDocument>,
}

/// The same with commits that were made unsafe on purpose.
#[derive(Debug, Serialize)]
pub(super) struct ControlDocument {
    name: String,
    means: String,
    /// Whether this way of cutting can show its losses.
    can_be_seen: bool,
    acknowledged: u64,
    lost: u64,
    lossy_cuts: usize,
    #[serde(flatten)]
    report: CrashReport,
}

impl ControlDocument {
    pub(super) fn of(control: Control, report: CrashReport) -> Self {
        let Control { name, means, can_be_seen, .. } = control;
        let (acknowledged, lost) = counted(&report);
        Self { name, means, can_be_seen, acknowledged, lost, lossy_cuts: report.losses(), report }
    }

    fn in_words(&self) -> String {
        let Self { means, can_be_seen, lossy_cuts, lost, report, .. } = self;
        let of =
            format!("{lossy_cuts} of {} cuts lost {} commits with {means}", report.cuts.len(), numbers::count(*lost));
        match (can_be_seen, lossy_cuts) {
            (true, 0) => format!("{of}: this test saw no loss that it should see, so what it says above is not proved"),
            (true, _) => format!("{of}: this test sees losses"),
            (false, 0) => format!("{of}: as it should be, for this way of cutting cannot show them"),
            (false, _) => format!("{of}, which this way of cutting should not show"),
        }
    }
}

/// Commits that were acknowledged and lost, over all cuts.
fn counted(report: &CrashReport) -> (u64, u64) {
    let sum = |of: fn(&Cut) -> u64| report.cuts.iter().map(of).sum::<u64>();
    let all_gone = |cut: &Cut| if cut.gone.is_some() { cut.judged.acknowledged } else { cut.judged.lost };
    let at_once = sum(all_gone);
    let in_the_end = report.in_the_end.as_ref().map_or(0, |judged| judged.lost);
    (sum(|cut| cut.judged.acknowledged), at_once.max(in_the_end))
}

/// The name of a way, and what it loses.
fn words(by: CutBy) -> (&'static str, &'static str) {
    match by {
        CutBy::Kill => ("kill", "what the processes had in memory; what they had handed to the system stays"),
        CutBy::Filesystem => (
            "filesystem",
            "what the processes and the system had in memory; what was written to the device stays, flushed or not",
        ),
    }
}

/// A cut, as it happens.
pub(super) fn in_a_line(cut: &Cut, of: u32) -> String {
    let Cut { cut: number, judged, recovery_s, gone, .. } = cut;
    let acknowledged = numbers::count(judged.acknowledged);
    let came_back = recovery_s.map_or(String::new(), |s| format!(", first commit after {}", numbers::duration(s)));
    let what = match gone {
        Some(why) => format!("everything lost: {why}"),
        None if cut.is_well() => "nothing lost".to_owned(),
        None => wrong(cut).join("; "),
    };
    format!("[{number}/{of}] {acknowledged} commits: {what}{came_back}")
}

/// What is wrong after a cut, in words.
fn wrong(cut: &Cut) -> Vec<String> {
    let judged = &cut.judged;
    let counted = [
        (judged.lost, "acknowledged commits lost"),
        (judged.torn, "commits there in part"),
        (judged.altered, "rows altered"),
        (judged.duplicates, "rows twice"),
        (judged.strangers, "rows from nowhere"),
        (judged.disagreements, "sessions that disagree with their rows"),
    ];
    let counted = counted.into_iter().filter(|(count, _)| *count > 0);
    let mut all: Vec<String> = counted.map(|(count, what)| format!("{} {what}", numbers::count(count))).collect();
    all.extend(cut.checks.iter().flatten().map(|said| format!("the server's own check: {said}")));
    all
}

impl DurabilityDocument {
    pub(super) fn of(
        (started_at, engine, version): (jiff::Timestamp, &'static str, Option<String>),
        (by, not_stronger): (CutBy, Option<String>),
        (args, sessions): (&DurabilityArgs, u32),
        report: CrashReport,
        control: Option<ControlDocument>,
    ) -> Self {
        let (cut_by, loses) = words(by);
        let (acknowledged, lost) = counted(&report);
        let lossy_cuts = report.losses();
        Self {
            schema_version: 1,
            started_at,
            tool_version: env!("CARGO_PKG_VERSION"),
            engine,
            version,
            cut_by,
            loses,
            not_stronger,
            sessions,
            seed: args.seed,
            planned_cuts: args.cuts,
            acknowledged,
            lost,
            lossy_cuts,
            at_most_lossy_pct: (lossy_cuts == 0).then(|| most_lossy_pct(report.cuts.len())),
            report,
            control,
        }
    }

    /// Whether what was acknowledged is there, and the test would have seen it otherwise.
    pub(super) fn judge(&self) -> Result<(), Error> {
        if self.lossy_cuts > 0 {
            return Err(Error::CommitsLost { lossy: self.lossy_cuts, cuts: self.report.cuts.len(), lost: self.lost });
        }
        match &self.control {
            Some(control) if control.can_be_seen && control.lossy_cuts == 0 => Err(Error::Crash(format!(
                "the control {} lost nothing, so this test proves nothing here",
                control.name
            ))),
            _ => Ok(()),
        }
    }

    pub(super) fn page(&self) -> String {
        let version = self.version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        let mut page = format!("What a crash loses: {}{version}, cut by {}\n", self.engine, self.cut_by);
        let mut line = |name: &str, value: String| _ = writeln!(page, "  {name:<10} {value}");
        line("a cut", format!("loses {}", self.loses));
        if let Some(why) = &self.not_stronger {
            line("", format!("no stronger one: {why}"));
        }
        let cuts = &self.report.cuts;
        line("cuts", format!("{} of {}, {} sessions", cuts.len(), self.planned_cuts, self.sessions));
        let unknown: u64 = cuts.iter().map(|cut| cut.judged.unknown_kept).sum();
        line(
            "commits",
            format!(
                "{} acknowledged, {} of them lost; {} without an answer are there",
                numbers::count(self.acknowledged),
                numbers::count(self.lost),
                numbers::count(unknown)
            ),
        );
        let bound = match self.at_most_lossy_pct {
            Some(pct) if !cuts.is_empty() => {
                format!("0 of {} cuts: at most {pct:.1} % of cuts lose anything (95 %)", cuts.len())
            }
            Some(_) => "nothing was cut".to_owned(),
            None => format!("{} of {} cuts lost something, or left something wrong", self.lossy_cuts, cuts.len()),
        };
        line("losses", bound);
        if let Some((least, median, most)) = spread(cuts.iter().filter_map(|cut| cut.recovery_s)) {
            let [least, median, most] = [least, median, most].map(numbers::duration);
            line("recovery", format!("{median} to the first commit ({least} to {most})"));
        }
        let after = after(cuts);
        if !after.is_empty() {
            line("after it", format!("{} commits in each 0.1 s", after.join(" ")));
        }
        let checks = match &self.report.unchecked {
            Some(why) => format!("not made: {why}"),
            None => "the server's own, after each cut".to_owned(),
        };
        line("checks", checks);
        let control = self.control.as_ref().map_or_else(
            || "none was run; --control shows whether this test sees losses here".to_owned(),
            ControlDocument::in_words,
        );
        line("control", control);
        for cut in cuts.iter().filter(|cut| !cut.is_well()) {
            _ = writeln!(page, "\nCut {}: {}", cut.cut, cut.gone.clone().unwrap_or_else(|| wrong(cut).join("; ")));
            cut.judged.first.iter().for_each(|first| _ = writeln!(page, "  {first}"));
        }
        let idle = cuts.iter().map(|cut| cut.last_acknowledged_s).fold(0.0, f64::max);
        _ = writeln!(
            page,
            "\nBefore each cut at least {LEAST_ACKNOWLEDGED} commits were acknowledged, the last one {:.0} ms before it at most.",
            idle * 1e3
        );
        page
    }
}

/// The least, the one in the middle, and the most.
fn spread(values: impl Iterator<Item = f64>) -> Option<(f64, f64, f64)> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    Some((*values.first()?, *values.get(values.len() / 2)?, *values.last()?))
}

/// The commits in the middle of all cuts, of each tenth of a second.
fn after(cuts: &[Cut]) -> Vec<String> {
    let steps = cuts.iter().map(|cut| cut.after.len()).max().unwrap_or(0);
    let at = |step: usize| {
        let of_step = cuts.iter().filter(|cut| !cut.after.is_empty());
        let of_step = of_step.map(|cut| cut.after.get(step).copied().unwrap_or(0) as f64);
        spread(of_step).map(|(_, median, _)| numbers::count(median as u64))
    };
    (0..steps).filter_map(at).collect()
}
