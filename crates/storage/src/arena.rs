//! The memory that I/Os are done with: one stretch a thread, aligned for any device.
#![allow(unsafe_code, reason = "memory that the kernel writes into while nobody here looks is mapped, not a Vec")]

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};
use std::ffi::c_void;
use std::io;
use std::ops::Range;
use std::ptr::{null_mut, slice_from_raw_parts_mut};

const HUGE_BYTES: usize = 2 << 20;

/// A stretch of memory. What is under way to or from a device in it must not be looked at.
#[derive(Debug)]
pub(crate) struct Arena {
    mapped: *mut u8,
    mapped_bytes: usize,
    base: *mut u8,
    bytes: usize,
    abandoned: bool,
}

// SAFETY: the memory belongs to whoever has the arena, as a Vec's would.
unsafe impl Send for Arena {}

impl Arena {
    /// A stretch of so many bytes, all zero. A large one begins where a huge page can and is made of such where the
    /// kernel has some to spare: what lies in one piece of memory is handed to the device as one piece, which costs
    /// everybody less.
    pub(crate) fn new(bytes: usize, large: bool) -> io::Result<Self> {
        let bytes = bytes.max(1).next_multiple_of(if large { HUGE_BYTES } else { 4096 });
        let mapped_bytes = if large { bytes + HUGE_BYTES } else { bytes };
        // SAFETY: a fresh private mapping touches nothing that exists.
        let mapped =
            unsafe { mmap_anonymous(null_mut(), mapped_bytes, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)? };
        let skipped = if large { mapped.cast::<u8>().align_offset(HUGE_BYTES) } else { 0 };
        // SAFETY: fewer than HUGE_BYTES are skipped, and so many more than needed were mapped.
        let base = unsafe { mapped.cast::<u8>().add(skipped) };
        if large {
            // SAFETY: the advice changes how the mapping is backed, not what is in it. Whether it is taken does not
            // matter.
            let _ = unsafe { madvise(base.cast::<c_void>(), bytes, Advice::LinuxHugepage) };
        }
        Ok(Self { mapped: mapped.cast(), mapped_bytes, base, bytes, abandoned: false })
    }

    /// The bytes of a range, which must not be under way.
    pub(crate) fn get_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        assert!(range.start <= range.end && range.end <= self.bytes, "beyond the arena");
        // SAFETY: the range is inside the mapping, and borrowed from the arena's only owner.
        unsafe { &mut *slice_from_raw_parts_mut(self.base.add(range.start), range.len()) }
    }

    /// Leaves it mapped for good: for when something is still under way in it. Of memory that could not be registered
    /// the kernel may have the address alone, and would read and write what is mapped there next.
    pub(crate) fn abandon(&mut self) {
        self.abandoned = true;
    }

    /// Its first byte, and how many there are: for the kernel.
    pub(crate) fn raw(&self) -> (*mut u8, usize) {
        (self.base, self.bytes)
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if self.abandoned {
            return;
        }
        // SAFETY: it was mapped with these, nobody can have a reference any more, and nothing is under way in it.
        let _ = unsafe { munmap(self.mapped.cast(), self.mapped_bytes) };
    }
}
