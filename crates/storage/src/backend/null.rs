//! No I/O: each piece completes at once.

use super::{CompletedPiece, IoQueue, QueuedPiece, sleep_until};
use crate::arena::Arena;
use std::io;

/// A queue that does no I/O.
#[derive(Debug, Default)]
pub(crate) struct NullQueue {
    pushed: Vec<CompletedPiece>,
}

impl IoQueue for NullQueue {
    #[inline]
    fn push(&mut self, task: QueuedPiece) -> io::Result<()> {
        self.pushed.push(CompletedPiece { tag: task.tag, result: task.bytes as i32 });
        Ok(())
    }

    #[inline]
    fn submit_and_wait(
        &mut self,
        _arena: &mut Arena,
        until_ns: Option<u64>,
        ended: &mut Vec<CompletedPiece>,
    ) -> io::Result<()> {
        if self.pushed.is_empty() {
            sleep_until(until_ns);
        }
        ended.append(&mut self.pushed);
        Ok(())
    }
}
