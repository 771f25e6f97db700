//! Finding the figure of a requirement among the points of a run: the points that may be judged, the median of each
//! cell, and the best of them.

use super::line::FoundFigure::{self, Nothing};
use super::line::RequirementOutcome::{Missed, NotMeasured, Refused};
use super::line::{FigureTimes, JudgedFigure, doubted, tail_words};
use super::percentile::{self, distribution};
use super::stated;
use crate::figures::median_of;
use crate::groups::{grouped, unique};
use crate::summary::head::{counted, dop_words};
use crate::{legend, numbers};
use dbdyno_catalogue::{MeasuredFigure, Percentile, RequiredSubject, Requirement, RequirementLimit};
use dbdyno_model::{CellKey, Drive, Flag, Point, ResponseTime, RunJson, Subject};
use dbdyno_stats::Estimate;

/// Flags of figures that a project must not rely on: commits could be lost in a crash, memory was measured in place of
/// a device, the figure is not proved, the work was too short, or chance could explain it. A requirement may accept
/// them, and so may the caller.
pub const REFUSED: [Flag; 5] =
    [Flag::UnsafeDurability, Flag::ServedFromOsCache, Flag::NotProved, Flag::TooShort, Flag::TooFewToJudge];
/// A rate counts as the asked one if the ratio is at least this.
const SAME_RATE: f64 = 0.9999;

/// The requirement in words: `T711 response_time_s.p99, 8 jobs, client drive, at 2,000/s`.
pub(super) fn words(asked: &MeasuredFigure) -> String {
    let mut words = format!("{} {}", subject_words(&asked.subject), asked.metric);
    if let Some(percentile) = asked.percentile {
        words.push_str(&format!(".{}", percentile.name()));
    }
    let count = |n: Option<u32>, one: &str| n.map(|n| counted(u64::from(n), one));
    let outstanding = |n: Option<u32>, size: &str| n.map(|n| format!("{n} {size}"));
    let (small, large) = match asked.subject {
        RequiredSubject::Storage { small_outstanding, large_outstanding, .. } => (small_outstanding, large_outstanding),
        RequiredSubject::Test(_) | RequiredSubject::Workload { .. } => (None, None),
    };
    let parts = [
        outstanding(small, "small"),
        outstanding(large, "large"),
        count(asked.nodes, "node"),
        count(asked.jobs, "job"),
        count(asked.threads, "thread"),
        asked.rows_per_tx.map(|n| format!("{n} rows/tx")),
        asked.drive.map(|drive| format!("{} drive", drive.name())),
        asked.rate_per_s.map(|rate| format!("at {}/s", numbers::thousands(rate))),
    ];
    for part in parts.into_iter().flatten() {
        words.push_str(&format!(", {part}"));
    }
    words
}

fn subject_words(subject: &RequiredSubject) -> String {
    match subject {
        RequiredSubject::Test(code) => code.to_string(),
        RequiredSubject::Workload { name, transaction: None } => name.as_str().to_owned(),
        RequiredSubject::Workload { name, transaction: Some(of_type) } => format!("{} {of_type}", name.as_str()),
        RequiredSubject::Storage { work, .. } => work.clone().unwrap_or_else(|| "storage".to_owned()),
    }
}

/// Whether a point measured what a requirement is about.
fn is_of(point: &Point, subject: &RequiredSubject) -> bool {
    match (subject, &point.subject) {
        (RequiredSubject::Test(code), Subject::Test(of)) => of == code,
        (RequiredSubject::Workload { name, .. }, Subject::Workload(of)) => of == name,
        (RequiredSubject::Storage { work, .. }, Subject::Storage(storage)) => {
            work.as_ref().is_none_or(|work| *work == storage.load.work())
        }
        _ => false,
    }
}

/// Finds the figure that a requirement is judged by.
pub(super) fn find(run: &RunJson, asked: &MeasuredFigure, requirement: &Requirement) -> FoundFigure {
    let of_subject: Vec<&Point> = run.points.iter().filter(|p| is_of(p, &asked.subject)).collect();
    let subject = subject_words(&asked.subject);
    if of_subject.is_empty() {
        if let Some(found) = stated::printed(run, asked, requirement.limit) {
            return found;
        }
        let works = unique(run.points.iter().filter_map(|p| Some(p.subject.storage()?.load.work())));
        let there = if works.is_empty() { String::new() } else { format!("; it has {}", works.join("; ")) };
        return Nothing(NotMeasured, format!("the run has no points of {subject}{there}"));
    }
    let asked_for = chosen(&of_subject, asked);
    if asked_for.is_empty() {
        return Nothing(NotMeasured, format!("not like this: {subject} was measured {}", ways(&of_subject)));
    }
    let refusals: Vec<Option<String>> = asked_for.iter().map(|p| refusal(p, asked, requirement)).collect();
    let sound: Vec<&Point> = asked_for.iter().zip(&refusals).filter(|(_, r)| r.is_none()).map(|(p, _)| *p).collect();
    let refused: Vec<(&Point, &String)> =
        asked_for.iter().zip(&refusals).filter_map(|(p, r)| Some((*p, r.as_ref()?))).collect();
    let sound = measured_again(sound, requirement.limit);
    let Some((first, _)) = sound.split_first() else {
        return Nothing(Refused, refused.first().map(|(_, why)| (*why).clone()).unwrap_or_default());
    };
    let mut failed = None;
    let mut cells = cells(&sound, asked);
    // If the percentile of some points lies among their failures, that decides for the cell.
    cells.retain(|(points, _)| {
        let why = points.iter().find_map(|p| percentile::failed(p, asked));
        failed = failed.take().or_else(|| why.clone());
        why.is_none()
    });
    let failed = failed.or_else(|| sound.iter().find_map(|p| percentile::failed(p, asked)));
    match requirement.limit {
        RequirementLimit::Minimum(_) => cells.sort_by(|a, b| b.1.median.total_cmp(&a.1.median)),
        RequirementLimit::Maximum(_) => cells.sort_by(|a, b| a.1.median.total_cmp(&b.1.median)),
    }
    let Some((points, estimate)) = cells.first() else {
        if let Some(why) = failed {
            return Nothing(Missed, why);
        }
        let why =
            sound.iter().find_map(|p| legend::missing(p, &path(asked))).unwrap_or("the points have no such value");
        return Nothing(NotMeasured, why.to_owned());
    };
    let place = place(points.first().unwrap_or(first));
    let figure = JudgedFigure {
        value: estimate.median,
        low: estimate.interval.map(|i| i.low),
        high: estimate.interval.map(|i| i.high),
        bound: None,
        peak: longest(points, asked),
        times: times(points, asked),
        points: estimate.n,
        place: match cells.len() {
            _ if points.iter().any(|p| p.again) => format!("measured again: {place}"),
            1 => place,
            of => format!("best of {of}: {place}"),
        },
    };
    let mut remarks = remarks(points, estimate, asked, requirement);
    // Set rates have no best.
    let selected = |points: &[&Point]| points.iter().any(|p| !p.again && p.load.rate.is_none());
    if cells.len() > 1
        && run.published.is_none()
        && matches!(requirement.limit, RequirementLimit::Minimum(_))
        && selected(points)
    {
        remarks.push("not measured again, so chance is in the best".to_owned());
    }
    remarks.extend(failed.map(|why| format!("elsewhere {why}")));
    if let Some((point, why)) = refused.first() {
        let n = refused.len();
        let which = if n == 1 { "1 point was refused".to_owned() } else { format!("{n} points were refused, as") };
        remarks.push(format!("{which} ({}): {why}", self::place(point)));
    }
    FoundFigure::Figure(figure, remarks)
}

/// The points for a lower limit: for the best of a ramp, those that were measured again. A cell that is asked for
/// explicitly is judged by its own points.
fn measured_again(points: Vec<&Point>, limit: RequirementLimit) -> Vec<&Point> {
    let (again, ramp): (Vec<&Point>, Vec<&Point>) = points.into_iter().partition(|p| p.again);
    let several = ramp.first().is_some_and(|first| ramp.iter().any(|p| p.dop != first.dop));
    let best_of_several = several && matches!(limit, RequirementLimit::Minimum(_));
    if ramp.is_empty() || (best_of_several && !again.is_empty()) { again } else { ramp }
}

/// The points that a requirement names.
fn chosen<'a>(points: &[&'a Point], asked: &MeasuredFigure) -> Vec<&'a Point> {
    let fits = |wanted: Option<u32>, has: u32| wanted.is_none_or(|wanted| wanted == has);
    let mut chosen: Vec<&Point> = points
        .iter()
        .copied()
        .filter(|p| {
            fits(asked.nodes, p.dop.nodes) && fits(asked.jobs, p.dop.jobs) && fits(asked.threads, p.dop.threads)
        })
        .filter(|p| match (&asked.subject, p.subject.storage()) {
            (RequiredSubject::Storage { small_outstanding, large_outstanding, .. }, Some(storage)) => {
                fits(*small_outstanding, storage.load.small_outstanding)
                    && fits(*large_outstanding, storage.load.large_outstanding)
            }
            _ => true,
        })
        .filter(|p| asked.rows_per_tx.is_none_or(|rows| rows == p.rows_per_tx))
        .filter(|p| asked.drive.is_none_or(|drive| drive == p.drive))
        .collect();
    match asked.rate_per_s {
        Some(rate) => chosen.retain(|p| p.asked_per_s.is_some_and(|of| of >= rate * SAME_RATE)),
        // Points with a set rate do not show what the platform can do, unless there are no others.
        None if chosen.iter().any(|p| p.load.rate.is_none()) => chosen.retain(|p| p.load.rate.is_none()),
        None => {}
    }
    chosen
}

/// Why a point may not be judged.
fn refusal(point: &Point, asked: &MeasuredFigure, requirement: &Requirement) -> Option<String> {
    let flagged = REFUSED.into_iter().find(|flag| point.has(*flag) && !requirement.accept.contains(flag));
    let refused_for_doubt = || {
        let value = value(point, asked)?;
        doubted(point.suspect(&asked.metric), requirement.limit, value).err()
    };
    let too_few = || percentile::too_few(point, asked);
    legend::refusal(point)
        .or_else(|| flagged.map(|flag| flag_words(point, flag)))
        .or_else(too_few)
        .or_else(refused_for_doubt)
}

fn flag_words(point: &Point, flag: Flag) -> String {
    let note = point.flag_notes.get(flag.name()).map_or_else(|| flag.advice().to_owned(), Clone::clone);
    format!("{}: {note}", flag.name())
}

/// Each cell's points and their estimate.
fn cells<'a>(points: &[&'a Point], asked: &MeasuredFigure) -> Vec<(Vec<&'a Point>, Estimate)> {
    let estimated = |(_, points): (CellKey, Vec<&'a Point>)| {
        let values: Vec<f64> = points.iter().filter_map(|p| value(p, asked)).collect();
        Estimate::of(&values).map(|estimate| (points, estimate))
    };
    grouped(points.iter().map(|p| (CellKey::of(p), *p))).into_iter().filter_map(estimated).collect()
}

fn value(point: &Point, asked: &MeasuredFigure) -> Option<f64> {
    match (asked.percentile, percentile::transaction(point, asked)) {
        (Some(percentile), _) => percentile.of(distribution(point, asked)?),
        (None, None) => point.value(&asked.metric),
        // Rates and times are all that is kept by type.
        (None, Some(of_type)) if asked.metric.as_str() == "tx_per_s" => of_type.ok()?.ops_per_s,
        (None, Some(_)) => distribution(point, asked)?.mean,
    }
}

/// The longest time of the points that a time was taken from.
fn longest(points: &[&Point], asked: &MeasuredFigure) -> Option<f64> {
    points.iter().filter_map(|p| distribution(p, asked)?.max).max_by(f64::total_cmp)
}

/// The times behind a figure: where a rate was set, from the moment at which a transaction was due.
fn times(points: &[&Point], asked: &MeasuredFigure) -> FigureTimes {
    let of = |p: &'_ &Point| match percentile::transaction(p, asked) {
        Some(of_type) => of_type.ok().and_then(|of_type| of_type.service_time_s.clone()),
        None => p.response_time_s.clone().or_else(|| p.service_time_s.clone()),
    };
    let all: Vec<ResponseTime> = points.iter().filter_map(of).collect();
    let longest = |figure: fn(&ResponseTime) -> Option<f64>| all.iter().filter_map(figure).max_by(f64::total_cmp);
    let median = |figure: fn(&ResponseTime) -> Option<f64>| median_of(all.iter().map(figure));
    FigureTimes { mean_s: median(|t| t.mean), p99_s: median(|t| t.p99), peak_s: longest(|t| t.max) }
}

/// The JSON path of the value.
fn path(asked: &MeasuredFigure) -> String {
    let metric = asked.metric.as_str();
    match asked.percentile {
        Some(percentile) => format!("{metric}.{}", percentile.name()),
        None => Point::path_of(metric).to_owned(),
    }
}

/// `8 jobs`, `2 nodes, 16 jobs, 4 threads, client drive at 2,000/s`.
fn place(point: &Point) -> String {
    let storage = point.subject.storage();
    let mut parts = vec![storage.map_or_else(|| dop_words(point.dop), |storage| storage.load.to_string())];
    if let Some(rate) = point.asked_per_s.filter(|_| storage.is_some()) {
        parts.push(format!("at {}/s", numbers::thousands(rate)));
    }
    if point.rows_per_tx > 1 {
        parts.push(format!("{} rows/tx", point.rows_per_tx));
    }
    if point.drive == Drive::Client && storage.is_none() {
        let rate = point.asked_per_s.map(|rate| format!(" at {}/s", numbers::thousands(rate)));
        parts.push(format!("client drive{}", rate.unwrap_or_default()));
    }
    parts.join(", ")
}

/// How a test was measured, for a requirement that asks for another way.
fn ways(points: &[&Point]) -> String {
    const MOST: usize = 8;
    let mut ways = unique(points.iter().map(|p| place(p)));
    let more = ways.len().saturating_sub(MOST);
    ways.truncate(MOST);
    let more = if more > 0 { format!(" and in {more} more ways") } else { String::new() };
    format!("with {}{more}", ways.join("; "))
}

fn remarks(points: &[&Point], estimate: &Estimate, asked: &MeasuredFigure, requirement: &Requirement) -> Vec<String> {
    let mut remarks = Vec::new();
    let limit = requirement.limit.value();
    let shown = |value: f64| super::words::value(value, &asked.unit);
    if let Some(interval) = estimate.interval.filter(|i| i.low < limit && limit < i.high) {
        let (low, high) = (shown(interval.low), shown(interval.high));
        remarks.push(format!("close: the limit lies inside the 95 % interval, {low} to {high}"));
    }
    remarks.extend(tail(points, asked, requirement.limit));
    for flag in Flag::ALL {
        if let Some(point) = points.iter().find(|p| p.has(flag)) {
            let accepted = if requirement.accept.contains(&flag) { "accepted: " } else { "" };
            remarks.push(format!("{accepted}{}", flag_words(point, flag)));
        }
    }
    let doubts = points.iter().map(|p| doubted(p.suspect(&asked.metric), requirement.limit, estimate.median));
    remarks.extend(doubts.filter_map(Result::ok).flatten().next());
    if let Some(how) = points.iter().find(|p| legend::is_equivalent(p)).and_then(|p| p.mapping_note.as_deref()) {
        remarks.push(format!("an equivalent of the test: {how}"));
    }
    remarks
}

/// A mean or a percentile that meets a limit says nothing about longer times.
fn tail(points: &[&Point], asked: &MeasuredFigure, limit: RequirementLimit) -> Option<String> {
    let RequirementLimit::Maximum(most) = limit else { return None };
    let longest = longest(points, asked)?;
    let beyond = asked.percentile != Some(Percentile::Max) && longest > most;
    beyond.then(|| tail_words(&super::words::value(longest, &asked.unit), longest / most))
}
