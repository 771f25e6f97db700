//! Reads: page cache, memory file systems, other people's reads, devices that are not seen.
