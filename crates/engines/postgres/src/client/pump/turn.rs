//! The turns of one thread: wait, serve what has come, wake what is due.

use super::exchange::{Exchange, Presence};
use super::internal;
use super::line::{Line, Next};
use super::lookout::{self, Lookout};
use super::road::{Come, Epoll, Ringed, Road};
use super::timer::Timer;
use dbdyno_engine::{Clock, EngineError, StartGate};
use dbdyno_model::{PumpKind, PumpUse};
use rustix::io::Errno;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::os::fd::RawFd;

/// Whether lines change threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Places {
    /// They stay.
    Fixed,
    /// They follow their server processes.
    Followed,
}

/// A thread of a pump.
pub(super) struct Thread<'e, 'a> {
    pub(super) number: usize,
    pub(super) exchange: &'e Exchange<Line<'a>>,
    /// Of all sessions of the pump, in the order of their numbers; they stay open as long as the threads are there.
    pub(super) sockets: &'e [RawFd],
    pub(super) places: Places,
}

impl<'a> Thread<'_, 'a> {
    /// Serves lines, which `gate` opens for, until all of all threads have ended. How, it says.
    pub(super) fn serve(
        &self,
        lines: Vec<Line<'a>>,
        clock: &dyn Clock,
        gate: &StartGate,
    ) -> Result<PumpUse, EngineError> {
        let _presence = Presence { exchange: self.exchange, thread: self.number };
        let (mine, all) = (lines.len(), self.sockets.len());
        let mut places: Vec<Option<Line<'a>>> = (0..all).map(|_| None).collect();
        for line in lines {
            let n = line.number();
            places[n] = Some(line);
        }
        let (kind, places_of_lines) = self.take(&mut places, mine, clock, gate).map_err(|error| {
            places.iter_mut().flatten().for_each(Line::give_up);
            internal(&format!("waiting for answers: {error}"))
        })?;
        if places.iter().flatten().any(Line::is_broken) {
            return Err(internal("a job's work panicked"));
        }
        Ok(PumpUse { kind, threads: 1, sessions_follow: places_of_lines == Places::Followed })
    }

    fn take(
        &self,
        lines: &mut [Option<Line<'a>>],
        mine: usize,
        clock: &dyn Clock,
        gate: &StartGate,
    ) -> Result<(PumpKind, Places), Errno> {
        // The others wait at the gate for whoever has no timer, too.
        let timer = Timer::new().inspect_err(|_| gate.give_up())?;
        let bell = self.exchange.bell(self.number);
        // What comes encrypted is a session's own to read.
        let plain = lines.iter().flatten().all(Line::is_plain);
        if plain && let Ok(ring) = Ringed::new(self.sockets, &timer, bell) {
            if self.places == Places::Followed {
                self.exchange.open(self.number);
            }
            Turns::new(self, ring, timer, self.places).run(lines, mine, clock, gate)?;
            return Ok((PumpKind::IoUring, self.places));
        }
        let mut sockets = Vec::with_capacity(mine);
        sockets.extend(lines.iter().flatten().map(|line| (line.number(), line.as_fd())));
        let epoll = Epoll::new(&sockets, &timer, bell).inspect_err(|_| gate.give_up())?;
        // It knows the sockets of its own lines alone.
        Turns::new(self, epoll, timer, Places::Fixed).run(lines, mine, clock, gate)?;
        Ok((PumpKind::Epoll, Places::Fixed))
    }
}

struct Turns<'t, 'e, 'a, R> {
    thread: &'t Thread<'e, 'a>,
    road: R,
    timer: Timer,
    /// Who is to be woken, and when.
    sleepers: BinaryHeap<Reverse<(u64, usize)>>,
    places: Places,
    lookout: Lookout,
}

impl<'t, 'e, 'a, R: Road> Turns<'t, 'e, 'a, R> {
    fn new(thread: &'t Thread<'e, 'a>, road: R, timer: Timer, places: Places) -> Self {
        Self { thread, road, timer, sleepers: BinaryHeap::new(), places, lookout: Lookout::default() }
    }

    fn run(
        &mut self,
        lines: &mut [Option<Line<'a>>],
        mine: usize,
        clock: &dyn Clock,
        gate: &StartGate,
    ) -> Result<(), Errno> {
        if !gate.wait_for(mine) {
            return Ok(());
        }
        for n in 0..lines.len() {
            if lines[n].is_some() {
                self.serve(n, lines, |line, road| line.wake(clock.now_ns(), road, clock))?;
            }
        }
        let mut come = Vec::new();
        while self.thread.exchange.goes_on() {
            let at_once = !self.sleepers.is_empty() && self.arm(clock)?;
            self.road.wait(at_once, &mut come)?;
            let mut last = None;
            for come in come.drain(..) {
                match come {
                    Come::Timer => self.timer.rang(),
                    Come::Bell => self.welcome(lines)?,
                    Come::Session(n, news) => {
                        self.serve(n, lines, |line, road| line.heard(news, road, clock))?;
                        last = Some(n);
                    }
                }
            }
            if !self.sleepers.is_empty() {
                self.wake(lines, clock)?;
            }
            if let Some(n) = last {
                self.look_around(n, lines);
            }
        }
        Ok(())
    }

    /// Has a line serve itself, and does what it then says.
    fn serve(
        &mut self,
        n: usize,
        lines: &mut [Option<Line<'a>>],
        serve: impl FnOnce(&mut Line<'a>, &mut R) -> Next,
    ) -> Result<(), Errno> {
        let Some(line) = &mut lines[n] else { return Ok(()) };
        match serve(line, &mut self.road) {
            Next::Answer => self.road.listen(n)?,
            Next::Nothing => {}
            Next::WakeAt(at_ns) => self.sleepers.push(Reverse((at_ns, n))),
            Next::Ended => self.thread.exchange.ended(self.thread.number),
            Next::MovesTo(thread) => {
                let Thread { exchange, number, .. } = *self.thread;
                lines[n] = lines[n].take().and_then(|line| exchange.hand_over(number, thread, line));
                if lines[n].is_some() {
                    self.road.listen(n)?;
                }
            }
        }
        Ok(())
    }

    /// Takes over the lines that have come, each of which waits for an answer.
    fn welcome(&mut self, lines: &mut [Option<Line<'a>>]) -> Result<(), Errno> {
        for line in self.thread.exchange.fetch(self.thread.number) {
            let n = line.number();
            lines[n] = Some(line);
            self.road.listen(n)?;
        }
        Ok(())
    }

    /// From time to time sees whether a line has its server process where another thread is; `last` has just been
    /// served.
    fn look_around(&mut self, last: usize, lines: &mut [Option<Line<'a>>]) {
        let Some(last) = lines[last].as_ref().filter(|_| self.places == Places::Followed) else { return };
        if !self.lookout.is_due(last.started_ns()) {
            return;
        }
        let Thread { exchange, number, .. } = *self.thread;
        exchange.runs_on(number, rustix::thread::sched_getcpu());
        let next = self.lookout.next(lines.len(), |n| lines[n].is_some());
        let Some(line) = next.and_then(|n| lines[n].as_mut()) else { return };
        let processor = line.server_process().and_then(lookout::processor_of);
        line.move_to(processor.and_then(|processor| exchange.better_than(number, processor)));
    }

    /// Sets the timer for who is to be woken next; says whether that is now.
    fn arm(&mut self, clock: &dyn Clock) -> Result<bool, Errno> {
        let Some(Reverse((at_ns, _))) = self.sleepers.peek() else { return Ok(false) };
        if self.timer.rings_at() == Some(*at_ns) {
            return Ok(false);
        }
        let now_ns = clock.now_ns();
        if *at_ns <= now_ns {
            return Ok(true);
        }
        self.timer.set(*at_ns, now_ns)?;
        Ok(false)
    }

    /// Wakes whoever is due now; who is due again at once waits for the next turn.
    fn wake(&mut self, lines: &mut [Option<Line<'a>>], clock: &dyn Clock) -> Result<(), Errno> {
        let mut now_ns = clock.now_ns();
        let due = self.sleepers.len();
        for _ in 0..due {
            match self.sleepers.peek() {
                Some(Reverse((at_ns, _))) if *at_ns <= now_ns => {}
                _ => break,
            }
            let Some(Reverse((_, n))) = self.sleepers.pop() else { break };
            self.serve(n, lines, |line, road| line.wake(now_ns, road, clock))?;
            now_ns = clock.now_ns();
        }
        Ok(())
    }
}
