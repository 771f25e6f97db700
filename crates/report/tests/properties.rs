//! For any run, no report panics, exceeds the terminal's width, or lets a control character through.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

mod fixture;

use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Drive, Flag, MetricValue, Point, ResponseTime, RunId, RunJson, Status};
use dbdyno_report::compare::{CompareOptions, Side, compare};
use dbdyno_report::{Extent, REPORTS, Reported, lists};
use proptest::prelude::*;
use std::sync::LazyLock;
use unicode_width::UnicodeWidthChar;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::embedded().unwrap());

/// Ordinary values and impossible ones.
fn number() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        Just(None),
        any::<f64>().prop_map(Some),
        (0.0..1e9).prop_map(Some),
        Just(Some(0.0)),
        Just(Some(f64::NAN)),
        Just(Some(f64::INFINITY)),
    ]
}

fn words() -> impl Strategy<Value = Option<String>> {
    prop_oneof![Just(None), ".{0,40}".prop_map(Some), "[a-z \u{1b}\n\t\u{202e}東]{0,120}".prop_map(Some)]
}

fn point() -> impl Strategy<Value = Point> {
    let code = prop::sample::select(vec![
        "T141",
        "T133",
        "T151",
        "T211",
        "T311",
        "T331",
        "T426",
        "T512",
        "T611",
        "T616",
        "T626",
        "T721",
        "T816",
        "DBL-11",
        "DBX-12",
        "ZZZZ-123456789012345678901234567890",
    ]);
    let status =
        prop::sample::select(vec![Status::Ok, Status::Ok, Status::Failed, Status::Invalid, Status::Unsupported]);
    let mapping = prop::sample::select(vec!["native", "equivalent", "none", "else"]);
    let dop =
        (prop_oneof![Just(1), any::<u32>()], prop_oneof![Just(1), any::<u32>()], prop_oneof![Just(1), any::<u32>()]);
    let numbers = prop::collection::vec(number(), 14);
    let flags = prop::sample::subsequence(Flag::ALL.to_vec(), 0..=Flag::ALL.len());
    (code, status, mapping, dop, numbers, flags, words(), words(), any::<(bool, u64)>()).prop_map(
        |(code, status, mapping, dop, n, flags, reason, note, (server, rows_per_tx))| {
            let mut point = fixture::bare(code, dop);
            point.status = status;
            point.mapping = mapping.into();
            point.mapping_note = note.clone();
            point.drive = if server { Drive::Server } else { Drive::Client };
            point.rows_per_tx = rows_per_tx;
            let loads = ["10%", "1500/s"].map(|rate| rate.parse().ok());
            point.load.rate = if server { None } else { loads[(rows_per_tx % 2) as usize] };
            point.asked_per_s = n[5];
            point.response_time_s = n[12].map(|p99| ResponseTime { p99: Some(p99), ..Default::default() });
            for flag in flags {
                point.flag(flag, note.clone());
            }
            point.missing.extend(reason.clone().map(|why| ("io".to_owned(), why)));
            point.reason = reason;
            point.ops_per_s = n[0];
            point.rows_per_s = n[1];
            point.tx_per_s = n[2];
            point.work_mib_per_s = n[3];
            point.elapsed_s = n[4];
            point.window_s = n[5];
            point.service_time_s = n[6].map(|mean| ResponseTime { mean: Some(mean), ..Default::default() });
            point.cpu.busy_pct = n[7];
            point.io.read_iops = n[8];
            point.io.write_iops = n[9];
            point.io.write_mib_per_s = n[10];
            point.redo.mib_per_s = n[11];
            point.redo.sync_service_time_s = n[12];
            point.metric = n[13].map(|value| MetricValue {
                id: "ops_per_s".into(),
                value,
                unit: note.unwrap_or_else(|| "1/s".to_owned()),
            });
            point
        },
    )
}

fn run() -> impl Strategy<Value = RunJson> {
    let platform = (words(), words(), prop::option::of(any::<u32>()), number(), prop::option::of(any::<u64>()));
    let header = (words(), "[0-9a-z]{1,64}", words(), words());
    (prop::collection::vec(point(), 0..12), platform, header).prop_map(|(points, platform, header)| {
        let whole = fixture::run();
        let (mut run, mut sheet, mut database) = (whole.run, whole.platform, whole.database);
        (sheet.cpu.model, sheet.kernel, sheet.cpu.cores, sheet.cpu.clock_mhz, sheet.memory.total_bytes) = platform;
        sheet.cpu.threads = sheet.cpu.cores;
        let (label, id, version, parameter) = header;
        run.label = label;
        run.id = RunId::new(&id).unwrap();
        database.version = version.clone().unwrap_or_default();
        database.notice = version;
        let parameter = parameter.unwrap_or_default();
        sheet.disks[0].mounts.push(parameter.clone());
        database.parameters.insert(parameter.clone(), parameter);
        RunJson::new(run, sheet, database, points)
    })
}

fn columns(line: &str) -> usize {
    line.chars().map(|c| c.width().unwrap_or(0)).sum()
}

fn check(name: &str, text: &str, width: Option<u16>) -> Result<(), TestCaseError> {
    for line in text.lines() {
        prop_assert!(!line.chars().any(char::is_control), "{}: control character in {:?}", name, line);
        let fits = width.is_none_or(|w| columns(line) <= usize::from(w));
        prop_assert!(fits, "{}: wider than {:?}: {:?}", name, width, line);
    }
    Ok(())
}

/// Markdown in which no text makes anything of its own.
fn check_markdown(text: &str) -> Result<(), TestCaseError> {
    check("Markdown", text, None)?;
    let mut cells = None;
    for line in text.lines() {
        let here = line.starts_with('|').then(|| line.matches('|').count());
        prop_assert!(here.is_none() || cells.is_none() || here == cells, "another number of cells: {}", line);
        cells = here;
        let tags = ["<!-- -->", "<details>", "</details>", "<summary>", "</summary>"];
        let plain = tags.iter().fold(line.to_owned(), |line, tag| line.replace(tag, ""));
        prop_assert!(!plain.contains(['<', '>']), "HTML: {}", line);
        let bare = plain.replace("\\\\", "").replace("\\`", "").replace("\\[", "");
        prop_assert!(!bare.contains(['`', '[']), "code or a link: {}", line);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn reports_hold_their_width_and_let_nothing_through(
        run in run(),
        width in prop_oneof![Just(None), (60u16..200).prop_map(Some), (0u16..60).prop_map(Some)],
    ) {
        let run = Reported::of(run);
        for report in REPORTS {
            check(report.name, &report.of(&run, &CATALOGUE).text(width), width)?;
        }
        check("page", &run.document(&CATALOGUE).text(width), width)?;
        check_markdown(&run.document(&CATALOGUE).markdown())?;
    }

    #[test]
    fn comparisons_hold_their_width_and_let_nothing_through(
        (mut a, mut b) in (run(), run()),
        label in ".{0,30}",
        width in prop_oneof![Just(None), (60u16..200).prop_map(Some), (0u16..60).prop_map(Some)],
    ) {
        (a.run.id, b.run.id) = (RunId::new("a").unwrap(), RunId::new("b").unwrap());
        // The runs share points, so that they have something in common.
        b.points.extend(a.points.iter().cloned());
        let b = RunJson::new(b.run, b.platform, b.database, b.points);
        let sides = [("a".to_owned(), a), (label, b)].map(|(name, run)| Side::new(name, vec![run]));
        let options = CompareOptions { max_regression_pct: Some(5.0), ..CompareOptions::default() };
        if let Ok(comparison) = compare(&sides, &options, &CATALOGUE) {
            check("compare", &comparison.document(&sides, &[], &CATALOGUE, Extent::ScreenAllTests).text(width), width)?;
            check_markdown(&comparison.document(&sides, &[], &CATALOGUE, Extent::Summary).markdown())?;
        }
    }

    #[test]
    fn lists_hold_their_width(
        rows in prop::collection::vec(prop::collection::vec(".{0,30}", 0..5), 0..6),
        width in prop::option::of(0u16..120),
    ) {
        check("list", &lists::table(&["code", "mapping", "title"], &rows, width), width)?;
    }
}
