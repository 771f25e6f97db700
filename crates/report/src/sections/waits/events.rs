//! Wait events of points: added up, put in order, and as rows of a table.

use crate::document::{Cell, Column, Form, Keep, Row};
use crate::groups::{grouped, unique};
use crate::numbers::duration;
use dbdyno_model::{Point, Wait};
use std::collections::BTreeMap;

use Keep::{Always, Drop};

/// The columns of events.
pub(super) const COLUMNS: [Column; 8] = [
    Column::words("event", "Event", Always),
    Column::words("class", "Class", Drop(1)).optional(),
    Column::figures("waits", "Waits", Always).optional(),
    Column::figures("samples", "Samples", Always).optional(),
    Column::figures("time", "Time", Drop(4)).optional(),
    Column::figures("mean time", "Mean", Drop(3)).optional(),
    Column::figures("share", "Share\n[%]", Always),
    Column::words("how long they were", "How long", Drop(2)).optional(),
];
/// With fewer samples waits mean nothing.
const FEWEST_SAMPLES: u64 = 10;
/// The shares of waits for which it is told within what time they were: most of what a histogram says.
const TOLD_PCT: [f64; 3] = [25.0, 90.0, 99.0];

/// How often sessions were seen to wait.
pub(super) fn samples(points: &[&Point]) -> u64 {
    points.iter().flat_map(|p| &p.waits).filter(|wait| wait.sampled).map(|wait| wait.count).sum()
}

/// What tells an event from others.
pub(super) fn key(wait: &Wait) -> (&str, &str, bool) {
    (&wait.class, &wait.event, wait.sampled)
}

/// The waits of some points added up, counted ones before sampled ones, the longest first. Too few samples are left
/// out.
pub(super) fn together(points: &[&Point]) -> Vec<Wait> {
    let enough = samples(points) >= FEWEST_SAMPLES;
    let meaningful = points.iter().flat_map(|p| &p.waits).filter(|wait| !wait.sampled || enough);
    let sum = |(_, waits): (_, Vec<&Wait>)| {
        let (first, others) = waits.split_first()?;
        let mut sum = (*first).clone();
        for wait in others {
            sum.count += wait.count;
            sum.time_s = sum.time_s.zip(wait.time_s).map(|(a, b)| a + b);
            for (us, count) in &wait.histogram_us {
                *sum.histogram_us.entry(*us).or_default() += count;
            }
        }
        Some(sum)
    };
    let mut sums: Vec<Wait> = grouped(meaningful.map(|wait| (key(wait), wait))).into_iter().filter_map(sum).collect();
    sums.sort_by(|a, b| {
        let time = |wait: &Wait| wait.time_s.unwrap_or(0.0);
        a.sampled.cmp(&b.sampled).then(time(b).total_cmp(&time(a))).then(b.count.cmp(&a.count))
    });
    sums
}

/// The first of the counted and of the sampled ones, and the processor whatever its place.
pub(super) fn longest(waits: &[Wait], most: usize) -> Vec<&Wait> {
    let kinds = waits.chunk_by(|a, b| a.sampled == b.sampled).flat_map(|kind| kind.iter().enumerate());
    kinds.filter(|(n, wait)| *n < most || is_cpu(wait)).map(|(_, wait)| wait).collect()
}

/// Whether it is no wait, but the time on a processor.
pub(super) fn is_cpu(wait: &Wait) -> bool {
    wait.class.ends_with("CPU")
}

/// The event in the engine's words; time on a processor is called so.
pub(super) fn name(wait: &Wait) -> String {
    if is_cpu(wait) && !wait.event.contains("CPU") { format!("CPU ({})", wait.event) } else { wait.event.clone() }
}

/// The seconds that all sessions had together, as far as these are known: the database time.
pub(super) fn sessions_s(points: &[&Point]) -> Option<f64> {
    let of = |p: &&Point| Some(p.counters_s? * f64::from(p.load.sessions(p.dop.jobs)));
    points.iter().map(of).sum::<Option<f64>>().filter(|s| *s > 0.0)
}

/// A time in percent of that.
pub(super) fn share_pct(time_s: Option<f64>, all_s: Option<f64>) -> Option<f64> {
    time_s.zip(all_s).map(|(time_s, all_s)| time_s / all_s * 100.0)
}

/// The row of an event, with its share of all seconds.
pub(super) fn row(wait: &Wait, all_s: Option<f64>) -> Row {
    let count = Some(wait.count).filter(|n| *n > 0);
    let [waits, samples] = if wait.sampled { [None, count] } else { [count, None] };
    let time_s = wait.time_s.filter(|_| !wait.sampled);
    let mean_s = time_s.zip(waits).map(|(time_s, n)| time_s / n as f64);
    let share = Cell::figure(share_pct(wait.time_s, all_s), Form::Short);
    cells([name(wait), wait.class.clone()], [waits, samples], [time_s, mean_s], share, lengths(&wait.histogram_us))
}

/// The cells of an event: event and class; waits and samples; time and mean; its share; how long waits were.
pub(super) fn cells(
    words: [String; 2],
    counts: [Option<u64>; 2],
    times: [Option<f64>; 2],
    share: Cell,
    lengths: String,
) -> Row {
    let counts = counts.map(|n| Cell::known(n.map(|n| n as f64), Form::Count));
    let times = times.map(|s| Cell::known(s, Form::Duration));
    let last = [share, Cell::words(lengths)];
    Row::Cells(words.map(Cell::words).into_iter().chain(counts).chain(times).chain(last).collect())
}

/// The buckets of a histogram that say most. A share is rounded down, so that only all waits are 100 %.
fn lengths(histogram_us: &BTreeMap<u64, u64>) -> String {
    let all: u64 = histogram_us.values().sum();
    let up_to = histogram_us.iter().scan(0, |sum, (us, count)| {
        *sum += count;
        Some((*us, *sum as f64 / all as f64 * 100.0))
    });
    let up_to: Vec<(u64, f64)> = up_to.collect();
    let told = TOLD_PCT.iter().filter_map(|least| up_to.iter().find(|(_, pct)| pct >= least));
    // Engines double their bounds from 1 µs on, and call 1,024 of them a millisecond.
    let bound_s = |us: u64| if us >= 1_024 { us as f64 / 1.024e6 } else { us as f64 / 1e6 };
    within(unique(told).into_iter().map(|(us, pct)| (bound_s(*us), pct.floor())))
}

/// Shares of waits and the times within which they were: `31 % within 1 ms, 99 % within 8 ms`.
pub(in crate::sections) fn within(shares: impl IntoIterator<Item = (f64, f64)>) -> String {
    let words = shares.into_iter().map(|(s, pct)| {
        let time = duration(s).replace(".00 ", " ").replace(".0 ", " ");
        format!("{pct} % within {time}")
    });
    words.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_says_most_in_few_buckets() {
        let waits: [(u64, u64); 6] = [(256, 10), (1_024, 21), (2_048, 19), (4_096, 40), (8_192, 9), (32_768, 1)];
        assert_eq!(lengths(&waits.into()), "31 % within 1 ms, 90 % within 4 ms, 99 % within 8 ms");
        assert_eq!(lengths(&[(512, 999), (16_384, 1)].into()), "99 % within 0.512 ms");
        assert_eq!(lengths(&[(512, 7)].into()), "100 % within 0.512 ms");
        assert_eq!(lengths(&BTreeMap::new()), "");
        assert_eq!(within([(0.0025, 50.0)]), "50 % within 2.50 ms");
    }
}
