//! Watches the sessions of a point while they work: what they wait for, and who else is at work. Ten looks a second
//! cost a fraction of a percent of one processor.

use super::{Connection, OwnSessions, recover};
use crate::{EngineError, Observation};
use dbdyno_model::{Counter, ErrorClass, WaitCount};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_millis(100);

/// What a class begins with that stands beside counts of the same waits. An observation has no others.
const SAMPLED: &str = "sampled ";

/// What a row says of a process at work. Each dialect's statement gives these columns; the last may be absent.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Activity {
    /// The session, or that whose statement it is a worker of.
    session: u64,
    /// The class and name of what it waits for.
    class: String,
    event: String,
    /// Whether it is a process of the server's own.
    background: bool,
}

fn activity(row: Vec<Option<String>>) -> Option<Activity> {
    let mut columns = row.into_iter();
    let mut next = || columns.next().flatten();
    let (session, class, event) = (next()?.parse().ok()?, next()?, next()?);
    Some(Activity { session, class, event, background: next().as_deref() == Some("1") })
}

/// What is done over a watch's connection when it ends.
type AtEnd<L> = Box<dyn FnOnce(&mut L) + Send>;

/// What was seen so far.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen {
    /// (class, event, whether of the server's own) -> samples and the time that they stand for.
    waits: BTreeMap<(String, String, bool), (u64, u64)>,
    /// Time in which sessions of others were at work.
    pub foreign_busy_ns: u64,
    /// What the last look saw of sessions that were not noted as dbdyno's own, and the time that it stands for. One
    /// that logged on just then is noted by the next look.
    unknown: Vec<(Activity, u64)>,
    /// Why nothing more is seen, if so.
    pub ended: Option<String>,
}

impl Seen {
    /// As wait counts, by event.
    pub fn waits(&self) -> Vec<WaitCount> {
        let count = |((class, event, background), (count, ns)): (&(String, String, bool), &(u64, u64))| WaitCount {
            event: event.clone(),
            class: class.clone(),
            count: *count,
            time_ns: Some(*ns),
            sampled: true,
            background: *background,
            ..WaitCount::default()
        };
        self.waits.iter().map(count).collect()
    }

    /// Takes in one look of the session `own`, which stands for the time since the one before. Whoever looks is at work
    /// whenever he looks, and no part of the load.
    fn add(&mut self, sessions: Vec<Activity>, own: u64, ours: &mut OwnSessions, passed_ns: u64) {
        for (activity, ns) in std::mem::take(&mut self.unknown) {
            if ours.contains(activity.session) {
                self.wait(activity, ns);
            } else {
                self.foreign_busy_ns += ns;
            }
        }
        for activity in sessions.into_iter().filter(|activity| activity.session != own) {
            if activity.background || ours.contains(activity.session) {
                self.wait(activity, passed_ns);
            } else {
                self.unknown.push((activity, passed_ns));
            }
        }
        ours.forget_ended();
    }

    fn wait(&mut self, activity: Activity, passed_ns: u64) {
        let Activity { class, event, background, .. } = activity;
        self.waited((class, event, background), 1, passed_ns);
    }

    fn waited(&mut self, what: (String, String, bool), processes: u64, passed_ns: u64) {
        let (count, ns) = self.waits.entry(what).or_default();
        *count += processes;
        *ns += processes * passed_ns;
    }

    /// Takes in one look at all sessions, whosever: how many processes were at what. It stands for the time since the
    /// one before.
    pub(super) fn sample(&mut self, waits: Vec<WaitCount>, passed_ns: u64) {
        for WaitCount { class, event, background, count, .. } in waits {
            self.waited((class, event, background), count, passed_ns);
        }
    }
}

/// What the watching thread and the others share.
#[derive(Debug, Default)]
struct State {
    over: AtomicBool,
    seen: Mutex<Seen>,
}

/// A thread that looks, with a connection of its own. Ends when dropped.
pub struct Watch<L: Connection> {
    connection: Arc<Mutex<L>>,
    state: Arc<State>,
    ours: Arc<Mutex<OwnSessions>>,
    thread: Option<JoinHandle<()>>,
    at_end: Option<AtEnd<L>>,
}

impl<L: Connection + 'static> Watch<L> {
    /// Begins to look with `sql`. `ours` are dbdyno's own sessions, which may grow; `why_blind` is why the work of
    /// others is not seen, if so. `at_end` is done when the watch ends.
    ///
    /// # Errors
    /// No thread.
    pub fn start(
        connection: L,
        ours: Arc<Mutex<OwnSessions>>,
        sql: &str,
        why_blind: Option<String>,
        at_end: impl FnOnce(&mut L) + Send + 'static,
    ) -> Result<Self, EngineError> {
        {
            let mut ours = recover(&ours);
            ours.insert(connection.session_id());
            ours.watch(true);
        }
        let (connection, state) = (Arc::new(Mutex::new(connection)), Arc::new(State::default()));
        recover(&state.seen).ended = why_blind;
        let thread = std::thread::Builder::new().name("waits".to_owned()).spawn({
            let (connection, state, ours, sql) =
                (Arc::clone(&connection), Arc::clone(&state), Arc::clone(&ours), sql.to_owned());
            move || watch(&connection, &state, &ours, &sql)
        });
        let thread = thread.map_err(|e| {
            recover(&ours).watch(false);
            EngineError::new(ErrorClass::Other, format!("the watching thread cannot be started: {e}"))
        })?;
        Ok(Self { connection, state, ours, thread: Some(thread), at_end: Some(Box::new(at_end)) })
    }
}

impl<L: Connection> Watch<L> {
    /// What was seen so far.
    pub fn seen(&self) -> Seen {
        recover(&self.state.seen).clone()
    }

    /// Another way to look over the same connection, for as long as the watch goes on.
    pub(super) fn looker(&self) -> Looker<L> {
        Looker { connection: Arc::clone(&self.connection), state: Arc::clone(&self.state) }
    }

    /// The connection, while nobody looks.
    pub fn connection(&self) -> MutexGuard<'_, L> {
        recover(&self.connection)
    }

    /// Ends the looking; the connection is still there.
    fn stop(&mut self) {
        self.state.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            drop(thread.join());
        }
    }
}

impl<L: Connection> Drop for Watch<L> {
    fn drop(&mut self) {
        self.stop();
        let at_end = self.at_end.take();
        let mut connection = recover(&self.connection);
        if let Some(at_end) = at_end {
            at_end(&mut connection);
        }
        let mut ours = recover(&self.ours);
        ours.end(connection.session_id());
        ours.watch(false);
    }
}

/// Looks over the connection of a watch, whose end it does not delay by more than the look that is under way.
pub(super) struct Looker<L> {
    connection: Arc<Mutex<L>>,
    state: Arc<State>,
}

impl<L> Looker<L> {
    /// What the node tells, with the waits that the watch has seen.
    ///
    /// # Errors
    /// What `observe` answers; the watch has ended.
    pub(super) fn look(
        &self,
        observe: impl FnOnce(&mut L) -> Result<Observation, EngineError>,
    ) -> Result<Observation, EngineError> {
        let mut observed = {
            let mut connection = recover(&self.connection);
            // What is asked now would be counted in some later point.
            if self.state.over.load(Ordering::Relaxed) {
                return Err(EngineError::other("the point has ended, and with it the watch over its sessions"));
            }
            observe(&mut connection)?
        };
        let seen = recover(&self.state.seen).clone();
        observed.counters.waits = seen.waits();
        for wait in &mut observed.counters.waits {
            if let Some(class) = wait.class.strip_prefix(SAMPLED) {
                wait.class = class.to_owned();
            }
        }
        observed.counters.note(Counter::ForeignBusyNs, seen.ended.map_or(Ok(seen.foreign_busy_ns), Err));
        Ok(observed)
    }
}

fn watch<L: Connection>(connection: &Mutex<L>, state: &State, ours: &Mutex<OwnSessions>, sql: &str) {
    let mut last = Instant::now();
    while !state.over.load(Ordering::Relaxed) {
        std::thread::park_timeout(INTERVAL);
        if state.over.load(Ordering::Relaxed) {
            return;
        }
        let (own, looked) = {
            let mut connection = recover(connection);
            (connection.session_id(), connection.texts("watching sessions", sql))
        };
        let passed_ns = u64::try_from(last.elapsed().as_nanos()).unwrap_or(u64::MAX);
        last = Instant::now();
        let mut seen = recover(&state.seen);
        match looked {
            Ok(rows) => {
                seen.add(rows.into_iter().filter_map(activity).collect(), own, &mut recover(ours), passed_ns);
            }
            Err(error) => {
                seen.ended = Some(format!("the sessions could not be watched to the end: {}", error.message));
                recover(ours).watch(false);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(session: u64, class: &str, event: &str) -> Activity {
        Activity { session, class: class.to_owned(), event: event.to_owned(), background: false }
    }

    #[test]
    fn rows_are_sessions_at_work() {
        let row = |texts: [&str; 3]| texts.map(|text| Some(text.to_owned()).filter(|text| !text.is_empty())).to_vec();
        let told = activity(row(["17", "User I/O", "a file is read"])).unwrap();
        assert_eq!(told, session(17, "User I/O", "a file is read"));
        assert!(activity(row(["", "CPU", "running"])).is_none() && activity(row(["x", "CPU", "running"])).is_none());
        let own = ["18", "IO", "DataFileWrite", "1"].map(|text| Some(text.to_owned())).to_vec();
        assert!(activity(own).unwrap().background);
        assert!(activity(vec![Some("17".to_owned())]).is_none());
    }

    #[test]
    fn samples_are_ours_or_foreign() {
        let mut seen = Seen::default();
        // The one that looks is 12.
        let mut ours = OwnSessions::default();
        ours.watch(true);
        [10, 11, 12, 13].into_iter().for_each(|session| assert!(ours.insert(session)));
        let looks = || session(12, "state", "Filling schema table");
        seen.add(
            vec![session(10, "CPU", "running"), session(11, "IO", "WalSync"), session(99, "", ""), looks()],
            12,
            &mut ours,
            100,
        );
        assert_eq!(seen.foreign_busy_ns, 0, "99 may be noted yet");
        let checkpointer = Activity { background: true, ..session(7, "IO", "WalSync") };
        seen.add(vec![session(10, "IO", "WalSync"), checkpointer, looks()], 12, &mut ours, 50);
        assert_eq!(seen.foreign_busy_ns, 100);
        // One that has just ended, and one that is logging on.
        ours.end(13);
        seen.add(vec![session(13, "Client", "ClientRead"), session(14, "Client", "ClientRead")], 12, &mut ours, 5);
        ours.insert(14);
        ours.end(14);
        seen.add(vec![session(13, "", "")], 12, &mut ours, 7);
        seen.add(vec![], 12, &mut ours, 1);
        assert_eq!(seen.foreign_busy_ns, 107, "a number that comes again is another session's");
        assert!(seen.waits().iter().all(|wait| wait.sampled));
        let waits = seen.waits().into_iter().map(|w| (w.class, w.event, w.count, w.time_ns, w.background));
        let waits: Vec<_> = waits.collect();
        assert_eq!(
            waits,
            [
                ("CPU".to_owned(), "running".to_owned(), 1, Some(100), false),
                ("Client".to_owned(), "ClientRead".to_owned(), 2, Some(10), false),
                ("IO".to_owned(), "WalSync".to_owned(), 2, Some(150), false),
                ("IO".to_owned(), "WalSync".to_owned(), 1, Some(50), true),
            ]
        );
    }
}
