//! Many sessions on few threads. A thread waits for all of its sessions at once (epoll, through rustix, which dbdyno has
//! anyway: a crate for other systems would add its own layer to each of the calls that are counted here). What has come is
//! read and answered before the next session's turn, so that an answer is timed when it is read.
//!
//! The descriptors are registered once, for edges: an answer that came makes one, and nothing need be taken back or asked
//! again. Sockets are told call by call not to wait. Where there is a thread for each session it simply waits for its answer,
//! which saves asking for what is ready: that is what the common pump does.

mod line;
mod timer;
mod turn;

use super::ClientSession;
use crate::{Clock, EngineError, Job, Pump, StartGate, ThreadPump};
use dbdyno_model::ErrorClass;
use line::Line;
use std::num::NonZero;
use std::thread;

/// More threads would take the processors from the server; one can serve some ten thousand answers a second.
const MOST_THREADS: usize = 4;
/// No work recurses deeply.
const STACK_BYTES: usize = 1 << 20;

/// The client drive's pump.
pub(in super::super) struct ClientPump {
    most_threads: usize,
}

impl Default for ClientPump {
    fn default() -> Self {
        let hardware = thread::available_parallelism().map_or(1, NonZero::get);
        Self { most_threads: hardware.min(MOST_THREADS) }
    }
}

impl Pump for ClientPump {
    fn run(&self, mut jobs: Vec<Job<'_>>, clock: &dyn Clock, gate: &StartGate) -> Result<(), EngineError> {
        let ours = |job: &mut Job<'_>| job.session.as_any().is_some_and(|any| any.is::<ClientSession>());
        if jobs.len() <= self.most_threads || !jobs.iter_mut().all(ours) {
            return ThreadPump.run(jobs, clock, gate);
        }
        let mut shares: Vec<Vec<Line<'_>>> = (0..self.most_threads).map(|_| Vec::new()).collect();
        for (n, Job { session, work }) in jobs.into_iter().enumerate() {
            let session = session.as_any().and_then(|any| any.downcast_mut());
            let session = session.ok_or_else(|| internal("a session changed its kind"))?;
            shares[n % self.most_threads].push(Line::new(session, work));
        }
        thread::scope(|scope| {
            let (mut threads, mut result) = (Vec::with_capacity(shares.len()), Ok(()));
            for (n, mut lines) in shares.into_iter().enumerate() {
                let thread = thread::Builder::new().name(format!("jobs-{n}")).stack_size(STACK_BYTES);
                let started = thread.spawn_scoped(scope, move || {
                    if gate.wait_for(lines.len()) { turn::run(&mut lines, clock) } else { Ok(()) }
                });
                match started {
                    Ok(thread) => threads.push(thread),
                    Err(error) => {
                        gate.give_up();
                        result = Err(internal(&format!("cannot start a thread for jobs: {error}")));
                    }
                }
            }
            for thread in threads {
                let ended = thread.join().unwrap_or_else(|_| Err(internal("a thread of jobs panicked")));
                result = result.and(ended);
            }
            result
        })
    }
}

fn internal(message: &str) -> EngineError {
    EngineError::new(ErrorClass::Other, message)
}
