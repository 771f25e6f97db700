//! Sessions whose service times are known, under a rate, on a simulated clock; and what the judge says of it.

use crate::judge::judge_rate;
use crate::{ClientDrive, ClientResult, Pace, Pool, Team, Window};
use dbdyno_engine::client::{TestForm, TestProgram};
use dbdyno_engine::data::mix;
use dbdyno_engine::{Canceller, ChunkResult, Clock, EngineError, Failure, Job, Prepared, Pump, Request};
use dbdyno_engine::{PointSpec, Session, SimulatedClock, SimulatedPump, StartGate};
use dbdyno_model::{Arrivals, Flag, Load, Point, Queue, Rate, Status, TestCode};
use std::sync::Arc;

/// The window; the warm-up is a fifth of it.
const WINDOW_S: f64 = 10.0;

/// How long transactions take.
#[derive(Debug, Clone, Copy)]
pub(super) enum Service {
    Deterministic,
    Exponential,
}

/// Sessions under a rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Simulation {
    pub(super) sessions: u32,
    /// Share of what the sessions can carry that is asked for.
    pub(super) utilisation: f64,
    /// Transactions that are due inside the window, on average.
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
    /// Transactions that are due in a second.
    fn per_s(&self) -> f64 {
        self.due / WINDOW_S
    }

    /// What a transaction takes on average.
    pub(super) fn service_s(&self) -> f64 {
        self.utilisation * f64::from(self.sessions) / self.per_s()
    }

    /// Puts the load on; each job has a session.
    pub(super) fn run(&self) -> ClientResult {
        self.of_users(self.sessions, self.load())
    }

    /// Puts a load on; so many users share the sessions.
    pub(super) fn of_users(&self, users: u32, load: Load) -> ClientResult {
        let spec = PointSpec { key_seed: mix(self.seed), ..super::spec(users) };
        let clock = SimulatedClock::default();
        let window = Window::new(Pace::of_client(WINDOW_S), self.sessions as usize);
        let load = Load { connections: Some(self.sessions).filter(|n| *n < users), ..load };
        let per_s = load.rate.map(|_| self.per_s());
        let team = Team::new(&window, (WINDOW_S * 1e9) as u64, load, per_s, &spec);
        let served = |job: u32| Served {
            clock: &clock,
            service: self.service,
            mean_ns: self.service_s() * 1e9,
            counter: mix(self.seed ^ mix(u64::from(job) + 77)),
        };
        let mut sessions: Vec<Served<'_>> = (0..self.sessions).map(served).collect();
        let program = |job| TestProgram::new(&spec, job, TestForm::default());
        let pool = Pool::default();
        let mut drives = team.sessions((0..users).map(|job| (job, program(job))), &pool);
        let pairs = sessions.iter_mut().zip(&mut drives).map(|(session, work)| Job { session, work }).collect();
        SimulatedPump(&clock).run(pairs, &clock, &StartGate::new(1)).unwrap();
        let tallies = drives.into_iter().map(ClientDrive::into_tally);
        let tallies = tallies.chain(load.connections.map(|_| pool.tally(&team))).collect();
        team.gather(tallies)
    }

    pub(super) fn load(&self) -> Load {
        let rate = Rate::PerS { thousandths: (self.per_s() * 1e3) as u64 };
        Load { rate: Some(rate), arrivals: Some(self.arrivals), queue: Some(self.queue), ..Load::default() }
    }

    /// Whether the judge finds it invalid, and whether it says that too few were due.
    pub(super) fn judged(&self) -> (bool, bool) {
        let result = self.run();
        let mut point = Point::new(TestCode::new("T711").unwrap(), jiff::Timestamp::UNIX_EPOCH);
        (point.load, point.asked_per_s, point.open_loop) = (self.load(), Some(self.per_s()), result.open_loop);
        judge_rate(&mut point, self.sessions, WINDOW_S, result.service.count() as f64);
        (point.status == Status::Invalid, point.has(Flag::TooFewToJudge))
    }
}
