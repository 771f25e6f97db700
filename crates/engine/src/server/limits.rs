//! The connections that dbdyno has to one target, and how many the server allows.

use super::recover;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// The connections of one target. A server that refuses a connection cannot be asked for its limit, so the limit is
/// remembered from earlier connections.
#[derive(Debug, Default)]
pub struct ConnectionLimits {
    open: AtomicU32,
    told: Mutex<Option<String>>,
}

impl ConnectionLimits {
    /// Counts a connection for as long as the answer lives.
    #[must_use]
    pub fn count(self: &Arc<Self>) -> CountedConnection {
        self.open.fetch_add(1, Ordering::Relaxed);
        CountedConnection(Arc::clone(self))
    }

    /// How many are open.
    pub fn open(&self) -> u32 {
        self.open.load(Ordering::Relaxed)
    }

    /// Remembers the limits that a connection was told, in words.
    pub fn remember(&self, told: String) {
        *recover(&self.told) = Some(told);
    }

    /// How many connections the server allows, and how many dbdyno has. `unknown` says which limit may be reached,
    /// where no connection was told.
    pub fn in_words(&self, unknown: &str) -> String {
        let told = recover(&self.told);
        let limits = told.as_deref().unwrap_or(unknown);
        format!("{limits}; dbdyno has {} connections and asked for one more", self.open())
    }
}

/// An open connection, as [`ConnectionLimits`] counts it.
#[derive(Debug)]
pub struct CountedConnection(Arc<ConnectionLimits>);

impl Drop for CountedConnection {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_are_counted_while_they_are_open() {
        let limits = Arc::new(ConnectionLimits::default());
        let said = |limits: &ConnectionLimits| limits.in_words("a limit is reached");
        let (one, two) = (limits.count(), limits.count());
        assert_eq!(said(&limits), "a limit is reached; dbdyno has 2 connections and asked for one more");
        limits.remember("max_connections is 3".to_owned());
        drop((one, two));
        assert_eq!(said(&limits), "max_connections is 3; dbdyno has 0 connections and asked for one more");
    }
}
