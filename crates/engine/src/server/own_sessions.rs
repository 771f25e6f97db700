//! The sessions of a node that are dbdyno's own. Users who log on for each transaction open and end theirs all the
//! time, so a look at the server may see one that is not noted yet, or not any more.

use std::collections::BTreeSet;

/// dbdyno's own sessions on a node, by their numbers.
#[derive(Debug, Default)]
pub struct OwnSessions {
    open: BTreeSet<u64>,
    /// Those that have ended since the last look; kept only while somebody looks.
    ended: BTreeSet<u64>,
    watched: bool,
}

impl OwnSessions {
    /// Notes a session; false where one of this number is open already.
    pub fn insert(&mut self, session: u64) -> bool {
        self.open.insert(session)
    }

    /// Notes that a session has ended, or is about to end.
    pub fn end(&mut self, session: u64) {
        if self.open.remove(&session) && self.watched {
            self.ended.insert(session);
        }
    }

    /// Those that are open.
    pub(super) fn open(&self) -> &BTreeSet<u64> {
        &self.open
    }

    /// Whether it is one of them, or was one since the last look.
    pub(super) fn contains(&self, session: u64) -> bool {
        self.open.contains(&session) || self.ended.contains(&session)
    }

    /// Somebody begins to look at the node's sessions, or ends that.
    pub(super) fn watch(&mut self, watched: bool) {
        self.watched = watched;
        self.forget_ended();
    }

    /// A look is over.
    pub(super) fn forget_ended(&mut self) {
        self.ended.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_remembered_until_the_next_look_if_there_is_one() {
        let mut own = OwnSessions::default();
        assert!(own.insert(1) && !own.insert(1));
        own.end(1);
        assert!(!own.contains(1), "nobody looks");
        own.watch(true);
        own.insert(2);
        own.end(2);
        own.end(3);
        assert!(own.contains(2) && !own.contains(3), "3 was never one of them");
        own.forget_ended();
        assert!(!own.contains(2));
    }
}
