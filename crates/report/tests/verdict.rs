//! Verdicts: met, missed, not measured and refused requirements, and their display. `DBDYNO_BLESS=1` writes the golden
//! files again; read the difference before you commit it.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "each test file uses its part")]
mod fixture;

use dbdyno_catalogue::{Catalogue, Requirements};
use dbdyno_model::{Drive, Flag, ResponseTime, RunJson, Series, Status};
use dbdyno_report::verdict::{RequirementOutcome, Variant, Verdict, VerdictLine, junit};
use std::path::Path;

const NEEDS: &str = r#"
title = "Shop <of> \"things\" & more"

[[requirement]]
title = "Lookups"
test = "T611"
metric = "tx_per_s"
minimum = 150_000

[[requirement]]
title = "Lookups of one session"
test = "T611"
metric = "tx_per_s"
jobs = 1
drive = "server"
minimum = 150_000

[[requirement]]
title = "Tail of a client"
test = "T611"
metric = "service_time_s.p99"
drive = "client"
jobs = 2
maximum = 0.005

[[requirement]]
title = "Percentile in the server"
test = "T611"
metric = "service_time_s.p99"
drive = "server"
maximum = 0.005

[[requirement]]
title = "Lookups of 64 sessions"
test = "T611"
metric = "tx_per_s"
jobs = 64
minimum = 1

[[requirement]]
title = "Scan"
test = "T426"
metric = "read_mib_per_s"
minimum = 10

[[requirement]]
title = "Scan, whatever served it"
test = "T426"
metric = "read_mib_per_s"
minimum = 10
accept = ["served_from_os_cache"]

[[requirement]]
title = "Load"
test = "DBL-11"
metric = "tx_per_s"
minimum = 100

[[requirement]]
title = "Other plan"
test = "T612"
metric = "tx_per_s"
minimum = 1

[[requirement]]
title = "Never measured"
test = "T816"
metric = "ops_per_s"
minimum = 1

[[requirement]]
title = "Noisy processor"
test = "T141"
metric = "ops_per_s"
jobs = 2
minimum = 5_000_000
"#;

fn requirements(text: &str) -> Requirements {
    Requirements::parse("needs.toml", text, &Catalogue::embedded().unwrap()).unwrap()
}

fn verdict() -> Verdict {
    Verdict::of(&fixture::run(), &requirements(NEEDS))
}

fn accepting(run: &RunJson, needs: &Requirements, accepted: &[Flag]) -> Verdict {
    let variant = Variant { name: run.run.id.to_string(), runs: vec![run.clone()] };
    Verdict::of_variants(&[variant], needs, accepted).remove(0)
}

/// The only line of a verdict on one requirement.
fn judged(run: &RunJson, requirement: &str) -> VerdictLine {
    let text = format!("title = \"x\"\n[[requirement]]\ntitle = \"y\"\n{requirement}");
    let mut verdict = Verdict::of(run, &requirements(&text));
    assert_eq!(verdict.lines.len(), 1);
    assert_eq!(verdict.met, verdict.lines[0].outcome == RequirementOutcome::Met);
    verdict.lines.remove(0)
}

#[track_caller]
fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdict").join(name);
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert!(expected == text, "{name} differs from its golden file. It is now:\n{text}");
}

#[test]
fn every_outcome_is_shown_as_the_golden_files_say() {
    let verdict = verdict();
    for outcome in RequirementOutcome::ALL {
        assert!(verdict.count(outcome) > 0, "{outcome:?}");
    }
    assert!(!verdict.met);
    golden("page.txt", &Verdict::document(std::slice::from_ref(&verdict)).text(None));
    golden("page.80.txt", &Verdict::document(std::slice::from_ref(&verdict)).text(Some(80)));
    golden("junit.xml", &junit(std::slice::from_ref(&verdict)).unwrap());
    golden("verdict.json", &format!("{}\n", serde_json::to_string_pretty(&verdict).unwrap()));
}

#[test]
fn a_junit_file_is_sound_xml_whatever_the_texts_hold() {
    let mut verdict = verdict();
    verdict.lines[0].title = "a\u{1b}[2J \"<&>' \u{0}\n]]>".to_owned();
    verdict.lines[0].remarks = vec!["<script>&\u{8}".to_owned()];
    let xml = junit(std::slice::from_ref(&verdict)).unwrap();
    let mut reader = quick_xml::Reader::from_str(&xml);
    let (mut cases, mut failures) = (0, 0);
    loop {
        match reader.read_event().unwrap() {
            quick_xml::events::Event::Eof => break,
            quick_xml::events::Event::Start(tag) | quick_xml::events::Event::Empty(tag) => {
                cases += usize::from(tag.name().as_ref() == "testcase");
                failures += usize::from(tag.name().as_ref() == "failure");
            }
            _ => {}
        }
    }
    assert_eq!(cases, verdict.lines.len());
    assert_eq!(failures, verdict.lines.len() - verdict.count(RequirementOutcome::Met));
    assert!(!xml.contains("<script") && xml.chars().all(|c| c == '\n' || !c.is_control()), "{xml}");
}

#[test]
fn the_best_cell_counts_unless_a_place_is_named() {
    let run = fixture::run();
    let figure = |text: &str| judged(&run, text).figure.unwrap();
    let best = figure("test = \"T611\"\nmetric = \"tx_per_s\"\ndrive = \"server\"\nminimum = 1");
    let one = figure("test = \"T611\"\nmetric = \"tx_per_s\"\ndrive = \"server\"\njobs = 1\nminimum = 1");
    assert_eq!((best.value, one.value), (209_700.0, 104_850.0));
    let least = figure("test = \"T611\"\nmetric = \"cpu_busy_pct\"\ndrive = \"server\"\nmaximum = 100");
    assert_eq!(least.value, 48.4, "for a maximum the least is the best");
}

#[test]
fn a_limit_that_is_reached_exactly_is_kept() {
    let run = fixture::run();
    let line = |limit: &str| judged(&run, &format!("test = \"T611\"\nmetric = \"tx_per_s\"\njobs = 1\n{limit}"));
    for (limit, outcome, margin_pct) in [
        ("minimum = 104850", RequirementOutcome::Met, 0.0),
        ("maximum = 104850", RequirementOutcome::Met, 0.0),
        ("minimum = 104851", RequirementOutcome::Missed, -0.000_953_7),
        ("minimum = 52425", RequirementOutcome::Met, 100.0),
        ("maximum = 52425", RequirementOutcome::Missed, -100.0),
        ("maximum = 209700", RequirementOutcome::Met, 50.0),
    ] {
        let line = line(limit);
        assert_eq!(line.outcome, outcome, "{limit}");
        assert!((line.margin_pct.unwrap() - margin_pct).abs() < 1e-6, "{limit}: {:?}", line.margin_pct);
    }
}

#[test]
fn unsound_points_are_refused_and_never_the_best() {
    const ASKED: &str = "test = \"T711\"\nmetric = \"tx_per_s\"\nminimum = 1000";
    let mut run = fixture::run();
    run.points.retain(|p| p.subject.as_str() == "T611" && p.drive == Drive::Server && p.load.rate.is_none());
    assert_eq!(run.points.len(), 2);
    for point in &mut run.points {
        point.subject = dbdyno_model::Subject::of_database("T711").unwrap();
    }
    assert_eq!(judged(&run, ASKED).figure.unwrap().value, 209_700.0);
    for spoil in [
        |p: &mut dbdyno_model::Point| p.flag(Flag::UnsafeDurability, "fsync is off".to_owned()),
        |p: &mut dbdyno_model::Point| p.flag(Flag::ServedFromOsCache, None),
        |p: &mut dbdyno_model::Point| p.flag(Flag::NotProved, "no device is seen".to_owned()),
        |p: &mut dbdyno_model::Point| p.status = Status::Invalid,
        |p: &mut dbdyno_model::Point| p.status = Status::Failed,
    ] {
        let mut run = run.clone();
        spoil(&mut run.points[1]);
        let line = judged(&run, ASKED);
        assert_eq!((line.outcome, line.figure.unwrap().value), (RequirementOutcome::Met, 104_850.0));
        assert!(line.remarks.iter().any(|r| r.starts_with("1 point was refused (2 jobs): ")), "{:?}", line.remarks);
        spoil(&mut run.points[0]);
        let line = judged(&run, ASKED);
        assert_eq!((line.outcome, line.figure), (RequirementOutcome::Refused, None));
        assert!(!line.reason.unwrap().is_empty());
    }
}

#[test]
fn what_is_not_proved_counts_only_where_it_is_accepted_and_that_is_shown() {
    let mut run = fixture::run();
    run.points.retain(|p| p.subject.as_str() == "T611" && p.drive == Drive::Server && p.load.rate.is_none());
    run.points.iter_mut().for_each(|p| p.flag(Flag::NotProved, "no device is seen".to_owned()));
    let needs = requirements(
        "title = \"x\"\n[[requirement]]\ntitle = \"y\"\ntest = \"T611\"\nmetric = \"tx_per_s\"\nminimum = 1",
    );
    let refused = Verdict::of(&run, &needs);
    assert_eq!((refused.met, refused.lines[0].outcome), (false, RequirementOutcome::Refused));
    assert!(!Verdict::document(std::slice::from_ref(&refused)).text(None).contains("Accepted"));
    let accepted = accepting(&run, &needs, &[Flag::NotProved]);
    assert!(accepted.met);
    let shown = Verdict::document(std::slice::from_ref(&accepted)).text(None);
    assert!(shown.contains("\nAccepted  not_proved, on the command line: "), "{shown}");
    assert!(shown.contains("accepted: not_proved: no device is seen"), "{shown}");
    assert!(junit(std::slice::from_ref(&accepted)).unwrap().contains("accepted: not_proved, on the command line"));
    assert_eq!(serde_json::to_value(&accepted).unwrap()["accepted"], serde_json::json!(["not_proved"]));
    // Accepting another flag does not help.
    assert!(!accepting(&run, &needs, &[Flag::TooShort]).met);
}

#[test]
fn a_mean_that_keeps_its_limit_does_not_hide_the_tail() {
    let mut run = fixture::run();
    run.points.retain(|p| p.subject.as_str() == "T611" && p.drive == Drive::Client);
    run.points.truncate(1);
    run.points[0].load.rate = None;
    run.points[0].service_time_s =
        Some(ResponseTime { mean: Some(0.002), p99: Some(0.004), max: Some(0.8), ..Default::default() });
    for metric in ["service_time_s", "service_time_s.p99"] {
        let line = judged(&run, &format!("test = \"T611\"\nmetric = \"{metric}\"\nmaximum = 0.005"));
        assert_eq!(line.outcome, RequirementOutcome::Met);
        assert!(line.remarks.contains(&"the longest was 800 ms, 160 times the limit".to_owned()), "{:?}", line.remarks);
    }
    let line = judged(&run, "test = \"T611\"\nmetric = \"service_time_s.max\"\nmaximum = 0.005");
    assert_eq!(line.outcome, RequirementOutcome::Missed);
}

/// One point of the client drive with these times, with this many transactions of which some failed.
fn client(ops: u64, failed: u64, times: ResponseTime) -> RunJson {
    let mut run = fixture::run();
    run.points.retain(|p| p.subject.as_str() == "T611" && p.drive == Drive::Client);
    run.points.truncate(1);
    let point = &mut run.points[0];
    (point.ops, point.load.rate, point.service_time_s) = (Some(ops), None, Some(times));
    point.series = Some(Series { errors: vec![failed - failed / 2, failed / 2], ..Series::default() });
    run
}

#[test]
fn what_failed_is_slower_than_any_limit() {
    // 2.7 % time-outs: p50 and p95 are of successful transactions, and the higher percentiles are not.
    let times = ResponseTime { p50: Some(0.001), p95: Some(0.002), max: Some(0.04), ..Default::default() };
    let run = client(973_000, 27_000, times);
    for (percentile, outcome) in [
        ("p50", RequirementOutcome::Met),
        ("p95", RequirementOutcome::Met),
        ("p99", RequirementOutcome::Missed),
        ("p99.9", RequirementOutcome::Missed),
        ("max", RequirementOutcome::Missed),
    ] {
        let line = judged(&run, &format!("test = \"T611\"\nmetric = \"service_time_s.{percentile}\"\nmaximum = 0.05"));
        assert_eq!(line.outcome, outcome, "{percentile}: {line:?}");
        if outcome == RequirementOutcome::Missed {
            let why = line.reason.unwrap();
            assert!(why.starts_with("27,000 of 1,000,000 transactions failed (2.7 %), and count as slower"), "{why}");
        }
    }
    let sound = client(973_000, 0, ResponseTime { p99_9: Some(0.04), ..times_of(0.04) });
    let line = judged(&sound, "test = \"T611\"\nmetric = \"service_time_s.p99.9\"\nmaximum = 0.05");
    assert_eq!(line.outcome, RequirementOutcome::Met);
}

fn times_of(most: f64) -> ResponseTime {
    let at = Some(most);
    ResponseTime { mean: at, p50: at, p90: at, p95: at, p99: at, p99_9: at, p99_99: at, max: at, ..Default::default() }
}

#[test]
fn a_percentile_is_judged_from_twenty_beyond_it_on() {
    for (percentile, least) in
        [("p50", 40), ("p90", 200), ("p95", 400), ("p99", 2_000), ("p99.9", 20_000), ("p99.99", 200_000), ("max", 1)]
    {
        let text = format!("test = \"T611\"\nmetric = \"service_time_s.{percentile}\"\nmaximum = 0.05");
        assert_eq!(judged(&client(least, 0, times_of(0.04)), &text).outcome, RequirementOutcome::Met, "{percentile}");
        if least > 1 {
            let line = judged(&client(least - 1, 0, times_of(0.04)), &text);
            assert_eq!(line.outcome, RequirementOutcome::Refused, "{percentile}");
            assert!(line.reason.unwrap().starts_with(&format!("{percentile} is judged from ")));
        }
    }
}

#[test]
fn where_too_few_were_due_nothing_is_judged() {
    let mut run = client(500, 0, times_of(0.04));
    run.points[0].flag(Flag::TooFewToJudge, "500 transactions were due".to_owned());
    let text = "test = \"T611\"\nmetric = \"service_time_s.p50\"\nmaximum = 0.05";
    let line = judged(&run, text);
    assert_eq!(line.outcome, RequirementOutcome::Refused);
    assert!(line.reason.unwrap().contains("500 transactions were due"));
    assert_eq!(judged(&run, &format!("{text}\naccept = [\"too_few_to_judge\"]")).outcome, RequirementOutcome::Met);
}

fn platform(id: &str) -> RunJson {
    Catalogue::embedded().unwrap().platform(id).unwrap()
}

fn needs_of_the_folder(name: &str) -> Requirements {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue/requirements").join(name);
    requirements(&std::fs::read_to_string(path).unwrap())
}

/// The requirements before the platform was benchmarked, and the document's conclusion: fast enough, with and without
/// replication. The document shows its longest time only in a picture; the verdict states it.
#[test]
fn a_warehouse_gets_the_conclusion_of_its_document_and_sees_the_tail() {
    let run = platform("recoverpoint_2021");
    let verdict = Verdict::of(&run, &needs_of_the_folder("warehouse.toml"));
    assert!(verdict.met, "{verdict:?}");
    assert_eq!(verdict.lines.len(), 6, "three requirements of two variants");
    golden("warehouse.txt", &Verdict::document(std::slice::from_ref(&verdict)).text(Some(100)));
    let tails: Vec<&VerdictLine> =
        verdict.lines.iter().filter(|l| l.remarks.iter().any(|r| r.starts_with("the longest was 800"))).collect();
    assert_eq!(tails.len(), 1);
    assert_eq!(tails[0].title, "I/O latency, with_replication");
}

#[test]
fn who_asks_for_the_peak_is_told_no() {
    let run = platform("recoverpoint_2021");
    let peak =
        "title = \"x\"\n[[requirement]]\ntitle = \"y\"\nresult = \"io_latency_peak\"\nunit = \"ms\"\nmaximum = 5";
    let verdict = Verdict::of(&run, &requirements(peak));
    assert!(!verdict.met);
    let outcomes: Vec<_> = verdict.lines.iter().map(|l| (l.title.as_str(), l.outcome)).collect();
    assert_eq!(
        outcomes,
        [("y, baseline", RequirementOutcome::Met), ("y, with_replication", RequirementOutcome::Missed)]
    );
    assert_eq!(verdict.lines[1].figure.as_ref().unwrap().value, 800.0);
    let line =
        judged(&run, "result = \"io_latency_peak\"\nvariant = \"with_replication\"\nunit = \"ms\"\nmaximum = 900");
    assert_eq!(line.outcome, RequirementOutcome::Met);
}

#[test]
fn what_a_source_leaves_open_decides_nothing() {
    let run = platform("recoverpoint_2021");
    let rate =
        |limit: &str| judged(&run, &format!("result = \"io_rate\"\nvariant = \"baseline\"\nunit = \"iops\"\n{limit}"));
    // The source says more than 35,000.
    assert_eq!(rate("minimum = 35000").outcome, RequirementOutcome::Met);
    let open = rate("minimum = 40000");
    assert_eq!((open.outcome, open.figure), (RequirementOutcome::Refused, None));
    assert!(open.reason.unwrap().starts_with("cannot tell: the source says > 35,000 iops"));
    assert_eq!(rate("maximum = 30000").outcome, RequirementOutcome::Missed);
    for (asked, outcome, words) in [
        (
            "result = \"io_rat\"\nunit = \"iops\"\nminimum = 1",
            RequirementOutcome::NotMeasured,
            "the source states no 'io_rat'; it states io_rate, io_latency_mean, io_latency_peak, transactions",
        ),
        (
            "result = \"io_rate\"\nvariant = \"other\"\nunit = \"iops\"\nminimum = 1",
            RequirementOutcome::NotMeasured,
            "the source states no 'io_rate' of that variant; it has baseline, with_replication",
        ),
        (
            "result = \"io_rate\"\nvariant = \"baseline\"\nunit = \"kiops\"\nminimum = 1",
            RequirementOutcome::Refused,
            "the source states it in iops, the requirement is in kiops",
        ),
    ] {
        let line = judged(&run, asked);
        assert_eq!((line.outcome, line.reason.as_deref()), (outcome, Some(words)));
    }
    let own = judged(&fixture::run(), "result = \"io_rate\"\nunit = \"iops\"\nminimum = 1");
    assert_eq!(own.outcome, RequirementOutcome::NotMeasured);
}

#[test]
fn published_figures_of_tests_are_judged_with_their_doubts() {
    // Series with doubts. The first points of T611 ran with a cold cache.
    let violin = platform("hp_dl980_violin_2012");
    let line = judged(&violin, "test = \"T611\"\nmetric = \"ops_per_s\"\nminimum = 100_000");
    assert_eq!(line.outcome, RequirementOutcome::Met);
    assert!(line.figure.unwrap().points > 0);
    // Printed figures alone: on x86 the throughput of T133 is an elapsed time, so it is refused; the speed remains.
    let hpe = platform("hpe_dl380_bm_2016");
    let line = judged(&hpe, "test = \"T133\"\nmetric = \"ops_per_s\"\nminimum = 1");
    assert_eq!(line.outcome, RequirementOutcome::Met);
    let one = judged(&hpe, "test = \"T133\"\nmetric = \"ops_per_s\"\njobs = 1\nminimum = 1").figure.unwrap();
    assert_eq!(line.figure.unwrap().value, one.value);
    // A lower limit decides for the values that it reaches, and for no others.
    let floor = |limit: &str| judged(&hpe, &format!("test = \"T312\"\nmetric = \"rows_per_s\"\njobs = 1\n{limit}"));
    assert_eq!(floor("minimum = 1000").outcome, RequirementOutcome::Met);
    let open = floor("minimum = 100000");
    assert_eq!(open.outcome, RequirementOutcome::Refused, "{open:?}");
    assert!(open.reason.unwrap().contains("cannot tell"));
}
