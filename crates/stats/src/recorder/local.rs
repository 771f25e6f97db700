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
const _: () = assert!(CAPACITY.is_multiple_of(LOOK_EVERY), "a full buffer is looked at");
/// After an operation that took this long, taking a lock costs nothing in comparison.
const SLOW_NS: u64 = 1_000_000;

/// The buffer that one session records into. Dropping it flushes it.
#[derive(Debug)]
pub struct LocalRecorder<'r> {
    recorder: &'r Recorder,
    /// Operations, of which the first `buffered` are not flushed yet.
    entries: Box<[Entry; CAPACITY]>,
    buffered: usize,
    /// Counts of each type.
    counts: Box<[StepCounts]>,
    /// The step that all buffered operations ended in.
    step: usize,
    step_end_ns: u64,
    /// Whether there are errors or retries that are not flushed yet.
    failures: bool,
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
        LocalRecorder {
            recorder,
            entries: Box::new([Entry::default(); CAPACITY]),
            buffered: 0,
            counts,
            step: 0,
            step_end_ns: recorder.layout.step_end_ns(0),
            failures: false,
        }
    }

    /// Records an operation that succeeded.
    #[inline]
    pub fn record(&mut self, sample: Sample) {
        if sample.ended_ns >= self.step_end_ns {
            self.go_to_step(sample.ended_ns);
        }
        let type_number = self.recorder.layout.types.known(sample.type_id);
        let counts = &mut self.counts[usize::from(type_number)];
        counts.ops += 1;
        counts.rows += sample.rows;
        let (service, response) = (Bucket::of(sample.service_ns), Bucket::of(sample.response_ns));
        // A full buffer is flushed below. That the compiler knows the index to be inside saves a check.
        let at = self.buffered % CAPACITY;
        self.entries[at] = Entry { type_number, service, response };
        self.buffered = at + 1;
        if self.buffered.is_multiple_of(LOOK_EVERY) || sample.service_ns >= SLOW_NS {
            self.look(sample.service_ns);
        }
    }

    /// Flushes the buffer if it is full, after a slow operation, and else if the lock is free.
    #[inline(never)]
    fn look(&mut self, service_ns: u64) {
        if self.buffered == CAPACITY || service_ns >= SLOW_NS {
            self.flush();
        } else if let Ok(mut shared) = self.recorder.shared.try_lock() {
            self.flush_into(&mut shared);
        }
    }

    /// Counts an operation that failed for good.
    pub fn error(&mut self, type_id: TypeId, ended_ns: u64) {
        self.failures_of(type_id, ended_ns).errors += 1;
    }

    /// Counts an attempt after the first.
    pub fn retry(&mut self, type_id: TypeId, ended_ns: u64) {
        self.failures_of(type_id, ended_ns).retries += 1;
    }

    fn failures_of(&mut self, type_id: TypeId, ended_ns: u64) -> &mut StepCounts {
        self.go_to_step(ended_ns);
        self.failures = true;
        &mut self.counts[usize::from(self.recorder.layout.types.known(type_id))]
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
        if self.buffered > 0 || self.failures {
            self.flush_into(&mut self.recorder.shared());
        }
    }

    fn flush_into(&mut self, shared: &mut SharedHistograms) {
        shared.enter(self.step, &self.counts, &self.entries[..self.buffered]);
        self.counts.fill(StepCounts::default());
        self.buffered = 0;
        self.failures = false;
    }
}

impl Drop for LocalRecorder<'_> {
    fn drop(&mut self) {
        self.flush();
    }
}
