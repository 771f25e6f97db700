//! What a server on this machine spends on a connection: the processor time of the process or thread that serves it.

use super::namespace;
use std::fs;
use std::path::{Path, PathBuf};

/// The process or thread of a server that serves one connection.
#[derive(Debug)]
pub(super) struct Served {
    folder: PathBuf,
    /// What it had spent before it served this connection.
    before_ns: u64,
}

impl Served {
    /// The process or thread of this number, if it is the server's.
    pub(super) fn find(server_pid: u32, serving: u32) -> Option<Self> {
        let thread = Path::new("/proc").join(server_pid.to_string()).join("task").join(serving.to_string());
        if thread.is_dir() {
            // It may have served others.
            return spent_ns(&thread).map(|before_ns| Self { folder: thread, before_ns });
        }
        let is_child = namespace::parent(serving) == Some(server_pid);
        is_child.then(|| Self { folder: Path::new("/proc").join(serving.to_string()), before_ns: 0 })
    }

    /// What it has spent on the connection.
    pub(super) fn spent_ns(&self) -> Option<u64> {
        spent_ns(&self.folder).map(|ns| ns.saturating_sub(self.before_ns))
    }
}

/// Nanoseconds on a processor, as the scheduler counts them.
fn spent_ns(folder: &Path) -> Option<u64> {
    fs::read_to_string(folder.join("schedstat")).ok()?.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_of_this_process_spends_time() {
        let (pid, thread) = (std::process::id(), rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned());
        let served = Served::find(pid, thread).unwrap();
        let (mut n, mut spent) = (0_u64, 0);
        while spent == 0 {
            n = std::hint::black_box(n + 1);
            spent = if n.is_multiple_of(100_000) { served.spent_ns().unwrap() } else { 0 };
        }
        assert!(Served::find(pid, 1).is_none(), "that is no child of this process");
    }
}
