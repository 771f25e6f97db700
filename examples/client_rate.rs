//! The cost of the client drive: selects by primary key in a closed loop, one round trip each, with any number of
//! sessions. Run by `benches/client_vs_pgbench`.
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
use dbdyno_engine::client::{Bound, TestProgram};
use dbdyno_engine::program::{Act, Outcome, Program as _};
use dbdyno_engine::{Loaded, PointSpec, Reply, Request, Sampling, Step, Target, Work};
use dbdyno_model::{CommitMode, Drive, Size};
use dbdyno_testkit::conformance::catalogue;
use measured::{Done, End};

/// One transaction after the other until the time is over.
struct Loop<'a> {
    program: TestProgram,
    end: &'a End,
    done: Done,
}

impl Work for Loop<'_> {
    fn next(&mut self, now_ns: u64, reply: Option<Reply<'_>>) -> Step<'_> {
        let mut act = match reply {
            None => {
                self.end.begin(now_ns);
                Act::Ended
            }
            Some(reply) => {
                let did = reply.result.expect("a reply");
                self.done.service_ns += reply.ended_ns - reply.started_ns;
                let act = self.program.act(Some((&did, reply.answer)));
                if act == Act::Ended {
                    self.program.ended(Outcome::Committed);
                    self.done.one_more();
                    if self.end.has_come(now_ns) {
                        return Step::Done;
                    }
                }
                act
            }
        };
        if act == Act::Ended {
            self.program.begin();
            act = self.program.act(None);
        }
        match act {
            Act::Execute { statement, times, opens } => {
                Step::Execute(Request::Statement(Bound { statement, values: self.program.values(), times, opens }))
            }
            _ => Step::Execute(Request::Commit),
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
    let spec = PointSpec {
        rows_per_tx: test.rows_per_tx.unwrap_or(0),
        test,
        size,
        seed,
        key_seed: seed ^ 0x6b65_7973,
        nodes: 1,
        jobs,
        jobs_before: 0,
        jobs_after: 0,
        threads: 1,
        commit: CommitMode::Durable,
        drive: Drive::Client,
        sampling: Sampling::Off,
    };
    engine.begin_point(&spec).expect("a point");
    let mut sessions: Vec<_> = (0..jobs).map(|job| engine.client_session(job, 1).expect("a session")).collect();
    let end = End::after(seconds);
    let mut loops = Vec::new();
    for (job, session) in (0..).zip(&mut sessions) {
        let prepared = session.prepare(&spec, job).expect("prepared");
        assert_eq!(prepared.problems, [""; 0]);
        let program = TestProgram::new(&spec, job, prepared.form.expect("a form"));
        loops.push(Loop { program, end: &end, done: Done::default() });
    }
    measured::run(&*engine, &mut sessions, &mut loops, seconds, |work| &work.done);
    drop(sessions);
    engine.end_point(&spec).expect("the point's end");
}
