//! Files and folders that may be anybody's: how those that others wrote are read, how dbdyno knows those that it made, and how one
//! process keeps others away.

mod lock;
pub mod mark;
mod plain;

pub use lock::Lock;
pub use plain::{TEXT_BYTES, make_private, may_write, open, read, text};
