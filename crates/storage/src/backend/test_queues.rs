//! Queues for tests: one that stalls once, and one whose pieces complete in random order and which records what is
//! under way.

use super::{CompletedPiece, IoQueue, QueuedPiece, now_ns};
use crate::arena::Arena;
use dbdyno_stats::SplitMix64;
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A queue around another one; once, it returns completions late.
pub(crate) struct StallingQueue<Q> {
    pub inner: Q,
    /// When it stalls.
    pub at_ns: u64,
    pub stall: Duration,
    /// When the stall began and ended.
    pub stalled: Arc<Mutex<Option<(u64, u64)>>>,
}

impl<Q: IoQueue> IoQueue for StallingQueue<Q> {
    fn push(&mut self, task: QueuedPiece) -> io::Result<()> {
        self.inner.push(task)
    }

    fn submit_and_wait(
        &mut self,
        arena: &mut Arena,
        until_ns: Option<u64>,
        ended: &mut Vec<CompletedPiece>,
    ) -> io::Result<()> {
        self.inner.submit_and_wait(arena, until_ns, ended)?;
        let now = now_ns();
        if now >= self.at_ns && !ended.is_empty() {
            self.at_ns = u64::MAX;
            std::thread::sleep(self.stall);
            *self.stalled.lock().unwrap() = Some((now, now_ns()));
        }
        Ok(())
    }
}

/// The number of pieces under way at each call, by length, and everything that was done.
#[derive(Debug, Default)]
pub(crate) struct QueueLog {
    /// Each change of what was under way, by bytes of an I/O.
    pub under_way: Vec<BTreeMap<u32, u32>>,
    pub calls: u64,
    pub writes: u64,
    pub ios: u64,
}

/// A queue whose pieces complete in random order, some at each call.
pub(crate) struct ReorderingQueue {
    pub mixer: SplitMix64,
    pub under_way: Vec<QueuedPiece>,
    pub seen: Arc<Mutex<QueueLog>>,
}

impl IoQueue for ReorderingQueue {
    fn push(&mut self, task: QueuedPiece) -> io::Result<()> {
        self.under_way.push(task);
        Ok(())
    }

    fn submit_and_wait(
        &mut self,
        _: &mut Arena,
        until_ns: Option<u64>,
        ended: &mut Vec<CompletedPiece>,
    ) -> io::Result<()> {
        let mut seen = self.seen.lock().unwrap();
        let mut counts = BTreeMap::new();
        self.under_way.iter().for_each(|task| *counts.entry(task.bytes).or_default() += 1);
        seen.calls += 1;
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
            ended.push(CompletedPiece { tag: task.tag, result: task.bytes as i32 });
        }
        Ok(())
    }
}
