//! The rows: each side's figure, found in every run, combined, ranked, and divided by the baseline's.

use super::alike::{depends_on_size, sizes_differ};
use super::likeness::{Likeness, OF_WORK, SIZES_DIFFER, is_unsafe, unfit};
use super::paired_figures::PairedFigures;
use super::query::{Found, RowQuery};
use super::row::{ComparedCell, ComparedRow, KeyFigure, Rank, Ratio, RatioVerdict};
use super::side::Side;
use super::units::shown_unit;
use crate::document::{Cell, Form};
use crate::figures::Figure;
use crate::numbers::MISSING;
use crate::summary::head::within;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Better, Commits, Flag, MetricId, Point, PrintedBound, Subject, UsableFor};
use dbdyno_stats::{Estimate, NotComparable};
use std::collections::BTreeSet;

/// The unit of a scaling.
const TIMES: &str = "x";

/// The row that answers a question.
pub(super) fn row(sides: &[Side], query: &RowQuery<'_>, baseline: usize, catalogue: &Catalogue) -> ComparedRow {
    let metric = MetricId::from(query.metric);
    let known = catalogue.metric(&metric).ok().filter(|_| query.which != KeyFigure::Scaling);
    let unit = known.map_or_else(String::new, |m| m.unit.clone());
    let shown_unit = match query.which {
        KeyFigure::Speed | KeyFigure::Throughput => shown_unit(query.metric, &unit).to_owned(),
        KeyFigure::Time => String::new(),
        KeyFigure::Scaling => TIMES.to_owned(),
    };
    let mut row = ComparedRow {
        test: query.test.to_owned(),
        title: catalogue.test(query.test).map_or_else(|_| String::new(), |t| t.title.clone()),
        which: query.which,
        metric,
        unit,
        shown_unit,
        better: known.map_or(Better::Higher, |m| m.better),
        rows_per_tx: query.rows_per_tx,
        unlike_sizes: sizes_differ(sides) && depends_on_size(query.test, query.metric, catalogue),
        cells: sides.iter().map(|side| cell(side, query, catalogue)).collect(),
    };
    write(&mut row, sides, query, catalogue);
    for likeness in &OF_WORK {
        part(&mut row, baseline, likeness);
    }
    rank(&mut row);
    divide(&mut row, baseline);
    row
}

/// A side's cell, before it is compared.
fn cell(side: &Side, query: &RowQuery<'_>, catalogue: &Catalogue) -> ComparedCell {
    let mut found: Vec<Found<'_, '_>> = Vec::new();
    let mut missing = None;
    for answer in side.runs.iter().map(|run| query.figure(run, catalogue)) {
        match answer {
            Ok(figure) => found.push(figure),
            Err(why) => missing = missing.or(Some(why)),
        }
    }
    of_found(side, query, &found, missing, catalogue)
}

/// The cell of what was found in the runs of a side.
pub(super) fn of_found(
    side: &Side,
    query: &RowQuery<'_>,
    found: &[Found<'_, '_>],
    missing: Option<String>,
    catalogue: &Catalogue,
) -> ComparedCell {
    let figures = || found.iter().map(|found| &found.figure);
    let values: Vec<f64> = figures().map(Figure::value).collect();
    let estimate = match found {
        // A single run has its own repeats.
        [one] => Some(one.figure.estimate),
        _ => Estimate::of(&values),
    };
    let dops: Vec<String> = figures().filter_map(|f| f.dop.map(|dop| dop.to_string())).collect();
    let alike = dops.first().filter(|first| dops.iter().all(|dop| dop == *first)).cloned();
    let points: Vec<&Point> = figures().flat_map(|f| f.points.iter().copied()).collect();
    let printed = figures().filter_map(|f| Some(Commits::from(f.printed?.commit?)));
    let equivalent = points.iter().find(|p| p.mapping == "equivalent");
    let other = found.iter().map(|found| found.code).find(|code| *code != query.test);
    let other_work = other.filter(|code| catalogue.same_work(query.test).all(|same| same.code.as_str() != *code));
    let ways: BTreeSet<String> = points.iter().filter_map(|point| way(point)).collect();
    let many_ways = (ways.len() > 1).then(|| {
        let ways: Vec<&str> = ways.iter().map(String::as_str).collect();
        format!("of runs {}, which are other work than each other", ways.join(", and "))
    });
    ComparedCell {
        value: estimate.map(|e| e.median),
        text: MISSING.to_owned(),
        shown: None,
        low: estimate.and_then(|e| e.interval).map(|i| i.low),
        high: estimate.and_then(|e| e.interval).map(|i| i.high),
        dop: alike,
        test: other.map(str::to_owned),
        rows_per_tx: figures().map(|f| f.rows_per_tx).find(|rows| *rows > 0),
        flags: Flag::ALL.into_iter().filter(|flag| points.iter().any(|p| p.has(*flag))).collect(),
        doubtful: found.iter().any(|found| found.is_barred || found.figure.is_doubtful()),
        unlike: other_work.map(|code| format!("of {code}, which is other work than {}", query.test)).or(many_ways),
        way: ways.into_iter().next(),
        commits: points.iter().filter_map(|p| p.commits()).chain(printed).max(),
        equivalent: equivalent.map(|p| p.mapping_note.clone().unwrap_or_else(|| "how was not recorded".to_owned())),
        suspect: figures().find_map(|f| f.suspect).cloned(),
        usable_for: figures().map(Figure::usable_for).min().unwrap_or(UsableFor::Nothing),
        bound: figures().find_map(Figure::bound),
        missing: if values.is_empty() { missing } else { None },
        rank: Rank::None,
        heat: None,
        ratio: None,
        in_turn: in_turn(side, &points, query),
        values,
    }
}

/// The figures by their repeat of a side's only run, if it was measured in turn with another.
fn in_turn(side: &Side, points: &[&Point], query: &RowQuery<'_>) -> Option<PairedFigures> {
    let [run] = side.runs.as_slice() else { return None };
    let is_of_points = matches!(query.which, KeyFigure::Speed | KeyFigure::Throughput);
    PairedFigures::of(run, points, &MetricId::from(query.metric)).filter(|_| is_of_points)
}

/// Fills in the cells' texts: as printed where all sides print the same unit, else with four digits.
fn write(row: &mut ComparedRow, sides: &[Side], query: &RowQuery<'_>, catalogue: &Catalogue) {
    let as_printed = matches!(row.which, KeyFigure::Speed | KeyFigure::Throughput);
    let print =
        |side: &Side| query.figure(side.runs.first()?, catalogue).ok()?.figure.printed.map(|p| p.printed.clone());
    let prints: Vec<_> = sides.iter().map(|side| print(side).filter(|_| as_printed)).collect();
    let mut units = prints.iter().zip(&row.cells).filter(|(_, cell)| cell.value.is_some());
    let unit = units.clone().find_map(|(print, _)| Some(print.as_ref()?.unit.clone()));
    let same = units.all(|(print, _)| print.as_ref().map(|p| &p.unit) == unit.as_ref());
    if let Some(unit) = unit.filter(|_| same) {
        row.shown_unit = unit;
    }
    for (cell, print) in row.cells.iter_mut().zip(&prints) {
        let Some(value) = cell.value else { continue };
        let (shown, form) = match (row.which, print.as_ref().filter(|_| same)) {
            (KeyFigure::Time, _) => (value, Form::Duration),
            (KeyFigure::Scaling, _) => (value, Form::Factor),
            (_, Some(print)) => (print.value, Form::Printed),
            (_, None) => (value, Form::Thousands),
        };
        cell.text = Cell::figure(shown, form).bounded(cell.bound).text();
        cell.shown = Some((shown, form));
    }
}

/// Sets figures apart that are of other work than the baseline's, or than the first side's that has any.
fn part(row: &mut ComparedRow, baseline: usize, likeness: &Likeness) {
    let of = |cell: &ComparedCell| (likeness.of)(cell).filter(|_| cell.unlike.is_none());
    let base = row.cells.get(baseline).and_then(of).or_else(|| row.cells.iter().find_map(of));
    for cell in &mut row.cells {
        if let (Some(own), Some(base)) = (of(cell), &base)
            && own != *base
        {
            cell.unlike = Some(likeness.said(base, &own));
        }
    }
}

/// How the users of a workload worked; `None` for a test.
fn way(point: &Point) -> Option<String> {
    let Subject::Workload(_) = point.subject else { return None };
    let mix = match (&point.mix, point.parameters.is_empty()) {
        (_, false) => format!("with {}", point.parameters),
        (Some(mix), true) => format!("with the mix {mix}"),
        (None, true) => "with its own weights".to_owned(),
    };
    let think = point.load.think.map_or_else(String::new, |think| format!(", think {think}"));
    Some(mix + &think + &within(&point.load))
}

/// Ranks the cells of a row: the best, the worst, and what share of the best each is.
fn rank(row: &mut ComparedRow) {
    if row.unlike_sizes {
        return;
    }
    // Figures with unsafe commits do not compete with those with durable commits.
    let safe_there = row.cells.iter().any(|c| c.value.is_some() && takes_part(c) && !is_unsafe(c));
    let plays = |c: &ComparedCell| takes_part(c) && !(safe_there && is_unsafe(c));
    // As a number of which more is better.
    let good = |v: f64| if row.better == Better::Higher { v } else { -v };
    let scores: Vec<Option<f64>> = row.cells.iter().map(|c| c.value.filter(|_| plays(c)).map(good)).collect();
    let there: Vec<f64> = scores.iter().copied().flatten().collect();
    let (best, worst) =
        (there.iter().copied().fold(f64::MIN, f64::max), there.iter().copied().fold(f64::MAX, f64::min));
    for (cell, score) in row.cells.iter_mut().zip(scores) {
        let Some(score) = score else { continue };
        if there.len() < 2 || best <= worst {
            cell.rank = Rank::Between;
            continue;
        }
        cell.heat = share_of_best(score, best);
        cell.rank = match score {
            s if s >= best => Rank::Best,
            // The platform behind a lower limit may be better than its figure.
            s if s <= worst && cell.usable_for == UsableFor::Value => Rank::Worst,
            _ => Rank::Between,
        };
    }
}

/// What share of the best a figure is, from 0 to 1: 5 % less is 0.95. Scores of times are negative.
fn share_of_best(score: f64, best: f64) -> Option<f64> {
    let share = if best > 0.0 { score / best } else { best / score };
    share.is_finite().then(|| share.clamp(0.0, 1.0))
}

/// Whether a figure is ranked: one that stands in parentheses is of something else than the test, and of one that is
/// only bounded ("< 5 ms") nobody knows how good it is.
fn takes_part(cell: &ComparedCell) -> bool {
    let is_value = cell.bound.is_none_or(|bound| bound == PrintedBound::About);
    cell.usable_for >= UsableFor::LowerLimit && !cell.doubtful && cell.unlike.is_none() && is_value
}

/// Divides every cell by the baseline's.
fn divide(row: &mut ComparedRow, baseline: usize) {
    let Some(base) = row.cells.get(baseline).cloned() else { return };
    for (at, cell) in row.cells.iter_mut().enumerate() {
        if at != baseline && cell.value.is_some() && base.value.is_some() {
            let why = row.unlike_sizes.then(|| SIZES_DIFFER.to_owned());
            cell.ratio = Some(ratio(&base, cell, row.better, why));
        }
    }
}

fn ratio(base: &ComparedCell, cell: &ComparedCell, better: Better, why_not: Option<String>) -> Ratio {
    let value = cell.value.zip(base.value).filter(|(a, b)| *a > 0.0 && *b > 0.0).map(|(a, b)| a / b);
    let plain = |verdict, why: Option<String>| {
        let value = value.filter(|_| verdict != RatioVerdict::NoRatio);
        Ratio { value, ..Ratio::none(verdict, why) }
    };
    if let Some(why) = why_not.or_else(|| unfit(base, cell)) {
        return plain(RatioVerdict::NoRatio, Some(why));
    }
    match base.difference(cell) {
        Err(why @ NotComparable::NotPositive) => plain(RatioVerdict::NoRatio, Some(why.to_string())),
        Err(why) => plain(RatioVerdict::SpreadUnknown, Some(why.to_string())),
        Ok(difference) => Ratio::shown(&difference, difference.p_value(), better),
    }
}
