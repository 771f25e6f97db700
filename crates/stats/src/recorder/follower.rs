//! Following a recorder while sessions record: what came since the last look. It holds the lock only while it copies
//! the counts of one type, some tens of microseconds.

use super::recording::StepCounts;
use super::shared::SharedHistograms;
use super::so_far::SoFar;
use crate::Histogram;
use std::sync::{Arc, Mutex, PoisonError};

/// Looks at a recorder again and again. It may outlive the recorder, and then finds nothing new.
#[derive(Debug)]
pub struct Follower {
    shared: Arc<Mutex<SharedHistograms>>,
    /// What was there at the last look, by type, and room for what is there now: no memory is asked for under the lock.
    seen: Vec<[SoFar; 2]>,
}

/// What was recorded of one transaction type between two looks.
#[derive(Debug, Clone, PartialEq)]
pub struct FollowedType {
    /// Operations, rows, errors and retries.
    pub counts: StepCounts,
    /// Service times.
    pub service: Histogram,
    /// Response times, where they are recorded.
    pub response: Option<Histogram>,
}

impl Follower {
    pub(super) fn new(shared: Arc<Mutex<SharedHistograms>>) -> Self {
        let nothing = || lock(&shared).nothing_so_far();
        let seen = nothing().into_iter().zip(nothing()).map(<[SoFar; 2]>::from).collect();
        Self { shared, seen }
    }

    /// What sessions have flushed since the last look, by type. A session keeps a few operations to itself until the
    /// step ends; these come later, and none is lost or counted twice.
    pub fn since_last(&mut self) -> Vec<FollowedType> {
        let mut followed = Vec::with_capacity(self.seen.len());
        for (number, looks) in self.seen.iter_mut().enumerate() {
            let [seen, now] = looks;
            if !lock(&self.shared).copy_so_far(number, now) {
                return Vec::new();
            }
            followed.push(FollowedType {
                counts: now.counts.since(&seen.counts),
                service: now.service.since(&seen.service),
                response: now.response.as_ref().zip(seen.response.as_ref()).map(|(now, seen)| now.since(seen)),
            });
            looks.swap(0, 1);
        }
        followed
    }
}

fn lock(shared: &Mutex<SharedHistograms>) -> std::sync::MutexGuard<'_, SharedHistograms> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
