//! The writers' queue. SQLite lets one transaction write at a time and lets the others poll for their turn, which
//! favours whoever polls at the right moment. Jobs of one point queue here instead, first come, first served.

use dbdyno_engine::EngineError;
use dbdyno_engine::server::recover;
use dbdyno_model::ErrorClass;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// How often a waiting writer looks whether it was told to stop.
const LOOK: Duration = Duration::from_millis(20);

/// A fair queue: whoever is at its head may write.
#[derive(Debug, Default)]
pub(super) struct WriterQueue(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    next_ticket: u64,
    waiting: VecDeque<(u64, Thread)>,
}

/// The right to write; passed on when dropped. A client's transaction keeps it from one call to the next.
#[derive(Debug)]
pub(super) struct WriterPermit {
    queue: Arc<WriterQueue>,
    ticket: u64,
    /// How long it was waited for; none where nobody was ahead.
    pub(super) waited: Option<Duration>,
}

impl WriterQueue {
    /// Waits for its turn.
    ///
    /// # Errors
    /// `Cancelled` when `stop` is set meanwhile.
    pub(super) fn wait(self: &Arc<Self>, stop: &AtomicBool) -> Result<WriterPermit, EngineError> {
        let ticket = {
            let mut queue = recover(&self.0);
            let ticket = queue.next_ticket;
            queue.next_ticket += 1;
            queue.waiting.push_back((ticket, std::thread::current()));
            if queue.waiting.len() == 1 {
                return Ok(WriterPermit { queue: Arc::clone(self), ticket, waited: None });
            }
            ticket
        };
        // From here on the turn leaves the queue by being dropped, wherever in it it stands.
        let mut turn = WriterPermit { queue: Arc::clone(self), ticket, waited: None };
        let started = Instant::now();
        while recover(&self.0).waiting.front().is_none_or(|(first, _)| *first != ticket) {
            if stop.load(Ordering::Relaxed) {
                return Err(EngineError::new(ErrorClass::Cancelled, "stopped while waiting for its turn to write"));
            }
            std::thread::park_timeout(LOOK);
        }
        turn.waited = Some(started.elapsed());
        Ok(turn)
    }
}

impl Drop for WriterPermit {
    fn drop(&mut self) {
        let mut queue = recover(&self.queue.0);
        queue.waiting.retain(|(ticket, _)| *ticket != self.ticket);
        if let Some((_, next)) = queue.waiting.front() {
            next.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    #[test]
    fn one_writes_at_a_time_and_turns_are_even() {
        let (queue, inside, stop) = (Arc::<WriterQueue>::default(), AtomicU64::new(0), AtomicBool::new(false));
        let turns: Vec<AtomicU64> = (0..4).map(|_| AtomicU64::new(0)).collect();
        let total = AtomicU64::new(0);
        std::thread::scope(|scope| {
            for mine in &turns {
                scope.spawn(|| {
                    // Whoever is not yet waiting cannot be served fairly: count only once all have begun.
                    while total.load(Ordering::Relaxed) < 4_000 {
                        let turn = queue.wait(&stop).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        std::thread::sleep(Duration::from_micros(1));
                        if turns.iter().all(|n| n.load(Ordering::Relaxed) > 0) {
                            total.fetch_add(1, Ordering::Relaxed);
                        }
                        mine.fetch_add(1, Ordering::Relaxed);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(turn);
                    }
                });
            }
        });
        let counts: Vec<u64> = turns.iter().map(|n| n.load(Ordering::Relaxed)).collect();
        let all: u64 = counts.iter().sum();
        assert!(counts.iter().all(|n| *n > 0) && all >= 4_000, "{counts:?}");
    }

    #[test]
    fn the_queue_serves_in_the_order_of_coming() {
        let (queue, stop) = (Arc::<WriterQueue>::default(), AtomicBool::new(false));
        let served = Mutex::new(Vec::new());
        let first = queue.wait(&stop).unwrap();
        std::thread::scope(|scope| {
            for n in 0..5 {
                let (queue, stop, served) = (&queue, &stop, &served);
                scope.spawn(move || {
                    let _turn = queue.wait(stop).unwrap();
                    served.lock().unwrap().push(n);
                });
                while recover(&queue.0).waiting.len() < n + 2 {
                    std::thread::yield_now();
                }
            }
            drop(first);
        });
        assert_eq!(*served.lock().unwrap(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_waiting_writer_can_be_stopped_and_leaves_the_queue() {
        let (queue, stop, go_on) = (Arc::<WriterQueue>::default(), AtomicBool::new(false), AtomicBool::new(false));
        let first = queue.wait(&go_on).unwrap();
        std::thread::scope(|scope| {
            let second = scope.spawn(|| queue.wait(&stop).map(drop));
            while recover(&queue.0).waiting.len() < 2 {
                std::thread::yield_now();
            }
            stop.store(true, Ordering::Relaxed);
            assert_eq!(second.join().unwrap().unwrap_err().class, ErrorClass::Cancelled);
        });
        assert_eq!(recover(&queue.0).waiting.len(), 1);
        drop(first);
        assert!(queue.wait(&go_on).unwrap().waited.is_none());
    }
}
