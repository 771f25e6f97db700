//! How the window's I/Os went over time and by device or file, in the form of a point.

use crate::figures::MIB;
use dbdyno_model::{LunFigures, Storage, StorageSeries};
use dbdyno_storage::{Breakdown, BreakdownStep, LunTimes};

const NS_PER_S: f64 = 1e9;

/// Fills in the series and the figures of each device or file.
pub(super) fn fill(storage: &mut Storage, breakdown: &Breakdown, window_s: f64) {
    if window_s <= 0.0 || breakdown.step_ns == 0 {
        return;
    }
    for (lun, times) in storage.paths.iter_mut().zip(&breakdown.luns) {
        lun.figures = Some(lun_figures(times, window_s));
    }
    storage.series = Some(series(breakdown, window_s));
}

fn series(breakdown: &Breakdown, window_s: f64) -> StorageSeries {
    let step_s = breakdown.step_ns as f64 / NS_PER_S;
    let mut series = StorageSeries { step_s, ..StorageSeries::default() };
    // Steps at the end without I/O are included.
    // A remainder of less than a thousandth of a step is not a step.
    for n in 0..(window_s / step_s - 1e-3).ceil().max(1.0) as usize {
        let step = breakdown.steps.get(n).copied().unwrap_or_default();
        let BreakdownStep { ios, bytes, sum_ns, max_ns, max_lun } = step;
        let length_s = (window_s - n as f64 * step_s).min(step_s);
        let any = ios > 0;
        series.ios_per_s.push(ios as f64 / length_s);
        series.mib_per_s.push(bytes as f64 / MIB / length_s);
        series.mean_s.push(any.then(|| sum_ns as f64 / ios as f64 / NS_PER_S));
        series.max_s.push(any.then(|| max_ns as f64 / NS_PER_S));
        series.max_lun.push(any.then_some(max_lun));
    }
    series
}

fn lun_figures(times: &LunTimes, window_s: f64) -> LunFigures {
    let LunTimes { reads, writes, bytes, sum_ns, max_ns, max_at_ns, errors } = *times;
    let ios = reads + writes;
    let any = ios > 0;
    LunFigures {
        reads_per_s: reads as f64 / window_s,
        writes_per_s: writes as f64 / window_s,
        mib_per_s: bytes as f64 / MIB / window_s,
        mean_s: any.then(|| sum_ns as f64 / ios as f64 / NS_PER_S),
        max_s: any.then(|| max_ns as f64 / NS_PER_S),
        max_at_s: any.then(|| max_at_ns as f64 / NS_PER_S),
        errors,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_those_of_the_window_and_the_last_step_is_as_long_as_it_is() {
        let step = |ios, max_ns| BreakdownStep { ios, bytes: ios << 20, sum_ns: ios * 1_000_000, max_ns, max_lun: 0 };
        let steps = vec![step(100, 1_000_000), step(200, 800_000_000)];
        let lun =
            LunTimes { reads: 300, bytes: 300 << 20, sum_ns: 300_000_000, max_ns: 800_000_000, ..LunTimes::default() };
        let breakdown = Breakdown { step_ns: 1_000_000_000, steps, luns: vec![lun] };
        let series = series(&breakdown, 2.5);
        assert_eq!(series.ios_per_s, [100.0, 200.0, 0.0]);
        assert_eq!((series.mean_s[0], series.mean_s[2], series.max_lun[1]), (Some(0.001), None, Some(0)));
        assert_eq!(series.longest(), Some((1.0, 0.8, Some(0))));
        let figures = lun_figures(&breakdown.luns[0], 2.5);
        assert_eq!((figures.reads_per_s, figures.writes_per_s, figures.mean_s), (120.0, 0.0, Some(0.001)));
    }
}
