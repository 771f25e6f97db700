//! Wait events of points: added up, put in order, and as rows of a table.

use crate::sections::prelude::*;
use dbdyno_model::Wait;

/// With fewer samples waits mean nothing.
const FEWEST_SAMPLES: u64 = 10;
/// The shares of waits for which it is told within what time they were: most of what a histogram says.
const TOLD_PCT: [f64; 3] = [25.0, 90.0, 99.0];

/// How often sessions, or the server's own processes, were seen to wait.
pub(super) fn samples(points: &[&Point], background: bool) -> u64 {
    let waits = points.iter().flat_map(|p| &p.waits);
    waits.filter(|wait| wait.sampled && wait.background == background).map(|wait| wait.count).sum()
}

/// What stands together: the waits of sessions before those of the server's own processes, counted before sampled ones.
fn kind(wait: &Wait) -> (bool, bool) {
    (wait.background, wait.sampled)
}

/// What tells an event from others.
fn key(wait: &Wait) -> (&str, &str, (bool, bool)) {
    (&wait.class, &wait.event, kind(wait))
}

/// The waits of some points added up, kind by kind, the longest first. Too few samples are left out.
fn together(points: &[&Point]) -> Vec<Wait> {
    let enough = |wait: &Wait| samples(points, wait.background) >= FEWEST_SAMPLES;
    let meaningful = points.iter().flat_map(|p| &p.waits).filter(|wait| !wait.sampled || enough(wait));
    let add = |mut sum: Wait, wait: Wait| {
        sum.count += wait.count;
        sum.time_s = sum.time_s.zip(wait.time_s).map(|(a, b)| a + b);
        for (us, count) in wait.histogram_us {
            *sum.histogram_us.entry(us).or_default() += count;
        }
        sum
    };
    let alike = grouped(meaningful.map(|wait| (key(wait), wait))).into_iter();
    let mut sums: Vec<Wait> = alike.filter_map(|(_, waits)| waits.into_iter().cloned().reduce(add)).collect();
    sums.sort_by(|a, b| {
        let time = |wait: &Wait| wait.time_s.unwrap_or(0.0);
        kind(a).cmp(&kind(b)).then(time(b).total_cmp(&time(a))).then(b.count.cmp(&a.count))
    });
    sums
}

/// Whether it is no wait, but the time on a processor.
pub(super) fn is_cpu(wait: &Wait) -> bool {
    wait.class.ends_with("CPU")
}

/// The event in the engine's words; time on a processor is called so.
pub(super) fn name(wait: &Wait) -> String {
    if is_cpu(wait) && !wait.event.contains("CPU") { format!("CPU ({})", wait.event) } else { wait.event.clone() }
}

/// The waits of some points.
pub(super) struct Waits {
    /// Added up, kind by kind, the longest first.
    all: Vec<Wait>,
    /// The seconds that all sessions had together, as far as these are known: the database time.
    sessions_s: Option<f64>,
}

impl Waits {
    /// The waits of these points; `None` where there are none.
    pub(super) fn of(points: &[&Point]) -> Option<Self> {
        let of = |p: &&Point| Some(p.counters_s? * f64::from(p.load.sessions(p.dop.jobs)));
        let sessions_s = points.iter().map(of).sum::<Option<f64>>().filter(|s| *s > 0.0);
        Some(Self { all: together(points), sessions_s }).filter(|waits| !waits.all.is_empty())
    }

    /// The first of each kind, and the processor whatever its place.
    pub(super) fn longest(&self, most: usize) -> Vec<&Wait> {
        let kinds = self.all.chunk_by(|a, b| kind(a) == kind(b)).flat_map(|kind| kind.iter().enumerate());
        kinds.filter(|(n, wait)| *n < most || is_cpu(wait)).map(|(_, wait)| wait).collect()
    }

    /// How many others there are, in words; the server's own processes count where some of theirs are there.
    pub(super) fn left_out(&self, longest: &[&Wait]) -> String {
        let with_own = longest.iter().any(|wait| wait.background);
        let all = self.all.iter().filter(|wait| with_own || !wait.background).count();
        match all - longest.len() {
            0 => String::new(),
            n => format!(" ({n} smaller ones are left out)"),
        }
    }

    /// The share of such an event; the server's own processes have none in the time of sessions. Where some of its kind
    /// were seen, an event that was not took no time.
    pub(super) fn share(&self, event: &Wait) -> Cell {
        if event.background {
            return Cell::empty();
        }
        let none = self.all.iter().any(|wait| kind(wait) == kind(event)).then_some(0.0);
        let time_s = self.all.iter().find(|wait| key(wait) == key(event)).map_or(none, |wait| wait.time_s);
        Cell::figure(time_s.zip(self.sessions_s).map(|(time_s, all_s)| time_s / all_s * 100.0), Form::Short)
    }

    /// The rows of some of them; those of the server's own processes have a heading.
    pub(super) fn rows(&self, waits: &[&Wait]) -> Vec<Row> {
        let (own, sessions): (Vec<&Wait>, Vec<&Wait>) = waits.iter().copied().partition(|wait| wait.background);
        let heading = (!own.is_empty()).then(|| Row::Group("Background: the server's own processes".to_owned()));
        let rows = |waits: Vec<&Wait>| waits.into_iter().map(|wait| self.row(wait)).collect::<Vec<Row>>();
        rows(sessions).into_iter().chain(heading).chain(rows(own)).collect()
    }

    /// The row of one of them: event and class; waits and samples; time and mean; its share; how long waits were.
    fn row(&self, wait: &Wait) -> Row {
        let count = (wait.count > 0).then_some(wait.count as f64);
        let [waits, samples] = if wait.sampled { [None, count] } else { [count, None] };
        let time_s = wait.time_s.filter(|_| !wait.sampled);
        let mean_s = time_s.zip(waits).map(|(time_s, n)| time_s / n);
        let counts = [waits, samples].map(|n| Cell::known(n, Form::Count));
        let times = [time_s, mean_s].map(|s| Cell::known(s, Form::Duration));
        let last = [self.share(wait), Cell::words(lengths(&wait.histogram_us))];
        Row::led([name(wait), wait.class.clone()], counts.into_iter().chain(times).chain(last))
    }
}

/// The buckets of a histogram that say most. A share is rounded down, so that only all waits are 100 %.
fn lengths(histogram_us: &BTreeMap<u64, u64>) -> String {
    let all: u64 = histogram_us.values().sum();
    let up_to = |us: u64| histogram_us.range(..=us).map(|(_, count)| count).sum::<u64>() as f64 / all as f64 * 100.0;
    let told = TOLD_PCT.iter().filter_map(|least| histogram_us.keys().copied().find(|us| up_to(*us) >= *least));
    // Engines double their bounds from 1 µs on, and call 1,024 of them a millisecond.
    let bound_s = |us: u64| if us >= 1_024 { us as f64 / 1.024e6 } else { us as f64 / 1e6 };
    within(unique(told).into_iter().map(|us| (bound_s(us), up_to(us).floor())))
}

/// Shares of waits and the times within which they were: `31 % within 1 ms, 99 % within 8 ms`.
pub(in crate::sections) fn within(shares: impl IntoIterator<Item = (f64, f64)>) -> String {
    let time = |s: f64| duration(s).replace(".00 ", " ").replace(".0 ", " ");
    joined(shares.into_iter().map(|(s, pct)| format!("{pct} % within {}", time(s))), ", ")
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
