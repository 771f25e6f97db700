//! The process that is measuring a run. Two processes that resume the same run would measure each other's load, so a
//! run stores the lease of its process. The lease is advisory and needs no clean-up. A process id alone may be reused,
//! but with the process's start and the machine's boot it identifies one process for ever. Whether that process lives
//! is read from /proc (`man 5 proc`: /proc/PID/stat, fields 3 and 22).

use serde::{Deserialize, Serialize};
use std::path::Path;

/// The identity of one process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Lease {
    /// Process id.
    pub(crate) pid: u32,
    /// When it started, in clock ticks after the boot.
    started_ticks: u64,
    /// Which boot.
    boot_id: String,
}

impl Lease {
    /// This process's lease; `None` where /proc is not available, and runs then have no lease.
    pub(crate) fn ours() -> Option<Self> {
        Self::of(std::process::id())
    }

    /// The lease of a living process.
    pub(crate) fn of(pid: u32) -> Option<Self> {
        let stat = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("stat")).ok()?;
        let boot_id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(Self { pid, started_ticks: started_ticks(&stat)?, boot_id: boot_id.trim().to_owned() })
    }

    /// Whether the process still lives.
    pub(crate) fn holds(&self) -> bool {
        Self::of(self.pid).as_ref() == Some(self)
    }
}

/// The start of a process from its stat line; `None` for a zombie.
fn started_ticks(stat: &str) -> Option<u64> {
    // The name in parentheses may itself contain spaces and parentheses.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ');
    match fields.next()? {
        "Z" | "X" => None,
        _ => fields.nth(18)?.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn the_start_is_found_behind_any_name() {
        let rest = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20";
        assert_eq!(started_ticks(&format!("7 (a b) R) (x) S {rest}")), Some(4711));
        assert_eq!(started_ticks(&format!("7 (gone) Z {rest}")), None);
        assert_eq!(started_ticks("nonsense"), None);
    }

    #[test]
    fn a_lease_holds_while_its_process_lives() {
        assert!(Lease::ours().unwrap().holds());
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let lease = Lease::of(child.id()).unwrap();
        assert!(lease.holds());
        assert!(!Lease { started_ticks: lease.started_ticks + 1, ..lease.clone() }.holds(), "a reused process id");
        assert!(!Lease { boot_id: "another boot".to_owned(), ..lease.clone() }.holds());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!lease.holds());
    }
}
