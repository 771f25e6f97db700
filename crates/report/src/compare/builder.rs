//! Building a comparison.

use super::alike::{self, depends_on_size, sizes_differ};
use super::comparison::Comparison;
use super::query::RowQuery;
use super::row::{ComparedCell, ComparedRow, KeyFigure};
use super::side::{CompareError, MOST_SIDES, Side, SideInfo};
use super::stated::{self, Stated};
use super::{cells, curves, efficiency, in_turn, layers, others, regression, settings, summary, times, warnings};
use crate::figures::{self, FigureQuery};
use crate::groups::unique;
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Point, RunJson};
use std::collections::BTreeSet;

/// How to compare.
#[derive(Debug, Clone, Default)]
pub struct CompareOptions<'o> {
    /// The side that ratios relate to; the first where none is named.
    pub baseline: Option<&'o str>,
    /// The tests to compare, as a pattern: `T6*`.
    pub tests: Option<&'o str>,
    /// How much worse any row may be, in percent.
    pub max_regression_pct: Option<f64>,
}

/// Compares 2 to 20 sides.
///
/// # Errors
/// The sides or the baseline cannot be compared, or have nothing in common.
pub fn compare(
    sides: &[Side],
    options: &CompareOptions<'_>,
    catalogue: &Catalogue,
) -> Result<Comparison, CompareError> {
    let baseline = checked(sides, options)?;
    let names = || sides.iter().map(|s| s.name.clone()).collect::<Vec<_>>();
    let tests = tests(sides, options.tests, catalogue);
    let mut rows: Vec<ComparedRow> = Vec::new();
    let mut ramps = Vec::new();
    let mut alone: Vec<(String, usize)> = Vec::new();
    let mut shown: BTreeSet<(String, usize)> = BTreeSet::new();
    for test in &tests {
        let Some(metric) = metric(sides, test, catalogue) else { continue };
        let mut query = RowQuery::new(test, metric, KeyFigure::Speed, catalogue);
        let having = |code: &str| -> Vec<usize> {
            (0..sides.len()).filter(|at| has(&sides[*at], code, metric, catalogue)).collect()
        };
        let own = having(test);
        // What stands in the row of another code already has no row of its own.
        if !own.is_empty() && own.iter().all(|at| shown.contains(&(test.clone(), *at))) {
            continue;
        }
        // Of two codes with the same work the one that two sides have has the row.
        if own.len() < 2 && query.others.iter().any(|code| having(code).len() >= 2) {
            query.others.clear();
        }
        query.rows_per_tx = alike::transactions(sides, &query, catalogue);
        let before = rows.len();
        for which in [KeyFigure::Speed, KeyFigure::Throughput] {
            query.which = which;
            let row = cells::row(sides, &query, baseline, catalogue);
            if there(&row.cells) >= 2 {
                rows.push(row);
            }
        }
        let new = rows.get(before..).unwrap_or_default();
        let cells = new.iter().flat_map(|row| row.cells.iter().enumerate().map(move |(at, cell)| (row, at, cell)));
        let with = cells.filter(|(.., cell)| cell.value.is_some());
        shown.extend(with.map(|(row, at, cell)| (cell.test.clone().unwrap_or_else(|| row.test.clone()), at)));
        match own.as_slice() {
            _ if rows.len() > before => ramps.extend(curves::curve(sides, &query, catalogue)),
            [side] => alone.push((test.clone(), *side)),
            _ => {}
        }
    }
    alone.retain(|of| !shown.contains(of));
    let others = if options.tests.is_some() { Vec::new() } else { others::of(sides) };
    let stated = if options.tests.is_some() { Stated::default() } else { stated::of(sides) };
    let pairs = in_turn::rows(sides, baseline, catalogue);
    if rows.is_empty() && pairs.is_empty() && others.is_empty() && stated.rows.is_empty() {
        return Err(CompareError::NothingInCommon { sides: names(), pattern: options.tests.map(str::to_owned) });
    }
    rows.sort_by_key(|row| row.which);
    let infos: Vec<SideInfo> = sides.iter().map(SideInfo::of).collect();
    let notices = unique(sides.iter().flat_map(|s| &s.runs).filter_map(|run| run.database.notice.clone()));
    Ok(Comparison {
        baseline,
        warnings: warnings::all(sides, &rows, catalogue),
        notices,
        settings: settings::differing(sides),
        summary: summary::of(sides, baseline, &tests, catalogue),
        layers: layers::of(&rows, baseline, catalogue),
        efficiency: efficiency::of(&infos, &rows),
        regression: options.max_regression_pct.map(|pct| regression::judge(&rows, &alone, baseline, pct)),
        pairs,
        sides: infos,
        rows,
        alone,
        curves: ramps,
        times: times::of(sides, &tests, catalogue),
        others,
        stated,
    })
}

fn checked(sides: &[Side], options: &CompareOptions<'_>) -> Result<usize, CompareError> {
    if !(2..=MOST_SIDES).contains(&sides.len()) {
        return Err(CompareError::Sides(sides.len()));
    }
    for (at, side) in sides.iter().enumerate() {
        let same = |other: &Side| other.runs.iter().any(|run| side.runs.iter().any(|r| r.run.id == run.run.id));
        if sides[..at].iter().any(same) {
            return Err(CompareError::Twice(side.name.clone()));
        }
    }
    let Some(asked) = options.baseline else { return Ok(0) };
    let is_it =
        |side: &Side| side.name == asked || side.runs.iter().any(|r| r.run.id.as_str() == asked || r.name() == asked);
    sides.iter().position(is_it).ok_or_else(|| CompareError::Baseline {
        asked: asked.to_owned(),
        sides: sides.iter().map(|s| s.name.clone()).collect(),
    })
}

/// Every test that a side knows, in the catalogue's order, unknown tests last.
fn tests(sides: &[Side], pattern: Option<&str>, catalogue: &Catalogue) -> Vec<String> {
    let chosen = pattern.map(|p| catalogue.select(p).unwrap_or_default());
    let known = |test: &str| sides.iter().flat_map(|s| &s.runs).any(|run| figures::knows(run, test));
    let in_catalogue =
        catalogue.tests().iter().filter(|t| chosen.as_ref().is_none_or(|c| c.iter().any(|x| x.code == t.code)));
    let mut tests: Vec<String> = in_catalogue.map(|t| t.code.to_string()).filter(|code| known(code)).collect();
    if chosen.is_none() {
        let all = sides.iter().flat_map(|s| &s.runs);
        let others = all.flat_map(|run| run.points.iter().map(|p| p.work().into_owned()));
        tests = unique(tests.into_iter().chain(others));
    }
    tests
}

/// The metric that most sides have for a test; the test's own metrics come first. Where the amounts of data differ, one
/// that does not depend on them goes before one that does.
fn metric(sides: &[Side], test: &str, catalogue: &Catalogue) -> Option<&'static str> {
    let sizes_differ = sizes_differ(sides);
    let codes: Vec<&str> = std::iter::once(test).chain(catalogue.same_work(test).map(|t| t.code.as_str())).collect();
    let has_any = |side: &Side, id: &str| codes.iter().any(|code| has(side, code, id, catalogue));
    let runs = sides.iter().flat_map(|side| &side.runs);
    let counted = metrics(runs, test, catalogue)
        .into_iter()
        .map(|id| (sides.iter().filter(|side| has_any(side, id)).count(), id))
        .filter(|(n, _)| *n > 0);
    let fits = |id: &str| !(sizes_differ && depends_on_size(test, id, catalogue));
    let of_two = |n: usize| n.min(2);
    // Of several that are as good the first.
    let best = counted.rev().max_by_key(|(n, id)| (of_two(*n), fits(id), *n));
    best.map(|(_, id)| id)
}

/// The metrics by which a test may be compared, the best first.
pub(super) fn metrics<'a>(
    mut runs: impl Iterator<Item = &'a RunJson>,
    test: &str,
    catalogue: &Catalogue,
) -> Vec<&'static str> {
    let own: Vec<&str> = match catalogue.test(test) {
        Ok(test) => test.metrics.iter().map(|m| m.as_str()).collect(),
        Err(_) => {
            let of_storage =
                |run: &'a RunJson| run.points.iter().find(|p| p.subject.storage().is_some() && p.work() == test);
            let point = runs.find_map(of_storage);
            point.and_then(|p| p.metric.as_ref()).map(|m| m.id.as_str()).into_iter().collect()
        }
    };
    // Of what the catalogue does not know, a workload, the rate of its transactions decides.
    let order = if own.is_empty() { &["tx_per_s", "rows_per_s", "ops_per_s"][..] } else { &own };
    let place = |id: &str| order.iter().position(|m| *m == id).unwrap_or(usize::MAX);
    let ids = Point::metric_ids().filter(|id| own.is_empty() && id.ends_with("_per_s") || own.contains(id));
    let mut ids: Vec<&'static str> = ids.collect();
    // Where no place decides, the last one does.
    ids.reverse();
    ids.sort_by_key(|id| place(id));
    ids
}

/// Number of cells with a figure that may be compared.
fn there(cells: &[ComparedCell]) -> usize {
    cells.iter().filter(|c| c.value.is_some()).count()
}

/// Whether a side has a metric of a test.
fn has(side: &Side, test: &str, metric: &str, catalogue: &Catalogue) -> bool {
    side.runs.iter().any(|run| figures::find(&FigureQuery::new(test, metric), run, catalogue).is_ok())
}
