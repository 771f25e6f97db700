//! What is known of the snapshots around a point, between its beginning and the moment at which it is asked for.

use dbdyno_engine::SnapshotsTaken;
use dbdyno_engine::server::recover;
use std::collections::BTreeSet;
use std::sync::Mutex;

/// What is known, or why it is not.
pub(super) type Answer = Result<u64, String>;

/// The snapshots of the point that is under way, or has ended and was not asked about.
#[derive(Debug, Default)]
pub(crate) struct Snapshots(Mutex<Option<SnapshotsTaken>>);

impl Snapshots {
    /// A point begins, on these instances.
    pub(super) fn begin(&self, dbid: Answer, instances: BTreeSet<u64>, snapshot: Answer) {
        let mut taken = SnapshotsTaken::default();
        taken.awr.instances = instances.into_iter().collect();
        taken.awr.dbid = note(&mut taken, "awr.dbid", dbid);
        taken.awr.begin_snapshot = note(&mut taken, "awr.begin_snapshot", snapshot);
        *recover(&self.0) = Some(taken);
    }

    /// What is known of them, once.
    pub(super) fn taken(&self) -> Option<SnapshotsTaken> {
        recover(&self.0).take()
    }

    /// It has ended.
    pub(super) fn end(&self, snapshot: Answer) {
        if let Some(taken) = recover(&self.0).as_mut() {
            taken.awr.end_snapshot = note(taken, "awr.end_snapshot", snapshot);
        }
    }
}

/// A value, or none with its reason.
fn note(taken: &mut SnapshotsTaken, path: &str, answer: Answer) -> Option<u64> {
    answer.map_err(|why| taken.missing.insert(path.to_owned(), why)).ok()
}
