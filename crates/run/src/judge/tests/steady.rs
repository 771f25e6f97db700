//! A rate that fluctuates is steady, one that drifts is not, and few chunks cannot be judged.

use super::*;
use dbdyno_stats::SplitMix64;

/// A window whose rate fluctuates evenly by a share of itself and drifts by another share over the window.
fn wavering(seed: u64, chunks: u64, jobs: u32, noise: f64, drift: f64) -> Case {
    let mut case = Case::new("T111", 10);
    let mut mixer = SplitMix64::new(seed);
    // A uniform distribution of this width has this standard deviation.
    let mut error = || (mixer.uniform() - 0.5) * 12.0_f64.sqrt() * noise;
    let length_ns = 10 * SECOND / chunks;
    let chunk = |(job, n): (u64, u64)| {
        let started_ns = n * length_ns + job;
        let ops = 1e6 * (1.0 + error() + drift * ((n as f64 + 0.5) / chunks as f64 - 0.5));
        Chunk { started_ns, ended_ns: started_ns + length_ns, ops: ops as u64, rows: 0, bytes: 0 }
    };
    let places = (0..u64::from(jobs)).flat_map(|job| (0..chunks).map(move |n| (job, n)));
    case.log.chunks = places.map(chunk).collect();
    case.spec.jobs = jobs;
    case
}

fn flagged(cases: impl Iterator<Item = Case>) -> usize {
    cases.filter(|case| case.flags().contains(&Flag::NotSteady)).count()
}

/// On an idle machine 11 of 27 points of a run were once called unsteady.
#[test]
fn noise_is_no_trend() {
    for (chunks, jobs) in [(20, 1), (20, 4), (100, 1), (10, 1)] {
        let n = flagged((0..400).map(|seed| wavering(seed, chunks, jobs, 0.15, 0.0)));
        assert!(n <= 8, "{chunks} chunks of {jobs} jobs: {n} of 400 flagged");
    }
}

#[test]
fn a_trend_is_found_and_told() {
    let n = flagged((0..400).map(|seed| wavering(seed, 100, 1, 0.08, 0.15)));
    assert!(n >= 360, "{n} of 400 found");
    let point = wavering(1, 100, 2, 0.02, -0.2).judged();
    assert_eq!(point.flags, [Flag::NotSteady]);
    assert!(point.flag_notes["not_steady"].starts_with("the rate fell by 20 %"), "{:?}", point.flag_notes);
    assert!(point.missing.keys().all(|path| path != "flags.not_steady"));
}

#[test]
fn of_a_few_chunks_nobody_can_tell_and_that_is_said() {
    let point = wavering(1, 7, 4, 0.0, 0.5).judged();
    assert_eq!(point.flags, []);
    assert!(point.missing["flags.not_steady"].contains("the window had 7"), "{:?}", point.missing);
}

/// The chunks of the client drive are the seconds of the window, whatever the number of jobs.
#[test]
fn the_seconds_of_a_client_are_judged_as_they_are() {
    let mut case = wavering(1, 10, 1, 0.0, 0.3);
    case.spec.jobs = 8;
    case.spec.drive = dbdyno_model::Drive::Client;
    assert_eq!(case.flags(), [Flag::NotSteady]);
}
