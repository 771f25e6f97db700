//! The turns of one thread: wait, serve what has come, wake what is due.

use super::internal;
use super::line::{Line, Next};
use super::road::{Come, Epoll, Ringed, Road};
use super::timer::Timer;
use crate::{Clock, EngineError};
use rustix::io::Errno;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Serves lines until all have ended.
pub(super) fn run(lines: &mut [Line<'_>], clock: &dyn Clock) -> Result<(), EngineError> {
    if let Err(error) = take(lines, clock) {
        lines.iter_mut().for_each(Line::give_up);
        return Err(internal(&format!("waiting for answers: {error}")));
    }
    if lines.iter().any(Line::is_broken) {
        return Err(internal("a job's work panicked"));
    }
    Ok(())
}

fn take(lines: &mut [Line<'_>], clock: &dyn Clock) -> Result<(), Errno> {
    let timer = Timer::new()?;
    let sockets: Vec<_> = lines.iter().map(Line::as_fd).collect();
    // What comes encrypted is a session's own to read.
    if lines.iter().all(Line::is_plain)
        && let Ok(ring) = Ringed::new(&sockets, &timer)
    {
        return Turns::new(ring, timer, lines.len()).run(lines, clock);
    }
    let epoll = Epoll::new(&sockets, &timer)?;
    Turns::new(epoll, timer, lines.len()).run(lines, clock)
}

struct Turns<R> {
    road: R,
    timer: Timer,
    /// Who is to be woken, and when.
    sleepers: BinaryHeap<Reverse<(u64, usize)>>,
    /// Lines that have not ended.
    left: usize,
}

impl<R: Road> Turns<R> {
    fn new(road: R, timer: Timer, lines: usize) -> Self {
        Self { road, timer, sleepers: BinaryHeap::new(), left: lines }
    }

    fn run(&mut self, lines: &mut [Line<'_>], clock: &dyn Clock) -> Result<(), Errno> {
        for (n, line) in lines.iter_mut().enumerate() {
            let next = line.wake(clock.now_ns(), &mut self.road, clock);
            self.note(n, next)?;
        }
        let mut come = Vec::new();
        while self.left > 0 {
            let at_once = !self.sleepers.is_empty() && self.arm(clock)?;
            self.road.wait(at_once, &mut come)?;
            for come in come.drain(..) {
                match come {
                    Come::Timer => self.timer.rang(),
                    Come::Session(n, news) => {
                        let next = lines[n].heard(news, &mut self.road, clock);
                        self.note(n, next)?;
                    }
                }
            }
            if !self.sleepers.is_empty() {
                self.wake(lines, clock)?;
            }
        }
        Ok(())
    }

    fn note(&mut self, n: usize, next: Next) -> Result<(), Errno> {
        match next {
            Next::Answer => self.road.listen(n)?,
            Next::Nothing => {}
            Next::WakeAt(at_ns) => self.sleepers.push(Reverse((at_ns, n))),
            Next::Ended => self.left -= 1,
        }
        Ok(())
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
    fn wake(&mut self, lines: &mut [Line<'_>], clock: &dyn Clock) -> Result<(), Errno> {
        let mut now_ns = clock.now_ns();
        let due = self.sleepers.len();
        for _ in 0..due {
            match self.sleepers.peek() {
                Some(Reverse((at_ns, _))) if *at_ns <= now_ns => {}
                _ => break,
            }
            let Some(Reverse((_, n))) = self.sleepers.pop() else { break };
            let next = lines[n].wake(now_ns, &mut self.road, clock);
            self.note(n, next)?;
            now_ns = clock.now_ns();
        }
        Ok(())
    }
}
