//! The PostgreSQL protocol from the client's side. A request waits for its answer where a session has a thread of its
//! own. A pump that serves many sessions on one thread asks with [`Wait::No`], which returns at once.
//!
//! A statement that is measured reuses the buffer of the last request, and its answer is read in the buffer in which it
//! came, without a copy, so that the client's own work stays small.

pub(super) mod answer;
mod authenticate;
mod binding;
mod cancel;
mod channel;
mod copy;
mod incoming;
mod open;
pub(super) mod prepared;
mod said;
mod socket;
mod stream;
#[cfg(test)]
mod tests;
mod value;

pub(super) use answer::Status;
pub(super) use incoming::Message;
pub(super) use open::{Login, open};
pub(super) use socket::Wait;
pub(super) use stream::Wire;
