//! The histograms that all local recorders flush into: the whole window of each transaction type, and the steps of all
//! types together.

use super::part::{PartError, RecordingPart, StepTimes};
use super::recording::{Percentiles, RecordedTimes, Recording, RecordingLayout, StepCounts, TypeRecording};
use super::so_far::SoFar;
use super::types::TypeId;
use crate::Histogram;
use crate::buckets::{Bucket, BucketCounts};
use std::collections::VecDeque;

/// Steps that stay open for late operations: a session may have been delayed after it recorded an operation.
const OPEN_STEPS: usize = 4;

/// One operation in a local recorder: six bytes.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Entry {
    /// The number of its transaction type, which is a known one.
    pub(super) type_number: u8,
    pub(super) service: Bucket,
    pub(super) response: Bucket,
}

/// Totals of a transaction type over the whole window.
#[derive(Debug)]
struct TypeTotals {
    service: BucketCounts,
    response: Option<BucketCounts>,
    steps: Vec<StepCounts>,
}

#[derive(Debug)]
pub(super) struct SharedHistograms {
    layout: RecordingLayout,
    types: Vec<TypeTotals>,
    /// Times of the last steps, of all types; the first of them is step `first_open`.
    open: VecDeque<BucketCounts>,
    first_open: usize,
    /// Scratch histogram for the step that is being closed.
    closing: Histogram,
    closed: ClosedSteps,
}

/// Steps that are closed.
#[derive(Debug)]
struct ClosedSteps {
    percentiles: Vec<Percentiles>,
    /// The times of each step, for merging parts; or why they are not kept.
    kept: Result<Vec<StepTimes>, PartError>,
}

impl ClosedSteps {
    /// Stores the percentiles of a closed step.
    fn store(&mut self, step: usize, step_times: &Histogram) {
        self.percentiles[step] = Percentiles::of(step_times);
        if let Ok(kept) = &mut self.kept {
            match StepTimes::of(step_times) {
                Ok(times) => kept[step] = times,
                Err(e) => self.kept = Err(e.into()),
            }
        }
    }
}

impl From<TypeTotals> for TypeRecording {
    fn from(TypeTotals { service, response, steps }: TypeTotals) -> Self {
        Self { service: service.histogram(), response: response.as_ref().map(BucketCounts::histogram), steps }
    }
}

impl SharedHistograms {
    pub(super) fn new(layout: RecordingLayout, for_part: bool) -> Self {
        let totals = || TypeTotals {
            service: BucketCounts::new(),
            response: (layout.times == RecordedTimes::ServiceAndResponse).then(BucketCounts::new),
            steps: vec![StepCounts::default(); layout.steps()],
        };
        let kept = for_part.then(|| vec![StepTimes::default(); layout.steps()]).ok_or(PartError::NotForPart);
        Self {
            layout,
            types: layout.types.ids().map(|_| totals()).collect(),
            // All memory is allocated here, so that no operation waits for it.
            open: (0..OPEN_STEPS.min(layout.steps())).map(|_| BucketCounts::new()).collect(),
            first_open: 0,
            closing: Histogram::new(),
            closed: ClosedSteps { percentiles: vec![Percentiles::default(); layout.steps()], kept },
        }
    }

    /// Adds the operations of one step from a local recorder: counts of each type, and times.
    pub(super) fn enter(&mut self, step: usize, counts: &[StepCounts], entries: &[Entry]) {
        for (totals, counts) in self.types.iter_mut().zip(counts) {
            totals.steps[step].add(counts);
        }
        self.open(step);
        let mut open = step.checked_sub(self.first_open).and_then(|at| self.open.get_mut(at));
        for Entry { type_number, service, response } in entries {
            let totals = &mut self.types[usize::from(*type_number)];
            totals.service.count(*service);
            let mut step_times = service;
            if let Some(buckets) = &mut totals.response {
                buckets.count(*response);
                step_times = response;
            }
            if let Some(open) = &mut open {
                open.count(*step_times);
            }
        }
        if open.is_none() && !entries.is_empty() {
            self.enter_late(step, entries);
        }
    }

    /// Operations whose step is already closed are missing in its percentiles, except in a part.
    #[cold]
    fn enter_late(&mut self, step: usize, entries: &[Entry]) {
        let Ok(kept) = &self.closed.kept else { return };
        match kept[step].histogram() {
            Ok(mut histogram) => {
                for Entry { service, response, .. } in entries {
                    let step_times = if self.layout.times == RecordedTimes::Service { service } else { response };
                    histogram.record_ns(step_times.lowest_ns());
                }
                self.closed.store(step, &histogram);
            }
            Err(e) => self.closed.kept = Err(e.into()),
        }
    }

    /// Opens a step, and closes the steps that are too old.
    fn open(&mut self, step: usize) {
        while self.first_open + self.open.len() <= step {
            let Some(buckets) = self.close() else { return };
            self.open.push_back(buckets);
        }
    }

    /// Reduces the oldest open step to its percentiles, and returns its counts, cleared, for the next step.
    fn close(&mut self) -> Option<BucketCounts> {
        let mut buckets = self.open.pop_front()?;
        let step = self.first_open;
        self.first_open += 1;
        if self.types.iter().any(|totals| totals.steps[step].ops > 0) {
            buckets.enter_into(&mut self.closing);
            self.closed.store(step, &self.closing);
            self.closing.clear();
            buckets.clear();
        }
        Some(buckets)
    }

    /// Everything, so that nothing is left here.
    pub(super) fn take(&mut self) -> Self {
        let closed = ClosedSteps { percentiles: Vec::new(), kept: Err(PartError::NotForPart) };
        let (types, open, closing) = (Vec::new(), VecDeque::new(), Histogram::new());
        let nothing = Self { layout: self.layout, types, open, first_open: 0, closing, closed };
        std::mem::replace(self, nothing)
    }

    /// Copies what was recorded of a type so far; false where nothing is left here.
    pub(super) fn copy_so_far(&self, number: usize, into: &mut SoFar) -> bool {
        let Some(totals) = self.types.get(number) else { return false };
        into.counts = StepCounts::default();
        totals.steps.iter().for_each(|step| into.counts.add(step));
        into.service.copy_from(&totals.service);
        if let (Some(into), Some(response)) = (&mut into.response, &totals.response) {
            into.copy_from(response);
        }
        true
    }

    /// What was recorded before anything was, for each type.
    pub(super) fn nothing_so_far(&self) -> Vec<SoFar> {
        let nothing = |totals: &TypeTotals| SoFar {
            counts: StepCounts::default(),
            service: BucketCounts::new(),
            response: totals.response.as_ref().map(|_| BucketCounts::new()),
        };
        self.types.iter().map(nothing).collect()
    }

    /// Records the response time of a transaction that has not ended.
    pub(super) fn unfinished(&mut self, type_id: TypeId, response_ns: u64) {
        let totals = &mut self.types[usize::from(self.layout.types.known(type_id))];
        totals.response.iter_mut().for_each(|response| response.count(Bucket::of(response_ns)));
    }

    pub(super) fn finish(mut self) -> Recording {
        self.close_all();
        let types = self.types.into_iter().map(TypeRecording::from).collect();
        Recording::new(self.layout, types, self.closed.percentiles)
    }

    pub(super) fn into_part(mut self) -> Result<RecordingPart, PartError> {
        self.close_all();
        let times_of_steps = self.closed.kept?;
        Ok(RecordingPart {
            layout: self.layout,
            types: self.types.into_iter().map(TypeRecording::from).collect(),
            times_of_steps,
        })
    }

    fn close_all(&mut self) {
        while self.close().is_some() {}
    }

    /// Bytes of memory, which do not grow with the number of operations.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let totals = |totals: &TypeTotals| {
            let buckets = totals.service.bytes() + totals.response.as_ref().map_or(0, BucketCounts::bytes);
            buckets + size_of_val(&*totals.steps)
        };
        let open = self.open.iter().map(BucketCounts::bytes).sum::<usize>();
        self.types.iter().map(totals).sum::<usize>()
            + open
            + size_of_val(&*self.closed.percentiles)
            + self.closing.bytes()
    }
}
