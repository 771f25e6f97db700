//! What the kernel reports of one process.

use crate::missing::Reading;
use crate::root::{Root, kernel_text, unreadable};
use std::path::Path;

/// What `/proc/PID/stat` says (proc(5): fields 4 and 14 to 17).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) parent: u32,
    pub(crate) own_ticks: u64,
    /// Processor time of children that have ended and were waited for.
    pub(crate) ended_children_ticks: u64,
}

impl Process {
    pub(crate) fn read(root: &Root, pid: u32) -> Reading<Self> {
        let file = format!("proc/{pid}/stat");
        Self::parse(&root.text(&file)?).ok_or_else(|| format!("/{file} is not understood"))
    }

    fn parse(text: &str) -> Option<Self> {
        // The name, in parentheses, may contain anything, including parentheses.
        let fields: Vec<&str> = text.rsplit_once(')')?.1.split_ascii_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse::<i64>().ok().map(|n| n.max(0).cast_unsigned());
        Some(Self {
            parent: fields.get(1)?.parse().ok()?,
            own_ticks: number(14)? + number(15)?,
            ended_children_ticks: number(16)? + number(17)?,
        })
    }
}

/// The processes of this machine.
pub(crate) fn all() -> Reading<impl Iterator<Item = u32>> {
    let entries = std::fs::read_dir("/proc").map_err(|e| unreadable("/proc", &e))?;
    Ok(entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()))
}

/// The children of a process's main thread, in order. The kernel may leave one out while another ends, so who needs all
/// of them asks twice.
pub(crate) fn children(pid: u32) -> Reading<Vec<u32>> {
    let path = format!("/proc/{pid}/task/{pid}/children");
    let text = kernel_text(Path::new(&path)).map_err(|e| unreadable(&path, &e))?;
    let mut children: Vec<u32> = text.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect();
    children.sort_unstable();
    Ok(children)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_anything() {
        let text = "71 (post) (x y) S 7 71 71 0 -1 4194560 100 200 0 0 11 22 33 44 20 0 1 0 100 0 0";
        assert_eq!(Process::parse(text), Some(Process { parent: 7, own_ticks: 33, ended_children_ticks: 77 }));
        assert_eq!(Process::parse("71 (x) S 7"), None);
    }

    #[test]
    fn this_process_is_one_of_all() {
        let own = std::process::id();
        assert!(all().unwrap().any(|pid| pid == own));
        assert!(Process::read(&Root::machine(), own).unwrap().parent > 0);
    }
}
