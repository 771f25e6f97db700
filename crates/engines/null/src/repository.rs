//! A workload repository that keeps numbers and nothing else: for tests of what is done with one.

use dbdyno_engine::{EngineError, SnapshotsTaken, WorkloadRepository};
use dbdyno_model::Awr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The number of the database.
const DBID: u64 = 1_557_521_192;

/// How many snapshots there are, and those of the last point.
#[derive(Debug, Default)]
pub(crate) struct Snapshots(Mutex<(u64, Option<SnapshotsTaken>)>);

impl Snapshots {
    fn held(&self) -> MutexGuard<'_, (u64, Option<SnapshotsTaken>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A point begins on so many instances; on none nothing is kept.
    pub(crate) fn begin(&self, instances: u64) {
        let mut held = self.held();
        if instances > 0 {
            held.0 += 1;
            let (begin_snapshot, instances) = (Some(held.0), (1..=instances).collect());
            let awr = Awr { dbid: Some(DBID), instances, begin_snapshot, ..Awr::default() };
            held.1 = Some(SnapshotsTaken { awr, ..SnapshotsTaken::default() });
        }
    }

    /// It has ended.
    pub(crate) fn end(&self) {
        let (last, taken) = &mut *self.held();
        if let Some(taken) = taken {
            *last += 1;
            taken.awr.end_snapshot = Some(*last);
        }
    }

    /// The repository, with reports of so many bytes, each of which takes so long.
    pub(crate) fn repository(&self, report_bytes: u64, takes: Duration) -> Box<dyn WorkloadRepository + '_> {
        Box::new(NullRepository { snapshots: self, report_bytes, takes })
    }
}

struct NullRepository<'s> {
    snapshots: &'s Snapshots,
    report_bytes: u64,
    takes: Duration,
}

impl WorkloadRepository for NullRepository<'_> {
    fn is_open(&self) -> Result<(), String> {
        Ok(())
    }

    fn taken(&self) -> Option<SnapshotsTaken> {
        self.snapshots.held().1.take()
    }

    fn report(&self, of: &Awr, instance: u64, most_bytes: usize) -> Result<String, EngineError> {
        std::thread::sleep(self.takes);
        let length = usize::try_from(self.report_bytes).unwrap_or(usize::MAX);
        if length == 0 {
            return Err(EngineError::other("the null engine was told to give no report"));
        }
        if length > most_bytes {
            return Err(EngineError::other(format!("the report is longer than {most_bytes} bytes")));
        }
        let number = |of: Option<u64>| of.map_or_else(|| "?".to_owned(), |number| number.to_string());
        let (begin, end) = (number(of.begin_snapshot), number(of.end_snapshot));
        let head = format!("<html>instance {instance}, snapshots {begin} to {end}</html>\n");
        Ok(head.chars().chain(std::iter::repeat('.')).take(length).collect())
    }
}
