//! Finding a summary line's figures among the points of a run: the median of each cell, then speed and throughput.

use super::lines::{Line, REDO};
use crate::legend::{self, refusal};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{CellKey, Dop, Drive, Flag, MetricId, Point, RunJson, Status, TestCode};
use dbdyno_stats::Estimate;

/// Flags that turn a figure into one of something else than the test means: memory in place of a device, or a device
/// in place of the engine's cache. Such a figure stands in parentheses.
pub(crate) const DOUBTFUL: [Flag; 2] = [Flag::NotCached, Flag::ServedFromOsCache];

/// What is said of a line without any points.
pub(crate) const NOT_MEASURED: &str = "not measured";

/// The repeats of one cell, and what they say.
#[derive(Debug, Clone)]
pub(crate) struct CellFigure<'a> {
    pub(crate) dop: Dop,
    pub(crate) estimate: Estimate,
    /// Median time of one operation.
    pub(crate) time_s: Option<f64>,
    pub(crate) points: Vec<&'a Point>,
}

impl CellFigure<'_> {
    /// Whether the figure belongs in parentheses.
    pub(crate) fn is_doubtful(&self) -> bool {
        any_has(&self.points, &DOUBTFUL)
    }
}

fn any_has(points: &[&Point], flags: &[Flag]) -> bool {
    points.iter().any(|p| flags.iter().any(|f| p.has(*f)))
}

/// What a line has to show.
#[derive(Debug, Clone)]
pub(crate) struct Found<'a> {
    /// The test whose figures these are, or whose lack of figures is explained.
    pub(crate) test: String,
    /// Its cells, or why there are none.
    pub(crate) cells: Result<Vec<CellFigure<'a>>, String>,
    /// Tests that it stands in for because the engine does not support them.
    pub(crate) instead_of: Vec<&'a Point>,
}

impl<'a> Found<'a> {
    /// The cell at DOP 1.
    pub(crate) fn speed(&self) -> Option<&CellFigure<'a>> {
        self.cells.as_ref().ok()?.iter().find(|c| c.dop == Dop::ONE)
    }

    /// Whether there was anything to find figures in.
    pub(crate) fn is_measured(&self) -> bool {
        !matches!(&self.cells, Err(why) if why == NOT_MEASURED)
    }

    /// The cell with the best median. A sound figure goes before a doubtful one, however much smaller it is.
    pub(crate) fn throughput(&self) -> Option<&CellFigure<'a>> {
        best(self.cells.as_ref().ok()?.iter())
    }
}

fn best<'c, 'a>(cells: impl Iterator<Item = &'c CellFigure<'a>>) -> Option<&'c CellFigure<'a>> {
    cells.max_by(|a, b| {
        let soundness = b.is_doubtful().cmp(&a.is_doubtful());
        soundness.then(a.estimate.median.total_cmp(&b.estimate.median))
    })
}

/// Finds the figures of a line.
pub(crate) fn find<'a>(line: &Line, run: &'a RunJson, catalogue: &Catalogue) -> Found<'a> {
    let mut instead_of = Vec::new();
    let mut unsupported = None;
    for code in line.tests {
        let points: Vec<&Point> = run.points.iter().filter(|p| p.test.as_str() == *code).collect();
        if points.is_empty() {
            continue;
        }
        if let Some(point) = points.iter().copied().find(|_| points.iter().all(|p| p.status == Status::Unsupported)) {
            instead_of.push(point);
            unsupported.get_or_insert((code, refusal(point)));
            continue;
        }
        return Found { test: (*code).to_owned(), cells: figures(line, &points, catalogue), instead_of };
    }
    let (code, reason) = unsupported.unwrap_or((line.tests.first().unwrap_or(&""), None));
    let reason = reason.unwrap_or_else(|| NOT_MEASURED.to_owned());
    Found { test: (*code).to_owned(), cells: Err(reason), instead_of: Vec::new() }
}

fn figures<'a>(line: &Line, points: &[&'a Point], catalogue: &Catalogue) -> Result<Vec<CellFigure<'a>>, String> {
    let rated = points.iter().all(|p| p.load.rate.is_some());
    let ok = comparable(points, catalogue);
    if ok.is_empty() {
        let set = rated.then(|| "measured at set rates alone, see --table latency".to_owned());
        let reason = set.or_else(|| points.iter().rev().find_map(|p| refusal(p)));
        return Err(reason.unwrap_or_else(|| NOT_MEASURED.to_owned()));
    }
    let all = cells(&ok, line);
    if all.is_empty() {
        let why = ok.iter().find_map(|p| missing(p, line.metric));
        return Err(format!("no figure: {}", why.unwrap_or("the points have no such value")));
    }
    let allowed: Vec<CellFigure<'_>> = all.into_iter().filter(|c| !any_has(&c.points, line.barred_by)).collect();
    if allowed.is_empty() {
        let why: Vec<&str> = line.barred_by.iter().map(|f| f.advice()).collect();
        return Err(format!("no figure: {}", why.join("; ")));
    }
    Ok(allowed)
}

/// The measured points that may stand in one line: those of one drive (the server's, if it has any) and of the
/// transaction size that the test names; a last step with larger transactions is reported apart.
fn comparable<'a>(points: &[&'a Point], catalogue: &Catalogue) -> Vec<&'a Point> {
    // What was asked for is no measure of what can be reached.
    let reached = |p: &&Point| p.status == Status::Ok && p.load.rate.is_none();
    let mut ok: Vec<&Point> = points.iter().copied().filter(reached).collect();
    if ok.iter().any(|p| p.drive == Drive::Server) {
        ok.retain(|p| p.drive == Drive::Server);
    }
    let named = |code: &TestCode| catalogue.test(code.as_str()).ok().and_then(|t| t.rows_per_tx);
    if let Some(size) = ok.first().and_then(|p| named(&p.test))
        && ok.iter().any(|p| p.rows_per_tx == size)
    {
        ok.retain(|p| p.rows_per_tx == size);
    }
    ok
}

/// One figure per cell that has the metric.
fn cells<'a>(points: &[&'a Point], line: &Line) -> Vec<CellFigure<'a>> {
    let mut groups: Vec<(CellKey, Vec<&Point>)> = Vec::new();
    for point in points {
        let key = CellKey::of(point);
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, members)) => members.push(point),
            None => groups.push((key, vec![point])),
        }
    }
    let figure = |(key, points): (CellKey, Vec<&'a Point>)| {
        let in_doubt = line.metric_in_doubt.filter(|_| any_has(&points, &DOUBTFUL));
        let estimate = in_doubt.and_then(|m| median(&points, m)).or_else(|| median(&points, line.metric))?;
        let time_s = line.time.and_then(|t| median(&points, t)).map(|e| e.median);
        Some(CellFigure { dop: key.dop, estimate, time_s, points })
    };
    groups.into_iter().filter_map(figure).collect()
}

fn median(points: &[&Point], metric: &str) -> Option<Estimate> {
    let metric = MetricId::from(metric);
    let values: Vec<f64> = points.iter().filter_map(|p| p.value(&metric)).collect();
    Estimate::of(&values)
}

/// The cell with the highest redo rate of the whole run.
pub(crate) fn most_redo(run: &RunJson) -> Option<CellFigure<'_>> {
    let reached = |p: &&Point| p.status == Status::Ok && p.load.rate.is_none();
    let ok: Vec<&Point> = run.points.iter().filter(reached).collect();
    let cells = cells(&ok, &REDO);
    // Reading writes no redo; that is no figure of the platform.
    cells.into_iter().filter(|c| c.estimate.median > 0.0).max_by(|a, b| a.estimate.median.total_cmp(&b.estimate.median))
}

/// Why a point lacks a metric.
pub(crate) fn missing<'p>(point: &'p Point, metric: &str) -> Option<&'p str> {
    let path = match metric {
        "read_iops"
        | "write_iops"
        | "read_mib_per_s"
        | "write_mib_per_s"
        | "read_service_time_s"
        | "write_service_time_s" => format!("io.{metric}"),
        "service_time_s" => format!("{metric}.mean"),
        _ => match metric.strip_prefix("redo_") {
            Some(rest) => format!("redo.{rest}"),
            None => metric.to_owned(),
        },
    };
    legend::missing(point, &path)
}
