//! Files and folders that may be anybody's: how those that others wrote are read, how dbdyno knows those that it made,
//! and how one process keeps others away.

mod lock;
pub mod mark;
mod others;
mod plain;

pub use lock::Lock;
pub use others::{may_be_anothers_word, refuse_anothers_link};
pub use plain::{TEXT_BYTES, lies_in_proc, make_private, may_write, open, read, text, write};
