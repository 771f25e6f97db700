//! The memory for I/Os: one range a thread, aligned for any device.
#![allow(unsafe_code, reason = "memory that the kernel writes into while nobody here looks is mapped, not a Vec")]

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::io;
use std::ops::Range;
use std::ptr::{null_mut, slice_from_raw_parts_mut};

const HUGE_BYTES: usize = 2 << 20;

/// A range of memory. Parts that are being read or written by a device must not be accessed.
#[derive(Debug)]
pub(crate) struct Arena {
    mapped: *mut u8,
    mapped_bytes: usize,
    base: *mut u8,
    bytes: usize,
    abandoned: bool,
}

// SAFETY: the memory belongs to the owner of the arena, as a Vec's memory would.
unsafe impl Send for Arena {}

impl Arena {
    /// A range of zeroed bytes. A large one begins at a huge-page boundary and uses huge pages where the kernel has
    /// free ones: memory in one piece is handed to the device as one piece, which is cheaper.
    pub(crate) fn new(bytes: usize, large: bool) -> io::Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(if large { HUGE_BYTES } else { 4096 });
        let mapped_bytes = if large { bytes + HUGE_BYTES } else { bytes };
        // SAFETY: a fresh private mapping touches nothing that exists.
        let mapped =
            unsafe { mmap_anonymous(null_mut(), mapped_bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)? };
        let skipped = if large { mapped.cast::<u8>().align_offset(HUGE_BYTES) } else { 0 };
        // SAFETY: fewer than HUGE_BYTES are skipped, and that many more than needed were mapped.
        let base = unsafe { mapped.cast::<u8>().add(skipped) };
        if large {
            // SAFETY: the advice changes how the mapping is backed, not its content. It does not matter whether the
            // kernel follows it.
            let _ = unsafe { madvise(base.cast::<c_void>(), bytes, Advice::LinuxHugepage) };
        }
        Ok(Self { mapped: mapped.cast(), mapped_bytes, base, bytes, abandoned: false })
    }

    /// The bytes of a range, which must have no I/O under way.
    pub(crate) fn get_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        assert!(range.start <= range.end && range.end <= self.bytes, "beyond the arena");
        // SAFETY: the range is inside the mapping, and borrowed from the arena's only owner.
        unsafe { &mut *slice_from_raw_parts_mut(self.base.add(range.start), range.len()) }
    }

    /// Leaves the memory mapped for ever, for the case that an I/O is still under way in it. For memory that could not
    /// be registered the kernel may know the address alone, and would access whatever is mapped there next.
    pub(crate) fn abandon(&mut self) {
        self.abandoned = true;
    }

    /// The first byte and the length, for the kernel.
    pub(crate) fn raw(&self) -> (*mut u8, usize) {
        (self.base, self.bytes)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if self.abandoned {
            return;
        }
        // SAFETY: it was mapped with these values, no reference can exist any more, and no I/O is under way in it.
        let _ = unsafe { munmap(self.mapped.cast(), self.mapped_bytes) };
    }
}
