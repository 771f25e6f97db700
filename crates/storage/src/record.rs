//! The measurement of every I/O, in a histogram of its kind. All threads share a few records, so that memory does not
//! grow with the threads. A record is locked once for all I/Os that completed together.

use crate::breakdown::{Breakdown, IoSample};
use crate::verify::{Mismatch, VerifyCounts};
use crate::{IoError, IoLoad};
use dbdyno_stats::Histogram;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// I/Os of one kind that ended inside the window (with a rate: were due inside it).
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ios {
    /// Number of I/Os; an I/O counts once, however many devices it went to.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Service time: from when an I/O was submitted to when its completion was seen.
    pub service_time: Histogram,
    /// Response time: from when an I/O was due; only in an open loop.
    pub response_time: Option<Histogram>,
}

/// Reads and writes apart.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ReadWrite {
    /// What was read.
    pub read: Ios,
    /// What was written.
    pub write: Ios,
}

/// The most mismatches that are listed one by one.
pub(crate) const MOST_MISMATCHES: usize = 100;

/// What threads record.
#[derive(Debug)]
pub(crate) struct IoRecord {
    service: [Histogram; 4],
    response: Option<[Histogram; 4]>,
    /// I/Os from the first to the last, by kind.
    pub all: [u64; 4],
    pub errors: BTreeMap<IoError, u64>,
    pub first_error: Option<(u64, String)>,
    pub mismatches: Vec<Mismatch>,
    pub proofs: VerifyCounts,
    pub breakdown: Breakdown,
    /// In an open loop: I/Os that ended inside the window, and those of them that were due in it.
    pub completed: (u64, u64),
}

/// The index of an I/O's kind.
#[inline]
pub(crate) fn kind(large: bool, write: bool) -> usize {
    usize::from(large) * 2 + usize::from(write)
}

impl IoRecord {
    pub(crate) fn new(open_loop: bool, breakdown: Breakdown) -> Self {
        Self {
            service: std::array::from_fn(|_| Histogram::new()),
            response: open_loop.then(|| std::array::from_fn(|_| Histogram::new())),
            all: [0; 4],
            errors: BTreeMap::new(),
            first_error: None,
            mismatches: Vec::new(),
            proofs: VerifyCounts::default(),
            breakdown,
            completed: (0, 0),
        }
    }

    /// Takes what was recorded so far.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Self::new(self.response.is_some(), self.breakdown.empty());
        std::mem::replace(self, empty)
    }

    /// Records an I/O that ended inside the window (with a rate: was due inside it).
    #[inline]
    pub(crate) fn inside(&mut self, kind: usize, service_ns: u64, response_ns: u64, moment: IoSample) {
        self.service[kind].record_ns(service_ns);
        if let Some(response) = &mut self.response {
            response[kind].record_ns(response_ns);
        }
        self.breakdown.io(moment);
    }

    /// Records I/Os that failed in the same way.
    pub(crate) fn errors(&mut self, at_ns: u64, class: IoError, n: u64, text: impl FnOnce() -> String) {
        *self.errors.entry(class).or_default() += n;
        if self.first_error.as_ref().is_none_or(|(first_ns, _)| at_ns < *first_ns) {
            self.first_error = Some((at_ns, text()));
        }
    }

    pub(crate) fn mismatch(&mut self, mismatch: Mismatch) {
        self.proofs.wrong += 1;
        if self.mismatches.len() < MOST_MISMATCHES {
            self.mismatches.push(mismatch);
        }
    }

    /// Adds another record.
    pub(crate) fn merge(&mut self, other: Self) {
        self.service.iter_mut().zip(&other.service).for_each(|(ours, theirs)| ours.merge(theirs));
        if let (Some(ours), Some(theirs)) = (&mut self.response, &other.response) {
            ours.iter_mut().zip(theirs).for_each(|(ours, theirs)| ours.merge(theirs));
        }
        self.all.iter_mut().zip(other.all).for_each(|(ours, theirs)| *ours += theirs);
        for (class, n) in other.errors {
            *self.errors.entry(class).or_default() += n;
        }
        self.first_error = [self.first_error.take(), other.first_error].into_iter().flatten().min();
        let room = MOST_MISMATCHES.saturating_sub(self.mismatches.len());
        self.mismatches.extend(other.mismatches.into_iter().take(room));
        self.proofs.add(other.proofs);
        self.breakdown.merge(&other.breakdown);
        self.completed = (self.completed.0 + other.completed.0, self.completed.1 + other.completed.1);
    }

    /// The four kinds, small and large.
    pub(crate) fn kinds(&self, load: &IoLoad) -> [ReadWrite; 2] {
        [false, true].map(|large| {
            let ios = |write| {
                let service_time = self.service[kind(large, write)].clone();
                let count = service_time.count();
                Ios {
                    count,
                    bytes: count * load.bytes(large),
                    service_time,
                    response_time: self.response.as_ref().map(|response| response[kind(large, write)].clone()),
                }
            };
            ReadWrite { read: ios(false), write: ios(true) }
        })
    }
}
