//! Filling the cache of an array before a point.

use crate::backend::BackendKind;
use crate::measure::measure_until;
use crate::{Layout, Load, Luns, Pattern, StorageError};
use std::sync::atomic::AtomicBool;

/// What was read.
#[derive(Debug, Clone)]
pub struct Warmed {
    /// Bytes.
    pub bytes: u64,
    /// Why it is fewer than asked for, where an error ended it.
    pub first_error: Option<String>,
}

/// Large I/Os that fill it, of such a size and so many at a time.
const IO_BYTES: u64 = 1 << 20;
const OUTSTANDING: u32 = 8;

/// Reads so many bytes, anywhere, by large I/Os, so that the cache of an array is as full of them as it is in
/// production.
///
/// # Errors
/// The devices and files are too small for large I/Os, or the system has no threads for them.
pub fn warm_cache(luns: &Luns, bytes: u64, stop: &AtomicBool) -> Result<Warmed, StorageError> {
    let smallest = luns.iter().map(|lun| lun.size_bytes).min().unwrap_or(0);
    let block = luns.logical_block_bytes();
    let load = Load {
        small: 0,
        large: OUTSTANDING,
        small_bytes: block,
        large_bytes: IO_BYTES.min(smallest / block * block).max(block),
        pattern: Pattern::Random,
        write_pct: 0,
        layout: Layout::Concat,
        warm_up_s: 0.0,
        duration_s: 86_400.0,
        rate: None,
        verify: false,
        huge_pages: true,
        seed: bytes,
    };
    let measured = measure_until(luns, &load, BackendKind::Uring, stop, &mut |_| (), Some(bytes))?;
    Ok(Warmed { bytes: measured.total_bytes, first_error: measured.first_error })
}
