//! Filling the cache of a storage array before a point.

use crate::backend::BackendKind;
use crate::io_threads::body;
use crate::measure::measure_by;
use crate::{IoLoad, Luns, StorageError, StorageMeasurement};
use std::sync::atomic::AtomicBool;

/// Size and number of the large I/Os that fill the cache.
const IO_BYTES: u64 = 1 << 20;
const OUTSTANDING: u32 = 8;

/// Reads this many bytes at random addresses with large I/Os, so that the cache of an array is as full of them as in
/// production.
///
/// # Errors
/// The devices and files are too small for large I/Os, or the system has no threads for them.
pub fn warm_cache(luns: &Luns, bytes: u64, stop: &AtomicBool) -> Result<StorageMeasurement, StorageError> {
    let smallest = luns.iter().map(|lun| lun.size_bytes).min().unwrap_or(0);
    let block = luns.logical_block_bytes();
    let load = IoLoad {
        large: OUTSTANDING,
        small_bytes: block,
        large_bytes: IO_BYTES.min(smallest / block * block).max(block),
        duration_s: 86_400.0,
        huge_pages: true,
        seed: bytes,
        ..IoLoad::default()
    };
    measure_by(&body(BackendKind::Uring), luns, &load, BackendKind::Uring, stop, &mut |_| (), Some(bytes))
}
