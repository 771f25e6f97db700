//! What is not like with like: it is said, and neither ranked nor divided.

use super::{compared, fixture, platforms, sample, text, throughput, verdict};
use crate::catalogue;
use dbdyno_model::{CommitMode, Commits, Flag, Point, PumpKind, PumpUse, RunId, RunJson, Subject, Tool, WorkloadName};
use dbdyno_report::Extent;
use dbdyno_report::compare::{CompareOptions, Comparison, Rank, RatioVerdict, Side, WarningKind};

#[test]
fn what_is_not_like_with_like_is_said() {
    let catalogue = catalogue();
    let kinds = |sides: &[Side]| -> Vec<WarningKind> {
        compared(sides, &CompareOptions::default()).warnings.iter().map(|w| w.kind).collect()
    };
    let own = |change: &dyn Fn(&mut RunJson)| {
        let mut side = sample("b", &[100.0]);
        change(&mut side.runs[0]);
        let Side { name, runs, .. } = side;
        let runs = runs.into_iter().map(|r| RunJson::new(r.run, r.platform, r.database, r.points)).collect();
        [sample("a", &[100.0]), Side::new(name, runs)]
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
    let of_workload = |mixes: [Option<&str>; 2]| {
        let mut sides = client(true);
        for (side, mix) in sides.iter_mut().zip(mixes) {
            for point in &mut side.runs[0].points {
                point.subject = Subject::Workload(WorkloadName::new("order-entry").unwrap());
                point.mix = mix.map(|mix| mix.parse().unwrap());
            }
        }
        sides
    };
    assert_eq!(kinds(&of_workload([Some("BP=1"), Some("BP=1")])), []);
    assert_eq!(kinds(&of_workload([Some("BP=1"), Some("OP=1")])), [WarningKind::Mixes]);
    assert_eq!(kinds(&of_workload([Some("BP=1"), None])), [WarningKind::Mixes]);
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

/// A run of an index build that took so long over so many rows.
fn build(id: &str, size: &str, elapsed_s: f64, rows_per_s: Option<f64>) -> Side {
    let mut point = fixture::bare("T512", (1, 1, 1));
    (point.elapsed_s, point.rows_per_s) = (Some(elapsed_s), rows_per_s);
    let whole = fixture::run();
    let header = dbdyno_model::Run { id: RunId::new(id).unwrap(), size: size.to_owned(), ..whole.run };
    let run = RunJson::new(header, whole.platform, whole.database, vec![point]);
    Side::new(id, vec![run])
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
    Side::new(id, vec![run])
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
    let text = text(&alike, Extent::Screen, None);
    assert!(text.contains("10 rows each"), "{text}");
    // Where nothing is alike it is said, and what each would show stays.
    let unlike = compared_with(inserts("c", &[(1, 5, 50.0), (8, 5, 450.0)]));
    assert_eq!((throughput(&unlike).rows_per_tx, throughput(&unlike).cells[0].value), (None, Some(700.0)));
    assert!(unlike.warnings.iter().any(|warning| warning.kind == WarningKind::Transactions), "{:?}", unlike.warnings);
    let cells = &throughput(&unlike).cells;
    assert!(
        cells[0].unlike.is_none() && cells[1].unlike.as_ref().is_some_and(|why| why.contains("5 rows")),
        "{cells:?}"
    );
    assert_eq!((cells[1].rank, cells[1].ratio.as_ref().and_then(|r| r.value)), (Rank::None, None));
    // And nothing is chosen where they are alike anyhow.
    let same = compared_with(inserts("d", &[(1, 2, 50.0), (8, 2, 450.0), (8, 10, 800.0)]));
    assert_eq!((throughput(&same).rows_per_tx, throughput(&same).cells[0].value), (None, Some(700.0)));
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
    assert!(comparison.rows[0].cells[0].doubtful, "{:?}", comparison.rows[0].cells[0]);
    // Nor is it ranked where nothing sound stands beside it, nor divided by one like it.
    let mut other = sample("d", &[900.0; 3]);
    other.runs.iter_mut().flat_map(|run| &mut run.points).for_each(|point| point.flag(Flag::NotProved, None));
    let claims = compared(&[a, other], &CompareOptions::default());
    assert_eq!(ranks(&claims), [Rank::None, Rank::None]);
    assert_eq!(verdict(&claims), RatioVerdict::NoRatio);
}
