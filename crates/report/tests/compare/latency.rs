//! The times of single operations on two sides under the same loads.

use super::{catalogue, compared, fixture, golden, platforms, text};
use dbdyno_model::{Flag, Rate, ResponseTime, RunId, RunJson};
use dbdyno_report::compare::{self, CompareOptions, LoadUnit, Side};
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

/// The document of the replication product has no points, and says how fast each variant is.
#[test]
fn runs_of_ones_own_stand_beside_what_a_source_states() {
    let own = |id: &str, factor, peak_ms| side(id, fixture::storage::run(), factor, peak_ms);
    let mut sides = vec![own("before", 1.0, 5), own("after", 160.0, 800)];
    sides.extend(platforms(&["recoverpoint_2021"], &catalogue()));
    let both = compared(&sides, &CompareOptions::default());
    let stated = &both.stated;
    let columns: Vec<(usize, Option<&str>)> = stated.columns.iter().map(|c| (c.side, c.variant.as_deref())).collect();
    assert_eq!(columns, [(0, None), (1, None), (2, Some("baseline")), (2, Some("with_replication"))]);
    assert_eq!(stated.rows[0].name, "Small I/Os");
    let peak = stated.rows.iter().find(|row| row.name.trim() == "longest").unwrap();
    let peaks: Vec<f64> = peak.cells.iter().map(|cell| cell.as_ref().unwrap().value).collect();
    assert!((peaks[1] / peaks[0] - 160.0).abs() < 1e-9 && peaks[2..] == [0.005, 0.8], "{peaks:?}");
    golden("compare.stated.100", &text(&both, Extent::Screen, Some(100)));
    // A stall counts, whatever else is wrong with its point; a set rate is no maximum; all runs of a label count.
    let longest = |sides: &[Side]| {
        let stated = compared(sides, &CompareOptions::default()).stated;
        let row = stated.rows.into_iter().find(|row| row.name.trim() == "longest").unwrap();
        row.cells[0].as_ref().map(|figure| (figure.value, figure.doubtful))
    };
    let mut stalled = sides[1..].to_vec();
    let point = stalled[0].runs[0].points.iter_mut().find(|p| p.service_time_s.is_some()).unwrap();
    point.flag(Flag::TooShort, None);
    point.service_time_s.as_mut().unwrap().max = Some(9.0);
    assert_eq!(longest(&stalled), Some((9.0, true)));
    let newest = sides[0].runs[0].clone();
    stalled[0].runs.insert(0, newest);
    assert_eq!(longest(&stalled), Some((9.0, true)));
    for point in stalled[0].runs.iter_mut().flat_map(|run| &mut run.points) {
        point.load.rate = Some(Rate::PerS { thousandths: 50_000 });
    }
    let nothing = compare::compare(&stalled, &CompareOptions::default(), &catalogue());
    assert!(nothing.unwrap_err().to_string().starts_with("nothing in common"));
    // One of one's own is enough; figures of runs alone stand elsewhere.
    assert_eq!(compared(&sides[1..], &CompareOptions::default()).stated.rows.len(), stated.rows.len());
    assert!(compared(&sides[..2], &CompareOptions::default()).stated.rows.is_empty());
}
