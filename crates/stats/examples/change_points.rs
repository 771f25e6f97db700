//! How long it takes to find the changes of 500 series of 1,000 runs, by two threads. Prints the seconds, and how many
//! of the true changes are found. Run it with `cargo run --release -p dbdyno-stats --example change_points`.
#![allow(clippy::print_stdout)]

use dbdyno_stats::{Changes, SplitMix64};
use std::time::Instant;

const SERIES: usize = 500;
const RUNS: usize = 1_000;
const THREADS: usize = 2;
/// Of a level, at most.
const MOST_CHANGES: u64 = 5;
/// A change is found within so many runs.
const TOLERANCE: usize = 5;

/// Rates in noise of 2 %, and where their level changes by 3 to 20 %.
fn series(seed: u64) -> (Vec<[f64; 1]>, Vec<usize>) {
    let mut random = SplitMix64::new(seed);
    let mut changes: Vec<usize> =
        (0..random.below(MOST_CHANGES + 1)).map(|_| 20 + random.below(RUNS as u64 - 40) as usize).collect();
    changes.sort_unstable();
    changes.dedup_by(|a, b| *a < *b + 20);
    let mut level: f64 = 10_000.0;
    let rates = (0..RUNS).map(|run| {
        if changes.contains(&run) {
            let factor = 1.03 + 0.17 * random.uniform();
            level *= if random.below(2) == 0 { factor } else { 1.0 / factor };
        }
        // Twelve uniform numbers have the variance of a standard normal one, and nearly its distribution.
        let noise = (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
        [level * (0.02 * noise).exp()]
    });
    (rates.collect(), changes)
}

fn main() {
    let all: Vec<_> = (0..SERIES as u64).map(series).collect();
    let begun = Instant::now();
    let found: Vec<Vec<Changes>> = std::thread::scope(|scope| {
        let find =
            |part: &'_ [(Vec<[f64; 1]>, Vec<usize>)]| part.iter().filter_map(|s| Changes::of(&s.0).ok()).collect();
        let threads: Vec<_> =
            all.chunks(SERIES.div_ceil(THREADS)).map(|part| scope.spawn(move || find(part))).collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).collect()
    });
    let seconds = begun.elapsed().as_secs_f64();
    let (mut there, mut right, mut told) = (0, 0, 0);
    for ((_, changes), found) in all.iter().zip(found.iter().flatten()) {
        there += changes.len();
        told += found.changes.len();
        right += changes.iter().filter(|at| found.changes.iter().any(|c| c.at.abs_diff(**at) <= TOLERANCE)).count();
    }
    println!("{seconds:.3} s for {SERIES} series of {RUNS} runs, by {THREADS} threads");
    println!("{there} changes, {right} of them found within {TOLERANCE} runs, {told} told");
}
