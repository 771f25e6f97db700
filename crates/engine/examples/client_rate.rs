//! What the client drive itself costs: selects by primary key in a closed loop, one round trip each, by as many sessions as
//! wanted. Run by `benches/client_vs_pgbench`.
//!
//! Usage: client_rate TARGET SESSIONS SECONDS [CODE]
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a bench that cannot go on has failed"
)]

#[path = "../tests/conformance/catalogue.rs"]
#[allow(dead_code, unreachable_pub, reason = "a few of its tests are enough")]
mod catalogue;

use dbdyno_engine::client::Transactions;
use dbdyno_engine::{Job, Loaded, MonotonicClock, Reply, Request, Sampling, StartGate, Step, Target, Task, Work, open};
use dbdyno_model::{CommitMode, Drive, Size};
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

/// One statement after the other until the time is over.
struct Loop<'a> {
    transactions: Transactions,
    until_ns: &'a AtomicU64,
    duration_ns: u64,
    step: u64,
    done: u64,
    service_ns: u64,
    /// Threads of this process in the middle of the work, where somebody has counted.
    threads: usize,
}

impl Work for Loop<'_> {
    fn next(&mut self, now_ns: u64, reply: Option<Reply>) -> Step {
        match reply {
            None => {
                _ = self.until_ns.compare_exchange(0, now_ns + self.duration_ns, Ordering::Relaxed, Ordering::Relaxed)
            }
            Some(reply) => {
                reply.result.expect("a reply");
                self.service_ns += reply.ended_ns - reply.started_ns;
                self.step += 1;
            }
        }
        let statements = self.transactions.statements();
        let steps = statements + u64::from(self.transactions.commits());
        if self.step == steps {
            (self.step, self.done) = (0, self.done + 1);
            self.transactions.advance();
            if self.done == 1 {
                self.threads = fs::read_dir("/proc/self/task").expect("threads").count();
            }
            if now_ns >= self.until_ns.load(Ordering::Relaxed) {
                return Step::Done;
            }
        }
        match self.step < statements {
            true => Step::Execute(Request::Statement(self.transactions.statement(self.step))),
            false => Step::Execute(Request::Commit),
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [target, sessions, seconds, rest @ ..] = arguments.as_slice() else {
        panic!("client_rate TARGET SESSIONS SECONDS [CODE]");
    };
    let (jobs, seconds): (u32, f64) = (sessions.parse().expect("sessions"), seconds.parse().expect("seconds"));
    let code = rest.first().map_or("T611", String::as_str);
    let test = catalogue::tests().into_iter().find(|test| test.code.as_str() == code).expect("a test of the catalogue");
    let engine = open(&Target::parse(target).expect("a target"), &catalogue::size_t()).expect("an engine");
    let Loaded::Complete { size, seed, .. } = engine.loaded().expect("a server") else { panic!("nothing is loaded") };
    let small_rows = if size == "D" { 32_000 } else { 3_200 };
    let size = Size { id: size, small_rows, large_rows: 32 * small_rows, ..catalogue::size_t() };
    let task = Task {
        rows_per_tx: test.rows_per_tx.unwrap_or(0),
        test,
        size,
        seed,
        key_seed: seed ^ 0x6b65_7973,
        nodes: 1,
        jobs,
        threads: 1,
        commit: CommitMode::Durable,
        drive: Drive::Client,
        sampling: Sampling::Off,
    };
    engine.begin_point(&task).expect("a point");
    let mut sessions: Vec<_> = (0..jobs).map(|job| engine.client_session(job, 1).expect("a session")).collect();
    for (job, session) in (0..).zip(&mut sessions) {
        assert_eq!(session.prepare(&task, job).expect("prepared").problems, [""; 0]);
    }
    let (until_ns, duration_ns) = (AtomicU64::new(0), (seconds * 1e9) as u64);
    let mut loops: Vec<Loop<'_>> = (0..jobs)
        .map(|job| Loop {
            transactions: Transactions::new(&task, job),
            until_ns: &until_ns,
            duration_ns,
            step: 0,
            done: 0,
            service_ns: 0,
            threads: 0,
        })
        .collect();
    let works = sessions.iter_mut().zip(&mut loops).map(|(session, work)| Job { session: session.as_mut(), work });
    let before = cpu_s();
    let pump = engine.pump(Drive::Client);
    pump.run(works.collect(), &MonotonicClock::default(), &StartGate::new(jobs as usize)).expect("pumped");
    let after = cpu_s();
    let done: u64 = loops.iter().map(|work| work.done).sum();
    let service_ns: u64 = loops.iter().map(|work| work.service_ns).sum();
    println!(
        "rate {:.0} user_s {:.2} system_s {:.2} user_us_per_tx {:.2} total_us_per_tx {:.2} latency_us {:.1} memory_kib {} threads {}",
        done as f64 / seconds,
        after.0 - before.0,
        after.1 - before.1,
        (after.0 - before.0) / done as f64 * 1e6,
        (after.0 + after.1 - before.0 - before.1) / done as f64 * 1e6,
        service_ns as f64 / done as f64 / 1e3,
        memory_kib(),
        loops.iter().map(|work| work.threads).max().unwrap_or(0),
    );
    drop(sessions);
    engine.end_point(&task).expect("the point's end");
}

/// Processor time of this process so far, in its own code and in the kernel; the kernel counts in hundredths of a second.
fn cpu_s() -> (f64, f64) {
    let stat = fs::read_to_string("/proc/self/stat").expect("stat");
    let fields: Vec<&str> = stat.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    let seconds = |n: usize| fields[n].parse::<f64>().expect("ticks") / 100.0;
    (seconds(11), seconds(12))
}

/// The most memory that this process has had.
fn memory_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("memory");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}
