//! How many connections there are. When all places are taken, a new client takes that of the connection that is idle
//! and the oldest, so that connections that ask nothing keep nobody out.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::AbortHandle;

/// Connections at a time.
pub(super) const MOST: usize = 64;

/// Counts while it lives.
pub(super) struct Counted(Arc<AtomicUsize>);

impl Counted {
    pub(super) fn new(counter: &Arc<AtomicUsize>) -> Self {
        counter.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(counter))
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection: how many answers are on their way through it, and how to end it.
struct Place {
    answers: Arc<AtomicUsize>,
    task: AbortHandle,
}

#[derive(Default)]
pub(super) struct Connections {
    places: Mutex<BTreeMap<u64, Place>>,
}

impl Connections {
    /// Makes room for another one; `false` where every connection is being answered.
    pub(super) fn make_room(&self) -> bool {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        places.retain(|_, place| !place.task.is_finished());
        if places.len() < MOST {
            return true;
        }
        // Numbers ascend, so the first one is the oldest.
        let idle = places.iter().find(|(_, place)| place.answers.load(Ordering::Relaxed) == 0).map(|(n, _)| *n);
        let ended = idle.and_then(|number| places.remove(&number));
        ended.is_some_and(|place| {
            place.task.abort();
            true
        })
    }

    pub(super) fn enter(&self, number: u64, answers: Arc<AtomicUsize>, task: AbortHandle) {
        self.places.lock().unwrap_or_else(PoisonError::into_inner).insert(number, Place { answers, task });
    }
}
