//! Comparisons: the documents' heatmaps from the platform files alone, and conclusions about samples.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

mod fixture;

use dbdyno_catalogue::Catalogue;
use dbdyno_model::{
    CommitMode, Commits, Costs, Flag, Layer, Point, PumpKind, PumpUse, RunId, RunJson, Tool, UsableFor,
};
use dbdyno_report::compare::{
    self, CompareError, CompareOptions, Comparison, KeyFigure, Per, Rank, RatioVerdict, Side, WarningKind,
};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden_platforms")
}

fn golden(name: &str, text: &str) {
    let path = folder().join(format!("{name}.txt"));
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    assert!(expected == text, "{name} differs from its golden file. It is now:\n{text}");
}

fn catalogue() -> Catalogue {
    Catalogue::embedded().unwrap()
}

fn platforms(ids: &[&str], catalogue: &Catalogue) -> Vec<Side> {
    ids.iter().map(|id| Side { name: (*id).to_owned(), runs: vec![catalogue.platform(id).unwrap()] }).collect()
}

fn compared(sides: &[Side], options: &CompareOptions<'_>) -> Comparison {
    compare::compare(sides, options, &catalogue()).unwrap()
}

/// A run whose T611 did this many transactions/s with one job, and twice as many with two.
fn run(id: &str, tx_per_s: f64) -> RunJson {
    let point = |jobs: u32| {
        let mut point = fixture::bare("T611", (1, jobs, 1));
        point.tx_per_s = Some(tx_per_s * f64::from(jobs));
        point
    };
    let whole = fixture::run();
    let header = dbdyno_model::Run { id: RunId::new(id).unwrap(), ..whole.run };
    RunJson::new(header, whole.platform, whole.database, vec![point(1), point(2)])
}

fn sample(name: &str, rates: &[f64]) -> Side {
    let runs = rates.iter().enumerate().map(|(n, rate)| run(&format!("{name}{n}"), *rate)).collect();
    Side { name: name.to_owned(), runs }
}

fn verdict(comparison: &Comparison) -> RatioVerdict {
    comparison.rows[0].cells[1].ratio.as_ref().unwrap().verdict
}

const ORABENCH: [&str; 7] = [
    "ibm_p8_e870_2016",
    "hpe_dl580_bm_2016",
    "hpe_dl580_vm_2016",
    "hpe_dl580_rv_2016",
    "hpe_dl380_bm_2016",
    "hpe_dl380_vm_2016",
    "hpe_dl380_rv_2016",
];

/// The golden file has the cells as the document prints them: 65 lines of 7.
#[test]
fn the_heatmaps_of_the_document_come_out_cell_by_cell() {
    let catalogue = catalogue();
    let comparison = compared(&platforms(&ORABENCH, &catalogue), &CompareOptions::default());
    let text = std::fs::read_to_string(folder().join("orabench_heatmaps.tsv")).unwrap();
    let mut lines = text.lines();
    let ids: Vec<&str> = lines.next().unwrap().split('\t').skip(2).collect();
    assert_eq!(ids, ORABENCH);
    let (mut cells, mut doubted) = (0, 0);
    for line in lines {
        let parts: Vec<&str> = line.split('\t').collect();
        let which = if parts[0] == "speed" { KeyFigure::Speed } else { KeyFigure::Throughput };
        let row = comparison.rows.iter().find(|r| r.which == which && r.test == parts[1]).unwrap();
        for (cell, printed) in row.cells.iter().zip(&parts[2..]) {
            assert_eq!(cell.text.replace(',', "").parse::<f64>().unwrap(), printed.parse::<f64>().unwrap(), "{line}");
            cells += 1;
            doubted += usize::from(cell.suspect.is_some());
        }
    }
    assert_eq!((cells, comparison.rows.len()), (65 * 7, 65));
    // As many as the platform files flag: no doubt is lost.
    let flagged = ORABENCH.iter().map(|id| catalogue.platform(id).unwrap().published.unwrap());
    let flagged: usize = flagged.map(|p| p.figures.iter().filter(|f| f.suspect.is_some()).count()).sum();
    assert_eq!(doubted, flagged);
    assert!(comparison.warnings.is_empty(), "{:?}", comparison.warnings);
}

#[test]
fn a_comparison_reads_well_wide_and_narrow() {
    let catalogue = catalogue();
    let comparison = compared(&platforms(&ORABENCH, &catalogue), &CompareOptions::default());
    golden("compare.orabench", &compare::page(&comparison, false, None));
    golden("compare.orabench.80", &compare::page(&comparison, false, Some(80)));
    let sides = platforms(&["hp_dl980_violin_2012", "ibm_p8_e870_2016"], &catalogue);
    let unlike = compared(&sides, &CompareOptions { tests: Some("T1*,T6*"), ..CompareOptions::default() });
    golden("compare.unlike.100", &compare::page(&unlike, false, Some(100)));
    let samples = [sample("before", &[100.0, 101.0, 99.0]), sample("after", &[88.0, 89.0, 90.0])];
    let options = CompareOptions { max_regression_pct: Some(5.0), ..CompareOptions::default() };
    let virtual_machines = platforms(&["hpe_dl580_bm_2016", "hpe_dl580_vm_2016", "ibm_p8_e870_2016"], &catalogue);
    let compared_platforms = compared(&virtual_machines, &CompareOptions::default());
    golden("compare.layers.100", &compare::page(&compared_platforms, false, Some(100)));
    golden("compare.samples.100", &compare::page(&compared(&samples, &options), true, Some(100)));
}

#[test]
fn values_that_are_none_take_no_part() {
    let catalogue = catalogue();
    let comparison = compared(&platforms(&ORABENCH, &catalogue), &CompareOptions::default());
    let row = |test: &str, which| comparison.rows.iter().find(|r| r.test == test && r.which == which).unwrap();
    // The elapsed seconds that are printed in the throughput column.
    let float = row("T133", KeyFigure::Throughput);
    assert!(float.cells[1..].iter().all(|c| c.usable_for == UsableFor::Nothing && c.rank == Rank::None));
    assert!(float.cells[1..].iter().all(|c| c.ratio.as_ref().is_some_and(|r| r.value.is_none() && r.why.is_some())));
    // A shorter time is better.
    let fibonacci = row("T151", KeyFigure::Speed);
    assert_eq!((fibonacci.cells[0].rank, fibonacci.cells[1].rank), (Rank::Worst, Rank::Best));
    // A lower limit is never the worst, and is never divided.
    let floored = row("T615", KeyFigure::Speed);
    assert!(floored.cells.iter().all(|c| c.rank == Rank::Between && c.heat.is_none()));
    // The colour is the share of the best, of times too.
    let loops = row("T111", KeyFigure::Speed);
    let values: Vec<f64> = loops.cells.iter().filter_map(|c| c.value).collect();
    let best = values.iter().copied().fold(f64::MIN, f64::max);
    assert_eq!(loops.cells[0].heat, loops.cells[0].value.map(|value| value / best));
    let (slow, quick) = (fibonacci.cells[0].value.unwrap(), fibonacci.cells[1].value.unwrap());
    assert_eq!((fibonacci.cells[0].heat, fibonacci.cells[1].heat), (Some(quick / slow), Some(1.0)));
}

#[test]
fn another_baseline_turns_ratios_around() {
    let sides = platforms(&ORABENCH[..2], &catalogue());
    let ratio = |comparison: &Comparison, at: usize| comparison.rows[0].cells[at].ratio.as_ref().and_then(|r| r.value);
    let first = compared(&sides, &CompareOptions::default());
    let second = compared(&sides, &CompareOptions { baseline: Some("hpe_dl580_bm_2016"), ..CompareOptions::default() });
    let product = ratio(&first, 1).unwrap() * ratio(&second, 0).unwrap();
    assert!((product - 1.0).abs() < 1e-12 && ratio(&first, 0).is_none(), "{product}");
    let wrong = CompareOptions { baseline: Some("elsewhere"), ..CompareOptions::default() };
    assert!(matches!(compare::compare(&sides, &wrong, &catalogue()), Err(CompareError::Baseline { .. })));
}

#[test]
fn two_single_runs_prove_nothing_and_samples_may() {
    let single = compared(&[sample("a", &[100.0]), sample("b", &[50.0])], &CompareOptions::default());
    assert_eq!(verdict(&single), RatioVerdict::SpreadUnknown);
    assert!(compare::page(&single, false, None).contains("run-to-run spread unknown"));
    let base = [100.0, 101.0, 99.0];
    for (rates, expected) in [
        ([100.5, 99.5, 101.0], RatioVerdict::NoDifferenceShown),
        ([90.0, 91.0, 89.0], RatioVerdict::Worse),
        ([110.0, 111.0, 109.0], RatioVerdict::Better),
    ] {
        let both = compared(&[sample("a", &base), sample("b", &rates)], &CompareOptions::default());
        assert_eq!(verdict(&both), expected);
        assert_eq!(both.rows[0].cells[0].value, Some(100.0), "the median of the runs");
    }
}

#[test]
fn a_limit_is_broken_only_where_the_whole_interval_lies_beyond_it() {
    let limit = |rates: &[f64]| {
        let options = CompareOptions { max_regression_pct: Some(5.0), ..CompareOptions::default() };
        compared(&[sample("a", &[100.0, 101.0, 99.0]), sample("b", rates)], &options).regression.unwrap()
    };
    let far = limit(&[80.0, 81.0, 79.0]);
    assert_eq!((far.judged, far.broken.len()), (2, 2));
    assert!(far.broken.iter().all(|b| b.high < 0.95 && b.side == 1));
    // Worse by 7 %, but not certainly by more than 5 %; better; and a single run.
    assert!(limit(&[94.0, 93.0, 92.0]).broken.is_empty());
    assert!(limit(&[120.0, 121.0, 119.0]).broken.is_empty());
    let single = limit(&[10.0]);
    assert_eq!((single.judged, single.not_judged, single.broken.len()), (0, 2, 0));
}

#[test]
fn what_is_not_like_with_like_is_said() {
    let catalogue = catalogue();
    let kinds = |sides: &[Side]| -> Vec<WarningKind> {
        compared(sides, &CompareOptions::default()).warnings.iter().map(|w| w.kind).collect()
    };
    let own = |change: &dyn Fn(&mut RunJson)| {
        let mut side = sample("b", &[100.0]);
        change(&mut side.runs[0]);
        let Side { name, runs } = side;
        let runs = runs.into_iter().map(|r| RunJson::new(r.run, r.platform, r.database, r.points)).collect();
        [sample("a", &[100.0]), Side { name, runs }]
    };
    let points = |change: fn(&mut Point)| own(&move |run| run.points.iter_mut().for_each(change));
    assert_eq!(kinds(&own(&|_| {})), []);
    assert_eq!(kinds(&own(&|run| run.run.size = "N".into())), [WarningKind::Sizes]);
    assert_eq!(kinds(&own(&|run| run.database.engine = "other".into())), [WarningKind::Engines]);
    assert_eq!(kinds(&points(|p| p.mapping = "equivalent".into())), [WarningKind::Mappings]);
    assert_eq!(kinds(&points(|p| p.drive = dbdyno_model::Drive::Client)), [WarningKind::Drives]);
    assert_eq!(kinds(&points(|p| p.definition = "feed".into())), [WarningKind::Definitions]);
    let built = |change: &dyn Fn(&mut Tool)| {
        let mut sides = own(&|_| {});
        sides.iter_mut().for_each(|side| side.runs[0].tool = Some(fixture::tool()));
        sides[1].runs[0].tool.iter_mut().for_each(change);
        compared(&sides, &CompareOptions::default())
    };
    assert!(built(&|_| {}).warnings.is_empty());
    assert!(built(&|tool| *tool = Tool::default()).warnings.is_empty(), "what is not known is no difference");
    type Change = fn(&mut Tool);
    let changes: [(Change, &str); 4] = [
        (|tool| tool.profile = Some("dev".to_owned()), "dbdyno's profile"),
        (|tool| tool.libc_version = Some("2.36".to_owned()), "dbdyno's C library"),
        (|tool| tool.allocator = Some("jemalloc".to_owned()), "dbdyno's allocator"),
        (|tool| tool.embedded.values_mut().for_each(|options| _ = options.pop()), "dbdyno's embedded sqlite"),
    ];
    for (change, name) in changes {
        let compared = built(&change);
        assert_eq!(compared.warnings.iter().map(|w| w.kind).collect::<Vec<_>>(), [WarningKind::Builds], "{name}");
        assert!(compared.warnings[0].text.starts_with(name), "{:?}", compared.warnings);
        assert!(compared.settings.iter().any(|s| s.name == name), "{:?}", compared.settings);
    }
    let client = |follow: bool| {
        let mut sides = own(&|_| {});
        for (side, sessions_follow) in sides.iter_mut().zip([true, follow]) {
            let mut run = side.runs.remove(0);
            for p in &mut run.points {
                p.drive = dbdyno_model::Drive::Client;
                p.pump = Some(PumpUse { kind: PumpKind::IoUring, threads: 2, sessions_follow });
            }
            side.runs = vec![RunJson::new(run.run, run.platform, run.database, run.points)];
        }
        sides
    };
    assert_eq!(kinds(&client(true)), []);
    assert_eq!(kinds(&client(false)), [WarningKind::Pumps]);
    let shared = |numbers: [Option<u32>; 2]| {
        let mut sides = client(true);
        for (side, connections) in sides.iter_mut().zip(numbers) {
            side.runs[0].points.iter_mut().for_each(|p| p.load.connections = connections);
        }
        sides
    };
    assert_eq!(kinds(&shared([Some(2), Some(2)])), []);
    assert_eq!(kinds(&shared([Some(2), None])), [WarningKind::Connections]);
    assert_eq!(kinds(&shared([Some(2), Some(3)])), [WarningKind::Connections]);
    let mut durable = points(|p| p.commit = Some(CommitMode::EngineDefault));
    durable[0].runs[0].points.iter_mut().for_each(|p| p.commit = Some(CommitMode::Durable));
    assert_eq!(kinds(&durable), [WarningKind::Commits]);

    let mut mixed = vec![sample("mine", &[100.0])];
    mixed.extend(platforms(&["ibm_p8_e870_2016"], &catalogue));
    mixed[0].runs[0].points.iter_mut().for_each(|p| p.rows_per_s = p.tx_per_s);
    let kinds = kinds(&mixed);
    assert!(kinds.starts_with(&[WarningKind::Floor, WarningKind::Published, WarningKind::Engines]), "{kinds:?}");

    let mut updates = vec![sample("mine", &[100.0])];
    updates.extend(platforms(&["ibm_p8_e870_2016"], &catalogue));
    updates[0].runs[0].points.iter_mut().for_each(|p| {
        (p.subject, p.rows_per_s) = (dbdyno_model::Subject::of_database("T711").unwrap(), p.tx_per_s);
        p.commit = Some(CommitMode::Durable);
    });
    let commits = compared(&updates, &CompareOptions::default()).warnings;
    assert!(commits.iter().any(|w| w.kind == WarningKind::Commits && w.text.contains("T711")), "{commits:?}");

    let mut uneven = sample("c", &[100.0, 101.0]);
    uneven.runs[1].platform.kernel = Some("6.13".into());
    let warned = compared(&[sample("a", &[100.0]), uneven], &CompareOptions::default());
    let text = warned.warnings.iter().find(|w| w.kind == WarningKind::Sample).map(|w| w.text.clone());
    assert!(text.as_ref().is_some_and(|t| t.contains("kernel")), "{text:?}");
}

#[test]
fn commits_that_are_not_alike_have_no_ratio_and_unsafe_ones_no_best_mark() {
    let side = |name: &str, rate: f64, found: Commits| {
        let mut side = sample(name, &[rate]);
        for point in &mut side.runs[0].points {
            (point.commit, point.commits_found) = (Some(CommitMode::Durable), Some(found));
        }
        side
    };
    let safe = |name: &str, rate| side(name, rate, Commits::Durable);
    let compared_with = |other: Side| compared(&[safe("a", 100.0), other], &CompareOptions::default());
    let alike = compared_with(safe("b", 4_000.0));
    assert_eq!(alike.rows[0].cells[1].rank, Rank::Best);
    assert!(alike.warnings.is_empty() && alike.rows[0].cells[1].ratio.as_ref().unwrap().value.is_some());
    for found in [Commits::Unsafe, Commits::NotProved, Commits::EngineDefault] {
        let unlike = compared_with(side("b", 4_000.0, found));
        assert_eq!(unlike.warnings[0].kind, WarningKind::Commits, "{found:?}");
        for row in &unlike.rows {
            let ratio = row.cells[1].ratio.as_ref().unwrap();
            assert_eq!((ratio.verdict, ratio.value), (RatioVerdict::NoRatio, None), "{found:?}");
            assert!(ratio.why.as_ref().unwrap().contains(found.words()), "{ratio:?}");
            assert_eq!(row.cells[1].commits, Some(found));
        }
    }
    let lost = compared_with(side("b", 4_000.0, Commits::Unsafe));
    assert!(lost.rows.iter().all(|row| row.cells.iter().all(|c| c.rank != Rank::Best)), "{:?}", lost.rows);
    assert!(lost.efficiency.iter().flat_map(|e| &e.rows).all(|row| row.best != Some(1)), "{:?}", lost.efficiency);
}

#[test]
fn settings_that_differ_are_listed_and_no_others() {
    let mut other = sample("b", &[100.0]);
    other.runs[0].database.parameters.insert("cache_size".into(), "-1".into());
    let settings = compared(&[sample("a", &[100.0]), other], &CompareOptions::default()).settings;
    let names: Vec<&str> = settings.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["cache_size"]);
    assert_eq!(settings[0].values, [Some("-65536".to_owned()), Some("-1".to_owned())]);
}

#[test]
fn throughput_is_divided_by_what_is_known() {
    let mut priced = sample("b", &[100.0]);
    priced.runs[0].costs =
        Some(Costs { licences_per_core: Some(0.5), prices_usd: [("server".to_owned(), 4_000.0)].into(), terms: None });
    let efficiency = compared(&[sample("a", &[100.0]), priced], &CompareOptions::default()).efficiency;
    let of = |per: Per| efficiency.iter().find(|e| e.per == per).map(|e| e.rows[0].values.clone()).unwrap();
    assert_eq!(of(Per::Core), [Some(100.0), Some(100.0)]);
    assert_eq!(of(Per::Thread), [Some(100.0), Some(100.0)]);
    assert_eq!(of(Per::Licence), [None, Some(200.0)]);
    assert_eq!(of(Per::ThousandUsd), [None, Some(50.0)]);
}

#[test]
fn series_over_cores_stand_side_by_side() {
    let slob = ["aws_r5", "sunlight_on_aws", "vmware_on_aws", "sunlight_onprem_optane", "sunlight_onprem_p4610"];
    let comparison = compared(&platforms(&slob, &catalogue()), &CompareOptions::default());
    let first = &comparison.others[0];
    assert_eq!((first.test.as_str(), first.by.as_str(), first.key.as_str()), ("SLOB", "cores", "read_write_per_s"));
    assert_eq!(first.rows[0].values[..2], [Some(18_724.4), Some(131_870.3)]);
    golden("compare.slob.80", &compare::page(&comparison, false, Some(80)));
}

#[test]
fn bad_input_is_refused() {
    let catalogue = catalogue();
    let error = |sides: &[Side]| compare::compare(sides, &CompareOptions::default(), &catalogue).unwrap_err();
    assert_eq!(error(&[sample("a", &[1.0])]), CompareError::Sides(1));
    let many: Vec<Side> = (0..21).map(|n| sample(&format!("s{n}x"), &[1.0])).collect();
    assert_eq!(error(&many), CompareError::Sides(21));
    assert!(compare::compare(&many[..20], &CompareOptions::default(), &catalogue).is_ok());
    assert_eq!(error(&[sample("a", &[1.0]), sample("a", &[1.0])]), CompareError::Twice("a".into()));
    let nothing = error(&platforms(&["aws_r5", "ibm_p8_e870_2016"], &catalogue));
    assert!(matches!(nothing, CompareError::NothingInCommon { .. }), "{nothing}");
}

/// A run of an index build that took so long over so many rows.
fn build(id: &str, size: &str, elapsed_s: f64, rows_per_s: Option<f64>) -> Side {
    let mut point = fixture::bare("T512", (1, 1, 1));
    (point.elapsed_s, point.rows_per_s) = (Some(elapsed_s), rows_per_s);
    let whole = fixture::run();
    let header = dbdyno_model::Run { id: RunId::new(id).unwrap(), size: size.to_owned(), ..whole.run };
    let run = RunJson::new(header, whole.platform, whole.database, vec![point]);
    Side { name: id.to_owned(), runs: vec![run] }
}

#[test]
fn figures_of_other_amounts_of_data_are_compared_by_rates_or_not_at_all() {
    let rates = |size| {
        compared(&[build("a", "T", 0.5, Some(2e6)), build("b", size, 226.0, Some(4e6))], &CompareOptions::default())
    };
    let row = &rates("L").rows[0];
    assert_eq!((row.metric.as_str(), row.unlike_sizes), ("rows_per_s", false));
    assert_eq!(row.cells[1].ratio.as_ref().unwrap().value, Some(2.0));
    assert_eq!(rates("T").rows[0].metric.as_str(), "elapsed_s", "of one size the test's own metric goes first");
    // Of times alone nothing is said.
    let times = compared(&[build("a", "T", 0.5, None), build("b", "L", 226.0, None)], &CompareOptions::default());
    let row = &times.rows[0];
    assert_eq!((row.metric.as_str(), row.unlike_sizes), ("elapsed_s", true));
    assert!(row.cells.iter().all(|cell| cell.rank == Rank::None && cell.heat.is_none()), "{row:?}");
    let ratio = row.cells[1].ratio.as_ref().unwrap();
    assert!(ratio.value.is_none() && ratio.why.as_ref().unwrap().contains("amount of data"), "{ratio:?}");
}

/// A run of inserts with so many rows a transaction at each step.
fn inserts(id: &str, steps: &[(u32, u64, f64)]) -> Side {
    let point = |(jobs, rows_per_tx, rate): &(u32, u64, f64)| {
        let mut point = fixture::bare("T311", (1, *jobs, 1));
        (point.rows_per_tx, point.rows_per_s) = (*rows_per_tx, Some(*rate));
        point
    };
    let whole = fixture::run();
    let header = dbdyno_model::Run { id: RunId::new(id).unwrap(), ..whole.run };
    let run = RunJson::new(header, whole.platform, whole.database, steps.iter().map(point).collect());
    Side { name: id.to_owned(), runs: vec![run] }
}

#[test]
fn transactions_of_one_size_are_compared_where_all_sides_have_some() {
    let ours = inserts("a", &[(1, 2, 100.0), (8, 2, 700.0), (8, 10, 900.0)]);
    let theirs = inserts("b", &[(1, 10, 50.0), (8, 10, 450.0)]);
    let compared_with = |other: Side| compared(&[ours.clone(), other], &CompareOptions::default());
    let alike = compared_with(theirs);
    let row = throughput(&alike);
    assert_eq!((row.rows_per_tx, row.cells[0].value, row.cells[1].value), (Some(10), Some(900.0), Some(450.0)));
    assert_eq!(row.cells[1].ratio.as_ref().unwrap().value, Some(0.5));
    assert!(alike.warnings.iter().all(|warning| warning.kind != WarningKind::Transactions), "{:?}", alike.warnings);
    let text = compare::page(&alike, false, None);
    assert!(text.contains("10 rows each"), "{text}");
    // Where nothing is alike it is said, and what each would show stays.
    let unlike = compared_with(inserts("c", &[(1, 5, 50.0), (8, 5, 450.0)]));
    assert_eq!((throughput(&unlike).rows_per_tx, throughput(&unlike).cells[0].value), (None, Some(700.0)));
    assert!(unlike.warnings.iter().any(|warning| warning.kind == WarningKind::Transactions), "{:?}", unlike.warnings);
    // And nothing is chosen where they are alike anyhow.
    let same = compared_with(inserts("d", &[(1, 2, 50.0), (8, 2, 450.0), (8, 10, 800.0)]));
    assert_eq!((throughput(&same).rows_per_tx, throughput(&same).cells[0].value), (None, Some(700.0)));
}

#[test]
fn layers_differ_by_the_mean_of_the_tests_that_all_sides_share() {
    // What the documents conclude: virtual machines cost next to nothing in the processor and some in storage, and
    // POWER is ahead of both.
    let catalogue = catalogue();
    let sides = platforms(&["hpe_dl580_bm_2016", "hpe_dl580_vm_2016", "ibm_p8_e870_2016"], &catalogue);
    let comparison = compared(&sides, &CompareOptions::default());
    let names: Vec<Layer> = comparison.layers.iter().map(|layer| layer.layer).collect();
    assert_eq!(names, [Layer::Cpu, Layer::Server, Layer::Storage, Layer::Database]);
    for layer in &comparison.layers {
        assert!(layer.sides[0].is_none(), "the baseline");
        for side in layer.sides.iter().flatten() {
            assert_eq!(side.factors.len(), layer.tests.len());
            let mean = (side.factors.iter().map(|f| f.ln()).sum::<f64>() / side.factors.len() as f64).exp();
            assert!((side.mean / mean - 1.0).abs() < 1e-12 && side.low <= mean && mean <= side.high, "{side:?}");
            assert!(!side.is_interval, "single runs have a range");
        }
    }
    // Three runs a side have an interval: the only test's own.
    let samples = [sample("before", &[100.0, 101.0, 99.0]), sample("after", &[88.0, 89.0, 90.0])];
    let compared = compared(&samples, &CompareOptions::default());
    let (factor, ratio) =
        (compared.layers[0].sides[1].clone().unwrap(), throughput(&compared).cells[1].ratio.clone().unwrap());
    assert!(factor.is_interval && (factor.mean - ratio.value.unwrap()).abs() < 1e-12, "{factor:?}");
    let half = (ratio.high.unwrap() / ratio.low.unwrap()).ln() / 2.0;
    assert!(((factor.high / factor.mean).ln() - half).abs() < 1e-9, "{factor:?} {ratio:?}");
}

fn throughput(comparison: &Comparison) -> &compare::ComparedRow {
    comparison.rows.iter().find(|row| row.which == KeyFigure::Throughput).unwrap()
}

#[test]
fn what_is_not_proved_is_in_parentheses_without_rank_and_ratio() {
    let [mut a, b, c] = [("a", 100.0), ("b", 200.0), ("c", 400.0)].map(|(name, rate)| sample(name, &[rate; 3]));
    for point in a.runs.iter_mut().flat_map(|run| &mut run.points) {
        point.flag(Flag::NotProved, None);
    }
    let ranks = |comparison: &Comparison| -> Vec<Rank> { comparison.rows[0].cells.iter().map(|c| c.rank).collect() };
    let comparison = compared(&[a.clone(), b.clone(), c], &CompareOptions::default());
    assert_eq!(ranks(&comparison), [Rank::None, Rank::Worst, Rank::Best]);
    let cell = &comparison.rows[0].cells[1];
    assert_eq!(cell.ratio.as_ref().unwrap().verdict, RatioVerdict::NoRatio);
    assert_eq!(cell.ratio.as_ref().unwrap().value, None);
    assert!(comparison.rows[0].cells[0].text.starts_with('('), "{:?}", comparison.rows[0].cells[0]);
    // Nor is it ranked where nothing sound stands beside it, nor divided by one like it.
    let mut other = sample("d", &[900.0; 3]);
    other.runs.iter_mut().flat_map(|run| &mut run.points).for_each(|point| point.flag(Flag::NotProved, None));
    let claims = compared(&[a, other], &CompareOptions::default());
    assert_eq!(ranks(&claims), [Rank::None, Rank::None]);
    assert_eq!(verdict(&claims), RatioVerdict::NoRatio);
}
