//! Filling the cache of a storage array before a point.

use crate::backend::BackendKind;
use crate::measure::measure_until;
use crate::{IoLoad, Layout, Luns, Pattern, StorageError};
use std::sync::atomic::AtomicBool;

/// The result of filling the cache.
#[derive(Debug, Clone)]
pub struct Warmed {
    /// Bytes read.
    pub bytes: u64,
    /// The error that ended it early, if any.
    pub first_error: Option<String>,
}

/// Size and number of the large I/Os that fill the cache.
const IO_BYTES: u64 = 1 << 20;
const OUTSTANDING: u32 = 8;

/// Reads this many bytes at random addresses with large I/Os, so that the cache of an array is as full of them as in
/// production.
///
/// # Errors
/// The devices and files are too small for large I/Os, or the system has no threads for them.
pub fn warm_cache(luns: &Luns, bytes: u64, stop: &AtomicBool) -> Result<Warmed, StorageError> {
    let smallest = luns.iter().map(|lun| lun.size_bytes).min().unwrap_or(0);
    let block = luns.logical_block_bytes();
    let load = IoLoad {
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
