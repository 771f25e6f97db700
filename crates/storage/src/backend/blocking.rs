//! `pread` and `pwrite`: a thread waits for each I/O. For systems that forbid `io_uring`, and for comparison.

use super::{CompletedPiece, IoQueue, QueuedPiece, sleep_until};
use crate::Luns;
use crate::arena::Arena;
use std::io;

/// A queue that makes the system calls when it submits.
#[derive(Debug)]
pub(crate) struct BlockingQueue {
    pub luns: Luns,
    pub pushed: Vec<QueuedPiece>,
}

impl IoQueue for BlockingQueue {
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
        for task in self.pushed.drain(..) {
            let fd = &self.luns.slice()[task.lun as usize].fd;
            let memory = arena.get_mut(task.at..task.at + task.bytes as usize);
            let answer = match task.write {
                true => rustix::io::pwrite(fd, memory, task.offset),
                false => rustix::io::pread(fd, memory, task.offset),
            };
            let result = answer.map_or_else(|e| -e.raw_os_error(), |bytes| bytes as i32);
            ended.push(CompletedPiece { tag: task.tag, result });
        }
        Ok(())
    }
}
