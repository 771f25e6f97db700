//! The times of single operations on two sides under the same loads.

use super::{compared, fixture, golden, text};
use dbdyno_model::{ResponseTime, RunId, RunJson};
use dbdyno_report::compare::{CompareOptions, LoadUnit, Side};
use dbdyno_report::{Extent, PointTimes};
use dbdyno_stats::Histogram;

/// A side with this run, as slow as the factor says, and with a peak in its histograms.
fn side(id: &str, mut run: RunJson, factor: f64, peak_ms: u64) -> Side {
    run.run.id = RunId::new(id).unwrap();
    let slower = |times: &mut ResponseTime| {
        for time in [&mut times.p50, &mut times.p99, &mut times.max].into_iter().flatten() {
            *time *= factor;
        }
    };
    for point in &mut run.points {
        point.service_time_s.iter_mut().chain(&mut point.response_time_s).for_each(slower);
    }
    let timed = run.points.iter().enumerate().filter(|(_, point)| point.service_time_s.is_some());
    let times = timed.map(|(point, p)| {
        let mut histogram = Histogram::new();
        (1..1_000).for_each(|n| histogram.record_ns(peak_ms * 1_000_000 + n * 1_000));
        histogram.record_ns(1_000);
        PointTimes { point, from_due: p.load.rate.is_some(), histogram }
    });
    let times = times.collect();
    Side::new(id, vec![run]).with_times(times)
}

#[test]
fn storage_points_stand_beside_each_other() {
    let sides = [side("before", fixture::storage::run(), 1.0, 5), side("after", fixture::storage::run(), 160.0, 800)];
    let comparison = compared(&sides, &CompareOptions::default());
    let reads = comparison.times.iter().find(|times| times.test == "ORION 8K random reads").unwrap();
    let loads: Vec<&str> = reads.loads.iter().map(|load| load.load.as_str()).collect();
    assert_eq!((reads.unit, loads.first(), loads.len() > 2), (LoadUnit::Outstanding, Some(&"1 outstanding"), true));
    let p99 = |side: usize| reads.loads[0].sides[side].as_ref().unwrap().p99.unwrap();
    assert!((p99(1) / p99(0) - 160.0).abs() < 1e-9);
    // The peaks are seen at a glance, in words and in one chart.
    let words = comparison.document(&sides, &[], &super::catalogue(), Extent::Screen).text(Some(100));
    assert!(words.contains("Most frequent at 32 outstanding: A 4.64 ms to 5.62 ms, B 681 ms to 825 ms."), "{words}");
    golden("compare.storage.100", &words);
    let page = comparison.document(&sides, &[], &super::catalogue(), Extent::Page).page();
    assert!(page.contains("How the times are spread") && page.contains("<section id=\"latency\">"));
    // Without histograms there are percentiles alone.
    assert!(!text(&comparison, Extent::Screen, None).contains("Most frequent"));
}

#[test]
fn client_points_stand_beside_each_other_by_rate_and_by_jobs() {
    let sides = [side("before", fixture::run(), 1.0, 1), side("after", fixture::run(), 2.0, 2)];
    let comparison = compared(&sides, &CompareOptions { tests: Some("T6*,T7*"), ..CompareOptions::default() });
    let units: Vec<LoadUnit> = comparison.times.iter().map(|times| times.unit).collect();
    assert!(units.contains(&LoadUnit::Rate) && units.contains(&LoadUnit::Jobs), "{units:?}");
    assert!(comparison.times.iter().flat_map(|times| &times.loads).all(|load| load.sides.len() == 2));
    let of_rate = comparison.times.iter().find(|times| times.unit == LoadUnit::Rate).unwrap();
    assert!(of_rate.loads.iter().flat_map(|load| load.sides.iter().flatten()).all(|times| times.from_due));
    let words = text(&comparison, Extent::Screen, Some(100));
    assert!(words.contains("Latency: the times of single operations"), "{words}");
}
