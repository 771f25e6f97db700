//! The scaling law of each ramp: contention, coherence, knee and peak with their uncertainty; and what multithreading
//! gives.

use super::cell_chart::{CellChart, DOPS};
use super::measured::{MeasuredCell, anchor, by_test, key_metric, main_ramp, metric_words, shown};
use crate::charts::extent;
use crate::legend::title;
use crate::sections::prelude::*;
use dbdyno_model::{Better, Cpu};
use dbdyno_stats::{Fit, Located, NotLocated};

/// Number of points at which the law's line is drawn.
const STEPS: u32 = 48;

/// A test's ramp and its law, or why there is none.
struct FittedRamp<'a> {
    code: SubjectName<'a>,
    title: &'a str,
    metric: &'a MetricId,
    metric_title: &'a str,
    unit: &'a str,
    cells: Vec<&'a MeasuredCell<'a>>,
    law: Result<Fit, NotLocated>,
}

impl<'a> FittedRamp<'a> {
    fn points(&self) -> impl Iterator<Item = &'a Point> {
        self.cells.iter().flat_map(|c| c.ok())
    }

    fn flags(&self) -> Vec<Flag> {
        self.cells.iter().flat_map(|c| c.cell.flags.iter().copied()).collect()
    }
}

/// The section of a run; without blocks where it has no ramp.
pub(crate) fn section(run: &RunJson, catalogue: &Catalogue) -> Section {
    of_ramps(&ramps(&MeasuredCell::on_ramps(run), catalogue), &run.platform.cpu)
}

/// The report of it alone, with its legend.
pub(crate) fn report(run: &RunJson, catalogue: &Catalogue) -> Vec<Section> {
    let cells = MeasuredCell::on_ramps(run);
    let ramps = ramps(&cells, catalogue);
    let section = alone(of_ramps(&ramps, &run.platform.cpu));
    let mut legend = Legend::default();
    for ramp in ramps.iter().filter(|ramp| ramp.law.is_ok()) {
        legend.add(ramp.points(), ramp.flags());
        for point in ramp.points() {
            legend.doubts.add(format!("{} {} {}", ramp.code, point.dop, ramp.metric), point.suspect(ramp.metric));
        }
    }
    vec![section.with(legend.blocks()).with(source(run))]
}

fn of_ramps(ramps: &[FittedRamp<'_>], cpu: &Cpu) -> Section {
    let told = || ramps.iter().filter_map(|ramp| Some((ramp, ramp.law.as_ref().ok()?)));
    let charts = Block::Charts(told().filter_map(chart).collect());
    let laws = explained("scaling", "laws", told().map(row).collect());
    let untold = ramps.iter().filter_map(|ramp| Some((ramp.law.as_ref().err()?.to_string(), ramp.code)));
    let note = |(why, codes): (String, Vec<SubjectName<'_>>)| Note::plain(format!("{}: {why}.", join(&codes))).into();
    let threads: Vec<String> = ramps.iter().filter_map(|ramp| multithreading(ramp, cpu)).collect();
    let untold = grouped(untold).into_iter().map(note);
    words::section("scaling").with([charts]).with(laws).with(untold).with([threads.into()])
}

/// The ramps of rates, with their laws.
fn ramps<'a>(cells: &'a [MeasuredCell<'a>], catalogue: &'a Catalogue) -> Vec<FittedRamp<'a>> {
    by_test(cells).into_iter().filter_map(|(code, cells)| ramp(code, &cells, catalogue)).collect()
}

fn ramp<'a>(code: SubjectName<'a>, cells: &[&'a MeasuredCell<'a>], catalogue: &'a Catalogue) -> Option<FittedRamp<'a>> {
    let mut cells = main_ramp(cells);
    let metric = key_metric(&cells)?;
    let is_rising = catalogue.metric(metric).is_ok_and(|m| m.better == Better::Higher);
    cells.retain(|c| c.cell.median.is_some() && c.has_key(metric));
    if !is_rising || cells.len() < 2 {
        return None;
    }
    // Every repeat is a point of the fit.
    let rate = |point: &Point| point.metric.as_ref().filter(|m| m.id == *metric).map(|m| m.value);
    let rates = cells.iter().flat_map(|c| c.ok().filter_map(|p| Some((c.parallelism(), rate(p)?))));
    let law = Fit::of(&rates.collect::<Vec<_>>());
    let (metric_title, unit) = metric_words(metric, catalogue);
    Some(FittedRamp { code, title: title(code, catalogue), metric, metric_title, unit, cells, law })
}

/// What was measured along a ramp, and its law.
fn chart((ramp, fit): (&FittedRamp<'_>, &Fit)) -> Option<LineChart> {
    let about = format!("{}, {}", ramp.metric_title, ramp.unit);
    let mut draft = CellChart::new(format!("{} {}", ramp.code, ramp.title), ramp.unit, DOPS).about(about);
    draft.add("measured", &ramp.cells, |c| Some((c.cell.median?, c.interval(), String::new())));
    let mut chart = draft.done(None)?;
    let measured = chart.series.first_mut()?;
    measured.drawn = SeriesShape::Marks;
    // The marks of a series are in order.
    let [first, .., last] = &measured.marks[..] else { return None };
    let line = (0..=STEPS).map(|n| {
        let x = first.x * (last.x / first.x).powf(f64::from(n) / f64::from(STEPS));
        Mark { x, y: fit.law.at(x), band: None, doubtful: false, text: String::new() }
    });
    let law = ChartSeries::new("law", 1, line.collect()).drawn(SeriesShape::Line);
    // The law is drawn below what was measured.
    chart.series.insert(0, law);
    chart.y = Axis::amounts(extent(&chart.series));
    Some(chart)
}

fn row((ramp, fit): (&FittedRamp<'_>, &Fit)) -> Row {
    let (law, peak) = (fit.law, fit.peak());
    let is_doubtful = ramp.cells.iter().any(|c| c.is_doubtful());
    let rate = |value: Option<f64>| Cell::known(value, Form::Thousands).doubtful(is_doubtful);
    // A fit ends near zero where there is none.
    let share = |value: f64| Cell::figure(if value.abs() < 1e-9 { 0.0 } else { value }, Form::Thousands);
    let marks = marks(ramp.points(), &ramp.flags());
    // Doubts about other figures than its rates do not matter here.
    let is_doubted = ramp.points().any(|p| p.suspect(ramp.metric).is_some());
    Row::Cells(vec![
        Cell { link: Some(anchor(ramp.code)), ..Cell::words(ramp.code.name) },
        Cell::words(ramp.unit),
        rate(Some(law.lambda)),
        share(law.sigma),
        share(law.kappa),
        Cell::words(located(&fit.knee())),
        Cell::words(located(&peak)),
        rate(peak.ok().map(|peak| law.at(peak.dop))),
        Cell::marks(if is_doubted { marks } else { marks.replace(SUSPECT, "") }),
    ])
}

/// A degree of parallelism with its uncertainty, or what is known of it.
fn located(found: &Result<Located, NotLocated>) -> String {
    match found {
        Ok(Located { dop, interval }) if interval.high.is_finite() => {
            format!("{dop:.0} ({:.0} to {:.0})", interval.low, interval.high)
        }
        Ok(Located { dop, interval }) => format!("{dop:.0} ({:.0} or more)", interval.low),
        Err(NotLocated::BeyondRamp { highest }) => format!("beyond {highest}"),
        Err(NotLocated::PerhapsBeyondRamp { dop, highest }) => format!("near {dop:.0} or beyond {highest}"),
        Err(why) => why.to_string(),
    }
}

/// Share of the processors, in percent, from which they were what the work waited for.
const BUSY_PCT: f64 = 90.0;

/// The rate at all hardware threads beside that at all cores, where processors limited it and no figure is doubtful.
fn multithreading(ramp: &FittedRamp<'_>, cpu: &Cpu) -> Option<String> {
    let (cores, threads) = (cpu.usable_cores()?.n, cpu.usable_threads()?.n);
    let is_sound = |c: &MeasuredCell<'_>| !c.is_doubtful() && c.ok().all(|p| p.suspect(ramp.metric).is_none());
    let at = |n: f64| {
        let here = |c: &&MeasuredCell<'_>| c.dop().nodes == 1 && c.parallelism() == n;
        ramp.cells.iter().copied().find(here).filter(|c| is_sound(c))
    };
    let of_cores = at(cores).filter(|_| threads > cores)?;
    let of_threads = at(threads).filter(|c| c.median(|p| p.cpu.busy_pct).is_some_and(|pct| pct >= BUSY_PCT))?;
    let (low, high) = (of_cores.cell.median?, of_threads.cell.median?);
    let overlap = of_cores.interval().zip(of_threads.interval()).is_some_and(|(a, b)| a.0 <= b.1 && b.0 <= a.1);
    let gain = Form::Signed.text((high / low - 1.0) * 100.0) + " %";
    let gain = if overlap { "nothing measurable" } else { gain.as_str() };
    let (threads, cores) = (counted(threads as u64, "hardware thread"), counted(cores as u64, "core"));
    let [high, low] = [high, low].map(|rate| shown(rate, ramp.unit));
    let what = format!("{gain} with {threads} in place of {cores}, {high} beside {low}");
    Some(format!("Multithreading, {} {}: {what}", ramp.code, ramp.title))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::measured::fixture;

    fn text(points: Vec<Point>) -> String {
        let run = fixture::run(points);
        Document::of(report(&run, &Catalogue::embedded().unwrap())).text(None)
    }

    /// One job, all cores, all hardware threads.
    fn busy(rates: [f64; 3]) -> Vec<Point> {
        let point = |(jobs, rate)| {
            let mut point = fixture::point("T141", jobs, "ops_per_s", rate);
            point.cpu.busy_pct = Some(25.0 * f64::from(jobs));
            point
        };
        [1, 2, 4].into_iter().zip(rates).map(point).collect()
    }

    #[test]
    fn multithreading_is_judged_where_processors_were_the_limit() {
        let said = text(busy([100.0, 200.0, 230.0]));
        let sentence = "- Multithreading, T141 String mix on VARCHAR(32): +15 % with 4 hardware threads in place of 2 \
                        cores, 230.0 ops/s beside 200.0 ops/s\n";
        assert!(said.contains(sentence), "{said}");
        assert!(text(busy([100.0, 200.0, 190.0])).contains(": -5.0 % with 4 hardware threads"));
        let without = |spoil: fn(&mut Vec<Point>)| {
            let mut points = busy([100.0, 200.0, 230.0]);
            spoil(&mut points);
            assert!(!text(points).contains("hardware threads"));
        };
        without(|points| points[2].cpu.busy_pct = Some(60.0));
        without(|points| points[1].flag(Flag::TooShort, None));
        without(|points| _ = points.remove(1));
        let repeats = [(1, 1.0), (2, 1.1), (3, 0.9)];
        let repeated = repeats.iter().flat_map(|(repeat, factor)| {
            let points = busy([100.0 * factor, 200.0 * factor, 205.0 * factor]);
            points.into_iter().map(|point| Point { repeat: *repeat, ..point })
        });
        assert!(text(repeated.collect()).contains(": nothing measurable with 4 hardware threads"));
    }

    /// A point on a curve that bends.
    fn bent(jobs: u32) -> Point {
        let n = f64::from(jobs);
        fixture::point("T611", jobs, "tx_per_s", 1_000.0 * n / (1.0 + 0.05 * (n - 1.0) + 0.002 * n * (n - 1.0)))
    }

    #[test]
    fn the_line_of_a_law_ends_at_the_highest_parallelism_also_where_threads_reach_it() {
        let mut points = [1, 32, 2, 4, 8, 16, 12].map(bent);
        // One job with 32 threads is before two jobs, and above 16.
        (points[1].dop.jobs, points[1].dop.threads) = (1, 32);
        let run = fixture::run(points.into());
        let section = section(&run, &Catalogue::embedded().unwrap());
        let Some(Block::Charts(charts)) = section.blocks.first() else { panic!("{section:?}") };
        let law = charts[0].series.iter().find(|series| series.name == "law").unwrap();
        let ends = [law.marks.first(), law.marks.last()].map(|mark| mark.unwrap().x.round());
        assert_eq!(ends, [1.0, 32.0]);
    }

    #[test]
    fn a_ramp_that_is_long_enough_has_a_law() {
        let long = text([1, 2, 4, 8, 16, 32, 64].map(bent).into());
        assert!(long.contains("0.0500"), "{long}");
        assert!(long.contains("22 (22 to 22)"), "{long}");
        let short = text([1, 2].map(bent).into());
        assert!(short.contains("T611: cannot tell: the ramp has 2 degrees of parallelism"), "{short}");
    }
}
