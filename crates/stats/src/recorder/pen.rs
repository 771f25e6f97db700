//! What one session writes with.

use super::book::{Book, Entry};
use super::{Recorder, Sample, StepCounts, TypeId};
use crate::cells::Cell;

/// Operations that a pen has room for, and after how many of them it looks whether the recorder is free: nobody waits
/// for another session while there is room.
const PEN: usize = 256;
const LOOK_EVERY: usize = 128;
/// Beside an operation that took so long, taking a lock costs nothing.
const SLOW_NS: u64 = 1_000_000;

/// What one session writes with. Dropping it pours out what it holds.
#[derive(Debug)]
pub struct Pen<'r> {
    recorder: &'r Recorder,
    entries: Vec<Entry>,
    /// Of each type.
    counts: Box<[StepCounts]>,
    /// The step that all this ended in.
    step: usize,
    step_end_ns: u64,
    /// Whether there is anything to pour.
    holds: bool,
}

impl<'r> Pen<'r> {
    pub(super) fn new(recorder: &'r Recorder) -> Self {
        let counts = vec![StepCounts::default(); recorder.shape.types.count()].into_boxed_slice();
        let entries = Vec::with_capacity(PEN);
        Pen { recorder, entries, counts, step: 0, step_end_ns: recorder.shape.step_end_ns(0), holds: false }
    }

    /// Records an operation that succeeded.
    #[inline]
    pub fn record(&mut self, sample: Sample) {
        if sample.ended_ns >= self.step_end_ns {
            self.turn_to(sample.ended_ns);
        }
        let counts = self.counts_of(sample.type_id);
        counts.ops += 1;
        counts.rows += sample.rows;
        let (service, response) = (Cell::of(sample.service_ns), Cell::of(sample.response_ns));
        self.entries.push(Entry { type_id: sample.type_id, service, response });
        if self.entries.len() == PEN || sample.service_ns >= SLOW_NS {
            self.pour();
        } else if self.entries.len().is_multiple_of(LOOK_EVERY) {
            self.pour_if_free();
        }
    }

    /// Counts one that failed for good.
    pub fn error(&mut self, type_id: TypeId, ended_ns: u64) {
        self.turn_to(ended_ns);
        self.counts_of(type_id).errors += 1;
    }

    /// Counts an attempt after the first.
    pub fn retry(&mut self, type_id: TypeId, ended_ns: u64) {
        self.turn_to(ended_ns);
        self.counts_of(type_id).retries += 1;
    }

    #[inline]
    fn counts_of(&mut self, type_id: TypeId) -> &mut StepCounts {
        self.holds = true;
        &mut self.counts[self.recorder.shape.types.known(type_id)]
    }

    #[cold]
    fn turn_to(&mut self, ended_ns: u64) {
        let step = self.recorder.shape.step_of(ended_ns);
        if step != self.step {
            self.pour();
            self.step = step;
            self.step_end_ns = self.recorder.shape.step_end_ns(step);
        }
    }

    /// Pours out what it holds: before its session pauses, for one.
    pub fn pour(&mut self) {
        if self.holds {
            self.pour_into(&mut self.recorder.book());
        }
    }

    fn pour_if_free(&mut self) {
        if let Ok(mut book) = self.recorder.book.try_lock() {
            self.pour_into(&mut book);
        }
    }

    fn pour_into(&mut self, book: &mut Book) {
        book.enter(self.step, &self.counts, &self.entries);
        self.counts.fill(StepCounts::default());
        self.entries.clear();
        self.holds = false;
    }
}

impl Drop for Pen<'_> {
    fn drop(&mut self) {
        self.pour();
    }
}
