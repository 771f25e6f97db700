//! What the point that is measured does now. The measuring says when a window begins and ends, and what records its
//! work; whoever takes readings looks at that.

use crate::Window;
use crate::window::ChunkFollower;
use dbdyno_model::{Doing, LoadReading, PlannedPoint, PointStage, ReadingTimes};
use dbdyno_stats::{FollowedType, Follower, Histogram, Recorder};
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
    /// What was done in a window that has ended since the last look.
    done: Option<Look>,
}

#[derive(Debug)]
enum Work {
    /// Transactions of sessions, by type.
    Transactions { follower: Follower, types: Vec<FollowedWork> },
    /// Chunks of so many jobs, with so many commits an operation.
    Chunks { follower: ChunkFollower, jobs: usize, commits_per_op: f64 },
}

/// A transaction type that is followed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FollowedWork {
    /// Its name.
    pub(crate) name: String,
    /// Commits that a server may count for one, at most.
    pub(crate) commits: f64,
}

/// What a look finds.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Look {
    pub(super) doing: Option<Doing>,
    pub(super) load: Option<LoadReading>,
    /// How much of the window the load covers.
    pub(super) inside_s: f64,
    /// Commits that the server may count for the load, at most.
    pub(super) own_commits: f64,
}

impl LiveWork {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A point begins.
    pub(crate) fn begin(&self, index: usize, of: usize, planned: &PlannedPoint) {
        let subject = planned.subject.name().name.to_owned();
        let dop = planned.dop.to_string();
        *self.state() = State {
            doing: Some(Doing { point: index, of, subject, dop, stage: PointStage::Preparing }),
            ..State::default()
        };
    }

    /// No point is measured any more.
    pub(crate) fn end(&self) {
        let mut state = self.state();
        (state.doing, state.work, state.began, state.ended) = (None, None, None, None);
    }

    /// The sessions of the point record here, transactions of these types.
    pub(crate) fn follow(&self, recorder: &Recorder, types: Vec<FollowedWork>) {
        self.state().work = Some(Work::Transactions { follower: recorder.follow(), types });
    }

    /// The jobs of the point do chunks. For an operation a server may count so many commits, at most.
    pub(crate) fn follow_chunks(&self, window: &Window, jobs: usize, commits_per_op: f64) {
        self.state().work = Some(Work::Chunks { follower: window.follow(), jobs, commits_per_op });
    }

    /// The window begins.
    pub(crate) fn window_begins(&self) {
        let mut state = self.state();
        state.began = Some(Instant::now());
        if let Some(doing) = &mut state.doing {
            doing.stage = PointStage::Measuring;
        }
        // What was done before is no part of the window.
        if let Some(Work::Chunks { follower, .. }) = &mut state.work {
            follower.since_last();
        }
    }

    /// The window has ended.
    pub(crate) fn window_ends(&self) {
        self.state().ended.get_or_insert_with(Instant::now);
    }

    /// All sessions have ended and flushed; what records them goes now.
    pub(crate) fn work_ends(&self) {
        let mut state = self.state();
        state.ended.get_or_insert_with(Instant::now);
        let done = state.load(Duration::ZERO);
        (state.done, state.work, state.began) = (done, None, None);
    }

    /// What was done since the last look.
    pub(super) fn look(&self) -> Look {
        let mut state = self.state();
        let done = state.done.take();
        let look = done.or_else(|| state.load(LEAST)).unwrap_or_default();
        Look { doing: state.doing.clone(), ..look }
    }
}

impl State {
    /// What was done since the last look, where that covers at least so much of the window.
    fn load(&mut self, least: Duration) -> Option<Look> {
        let began = self.began?;
        let now = self.ended.unwrap_or_else(Instant::now);
        let inside = now.saturating_duration_since(began);
        if inside < least && self.ended.is_none() || inside.is_zero() {
            return None;
        }
        let inside_s = inside.as_secs_f64();
        let (mut load, own_commits) = match self.work.as_mut()? {
            Work::Transactions { follower, types } => {
                let did = follower.since_last();
                let commits = did.iter().zip(types.iter()).map(|(did, of)| did.counts.ops as f64 * of.commits).sum();
                (transactions(&did, types, inside_s), commits)
            }
            Work::Chunks { follower, jobs, commits_per_op } => {
                let done = follower.since_last();
                let busy_s = done.busy_ns as f64 / 1e9;
                let ops_per_s = (busy_s > 0.0).then(|| done.ops as f64 / busy_s * *jobs as f64);
                let commits = done.chunks as f64 + done.ops as f64 * *commits_per_op;
                (LoadReading { ops_per_s, ..LoadReading::default() }, commits)
            }
        };
        load.seconds = Some(inside_s);
        self.began = Some(now);
        Some(Look { doing: None, load: Some(load), inside_s, own_commits })
    }
}

/// What all types did, and each of them where there are several.
fn transactions(types: &[FollowedType], named: &[FollowedWork], seconds: f64) -> LoadReading {
    let Some((first, others)) = types.split_first() else { return LoadReading::default() };
    let mut all = first.clone();
    for of in others {
        all.counts.add(&of.counts);
        all.service.merge(&of.service);
        if let (Some(all), Some(of)) = (&mut all.response, &of.response) {
            all.merge(of);
        }
    }
    let mut load = one(&all, seconds);
    if !others.is_empty() {
        load.transactions =
            named.iter().map(|of| of.name.clone()).zip(types.iter().map(|of| one(of, seconds))).collect();
    }
    load
}

fn one(of: &FollowedType, seconds: f64) -> LoadReading {
    let rate = |n: u64| Some(n as f64 / seconds);
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
        live.window_begins();
        live.state().began = Some(Instant::now() - Duration::from_millis(ms));
    }

    #[test]
    fn nothing_is_done_before_the_window_and_the_rest_is_seen_after_it() {
        let recorder = Recorder::new(RecordedTimes::Service, Types::new(2).unwrap(), 10_000_000_000, 1_000_000_000);
        let live = begun();
        let of = |name: &str, commits| FollowedWork { name: name.to_owned(), commits };
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
        let Look { doing, load, inside_s, own_commits } = live.look();
        assert_eq!((doing.unwrap().stage, own_commits), (PointStage::Measuring, 300.0));
        assert!((inside_s - 2.0).abs() < 0.1, "{inside_s}");
        let load = load.unwrap();
        assert!((load.ops_per_s.unwrap() - 125.0).abs() < 2.0, "{load:?}");
        assert!((load.transactions["pay"].ops_per_s.unwrap() - 100.0).abs() < 2.0, "{load:?}");
        let times = load.service_time_s.unwrap();
        assert!((times.p99.unwrap() - 0.001).abs() < 2e-6, "{times:?}");
        assert_eq!((load.response_time_s, live.look().load), (None, None), "too little of the window");
        record(TypeId::FIRST, 7);
        live.window_ends();
        live.work_ends();
        drop(recorder.finish());
        let rest = live.look().load.unwrap();
        assert!(rest.transactions["pay"].ops_per_s.unwrap() > 0.0 && live.look().load.is_none());
        live.end();
        assert_eq!(live.look(), Look::default());
    }

    #[test]
    fn the_rate_of_chunks_is_that_of_jobs_at_work() {
        let window = Window::new(WindowMode::steady(1.0), 4);
        let live = begun();
        live.follow_chunks(&window, 4, 1.0);
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
