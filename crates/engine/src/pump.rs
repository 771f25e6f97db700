//! Work and the pumps that run it.
//!
//! Work is a state machine: it is given the reply to its last step and says what to do next. A pump runs many of them,
//! each with a session of its own, and does the timing. The common pump gives every session a thread; the simulated one
//! runs all of them in one thread on a clock of its own, so that a test can know the truth.

use crate::client::Answer;
use crate::{ChunkResult, Clock, EngineError, Executor, Failure, Request, Session, SimulatedClock};
use dbdyno_model::{PumpKind, PumpUse};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// What a session shall do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step<'a> {
    /// Send this and wait for the answer.
    Execute(Request<'a>),
    /// Do nothing for this long.
    ThinkNs(u64),
    /// No more.
    Done,
}

/// The answer to a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply<'a> {
    /// When the step began.
    pub started_ns: u64,
    /// When it ended.
    pub ended_ns: u64,
    /// What came of it.
    pub result: Result<ChunkResult, Failure>,
    /// The rows that a statement of the work's own answered with.
    pub answer: &'a Answer,
}

/// A step that has ended, as a pump keeps it until the work's next turn.
#[derive(Debug)]
pub struct Ended {
    /// When it began.
    pub started_ns: u64,
    /// When it was over.
    pub ended_ns: u64,
    /// What came of it.
    pub result: Result<ChunkResult, Failure>,
}

impl Ended {
    /// What the work is told.
    pub fn reply(self, answer: &Answer) -> Reply<'_> {
        let Self { started_ns, ended_ns, result } = self;
        Reply { started_ns, ended_ns, result, answer }
    }
}

/// A resumable state machine: work, written once, run by any pump.
pub trait Work: Send {
    /// Says what to do at `now_ns`, given the reply to the last executed step (none at the start and after thinking).
    fn next(&mut self, now_ns: u64, reply: Option<Reply<'_>>) -> Step<'_>;

    /// The job ended without being done (its thread panicked): whoever waits for it must not wait any longer.
    fn abandon(&mut self) {}
}

/// A session and the work it is to do.
pub struct Job<'a> {
    /// The session, prepared.
    pub session: &'a mut dyn Session,
    /// Its work.
    pub work: &'a mut dyn Work,
}

/// Where all jobs wait for each other, and for the one who measures. Unlike a barrier it can be broken, so that a job
/// that could not be started does not keep the others waiting.
#[derive(Debug)]
pub struct StartGate {
    state: Mutex<Gate>,
    open: Condvar,
}

#[derive(Debug)]
struct Gate {
    waiting_for: usize,
    broken: bool,
    not_before: Option<Instant>,
}

impl StartGate {
    /// A gate that opens when this many have come.
    #[must_use]
    pub fn new(participants: usize) -> Self {
        Self {
            state: Mutex::new(Gate { waiting_for: participants, broken: false, not_before: None }),
            open: Condvar::new(),
        }
    }

    /// Nobody starts before this moment. All wait for it by the clock, as waking one another takes time on a busy
    /// machine. To be called before the last one comes.
    pub fn open_at(&self, moment: Instant) {
        self.gate().not_before = Some(moment);
    }

    /// Comes to the gate and waits until all have. False when somebody cannot come, so that nobody shall start.
    #[must_use]
    pub fn wait(&self) -> bool {
        self.wait_for(1)
    }

    /// The same for one who comes for several.
    #[must_use]
    pub fn wait_for(&self, participants: usize) -> bool {
        let mut gate = self.gate();
        gate.waiting_for = gate.waiting_for.saturating_sub(participants);
        self.open.notify_all();
        let gate = self.open.wait_while(gate, |g| g.waiting_for > 0 && !g.broken);
        let Gate { broken, not_before, .. } = *gate.unwrap_or_else(PoisonError::into_inner);
        if let Some(moment) = not_before.filter(|_| !broken) {
            std::thread::sleep(moment.saturating_duration_since(Instant::now()));
        }
        !broken
    }

    /// Says that somebody cannot come.
    pub fn give_up(&self) {
        self.gate().broken = true;
        self.open.notify_all();
    }

    fn gate(&self) -> MutexGuard<'_, Gate> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs jobs to their end.
pub trait Pump: Send + Sync {
    /// Runs all jobs until each is done, and says what carried them. A job whose thread panics ends; its work keeps
    /// what it had recorded.
    ///
    /// # Errors
    /// A thread could not be started, or panicked.
    fn run(&self, jobs: Vec<Job<'_>>, clock: &dyn Clock, gate: &StartGate) -> Result<PumpUse, EngineError>;
}

/// The common pump: a thread for each session, for blocking drivers.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThreadPump;

impl Pump for ThreadPump {
    fn run(&self, jobs: Vec<Job<'_>>, clock: &dyn Clock, gate: &StartGate) -> Result<PumpUse, EngineError> {
        std::thread::scope(|scope| {
            let mut threads = Vec::with_capacity(jobs.len());
            let mut result = Ok(threads_of(jobs.len()));
            for (n, job) in jobs.into_iter().enumerate() {
                // A small stack: 1,000 sessions should cost little memory, and no work recurses deeply.
                let thread = std::thread::Builder::new().name(format!("job-{n}")).stack_size(1 << 20);
                let started = thread.spawn_scoped(scope, move || {
                    wake_on_time();
                    if gate.wait() {
                        run_job(job, clock);
                    }
                });
                match started {
                    Ok(thread) => threads.push(thread),
                    Err(error) => {
                        gate.give_up();
                        result = Err(EngineError::other(format!("cannot start a thread for a job: {error}")));
                    }
                }
            }
            for thread in threads {
                if thread.join().is_err() {
                    result = Err(EngineError::other("a job's thread panicked"));
                }
            }
            result
        })
    }
}

/// A thread for each session.
fn threads_of(sessions: usize) -> PumpUse {
    let threads = u32::try_from(sessions).unwrap_or(u32::MAX);
    PumpUse { kind: PumpKind::Threads, threads, sessions_follow: false }
}

/// The kernel may wake a sleeper 50 us late, to wake several at once. Whoever has a moment to keep cannot have that.
fn wake_on_time() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

/// Runs a job to its end. A panic is passed on, after the work was told, so that the other jobs do not wait for ever.
fn run_job(job: Job<'_>, clock: &dyn Clock) {
    let Job { session, work } = job;
    // Neither is used again after a panic but to read what the work had recorded.
    let steps = AssertUnwindSafe(|| {
        if let Some(mut executor) = session.executor() {
            return run_steps(&mut *executor, &mut *work, clock);
        }
        run_steps(&mut *session, &mut *work, clock);
    });
    if let Err(panic) = catch_unwind(steps) {
        work.abandon();
        resume_unwind(panic);
    }
}

fn run_steps(session: &mut (impl Executor + ?Sized), work: &mut dyn Work, clock: &dyn Clock) {
    let mut now_ns = clock.now_ns();
    let mut ended: Option<Ended> = None;
    loop {
        let reply = ended.take().map(|ended| ended.reply(session.answer()));
        match work.next(now_ns, reply) {
            Step::Execute(request) => {
                let started_ns = clock.now_ns();
                let result = session.execute(&request);
                now_ns = clock.now_ns();
                ended = Some(Ended { started_ns, ended_ns: now_ns, result });
            }
            Step::ThinkNs(ns) => {
                clock.sleep_ns(ns);
                now_ns = clock.now_ns();
            }
            Step::Done => return,
        }
    }
}

/// All jobs in one thread, on a simulated clock: the job that is furthest behind goes next, so that what jobs tell each
/// other through shared state happens in the right order. Sessions must take their time from the same clock.
pub struct SimulatedPump<'c>(pub &'c SimulatedClock);

impl Pump for SimulatedPump<'_> {
    fn run(&self, jobs: Vec<Job<'_>>, _: &dyn Clock, gate: &StartGate) -> Result<PumpUse, EngineError> {
        let start_ns = self.0.now_ns();
        let carried = Ok(threads_of(jobs.len()));
        if !gate.wait() {
            return carried;
        }
        let mut jobs: Vec<(Job<'_>, Option<Ended>)> = jobs.into_iter().map(|job| (job, None)).collect();
        let mut queue: BinaryHeap<Reverse<(u64, usize)>> = (0..jobs.len()).map(|n| Reverse((start_ns, n))).collect();
        let mut latest_ns = start_ns;
        while let Some(Reverse((now_ns, n))) = queue.pop() {
            self.0.set_ns(now_ns);
            latest_ns = latest_ns.max(now_ns);
            let (job, ended) = &mut jobs[n];
            let reply = ended.take().map(|ended| ended.reply(job.session.answer()));
            match job.work.next(now_ns, reply) {
                Step::Execute(request) => {
                    let result = job.session.execute(&request);
                    let ended_ns = self.0.now_ns();
                    *ended = Some(Ended { started_ns: now_ns, ended_ns, result });
                    queue.push(Reverse((ended_ns, n)));
                }
                Step::ThinkNs(ns) => queue.push(Reverse((now_ns + ns, n))),
                Step::Done => {}
            }
        }
        self.0.set_ns(latest_ns);
        carried
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Canceller, MonotonicClock, PointSpec, Prepared};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    #[test]
    fn a_gate_opens_at_its_moment_for_all() {
        let gate = &StartGate::new(3);
        let moment = Instant::now() + Duration::from_millis(60);
        gate.open_at(moment);
        let left = std::thread::scope(|scope| {
            let waiting = [(); 3].map(|()| scope.spawn(move || (gate.wait(), Instant::now())));
            waiting.map(|thread| thread.join().unwrap())
        });
        assert!(left.iter().all(|(may_start, at)| *may_start && *at >= moment));
        let broken = StartGate::new(2);
        broken.open_at(Instant::now() + Duration::from_secs(3_600));
        broken.give_up();
        assert!(!broken.wait(), "who cannot start does not wait for the moment");
    }

    struct Idle;

    impl Session for Idle {
        fn prepare(&mut self, _: &PointSpec, _: u32) -> Result<Prepared, EngineError> {
            Ok(Prepared::default())
        }
        fn execute(&mut self, _: &Request<'_>) -> Result<ChunkResult, Failure> {
            Ok(ChunkResult::default())
        }
        fn flush(&mut self) -> Result<(), EngineError> {
            Ok(())
        }
        fn canceller(&self) -> Arc<dyn Canceller> {
            struct Never;
            impl Canceller for Never {
                fn cancel(&self) {}
            }
            Arc::new(Never)
        }
    }

    /// Panics at once, or waits until the other has.
    struct Fragile<'a> {
        panics: bool,
        abandoned: &'a AtomicBool,
    }

    impl Work for Fragile<'_> {
        fn next(&mut self, _: u64, _: Option<Reply<'_>>) -> Step<'_> {
            assert!(!self.panics, "told to");
            if self.abandoned.load(Ordering::SeqCst) { Step::Done } else { Step::ThinkNs(1_000_000) }
        }
        fn abandon(&mut self) {
            self.abandoned.store(true, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_job_that_panics_ends_the_point_and_not_the_others_patience() {
        let abandoned = AtomicBool::new(false);
        let (mut one, mut two) = (Idle, Idle);
        let mut panics = Fragile { panics: true, abandoned: &abandoned };
        let mut waits = Fragile { panics: false, abandoned: &abandoned };
        let jobs = vec![Job { session: &mut one, work: &mut panics }, Job { session: &mut two, work: &mut waits }];
        let error = ThreadPump.run(jobs, &MonotonicClock::default(), &StartGate::new(2)).unwrap_err();
        assert!(error.message.contains("panicked"), "{error}");
    }

    #[test]
    fn a_gate_that_was_given_up_lets_nobody_start() {
        let gate = StartGate::new(3);
        gate.give_up();
        assert!(!gate.wait());
        let whole = StartGate::new(1);
        assert!(whole.wait());
    }
}
