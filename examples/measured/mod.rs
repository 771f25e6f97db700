//! The work of sessions, and its cost for this process: the line that the benches read.

use dbdyno_engine::{Engine, Job, MonotonicClock, Session, StartGate, Work};
use dbdyno_model::Drive;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

/// When all sessions end: this long after the first one begins.
pub struct End {
    at_ns: AtomicU64,
    duration_ns: u64,
}

impl End {
    /// An end after this many seconds.
    pub fn after(seconds: f64) -> Self {
        Self { at_ns: AtomicU64::new(0), duration_ns: (seconds * 1e9) as u64 }
    }

    /// A session begins.
    pub fn begin(&self, now_ns: u64) {
        _ = self.at_ns.compare_exchange(0, now_ns + self.duration_ns, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether the end has come.
    pub fn has_come(&self, now_ns: u64) -> bool {
        now_ns >= self.at_ns.load(Ordering::Relaxed)
    }
}

/// The work of a session.
#[derive(Debug, Default)]
pub struct Done {
    /// Transactions.
    pub transactions: u64,
    /// Nanoseconds of their round trips.
    pub service_ns: u64,
    /// Threads of this process during the work, where they were counted.
    threads: usize,
}

impl Done {
    /// A transaction has ended.
    pub fn one_more(&mut self) {
        self.transactions += 1;
        if self.transactions == 1 {
            self.count_threads();
        }
    }

    #[cold]
    fn count_threads(&mut self) {
        self.threads = fs::read_dir("/proc/self/task").expect("threads").count();
    }
}

/// Runs sessions to their end, and prints the result.
pub fn run<W: Work>(
    engine: &dyn Engine,
    sessions: &mut [Box<dyn Session>],
    works: &mut [W],
    seconds: f64,
    done: fn(&W) -> &Done,
) {
    let pump = engine.pump(Drive::Client, u32::try_from(works.len()).ok());
    let jobs = sessions.iter_mut().zip(&mut *works);
    let jobs: Vec<_> = jobs.map(|(session, work)| Job { session: session.as_mut(), work }).collect();
    let (gate, before) = (StartGate::new(jobs.len()), cpu_s());
    pump.run(jobs, &MonotonicClock::default(), &gate).expect("pumped");
    let after = cpu_s();
    let transactions: u64 = works.iter().map(|work| done(work).transactions).sum();
    let service_ns: u64 = works.iter().map(|work| done(work).service_ns).sum();
    let (user_s, system_s, n) = (after.0 - before.0, after.1 - before.1, transactions as f64);
    println!(
        "rate {:.0} user_s {user_s:.2} system_s {system_s:.2} user_us_per_tx {:.2} total_us_per_tx {:.2} latency_us {:.1} memory_kib {} \
         threads {}",
        n / seconds,
        user_s / n * 1e6,
        (user_s + system_s) / n * 1e6,
        service_ns as f64 / n / 1e3,
        memory_kib(),
        works.iter().map(|work| done(work).threads).max().unwrap_or(0),
    );
}

/// Processor time of this process so far, in user code and in the kernel; the kernel counts in hundredths of a second.
fn cpu_s() -> (f64, f64) {
    let stat = fs::read_to_string("/proc/self/stat").expect("stat");
    let fields: Vec<&str> = stat.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    let seconds = |n: usize| fields[n].parse::<f64>().expect("ticks") / 100.0;
    (seconds(11), seconds(12))
}

/// The peak memory of this process.
fn memory_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}
