//! Latency histograms: buckets of powers of two in microseconds, and the cumulative share of I/Os.

use super::report::{FilesReport, FinishedPoint, IoTimes, NS_PER_US, ReadWriteTimes};
use dbdyno_stats::Histogram;
use std::fmt::Write as _;

/// Where ORION's last bucket ends. Longer I/Os are counted in it, too.
const END_US: u64 = 1 << 28;
const PERCENTILES: [(&str, f64); 6] =
    [("p50", 50.0), ("p90", 90.0), ("p95", 95.0), ("p99", 99.0), ("p99.9", 99.9), ("p99.99", 99.99)];

const HEAD: &str = "\
Latencies of every data point. Each line has the I/Os whose latency lies between its two bounds, reads first, then
writes, and behind them the share of all I/Os that took no longer than the upper bound.
";

pub(super) fn hist(report: &FilesReport<'_>) -> String {
    let mut text = HEAD.to_owned();
    for point in report.points.iter().filter(|point| point.failure.is_none()) {
        for (name, kind) in [("Small", &point.small), ("Large", &point.large)] {
            if kind.count() > 0 {
                let (small, table) = (name.to_lowercase(), buckets(kind));
                let _ = write!(text, "\nLatency Histogram for {small} IOs @ {}\n{table}", place(point));
                if report.settings.percentiles {
                    text += &percentiles(name, kind);
                }
            }
        }
    }
    text
}

/// The name of a point.
pub(super) fn place(point: &FinishedPoint) -> String {
    format!("Small={} and Large={}", point.at.small, point.at.large)
}

/// The table of the small or large I/Os of one point.
pub(super) fn buckets(kind: &ReadWriteTimes) -> String {
    let mut text = "        Latency:                         # of IOs (read)          # of IOs (write)\n".to_owned();
    let bounds = bounds(kind);
    let lines = bounds.iter().zip(shares(&kind.read, &bounds)).zip(shares(&kind.write, &bounds));
    for (((from_us, to_us), (read, read_pct)), (write, write_pct)) in lines {
        let _ =
            writeln!(text, "{from_us:>9} - {to_us:<10} us:{read:>16} ({read_pct:6.2}%){write:>15} ({write_pct:6.2}%)");
    }
    text
}

/// Lower and upper bounds in microseconds: one empty bucket, the buckets from the first to the last that is not empty,
/// and the long rest.
fn bounds(kind: &ReadWriteTimes) -> Vec<(u64, u64)> {
    let ends =
        |of: fn(&Histogram) -> Option<u64>| [&kind.read, &kind.write].into_iter().filter_map(move |t| of(&t.latency));
    let least_us = ends(Histogram::min_ns).min().unwrap_or(0) / 1_000;
    let most_us = ends(Histogram::max_ns).max().unwrap_or(0) / 1_000;
    let first = least_us.checked_ilog2().map_or(1, |log2| 1 << log2).min(END_US / 2);
    let mut bounds = vec![(0, first)];
    let mut from = first;
    while from <= most_us && from < END_US / 2 {
        bounds.push((from, from * 2));
        from *= 2;
    }
    bounds.push((from, END_US));
    bounds
}

/// I/Os of each bucket, and the cumulative share. The last bucket has all remaining I/Os, however long they took.
fn shares(times: &IoTimes, bounds: &[(u64, u64)]) -> Vec<(u64, f64)> {
    let bounds_ns: Vec<u64> = bounds.iter().skip(1).map(|(from_us, _)| from_us * 1_000).collect();
    let all = times.latency.count();
    let mut so_far = 0;
    let share = |here: u64| {
        so_far += here;
        (here, if all == 0 { 0.0 } else { so_far as f64 * 100.0 / all as f64 })
    };
    times.latency.counts_between_ns(&bounds_ns).into_iter().map(share).collect()
}

/// One line for reads and one for writes, where there are any.
pub(super) fn percentiles(name: &str, kind: &ReadWriteTimes) -> String {
    let mut text = String::new();
    for (way, times) in [("Read", &kind.read), ("Write", &kind.write)] {
        let values: Vec<String> = PERCENTILES
            .iter()
            .filter_map(|(name, pct)| {
                let us = times.latency.percentile_ns(*pct)? as f64 / NS_PER_US;
                Some(format!("{name}={us:.3} us"))
            })
            .collect();
        if !values.is_empty() {
            let _ = writeln!(text, "{name} {way} Percentiles: {}", values.join(", "));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn times(ns: &[u64]) -> IoTimes {
        let mut latency = Histogram::new();
        ns.iter().for_each(|ns| latency.record_ns(*ns));
        IoTimes { bytes: 8_192 * ns.len() as u64, latency }
    }

    /// Count and cumulative share of reads and writes, line by line.
    fn lines(kind: &ReadWriteTimes) -> Vec<[(u64, f64); 2]> {
        let pair = |text: &str| {
            let (count, pct) = text.split_once('(').unwrap();
            (count.trim().parse().unwrap(), pct.trim_end_matches("%").trim().parse().unwrap())
        };
        let text = buckets(kind);
        let values = text.lines().skip(1).map(|line| line.split_once("us:").unwrap().1);
        values
            .map(|line| {
                let (read, write) = line.split_once(')').unwrap();
                [pair(read), pair(write.trim_end_matches(')'))]
            })
            .collect()
    }

    #[test]
    fn buckets_begin_below_the_least_and_end_above_the_most() {
        let kind = ReadWriteTimes { read: times(&[153_000, 200_000, 5_673_000]), write: times(&[127_999, 2_048_000]) };
        let bounds = bounds(&kind);
        assert_eq!(bounds.first(), Some(&(0, 64)));
        assert_eq!(bounds[1], (64, 128));
        assert_eq!(bounds[bounds.len() - 2..], [(4_096, 8_192), (8_192, END_US)]);
        let lines = lines(&kind);
        assert_eq!(lines[1], [(0, 0.0), (1, 50.0)], "127.999 us lies below 128 us");
        assert_eq!(lines[2], [(2, 66.67), (0, 50.0)]);
        assert_eq!(lines[6], [(0, 66.67), (1, 100.0)], "2,048 us lies in the bucket that begins there");
    }

    #[test]
    fn a_bound_belongs_to_the_bucket_above_it() {
        for log2 in 0..27 {
            let bound_ns = (1u64 << log2) * 1_000;
            let kind =
                ReadWriteTimes { read: times(&[bound_ns, bound_ns - bound_ns / 500 - 1]), write: IoTimes::default() };
            let counts: Vec<u64> = lines(&kind).into_iter().map(|[read, _]| read.0).collect();
            assert_eq!(counts.iter().filter(|n| **n == 1).count(), 2, "{bound_ns} {}", buckets(&kind));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn buckets_hold_every_io_once_and_end_at_all(
            read in proptest::collection::vec(1u64..600_000_000_000, 0..60),
            write in proptest::collection::vec(1u64..40_000_000, 1..60),
        ) {
            let kind = ReadWriteTimes { read: times(&read), write: times(&write) };
            let lines = lines(&kind);
            for (side, recorded) in [read.len(), write.len()].into_iter().enumerate() {
                let sum: u64 = lines.iter().map(|line| line[side].0).sum();
                prop_assert_eq!(sum, recorded as u64);
                let last = lines.last().unwrap()[side].1;
                prop_assert_eq!(last, if recorded == 0 { 0.0 } else { 100.0 });
                prop_assert!(lines.windows(2).all(|w| w[0][side].1 <= w[1][side].1));
            }
            let bounds = bounds(&kind);
            prop_assert!(bounds.windows(2).all(|w| w[0].1 == w[1].0), "no gap and no overlap");
        }
    }
}
