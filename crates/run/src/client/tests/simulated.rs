//! Sessions with known service times, under a rate, on a simulated clock; and how the judge rates them.

use crate::judge::judge_rate;
use crate::{ClientContext, ClientDrive, ClientResult, WaitingUsers, Window, WindowMode};
use dbdyno_engine::client::{TestForm, TestProgram};
use dbdyno_engine::data::mix;
use dbdyno_engine::{Canceller, ChunkResult, Clock, EngineError, Failure, Job, Prepared, Pump, Request};
use dbdyno_engine::{PointSpec, Session, SimulatedClock, SimulatedPump, StartGate};
use dbdyno_model::{Arrivals, ClientLoad, Flag, Point, Queue, Rate, Status, TestCode};
use std::sync::Arc;

/// The window; the warm-up is a fifth of it.
const WINDOW_S: f64 = 10.0;

/// Distribution of service times.
#[derive(Debug, Clone, Copy)]
pub(super) enum Service {
    Deterministic,
    Exponential,
}

/// Sessions under a rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Simulation {
    pub(super) sessions: u32,
    /// Asked rate as a share of what the sessions can carry.
    pub(super) utilisation: f64,
    /// Mean number of transactions due inside the window.
    pub(super) due: f64,
    pub(super) arrivals: Arrivals,
    pub(super) service: Service,
    pub(super) queue: Queue,
    pub(super) seed: u64,
}

struct Served<'c> {
    clock: &'c SimulatedClock,
    service: Service,
    mean_ns: f64,
    counter: u64,
}

impl Session for Served<'_> {
    fn prepare(&mut self, _: &PointSpec, _: u32) -> Result<Prepared, EngineError> {
        Ok(Prepared::default())
    }

    fn execute(&mut self, _: &Request<'_>) -> Result<ChunkResult, Failure> {
        self.counter += 1;
        let takes = match self.service {
            Service::Deterministic => 1.0,
            Service::Exponential => -super::super::timetable::uniform(mix(self.counter)).ln(),
        };
        self.clock.sleep_ns((takes * self.mean_ns) as u64);
        Ok(ChunkResult { rows: 1, ..ChunkResult::default() })
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

impl Simulation {
    /// Transactions due per second.
    fn per_s(&self) -> f64 {
        self.due / WINDOW_S
    }

    /// Mean service time of a transaction.
    pub(super) fn service_s(&self) -> f64 {
        self.utilisation * f64::from(self.sessions) / self.per_s()
    }

    /// Runs the load; each job has a session.
    pub(super) fn run(&self) -> ClientResult {
        self.of_users(self.sessions, self.load())
    }

    /// Runs a load; this many users share the sessions.
    pub(super) fn of_users(&self, users: u32, load: ClientLoad) -> ClientResult {
        let spec = PointSpec { key_seed: mix(self.seed), ..super::spec(users) };
        let clock = SimulatedClock::default();
        let window = Window::new(WindowMode::of_client(WINDOW_S), self.sessions as usize);
        let load = ClientLoad { connections: Some(self.sessions).filter(|n| *n < users), ..load };
        let per_s = load.rate.map(|_| self.per_s());
        let context = ClientContext::new(&window, load, per_s, &spec);
        let served = |job: u32| Served {
            clock: &clock,
            service: self.service,
            mean_ns: self.service_s() * 1e9,
            counter: mix(self.seed ^ mix(u64::from(job) + 77)),
        };
        let mut sessions: Vec<Served<'_>> = (0..self.sessions).map(served).collect();
        let program = |job| TestProgram::new(&spec, job, TestForm::default());
        let pool = WaitingUsers::default();
        let mut drives = context.sessions((0..users).map(|job| (job, program(job))), &pool);
        let pairs = sessions.iter_mut().zip(&mut drives).map(|(session, work)| Job { session, work }).collect();
        SimulatedPump(&clock).run(pairs, &clock, &StartGate::new(1)).unwrap();
        let counts = drives.into_iter().map(ClientDrive::into_counts);
        let counts = counts.chain(load.connections.map(|_| pool.counts(&context))).collect();
        context.gather(counts)
    }

    pub(super) fn load(&self) -> ClientLoad {
        let rate = Rate::PerS { thousandths: (self.per_s() * 1e3) as u64 };
        ClientLoad { rate: Some(rate), arrivals: Some(self.arrivals), queue: Some(self.queue), ..ClientLoad::default() }
    }

    /// Whether the judge calls the point invalid, and whether it says that too few transactions were due.
    pub(super) fn judged(&self) -> (bool, bool) {
        let result = self.run();
        let mut point = Point::new(TestCode::new("T711").unwrap(), jiff::Timestamp::UNIX_EPOCH);
        (point.load, point.asked_per_s, point.open_loop) = (self.load(), Some(self.per_s()), result.open_loop);
        judge_rate(&mut point, self.sessions, WINDOW_S, result.service.count() as f64);
        (point.status == Status::Invalid, point.has(Flag::TooFewToJudge))
    }
}
