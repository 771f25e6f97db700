//! What `durability` says: as JSON and as a page.

use super::super::new_id::new_id;
use super::control::Control;
use super::loses::Loses;
use crate::cli::DurabilityArgs;
use crate::error::Error;
use crate::output::clean;
use crate::secrets::without_passwords;
use dbdyno_model::{
    CrashReport, Cut, DURABILITY_VERSION, DurabilityControl, DurabilityJson, Judged, RunId, most_lossy_pct,
};
use dbdyno_report::numbers;
use dbdyno_run::crash::{CLIENTS, LEAST_ACKNOWLEDGED};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What becomes of a control.
pub(super) fn control(control: Control, report: CrashReport) -> DurabilityControl {
    let Control { name, means, can_be_seen, of_replication_log, .. } = control;
    let (acknowledged, lost) = report.counted();
    // Commits that are missing are what it should show; nothing else proves that the test sees them.
    let lossy = |cut: &&Cut| match of_replication_log {
        true => cut.logged.as_ref().is_some_and(|logged| logged.lost > 0),
        false => cut.judged.lost > 0 || cut.gone.is_some(),
    };
    let lossy_cuts = report.cuts.iter().filter(lossy).count();
    DurabilityControl { name, means, can_be_seen, acknowledged, lost, lossy_cuts, report }
}

fn control_in_words(control: &DurabilityControl) -> String {
    let DurabilityControl { means, can_be_seen, lossy_cuts, lost, report, .. } = control;
    let cuts = report.cuts.len();
    let mut of = format!("{lossy_cuts} of {cuts} cuts lost {} commits with {means}", numbers::count(*lost));
    if report.cuts.iter().any(|cut| cut.logged.is_some()) {
        let lossy = |lost: fn(&Cut) -> bool| report.cuts.iter().filter(|cut| lost(cut)).count();
        let tables = lossy(|cut| cut.judged.lost > 0 || cut.gone.is_some());
        let log = lossy(|cut| cut.logged.as_ref().is_some_and(|logged| logged.lost > 0));
        of = format!("{of} (tables in {tables} cuts, the log that standbys read in {log})");
    }
    match (can_be_seen, lossy_cuts) {
        _ if cuts == 0 => format!("with {means} nothing was cut"),
        (true, 0) => format!("{of}: this test saw no loss that it should see, so what it says above is not proved"),
        (true, _) => format!("{of}: this test sees losses"),
        (false, 0) => format!("{of}: as it should be, for this way of cutting cannot show them"),
        (false, _) => format!("{of}, which this way of cutting should not show"),
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
    let mut all = counted(&cut.judged);
    if let Some(logged) = &cut.logged {
        let rows = counted(&Judged { disagreements: 0, ..logged.clone() });
        all.extend(rows.into_iter().map(|what| format!("in the log that standbys read: {what}")));
        let apart = numbers::count(logged.disagreements);
        all.extend((logged.disagreements > 0).then(|| {
            format!("commits without an answer that only the tables have, or only the log that standbys read: {apart}")
        }));
    }
    all.extend(cut.checks.iter().flatten().map(|said| format!("the server's own check: {said}")));
    all
}

fn counted(judged: &Judged) -> Vec<String> {
    let counted = [
        (judged.lost, "acknowledged commits lost"),
        (judged.torn, "commits there in part"),
        (judged.altered, "rows altered"),
        (judged.duplicates, "rows twice"),
        (judged.strangers, "rows from nowhere"),
        (judged.disagreements, "sessions that disagree with their rows"),
    ];
    let counted = counted.into_iter().filter(|(count, _)| *count > 0);
    counted.map(|(count, what)| format!("{} {what}", numbers::count(count))).collect()
}

/// What is known of a test before its first cut.
#[derive(Debug, Clone)]
pub(super) struct Head {
    id: RunId,
    started_at: jiff::Timestamp,
    engine: &'static str,
    loses: Loses,
    not_stronger: Option<String>,
    sessions: u32,
}

impl Head {
    /// Of a test that begins now.
    ///
    /// # Errors
    /// The system gives no random bits.
    pub(super) fn new(
        engine: &'static str,
        (loses, not_stronger): (Loses, Option<String>),
        sessions: u32,
    ) -> Result<Self, Error> {
        Ok(Self { id: new_id()?, started_at: jiff::Timestamp::now(), engine, loses, not_stronger, sessions })
    }
}

/// The document of what was found. `ended_early` is why it ended early, if it did.
pub(super) fn document(
    head: &Head,
    args: &DurabilityArgs,
    (report, control): (CrashReport, Option<DurabilityControl>),
    version: Option<String>,
    ended_early: Option<String>,
) -> DurabilityJson {
    let Head { id, started_at, engine, loses: Loses { name: cut_by, what: loses }, not_stronger, sessions } =
        head.clone();
    let (acknowledged, lost) = report.counted();
    let (lossy_cuts, cuts) = (report.losses(), report.cuts.len());
    DurabilityJson {
        schema_version: DURABILITY_VERSION,
        id,
        label: args.label.clone(),
        started_at,
        tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        target: without_passwords(&args.target),
        engine: engine.to_owned(),
        version,
        cut_by: cut_by.to_owned(),
        loses: loses.to_owned(),
        not_stronger,
        standby: args.standby.map(|kind| kind.to_string()),
        link_held_s: args.hold_link,
        replication_log: args.replication_log,
        sessions,
        seed: args.seed,
        planned_cuts: args.cuts,
        ended_early,
        acknowledged,
        lost,
        lossy_cuts,
        at_most_lossy_pct: (lossy_cuts == 0 && cuts > 0).then(|| most_lossy_pct(cuts)),
        report,
        control,
        control_asked: args.control.is_some(),
    }
}

/// Whether what was acknowledged is there.
///
/// # Errors
/// Something was lost, or is wrong.
pub(super) fn judge_losses(document: &DurabilityJson) -> Result<(), Error> {
    match document.lossy_cuts {
        0 => Ok(()),
        lossy => Err(Error::CommitsLost { lossy, cuts: document.report.cuts.len(), lost: document.lost }),
    }
}

/// Whether the test would have seen a loss.
///
/// # Errors
/// What came of the control does not go with that.
pub(super) fn judge_control(document: &DurabilityJson) -> Result<(), Error> {
    match document.control.as_ref().and_then(|control| Some((&control.name, control.contradicts()?))) {
        Some((name, what)) => Err(Error::Crash(format!("the control {name} {what}"))),
        None => Ok(()),
    }
}

/// The document as a page.
pub(crate) fn page(document: &DurabilityJson) -> String {
    let DurabilityJson { id, label, engine, version, cut_by, report, .. } = document;
    let version = version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
    let label = label.as_deref().map(|label| format!(", {label}")).unwrap_or_default();
    let mut page = format!("What a crash loses: {engine}{version}, cut by {cut_by} ({id}{label})\n");
    for (name, value) in lines(document) {
        _ = writeln!(page, "  {name:<10} {value}");
    }
    let mut tell = |when: String, what: String, first: &[String]| {
        _ = writeln!(page, "\n{when}: {what}");
        first.iter().for_each(|first| _ = writeln!(page, "  {first}"));
    };
    for cut in report.cuts.iter().filter(|cut| !cut.is_well()) {
        let what = cut.gone.clone().unwrap_or_else(|| wrong(cut).join("; "));
        let logged = cut.logged.iter().flat_map(|logged| &logged.first);
        tell(format!("Cut {}", cut.cut), what, &cut.judged.first.iter().chain(logged).cloned().collect::<Vec<_>>());
    }
    if let Some(judged) = report.in_the_end.as_ref().filter(|judged| !judged.is_well()) {
        tell("In the end".to_owned(), counted(judged).join("; "), &judged.first);
    }
    let idle_s = report.cuts.iter().map(|cut| cut.last_acknowledged_s).max_by(f64::total_cmp);
    if let Some(idle_s) = idle_s {
        _ = writeln!(
            page,
            "\nBefore each cut at least {LEAST_ACKNOWLEDGED} commits were acknowledged, the last one {:.0} ms before it at most.",
            idle_s * 1e3
        );
    }
    // It may come from a file that others have written.
    clean(&page)
}

/// What is said of the whole, by name.
fn lines(document: &DurabilityJson) -> Vec<(&'static str, String)> {
    let CrashReport { cuts, unchecked, in_the_end, observed } = &document.report;
    let mut lines = vec![("a cut", format!("loses {}", document.loses))];
    lines.extend(document.not_stronger.as_ref().map(|why| ("", format!("no stronger one: {why}"))));
    lines.extend(observed.as_ref().map(|observed| ("standby", observed.clone())));
    let held = |s: f64| format!("held for {} before each cut; what it held is lost", numbers::duration(s));
    lines.extend(document.link_held_s.map(|s| ("link", held(s))));
    lines.push(("cuts", format!("{} of {}, {} sessions", cuts.len(), document.planned_cuts, document.sessions)));
    let unknown: u64 = cuts.iter().map(|cut| cut.judged.unknown_kept).sum();
    let [acknowledged, lost, unknown] = [document.acknowledged, document.lost, unknown].map(numbers::count);
    let commits = format!("{acknowledged} acknowledged, {lost} of them lost; {unknown} without an answer are there");
    lines.push(("commits", commits));
    let losses = match document.at_most_lossy_pct {
        Some(pct) => format!("0 of {} cuts: at most {pct:.1} % of cuts lose anything (95 %)", cuts.len()),
        None if cuts.is_empty() => "nothing was cut".to_owned(),
        None => format!("{} of {} cuts lost something, or left something wrong", document.lossy_cuts, cuts.len()),
    };
    lines.push(("losses", losses));
    lines.extend(document.ended_early.as_ref().map(|why| ("ended", format!("early: {why}"))));
    if cuts.is_empty() {
        return lines;
    }
    let in_the_end = match in_the_end {
        Some(judged) if judged.is_well() => "all of it was compared once more: nothing is missing".to_owned(),
        Some(_) => "all of it was compared once more, and something is wrong: see below".to_owned(),
        None => "it ended early, so earlier cuts were not compared once more".to_owned(),
    };
    lines.push(("in the end", in_the_end));
    lines.extend(document.replication_log.then(|| ("log", logged_in_words(cuts))));
    if let Some((least, median, most)) = spread(cuts.iter().filter_map(|cut| cut.recovery_s)) {
        let [least, median, most] = [least, median, most].map(numbers::duration);
        lines.push(("recovery", format!("{median} from the cut to the first commit ({least} to {most})")));
    }
    let after = after(cuts);
    if !after.is_empty() {
        lines.push(("after it", format!("{} commits in each 0.1 s", after.join(" "))));
    }
    lines.extend(seen(cuts).map(|seen| ("clients", seen)));
    let made = cuts.iter().filter(|cut| cut.checks.is_some()).count();
    let checks = match unchecked {
        Some(why) => format!("the server's own were not made: {why}"),
        None => format!("the server's own, after {made} of {} cuts", cuts.len()),
    };
    lines.push(("checks", checks));
    let control = match &document.control {
        Some(control) => control_in_words(control),
        None if document.cut_by == Loses::EXTERNAL.name => {
            "none: settings of your own server stay as they are".to_owned()
        }
        None if document.control_asked => "it was asked for and not run, as the test ended early".to_owned(),
        None => "none was run; --control shows whether this test sees losses here".to_owned(),
    };
    lines.push(("control", control));
    lines
}

/// What of the commits is in the log that standbys read.
fn logged_in_words(cuts: &[Cut]) -> String {
    let compared: Vec<&Judged> = cuts.iter().filter_map(|cut| cut.logged.as_ref()).collect();
    let missing: u64 = compared.iter().map(|logged| logged.lost).sum();
    let of = format!("the one that standbys read, compared after {} of {} cuts", compared.len(), cuts.len());
    match missing {
        _ if compared.is_empty() => of,
        0 if compared.iter().all(|logged| logged.is_well()) => format!("{of}: it has all commits"),
        0 => format!("{of}: it misses no acknowledged commit, and something is wrong in it: see below"),
        missing => format!("{of}: it misses {} acknowledged commits", numbers::count(missing)),
    }
}

/// The least, the one in the middle, and the most.
fn spread(values: impl Iterator<Item = f64>) -> Option<(f64, f64, f64)> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    Some((*values.first()?, *values.get(values.len() / 2)?, *values.last()?))
}

/// What clients with several hosts saw, in words.
fn seen(cuts: &[Cut]) -> Option<String> {
    let all = || cuts.iter().filter_map(|cut| cut.clients.as_ref());
    let (least, median, most) = spread(all().map(|seen| seen.longest_gap_s))?;
    let [least, median, most] = [least, median, most].map(numbers::duration);
    let mut errors = BTreeMap::<&str, u64>::new();
    for (class, count) in all().flat_map(|seen| &seen.errors) {
        *errors.entry(class.as_str()).or_default() += count;
    }
    let errors: Vec<String> = errors.into_iter().map(|(class, n)| format!("{class} {}", numbers::count(n))).collect();
    let errors = if errors.is_empty() { "none".to_owned() } else { errors.join(", ") };
    let lost: u32 = all().map(|seen| seen.lost).sum();
    let lost = if lost == 0 { String::new() } else { format!("; {lost} found no host again") };
    Some(format!("{CLIENTS} that know both hosts: no commit for {median} ({least} to {most}); errors: {errors}{lost}"))
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
