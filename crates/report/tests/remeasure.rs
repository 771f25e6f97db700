//! Throughput is what was measured again at the best degree of parallelism, never the figures that selected it; and the
//! remarks where nothing was measured again.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

#[allow(dead_code, reason = "each test file uses its part")]
mod fixture;

use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Dop, Flag, Point, RunJson};
use dbdyno_report::figures::{self, FigureQuery, ThroughputSource};
use dbdyno_report::verdict::Verdict;
use dbdyno_report::{Reported, report};

/// A run of one ramp: jobs and rates, and what was measured again.
fn run(ramp: &[(u32, f64)], again: &[(u32, f64)]) -> RunJson {
    let of = fixture::run();
    let template = of.points.iter().find(|p| p.subject.as_str() == "T611").unwrap().clone();
    let point = |(repeat, (jobs, per_s)): (usize, &(u32, f64)), again: bool| {
        let mut point =
            Point { dop: Dop { jobs: *jobs, ..Dop::ONE }, again, repeat: repeat as u32 + 1, ..template.clone() };
        (point.tx_per_s, point.ops_per_s, point.rows_per_s) = (Some(*per_s), Some(*per_s), Some(*per_s));
        point.metric.as_mut().unwrap().value = *per_s;
        point
    };
    let ramp = ramp.iter().map(|place| point((0, place), false));
    let points = ramp.chain(again.iter().enumerate().map(|place| point(place, true))).collect();
    RunJson::new(of.run, of.platform, of.database, points)
}

fn summary(run: &RunJson) -> String {
    report("summary").unwrap().of(&Reported::of(run.clone()), &Catalogue::embedded().unwrap()).text(None)
}

const RAMP: [(u32, f64); 4] = [(1, 100.0), (2, 196.0), (4, 204.0), (8, 150.0)];

#[test]
fn throughput_is_what_was_measured_again() {
    let catalogue = Catalogue::embedded().unwrap();
    let run = run(&RAMP, &[(4, 195.0), (4, 197.0), (4, 196.0)]);
    let found = figures::find(&FigureQuery::new("T611", "tx_per_s"), &run, &catalogue).unwrap();
    let best = found.throughput().unwrap();
    assert_eq!((best.value(), best.dop.unwrap().jobs, best.points.len()), (196.0, 4, 3));
    let interval = best.estimate.interval.unwrap();
    assert!(interval.high < 204.0, "what selected it is not in its interval: {interval:?}");
    assert_eq!(
        (found.standing(), found.beside_the_best()),
        (ThroughputSource::Again, None),
        "repeats have an interval"
    );
    assert_eq!(found.speed().unwrap().value(), 100.0);
    assert_eq!(found.cells.len(), 4, "a curve has each place once");
    let page = summary(&run);
    assert!(page.contains("Throughput is the rate measured again"), "{page}");
    assert!(!page.contains("204"), "{page}");
}

#[test]
fn without_repeats_it_is_said_which_cannot_be_told_from_the_best() {
    let catalogue = Catalogue::embedded().unwrap();
    let run = run(&RAMP, &[(4, 196.0)]);
    let found = figures::find(&FigureQuery::new("T611", "tx_per_s"), &run, &catalogue).unwrap();
    let (low, high) = found.beside_the_best().unwrap();
    assert_eq!((low.jobs, high.jobs), (2, 4));
    assert!(summary(&run).contains("cannot be told from the best: T611 1x2x1 to 1x4x1;"), "{}", summary(&run));
}

#[test]
fn what_was_not_measured_again_says_so() {
    let catalogue = Catalogue::embedded().unwrap();
    let older = run(&RAMP, &[]);
    let found = figures::find(&FigureQuery::new("T611", "tx_per_s"), &older, &catalogue).unwrap();
    assert_eq!((found.throughput().unwrap().value(), found.standing()), (204.0, ThroughputSource::Selected { of: 4 }));
    assert!(summary(&older).contains("T611 is the best of 4 DOPs, not measured again"), "{}", summary(&older));
    let alone = run(&RAMP[..1], &[]);
    assert!(!summary(&alone).contains("measured again"), "nothing was selected: {}", summary(&alone));
}

#[test]
fn a_sound_figure_goes_before_a_doubtful_one() {
    let catalogue = Catalogue::embedded().unwrap();
    let mut run = run(&RAMP, &[(4, 999.0)]);
    run.points.last_mut().unwrap().flag(Flag::ServedFromOsCache, None);
    let found = figures::find(&FigureQuery::new("T611", "tx_per_s"), &run, &catalogue).unwrap();
    assert_eq!((found.throughput().unwrap().value(), found.standing()), (204.0, ThroughputSource::Selected { of: 4 }));
}

/// Reading writes no redo of its own; redo during a reading test comes from others.
#[test]
fn a_run_that_only_reads_has_no_redo_maximum() {
    let mut run = run(&RAMP, &[]);
    for point in &mut run.points {
        point.redo.mib_per_s = Some(0.3);
    }
    let page = summary(&run);
    let line = page.lines().find(|line| line.contains("Redo, maximum")).unwrap();
    assert!(line.contains("not measured: no test that writes"), "{line}");
}

#[test]
fn a_time_that_was_worked_out_says_so_in_the_summary() {
    let mut run = fixture::run();
    let told = "fibonacci(39) was not run: its time is that of fibonacci(22), of which it makes 3571 times the calls";
    let fibonacci = run.points.iter_mut().find(|p| p.subject.as_str() == "T151").unwrap();
    fibonacci.extrapolated.insert("elapsed_s".to_owned(), told.to_owned());
    assert!(summary(&run).contains(&format!("T151: {told}.")), "{}", summary(&run));
}

#[test]
fn a_requirement_is_judged_by_what_was_measured_again() {
    let catalogue = Catalogue::embedded().unwrap();
    let text =
        "title = \"x\"\n[[requirement]]\ntitle = \"rate\"\ntest = \"T611\"\nmetric = \"tx_per_s\"\nminimum = 200\n";
    let requirements = dbdyno_catalogue::Requirements::parse("needs.toml", text, &catalogue).unwrap();
    let met = |run: &RunJson| Verdict::of(run, &requirements).met;
    assert!(met(&run(&RAMP, &[])), "what selected it is above");
    assert!(!met(&run(&RAMP, &[(4, 196.0)])));
}
