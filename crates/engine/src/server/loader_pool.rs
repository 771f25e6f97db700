//! The sessions that load: each takes the next piece of work as soon as it has done one. Somebody watches over them, so
//! that a Ctrl-C, or the first session that fails, stops all of them at once, whatever the server is busy with.

use super::connection::Connection;
use super::progress::LoadStop;
use crate::{EngineError, LoadWatch};
use dbdyno_model::ErrorClass;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

/// How often the watch is asked.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// More sessions than this load no faster, and use up the server's connections.
const MOST_SESSIONS: u32 = 256;

/// The sessions of a load.
pub struct LoaderPool<'w, L> {
    connections: Vec<L>,
    watch: &'w dyn LoadWatch,
}

impl<'w, L: Connection> LoaderPool<'w, L> {
    /// Opens a session for each job.
    ///
    /// # Errors
    /// The server turns one away.
    pub fn open(
        jobs: u32,
        watch: &'w dyn LoadWatch,
        open: impl FnMut(u32) -> Result<L, EngineError>,
    ) -> Result<Self, EngineError> {
        let connections = (0..jobs.clamp(1, MOST_SESSIONS)).map(open).collect::<Result<_, _>>()?;
        Ok(Self { connections, watch })
    }

    /// Sessions at work.
    pub fn jobs(&self) -> u64 {
        self.connections.len() as u64
    }

    /// Does `work` for every item, each session with its own `tools`.
    ///
    /// # Errors
    /// The first that any session met; `Cancelled` when the watch said so.
    pub fn each<T: Sync, S>(
        &mut self,
        doing: &str,
        items: &[T],
        tools: impl Fn() -> S + Sync,
        work: impl Fn(&mut L, &T, &mut S, &LoadStop<'_>) -> Result<(), EngineError> + Sync,
    ) -> Result<(), EngineError> {
        let stop = LoadStop { watch: self.watch, failed: AtomicBool::new(false) };
        stop.watch.refuse(doing)?;
        let first_error: Mutex<Option<EngineError>> = Mutex::new(None);
        let fail = |error| {
            let mut first = first_error.lock().unwrap_or_else(PoisonError::into_inner);
            first.get_or_insert(error);
            stop.failed.store(true, Ordering::Relaxed);
        };
        let cancellers: Vec<_> = self.connections.iter().map(Connection::canceller).collect();
        let (next, busy) = (AtomicUsize::new(0), AtomicUsize::new(0));
        thread::scope(|scope| {
            for (n, connection) in self.connections.iter_mut().enumerate() {
                busy.fetch_add(1, Ordering::Relaxed);
                let leaving = Leaving { busy: &busy, overseer: thread::current() };
                let (next, stop, fail, tools, work) = (&next, &stop, &fail, &tools, &work);
                let job = move || {
                    let _leaving = leaving;
                    let mut own = tools();
                    while !stop.requested() {
                        let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                        if let Err(error) = work(connection, item, &mut own, stop) {
                            fail(error);
                        }
                    }
                };
                if let Err(error) = thread::Builder::new().name(format!("load-{n}")).spawn_scoped(scope, job) {
                    fail(EngineError::new(ErrorClass::Other, format!("cannot start a thread: {error}")));
                }
            }
            let mut asked = false;
            while busy.load(Ordering::Acquire) > 0 {
                if !asked && stop.requested() {
                    cancellers.iter().for_each(|canceller| canceller.cancel());
                    asked = true;
                }
                thread::park_timeout(LOOK_EVERY);
            }
        });
        match first_error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            // What a session says when it was cancelled is no news to whoever did it.
            Some(error) => stop.watch.refuse(doing).and(Err(error)),
            None if next.load(Ordering::Relaxed) < items.len() => stop.watch.refuse(doing),
            None => Ok(()),
        }
    }
}

/// Says that a session's thread is over, also when it panicked.
struct Leaving<'b> {
    busy: &'b AtomicUsize,
    overseer: Thread,
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.busy.fetch_sub(1, Ordering::Release);
        self.overseer.unpark();
    }
}
