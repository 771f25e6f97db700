//! What is said of bad input, and what threads share.

use crate::error::Error;
use crate::output;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks what threads share. One that has panicked ends the command, whatever it left.
pub(super) fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Bad input, in words that may have names from outside.
pub(super) fn unfit(why: impl std::fmt::Display) -> Error {
    Error::Usage(in_one_line(&why.to_string()))
}

/// A text that may have a name from outside, which must not add a line.
pub(super) fn in_one_line(text: &str) -> String {
    output::clean(text).replace('\n', "\\n")
}
