//! What the client drive itself costs: selects by primary key in a closed loop, one round trip each, by as many sessions as
//! wanted. Run by `benches/client_vs_pgbench`.
//!
//! Usage: client_rate TARGET SESSIONS SECONDS [CODE]
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a bench that cannot go on has failed"
)]

mod measured;

use dbdyno::ENGINES;
use dbdyno_engine::client::Transactions;
use dbdyno_engine::{Loaded, Reply, Request, Sampling, Step, Target, Task, Work};
use dbdyno_model::{CommitMode, Drive, Size};
use dbdyno_testkit::conformance::catalogue;
use measured::{Done, End};

/// One statement after the other until the time is over.
struct Loop<'a> {
    transactions: Transactions,
    end: &'a End,
    step: u64,
    done: Done,
}

impl Work for Loop<'_> {
    fn next(&mut self, now_ns: u64, reply: Option<Reply<'_>>) -> Step<'_> {
        match reply {
            None => self.end.begin(now_ns),
            Some(reply) => {
                reply.result.expect("a reply");
                self.done.service_ns += reply.ended_ns - reply.started_ns;
                self.step += 1;
            }
        }
        let statements = self.transactions.statements();
        let steps = statements + u64::from(self.transactions.commits());
        if self.step == steps {
            self.step = 0;
            self.done.one_more();
            self.transactions.advance();
            if self.end.has_come(now_ns) {
                return Step::Done;
            }
        }
        match self.step < statements {
            true => Step::Execute(Request::Touch(self.transactions.statement(self.step))),
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
    let engine = ENGINES.open(&Target::parse(target).expect("a target"), &catalogue::size_t()).expect("an engine");
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
    let end = End::after(seconds);
    let loop_of = |job| Loop { transactions: Transactions::new(&task, job), end: &end, step: 0, done: Done::default() };
    let mut loops: Vec<Loop<'_>> = (0..jobs).map(loop_of).collect();
    measured::run(&*engine, &mut sessions, &mut loops, seconds, |work| &work.done);
    drop(sessions);
    engine.end_point(&task).expect("the point's end");
}
