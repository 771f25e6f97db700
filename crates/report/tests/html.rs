//! The pages: equal to their golden files, and safe for any text from a database.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

mod fixture;

use dbdyno_catalogue::{Catalogue, Requirements};
use dbdyno_model::{ChosenBy, Dop, MetricId, MetricValue, Point, RunId, RunJson, Status, StorageReference};
use dbdyno_report::compare::{CompareOptions, Side, compare};
use dbdyno_report::verdict::Verdict;
use dbdyno_report::{Extent, PointTimes, Reported};
use dbdyno_stats::Histogram;
use serde_json::Value;
use std::path::Path;

fn catalogue() -> Catalogue {
    Catalogue::embedded().unwrap()
}

/// Requirements that the fixture partly meets.
fn requirements(catalogue: &Catalogue) -> Requirements {
    let text = "title = \"Shop\"\n\
        [[requirement]]\ntitle = \"Orders\"\ntest = \"T711\"\nmetric = \"tx_per_s\"\nminimum = 2000\n\
        [[requirement]]\ntitle = \"Scans\"\ntest = \"T421\"\nmetric = \"rows_per_s\"\nminimum = 9000000\n\
        [[requirement]]\ntitle = \"Joins\"\ntest = \"T816\"\nmetric = \"rows_per_s\"\nminimum = 1\n";
    Requirements::parse("needs.toml", text, catalogue).unwrap()
}

fn reported(run: RunJson, catalogue: &Catalogue) -> Reported {
    let timed =
        run.points.iter().enumerate().filter(|(_, p)| p.service_time_s.as_ref().is_some_and(|t| t.p99.is_some()));
    let times = timed
        .map(|(point, p)| {
            let mut histogram = Histogram::new();
            (1..400).for_each(|n| histogram.record_ns(20_000 + n * n * 70));
            PointTimes { point, from_due: p.load.rate.is_some(), histogram }
        })
        .collect();
    let verdict = Some(Verdict::of(&run, &requirements(catalogue)));
    Reported { times, verdict, ..Reported::of(run) }
}

/// The other platform of a comparison: half as fast, on another host.
fn slower(mut run: RunJson) -> RunJson {
    run.run.id = RunId::new("9z8y7x6w").unwrap();
    run.run.label = Some("after it".into());
    run.database.version = "3.51.0".into();
    for point in &mut run.points {
        for rate in [&mut point.ops_per_s, &mut point.tx_per_s, &mut point.rows_per_s].into_iter().flatten() {
            *rate /= 2.0;
        }
        if let Some(metric) = &mut point.metric {
            metric.value /= 2.0;
        }
    }
    RunJson::new(run.run, run.platform, run.database, run.points)
}

fn compared(catalogue: &Catalogue) -> String {
    let side = |name: &str, run: RunJson| Side::new(name, vec![run]);
    let published = catalogue.platform("hp_dl980_violin_2012").unwrap();
    let sides = [
        side("before", fixture::run()),
        side("after", slower(fixture::run())),
        side("hp_dl980_violin_2012", published),
    ];
    let comparison = compare(&sides, &CompareOptions::default(), catalogue).unwrap();
    let verdicts: Vec<Verdict> = sides.iter().map(|s| Verdict::of(&s.runs[0], &requirements(catalogue))).collect();
    comparison.document(&sides, &verdicts, catalogue, Extent::Page).page()
}

/// The page of a run without histograms.
fn page(run: RunJson) -> String {
    Reported::of(run).document(&catalogue()).page()
}

/// What stands in a section of a page; empty where there is no such section.
fn section(page: &str, id: &str) -> String {
    let of = page.split_once(&format!("<section id=\"{id}\">")).and_then(|(_, rest)| rest.split_once("</section>"));
    of.map_or_else(String::new, |(section, _)| section.to_owned())
}

/// A page without its style and script, one element a line, for readable differences.
fn readable(page: &str) -> String {
    let mut text = String::new();
    let mut rest = page;
    for (from, to) in [("'sha256-", "; base-uri"), ("<style>", "</style>"), ("<script>", "</script>")] {
        let (before, after) = rest.split_once(from).unwrap();
        let (_, after) = after.split_once(to).unwrap();
        text += &format!("{before}{from}…{to}");
        rest = after;
    }
    text += rest;
    ["<section", "<article", "<figure", "<tr", "<table", "<h2", "<p", "<li", "<dt", "<use", "<path", "<text"]
        .iter()
        .fold(text, |text, tag| text.replace(tag, &format!("\n{tag}")))
}

#[test]
fn pages_are_as_their_golden_files_say() {
    let catalogue = catalogue();
    let pages = [
        ("run", reported(fixture::run(), &catalogue).document(&catalogue).page()),
        ("published", page(catalogue.platform("hds_ucp_flash_2013").unwrap())),
        ("comparison", compared(&catalogue)),
        ("storage", page(fixture::storage::run())),
    ];
    for (name, page) in pages {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden_pages/{name}.html"));
        let text = readable(&page);
        if std::env::var_os("DBDYNO_BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap();
        let differs = text.lines().zip(expected.lines()).find(|(is, was)| is != was);
        assert!(text == expected, "{name}.html differs from its golden file, first in {differs:#?}");
    }
}

#[test]
fn how_long_was_waited_for_connections_has_a_row_of_its_own() {
    let section = section(&page(fixture::pooled()), "latency");
    let count = |text: &str| section.matches(text).count();
    assert_eq!((count("16 connections"), count("waiting for one"), count(">wait<")), (2, 2, 2), "two loads: {section}");
    assert_eq!(count("Wait is from when"), 1, "{section}");
    let without = page(fixture::run());
    assert!(!without.contains("Wait is from when"), "who has a connection waits for none");
}

#[test]
fn a_database_stands_beside_its_storage() {
    let share = |run: RunJson| section(&page(run), "storage-share");
    let beside = share(fixture::storage::beside());
    assert!(beside.contains("/data/dbdyno.orion"), "{beside}");
    // Device bytes beside device bytes, and reads at the same depth; commits and raw writes are not compared.
    for text in ["892.5", "75 %", "30,700", "61,400", "50 %"] {
        assert!(beside.contains(text), "{text} in {beside}");
    }
    for text in ["148,900", "Random write", "One read", "One write"] {
        assert!(!beside.contains(&format!(">{text}")), "{text} in {beside}");
    }
    let mut larger = fixture::storage::beside();
    for point in larger.points.iter_mut().filter(|p| p.subject.as_str() == "T626") {
        point.io.read_mib_per_s = point.io.read_mib_per_s.map(|n| 2.0 * n);
    }
    let larger = share(larger);
    assert!(larger.contains("the reads of T626 are of 16 KiB on average"), "{larger}");
    assert!(!larger.contains("30,700"), "{larger}");
    let alone = share(fixture::run());
    assert!(alone.contains("dbdyno orion --reference") && !alone.contains("<table"), "{alone}");
    let mut elsewhere = fixture::storage::run();
    elsewhere.platform.disks.iter_mut().for_each(|d| d.name += "x");
    let mut run = fixture::run();
    run.storage_reference = Some(StorageReference::new(&elsewhere, &run, ChosenBy::Host));
    let other = share(run);
    assert!(other.contains("files are on nvme0n1: it measured nvme0n1x") && !other.contains("<table"), "{other}");
}

#[test]
fn storage_is_compared_by_the_kind_of_its_work() {
    let catalogue = catalogue();
    let side = |name: &str, run: RunJson| Side::new(name, vec![run]);
    let mut other = fixture::storage::run();
    other.run.id = RunId::new("other1").unwrap();
    other.points.retain(|p| p.subject.storage().is_some_and(|s| s.load.write_pct == 0));
    other
        .points
        .iter_mut()
        .filter_map(|p| p.subject.storage_mut()?.small.read.as_mut())
        .for_each(|ios| ios.iops *= 2.0);
    let other = RunJson::new(other.run, other.platform, other.database, other.points);
    let sides = [side("a", fixture::storage::run()), side("b", other)];
    let comparison = compare(&sides, &CompareOptions::default(), &catalogue).unwrap();
    let rows: Vec<_> = comparison.rows.iter().map(|r| (r.test.as_str(), r.metric.as_str(), r.cells.clone())).collect();
    let best = |test: &str, metric: &str| {
        let found = rows.iter().rfind(|(t, m, _)| (*t, *m) == (test, metric));
        found.unwrap_or_else(|| panic!("{test} in {rows:?}")).2.iter().map(|c| c.value.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(best("ORION 8K random reads", "small_iops"), [148_900.0, 297_800.0]);
    assert_eq!(best("ORION 1M sequential reads, 1 a stream", "large_mib_per_s"), [2_208.0, 2_208.0]);
    assert!(comparison.alone.iter().any(|(test, side)| test == "ORION 8K random writes" && *side == 0));
    assert!(comparison.warnings.is_empty(), "{:?}", comparison.warnings);
}

#[test]
fn a_run_without_points_has_a_page() {
    let mut run = fixture::run();
    run.points.clear();
    run.cells.clear();
    let page = page(run);
    let metrics = section(&page, "key-metrics");
    let row = metrics.split("<tr>").find(|row| row.contains("String mix")).unwrap();
    assert!(row.contains("T141") && row.contains(">not measured</td>"), "{row}");
    assert!(!page.contains("id=\"latency\"") && !page.contains("id=\"verdict\""), "{page}");
}

#[test]
fn nothing_is_loaded_and_only_the_pages_own_script_may_run() {
    let pages = [page(fixture::run()), compared(&catalogue())];
    for page in &pages {
        assert!(page.contains("default-src 'none'; style-src 'sha256-"), "the policy is gone");
        for asks in ["src=", "@import", "url(", "<link", "<iframe", "<object", "<base", " style=\"", "fetch("] {
            assert!(!page.contains(asks), "the page has {asks}");
        }
    }
    let page = &pages[1];
    let elsewhere = page.split("href=\"").skip(1).find(|href| !href.starts_with('#'));
    assert_eq!(elsewhere, None, "a link leads away");
}

/// Every text of a document in turn, including keys of maps.
fn texts(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(path.to_owned()),
        Value::Array(all) => all.iter().enumerate().for_each(|(n, v)| texts(v, &format!("{path}/{n}"), found)),
        Value::Object(all) => all.iter().for_each(|(key, v)| texts(v, &format!("{path}/{key}"), found)),
        _ => {}
    }
}

const HOSTILE: &str = "</title></script></style><script>pwned()</script><img src=x onerror=pwned()>\" onmouseover=\"pwned()\" '><a href=\"javascript:pwned()\">\u{202e}";

/// A run in which every free text is hostile.
fn hostile(mut run: RunJson) -> RunJson {
    // One point of each kind is enough.
    let mut seen = Vec::new();
    run.points.retain(|p| {
        let kind = (p.status, p.drive, p.load.rate.is_some(), p.flags.clone(), p.waits.is_empty(), p.mapping.clone());
        let new = !seen.contains(&kind);
        seen.push(kind);
        new
    });
    let mut document = serde_json::to_value(RunJson::new(run.run, run.platform, run.database, run.points)).unwrap();
    for map in ["/database/parameters", "/database/facts", "/platform/missing"] {
        document.pointer_mut(map).unwrap()[format!("{HOSTILE}{map}")] = Value::String(HOSTILE.into());
    }
    let mut paths = Vec::new();
    texts(&document, "", &mut paths);
    let mut spoilt = 0;
    for path in paths {
        let before = document.pointer_mut(&path).map(|v| std::mem::replace(v, Value::String(HOSTILE.into())));
        if serde_json::from_value::<RunJson>(document.clone()).is_ok() {
            spoilt += 1;
        } else if let (Some(place), Some(before)) = (document.pointer_mut(&path), before) {
            // Codes, dates and enumerated words are not free texts.
            *place = before;
        }
    }
    assert!(spoilt > 100, "only {spoilt} texts can be anything");
    serde_json::from_value(document).unwrap()
}

fn harmless(page: &str) {
    assert!(page.contains("&lt;script&gt;pwned()"), "the hostile text is not shown");
    for raw in ["<script>pwned", "<img", "</title></script>", "\" onmouseover=", "href=\"javascript:", "\u{202e}"] {
        assert!(
            !page.contains(raw),
            "{raw} got through: {}",
            &page[page.find(raw).unwrap().saturating_sub(200)..][..400]
        );
    }
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("<style").count(), 1);
    assert_eq!(
        page.matches("</title>").count() - page.matches("<title id=").count() - page.matches("<title>").count(),
        0
    );
}

#[test]
fn no_text_of_a_database_is_markup() {
    let catalogue = catalogue();
    let run = hostile(fixture::run());
    let mut one = reported(run.clone(), &catalogue);
    one.verdict.as_mut().unwrap().title = HOSTILE.into();
    harmless(&one.document(&catalogue).page());

    {
        let sides = [Side::new(HOSTILE, vec![run.clone()]), Side::new("b", vec![slower(run)])];
        let comparison = compare(&sides, &CompareOptions::default(), &catalogue).unwrap();
        harmless(&comparison.document(&sides, one.verdict.as_slice(), &catalogue, Extent::Page).page());
    }

    let published = serde_json::to_value(catalogue.platform("hds_ucp_flash_2013").unwrap()).unwrap();
    let mut paths = Vec::new();
    texts(&published["published"], "/published", &mut paths);
    let mut spoilt = published;
    for path in paths.iter().filter(|p| {
        ["/source", "/notes/", "/title", "/scope", "/why", "/benchmark"].iter().any(|part| p.contains(part))
    }) {
        *spoilt.pointer_mut(path).unwrap() = Value::String(HOSTILE.into());
    }
    let run: RunJson = serde_json::from_value(spoilt).unwrap();
    harmless(&page(run));
}

/// A run of every test at ten degrees of parallelism, of realistic size: 500 points and more.
fn large(catalogue: &Catalogue, n: u32) -> RunJson {
    let mut run = fixture::run();
    run.run.id = RunId::new(&format!("run{n:05}")).unwrap();
    run.run.label = None;
    let like = run.points.iter().find(|p| !p.waits.is_empty() && p.status == Status::Ok).unwrap().clone();
    run.points = Vec::new();
    for (at, test) in catalogue.tests().iter().enumerate() {
        for step in 0..10 {
            let jobs = 1 << step;
            let rate = f64::from(1_000 + 37 * n) * f64::from(jobs) / (1.0 + 0.03 * f64::from(jobs)) * (1.0 + at as f64);
            let mut point =
                Point { subject: test.code.clone().into(), dop: Dop { nodes: 1, jobs, threads: 1 }, ..like.clone() };
            (point.ops_per_s, point.rows_per_s, point.tx_per_s) = (Some(rate), Some(rate * 1.7), Some(rate));
            let id = MetricId::from("rows_per_s");
            point.metric = Some(MetricValue { value: rate * 1.7, id, unit: "1/s".into() });
            run.points.push(point);
        }
    }
    assert!(run.points.len() >= 500, "{}", run.points.len());
    RunJson::new(run.run, run.platform, run.database, run.points)
}

#[test]
fn large_pages_can_be_sent() {
    const MOST_BYTES: usize = 1_500_000;
    let catalogue = catalogue();
    {
        let sides: Vec<Side> = (0..5).map(|n| Side::new(format!("platform {n}"), vec![large(&catalogue, n)])).collect();
        let comparison = compare(&sides, &CompareOptions::default(), &catalogue).unwrap();
        let page = comparison.document(&sides, &[], &catalogue, Extent::Page).page();
        assert!(page.len() < MOST_BYTES, "five runs make {} bytes", page.len());
    }
    let page = reported(large(&catalogue, 1), &catalogue).document(&catalogue).page();
    assert!(page.len() < MOST_BYTES, "one run makes {} bytes", page.len());
}
