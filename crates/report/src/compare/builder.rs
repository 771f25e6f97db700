//! Building a comparison.

use super::units::shown_unit;
use super::{
    CompareError, ComparedCell, ComparedRow, Comparison, KeyFigure, MOST_SIDES, RampCurve, RampPoint, Side, SideInfo,
    cells, efficiency, layers, others, regression, settings, warnings,
};
use crate::figures::{self, FigureQuery};
use crate::groups::{grouped, unique};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Better, Cpu, Dop, MetricId, Point, ProcedureShape, RunJson, Test, UsableFor};
use dbdyno_stats::Estimate;

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
    let mut rows = Vec::new();
    let mut curves = Vec::new();
    let mut alone = Vec::new();
    for test in tests(sides, options.tests, catalogue) {
        let metric = metric(sides, &test, catalogue, sizes_differ(sides));
        let Some(metric) = metric else { continue };
        let before = rows.len();
        for which in [KeyFigure::Speed, KeyFigure::Throughput] {
            let row = row(sides, &test, metric, which, baseline, catalogue);
            if there(&row.cells) >= 2 {
                rows.push(row);
            }
        }
        match (rows.len() > before, only_side(sides, &test, metric, catalogue)) {
            (true, _) => curves.extend(curve(sides, &test, metric, catalogue)),
            (false, Some(side)) => alone.push((test, side)),
            (false, None) => {}
        }
    }
    let others = if options.tests.is_some() { Vec::new() } else { others::of(sides) };
    if rows.is_empty() && others.is_empty() {
        return Err(CompareError::NothingInCommon { sides: names(), pattern: options.tests.map(str::to_owned) });
    }
    rows.sort_by_key(|row| row.which);
    let infos: Vec<SideInfo> = sides.iter().map(info).collect();
    let notices = unique(sides.iter().flat_map(|s| &s.runs).filter_map(|run| run.database.notice.clone()));
    Ok(Comparison {
        baseline,
        warnings: warnings::all(sides, &rows, catalogue),
        notices,
        settings: settings::differing(sides),
        layers: layers::of(&rows, baseline, catalogue),
        efficiency: efficiency::of(&infos, &rows),
        regression: options.max_regression_pct.map(|pct| regression::judge(&rows, baseline, pct)),
        sides: infos,
        rows,
        alone,
        curves,
        others,
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

/// Whether sides have other amounts of data, or one of them does not say how much.
fn sizes_differ(sides: &[Side]) -> bool {
    let mut sizes = sides.iter().flat_map(|side| &side.runs).map(|run| run.run.size.as_str());
    let first = sizes.next();
    sizes.any(|size| Some(size) != first)
}

/// Rows per transaction that all sides have measured, the largest of them, where what they would show is unlike.
fn alike_transactions(sides: &[Side], test: &str, catalogue: &Catalogue) -> Option<u64> {
    let runs = sides.iter().flat_map(|side| &side.runs);
    let sizes: Vec<_> = runs.map(|run| figures::transaction_sizes(run, test, catalogue)).collect();
    let sizes: Vec<_> = sizes.into_iter().filter(|[all, _]| !all.is_empty()).collect();
    let ([_, first], others) = (sizes.first()?, sizes.get(1..)?);
    if others.iter().all(|[_, chosen]| chosen == first) {
        return None;
    }
    let [all, _] = sizes.first()?;
    all.iter().rev().find(|rows| others.iter().all(|[all, _]| all.contains(rows))).copied()
}

/// Whether a figure of a test is another where there are more rows: a time, or a number of passes, of what goes over
/// all rows of a table.
fn depends_on_size(test: &str, metric: &str, catalogue: &Catalogue) -> bool {
    const OF_A_PASS: [&str; 5] = ["elapsed_s", "ops_per_s", "tx_per_s", "service_time_s", "response_time_s"];
    let over_all = |test: &Test| {
        use ProcedureShape::{Index, Load, Statement};
        matches!(test.procedure.shape, Load | Statement | Index)
    };
    OF_A_PASS.contains(&metric) && catalogue.test(test).is_ok_and(over_all)
}

/// The metric that most sides have for a test; the test's own metrics come first. Where the amounts of data differ, one
/// that does not depend on them goes before one that does.
fn metric(sides: &[Side], test: &str, catalogue: &Catalogue, sizes_differ: bool) -> Option<&'static str> {
    let of_storage = sides
        .iter()
        .flat_map(|s| &s.runs)
        .flat_map(|r| &r.points)
        .find(|p| p.subject.storage().is_some() && p.work() == test);
    let own: Vec<&str> = match catalogue.test(test) {
        Ok(test) => test.metrics.iter().map(|m| m.as_str()).collect(),
        Err(_) => of_storage.and_then(|p| p.metric.as_ref()).map(|m| m.id.as_str()).into_iter().collect(),
    };
    let candidates = Point::metric_ids().filter(|id| own.is_empty() && id.ends_with("_per_s") || own.contains(id));
    let has = |run: &RunJson, id: &str| figures::find(&FigureQuery::new(test, id), run, catalogue).is_ok();
    let place = |id: &str| own.iter().position(|m| *m == id).unwrap_or(usize::MAX);
    let counted = candidates.map(|id| (sides.iter().filter(|s| s.runs.iter().any(|run| has(run, id))).count(), id));
    let fits = |id: &str| !(sizes_differ && depends_on_size(test, id, catalogue));
    let of_two = |n: usize| n.min(2);
    let best =
        counted.filter(|(n, _)| *n > 0).max_by_key(|(n, id)| (of_two(*n), fits(id), *n, std::cmp::Reverse(place(id))));
    best.map(|(_, id)| id)
}

fn row(
    sides: &[Side],
    test: &str,
    metric: &str,
    which: KeyFigure,
    baseline: usize,
    catalogue: &Catalogue,
) -> ComparedRow {
    let id = MetricId::from(metric);
    let known = catalogue.metric(&id).ok();
    let unit = known.map_or_else(String::new, |m| m.unit.clone());
    let rows_per_tx = alike_transactions(sides, test, catalogue);
    let of = (metric, rows_per_tx);
    let mut row = ComparedRow {
        rows_per_tx,
        test: test.to_owned(),
        title: catalogue.test(test).map_or_else(|_| String::new(), |t| t.title.clone()),
        which,
        shown_unit: shown_unit(metric, &unit),
        unit,
        better: known.map_or(Better::Higher, |m| m.better),
        unlike_sizes: sizes_differ(sides) && depends_on_size(test, metric, catalogue),
        cells: sides.iter().map(|side| cells::cell(side, test, of, which, catalogue)).collect(),
        metric: id,
    };
    cells::write(&mut row, sides, catalogue);
    cells::rank(&mut row);
    cells::divide(&mut row, baseline);
    row
}

/// Number of cells with a figure that may be compared.
fn there(cells: &[ComparedCell]) -> usize {
    cells.iter().filter(|c| c.value.is_some()).count()
}

/// The only side that has a figure.
fn only_side(sides: &[Side], test: &str, metric: &str, catalogue: &Catalogue) -> Option<usize> {
    let has = |side: &Side| {
        side.runs.iter().any(|run| figures::find(&FigureQuery::new(test, metric), run, catalogue).is_ok())
    };
    let mut having = sides.iter().enumerate().filter(|(_, side)| has(side)).map(|(at, _)| at);
    having.next().filter(|_| having.next().is_none())
}

fn curve(sides: &[Side], test: &str, metric: &str, catalogue: &Catalogue) -> Option<RampCurve> {
    let rows_per_tx = alike_transactions(sides, test, catalogue);
    let ask = FigureQuery { rows_per_tx, ..FigureQuery::new(test, metric) };
    let lines: Vec<Vec<RampPoint>> = sides.iter().map(|side| line(side, &ask, catalogue)).collect();
    let id = MetricId::from(metric);
    let known = catalogue.metric(&id).ok()?;
    let title = catalogue.test(test).map_or_else(|_| String::new(), |t| t.title.clone());
    let curve = RampCurve { test: test.to_owned(), title, unit: known.unit.clone(), metric: id, lines };
    curve.lines.iter().any(|line| line.len() > 1).then_some(curve)
}

fn line(side: &Side, ask: &FigureQuery<'_>, catalogue: &Catalogue) -> Vec<RampPoint> {
    let found = side.runs.iter().filter_map(|run| figures::find(ask, run, catalogue).ok());
    let usable = found.flat_map(|found| found.cells).filter(|f| f.usable_for() > UsableFor::Nothing);
    let mut dops = grouped(usable.filter_map(|figure| Some((figure.dop?, (figure.estimate, figure.is_doubtful())))));
    dops.sort_by_key(|(dop, _)| (dop.parallelism(), *dop));
    let point = |(dop, figures): &(Dop, Vec<(Estimate, bool)>)| {
        let estimate = match figures.as_slice() {
            [(one, _)] => *one,
            several => Estimate::of(&several.iter().map(|(e, _)| e.median).collect::<Vec<_>>())?,
        };
        let doubtful = figures.iter().any(|(_, doubtful)| *doubtful);
        let (low, high) = estimate.interval.map_or((None, None), |i| (Some(i.low), Some(i.high)));
        Some(RampPoint { dop: *dop, value: estimate.median, low, high, doubtful })
    };
    dops.iter().filter_map(point).collect()
}

fn info(side: &Side) -> SideInfo {
    let first = side.runs.first();
    let cpu = first.map(|run| &run.platform.cpu);
    let costs = first.and_then(|run| run.costs.as_ref());
    let cores = cpu.and_then(|c| c.cores).filter(|n| *n > 0);
    let title = first.map_or_else(String::new, |run| match &run.published {
        Some(_) => run.name().to_owned(),
        None => {
            let parts = [run.platform.product.clone(), run.platform.cpu.model.clone(), run.platform.host.clone()];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            let database = if run.is_of_storage() { "storage" } else { &run.database.engine };
            format!("{database} {}, {}", run.database.version, parts.join(", "))
        }
    });
    SideInfo {
        name: side.name.clone(),
        title: title.trim_end_matches([',', ' ']).to_owned(),
        runs: side.runs.iter().map(|run| run.run.id.to_string()).collect(),
        source: first.and_then(|run| run.published.as_ref()).map(|p| p.source.clone()),
        cores,
        threads: cpu.and_then(|c| c.threads).filter(|n| *n > 0),
        usable_cores: cpu.and_then(Cpu::usable_cores).map(|usable| usable.n),
        usable_threads: cpu.and_then(Cpu::usable_threads).map(|usable| usable.n),
        may_use: cpu.and_then(crate::platform::may_use),
        licences: cores.zip(costs.and_then(|c| c.licences_per_core)).map(|(n, factor)| f64::from(n) * factor),
        price_usd: costs.and_then(|c| c.total_usd()).filter(|usd| *usd > 0.0),
        price_terms: costs.and_then(|c| c.terms.clone()),
    }
}
