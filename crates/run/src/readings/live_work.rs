//! What the point that is measured does now. The measuring says when a window begins and ends, and what records its
//! work; whoever takes readings looks at that.

use crate::Window;
use crate::window::ChunkFollower;
use dbdyno_model::{Doing, LoadReading, PlannedPoint, PointStage, ReadingTimes};
use dbdyno_stats::{FollowedType, Follower, Histogram, Recorder};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// A look that covers less of a window than this leaves it to the next look: rates of so little time say nothing.
const LEAST: Duration = Duration::from_millis(250);

/// What the point that is measured does now.
#[derive(Debug, Default)]
pub struct LiveWork(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    doing: Option<Doing>,
    work: Option<Work>,
    /// The part of the window that no look has covered yet.
    began: Option<Instant>,
    ended: Option<Instant>,
    /// What was done in a window that has ended since the last look, and of which point.
    done: Option<Look>,
    /// Points so far.
    points: u64,
    /// Operations of the point that were told on.
    told: u64,
}

#[derive(Debug)]
enum Work {
    /// Transactions of sessions, by type.
    Transactions { follower: Follower, types: Vec<FollowedWork> },
    /// Chunks of so many jobs, with so many commits an operation, if that is known.
    Chunks { follower: ChunkFollower, jobs: usize, commits_per_op: Option<f64> },
    /// What hosts of a fleet have told, and what they had told at the last look, by their names.
    /// There are so many.
    Hosts { of: usize, told: BTreeMap<String, HostProgress>, looked_at: BTreeMap<String, HostProgress> },
}

/// What a host has done in the window of a point so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostProgress {
    /// Operations.
    pub ops: u64,
    /// When that was counted, by the host's clock.
    pub at_ns: u64,
}

/// A transaction type that is followed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FollowedWork {
    /// Its name.
    pub(crate) name: String,
    /// Commits that a server may count for one, at most, where that is known.
    pub(crate) commits: Option<f64>,
}

/// What a look finds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Look {
    pub(super) doing: Option<Doing>,
    pub(super) load: Option<LoadReading>,
    /// How much of the window the load covers.
    pub(super) inside_s: f64,
    /// Commits that the server may count for the load, at most, where that is known.
    pub(super) own_commits: Option<f64>,
    /// The number of the point: what was counted for another one has nothing to do with it.
    pub(super) point: u64,
}

impl LiveWork {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A point begins.
    pub(crate) fn begin(&self, index: usize, of: usize, planned: &PlannedPoint) {
        let subject = planned.subject.name().name.to_owned();
        let dop = planned.dop.to_string();
        let mut state = self.state();
        state.close();
        state.doing = Some(Doing { point: index, of, subject, dop, stage: PointStage::Preparing });
        state.points += 1;
    }

    /// No point is measured any more.
    pub(crate) fn end(&self) {
        self.state().close();
    }

    /// The sessions of the point record here, transactions of these types.
    pub(crate) fn follow(&self, recorder: &Recorder, types: Vec<FollowedWork>) {
        self.state().begin(Work::Transactions { follower: recorder.follow(), types });
    }

    /// The jobs of the point do chunks. For an operation a server may count so many commits, at most.
    pub(crate) fn follow_chunks(&self, window: &Window, jobs: usize, commits_per_op: Option<f64>) {
        self.state().begin(Work::Chunks { follower: window.follow(), jobs, commits_per_op });
    }

    /// So many hosts of a fleet do the work, and these have told this of it.
    pub(crate) fn follow_hosts(&self, of: usize, now: BTreeMap<String, HostProgress>) {
        let mut state = self.state();
        match &mut state.work {
            Some(Work::Hosts { told, .. }) => *told = now,
            _ => state.work = Some(Work::Hosts { of, told: now, looked_at: BTreeMap::new() }),
        }
    }

    /// Operations in the window so far, for whoever tells them to others and takes no readings of its own.
    pub fn done(&self) -> u64 {
        let mut state = self.state();
        let more = state.load().and_then(|look| look.load?.ops).unwrap_or(0);
        state.told += more;
        state.told
    }

    /// The window begins, or began at this moment: the thread that tells it may have been late.
    pub(crate) fn window_begins(&self, at: Instant) {
        let mut state = self.state();
        state.began = Some(at);
        state.stage(PointStage::Measuring);
        // What was done before is no part of the window.
        if let Some(Work::Chunks { follower, .. }) = &mut state.work {
            follower.since_last();
        }
    }

    /// The window has ended, at this moment.
    pub(crate) fn window_ends(&self, at: Instant) {
        self.state().ended.get_or_insert(at);
    }

    /// All sessions have ended and flushed; what records them goes now.
    pub(crate) fn work_ends(&self) {
        let mut state = self.state();
        state.ended.get_or_insert_with(Instant::now);
        let (doing, done) = (state.doing.clone(), state.load());
        state.done = done.map(|look| Look { doing, ..look });
        (state.work, state.began, state.told) = (None, None, 0);
        state.stage(PointStage::Preparing);
    }

    /// What was done since the last look.
    pub(super) fn look(&self) -> Look {
        let mut state = self.state();
        let point = state.points;
        if let Some(done) = state.done.take() {
            return Look { point, ..done };
        }
        let look = state.load().unwrap_or_default();
        Look { doing: state.doing.clone(), point, ..look }
    }
}

impl State {
    /// Nothing is measured. What no look has seen yet stays.
    fn close(&mut self) {
        (self.doing, self.work, self.began, self.ended) = (None, None, None, None);
    }

    fn begin(&mut self, work: Work) {
        (self.work, self.told) = (Some(work), 0);
    }

    fn stage(&mut self, stage: PointStage) {
        if let Some(doing) = &mut self.doing {
            doing.stage = stage;
        }
    }

    /// What was done since the last look. A look that covers too little of a window that goes on leaves it to the next.
    /// Of one that has ended the rest is counted, and has no rate where it covers too little.
    fn load(&mut self) -> Option<Look> {
        let began = self.began?;
        let now = self.ended.unwrap_or_else(Instant::now);
        let inside = now.saturating_duration_since(began);
        if inside < LEAST && self.ended.is_none() {
            return None;
        }
        let inside_s = inside.as_secs_f64();
        let over_s = (inside >= LEAST).then_some(inside_s);
        let (mut load, own_commits) = match self.work.as_mut()? {
            Work::Transactions { follower, types } => {
                let did = follower.since_last();
                let of = |(did, of): (&FollowedType, &FollowedWork)| Some(did.counts.ops as f64 * of.commits?);
                let commits: Option<Vec<f64>> = did.iter().zip(types.iter()).map(of).collect();
                (transactions(&did, types, over_s), commits.map(|commits| commits.iter().sum()))
            }
            Work::Chunks { follower, jobs, commits_per_op } => {
                let done = follower.since_last();
                let busy_s = done.busy_ns as f64 / 1e9;
                let ops_per_s = (busy_s > 0.0).then(|| done.ops as f64 / busy_s * *jobs as f64);
                let commits = commits_per_op.map(|per_op| done.chunks as f64 + done.ops as f64 * per_op);
                (LoadReading { ops: Some(done.ops), ops_per_s, ..LoadReading::default() }, commits)
            }
            Work::Hosts { of, told, looked_at } => {
                let each = hosts(told, looked_at);
                looked_at.clone_from(told);
                // Without one of them it would be the rate of fewer.
                let ops_per_s = (each.len() == *of).then(|| each.values().filter_map(|of| of.ops_per_s).sum());
                (LoadReading { ops_per_s, hosts: each, ..LoadReading::default() }, None)
            }
        };
        load.seconds = Some(inside_s);
        self.began = Some(now);
        Some(Look { load: Some(load), inside_s, own_commits, ..Look::default() })
    }
}

/// The rates of hosts between what they told before and what they tell now, each by its own clock. A host that has told
/// nothing new, or has begun to count anew, is not there.
fn hosts(
    told: &BTreeMap<String, HostProgress>,
    before: &BTreeMap<String, HostProgress>,
) -> BTreeMap<String, LoadReading> {
    let rate = |(name, now): (&String, &HostProgress)| {
        let was = before.get(name)?;
        let seconds = now.at_ns.checked_sub(was.at_ns).filter(|ns| *ns > 0)? as f64 / 1e9;
        let ops_per_s = Some(now.ops.checked_sub(was.ops)? as f64 / seconds);
        Some((name.clone(), LoadReading { ops_per_s, ..LoadReading::default() }))
    };
    told.iter().filter_map(rate).collect()
}

/// What all types did, and each of them where there are several.
fn transactions(types: &[FollowedType], named: &[FollowedWork], over_s: Option<f64>) -> LoadReading {
    let Some((first, others)) = types.split_first() else { return LoadReading::default() };
    let mut all = first.clone();
    for of in others {
        all.counts.add(&of.counts);
        all.service.merge(&of.service);
        if let (Some(all), Some(of)) = (&mut all.response, &of.response) {
            all.merge(of);
        }
    }
    let mut load = one(&all, over_s);
    load.ops = Some(all.counts.ops);
    if !others.is_empty() {
        load.transactions =
            named.iter().map(|of| of.name.clone()).zip(types.iter().map(|of| one(of, over_s))).collect();
    }
    load
}

/// What one type did; rates where they are over a time that says something.
fn one(of: &FollowedType, over_s: Option<f64>) -> LoadReading {
    let rate = |n: u64| over_s.map(|seconds| n as f64 / seconds);
    let times = |histogram: &Histogram| {
        let percentile_s = |pct| histogram.percentile_ns(pct).map(|ns| ns as f64 / 1e9);
        ReadingTimes { p50: percentile_s(50.0), p99: percentile_s(99.0) }
    };
    LoadReading {
        ops_per_s: rate(of.counts.ops),
        errors_per_s: rate(of.counts.errors),
        retries_per_s: rate(of.counts.retries),
        service_time_s: Some(times(&of.service)),
        response_time_s: of.response.as_ref().map(times),
        ..LoadReading::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WindowMode;
    use dbdyno_stats::{RecordedTimes, Sample, TypeId, Types};

    fn begun() -> LiveWork {
        let live = LiveWork::default();
        live.state().doing = Some(Doing::default());
        live
    }

    /// The window began so many milliseconds ago.
    fn began_ago(live: &LiveWork, ms: u64) {
        live.window_begins(Instant::now() - Duration::from_millis(ms));
    }

    #[test]
    fn nothing_is_done_before_the_window_and_the_rest_is_seen_after_it() {
        let recorder = Recorder::new(RecordedTimes::Service, Types::new(2).unwrap(), 10_000_000_000, 1_000_000_000);
        let live = begun();
        let of = |name: &str, commits| FollowedWork { name: name.to_owned(), commits: Some(commits) };
        live.follow(&recorder, vec![of("pay", 1.0), of("ship", 2.0)]);
        assert_eq!(live.look(), Look { doing: Some(Doing::default()), ..Look::default() });
        began_ago(&live, 2_000);
        let record = |type_id, n: u64| {
            let mut local = recorder.local();
            (0..n).for_each(|n| {
                local.record(Sample { type_id, ended_ns: n, service_ns: 1_000_000, response_ns: 0, rows: 1 });
            });
        };
        record(TypeId::FIRST, 200);
        record(TypeId::new(1), 50);
        let Look { doing, load, inside_s, own_commits, .. } = live.look();
        assert_eq!((doing.unwrap().stage, own_commits), (PointStage::Measuring, Some(300.0)));
        assert!((inside_s - 2.0).abs() < 0.1, "{inside_s}");
        let load = load.unwrap();
        assert!((load.ops_per_s.unwrap() - 125.0).abs() < 2.0, "{load:?}");
        assert!((load.transactions["pay"].ops_per_s.unwrap() - 100.0).abs() < 2.0, "{load:?}");
        let times = load.service_time_s.unwrap();
        assert!((times.p99.unwrap() - 0.001).abs() < 2e-6, "{times:?}");
        assert_eq!((load.response_time_s, live.look().load), (None, None), "too little of the window");
        record(TypeId::FIRST, 7);
        live.window_ends(Instant::now());
        live.work_ends();
        drop(recorder.finish());
        // Also where the next point has begun meanwhile, and a look came between the window's end and the sessions'.
        live.end();
        let rest = live.look();
        assert_eq!(
            (rest.load.clone().unwrap().ops, rest.load.unwrap().ops_per_s),
            (Some(7), None),
            "too little for a rate"
        );
        assert_eq!(rest.doing.unwrap().stage, PointStage::Measuring, "it is the window's");
        assert_eq!(live.look(), Look::default());
    }

    #[test]
    fn hosts_have_their_rates_by_their_own_clocks_and_their_sum() {
        let live = begun();
        let told = |left: (u64, u64), right: (u64, u64)| {
            let of = |(ops, at_ns)| HostProgress { ops, at_ns };
            BTreeMap::from([("left".to_owned(), of(left)), ("right".to_owned(), of(right))])
        };
        let tell = |told| {
            live.state().began = Some(Instant::now() - Duration::from_secs(1));
            live.follow_hosts(2, told);
            live.look().load.unwrap()
        };
        live.window_begins(Instant::now());
        assert_eq!(tell(told((0, 1_000_000_000), (100, 5_000_000_000))).ops_per_s, None, "one word makes no rate");
        let both = tell(told((800, 1_800_000_000), (300, 5_400_000_000)));
        assert_eq!((both.ops_per_s, both.hosts["left"].ops_per_s), (Some(1_500.0), Some(1_000.0)), "{both:?}");
        // The rate of one host is not that of both; nor is a count that began anew a rate of 0.
        for right in [(300, 5_400_000_000), (10, 5_800_000_000)] {
            let one = tell(told((1_600, 2_600_000_000 + right.1), right));
            assert_eq!((one.ops_per_s, one.hosts.len()), (None, 1), "{one:?}");
        }
    }

    #[test]
    fn what_was_done_is_told_on_as_a_sum() {
        let window = Window::new(WindowMode::steady(1.0), 1);
        let live = begun();
        live.follow_chunks(&window, 1, None);
        began_ago(&live, 1_000);
        for n in 1..=2 {
            window.chunk_ended(0, 200_000_000, 500);
            live.state().began = Some(Instant::now() - Duration::from_secs(1));
            assert_eq!(live.done(), n * 500);
        }
        live.follow_chunks(&window, 1, None);
        assert_eq!(live.done(), 0, "another point");
    }

    #[test]
    fn the_rate_of_chunks_is_that_of_jobs_at_work() {
        let window = Window::new(WindowMode::steady(1.0), 4);
        let live = begun();
        live.follow_chunks(&window, 4, Some(1.0));
        window.chunk_ended(0, 90_000_000, 1_000_000);
        began_ago(&live, 1_000);
        assert_eq!(live.look().load.unwrap().ops_per_s, None, "no chunk has ended in the window");
        live.state().began = Some(Instant::now() - Duration::from_secs(1));
        window.chunk_ended(0, 200_000_000, 500);
        window.chunk_ended(100_000_000, 200_000_000, 250);
        let load = live.look().load.unwrap();
        assert!((load.ops_per_s.unwrap() - 10_000.0).abs() < 1e-6, "{load:?}: 2,500 a job");
    }
}
