//! Whether a load fits the devices, the files and the memory.

use crate::io_generator::IoTargets;
use crate::{IoLoad, Luns, StorageError, memory};

impl IoLoad {
    /// Checks that this load fits these devices and files, before anything is done.
    ///
    /// # Errors
    /// Why not, and what to do.
    pub fn fits(&self, luns: &Luns) -> Result<(), StorageError> {
        self.check(luns)?;
        let needed = self.memory_bytes();
        match memory::available_bytes() {
            Some(available) if available < needed => Err(StorageError::Load(format!(
                "{} I/Os outstanding need {needed} bytes of memory, and {available} are free; ask for fewer or smaller ones",
                self.outstanding()
            ))),
            _ => IoTargets::new(luns, self).map(drop),
        }
    }

    /// Bytes of memory for the I/Os. Data that was read must not be written.
    fn memory_bytes(&self) -> u64 {
        let times = if self.writes() && self.write_pct < 100 { 2 } else { 1 };
        times * (u64::from(self.small) * self.small_bytes + u64::from(self.large) * self.large_bytes)
    }
}
