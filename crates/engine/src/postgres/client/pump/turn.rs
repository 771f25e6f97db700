//! The turns of one thread: wait, serve what has come, wake what is due.

use super::internal;
use super::line::{Line, Next};
use super::timer::Timer;
use crate::{Clock, EngineError};
use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

/// Answers that are taken up in one turn: more would be timed late.
const EVENTS: usize = 64;
/// What the timer's events are called; all others bear their line's number.
const TIMER: u64 = u64::MAX;

/// Serves lines until all have ended.
pub(super) fn run(lines: &mut [Line<'_>], clock: &dyn Clock) -> Result<(), EngineError> {
    let turned = Turns::new(lines).and_then(|mut turns| turns.run(lines, clock));
    if let Err(error) = turned {
        lines.iter_mut().for_each(Line::give_up);
        return Err(internal(&format!("waiting for answers: {error}")));
    }
    if lines.iter().any(Line::is_broken) {
        return Err(internal("a job's work panicked"));
    }
    Ok(())
}

struct Turns {
    epoll: OwnedFd,
    timer: Timer,
    /// Who is to be woken, and when.
    sleepers: BinaryHeap<Reverse<(u64, usize)>>,
    /// Lines that have not ended.
    left: usize,
}

impl Turns {
    fn new(lines: &[Line<'_>]) -> Result<Self, Errno> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let timer = Timer::new()?;
        epoll::add(&epoll, &timer, EventData::new_u64(TIMER), EventFlags::IN | EventFlags::ET)?;
        for (n, line) in lines.iter().enumerate() {
            let flags = EventFlags::IN | EventFlags::RDHUP | EventFlags::ET;
            epoll::add(&epoll, line.as_fd(), EventData::new_u64(n as u64), flags)?;
        }
        Ok(Self { epoll, timer, sleepers: BinaryHeap::new(), left: lines.len() })
    }

    fn run(&mut self, lines: &mut [Line<'_>], clock: &dyn Clock) -> Result<(), Errno> {
        for (n, line) in lines.iter_mut().enumerate() {
            let next = line.wake(clock.now_ns(), clock);
            self.note(n, next);
        }
        let mut events = [MaybeUninit::<Event>::uninit(); EVENTS];
        while self.left > 0 {
            let at_once = !self.sleepers.is_empty() && self.arm(clock)?;
            let timeout = at_once.then_some(Timespec { tv_sec: 0, tv_nsec: 0 });
            let come = match epoll::wait(&self.epoll, &mut events, timeout.as_ref()) {
                Ok((come, _)) => come,
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error),
            };
            for event in come.iter() {
                match event.data.u64() {
                    TIMER => self.timer.rang(),
                    n => {
                        let n = n as usize;
                        let next = lines[n].heard(clock);
                        self.note(n, next);
                    }
                }
            }
            if !self.sleepers.is_empty() {
                self.wake(lines, clock);
            }
        }
        Ok(())
    }

    fn note(&mut self, n: usize, next: Next) {
        match next {
            Next::Answer => {}
            Next::WakeAt(at_ns) => self.sleepers.push(Reverse((at_ns, n))),
            Next::Ended => self.left -= 1,
        }
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
    fn wake(&mut self, lines: &mut [Line<'_>], clock: &dyn Clock) {
        let mut now_ns = clock.now_ns();
        let due = self.sleepers.len();
        for _ in 0..due {
            match self.sleepers.peek() {
                Some(Reverse((at_ns, _))) if *at_ns <= now_ns => {}
                _ => return,
            }
            let Some(Reverse((_, n))) = self.sleepers.pop() else { return };
            let next = lines[n].wake(now_ns, clock);
            self.note(n, next);
            now_ns = clock.now_ns();
        }
    }
}
