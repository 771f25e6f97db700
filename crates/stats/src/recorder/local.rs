//! The buffer that one session records into.

use super::Recorder;
use super::recording::{Sample, StepCounts};
use super::shared::{Entry, SharedHistograms};
use super::types::TypeId;
use crate::buckets::Bucket;

/// Operations that the buffer has room for. After every `LOOK_EVERY` operations it is flushed if the lock is free, so
/// that no session waits for another while it has room.
const CAPACITY: usize = 256;
const LOOK_EVERY: usize = 128;
/// After an operation that took this long, taking a lock costs nothing in comparison.
const SLOW_NS: u64 = 1_000_000;

/// The buffer that one session records into. Dropping it flushes it.
#[derive(Debug)]
pub struct LocalRecorder<'r> {
    recorder: &'r Recorder,
    entries: Vec<Entry>,
    /// Counts of each type.
    counts: Box<[StepCounts]>,
    /// The step that all buffered operations ended in.
    step: usize,
    step_end_ns: u64,
    /// Whether there is anything to flush.
    pending: bool,
}

impl Recorder {
    /// A local recorder for one session.
    #[must_use]
    pub fn local(&self) -> LocalRecorder<'_> {
        LocalRecorder::new(self)
    }
}

impl<'r> LocalRecorder<'r> {
    fn new(recorder: &'r Recorder) -> Self {
        let counts = vec![StepCounts::default(); recorder.layout.types.count()].into_boxed_slice();
        let entries = Vec::with_capacity(CAPACITY);
        LocalRecorder {
            recorder,
            entries,
            counts,
            step: 0,
            step_end_ns: recorder.layout.step_end_ns(0),
            pending: false,
        }
    }

    /// Records an operation that succeeded.
    #[inline]
    pub fn record(&mut self, sample: Sample) {
        if sample.ended_ns >= self.step_end_ns {
            self.go_to_step(sample.ended_ns);
        }
        let counts = self.counts_of(sample.type_id);
        counts.ops += 1;
        counts.rows += sample.rows;
        let (service, response) = (Bucket::of(sample.service_ns), Bucket::of(sample.response_ns));
        self.entries.push(Entry { type_id: sample.type_id, service, response });
        if self.entries.len() == CAPACITY || sample.service_ns >= SLOW_NS {
            self.flush();
        } else if self.entries.len().is_multiple_of(LOOK_EVERY) {
            self.flush_if_free();
        }
    }

    /// Counts an operation that failed for good.
    pub fn error(&mut self, type_id: TypeId, ended_ns: u64) {
        self.go_to_step(ended_ns);
        self.counts_of(type_id).errors += 1;
    }

    /// Counts an attempt after the first.
    pub fn retry(&mut self, type_id: TypeId, ended_ns: u64) {
        self.go_to_step(ended_ns);
        self.counts_of(type_id).retries += 1;
    }

    #[inline]
    fn counts_of(&mut self, type_id: TypeId) -> &mut StepCounts {
        self.pending = true;
        &mut self.counts[self.recorder.layout.types.known(type_id)]
    }

    #[cold]
    fn go_to_step(&mut self, ended_ns: u64) {
        let step = self.recorder.layout.step_of(ended_ns);
        if step != self.step {
            self.flush();
            self.step = step;
            self.step_end_ns = self.recorder.layout.step_end_ns(step);
        }
    }

    /// Flushes the buffer, for instance before the session pauses.
    pub fn flush(&mut self) {
        if self.pending {
            self.flush_into(&mut self.recorder.shared());
        }
    }

    fn flush_if_free(&mut self) {
        if let Ok(mut shared) = self.recorder.shared.try_lock() {
            self.flush_into(&mut shared);
        }
    }

    fn flush_into(&mut self, shared: &mut SharedHistograms) {
        shared.enter(self.step, &self.counts, &self.entries);
        self.counts.fill(StepCounts::default());
        self.entries.clear();
        self.pending = false;
    }
}

impl Drop for LocalRecorder<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}
