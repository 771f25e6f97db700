//! Headroom: what is known, what is a bound, what is unknown, and how it is shown.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

mod watched;

use dbdyno_model::{CommitMode, Commits, CpuLimits, Flag, Point, ProfileJson, RunJson};
use dbdyno_report::headroom::{
    Headroom, HeadroomBound, HeadroomError, HeadroomLayer, HeadroomOptions, HeadroomOutcome, LayerName, LayerStanding,
    PlatformRelation, ShownExtent, headroom,
};
use dbdyno_report::headroom_document;
use proptest::prelude::*;
use std::path::Path;
use watched::{
    another_run, busy_pct, curve, platform, profile, profile_at, remote_profile, run, run_of, scaled, short_profile,
    storage, test, update,
};

fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden_headroom").join(name);
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert!(expected == text, "{name} differs from its golden file. It is now:\n{text}");
}

/// A page without style and script, an element a line.
fn body(page: &str) -> String {
    let body = page.split_once("<body").map_or("", |(_, body)| body);
    body.split("<script>").next().unwrap_or_default().replace('<', "\n<").replace("\n</", "</")
}

fn of(profile: &ProfileJson, run: &RunJson) -> Headroom {
    headroom(profile, run, &HeadroomOptions::default()).unwrap()
}

fn layer(headroom: &Headroom, name: LayerName) -> &HeadroomLayer {
    headroom.layers.iter().find(|layer| layer.layer == name).unwrap()
}

/// The multiple of a layer and its kind.
fn multiple(headroom: &Headroom, name: LayerName) -> Option<(f64, HeadroomBound)> {
    layer(headroom, name).known().map(|known| (known.multiple, known.bound))
}

/// Why a layer is unknown.
fn why(headroom: &Headroom, name: LayerName) -> &str {
    match &layer(headroom, name).standing {
        LayerStanding::Unknown { why } => why,
        other => panic!("{name:?} is {other:?}"),
    }
}

/// A run without what could be a curve.
fn without_curve() -> RunJson {
    let mut run = run();
    run.points.retain(|point| !point.subject.as_str().starts_with("T6"));
    for point in &mut run.points {
        point.cpu.busy_pct = None;
    }
    run
}

#[test]
fn it_is_shown_as_the_golden_files_say() {
    let own = run();
    let with_own = HeadroomOptions { own: Some(&own), ..HeadroomOptions::default() };
    let mut barred = run();
    for point in &mut barred.points {
        if point.subject.storage().is_some() {
            point.flag(Flag::ServedFromOsCache, "the device was hardly used".to_owned());
        }
        if point.subject.as_str() == "T711" {
            (point.commit, point.commits_found) = (Some(CommitMode::Durable), Some(Commits::Unsafe));
            point.flag(Flag::UnsafeDurability, None);
        }
    }
    let cases = [
        ("same", of(&profile(), &own)),
        ("no_curve", of(&profile_at(0.5), &without_curve())),
        ("another", of(&profile(), &another_run())),
        ("another_own", headroom(&profile(), &another_run(), &with_own).unwrap()),
        ("remote", of(&remote_profile(), &own)),
        ("barred", of(&profile(), &barred)),
    ];
    for (name, headroom) in &cases {
        let document = headroom_document(headroom);
        golden(&format!("{name}.txt"), &document.text(Some(120)));
        golden(&format!("{name}.80.txt"), &document.text(Some(80)));
    }
    let document = headroom_document(&cases[0].1);
    golden("same.md", &document.markdown());
    golden("same.html", &body(&document.page()));
    golden("same.json", &format!("{}\n", serde_json::to_string_pretty(&cases[0].1).unwrap()));
}

#[test]
fn a_profile_without_a_whole_minute_and_a_run_without_points_are_refused() {
    let error = headroom(&short_profile(), &run(), &HeadroomOptions::default()).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("profile 'black-friday'") && text.contains("dbdyno monitor"), "{text}");
    assert!(text.contains("30.0 s in all"), "{text}");
    let mut spoiled = run();
    spoiled.points.iter_mut().for_each(|point| point.flag(Flag::TooShort, None));
    let error = headroom(&profile(), &spoiled, &HeadroomOptions::default()).unwrap_err();
    assert!(matches!(error, HeadroomError::NothingMeasured { .. }), "{error}");
    let asked = HeadroomOptions { curve: Some("T999"), ..HeadroomOptions::default() };
    let text = headroom(&profile(), &run(), &asked).unwrap_err().to_string();
    assert!(text.contains("'T999'") && text.contains("T611"), "{text}");
}

/// A server with this many steps of its ramp, and production at a share of its best rate.
fn at_share(share: f64, points: Vec<Point>) -> (f64, HeadroomBound) {
    let busy = busy_pct(share);
    let profile = scaled(busy / 60.0);
    let pct = profile.seen.figures["cpu.busy_pct"].peak_minute.unwrap();
    let headroom = of(&profile, &run_of("headr00m", points));
    let (multiple, bound) = multiple(&headroom, LayerName::Processors).unwrap();
    // The peak minute has one second that is busier.
    let truth = (1..=10_000).map(|n| f64::from(n) / 10_000.0).find(|share| busy_pct(*share) >= pct).unwrap_or(1.0);
    (multiple * truth, bound)
}

#[test]
fn from_half_of_saturation_on_the_curve_is_within_15_percent_and_below_it_is_a_lower_bound() {
    assert!((busy_pct(0.02) / 0.02 / (busy_pct(1.0) / 1.0) - 124.0 / 28.0).abs() < 0.01);
    let mut points = curve();
    points.extend([test("T121", 1, 400.0, 12.5), test("T121", 8, 3_000.0, 99.0)]);
    for n in 52..=98 {
        let (ratio, bound) = at_share(f64::from(n) / 100.0, points.clone());
        assert!((ratio - 1.0).abs() < 0.15, "{ratio} at {n} % of saturation");
        assert_eq!(bound, HeadroomBound::About, "{n}");
    }
    for n in [2, 5, 10, 20, 30, 40, 45] {
        let (ratio, bound) = at_share(f64::from(n) / 100.0, points.clone());
        // Between steps the line may lie below the curve by a part of its noise.
        assert!(ratio <= 1.01, "{ratio} at {n} % of saturation is no lower bound");
        assert_eq!(bound, HeadroomBound::AtLeast, "{n}");
    }
    let linear = |share: f64| at_share(share, vec![test("T611", 1, 100.0, 5.0)]);
    for n in [2, 10, 50, 80] {
        let (ratio, bound) = linear(f64::from(n) / 100.0);
        assert!(ratio <= 1.001 && bound == HeadroomBound::AtLeast, "{ratio} at {n} %");
    }
    assert!(linear(0.05).0 < 0.5, "a line errs by 2 to 4 times there");
}

#[test]
fn a_curve_is_not_made_of_disturbed_points_or_of_few() {
    let processors = |points: Vec<Point>| of(&profile(), &run_of("headr00m", points)).curve;
    assert!(processors(curve()).is_some());
    assert!(processors(curve()[..3].to_vec()).is_none());
    for flag in [Flag::ForeignLoad, Flag::CpuSteal, Flag::Throttled, Flag::NotProved] {
        let mut points = curve();
        points.iter_mut().for_each(|point| point.flag(flag, None));
        points.push(test("T121", 1, 400.0, 12.5));
        assert!(processors(points).is_none(), "{flag:?}");
    }
}

#[test]
fn a_ramp_that_ends_early_gives_a_lower_bound() {
    let early: Vec<Point> = curve().into_iter().take(4).collect();
    let at_rest =
        |points: Vec<Point>| multiple(&of(&scaled(0.3), &run_of("headr00m", points)), LayerName::Processors).unwrap();
    let ((bound, kind), (whole, _)) = (at_rest(early), at_rest(curve()));
    assert_eq!(kind, HeadroomBound::AtLeast);
    assert!(bound <= whole, "{bound} {whole}");
}

#[test]
fn what_a_run_did_not_drive_is_unknown_and_never_free() {
    let headroom = of(&profile(), &run_of("headr00m", curve()));
    assert!(why(&headroom, LayerName::ReadIops).starts_with("not measured"));
    assert!(why(&headroom, LayerName::LogSyncs).starts_with("not measured"));
    assert_eq!(headroom.outcome, HeadroomOutcome::CarriesAsFarAsKnown);
    assert!(headroom.answer.iter().any(|text| text.contains("layers are unknown")), "{:?}", headroom.answer);
    let little = of(&profile(), &run_of("headr00m", vec![update(1, 100.0, 2.0)]));
    assert!(why(&little, LayerName::LogSyncs).contains("than the run drove it to"));
    let remote = of(&remote_profile(), &run());
    assert!(why(&remote, LayerName::Processors).contains("another machine"));
    assert_eq!(remote.platforms, PlatformRelation::SameTarget);
}

#[test]
fn log_figures_need_commits_that_are_proved_to_be_durable() {
    for (mode, found) in [
        (Some(CommitMode::Durable), Some(Commits::NotProved)),
        (Some(CommitMode::EngineDefault), Some(Commits::EngineDefault)),
        (None, None),
    ] {
        let mut run = run();
        for point in &mut run.points {
            (point.commit, point.commits_found) = (mode, found);
        }
        let headroom = of(&profile(), &run);
        assert!(why(&headroom, LayerName::RedoMib).contains("proved to be durable"), "{found:?}");
        assert!(multiple(&headroom, LayerName::WriteIops).is_some());
    }
}

#[test]
fn storage_that_gave_no_more_is_a_limit_and_what_rose_to_the_end_is_a_bound() {
    let headroom = of(&profile(), &run());
    let extent = |name| layer(&headroom, name).shown.as_ref().unwrap().extent;
    assert_eq!(extent(LayerName::ReadIops), ShownExtent::ToItsEnd);
    assert_eq!(extent(LayerName::WriteIops), ShownExtent::NotToItsEnd);
    assert_eq!(extent(LayerName::LogSyncs), ShownExtent::ToItsEnd);
    let (both, _) = multiple(&headroom, LayerName::Iops).unwrap();
    for apart in [LayerName::ReadIops, LayerName::WriteIops] {
        assert!(multiple(&headroom, apart).unwrap().0 > both, "reads and writes share devices");
    }
    let few_reads = |mut run: RunJson| {
        run.points.retain(|point| point.subject.storage().is_none());
        run.points.extend([(1, 100.0), (4, 500.0), (16, 501.0)].map(|(n, iops)| storage(n, iops, 0)));
        of(&profile(), &run)
    };
    let here = few_reads(run());
    assert!(why(&here, LayerName::ReadIops).starts_with("production did more on this platform"));
    let there = few_reads(another_run());
    assert_eq!((there.outcome, there.first), (HeadroomOutcome::DoesNotCarry, Some(LayerName::ReadIops)));
    assert!(there.answer[1].starts_with("It does not carry the load"), "{:?}", there.answer);
}

#[test]
fn another_product_or_block_size_has_counters_that_do_not_compare() {
    let mut run = run();
    run.database.parameters.insert("block_size".to_owned(), "4096".to_owned());
    let headroom = of(&profile(), &run);
    assert!(why(&headroom, LayerName::LogicalReads).contains("block_size is 8192 in production and 4096 in the run"));
    assert!(multiple(&headroom, LayerName::RedoMib).is_some());
    run.database.engine = "null".to_owned();
    let headroom = of(&profile(), &run);
    for name in [LayerName::LogicalReads, LayerName::RedoMib, LayerName::LogSyncs] {
        assert!(why(&headroom, name).starts_with("not comparable"), "{name:?}");
    }
}

#[test]
fn processors_of_another_platform_need_a_run_of_productions_own() {
    let (another, own) = (another_run(), run());
    let with = |own| headroom(&profile(), &another, &HeadroomOptions { own, curve: None }).unwrap();
    assert_eq!(with(None).platforms, PlatformRelation::Another);
    assert!(why(&with(None), LayerName::Processors).contains("no run of production's own platform was given"));
    assert!(why(&with(Some(&another)), LayerName::Processors).contains("is of another one"));
    let found = with(Some(&own));
    let factor = found.factor.as_ref().unwrap();
    let geometric = (1.2_f64 * 1.5 * 1.4).powf(1.0 / 3.0);
    assert!((factor.factor - geometric).abs() < 1e-9 && factor.tests.len() == 3, "{factor:?}");
    let (times, _) = multiple(&found, LayerName::Processors).unwrap();
    let (here, _) = multiple(&of(&profile(), &own), LayerName::Processors).unwrap();
    assert!((times / here - geometric).abs() < 1e-9);
    let mut other_definitions = another.clone();
    other_definitions.points.iter_mut().for_each(|point| point.definition = "another".to_owned());
    let options = HeadroomOptions { own: Some(&own), curve: None };
    let found = headroom(&profile(), &other_definitions, &options).unwrap();
    assert!(why(&found, LayerName::Processors).contains("no CPU test"), "other work is no measure");
}

#[test]
fn a_database_that_is_held_to_some_processors_is_compared_with_these() {
    let limits = CpuLimits { allowed_threads: Some(4), machine_threads: Some(8), ..CpuLimits::default() };
    let mut profile = profile();
    let mut held = platform();
    held.cpu.limits = Some(limits);
    profile.platform = Some(held.clone());
    assert_eq!(of(&profile, &run()).platforms, PlatformRelation::Another, "that run had all of them");
    let mut run = run();
    run.platform = held;
    let busy_of_all = of(&profile, &run);
    assert!(busy_of_all.curve.is_none(), "what the whole machine did is no curve of a part of it");
    let known = layer(&busy_of_all, LayerName::Processors).known().unwrap();
    assert!((known.share_pct - 40.13 * 2.0).abs() < 0.1, "the server's share of its half: {known:?}");
    for point in &mut run.points {
        point.cpu.held_busy_pct = point.cpu.busy_pct;
    }
    assert!(of(&profile, &run).curve.is_some());
}

#[test]
fn what_production_does_not_use_limits_nothing() {
    let mut profile = profile();
    for path in ["network.receive_mib_per_s", "network.send_mib_per_s"] {
        let figure = profile.seen.figures.get_mut(path).unwrap();
        (figure.peak, figure.peak_minute) = (0.0, Some(0.0));
    }
    let headroom = of(&profile, &run());
    assert_eq!(layer(&headroom, LayerName::NetworkSend).standing, LayerStanding::NotUsed);
    assert_eq!((headroom.unknown().count(), headroom.outcome), (0, HeadroomOutcome::Carries));
}

/// Every multiple that both know: the first is at least the second.
fn is_at_least(first: &Headroom, second: &Headroom) -> Result<(), TestCaseError> {
    for (a, b) in first
        .layers
        .iter()
        .flat_map(|layer| second.layers.iter().find(|other| other.layer == layer.layer).map(|other| (layer, other)))
    {
        if let (Some(one), Some(other)) = (a.known(), b.known()) {
            prop_assert!(one.multiple >= other.multiple * (1.0 - 1e-9), "{:?}", (a, b));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn multiples_never_rise_with_the_load_and_never_fall_with_what_the_run_showed(
        load in 0.02_f64..1.6, more in 1.0_f64..4.0, capacity in 1.0_f64..5.0
    ) {
        let (light, heavy) = (scaled(load), scaled(load * more));
        for run in [run(), without_curve(), run_of("headr00m", curve()[..4].to_vec())] {
            is_at_least(&of(&light, &run), &of(&heavy, &run))?;
            let mut better = run.clone();
            for point in &mut better.points {
                for figure in [
                    &mut point.io.read_iops, &mut point.io.write_iops, &mut point.io.read_mib_per_s,
                    &mut point.io.write_mib_per_s, &mut point.redo.mib_per_s, &mut point.redo.sync_writes_per_s,
                    &mut point.database.logical_reads_per_s,
                ] {
                    *figure = figure.map(|value| value * capacity);
                }
            }
            is_at_least(&of(&light, &better), &of(&light, &run))?;
        }
    }
}
