//! The PostgreSQL protocol from the client's side. Each request waits for its answer, as dbdyno's sessions are threads.
//! A pump that serves many sessions on one thread asks not to wait, and looks whether something has come.
//!
//! A statement that is measured is a few bytes that are written over the last ones, and its answer is read where it
//! lies, so that the client's own work stays small.

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
