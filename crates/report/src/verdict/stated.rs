//! What a published result states without points: results of platforms or their variants, and figures that a source
//! prints per test. A source that says "more than 35,000" gives no number, but enough for a limit of 10,000.

use super::line::{FigureTimes, FoundFigure, JudgedFigure, RequirementOutcome, doubted, tail_words};
use super::words;
use crate::groups::unique;
use crate::numbers;
use dbdyno_catalogue::{MeasuredFigure, RequiredSubject, RequirementLimit};
use dbdyno_model::{FigureKind, PrintedBound, PublishedFigure, PublishedStatement, RunJson, Suspect};

/// The figures with this name, each with its variant: one requirement is judged for every variant.
pub(super) fn find(
    run: &RunJson,
    name: &str,
    variant: Option<&str>,
    unit: &str,
    limit: RequirementLimit,
) -> Vec<(Option<String>, FoundFigure)> {
    let nothing = |why: String| vec![(None, FoundFigure::Nothing(RequirementOutcome::NotMeasured, why))];
    let Some(published) = &run.published else {
        return nothing("the run is of dbdyno's own, and states no result but its points".to_owned());
    };
    let named: Vec<&PublishedStatement> = published.results.iter().filter(|s| s.metric == name).collect();
    if named.is_empty() {
        let there = listed(published.results.iter().map(|s| s.metric.as_str()));
        return nothing(format!("the source states no '{name}'; it states {there}"));
    }
    let asked: Vec<&PublishedStatement> =
        named.iter().copied().filter(|s| variant.is_none() || s.variant.as_deref() == variant).collect();
    if asked.is_empty() {
        let there = listed(named.iter().filter_map(|s| s.variant.as_deref()));
        return nothing(format!("the source states no '{name}' of that variant; it has {there}"));
    }
    let judged = |s: &&PublishedStatement| (s.variant.clone(), stated(s, &published.results, unit, limit));
    asked.iter().map(judged).collect()
}

/// Names, each once.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let all = unique(names);
    if all.is_empty() { "none".to_owned() } else { all.join(", ") }
}

fn stated(
    statement: &PublishedStatement,
    all: &[PublishedStatement],
    unit: &str,
    limit: RequirementLimit,
) -> FoundFigure {
    if statement.unit != unit {
        let why = format!("the source states it in {}, the requirement is in {unit}", statement.unit);
        return FoundFigure::Nothing(RequirementOutcome::Refused, why);
    }
    let PublishedStatement { low, high, bound, suspect, .. } = statement;
    match judged(*low, *high, *bound, suspect.as_ref(), limit, unit) {
        Ok((figure, mut remarks)) => {
            let peak = peak(statement, all);
            remarks.extend(peak.and_then(|peak| tail(peak, limit)));
            FoundFigure::Figure(JudgedFigure { peak: peak.map(|peak| peak.high), ..figure }, remarks)
        }
        Err(why) => FoundFigure::Nothing(RequirementOutcome::Refused, why),
    }
}

/// The end of a stated range that decides, or why neither does.
fn judged(
    low: f64,
    high: f64,
    bound: Option<PrintedBound>,
    suspect: Option<&Suspect>,
    limit: RequirementLimit,
    unit: &str,
) -> Result<(JudgedFigure, Vec<String>), String> {
    let (least, most) = match bound {
        Some(PrintedBound::Over | PrintedBound::AtLeast) => (low, f64::INFINITY),
        Some(PrintedBound::Under | PrintedBound::AtMost) => (f64::NEG_INFINITY, high),
        Some(PrintedBound::About) | None => (low, high),
    };
    let (worst, best) = match limit {
        RequirementLimit::Minimum(_) => (least, most),
        RequirementLimit::Maximum(_) => (most, least),
    };
    let said = bound.map(|b| format!("the source says {} {}", b.sign(), words::stated(low, unit)));
    let value = match (limit.is_kept(worst), limit.is_kept(best)) {
        (true, _) => worst,
        (false, false) => best,
        (false, true) => {
            let range = || format!("the source says {} to {}", words::stated(low, unit), words::stated(high, unit));
            return Err(format!("cannot tell: {}", said.unwrap_or_else(range)));
        }
    };
    let doubt = doubted(suspect, limit, value)?;
    let (times, place) = (FigureTimes::default(), String::new());
    let figure = JudgedFigure { value, low: None, high: None, bound, peak: None, times, points: 0, place };
    Ok((figure, doubt.into_iter().collect()))
}

/// What a source states as the longest time beside a mean.
fn peak<'a>(statement: &PublishedStatement, all: &'a [PublishedStatement]) -> Option<&'a PublishedStatement> {
    let peak = format!("{}_peak", statement.metric.strip_suffix("_mean")?);
    all.iter().find(|s| s.metric == peak && s.variant == statement.variant && s.unit == statement.unit)
}

/// A mean that meets its limit says nothing about the longest time; if the source states that, too, it is shown.
fn tail(peak: &PublishedStatement, limit: RequirementLimit) -> Option<String> {
    let RequirementLimit::Maximum(most) = limit else { return None };
    (peak.high > most).then(|| tail_words(&words::stated(peak.high, &peak.unit), peak.high / most))
}

/// The printed figure of a test without points; `None` where the source prints none.
pub(super) fn printed(run: &RunJson, asked: &MeasuredFigure, limit: RequirementLimit) -> Option<FoundFigure> {
    // A source that prints no place only says "one job" or "the best".
    let kinds: &[FigureKind] = match (asked.nodes, asked.jobs, asked.threads) {
        (None, None, None) => &[FigureKind::Speed, FigureKind::Throughput, FigureKind::Value],
        (None | Some(1), None | Some(1), None | Some(1)) => &[FigureKind::Speed],
        _ => &[],
    };
    let fits = asked.percentile.is_none() && asked.rate_per_s.is_none() && asked.rows_per_tx.is_none();
    let RequiredSubject::Test(test) = &asked.subject else { return None };
    let of_test = run.published.iter().flat_map(|p| &p.figures).filter(|f| f.test == test.as_str());
    let asked_for = of_test.filter(|f| fits && kinds.contains(&f.kind) && f.metric.as_ref() == Some(&asked.metric));
    let judged = |printed: &PublishedFigure| -> Result<(JudgedFigure, Vec<String>), String> {
        let PublishedFigure { value, bound, suspect, title, .. } = printed;
        let (figure, remarks) = judged(*value, *value, *bound, suspect.as_ref(), limit, &asked.unit)
            .map_err(|why| format!("{title} {}: {why}", numbers::thousands(*value)))?;
        Ok((JudgedFigure { place: format!("printed: {title}"), ..figure }, remarks))
    };
    let (found, refused): (Vec<_>, Vec<_>) = asked_for.map(judged).partition(Result::is_ok);
    let is_better = |next: f64, best: f64| match limit {
        RequirementLimit::Minimum(_) => next > best,
        RequirementLimit::Maximum(_) => next < best,
    };
    let best = found.into_iter().flatten().reduce(
        |best, next| {
            if is_better(next.0.value, best.0.value) { next } else { best }
        },
    );
    let refused = refused.into_iter().find_map(Result::err);
    let found = best.map(|(figure, remarks)| FoundFigure::Figure(figure, remarks));
    found.or_else(|| refused.map(|why| FoundFigure::Nothing(RequirementOutcome::Refused, why)))
}
