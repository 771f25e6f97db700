//! What was measured: every I/O, in a histogram of its kind. A few records are shared by all threads, each by those
//! that come after one another, so that memory does not grow with them; one is locked once for all the I/Os that ended
//! together.

use crate::moments::{Moment, Moments};
use crate::verify::{Mismatch, Proofs};
use crate::{IoError, Load};
use dbdyno_stats::Histogram;
use std::collections::BTreeMap;

/// I/Os of one kind that ended inside the window (where a rate was asked for: were due inside it).
#[derive(Debug, Clone)]
pub struct Ios {
    /// How many; one I/O is one count, however many devices it went to.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// From the moment at which each was handed to the system to the moment at which its end was seen.
    pub service_time: Histogram,
    /// From the moment at which each was due: in an open loop.
    pub response_time: Option<Histogram>,
}

/// Reads and writes apart.
#[derive(Debug, Clone)]
pub struct ReadWrite {
    /// What was read.
    pub read: Ios,
    /// What was written.
    pub write: Ios,
}

/// The most mismatches that are told one by one.
const MOST_MISMATCHES: usize = 100;

/// What threads write down.
#[derive(Debug)]
pub(crate) struct Record {
    service: [Histogram; 4],
    response: Option<[Histogram; 4]>,
    /// I/Os from the first to the last, by kind.
    pub all: [u64; 4],
    pub errors: BTreeMap<IoError, u64>,
    pub first_error: Option<(u64, String)>,
    pub mismatches: Vec<Mismatch>,
    pub proofs: Proofs,
    pub moments: Moments,
    /// In an open loop: I/Os that ended inside the window, and those of them that were due in it.
    pub completed: (u64, u64),
}

/// The kind of an I/O, as an index.
#[inline]
pub(crate) fn kind(large: bool, write: bool) -> usize {
    usize::from(large) * 2 + usize::from(write)
}

impl Record {
    pub(crate) fn new(open_loop: bool, moments: Moments) -> Self {
        Self {
            service: std::array::from_fn(|_| Histogram::new()),
            response: open_loop.then(|| std::array::from_fn(|_| Histogram::new())),
            all: [0; 4],
            errors: BTreeMap::new(),
            first_error: None,
            mismatches: Vec::new(),
            proofs: Proofs::default(),
            moments,
            completed: (0, 0),
        }
    }

    /// What is written down so far; others come after it.
    pub(crate) fn take(&mut self) -> Self {
        let empty = Self::new(self.response.is_some(), self.moments.empty());
        std::mem::replace(self, empty)
    }

    /// Writes down one that ended inside the window (where a rate was asked for: were due inside it).
    #[inline]
    pub(crate) fn inside(&mut self, kind: usize, service_ns: u64, response_ns: u64, moment: Moment) {
        self.service[kind].record_ns(service_ns);
        if let Some(response) = &mut self.response {
            response[kind].record_ns(response_ns);
        }
        self.moments.io(moment);
    }

    /// Writes down one that failed.
    pub(crate) fn error(&mut self, at_ns: u64, class: IoError, text: impl FnOnce() -> String) {
        self.errors(at_ns, class, 1, text);
    }

    /// Writes down several that failed in the same way.
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

    /// Adds another's.
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
        self.moments.merge(&other.moments);
        self.completed = (self.completed.0 + other.completed.0, self.completed.1 + other.completed.1);
    }

    /// The four kinds, small and large.
    pub(crate) fn kinds(&self, load: &Load) -> [ReadWrite; 2] {
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
