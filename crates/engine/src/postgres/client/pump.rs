//! Many sessions on few threads. A thread waits for all of its sessions at once, on a ring of the kernel's where there is one,
//! else with epoll (through rustix, which dbdyno has anyway: a crate for other systems would add its own layer to each of the
//! calls that are counted here). What has come is answered before the next session's turn, so that an answer is timed when it
//! is read.
//!
//! Where there is no ring, but a thread for each session, it simply waits for its answer, which saves asking for what is ready:
//! that is what the common pump does.

mod line;
mod ring;
mod road;
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
        let session =
            |job: &mut Job<'_>| job.session.as_any()?.downcast_ref::<ClientSession>().map(ClientSession::is_plain);
        let ours = |job: &mut Job<'_>| session(job).is_some();
        let plain = |job: &mut Job<'_>| session(job) == Some(true);
        let a_thread_each = jobs.len() <= self.most_threads;
        if !jobs.iter_mut().all(ours) || a_thread_each && !(jobs.iter_mut().all(plain) && ring::is_possible()) {
            return ThreadPump.run(jobs, clock, gate);
        }
        let threads = self.most_threads.min(jobs.len());
        let mut shares: Vec<Vec<Line<'_>>> = (0..threads).map(|_| Vec::new()).collect();
        for (n, Job { session, work }) in jobs.into_iter().enumerate() {
            let session = session.as_any().and_then(|any| any.downcast_mut());
            let session = session.ok_or_else(|| internal("a session changed its kind"))?;
            let share = &mut shares[n % threads];
            share.push(Line::new(share.len(), session, work));
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
