//! How requests end. The number of requests equals the sum of all outcomes, so no request is lost.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What went wrong, in classes that are the same for every engine. Messages have the class in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The server or the file is gone.
    #[strum(to_string = "connection lost")]
    ConnectionLost,
    /// The server did not accept the user or the password.
    #[strum(to_string = "authentication failed")]
    Authentication,
    /// The server accepted the user but refused the action.
    #[strum(to_string = "permission denied")]
    Permission,
    /// Deadlock or serialisation failure: worth a retry.
    #[strum(to_string = "deadlock or serialisation failure")]
    Conflict,
    /// A statement, a lock or an answer took too long.
    #[strum(to_string = "timeout")]
    Timeout,
    /// No space left where the engine writes.
    #[strum(to_string = "out of space")]
    OutOfSpace,
    /// A table, procedure or column that should be there is not.
    #[strum(to_string = "unknown object")]
    UnknownObject,
    /// The data is damaged.
    #[strum(to_string = "data corrupted")]
    Corruption,
    /// dbdyno asked the engine to stop.
    #[strum(to_string = "interrupted")]
    Cancelled,
    /// The target cannot do it.
    #[strum(to_string = "unsupported")]
    Unsupported,
    /// A device failed to read or write.
    #[strum(to_string = "I/O error")]
    Io,
    /// A device read or wrote less than it was asked to.
    #[strum(to_string = "short read or write")]
    ShortIo,
    /// Anything else; the message tells.
    #[strum(to_string = "error")]
    Other,
}

/// How the requests of a point ended. `requests = ok + sum of errors`; retries are apart from first attempts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcomes {
    /// Operations asked for (first attempts).
    pub requests: u64,
    /// Operations that succeeded.
    pub ok: u64,
    /// Of these, the transactions that their program rolled back, because there was nothing to do.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rolled_back: u64,
    /// Attempts after the first.
    pub retries: u64,
    /// Operations that failed for good, by class.
    pub errors: BTreeMap<ErrorClass, u64>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
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
        self.rolled_back += other.rolled_back;
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
