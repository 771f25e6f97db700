//! A queue for tests: a disk in memory that can acknowledge writes and drop them.

use super::{CompletedPiece, IoQueue, QueuedPiece, sleep_until};
use crate::arena::Arena;
use std::io;
use std::sync::{Arc, Mutex};

/// The disk's content.
pub(crate) struct MemoryDisk {
    luns: Vec<Vec<u8>>,
    /// One in this many writes is dropped.
    drops: Option<u64>,
    writes: u64,
    /// Device and offset of each dropped write.
    pub dropped: Vec<(u32, u64)>,
}

impl MemoryDisk {
    pub(crate) fn new(sizes: &[u64], drops: Option<u64>) -> Self {
        let luns = sizes.iter().map(|bytes| vec![0; *bytes as usize]).collect();
        Self { luns, drops, writes: 0, dropped: Vec::new() }
    }
}

/// One thread's queue to the disk.
pub(crate) struct MemoryDiskQueue {
    pub storage: Arc<Mutex<MemoryDisk>>,
    pub pushed: Vec<QueuedPiece>,
}

impl IoQueue for MemoryDiskQueue {
    fn push(&mut self, task: QueuedPiece) -> io::Result<()> {
        self.pushed.push(task);
        Ok(())
    }

    fn submit_and_wait(
        &mut self,
        arena: &mut Arena,
        until_ns: Option<u64>,
        ended: &mut Vec<CompletedPiece>,
    ) -> io::Result<()> {
        if self.pushed.is_empty() {
            sleep_until(until_ns);
        }
        let mut storage = self.storage.lock().unwrap();
        for task in self.pushed.drain(..) {
            let memory = arena.get_mut(task.at..task.at + task.bytes as usize);
            storage.writes += u64::from(task.write);
            let drops = task.write && storage.drops.is_some_and(|n| storage.writes.is_multiple_of(n));
            let at = task.offset as usize..task.offset as usize + task.bytes as usize;
            match (task.write, drops) {
                (true, true) => storage.dropped.push((task.lun, task.offset)),
                (true, false) => storage.luns[task.lun as usize][at].copy_from_slice(memory),
                (false, _) => memory.copy_from_slice(&storage.luns[task.lun as usize][at]),
            }
            ended.push(CompletedPiece { tag: task.tag, result: task.bytes as i32 });
        }
        Ok(())
    }
}
