//! Locks whose content is whole at every moment.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a lock holds, also where a thread has panicked while it held it: everything behind these locks is whole at
/// every moment.
pub fn recover<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}
