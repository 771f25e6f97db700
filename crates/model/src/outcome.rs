//! How requests end. The number of requests equals the sum of all outcomes, so no request is lost.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What went wrong, in classes that are the same for every engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The server or the file is gone.
    ConnectionLost,
    /// The server did not accept the user or the password.
    Authentication,
    /// The server accepted the user but refused the action.
    Permission,
    /// Deadlock or serialisation failure: worth a retry.
    Conflict,
    /// A statement, a lock or an answer took too long.
    Timeout,
    /// No space left where the engine writes.
    OutOfSpace,
    /// A table, procedure or column that should be there is not.
    UnknownObject,
    /// The data is damaged.
    Corruption,
    /// dbdyno asked the engine to stop.
    Cancelled,
    /// The target cannot do it.
    Unsupported,
    /// A device failed to read or write.
    Io,
    /// A device read or wrote less than it was asked to.
    ShortIo,
    /// Anything else; the message tells.
    Other,
}

impl ErrorClass {
    /// The class in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::ConnectionLost => "connection lost",
            Self::Authentication => "authentication failed",
            Self::Permission => "permission denied",
            Self::Conflict => "deadlock or serialisation failure",
            Self::Timeout => "timeout",
            Self::OutOfSpace => "out of space",
            Self::UnknownObject => "unknown object",
            Self::Corruption => "data corrupted",
            Self::Cancelled => "interrupted",
            Self::Unsupported => "unsupported",
            Self::Io => "I/O error",
            Self::ShortIo => "short read or write",
            Self::Other => "error",
        }
    }
}

impl fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}

/// How the requests of a point ended. `requests = ok + sum of errors`; retries are apart from first attempts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    /// Operations asked for (first attempts).
    pub requests: u64,
    /// Operations that succeeded.
    pub ok: u64,
    /// Attempts after the first.
    pub retries: u64,
    /// Operations that failed for good, by class.
    pub errors: BTreeMap<ErrorClass, u64>,
}

impl Outcomes {
    /// Counts `n` successes.
    pub fn succeed(&mut self, n: u64) {
        self.requests += n;
        self.ok += n;
    }

    /// Counts one failure.
    pub fn fail(&mut self, class: ErrorClass) {
        self.requests += 1;
        *self.errors.entry(class).or_default() += 1;
    }

    /// Adds another job's outcomes.
    pub fn merge(&mut self, other: &Self) {
        self.requests += other.requests;
        self.ok += other.ok;
        self.retries += other.retries;
        for (class, n) in &other.errors {
            *self.errors.entry(*class).or_default() += n;
        }
    }

    /// Whether requests equal the sum of outcomes.
    #[must_use]
    pub fn adds_up(&self) -> bool {
        self.requests == self.ok + self.errors.values().sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_the_sum_of_outcomes() {
        let mut a = Outcomes::default();
        a.succeed(10);
        a.fail(ErrorClass::Conflict);
        let mut b = a.clone();
        b.fail(ErrorClass::Timeout);
        a.merge(&b);
        assert!(a.adds_up());
        assert_eq!((a.requests, a.ok, a.errors[&ErrorClass::Conflict]), (23, 20, 2));
    }
}
