//! Each side's figure in a row: found in every run, combined, ranked, and divided by the baseline's.

use super::{ComparedCell, ComparedRow, KeyFigure, Rank, Ratio, RatioVerdict, Side};
use crate::figures::{self, DOUBTFUL, Figure, FigureQuery};
use crate::numbers::{MISSING, printed, thousands};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Better, Commits, Flag, Point, RunJson, UsableFor};
use dbdyno_stats::{Difference, Estimate, NotComparable};

/// The figure of one run for a row.
pub(super) fn figure<'a>(
    run: &'a RunJson,
    test: &str,
    (metric, rows_per_tx): (&str, Option<u64>),
    which: KeyFigure,
    catalogue: &Catalogue,
) -> Result<Figure<'a>, String> {
    let found = figures::find(&FigureQuery { rows_per_tx, ..FigureQuery::new(test, metric) }, run, catalogue)?;
    let figure = match which {
        KeyFigure::Speed => found.speed().ok_or("not measured at 1x1x1"),
        KeyFigure::Throughput => found.throughput().ok_or("no throughput"),
    };
    Ok(figure?.clone())
}

/// A side's cell, before it is compared.
pub(super) fn cell(
    side: &Side,
    test: &str,
    of: (&str, Option<u64>),
    which: KeyFigure,
    catalogue: &Catalogue,
) -> ComparedCell {
    let asked = side.runs.iter().map(|run| figure(run, test, of, which, catalogue));
    let mut figures: Vec<Figure<'_>> = Vec::new();
    let mut missing = None;
    for answer in asked {
        match answer {
            Ok(figure) => figures.push(figure),
            Err(why) => missing = missing.or(Some(why)),
        }
    }
    let values: Vec<f64> = figures.iter().map(Figure::value).collect();
    let estimate = match figures.as_slice() {
        // A single run has its own repeats.
        [one] => Some(one.estimate),
        _ => Estimate::of(&values),
    };
    let dops: Vec<String> = figures.iter().filter_map(|f| f.dop.map(|dop| dop.to_string())).collect();
    let alike = dops.first().filter(|first| dops.iter().all(|dop| dop == *first)).cloned();
    let points: Vec<&Point> = figures.iter().flat_map(|f| f.points.iter().copied()).collect();
    let flags = Flag::ALL.into_iter().filter(|flag| points.iter().any(|p| p.has(*flag))).collect();
    let printed = figures.iter().filter_map(|f| Some(Commits::from(f.printed?.commit?)));
    let commits = points.iter().filter_map(|p| p.commits()).chain(printed).max();
    let equivalent = points.iter().find(|p| p.mapping == "equivalent");
    ComparedCell {
        value: estimate.map(|e| e.median),
        text: MISSING.to_owned(),
        low: estimate.and_then(|e| e.interval).map(|i| i.low),
        high: estimate.and_then(|e| e.interval).map(|i| i.high),
        dop: alike,
        flags,
        doubtful: figures.iter().any(Figure::is_doubtful),
        commits,
        equivalent: equivalent.map(|p| p.mapping_note.clone().unwrap_or_else(|| "how was not recorded".to_owned())),
        suspect: figures.iter().find_map(|f| f.suspect).cloned(),
        usable_for: figures.iter().map(Figure::usable_for).min().unwrap_or(UsableFor::Nothing),
        bound: figures.iter().find_map(Figure::bound),
        missing: if values.is_empty() { missing } else { None },
        rank: Rank::None,
        heat: None,
        ratio: None,
        values,
    }
}

/// Fills in the cells' texts: as printed where all sides print the same unit, else with four digits.
pub(super) fn write(row: &mut ComparedRow, sides: &[Side], catalogue: &Catalogue) {
    let prints: Vec<_> = sides
        .iter()
        .map(|side| {
            let of = (row.metric.as_str(), row.rows_per_tx);
            let figure = figure(side.runs.first()?, &row.test, of, row.which, catalogue).ok()?;
            figure.printed.map(|p| p.printed.clone())
        })
        .collect();
    let mut units = prints.iter().zip(&row.cells).filter(|(_, cell)| cell.value.is_some());
    let unit = units.clone().find_map(|(print, _)| Some(print.as_ref()?.unit.clone()));
    let same = units.all(|(print, _)| print.as_ref().map(|p| &p.unit) == unit.as_ref());
    if let Some(unit) = unit.filter(|_| same) {
        row.shown_unit = unit;
    }
    for (cell, print) in row.cells.iter_mut().zip(&prints) {
        let Some(value) = cell.value else { continue };
        let text = print.as_ref().filter(|_| same).map_or_else(|| thousands(value), |p| printed(p.value));
        let bound = cell.bound.map_or("", |bound| bound.sign());
        cell.text = if cell.doubtful { format!("({bound}{text})") } else { format!("{bound}{text}") };
    }
}

/// Ranks the cells of a row: the best, the worst, and what share of the best each is.
pub(super) fn rank(row: &mut ComparedRow) {
    if row.unlike_sizes {
        return;
    }
    // Figures with unsafe commits do not compete with those with durable commits.
    let is_unsafe = |c: &ComparedCell| c.commits == Some(Commits::Unsafe);
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

/// Whether a figure is ranked: one that stands in parentheses is of something else than the test.
fn takes_part(cell: &ComparedCell) -> bool {
    cell.usable_for >= UsableFor::LowerLimit && !cell.doubtful
}

/// Divides every cell by the baseline's.
pub(super) fn divide(row: &mut ComparedRow, baseline: usize) {
    let Some(base) = row.cells.get(baseline).cloned() else { return };
    for (at, cell) in row.cells.iter_mut().enumerate() {
        if at != baseline && cell.value.is_some() && base.value.is_some() {
            let why = row.unlike_sizes.then(|| "the figure depends on the amount of data, which is another".to_owned());
            cell.ratio = Some(ratio(&base, cell, row.better, why));
        }
    }
}

fn ratio(base: &ComparedCell, cell: &ComparedCell, better: Better, why_not: Option<String>) -> Ratio {
    let value = cell.value.zip(base.value).filter(|(a, b)| *a > 0.0 && *b > 0.0).map(|(a, b)| a / b);
    let plain = |verdict, why: Option<String>| {
        let value = value.filter(|_| verdict != RatioVerdict::NoRatio);
        Ratio { value, low: None, high: None, p_value: None, verdict, why }
    };
    if let Some(why) = why_not.or_else(|| unfit(base, cell)) {
        return plain(RatioVerdict::NoRatio, Some(why));
    }
    match Difference::of(&base.values, &cell.values) {
        Err(why @ NotComparable::NotPositive) => plain(RatioVerdict::NoRatio, Some(why.to_string())),
        Err(why @ NotComparable::Spread) => plain(RatioVerdict::SpreadUnknown, Some(why.to_string())),
        Ok(difference) => {
            let interval = difference.interval(0.95);
            let more = difference.ratio() > 1.0;
            let verdict = match difference.is_shown() {
                false => RatioVerdict::NoDifferenceShown,
                true if more == (better == Better::Higher) => RatioVerdict::Better,
                true => RatioVerdict::Worse,
            };
            Ratio {
                value: Some(difference.ratio()),
                low: Some(interval.low),
                high: Some(interval.high),
                p_value: Some(difference.p_value()),
                verdict,
                why: None,
            }
        }
    }
}

/// Why two figures must not be divided.
pub(super) fn unfit(base: &ComparedCell, cell: &ComparedCell) -> Option<String> {
    for c in [base, cell] {
        let why = match c.usable_for {
            UsableFor::Nothing => "is not the figure that it seems to be",
            UsableFor::NotForComparison => "does not compare",
            UsableFor::LowerLimit => "is a lower limit only",
            UsableFor::Value => continue,
        };
        let names = c.suspect.as_ref().map_or_else(String::new, |s| format!(" ({})", s.names()));
        return Some(format!("{} {why}{names}", c.text));
    }
    if let Some(c) = [base, cell].into_iter().find(|c| c.doubtful) {
        let flags = DOUBTFUL.iter().filter(|flag| c.flags.contains(flag)).map(|flag| flag.name());
        return Some(format!("{} is no figure of the test: {}", c.text, flags.collect::<Vec<_>>().join(", ")));
    }
    if base.bound.is_some() || cell.bound.is_some() {
        return Some("a bound is no value".to_owned());
    }
    if let (Some(one), Some(other)) = (base.commits, cell.commits)
        && one != other
    {
        return Some(format!("commits of one are {}, of the other {}", one.words(), other.words()));
    }
    None
}
