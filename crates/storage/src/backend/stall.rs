//! Queues for tests: one that stalls once, and one whose I/Os end in any order and which looks at how many are under
//! way.

use super::{Ended, Queue, Task, now_ns};
use crate::arena::Arena;
use dbdyno_stats::Mixer;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Another queue, whose ends are once seen late.
pub(crate) struct Stall<Q> {
    pub inner: Q,
    /// When it stalls.
    pub at_ns: u64,
    pub stall: Duration,
    /// From when to when it did.
    pub stalled: Arc<Mutex<Option<(u64, u64)>>>,
}

impl<Q: Queue> Queue for Stall<Q> {
    fn push(&mut self, task: Task) -> io::Result<()> {
        self.inner.push(task)
    }

    fn turn(&mut self, arena: &mut Arena, until_ns: Option<u64>, ended: &mut Vec<Ended>) -> io::Result<()> {
        self.inner.turn(arena, until_ns, ended)?;
        let now = now_ns();
        if now >= self.at_ns && !ended.is_empty() {
            self.at_ns = u64::MAX;
            std::thread::sleep(self.stall);
            *self.stalled.lock().unwrap() = Some((now, now_ns()));
        }
        Ok(())
    }
}

/// How many I/Os were under way at turns, by their bytes, and all that was done.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// Each change of what was under way, by bytes of an I/O.
    pub under_way: Vec<BTreeMap<u32, u32>>,
    pub turns: u64,
    pub writes: u64,
    pub ios: u64,
}

/// A queue whose I/Os end in any order, some of them each turn.
pub(crate) struct Any {
    mixer: Mixer,
    under_way: Vec<Task>,
    seen: Arc<Mutex<Seen>>,
}

impl Any {
    pub(crate) fn new(seed: u64, seen: Arc<Mutex<Seen>>) -> Self {
        Self { mixer: Mixer::new(seed), under_way: Vec::new(), seen }
    }
}

impl Queue for Any {
    fn push(&mut self, task: Task) -> io::Result<()> {
        self.under_way.push(task);
        Ok(())
    }

    fn turn(&mut self, _: &mut Arena, until_ns: Option<u64>, ended: &mut Vec<Ended>) -> io::Result<()> {
        let mut seen = self.seen.lock().unwrap();
        let mut counts = BTreeMap::new();
        self.under_way.iter().for_each(|task| *counts.entry(task.bytes).or_default() += 1);
        seen.turns += 1;
        if seen.under_way.last() != Some(&counts) {
            seen.under_way.push(counts);
        }
        if self.under_way.is_empty() {
            super::sleep_until(until_ns);
            return Ok(());
        }
        for _ in 0..=self.mixer.below(self.under_way.len() as u64) {
            let task = self.under_way.swap_remove(self.mixer.below(self.under_way.len() as u64) as usize);
            seen.ios += 1;
            seen.writes += u64::from(task.write);
            ended.push(Ended { tag: task.tag, result: task.bytes as i32 });
        }
        Ok(())
    }
}
