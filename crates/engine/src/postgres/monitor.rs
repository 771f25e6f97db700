//! Watches the sessions of a point while they work: what they wait for, and who else is at work in the database. Ten looks a
//! second cost a fraction of a percent of one processor; shares of samples are the only way to waits that the server
//! offers to everybody.

use super::COUNTERS;
use super::link::Link;
use super::options::Options;
use super::recover;
use super::snapshot::flush;
use crate::EngineError;
use dbdyno_model::WaitCount;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(100);
/// What a session that waits for nothing does.
const RUNNING: (&str, &str) = ("CPU", "running");

/// What was seen so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// (class, event) -> samples and the time that they stand for.
    waits: BTreeMap<(String, String), (u64, u64)>,
    /// Time in which sessions of others were at work.
    pub(super) foreign_busy_ns: u64,
    /// Why nothing more is seen, if so.
    pub(super) ended: Option<String>,
}

impl Seen {
    /// As wait counts, by event.
    pub(super) fn waits(&self) -> Vec<WaitCount> {
        let count = |((class, event), (count, ns)): (&(String, String), &(u64, u64))| WaitCount {
            event: event.clone(),
            class: class.clone(),
            count: *count,
            time_ns: Some(*ns),
        };
        self.waits.iter().map(count).collect()
    }

    /// Takes in one look, which stands for the time since the one before.
    fn add(&mut self, sessions: &[Activity], ours: &BTreeSet<i32>, passed_ns: u64) {
        for session in sessions {
            if ours.contains(&session.leader_pid) {
                let (class, event) = match session.class.as_str() {
                    "" => (RUNNING.0.to_owned(), RUNNING.1.to_owned()),
                    class => (class.to_owned(), session.event.clone()),
                };
                let (count, ns) = self.waits.entry((class, event)).or_default();
                *count += 1;
                *ns += passed_ns;
            } else {
                self.foreign_busy_ns += passed_ns;
            }
        }
    }
}

/// One session at work.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Activity {
    /// Its own process, or that of the session whose statement it is a parallel worker of.
    leader_pid: i32,
    class: String,
    event: String,
}

impl Activity {
    fn of(row: &[Option<String>]) -> Option<Self> {
        let text = |n: usize| row.get(n).cloned().flatten();
        Some(Self { leader_pid: text(1)?.parse().ok()?, class: text(3)?, event: text(4)? })
    }
}

/// What the watching thread and the others share.
#[derive(Debug, Default)]
struct State {
    over: AtomicBool,
    seen: Mutex<Seen>,
}

/// A thread that looks, with a connection of its own. Ends when dropped.
pub(super) struct Monitor {
    link: Arc<Mutex<Link>>,
    state: Arc<State>,
    thread: Option<JoinHandle<()>>,
}

impl Monitor {
    /// Begins to watch a node. `ours` are the processes of dbdyno's own sessions there, which may grow.
    ///
    /// # Errors
    /// No connection, no thread, or no right to see what others do.
    pub(super) fn start(options: &Options, node: usize, ours: Arc<Mutex<BTreeSet<i32>>>) -> Result<Self, EngineError> {
        let mut link = Link::open(options, node, "dbdyno watch")?;
        let may_see = link.texts("looking at privileges", &COUNTERS.get("may_see_activity")?.text)?;
        let may_see = may_see.first().and_then(|row| row.first()).is_some_and(|v| v.as_deref() == Some("1"));
        recover(&ours).insert(link.backend_pid());
        let link = Arc::new(Mutex::new(link));
        let state = Arc::new(State::default());
        if !may_see {
            recover(&state.seen).ended =
                Some("this user may not see what other sessions do; GRANT pg_read_all_stats TO it".to_owned());
        }
        let sql = COUNTERS.get("activity")?.text.clone();
        let thread = std::thread::Builder::new().name("waits".to_owned()).spawn({
            let (link, state) = (Arc::clone(&link), Arc::clone(&state));
            move || watch(&link, &state, &ours, &sql)
        });
        let thread = thread.map_err(|e| {
            EngineError::new(dbdyno_model::ErrorClass::Other, format!("the watching thread cannot be started: {e}"))
        })?;
        Ok(Self { link, state, thread: Some(thread) })
    }

    /// What was seen so far.
    pub(super) fn seen(&self) -> Seen {
        recover(&self.state.seen).clone()
    }

    /// The connection, while nobody looks: for making its own statistics visible.
    pub(super) fn link(&self) -> MutexGuard<'_, Link> {
        recover(&self.link)
    }
}

impl Drop for Monitor {
    fn drop(&mut self) {
        self.state.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            drop(thread.join());
        }
        // What it has not made visible yet would become so at some moment of the next point. Nobody waits for a server that
        // is lost.
        drop(flush(&mut self.link(), None));
    }
}

fn watch(link: &Mutex<Link>, state: &State, ours: &Mutex<BTreeSet<i32>>, sql: &str) {
    let mut last = Instant::now();
    while !state.over.load(Ordering::Relaxed) {
        std::thread::park_timeout(INTERVAL);
        if state.over.load(Ordering::Relaxed) {
            return;
        }
        let looked = recover(link).texts("watching sessions", sql);
        let passed_ns = u64::try_from(last.elapsed().as_nanos()).unwrap_or(u64::MAX);
        last = Instant::now();
        let mut seen = recover(&state.seen);
        match looked {
            Ok(rows) => {
                let sessions: Vec<Activity> = rows.iter().filter_map(|row| Activity::of(row)).collect();
                seen.add(&sessions, &recover(ours), passed_ns);
            }
            Err(error) => {
                seen.ended = Some(format!("the sessions could not be watched to the end: {}", error.message));
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_ours_or_foreign() {
        let session = |leader_pid, class: &str, event: &str| Activity {
            leader_pid,
            class: class.to_owned(),
            event: event.to_owned(),
        };
        let mut seen = Seen::default();
        let ours = BTreeSet::from([10, 11]);
        seen.add(&[session(10, "", ""), session(11, "IO", "WalSync"), session(99, "", "")], &ours, 100);
        seen.add(&[session(10, "IO", "WalSync")], &ours, 50);
        assert_eq!(seen.foreign_busy_ns, 100);
        let waits: Vec<_> = seen.waits().into_iter().map(|w| (w.class, w.event, w.count, w.time_ns)).collect();
        assert_eq!(
            waits,
            [
                ("CPU".to_owned(), "running".to_owned(), 1, Some(100)),
                ("IO".to_owned(), "WalSync".to_owned(), 2, Some(150)),
            ]
        );
    }
}
