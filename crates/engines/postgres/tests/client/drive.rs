//! Work for the client drive's pump, and what became of it.

use dbdyno_engine::client::{Bound, TestProgram};
use dbdyno_engine::program::{Act, Outcome, Program as _};
use dbdyno_engine::{
    ChunkResult, Engine, EngineError, Job, MonotonicClock, PointSpec, Prepared, Reply, Request, StartGate, Step, Work,
};
use dbdyno_model::{Counters, Drive, ErrorClass, PumpUse};
use dbdyno_testkit::conformance::{begin_point, merge};
use std::collections::HashSet;
use std::thread::{self, ThreadId};

/// What a work is at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Between two transactions.
    Between,
    /// Within one, which may be open.
    Within { open: bool },
    /// Rolling back one that has failed.
    RollingBack,
}

/// So many transactions, and then no more.
pub(super) struct Passes<'a> {
    program: Option<TestProgram>,
    passes: u64,
    at: At,
    pub(super) done: u64,
    pub(super) sum: ChunkResult,
    pub(super) failures: Vec<EngineError>,
    /// How many failures it bears that do not end its session.
    bears: usize,
    think_ns: u64,
    thinks_until_ns: Option<u64>,
    /// How late it was woken, each time.
    pub(super) late_ns: Vec<u64>,
    meanwhile: Option<Box<dyn FnOnce() + Send + 'a>>,
    panics_at: Option<u64>,
    pub(super) abandoned: bool,
    threads: HashSet<ThreadId>,
    last_ns: u64,
}

impl<'a> Passes<'a> {
    pub(super) fn new(passes: u64) -> Self {
        Self {
            program: None,
            passes,
            at: At::Between,
            done: 0,
            sum: ChunkResult::default(),
            failures: Vec::new(),
            bears: 0,
            think_ns: 0,
            thinks_until_ns: None,
            late_ns: Vec::new(),
            meanwhile: None,
            panics_at: None,
            abandoned: false,
            threads: HashSet::new(),
            last_ns: 0,
        }
    }

    /// Goes on after so many failures.
    pub(super) fn bearing(self, failures: usize) -> Self {
        Self { bears: failures, ..self }
    }

    /// Thinks before each transaction.
    pub(super) fn thinking(self, ns: u64) -> Self {
        Self { think_ns: ns, ..self }
    }

    /// Does something once when it is half-way.
    pub(super) fn meanwhile(self, what: impl FnOnce() + Send + 'a) -> Self {
        Self { meanwhile: Some(Box::new(what)), ..self }
    }

    /// Panics when so many transactions are done.
    pub(super) fn panicking_at(self, done: u64) -> Self {
        Self { panics_at: Some(done), ..self }
    }

    fn failed(&mut self, error: EngineError) -> Step<'_> {
        let ends = matches!(error.class, ErrorClass::ConnectionLost | ErrorClass::Cancelled);
        self.failures.push(error);
        if ends || self.failures.len() > self.bears {
            return Step::Done;
        }
        if self.at == (At::Within { open: true }) {
            self.at = At::RollingBack;
            return Step::Execute(Request::Rollback);
        }
        self.again()
    }

    /// The transaction that has failed once more.
    fn again(&mut self) -> Step<'_> {
        let program = self.program.as_mut().unwrap();
        program.again();
        let act = program.act(None);
        self.send(act)
    }

    fn send(&mut self, act: Act) -> Step<'_> {
        let within = matches!(self.at, At::Within { open: true });
        let opens = matches!(act, Act::Execute { opens: true, .. });
        self.at = At::Within { open: within || opens };
        match act {
            Act::Execute { statement, times, opens } => {
                let values = self.program.as_ref().unwrap().values();
                Step::Execute(Request::Statement(Bound { statement, values, times, opens }))
            }
            _ => Step::Execute(Request::Commit),
        }
    }
}

impl Work for Passes<'_> {
    fn next(&mut self, now_ns: u64, reply: Option<Reply<'_>>) -> Step<'_> {
        assert!(now_ns >= self.last_ns, "time goes on");
        self.last_ns = now_ns;
        self.threads.insert(thread::current().id());
        if let Some(Reply { started_ns, ended_ns, result, answer }) = reply {
            assert!(started_ns <= ended_ns && ended_ns <= now_ns);
            let did = match result {
                Ok(did) => did,
                Err(failure) => return self.failed(failure.error),
            };
            if self.at == At::RollingBack {
                return self.again();
            }
            let program = self.program.as_mut().unwrap();
            match program.act(Some((&did, answer))) {
                Act::Ended => {
                    self.sum = merge(self.sum, program.did());
                    program.ended(Outcome::Committed);
                    (self.at, self.done) = (At::Between, self.done + 1);
                }
                act => return self.send(act),
            }
        }
        assert_ne!(Some(self.done), self.panics_at, "told to");
        if self.done >= self.passes / 2
            && let Some(meanwhile) = self.meanwhile.take()
        {
            meanwhile();
        }
        if self.done == self.passes {
            return Step::Done;
        }
        match self.thinks_until_ns.take() {
            None if self.think_ns > 0 => {
                self.thinks_until_ns = Some(now_ns + self.think_ns);
                return Step::ThinkNs(self.think_ns);
            }
            None => {}
            Some(until_ns) => self.late_ns.push(now_ns.checked_sub(until_ns).expect("nobody is woken early")),
        }
        let program = self.program.as_mut().unwrap();
        program.begin();
        let act = program.act(None);
        self.send(act)
    }

    fn abandon(&mut self) {
        self.abandoned = true;
    }
}

/// What became of a point.
pub(super) struct Driven<'a> {
    pub(super) works: Vec<Passes<'a>>,
    pub(super) counted: Counters,
    pub(super) problems: Vec<String>,
    pub(super) plan: Option<String>,
    pub(super) pumped: Result<PumpUse, EngineError>,
}

impl Driven<'_> {
    pub(super) fn sum(&self) -> ChunkResult {
        self.works.iter().fold(ChunkResult::default(), |sum, work| merge(sum, work.sum))
    }

    pub(super) fn done(&self) -> u64 {
        self.works.iter().map(|work| work.done).sum()
    }

    pub(super) fn failures(&self) -> Vec<&EngineError> {
        self.works.iter().flat_map(|work| &work.failures).collect()
    }

    pub(super) fn threads(&self) -> usize {
        self.works.iter().flat_map(|work| &work.threads).collect::<HashSet<_>>().len()
    }

    /// Jobs that were served by several threads.
    pub(super) fn moved(&self) -> usize {
        self.works.iter().filter(|work| work.threads.len() > 1).count()
    }
}

/// Runs a point whose end nothing disturbs.
pub(super) fn drive<'a>(engine: &dyn Engine, spec: &PointSpec, work: impl Fn(u32) -> Passes<'a>) -> Driven<'a> {
    drive_beside(engine, spec, work, true, |_| {})
}

/// The same with something beside it that is given the sessions' cancellers. `whole` says that the server lives on.
pub(super) fn drive_beside<'a>(
    engine: &dyn Engine,
    spec: &PointSpec,
    work: impl Fn(u32) -> Passes<'a>,
    whole: bool,
    beside: impl FnOnce(&[std::sync::Arc<dyn dbdyno_engine::Canceller>]) + Send,
) -> Driven<'a> {
    let (mut sessions, Prepared { problems, plan, form }) = begin_point(engine, spec);
    let program = |job| form.clone().map(|form| TestProgram::new(spec, job, form));
    // Old servers make them wait; side by side they wait once.
    let flush = |sessions: &mut Vec<Box<dyn dbdyno_engine::Session>>| {
        thread::scope(|scope| sessions.iter_mut().for_each(|session| _ = scope.spawn(|| session.flush().unwrap())));
    };
    flush(&mut sessions);
    let before = engine.point_statistics(None).unwrap();
    let mut works: Vec<Passes<'a>> = (0..spec.jobs).map(|job| Passes { program: program(job), ..work(job) }).collect();
    let cancellers: Vec<_> = sessions.iter().map(|session| session.canceller()).collect();
    let gate = StartGate::new(spec.jobs as usize + 1);
    let pumped = thread::scope(|scope| {
        scope.spawn(|| {
            assert!(gate.wait());
            beside(&cancellers);
        });
        let jobs = sessions.iter_mut().zip(&mut works).map(|(session, work)| Job { session: session.as_mut(), work });
        engine.pump(Drive::Client, Some(spec.jobs)).run(jobs.collect(), &MonotonicClock::default(), &gate)
    });
    let mut counted = Counters::default();
    if whole {
        flush(&mut sessions);
        counted = engine.evidence(&before).unwrap();
    }
    drop(sessions);
    if whole {
        engine.end_point(spec).unwrap();
    }
    Driven { works, counted, problems, plan, pumped }
}
