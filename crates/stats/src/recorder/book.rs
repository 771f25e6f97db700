//! What pens are poured into: the whole window of each transaction type, and the steps of all together.

use super::part::{Part, PartError, StepTimes};
use super::{OfType, Percentiles, Recorded, Shape, StepCounts, Times, TypeId};
use crate::Histogram;
use crate::cells::{Cell, Cells};
use std::collections::VecDeque;

/// Steps that stay open for what comes late: a session may have been kept waiting since it wrote something down.
const OPEN_STEPS: usize = 4;

/// One operation in a pen: six bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) type_id: TypeId,
    pub(super) service: Cell,
    pub(super) response: Cell,
}

/// A transaction type.
#[derive(Debug)]
struct Whole {
    service: Cells,
    response: Option<Cells>,
    steps: Vec<StepCounts>,
}

#[derive(Debug)]
pub(super) struct Book {
    shape: Shape,
    types: Vec<Whole>,
    /// Times of the last steps, of all types; the first of them is step `first_open`.
    open: VecDeque<Cells>,
    first_open: usize,
    /// A step that is over is looked at in here.
    closing: Histogram,
    over: Over,
}

/// Steps that are over.
#[derive(Debug)]
struct Over {
    percentiles: Vec<Percentiles>,
    /// The times of each, for who merges parts; or why there are none.
    kept: Result<Vec<StepTimes>, PartError>,
}

impl Over {
    /// Notes what a step was.
    fn tell(&mut self, step: usize, told: &Histogram) {
        self.percentiles[step] = Percentiles::of(told);
        if let Ok(kept) = &mut self.kept {
            match StepTimes::of(told) {
                Ok(times) => kept[step] = times,
                Err(e) => self.kept = Err(e.into()),
            }
        }
    }
}

impl From<Whole> for OfType {
    fn from(Whole { service, response, steps }: Whole) -> Self {
        Self { service: service.histogram(), response: response.as_ref().map(Cells::histogram), steps }
    }
}

impl Book {
    pub(super) fn new(shape: Shape, for_part: bool) -> Self {
        let whole = || Whole {
            service: Cells::new(),
            response: (shape.times == Times::ServiceAndResponse).then(Cells::new),
            steps: vec![StepCounts::default(); shape.steps()],
        };
        let kept = for_part.then(|| vec![StepTimes::default(); shape.steps()]).ok_or(PartError::NotForPart);
        Self {
            shape,
            types: shape.types.ids().map(|_| whole()).collect(),
            // All of them now: no operation is to wait for memory.
            open: (0..OPEN_STEPS.min(shape.steps())).map(|_| Cells::new()).collect(),
            first_open: 0,
            closing: Histogram::new(),
            over: Over { percentiles: vec![Percentiles::default(); shape.steps()], kept },
        }
    }

    /// Enters what a pen holds of one step: counts of each type, and operations.
    pub(super) fn enter(&mut self, step: usize, counts: &[StepCounts], entries: &[Entry]) {
        for (whole, counts) in self.types.iter_mut().zip(counts) {
            whole.steps[step].add(counts);
        }
        self.open(step);
        let types = self.shape.types;
        let mut open = step.checked_sub(self.first_open).and_then(|at| self.open.get_mut(at));
        for Entry { type_id, service, response } in entries {
            let whole = &mut self.types[types.known(*type_id)];
            whole.service.count(*service);
            let mut told = service;
            if let Some(cells) = &mut whole.response {
                cells.count(*response);
                told = response;
            }
            if let Some(open) = &mut open {
                open.count(*told);
            }
        }
        if open.is_none() && !entries.is_empty() {
            self.enter_late(step, entries);
        }
    }

    /// Operations that come when their step is over are missing from its percentiles, but in a part.
    #[cold]
    fn enter_late(&mut self, step: usize, entries: &[Entry]) {
        let Ok(kept) = &self.over.kept else { return };
        match kept[step].histogram() {
            Ok(mut histogram) => {
                for Entry { service, response, .. } in entries {
                    let told = if self.shape.times == Times::Service { service } else { response };
                    histogram.record_ns(told.lowest_ns());
                }
                self.over.tell(step, &histogram);
            }
            Err(e) => self.over.kept = Err(e.into()),
        }
    }

    /// Makes room for a step, and closes those that are long over.
    fn open(&mut self, step: usize) {
        while self.first_open + self.open.len() <= step {
            let Some(cells) = self.close() else { return };
            self.open.push_back(cells);
        }
    }

    /// Reduces the oldest open step to its percentiles, and returns its cells, emptied, for the next one.
    fn close(&mut self) -> Option<Cells> {
        let mut cells = self.open.pop_front()?;
        let step = self.first_open;
        self.first_open += 1;
        if self.types.iter().any(|whole| whole.steps[step].ops > 0) {
            cells.enter_into(&mut self.closing);
            self.over.tell(step, &self.closing);
            self.closing.clear();
            cells.clear();
        }
        Some(cells)
    }

    /// Enters the response time of what has not ended.
    pub(super) fn unfinished(&mut self, type_id: TypeId, response_ns: u64) {
        let whole = &mut self.types[self.shape.types.known(type_id)];
        whole.response.iter_mut().for_each(|response| response.count(Cell::of(response_ns)));
    }

    pub(super) fn finish(mut self) -> Recorded {
        self.close_all();
        let types = self.types.into_iter().map(OfType::from).collect();
        Recorded::new(self.shape, types, self.over.percentiles)
    }

    pub(super) fn into_part(mut self) -> Result<Part, PartError> {
        self.close_all();
        let times_of_steps = self.over.kept?;
        Ok(Part { shape: self.shape, types: self.types.into_iter().map(OfType::from).collect(), times_of_steps })
    }

    fn close_all(&mut self) {
        while self.close().is_some() {}
    }

    /// Memory that does not grow with what is recorded.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        let whole = |whole: &Whole| {
            let cells = whole.service.bytes() + whole.response.as_ref().map_or(0, Cells::bytes);
            cells + size_of_val(&*whole.steps)
        };
        let open = self.open.iter().map(Cells::bytes).sum::<usize>();
        self.types.iter().map(whole).sum::<usize>() + open + size_of_val(&*self.over.percentiles) + self.closing.bytes()
    }
}
