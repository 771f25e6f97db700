//! Recording the times of many sessions while they work: cheap for each operation, with memory that grows neither with
//! the number of sessions nor with the length of the window.
//!
//! A session writes into a [`LocalRecorder`], a small buffer of its own, which finds the histogram bucket of each time.
//! The buffer is flushed into the shared [`Recorder`] when it is full, when a step of the window ends, or after an
//! operation so slow that a lock costs nothing beside it. There each operation is counted twice: for the whole window
//! of its transaction type, and for the step of all types together. A closed step keeps two percentiles, and its counts
//! by type.
//!
//! Several recorders may serve one window: each gives a [`RecordingPart`], and parts merge exactly.

mod follower;
mod local;
mod part;
mod recording;
mod shared;
mod so_far;
#[cfg(test)]
mod tests;
mod types;

pub use follower::{FollowedType, Follower};
pub use local::LocalRecorder;
pub use part::{PartError, RecordingPart};
use recording::RecordingLayout;
pub use recording::{RecordedTimes, Recording, Sample, StepCounts, StepSummary, TypeRecording};
use shared::SharedHistograms;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
pub use types::{MOST_TYPES, TypeId, Types, TypesError};

/// What all sessions of a point record into.
///
/// It takes 0.65 MB for each transaction type, or 0.39 MB without response times, and 1.5 MB for the steps of all
/// together.
#[derive(Debug)]
pub struct Recorder {
    layout: RecordingLayout,
    shared: Arc<Mutex<SharedHistograms>>,
}

impl Recorder {
    /// A recorder for a window of this length, with steps of about `step_ns`.
    #[must_use]
    pub fn new(times: RecordedTimes, types: Types, window_ns: u64, step_ns: u64) -> Self {
        Self::of(RecordingLayout::new(times, types, window_ns, step_ns), false)
    }

    /// The same for one of several recorders of one window. It also keeps the times of each step; see
    /// [`RecordingPart`].
    #[must_use]
    pub fn for_part(times: RecordedTimes, types: Types, window_ns: u64, step_ns: u64) -> Self {
        Self::of(RecordingLayout::new(times, types, window_ns, step_ns), true)
    }

    fn of(layout: RecordingLayout, for_part: bool) -> Self {
        Self { layout, shared: Arc::new(Mutex::new(SharedHistograms::new(layout, for_part))) }
    }

    /// Records the response time so far of a transaction that has not ended. It counts in no step. It takes a lock, so
    /// it is for rare use, or for when the window is over.
    pub fn unfinished(&self, type_id: TypeId, response_ns: u64) {
        self.shared().unfinished(type_id, response_ns);
    }

    fn shared(&self) -> MutexGuard<'_, SharedHistograms> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What looks at the recording while sessions record.
    #[must_use]
    pub fn follow(&self) -> Follower {
        Follower::new(Arc::clone(&self.shared))
    }

    /// All that was recorded. A follower that is left finds nothing any more.
    fn into_shared(self) -> SharedHistograms {
        self.shared().take()
    }

    /// The whole recording, after all local recorders were dropped.
    #[must_use]
    pub fn finish(self) -> Recording {
        self.into_shared().finish()
    }

    /// The same as a part, which can be merged with the parts of other recorders.
    ///
    /// # Errors
    /// The recorder was not made [for a part](Self::for_part), or the library refuses to store a histogram.
    pub fn into_part(self) -> Result<RecordingPart, PartError> {
        self.into_shared().into_part()
    }
}
