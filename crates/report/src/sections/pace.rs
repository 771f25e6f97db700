//! The machine's own pace: how uneven it was, how many repeats are therefore needed, and where two sides differ in it.
//! It corrects no figure.

use crate::sections::prelude::*;
use dbdyno_model::{PaceKind, PaceSpread, PointPace};
use serde::Serialize;

/// The ratio that a comparison should detect.
const DIFFERENCE: f64 = 1.05;
/// Standard normal quantiles for 95 % confidence (two-sided) and a power of 80 %.
const DEVIATES: f64 = 1.96 + 0.84;
/// Fewest repeats for an interval.
const FEWEST_REPEATS: f64 = 3.0;
/// Degrees of freedom from which the spread of a test's repeats is known.
const FEWEST_FREE: usize = 4;
/// Medians of two sides that differ by this factor indicate a different pace.
pub(crate) const UNLIKE: f64 = 1.15;
/// What is said of such sides, before the kinds of steps.
pub(crate) const UNLIKE_PACE: &str = "machines of unlike pace, by the median step of";

/// A side of a comparison: its name, and the points of all its runs.
pub(crate) type PacedSide<'a> = (&'a str, Vec<&'a Point>);

/// The section of a run; without blocks where no pace was taken.
pub(crate) fn section(run: &RunJson) -> Section {
    let said = sentence(run).map(|sentence| Note::plain(format!("{sentence} No figure is corrected by it.")).into());
    words::section("pace").with(said).with(chart(run).map(|chart| vec![chart].into()))
}

/// How uneven the machine was, and how many repeats a difference of 5 % needs here. `None` where no pace was taken.
fn sentence(run: &RunJson) -> Option<String> {
    let spreads = spreads(&run.points);
    let beyond = |spread: &PaceSpread| spread.unevenness / spread.kind.bound();
    let worst = spreads.iter().max_by(|a, b| beyond(a).total_cmp(&beyond(b)))?;
    if !worst.is_known() {
        return Some("Pace: it was taken around too few points to say how even this machine was.".to_owned());
    }
    let tests = by_repeats(&run.points);
    let needs = match tests.last() {
        // Only a bound can be given, for the machine's own influence.
        None => {
            let widest = spreads.iter().max_by(|a, b| a.log_sd.total_cmp(&b.log_sd))?;
            let bound = count(repeats(widest.log_sd));
            text("pace", "too_few").replace("{bound}", &bound).replace("{step}", widest.kind.name())
        }
        Some((most, test)) => {
            let half = tests[(tests.len() - 1) / 2].0;
            let most = (*most > half).then(|| text("pace", "most").replace("{most}", &count(*most)));
            let most = most.map_or_else(String::new, |most| most.replace("{test}", &test.to_string()));
            text("pace", "by_repeats").replace("{half}", &count(half)).replace("{and}", &most)
        }
    };
    let (even, step) = (if worst.is_uneven() { "uneven" } else { "even" }, worst.kind.name());
    let most = format!("in one reading of ten a step of {step} took {:.2} times its best or more", worst.unevenness);
    Some(format!("Pace: this machine was {even} ({most}). {needs}"))
}

fn spreads<'a>(points: impl IntoIterator<Item = &'a Point> + Clone) -> Vec<PaceSpread> {
    PaceKind::ALL.into_iter().filter_map(|kind| PaceSpread::of(points.clone(), kind)).collect()
}

/// Repeats per side to detect a difference of 5 %, for values whose logarithms have this standard deviation.
fn repeats(log_sd: f64) -> u64 {
    let needed = 2.0 * (DEVIATES * log_sd / DIFFERENCE.ln()).powi(2);
    needed.ceil().clamp(FEWEST_REPEATS, 1e9) as u64
}

/// The repeats that each test needs, from the spread of its figures within their cells; the test with the fewest comes
/// first. Tests with too few repeats are left out.
fn by_repeats(points: &[Point]) -> Vec<(u64, SubjectName<'_>)> {
    let logs = points.iter().filter(|p| p.status == Status::Ok).filter_map(|point| {
        let metric = point.metric.as_ref().filter(|m| m.value > 0.0)?;
        Some(((point.subject.name(), CellKey::of(point), &metric.id), metric.value.ln()))
    });
    let tests = grouped(grouped(logs).into_iter().map(|((test, ..), logs)| (test, logs)));
    let squares = |logs: &Vec<f64>| {
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>()
    };
    let known = tests.into_iter().filter_map(|(test, cells)| {
        let free: usize = cells.iter().map(|logs| logs.len() - 1).sum();
        let sum: f64 = cells.iter().map(squares).sum();
        (free >= FEWEST_FREE).then(|| (repeats((sum / free as f64).sqrt()), test))
    });
    let mut known: Vec<(u64, SubjectName<'_>)> = known.collect();
    known.sort_unstable();
    known
}

/// Stands before the side whose machine was uneven.
pub(crate) const MACHINE_OF: &str = "the machine of";

/// Sentences about sides with a different pace, and about sides whose machine was uneven; empty where there are none.
pub(crate) fn warnings(sides: &[PacedSide<'_>]) -> Vec<String> {
    let kinds: Vec<String> = PaceKind::ALL.into_iter().filter_map(|kind| unlike(sides, kind)).collect();
    let unlike = (!kinds.is_empty()).then(|| format!("{UNLIKE_PACE} {}", kinds.join("; ")));
    let uneven = sides.iter().filter_map(|(name, points)| Some(format!("{MACHINE_OF} {name} {}", uneven(points)?)));
    unlike.into_iter().chain(uneven).collect()
}

/// How uneven a machine was, if it was.
pub(crate) fn uneven(points: &[&Point]) -> Option<String> {
    let spreads = spreads(points.iter().copied()).into_iter().filter(PaceSpread::is_uneven);
    let times: Vec<String> = spreads.map(|s| format!("{} {:.2}", s.kind.name(), s.unevenness)).collect();
    let what = "was uneven while it was measured; times its best at the 90th percentile";
    (!times.is_empty()).then(|| format!("{what}: {}", times.join(", ")))
}

/// The pace of a side in steps of one kind; the gallery's pages have it by the names of these fields.
#[derive(Serialize)]
pub(crate) struct SidePace {
    /// The median.
    ns: f64,
    /// The size of the table that they go through: with another one a step is other work.
    bytes: u64,
    /// The median in words.
    words: String,
}

impl SidePace {
    /// `None` where no pace was taken, or the runs of the side have tables of several sizes.
    pub(crate) fn of(points: &[&Point], kind: PaceKind) -> Option<Self> {
        let ns = PaceSpread::of(points.iter().copied(), kind)?.median_ns();
        let tables = unique(points.iter().filter_map(|p| p.pace.as_ref()).map(|pace| table_bytes(pace, kind)));
        let &[bytes] = tables.as_slice() else { return None };
        Some(Self { ns, bytes, words: format!("{} ns", short(ns)) })
    }
}

/// The medians of the sides for one kind of step, where they indicate a different pace.
fn unlike(sides: &[PacedSide<'_>], kind: PaceKind) -> Option<String> {
    let paces: Vec<_> = sides.iter().filter_map(|(name, points)| Some((*name, SidePace::of(points, kind)?))).collect();
    let is_same = paces.windows(2).all(|pair| pair[0].1.bytes == pair[1].1.bytes);
    let least = paces.iter().map(|(_, pace)| pace.ns).fold(f64::INFINITY, f64::min);
    let most = paces.iter().map(|(_, pace)| pace.ns).fold(0.0, f64::max);
    let each: Vec<String> = paces.into_iter().map(|(name, pace)| format!("{name} {}", pace.words)).collect();
    (is_same && most > UNLIKE * least).then(|| format!("{} ({})", kind.name(), each.join(", ")))
}

/// The size of the table that steps of a kind go through; arithmetic has none.
pub(super) fn table_bytes(pace: &PointPace, kind: PaceKind) -> u64 {
    match kind {
        PaceKind::Alu => 0,
        PaceKind::L2 => pace.l2_bytes,
        PaceKind::Llc => pace.llc_bytes,
        PaceKind::Memory => pace.memory_bytes,
    }
}

/// The pace over the time of a run.
fn chart(run: &RunJson) -> Option<LineChart> {
    let began = run.points.iter().map(|p| p.started_at).min()?;
    let line = |(n, kind): (usize, PaceKind)| {
        let spread = PaceSpread::of(&run.points, kind)?;
        let at = |point: &Point| point.started_at.duration_since(began).as_secs_f64() / 60.0;
        let marks = run.points.iter().filter_map(|point| mark(point, &spread, at(point))).collect();
        Some(ChartSeries::new(kind.name(), n, marks).drawn(SeriesShape::Line))
    };
    let series = PaceKind::ALL.into_iter().enumerate().filter_map(line).collect();
    let unit = "times the best tenth of those before the points, or of those after; the slower one";
    LineChart::of("Time of a step", unit, "minutes since the first point", [Axis::amounts, Axis::amounts], series)
}

fn mark(point: &Point, spread: &PaceSpread, x: f64) -> Option<Mark> {
    let pace = point.pace.as_ref()?;
    let [before, after] = spread.times(pace).map(|times| Form::Decimals(2).text(times));
    let text =
        format!("{} {}, {}: before {before}, after {after}", point.subject.name(), point.dop, spread.kind.name());
    Some(Mark { x, y: spread.slower_times(pace)?, band: None, doubtful: false, text })
}

#[cfg(test)]
mod tests;
