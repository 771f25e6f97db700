//! Files and folders that others may have written: reading them safely, recognising those that dbdyno made, and keeping
//! other processes away.

mod lock;
pub mod mark;
mod ownership;
mod plain;

pub use lock::Lock;
pub use ownership::{others_may_write, refuse_anothers_link};
pub use plain::{TEXT_BYTES, lies_in_proc, make_private, may_write, open, read, text, write};
