//! What reports say about processor limits and the pace.

use super::*;
use crate::sections::{platform, summary};
use dbdyno_model::{Cpu, CpuLimits, Database, MachinePace, MetricValue, Platform, Run, RunId, RunStatus, TestCode};

/// Points of T141 with a rate each, and a second-level cache time relative to its best.
fn run(points: &[(f64, f64)], cpu: Cpu) -> RunJson {
    named("k7m2p9", points, cpu)
}

fn named(id: &str, points: &[(f64, f64)], cpu: Cpu) -> RunJson {
    let header = Run {
        id: RunId::new(id).unwrap(),
        label: None,
        suite: "T141".into(),
        size: "T".into(),
        seed: 1,
        started_at: "2026-03-14T09:26:53Z".parse().unwrap(),
        tool_version: "0.1.0".into(),
        target: "example:x".into(),
        status: RunStatus::Done,
    };
    let database = Database { engine: "example".into(), version: "3".into(), ..Database::default() };
    let points = points.iter().map(|(rate, times)| point(*rate, *times)).collect();
    RunJson::new(header, Platform { cpu, ..Platform::default() }, database, points)
}

fn point(rate: f64, times: f64) -> Point {
    let began = "2026-03-14T09:26:53Z".parse().unwrap();
    let mut point = Point::new(TestCode::new("T141").unwrap(), began);
    point.mapping = "native".to_owned();
    point.ops_per_s = Some(rate);
    point.metric = Some(MetricValue { id: "ops_per_s".into(), value: rate, unit: "1/s".into() });
    let pace = MachinePace { alu_ns: Some(1.0), l2_ns: Some(5.0 * times), llc_ns: Some(30.0), memory_ns: Some(90.0) };
    let sizes = PointPace {
        processors: 2,
        l2_bytes: 1 << 19,
        llc_bytes: 8 << 20,
        memory_bytes: 64 << 20,
        ..PointPace::default()
    };
    point.pace = Some(PointPace { before: Some(pace), after: Some(pace), ..sizes });
    point
}

fn even() -> Vec<(f64, f64)> {
    (0..8).map(|n| (1_000.0 + f64::from(n % 2), 1.0 + 0.005 * f64::from(n % 3))).collect()
}

fn uneven() -> Vec<(f64, f64)> {
    (0..8).map(|n| if n % 2 == 0 { (1_000.0, 1.0) } else { (800.0, 1.69) }).collect()
}

fn sheet(run: &RunJson) -> String {
    Document::of(vec![platform::section(run)]).text(None)
}

/// A processor of 64 cores, with limits.
fn cpu(limits: Option<CpuLimits>) -> Cpu {
    Cpu { cores: Some(64), threads: Some(4), limits, ..Cpu::default() }
}

const LIMITS: CpuLimits =
    CpuLimits { allowed_cores: Some(4), allowed_threads: Some(4), machine_threads: Some(64), quota_processors: None };

#[test]
fn throughput_is_divided_by_the_cores_that_may_be_used() {
    let whole = named("k7m2pa", &even(), cpu(None));
    assert_eq!(summary::per_core(&whole), Some((64.0, "Throughput per core (of 64)".to_owned())));
    let bound = run(&even(), cpu(Some(LIMITS)));
    let title = "Throughput per core (of 4 that it may use, of 64)";
    assert_eq!(summary::per_core(&bound), Some((4.0, title.to_owned())));
    let page = Document::of(summary::report(&bound, &Catalogue::embedded().unwrap())).text(None);
    assert!(page.contains(title) && page.contains("250.1"), "{page}");
    assert!(sheet(&bound).contains("4 of 64 hardware threads on 4 cores"), "{}", sheet(&bound));
    let half = run(&even(), cpu(Some(CpuLimits { quota_processors: Some(1.5), ..LIMITS })));
    assert_eq!(summary::per_core(&half).unwrap().1, "Throughput per core (of 1.5 that it may use, of 64)");
}

#[test]
fn a_comparison_divides_by_the_cores_that_may_be_used() {
    use crate::compare::{CompareOptions, Side, WarningKind, compare};
    let sides = [("A", run(&even(), cpu(Some(LIMITS)))), ("B", named("k7m2pa", &uneven(), cpu(None)))];
    let sides = sides.map(|(name, run)| Side::new(name.to_owned(), vec![run]));
    let comparison = compare(&sides, &CompareOptions::default(), &Catalogue::embedded().unwrap()).unwrap();
    let divisors: Vec<&Vec<Option<f64>>> = comparison.efficiency.iter().map(|e| &e.divisors).collect();
    assert_eq!(divisors, [&vec![Some(4.0), Some(64.0)], &vec![Some(4.0), Some(4.0)]]);
    assert!(comparison.warnings.iter().any(|w| w.kind == WarningKind::Pace), "{:?}", comparison.warnings);
    let text = comparison.document(&sides, &[], &Catalogue::embedded().unwrap(), crate::Extent::Screen).text(None);
    assert!(text.contains("A could use 4 of 64 hardware threads on 4 cores: these divide."), "{text}");
}

#[test]
fn a_sentence_says_how_uneven_the_machine_was_and_what_that_asks_for() {
    let text = sentence(&run(&even(), Cpu::default())).unwrap();
    assert!(text.starts_with("Pace: this machine was even (in one reading of ten a step of "), "{text}");
    let told = "By how this run's own repeats vary, a difference of 5 % takes about 3 repeats on each side.";
    assert!(text.ends_with(told), "{text}");
    let text = sentence(&run(&uneven(), Cpu::default())).unwrap();
    let uneven =
        "Pace: this machine was uneven (in one reading of ten a step of second-level cache took 1.69 times its best";
    assert!(text.starts_with(uneven), "{text}");
    let few = sentence(&run(&self::uneven()[..2], Cpu::default())).unwrap();
    assert!(few.contains("too few points"), "{few}");
    let mut none = run(&even(), Cpu::default());
    none.points.iter_mut().for_each(|p| p.pace = None);
    assert_eq!(sentence(&none), None);
}

/// The spread of the figures decides, not the machine: an uneven cache is irrelevant to tests that do not use it.
#[test]
fn repeats_that_do_not_vary_ask_for_few_however_uneven_the_machine_was() {
    let alike: Vec<(f64, f64)> = uneven().iter().map(|(_, times)| (1_000.0, *times)).collect();
    let mut run = run(&alike, Cpu::default());
    let text = sentence(&run).unwrap();
    assert!(text.contains("was uneven") && text.contains("about 3 repeats on each side."), "{text}");
    // In addition two tests that vary by 12 and 26 %, and one with too few repeats.
    for (test, up, repeats) in [("T421", 1.25, 6), ("T611", 1.6, 6), ("T331", 9.0, 2)] {
        for n in 0..repeats {
            let mut another = point(if n % 2 == 0 { 1_000.0 } else { 1_000.0 * up }, 1.0);
            another.subject = TestCode::new(test).unwrap().into();
            run.points.push(another);
        }
    }
    let text = sentence(&run).unwrap();
    // 2 x (2.8 x 0.1222 / ln 1.05)^2 = 98.4; with ln 1.6 instead of ln 1.25: 436.5
    let told = "about 99 repeats on each side, the median of its tests, and about 437 for T611, which varies most.";
    assert!(text.ends_with(told), "{text}");
}

#[test]
fn without_repeats_a_bound_is_told_and_of_what() {
    let mut run = run(&uneven(), Cpu::default());
    for (n, point) in run.points.iter_mut().enumerate() {
        point.dop.jobs = 1 + n as u32;
    }
    let text = sentence(&run).unwrap();
    assert!(text.contains("is not known from so few (--repeat 5 tells)"), "{text}");
    assert!(
        text.contains("at most about ") && text.ends_with("a test that does nothing but steps of second-level cache."),
        "{text}"
    );
}

#[test]
fn befores_are_set_against_befores() {
    let mut run = run(&even(), Cpu::default());
    for pace in run.points.iter_mut().filter_map(|p| p.pace.as_mut()) {
        let slow = pace.before.as_mut().unwrap();
        slow.l2_ns = slow.l2_ns.map(|ns| 1.5 * ns);
    }
    assert!(sentence(&run).unwrap().contains("was even"), "{:?}", sentence(&run));
    let sheet = sheet(&run);
    assert!(
        sheet.contains("before the points: best tenth 7.5 ns") && sheet.contains("after the points: best tenth 5 ns"),
        "{sheet}"
    );
}

#[test]
fn the_sheet_and_the_page_show_the_pace() {
    let run = run(&uneven(), Cpu::default());
    let page = Document::of(vec![section(&run)]).page();
    assert!(
        page.contains("took 1.69 times its best or more") && page.contains("No figure is corrected by it."),
        "{page}"
    );
    assert!(page.contains("T141 1x1x1, second-level cache: before 1.69, after 1.69"), "{page}");
    assert_eq!(run.points.iter().filter(|p| p.has(Flag::UnevenMachine)).count(), 4);
    let sheet = sheet(&run);
    assert!(sheet.contains("Step of second-level cache") && sheet.contains("a step in 512 KiB"), "{sheet}");
    assert!(sheet.contains("best tenth 5 ns"), "{sheet}");
}

#[test]
fn sides_of_unlike_pace_or_at_uneven_times_are_warned_of() {
    let pace = |a: &[(f64, f64)], b: &[(f64, f64)]| {
        let runs = [a, b].map(|points| run(points, Cpu::default()));
        let sides: Vec<PacedSide<'_>> =
            ["A", "B"].into_iter().zip(&runs).map(|(name, run)| (name, run.points.iter().collect())).collect();
        warnings(&sides)
    };
    assert_eq!(pace(&even(), &even()), Vec::<String>::new());
    let slow: Vec<(f64, f64)> = even().iter().map(|(rate, times)| (*rate, times * 1.4)).collect();
    let unlike = pace(&even(), &slow);
    assert_eq!(unlike.len(), 1, "{unlike:?}");
    assert!(
        unlike[0].starts_with("machines of unlike pace, by the median step of second-level cache (A 5"),
        "{unlike:?}"
    );
    let times = pace(&even(), &uneven());
    assert!(times.iter().any(|t| t.starts_with("the machine of B was uneven while it was measured;")), "{times:?}");
}

#[test]
fn more_noise_needs_more_repeats() {
    assert_eq!(repeats(0.0), 3);
    assert_eq!(repeats(0.01), 3);
    // 2 x (2.8 x 0.05 / ln 1.05)^2 = 16.5
    assert_eq!(repeats(0.05), 17);
    assert_eq!(repeats(0.17), 191);
}
