//! `pread` and `pwrite`: a thread waits for each I/O. Where `io_uring` is not allowed, and to compare with.

use super::{Ended, Queue, Task, sleep_until};
use crate::Luns;
use crate::arena::Arena;
use std::io;

/// A queue whose turn is the calls themselves.
#[derive(Debug)]
pub(crate) struct Calls {
    luns: Luns,
    pushed: Vec<Task>,
}

impl Calls {
    pub(crate) fn new(luns: Luns) -> Self {
        Self { luns, pushed: Vec::new() }
    }
}

impl Queue for Calls {
    fn push(&mut self, task: Task) -> io::Result<()> {
        self.pushed.push(task);
        Ok(())
    }

    fn turn(&mut self, arena: &mut Arena, until_ns: Option<u64>, ended: &mut Vec<Ended>) -> io::Result<()> {
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
            ended.push(Ended { tag: task.tag, result });
        }
        Ok(())
    }
}
