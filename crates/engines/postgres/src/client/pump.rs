//! Many sessions on few threads. A thread waits for all of its sessions at once: on an io_uring ring where the kernel
//! has one, else with epoll, through rustix (a crate for other systems would add a layer of its own to each call that
//! is counted here). A session's next request is sent as soon as its answer is read, before the next session's turn, so
//! that every answer is timed when it is read.
//!
//! With a thread for each session the common pump is enough: it simply waits for each answer, and need not ask what is
//! ready. Through a Unix socket a ring answers sooner even so.

mod cpu_probe;
mod event_loop;
mod poller;
mod rebalancer;
mod ring;
mod session_slot;
mod timer;

use super::ClientSession;
use dbdyno_engine::{Clock, EngineError, Job, Pump, StartGate, ThreadPump};
use dbdyno_model::{PumpKind, PumpUse};
use event_loop::{Placement, PumpThread, internal};
use rebalancer::Rebalancer;
use session_slot::SessionSlot;
use std::num::NonZero;
use std::os::fd::{AsRawFd as _, RawFd};
use std::thread;

/// More threads would take the processors from the server; one can serve some ten thousand answers a second.
const MOST_THREADS: usize = 4;
/// With one session a thread, the server's processes have room, and each move is half of a thread's work.
const SESSIONS_TO_FOLLOW: usize = 2;
/// No work recurses deeply.
const STACK_BYTES: usize = 1 << 20;

/// The client drive's pump.
pub(crate) struct ClientPump {
    most_threads: usize,
    /// Whether there is a thread for each processor.
    on_every_processor: bool,
    /// Fewest jobs of the ramp whose sessions may follow their server processes.
    may_follow_from_jobs: Option<u32>,
}

impl ClientPump {
    pub(crate) fn new(may_follow_from_jobs: Option<u32>) -> Self {
        let hardware = thread::available_parallelism().map_or(1, NonZero::get);
        let on_every_processor = (2..=MOST_THREADS).contains(&hardware);
        Self { most_threads: hardware.min(MOST_THREADS), on_every_processor, may_follow_from_jobs }
    }

    /// Whether sessions follow: all points of a ramp alike, so its fewest jobs decide. Where there are more processors
    /// than threads, the scheduler finds one that has nothing to do.
    fn placement(&self) -> Placement {
        let enough = |jobs: u32| jobs as usize >= SESSIONS_TO_FOLLOW * self.most_threads;
        if self.on_every_processor && self.may_follow_from_jobs.is_some_and(enough) {
            Placement::Following
        } else {
            Placement::Fixed
        }
    }
}

impl Pump for ClientPump {
    fn run(&self, mut jobs: Vec<Job<'_>>, clock: &dyn Clock, gate: &StartGate) -> Result<PumpUse, EngineError> {
        let session =
            |job: &mut Job<'_>| job.session.as_any()?.downcast_ref::<ClientSession>().map(ClientSession::by_socket);
        let ours = |job: &mut Job<'_>| session(job).is_some();
        let by_socket = |job: &mut Job<'_>| session(job) == Some(true);
        let a_thread_each = jobs.len() <= self.most_threads;
        if !jobs.iter_mut().all(ours) || a_thread_each && !(jobs.iter_mut().all(by_socket) && ring::is_possible()) {
            return ThreadPump.run(jobs, clock, gate);
        }
        let threads = self.most_threads.min(jobs.len());
        let mut shares: Vec<Vec<SessionSlot<'_>>> = (0..threads).map(|_| Vec::new()).collect();
        for (n, Job { session, work }) in jobs.into_iter().enumerate() {
            let session = session.as_any().and_then(|any| any.downcast_mut());
            let session = session.ok_or_else(|| internal("a session changed its kind"));
            let session = session.inspect_err(|_| gate.give_up())?;
            shares[n % threads].push(SessionSlot::new(n, session, work));
        }
        let sockets = sockets(&shares);
        let placement = self.placement();
        let rebalancer = Rebalancer::new(&shares.iter().map(Vec::len).collect::<Vec<_>>());
        // Whoever measures waits at the gate.
        let rebalancer = rebalancer.inspect_err(|_| gate.give_up());
        let rebalancer = rebalancer.map_err(|error| internal(&format!("cannot connect threads of jobs: {error}")))?;
        let (rebalancer, sockets) = (&rebalancer, sockets.as_slice());
        thread::scope(|scope| {
            let none = PumpUse { kind: PumpKind::IoUring, threads: 0, sessions_follow: false };
            let (mut threads, mut result) = (Vec::with_capacity(shares.len()), Ok(none));
            for (number, slots) in shares.into_iter().enumerate() {
                let thread = thread::Builder::new().name(format!("jobs-{number}")).stack_size(STACK_BYTES);
                let pump_thread = PumpThread { number, rebalancer, sockets, placement };
                let started = thread.spawn_scoped(scope, move || pump_thread.serve(slots, clock, gate));
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
                result = result.and_then(|all| ended.map(|own| beside(all, own)));
            }
            result
        })
    }
}

/// The kinds of pump and the threads of both together.
fn beside(all: PumpUse, own: PumpUse) -> PumpUse {
    PumpUse {
        kind: all.kind.min(own.kind),
        threads: all.threads + own.threads,
        sessions_follow: all.sessions_follow || own.sessions_follow,
    }
}

/// The sockets of all slots, in the order of their numbers.
fn sockets(shares: &[Vec<SessionSlot<'_>>]) -> Vec<RawFd> {
    let mut numbered: Vec<_> = shares.iter().flatten().map(|slot| (slot.number(), slot.as_fd().as_raw_fd())).collect();
    numbered.sort_unstable();
    numbered.into_iter().map(|(_, socket)| socket).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_ramp_has_one_mode_and_its_fewest_jobs_decide() {
        let pump = |most_threads, on_every_processor, may_follow_from_jobs| ClientPump {
            most_threads,
            on_every_processor,
            may_follow_from_jobs,
        };
        assert_eq!(pump(2, true, Some(4)).placement(), Placement::Following);
        assert_eq!(pump(2, true, Some(3)).placement(), Placement::Fixed);
        // A ramp of 1 to 64 jobs, and one that was told to stay.
        assert_eq!(pump(2, true, Some(1)).placement(), Placement::Fixed);
        assert_eq!(pump(2, true, None).placement(), Placement::Fixed);
        assert_eq!(pump(4, false, Some(64)).placement(), Placement::Fixed, "the scheduler finds an idle processor");
    }
}
