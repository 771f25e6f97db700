//! Files and folders that may be anybody's: how those that others wrote are read, and how dbdyno knows those that it made.

pub mod mark;
mod plain;

pub use plain::{TEXT_BYTES, make_private, may_write, open, read, text};
