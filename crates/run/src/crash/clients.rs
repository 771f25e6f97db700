//! Clients that know several hosts, and what they see when one of them is cut: they commit on a host until it gives an
//! error, and then go round until one takes commits.

use super::error::CrashError;
use dbdyno_engine::{Engine, EngineError};
use dbdyno_model::ClientsSeen;
use dbdyno_workload::{Dialect, TargetWorkload};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How many there are.
pub const CLIENTS: u32 = 2;
/// The statement that says whether a host takes commits.
const PRIMARY: &str = "primary";
/// The name of the error of a host that does not.
const NOT_PRIMARY: &str = "not the primary";
/// Before a client asks the next host.
const PAUSE: Duration = Duration::from_millis(10);
/// How long clients may look for a host that takes commits.
const PATIENCE: Duration = Duration::from_secs(60);

/// Opens a host anew.
pub type Host = Arc<dyn Fn() -> Result<Box<dyn Engine>, EngineError> + Send + Sync>;

/// Clients at work.
pub struct Clients {
    threads: Vec<JoinHandle<ClientsSeen>>,
    told: Arc<Told>,
}

/// What they are told, and how many of them were acknowledged something.
#[derive(Debug, Default)]
struct Told {
    ends: AtomicBool,
    at_work: AtomicU32,
}

impl Clients {
    /// Puts them to work, each with the first of these hosts.
    #[must_use]
    pub fn begin(hosts: &[Host], dialect: &Dialect) -> Self {
        let told = Arc::new(Told::default());
        let one = |number: u32| {
            let (hosts, dialect, told) = (hosts.to_vec(), dialect.clone(), Arc::clone(&told));
            thread::spawn(move || Client { number, hosts, dialect }.work(&told))
        };
        Self { threads: (1..=CLIENTS).map(one).collect(), told }
    }

    /// Waits until each was acknowledged a first commit.
    ///
    /// # Errors
    /// One is not after a long time.
    pub fn wait_for_work(&self) -> Result<(), CrashError> {
        let until = Instant::now() + PATIENCE;
        while self.told.at_work.load(Ordering::SeqCst) < CLIENTS {
            if Instant::now() > until {
                let s = PATIENCE.as_secs();
                return Err(CrashError::Idle(format!("clients beside them have committed nothing for {s} s")));
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Waits until each has been acknowledged one more commit, and ends them.
    #[must_use]
    pub fn end(mut self) -> ClientsSeen {
        self.told.ends.store(true, Ordering::SeqCst);
        let seen = std::mem::take(&mut self.threads).into_iter().filter_map(|thread| thread.join().ok());
        seen.fold(ClientsSeen::default(), ClientsSeen::and)
    }
}

impl Drop for Clients {
    fn drop(&mut self) {
        self.told.ends.store(true, Ordering::SeqCst);
    }
}

struct Client {
    number: u32,
    hosts: Vec<Host>,
    dialect: Dialect,
}

impl Client {
    fn work(&self, told: &Told) -> ClientsSeen {
        let mut seen = ClientsSeen { clients: 1, ..ClientsSeen::default() };
        let (mut host, mut engine, mut last) = (0, None, None::<Instant>);
        let mut since = None::<Instant>;
        loop {
            // Whether it was to end before this commit was begun.
            let ending = told.ends.load(Ordering::SeqCst);
            if ending && since.get_or_insert_with(Instant::now).elapsed() > PATIENCE {
                seen.lost = 1;
                return seen;
            }
            match self.commit(engine.take(), host, seen.acknowledged) {
                Ok(open) => {
                    engine = Some(open);
                    if seen.acknowledged == 0 {
                        told.at_work.fetch_add(1, Ordering::SeqCst);
                    }
                    seen.acknowledged += 1;
                    let gap_s = last.map_or(0.0, |last| last.elapsed().as_secs_f64());
                    seen.longest_gap_s = seen.longest_gap_s.max(gap_s);
                    last = Some(Instant::now());
                    if ending {
                        return seen;
                    }
                }
                Err(class) => {
                    *seen.errors.entry(class).or_default() += 1;
                    host = (host + 1) % self.hosts.len().max(1);
                    thread::sleep(PAUSE);
                }
            }
        }
    }

    /// One commit, or the class of its error.
    fn commit(&self, open: Option<Box<dyn Engine>>, host: usize, seq: u64) -> Result<Box<dyn Engine>, String> {
        let class = |error: EngineError| error.class.to_string();
        let engine = match open {
            Some(engine) => engine,
            None => {
                let host = self.hosts.get(host).ok_or_else(|| NOT_PRIMARY.to_owned())?;
                let engine = host().map_err(class)?;
                let said = TargetWorkload::new(engine.as_ref(), &self.dialect).ask(PRIMARY, &[]).map_err(class)?;
                if self.dialect.note(PRIMARY, "is") != Some(said.concat().concat().as_str()) {
                    return Err(NOT_PRIMARY.to_owned());
                }
                engine
            }
        };
        let entry = (format!("crash test client {}", self.number), seq.to_string());
        engine.note(&[entry]).map_err(class)?;
        Ok(engine)
    }
}
