//! Whether a load fits the devices, the files and the memory.

use crate::io_generator::IoTargets;
use crate::{IoLoad, Luns, StorageError};

impl IoLoad {
    /// Checks that this load fits these devices and files, before anything is done. The memory of this host is another
    /// question.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn fits_on(&self, luns: &Luns) -> Result<(), StorageError> {
        self.check(luns)?;
        IoTargets::new(luns, self).map(drop)
    }

    /// Checks that this load fits these devices and files, and the memory of this host.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn fits(&self, luns: &Luns) -> Result<(), StorageError> {
        self.fits_on(luns)?;
        let needed = self.memory_bytes();
        match available_bytes() {
            Some(available) if available < needed => Err(StorageError::Load(format!(
                "{} I/Os outstanding need {needed} bytes of memory, and {available} are free; ask for fewer or smaller ones",
                self.outstanding()
            ))),
            _ => Ok(()),
        }
    }

    /// Bytes of memory for the I/Os. Data that was read must not be written.
    fn memory_bytes(&self) -> u64 {
        let times = if self.writes() && self.write_pct < 100 { 2 } else { 1 };
        times * (u64::from(self.small) * self.small_bytes + u64::from(self.large) * self.large_bytes)
    }
}

/// Bytes that the system can give without taking them from others; `None` where it does not say.
fn available_bytes() -> Option<u64> {
    available_in(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

fn available_in(meminfo: &str) -> Option<u64> {
    let kb = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?.trim().strip_suffix("kB")?;
    kb.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn it_is_read_from_what_the_kernel_says() {
        let text = "MemTotal:       24689764 kB\nMemFree:          307468 kB\nMemAvailable:   23098736 kB\n";
        assert_eq!(available_in(text), Some(23_098_736 * 1024));
        assert_eq!(available_in("MemTotal: 1 kB\n"), None);
        assert!(available_bytes().is_none_or(|bytes| bytes > 0));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_left(text in "(MemAvailable:)?[ 0-9kB\n]{0,40}") {
            let _ = available_in(&text);
        }
    }
}
