//! Trends: changes with what of the platform changed there, notes, what begins another series, losses that nobody has
//! noted, and names that would like to be markup.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

mod watched;

use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Flag, MetricValue, Point, RunId, RunJson, RunNote, Status};
use dbdyno_report::trend::{Trend, TrendOptions, TrendRuns};
use dbdyno_report::trend_document;
use dbdyno_stats::SplitMix64;
use std::path::Path;
use watched::{BEGAN, run_of, test};

/// The runs of a test, one a night.
const NIGHTS: usize = 40;
/// The first night of another kernel.
const NEW_KERNEL: usize = 25;

fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden_trend").join(name);
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert!(expected == text, "{name} differs from its golden file. It is now:\n{text}");
}

/// About 1, with a standard deviation of 1 %.
fn noise(random: &mut SplitMix64) -> f64 {
    let sum: f64 = (0..12).map(|_| random.uniform()).sum();
    1.0 + (sum - 6.0) * 0.01
}

fn point(code: &str, jobs: u32, ops_per_s: f64) -> Point {
    let metric = Some(MetricValue { id: "ops_per_s".into(), value: ops_per_s, unit: "1/s".to_owned() });
    Point { metric, ..test(code, jobs, ops_per_s, 50.0) }
}

/// A run a night. T611 loses 7 % with a new kernel, T621 stays, one night of T621 is far off.
fn nights() -> Vec<RunJson> {
    let mut random = SplitMix64::new(26);
    let night = |n: usize| {
        let lost = if n >= NEW_KERNEL { 0.93 } else { 1.0 };
        let off = if n == 12 { 0.6 } else { 1.0 };
        let points = vec![
            point("T611", 1, 100_000.0 * lost * noise(&mut random)),
            point("T611", 2, 180_000.0 * lost * noise(&mut random)),
            point("T621", 1, 20_000.0 * off * noise(&mut random)),
        ];
        let mut run = run_of(&format!("n1ght{n:03}"), points);
        let began: jiff::Timestamp = BEGAN.parse().unwrap();
        run.run.started_at = began + jiff::SignedDuration::from_hours(24 * n as i64);
        run.run.label = Some("nightly".to_owned());
        run.platform.kernel = Some(if n >= NEW_KERNEL { "6.1.0-23" } else { "6.1.0-22" }.to_owned());
        run
    };
    (0..NIGHTS).map(night).collect()
}

fn trend_with(runs: &[RunJson], options: TrendOptions<'_>) -> Trend {
    let catalogue = Catalogue::embedded().unwrap();
    let mut trend = TrendRuns::new(&catalogue, options);
    for run in runs {
        trend.add(run, run.run.id.as_str());
    }
    trend.trend().unwrap()
}

fn trend(runs: &[RunJson]) -> Trend {
    trend_with(runs, TrendOptions { most_loss_pct: Some(5.0), ..TrendOptions::default() })
}

fn id(n: usize) -> RunId {
    RunId::new(&format!("n1ght{n:03}")).unwrap()
}

#[test]
fn a_change_is_shown_with_what_changed_there() {
    let found = trend(&nights());
    let names: Vec<&str> = found.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names, ["T611, 1 job", "T611, 2 jobs", "T621, 1 job"]);
    let [change] = found.changes.as_slice() else { panic!("{:#?}", found.changes) };
    assert_eq!((&change.before_run, &change.after_run), (&id(NEW_KERNEL - 1), &id(NEW_KERNEL)));
    assert_eq!(change.series, [(0, 0), (1, 0)]);
    let facts: Vec<_> = change.facts.iter().map(|fact| (fact.name.as_str(), fact.after.as_deref())).collect();
    assert_eq!(facts, [("kernel", Some("6.1.0-23"))]);
    for series in &found.series[..2] {
        let change = series.changes[0];
        assert!(change.is_worse && (change.low..change.high).contains(&0.93), "{change:?}");
    }
    let off: Vec<usize> = found.series[2].outliers.iter().map(|outlier| outlier.step).collect();
    assert_eq!((off, found.series[2].changes.len()), (vec![12], 0), "one night is no change");
    golden("changed.txt", &trend_document(&found, "nightly").text(None));
    golden("changed.80.txt", &trend_document(&found, "nightly").text(Some(80)));
    let page = trend_document(&found, "nightly").page();
    let body = page.split_once("<body").unwrap().1.split("<script>").next().unwrap();
    golden("changed.html", &body.replace('<', "\n<").replace("\n</", "</"));
}

#[test]
fn what_is_noted_is_no_new_loss() {
    let mut runs = nights();
    let new = trend(&runs).new_losses.unwrap();
    let lost: Vec<(usize, usize)> = new.broken.iter().map(|loss| (loss.series, loss.since_step)).collect();
    assert_eq!(lost, [(0, NEW_KERNEL), (1, NEW_KERNEL)]);
    runs[NEW_KERNEL].notes.push(note("another kernel"));
    let noted = trend(&runs);
    assert_eq!(noted.new_losses.as_ref().unwrap().broken, []);
    assert!(trend_document(&noted, "nightly").text(None).contains("noted: another kernel"));
    // A note elsewhere is of something else.
    runs[NEW_KERNEL].notes.clear();
    runs[5].notes.push(note("another disk"));
    assert_eq!(trend(&runs).new_losses.unwrap().broken.len(), 2);
}

#[test]
fn other_work_begins_another_series() {
    let mut runs = nights();
    for run in &mut runs[NEW_KERNEL..] {
        for point in &mut run.points {
            point.definition = "fedcba9876543210".to_owned();
        }
    }
    let found = trend(&runs);
    assert_eq!(found.changes, []);
    let names: Vec<&str> = found.series.iter().map(|series| series.name.as_str()).collect();
    assert_eq!(names[..2], ["T611, 1 job, definition 01234567", "T611, 1 job, definition fedcba98"]);
    let mut runs = nights();
    for run in &mut runs[..10] {
        run.run.target = "postgres://other/bench".to_owned();
    }
    assert_eq!(trend(&runs).series.len(), 6, "another server is another platform");
}

#[test]
fn doubtful_figures_are_left_out_and_said() {
    let mut runs = nights();
    for run in &mut runs[10..13] {
        run.points[2].flags.push(Flag::TooShort);
    }
    let found = trend(&runs);
    assert_eq!(found.left_out.get("too_short"), Some(&3));
    assert_eq!(found.series[2].outliers, [], "the night that was off is among them");
    assert!(trend_document(&found, "x").text(None).contains("3 too_short"));
}

#[test]
fn a_test_that_fails_since_some_night_is_said() {
    let mut runs = nights();
    for run in &mut runs[30..] {
        run.points[2].status = Status::Failed;
    }
    let found = trend(&runs);
    let since: Vec<Option<usize>> = found.series.iter().map(|series| series.missing_since).collect();
    assert_eq!(since, [None, None, Some(30)]);
    let text = trend_document(&found, "nightly").text(None);
    assert!(text.contains("No figure any more: T621, 1 job since n1ght030 (failed)."), "{text}");
}

#[test]
fn the_runs_of_a_label_are_samples_of_one_step() {
    let catalogue = Catalogue::embedded().unwrap();
    let mut trend = TrendRuns::new(&catalogue, TrendOptions::default());
    for (n, run) in nights().iter().enumerate() {
        trend.add(run, &format!("15.{}", n / 5));
    }
    let found = trend.trend().unwrap();
    assert_eq!((found.steps.len(), found.runs.len()), (8, 40));
    let [change] = found.changes.as_slice() else { panic!("{:#?}", found.changes) };
    assert_eq!((found.steps[change.after_step].name.as_str(), &change.after_run), ("15.5", &id(NEW_KERNEL)));
}

fn note(text: &str) -> RunNote {
    RunNote { at: BEGAN.parse().unwrap(), text: text.to_owned() }
}

fn scale(point: &mut Point, factor: f64) {
    point.ops_per_s = point.ops_per_s.map(|rate| rate * factor);
}

/// Before each run one of another host, which has another kernel, loses nothing, and has a note each night.
fn with_another_host(runs: Vec<RunJson>) -> Vec<RunJson> {
    let mut random = SplitMix64::new(27);
    let both = |(n, run): (usize, RunJson)| {
        let mut other = run.clone();
        other.run.id = RunId::new(&format!("0ther{n:03}")).unwrap();
        other.platform.host = Some("db2".to_owned());
        other.platform.kernel = Some(format!("5.10.{n}"));
        other.points = vec![point("T611", 1, 90_000.0 * noise(&mut random))];
        other.notes = vec![note("of another host")];
        [other, run]
    };
    runs.into_iter().enumerate().flat_map(both).collect()
}

#[test]
fn what_changed_is_asked_of_the_host_that_changed() {
    let runs = with_another_host(nights());
    let catalogue = Catalogue::embedded().unwrap();
    let mut by_label = TrendRuns::new(&catalogue, TrendOptions::default());
    for (n, run) in runs.iter().enumerate() {
        by_label.add(run, &format!("15.{}", n / 2));
    }
    for found in [by_label.trend().unwrap(), trend(&runs)] {
        let [change] = found.changes.as_slice() else { panic!("{:#?}", found.changes) };
        assert_eq!((&change.before_run, &change.after_run), (&id(NEW_KERNEL - 1), &id(NEW_KERNEL)));
        assert_eq!(change.at, runs[2 * NEW_KERNEL + 1].run.started_at);
        let facts: Vec<_> = change.facts.iter().map(|fact| (fact.name.as_str(), fact.after.as_deref())).collect();
        assert_eq!((facts, change.notes.len()), (vec![("kernel", Some("6.1.0-23"))], 0));
    }
    let mut runs = nights();
    runs[NEW_KERNEL].platform.kernel = runs[0].platform.kernel.clone();
    runs[NEW_KERNEL - 1].notes.push(note("of this host"));
    let found = trend(&with_another_host(runs));
    let [change] = found.changes.as_slice() else { panic!("{:#?}", found.changes) };
    let facts: Vec<_> = change.facts.iter().map(|fact| (fact.name.as_str(), fact.steps_later)).collect();
    assert_eq!(facts, [("kernel", 1)], "a night later, of the same host");
    let notes: Vec<_> = change.notes.iter().map(|noted| noted.note.text.as_str()).collect();
    assert_eq!(notes, ["of this host"]);
}

#[test]
fn facts_nearby_are_each_at_their_distance() {
    let mut runs = nights();
    runs[NEW_KERNEL].platform.kernel = runs[0].platform.kernel.clone();
    for (n, run) in runs.iter_mut().enumerate() {
        let value = if n < NEW_KERNEL - 1 { "off" } else { "on" };
        for name in ["a", "b", "c", "d"] {
            run.database.parameters.insert(name.to_owned(), value.to_owned());
        }
    }
    let text = trend_document(&trend(&runs), "nightly").text(None);
    let sentence = "no known fact changed there; nearby: a from off to on (1 step earlier); \
                    b from off to on (1 step earlier); c from off to on (1 step earlier); and 2 more";
    assert!(text.contains(sentence), "{text}");
    for run in &mut runs {
        run.database.parameters.retain(|name, _| name != "b" && name != "c" && name != "d");
    }
    let text = trend_document(&trend(&runs), "nightly").text(None);
    let sentence = "a from off to on (1 step earlier); kernel from 6.1.0-22 to 6.1.0-23 (1 step later)";
    assert!(text.contains(sentence), "{text}");
}

#[test]
fn a_step_off_at_an_end_is_said_to_be_there() {
    for (off, said) in [(0, "the first: not known before"), (NIGHTS - 1, "the newest: not known yet")] {
        let mut runs = nights();
        scale(&mut runs[off].points[2], 0.6);
        let found = trend(&runs);
        assert!(found.series[2].outliers.iter().any(|outlier| outlier.step == off && !outlier.has_returned));
        let text = trend_document(&found, "nightly").text(None);
        assert!(text.contains(said) && text.contains("back at it"), "{text}");
        assert_eq!(text.matches("not known").count(), 1, "{text}");
    }
}

#[test]
fn what_was_measured_again_takes_the_place_of_what_was_chosen() {
    let mut runs = nights();
    for run in &mut runs[..NEW_KERNEL] {
        let mut again = Point { again: true, ..run.points[0].clone() };
        scale(&mut again, 0.5);
        run.points.push(again);
    }
    let values = |runs: &[RunJson]| -> Vec<f64> { trend(runs).series[0].figures.iter().map(|of| of.value).collect() };
    let figures = values(&runs);
    for (n, value) in figures.iter().enumerate() {
        let wanted = if n < NEW_KERNEL { 0.5 } else { 1.0 } * runs[n].points[0].ops_per_s.unwrap();
        assert!((value - wanted).abs() < 1.0, "{n}: {value}, {wanted}");
    }
    // A figure that was chosen as the best says nothing where it could not be measured again.
    runs[3].points.last_mut().unwrap().status = Status::Failed;
    assert_eq!(values(&runs).len(), NIGHTS - 1);
}

#[test]
fn figures_that_are_not_above_zero_are_left_out_and_said() {
    let mut runs = nights();
    for run in &mut runs[10..13] {
        run.points[2].ops_per_s = Some(0.0);
    }
    let found = trend(&runs);
    assert_eq!(found.left_out.get("not above zero"), Some(&3));
    assert_eq!(found.series[2].figures.len(), NIGHTS - 3);
    let text = trend_document(&found, "nightly").text(None);
    assert!(text.contains("figures that do not count: 3 not above zero"), "{text}");
}

#[test]
fn a_loss_of_a_series_that_ended_is_no_loss_of_now() {
    let mut runs = nights();
    for run in &mut runs[35..] {
        run.points[0].status = Status::Failed;
    }
    let text = trend_document(&trend(&runs), "nightly").text(None);
    assert!(text.contains("1/s at the end, since n1ght035, ") && text.contains("1/s now, "), "{text}");
}

#[test]
fn series_that_end_because_their_points_fail_are_a_loss_until_that_is_noted() {
    let mut runs = nights();
    for point in runs[30..].iter_mut().flat_map(|run| &mut run.points) {
        point.status = Status::Failed;
    }
    let found = trend(&runs);
    assert!(found.series.iter().all(|series| series.missing_since == Some(30)), "no series has a figure since");
    assert_eq!(found.new_losses.as_ref().unwrap().ended, [0, 1, 2]);
    let text = trend_document(&found, "nightly").text(None);
    assert!(text.contains("3 series have no figure any more because their points fail"), "{text}");
    runs[30].notes.push(note("the disk is full"));
    assert!(trend(&runs).new_losses.unwrap().ended.is_empty());
    runs[30].notes.clear();
    for point in runs[30..].iter_mut().flat_map(|run| &mut run.points) {
        (point.status, point.ops_per_s) = (Status::Ok, Some(0.0));
    }
    assert_eq!(trend(&runs).new_losses.unwrap().ended, [0, 1, 2], "a fall to zero");
    for point in runs[30..].iter_mut().flat_map(|run| &mut run.points) {
        (point.flags, point.ops_per_s) = (vec![Flag::TooShort], Some(1.0));
    }
    let doubtful = trend(&runs);
    assert!(doubtful.new_losses.as_ref().unwrap().ended.is_empty());
    let text = trend_document(&doubtful, "nightly").text(None);
    assert!(text.contains("T611, 1 job since n1ght030 (too_short)"), "{text}");
}

#[test]
fn a_host_that_is_gone_is_said_and_judged_no_longer() {
    let mut runs = nights();
    for run in &mut runs[35..] {
        run.platform.host = Some("db2".to_owned());
    }
    let found = trend(&runs);
    let ended: Vec<Option<usize>> = found.series.iter().map(|series| series.place_ended_since).collect();
    assert_eq!(ended, [Some(35), None, Some(35), None, Some(35), None]);
    assert_eq!(found.new_losses.as_ref().unwrap().judged, 0, "five nights of the new host are too few");
    let text = trend_document(&found, "nightly").text(None);
    assert!(text.contains("of 3 series since n1ght035, such as T611, 1 job, db1"), "{text}");
    // Hosts that take turns have not ended.
    let found = trend(&with_another_host(nights()));
    assert!(found.series.iter().all(|series| series.place_ended_since.is_none()));
}

/// Texts have places in braces that are filled in.
#[test]
fn a_label_in_braces_stays_as_it_is() {
    let mut runs = nights();
    for run in &mut runs[35..] {
        (run.platform.host, run.run.label) = (Some("db2".to_owned()), Some("{first} {n}".to_owned()));
    }
    let text = trend_document(&trend(&runs), "nightly").text(None);
    assert!(text.contains("of 3 series since n1ght035 ({first} {n}), such as T611, 1 job, db1"), "{text}");
}

#[test]
fn the_worst_loss_is_named_first_and_the_limit_as_it_was_given() {
    let mut runs = nights();
    for run in &mut runs[NEW_KERNEL..] {
        scale(&mut run.points[2], 2.0);
    }
    let options = TrendOptions { most_loss_pct: Some(99.95), ..TrendOptions::default() };
    let text = trend_document(&trend_with(&runs, options), "nightly").text(None);
    assert!(text.contains(": T611, 1 job -7.4 % (worse) and 2 more (2 of 3 worse); what changed there"), "{text}");
    assert!(text.contains("No series lost 99.95 % or more"), "{text}");
}

#[test]
fn few_runs_say_nothing_and_say_why() {
    let found = trend(&nights()[..3]);
    assert!(found.series.iter().all(|series| series.not_judged.as_deref().is_some_and(|why| why.contains("steps"))));
    assert!(trend_document(&found, "nightly").text(None).contains("Nothing can be said"));
    let options = TrendOptions { tests: Some(vec!["T711"]), ..TrendOptions::default() };
    let catalogue = Catalogue::embedded().unwrap();
    let mut none = TrendRuns::new(&catalogue, options);
    none.add(&nights()[0], "a");
    assert_eq!(
        none.trend().unwrap_err().to_string(),
        "no figure of T711 in 1 run; `dbdyno show RUN` says what a run has"
    );
}

#[test]
fn names_are_no_markup() {
    let hostile = "</script><img src=x onerror=alert(1)>\u{202e}";
    let mut runs = nights();
    for (n, run) in runs.iter_mut().enumerate() {
        run.run.label = Some(format!("{hostile}{n}"));
        run.platform.kernel = run.platform.kernel.as_ref().map(|kernel| format!("{kernel}{hostile}"));
        run.notes.push(note(hostile));
        run.run.target = hostile.to_owned();
    }
    let found = trend(&runs);
    let document = trend_document(&found, hostile);
    let page = document.page();
    assert!(!page.contains("<img") && page.contains("&lt;img src=x"), "{page}");
    assert!(!page.contains('\u{202e}') && !document.text(None).contains('\u{202e}'));
}
