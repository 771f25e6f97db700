//! The loop of one thread: wait for events, serve the sessions that they are about, wake the sessions that are due.

use super::cpu_probe::{self, CpuProbe};
use super::poller::{EVENTS, EpollPoller, Event, Poller, RingPoller};
use super::rebalancer::{Rebalancer, ThreadGuard};
use super::session_slot::{Next, SessionSlot};
use super::timer::Timer;
use dbdyno_engine::{Clock, EngineError, StartGate};
use dbdyno_model::{ErrorClass, PumpKind, PumpUse};
use rustix::io::Errno;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::os::fd::RawFd;

/// Which thread serves a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Placement {
    /// The same one always.
    Fixed,
    /// The one on the processor where its server process runs.
    Following,
}

/// An error that is none of the server's.
pub(super) fn internal(message: &str) -> EngineError {
    EngineError::new(ErrorClass::Other, message)
}

/// A thread of a pump.
pub(super) struct PumpThread<'e, 'a> {
    pub(super) number: usize,
    pub(super) rebalancer: &'e Rebalancer<SessionSlot<'a>>,
    /// Of all sessions of the pump, in the order of their numbers; they stay open as long as the threads are there.
    pub(super) sockets: &'e [RawFd],
    pub(super) placement: Placement,
}

impl<'a> PumpThread<'_, 'a> {
    /// Serves sessions from when `gate` opens until the sessions of all threads have ended. Answers how it did so.
    pub(super) fn serve(
        &self,
        own: Vec<SessionSlot<'a>>,
        clock: &dyn Clock,
        gate: &StartGate,
    ) -> Result<PumpUse, EngineError> {
        let _guard = ThreadGuard { rebalancer: self.rebalancer, thread: self.number };
        let count = own.len();
        // By their numbers, as sessions of other threads may come.
        let mut slots: Vec<Option<SessionSlot<'a>>> = self.sockets.iter().map(|_| None).collect();
        for slot in own {
            let n = slot.number();
            slots[n] = Some(slot);
        }
        let (kind, placement) = self.run(&mut slots, count, clock, gate).map_err(|error| {
            slots.iter_mut().flatten().for_each(SessionSlot::give_up);
            internal(&format!("waiting for answers: {error}"))
        })?;
        if slots.iter().flatten().any(SessionSlot::is_broken) {
            return Err(internal("a job's work panicked"));
        }
        Ok(PumpUse { kind, threads: 1, sessions_follow: placement == Placement::Following })
    }

    fn run(
        &self,
        slots: &mut [Option<SessionSlot<'a>>],
        count: usize,
        clock: &dyn Clock,
        gate: &StartGate,
    ) -> Result<(PumpKind, Placement), Errno> {
        // Other threads wait at the gate for this one.
        let timer = Timer::new().inspect_err(|_| gate.give_up())?;
        let waker = self.rebalancer.waker(self.number);
        // Only a session itself can read what is encrypted.
        let plain = slots.iter().flatten().all(SessionSlot::is_plain);
        if plain && let Ok(ring) = RingPoller::new(self.sockets, &timer, waker) {
            if self.placement == Placement::Following {
                self.rebalancer.open(self.number);
            }
            EventLoop::new(self, ring, timer, self.placement).run(slots, count, clock, gate)?;
            return Ok((PumpKind::IoUring, self.placement));
        }
        let mut sockets = Vec::with_capacity(count);
        sockets.extend(slots.iter().flatten().map(|slot| (slot.number(), slot.as_fd())));
        let epoll = EpollPoller::new(&sockets, &timer, waker).inspect_err(|_| gate.give_up())?;
        // It knows the sockets of this thread's sessions alone.
        EventLoop::new(self, epoll, timer, Placement::Fixed).run(slots, count, clock, gate)?;
        Ok((PumpKind::Epoll, Placement::Fixed))
    }
}

struct EventLoop<'t, 'e, 'a, R> {
    thread: &'t PumpThread<'e, 'a>,
    poller: R,
    timer: Timer,
    /// Sessions that are to be woken, and when.
    sleepers: BinaryHeap<Reverse<(u64, usize)>>,
    placement: Placement,
    cpu_probe: CpuProbe,
}

impl<'t, 'e, 'a, R: Poller> EventLoop<'t, 'e, 'a, R> {
    fn new(thread: &'t PumpThread<'e, 'a>, poller: R, timer: Timer, placement: Placement) -> Self {
        Self { thread, poller, timer, sleepers: BinaryHeap::new(), placement, cpu_probe: CpuProbe::default() }
    }

    fn run(
        &mut self,
        slots: &mut [Option<SessionSlot<'a>>],
        count: usize,
        clock: &dyn Clock,
        gate: &StartGate,
    ) -> Result<(), Errno> {
        if !gate.wait_for(count) {
            return Ok(());
        }
        for n in 0..slots.len() {
            if slots[n].is_some() {
                self.serve(n, slots, |slot, poller| slot.wake(clock.now_ns(), poller, clock))?;
            }
        }
        while self.thread.rebalancer.goes_on() {
            let at_once = !self.sleepers.is_empty() && self.arm(clock)?;
            self.poller.wait(at_once)?;
            let mut last = None;
            for _ in 0..EVENTS {
                let Some(event) = self.poller.next() else { break };
                match event {
                    Event::Timer => self.timer.fired(),
                    Event::Woken => self.adopt(slots)?,
                    Event::Session(n, readiness) => {
                        self.serve(n, slots, |slot, poller| slot.take(readiness, poller, clock))?;
                        last = Some(n);
                    }
                }
            }
            if !self.sleepers.is_empty() {
                self.wake(slots, clock)?;
            }
            if let Some(n) = last {
                self.rebalance(n, slots);
            }
        }
        Ok(())
    }

    /// Serves a session, and does what it needs next.
    fn serve(
        &mut self,
        n: usize,
        slots: &mut [Option<SessionSlot<'a>>],
        serve: impl FnOnce(&mut SessionSlot<'a>, &mut R) -> Next,
    ) -> Result<(), Errno> {
        let Some(slot) = &mut slots[n] else { return Ok(()) };
        match serve(slot, &mut self.poller) {
            Next::Answer => self.poller.listen(n)?,
            Next::Nothing => {}
            Next::WakeAt(at_ns) => self.sleepers.push(Reverse((at_ns, n))),
            Next::Ended => self.thread.rebalancer.ended(self.thread.number),
            Next::MovesTo(thread) => {
                let PumpThread { rebalancer, number, .. } = *self.thread;
                slots[n] = slots[n].take().and_then(|slot| rebalancer.hand_over(number, thread, slot));
                if slots[n].is_some() {
                    self.poller.listen(n)?;
                }
            }
        }
        Ok(())
    }

    /// Takes over the sessions that other threads have handed over, each of which waits for an answer.
    fn adopt(&mut self, slots: &mut [Option<SessionSlot<'a>>]) -> Result<(), Errno> {
        for slot in self.thread.rebalancer.fetch(self.thread.number) {
            let n = slot.number();
            slots[n] = Some(slot);
            self.poller.listen(n)?;
        }
        Ok(())
    }

    /// From time to time looks whether a session's server process runs where another thread is, and moves the session
    /// there. `last` has just been served.
    fn rebalance(&mut self, last: usize, slots: &mut [Option<SessionSlot<'a>>]) {
        let Some(last) = slots[last].as_ref().filter(|_| self.placement == Placement::Following) else { return };
        if !self.cpu_probe.is_due(last.started_ns()) {
            return;
        }
        let PumpThread { rebalancer, number, .. } = *self.thread;
        rebalancer.runs_on(number, rustix::thread::sched_getcpu());
        let next = self.cpu_probe.next(slots.len(), |n| slots[n].is_some());
        let Some(slot) = next.and_then(|n| slots[n].as_mut()) else { return };
        let processor = slot.server_process().and_then(cpu_probe::processor_of);
        slot.move_to(processor.and_then(|processor| rebalancer.better_than(number, processor)));
    }

    /// Sets the timer for the session that is to be woken next; answers whether that is now.
    fn arm(&mut self, clock: &dyn Clock) -> Result<bool, Errno> {
        let Some(Reverse((at_ns, _))) = self.sleepers.peek() else { return Ok(false) };
        if self.timer.fires_at() == Some(*at_ns) {
            return Ok(false);
        }
        let now_ns = clock.now_ns();
        if *at_ns <= now_ns {
            return Ok(true);
        }
        self.timer.set(*at_ns, now_ns)?;
        Ok(false)
    }

    /// Wakes the sessions that are due now; one that is due again at once waits for the next round.
    fn wake(&mut self, slots: &mut [Option<SessionSlot<'a>>], clock: &dyn Clock) -> Result<(), Errno> {
        let mut now_ns = clock.now_ns();
        let due = self.sleepers.len();
        for _ in 0..due {
            match self.sleepers.peek() {
                Some(Reverse((at_ns, _))) if *at_ns <= now_ns => {}
                _ => break,
            }
            let Some(Reverse((_, n))) = self.sleepers.pop() else { break };
            self.serve(n, slots, |slot, poller| slot.wake(now_ns, poller, clock))?;
            now_ns = clock.now_ns();
        }
        Ok(())
    }
}
