//! What the server's counters mean: rows of its views become [`Counters`]. Nothing here asks the server, so all of it
//! is tested on recorded rows.
//!
//! Three rules. A statistic that the server does not have is absent with its reason, and never 0. What one of dbdyno's
//! own sessions has done is read from that session (`v$mystat`), so that nobody else's work is in it; parallel workers
//! are sessions of their own, so for statements that have some the instance's totals are taken instead. What background
//! processes do for everybody (writes of data files and of the log) is the instance's.

use dbdyno_engine::server::{reason, recover, unless_lost};
use dbdyno_engine::{EngineError, Others};
use dbdyno_model::WaitCount;
use std::collections::BTreeMap;
use std::sync::Mutex;

pub(super) mod counters;
mod cursors;
mod named;
#[cfg(test)]
mod tests;

pub(super) use cursors::Cursors;
use named::number;
pub(super) use named::{Answer, Named};

/// A microsecond in nanoseconds.
const US_NS: u64 = 1_000;

/// Rows as the connection gives them.
pub(super) type Rows = Vec<Vec<Option<String>>>;

/// What a point's counters are about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Watched {
    /// Workers inside one statement; 1 where the session works alone.
    pub(super) threads: u32,
    /// Whether the rows of the cursors under test are changed ones.
    pub(super) changes: bool,
    /// Whether the test reads whole tables, whose rows the server counts as it visits them.
    pub(super) scans: bool,
    /// Whether what may have workers is the building of an index, and not a query.
    pub(super) builds: bool,
    /// Whether the test has statements that can be told by the name of their query block.
    pub(super) marked: bool,
    /// Rows that one execution of a scan visits.
    pub(super) rows: Option<u64>,
    /// Rows that the hash cluster has room for which the test fills.
    pub(super) room_rows: Option<u64>,
}

/// Everything that an instance said at one moment.
#[derive(Debug, Clone)]
pub(super) struct Read {
    /// `v$sysstat`.
    pub(super) system: Answer<Named>,
    /// `v$sys_time_model`.
    pub(super) times: Answer<Named>,
    /// `v$osstat`.
    pub(super) machine: Answer<Named>,
    /// `v$iostat_file`, of data and temporary files together.
    pub(super) files: Answer<Named>,
    /// Changed buffers that are not yet written.
    pub(super) dirty: Answer<u64>,
    /// `v$system_event` with the buckets of `v$event_histogram_micro`.
    pub(super) waits: Answer<Vec<WaitCount>>,
    /// The cursors under test.
    pub(super) cursors: Answer<Cursors>,
}

/// Makes a reason of what a view refuses.
///
/// # Errors
/// The server is lost, or somebody has cancelled.
pub(super) fn told(asked: Result<Rows, EngineError>) -> Result<Answer<Rows>, EngineError> {
    Ok(unless_lost(asked)?.map_err(reason))
}

/// Rows of `files`.
pub(super) fn files(rows: &[Vec<Option<String>>]) -> Answer<Named> {
    let files = Named::read(rows);
    if files == Named::default() { Err("v$iostat_file has no data files".to_owned()) } else { Ok(files) }
}

/// Buffers that are changed and not yet written.
pub(super) fn dirty(rows: &[Vec<Option<String>>]) -> Answer<u64> {
    let first = rows.first().and_then(|row| number(row.first()?.as_ref()?));
    let why = "v$instance_recovery does not tell changed buffers (the Standard Edition of older releases did not)";
    first.ok_or_else(|| why.to_owned())
}

/// Waits by event, and how long they were where the server keeps a histogram of them.
pub(super) fn waits(events: &[Vec<Option<String>>], histogram: &[Vec<Option<String>>]) -> Vec<WaitCount> {
    let mut buckets: BTreeMap<&str, BTreeMap<u64, u64>> = BTreeMap::new();
    for row in histogram {
        if let [Some(event), Some(us), Some(count)] = row.as_slice()
            && let (Some(us), Some(count)) = (number(us), number(count))
        {
            *buckets.entry(event).or_default().entry(us).or_default() += count;
        }
    }
    let of_row = |row: &Vec<Option<String>>| -> Option<[WaitCount; 2]> {
        let [Some(event), class, Some(of_sessions), sessions_us, Some(of_all), all_us] = row.as_slice() else {
            return None;
        };
        let us = |us: &Option<String>| us.as_ref().and_then(|us| number(us));
        let (of_sessions, of_all, sessions_us, all_us) =
            (number(of_sessions)?, number(of_all)?, us(sessions_us), us(all_us));
        let wait = |count, us: Option<u64>, background| WaitCount {
            event: event.clone(),
            class: class.clone().unwrap_or_else(|| "Other".to_owned()),
            count,
            time_ns: us.map(|us| us * US_NS),
            background,
            buckets_us: buckets.get(event.as_str()).cloned().unwrap_or_default(),
            ..WaitCount::default()
        };
        let own_us = all_us.zip(sessions_us).map(|(all, sessions)| all.saturating_sub(sessions));
        Some([wait(of_sessions, sessions_us, false), wait(of_all.saturating_sub(of_sessions), own_us, true)])
    };
    events.iter().filter_map(of_row).flatten().filter(|wait| wait.count > 0).collect()
}

/// Samples of the server's own, one a second: `event, class, samples`. They have a class of their own, beside the
/// counts.
pub(super) fn history(rows: &[Vec<Option<String>>]) -> Vec<WaitCount> {
    let wait = |row: &Vec<Option<String>>| match row.as_slice() {
        [Some(event), Some(class), Some(samples)] => {
            let count = number(samples)?;
            let class = format!("ASH {class}");
            let time_ns = Some(count * 1_000_000_000);
            Some(WaitCount { event: event.clone(), class, count, time_ns, sampled: true, ..WaitCount::default() })
        }
        _ => None,
    };
    rows.iter().filter_map(wait).collect()
}

/// What jobs of a point have done, as far as they have told, and what all of dbdyno's sessions have committed.
#[derive(Debug, Default)]
pub(super) struct Account {
    done: Mutex<(Named, u64)>,
    /// The instance whose counters are read.
    instance: Mutex<Option<u64>>,
    /// Why the plan of the point's work could not be read after it.
    plan_unread: Mutex<Option<String>>,
}

/// The name of the statistic that counts commits.
pub(super) const COMMITS: &str = "user commits";

impl Account {
    /// Forgets the work of the last point.
    pub(super) fn begin(&self) {
        recover(&self.done).0 = Named::default();
        *recover(&self.plan_unread) = None;
    }

    /// Notes why the plan of the point's work could not be read.
    pub(super) fn no_plan(&self, why: &str) {
        *recover(&self.plan_unread) = Some(why.to_owned());
    }

    /// Why it could not be read, if so.
    pub(super) fn why_no_plan(&self) -> Option<String> {
        recover(&self.plan_unread).clone()
    }

    /// Notes which instance's counters are read.
    pub(super) fn counted_in(&self, instance: u64) {
        *recover(&self.instance) = Some(instance);
    }

    /// The instance whose counters are read, once that is known.
    pub(super) fn instance(&self) -> Option<u64> {
        *recover(&self.instance)
    }

    /// Takes a session's work.
    pub(super) fn add(&self, done: &Named) {
        let mut all = recover(&self.done);
        all.0.add(done);
        all.1 += done.get(COMMITS).unwrap_or(0);
    }

    /// Takes what a session has committed apart from its test.
    pub(super) fn add_commits(&self, done: &Named) {
        recover(&self.done).1 += done.get(COMMITS).unwrap_or(0);
    }

    /// The work so far, and every commit of ours.
    pub(super) fn read(&self) -> (Named, u64) {
        recover(&self.done).clone()
    }
}

/// The name under which an account tells of every commit of ours.
const ALL_COMMITS: &str = "all commits";

impl dbdyno_engine::server::Account for Account {
    fn told(&self) -> BTreeMap<String, u64> {
        let (work, commits) = self.read();
        let commits = (ALL_COMMITS.to_owned(), commits);
        work.each().map(|(name, n)| (name.clone(), *n)).chain([commits]).collect()
    }

    fn add_told(&self, done: &BTreeMap<String, u64>) {
        let mut all = recover(&self.done);
        all.1 += done.get(ALL_COMMITS).copied().unwrap_or(0);
        let work = done.iter().filter(|(name, _)| *name != ALL_COMMITS).map(|(name, n)| (name.clone(), *n));
        all.0.add(&work.collect());
    }
}

/// The instance when a point began.
#[derive(Debug, Clone)]
pub(super) struct Base {
    /// Its start.
    pub(super) started: String,
    cursors: Cursors,
}

impl Base {
    /// What it was like at the first reading.
    pub(super) fn new(started: String, read: &Read) -> Self {
        Self { started, cursors: read.cursors.clone().unwrap_or_default() }
    }
}

/// Commits of others, where our own are known.
pub(super) fn others(read: &Read, our_commits: &Answer<u64>) -> Answer<Others> {
    let all = read.system.as_ref().map_err(Clone::clone)?.told(COMMITS)?;
    Ok(Others { commits: all.cast_signed() - our_commits.clone()?.cast_signed(), beside_claims: false })
}
