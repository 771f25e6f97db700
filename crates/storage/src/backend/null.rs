//! No I/O: everything has ended at once.

use super::{Ended, Queue, Task, sleep_until};
use crate::arena::Arena;
use std::io;

/// A queue that does nothing.
#[derive(Debug, Default)]
pub(crate) struct Null {
    pushed: Vec<Ended>,
}

impl Queue for Null {
    #[inline]
    fn push(&mut self, task: Task) -> io::Result<()> {
        self.pushed.push(Ended { tag: task.tag, result: task.bytes as i32 });
        Ok(())
    }

    #[inline]
    fn turn(&mut self, _arena: &mut Arena, until_ns: Option<u64>, ended: &mut Vec<Ended>) -> io::Result<()> {
        if self.pushed.is_empty() {
            sleep_until(until_ns);
        }
        ended.append(&mut self.pushed);
        Ok(())
    }
}
