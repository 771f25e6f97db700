//! What the I/O threads of a point share.

use crate::arrivals::Timetable;
use crate::breakdown::Breakdown;
use crate::claims::Claims;
use crate::io_generator::IoTargets;
use crate::last_writes::LastWrites;
use crate::record::IoRecord;
use crate::{IoLoad, Luns};
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, PoisonError};

/// All threads share this number of records.
const RECORDS: u32 = 16;

/// What all threads of a point share.
#[derive(Debug)]
pub(crate) struct SharedState {
    pub luns: Luns,
    pub load: IoLoad,
    pub targets: IoTargets,
    pub records: Vec<Mutex<IoRecord>>,
    /// Pieces under way and last writes, where reads are verified while other blocks are written.
    pub claims: Option<Claims>,
    /// The run number in this run's stamps.
    pub run: u64,
    /// Number of stamped writes begun.
    pub writes: AtomicU64,
}

impl SharedState {
    pub(crate) fn new(luns: &Luns, load: &IoLoad, run: u64) -> Result<Self, crate::StorageError> {
        load.check(luns)?;
        if load.writes() && !load.verify {
            luns.unstamp()?;
        }
        let records = load.outstanding().min(RECORDS);
        let breakdown = || Breakdown::new(load, luns.iter().count());
        Ok(Self {
            luns: luns.clone(),
            load: load.clone(),
            targets: IoTargets::new(luns, load)?,
            records: (0..records).map(|_| Mutex::new(IoRecord::new(load.rate.is_some(), breakdown()))).collect(),
            claims: (load.verify && load.writes())
                .then(|| Claims::new(LastWrites::new(luns.iter().map(|lun| lun.size_bytes), load))),
            run,
            writes: AtomicU64::new(0),
        })
    }

    /// I/Os that succeeded, by kind, and the number of all that failed.
    pub(crate) fn counts(&self) -> ([u64; 4], u64) {
        let mut counts = ([0; 4], 0);
        for record in &self.records {
            let record = record.lock().unwrap_or_else(PoisonError::into_inner);
            counts.0.iter_mut().zip(record.all).for_each(|(n, more)| *n += more);
            counts.1 += record.errors.values().sum::<u64>();
        }
        counts
    }

    /// The bytes of these numbers of I/Os of each kind.
    pub(crate) fn bytes(&self, ios: [u64; 4]) -> u64 {
        let [small_reads, small_writes, large_reads, large_writes] = ios;
        (small_reads + small_writes) * self.load.small_bytes + (large_reads + large_writes) * self.load.large_bytes
    }

    pub(crate) fn record(&self, thread: u32) -> &Mutex<IoRecord> {
        &self.records[thread as usize % self.records.len()]
    }
}

/// The moments of a point.
#[derive(Debug)]
pub(crate) struct PointSchedule {
    /// When the window begins.
    pub begin_ns: u64,
    /// When the window ends, and no further I/O begins; moved forward by a stop.
    pub end_ns: AtomicU64,
    /// When missing answers are given up.
    pub give_up_ns: AtomicU64,
    /// In an open loop: the timetables of small and of large I/Os.
    pub timetables: Option<[Option<Timetable>; 2]>,
}
