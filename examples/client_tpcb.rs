//! A foreign workload over the client drive: pgbench's TPC-B-like transaction on pgbench's own tables, its very statements with a
//! round trip each, by as many sessions as wanted. Run by `benches/client_vs_pgbench`, which gives pgbench the script that this
//! prints.
//!
//! Usage: client_tpcb TARGET SESSIONS SECONDS SCALE, or client_tpcb script SCALE
#![allow(clippy::print_stdout, clippy::expect_used, unreachable_pub, reason = "a bench that cannot go on has failed")]

mod measured;

use Variable::{Aid, Bid, Delta, Tid};
use dbdyno_engine::client::{Bound, Statements, Values};
use dbdyno_engine::data::Keys;
use dbdyno_engine::{Reply, Request, Step, Target, Work};
use dbdyno_model::{CommitMode, Size};
use measured::{Done, End};

/// What is drawn for a transaction.
#[derive(Debug, Clone, Copy)]
enum Variable {
    Aid,
    Bid,
    Tid,
    Delta,
}

/// The first and the last number that are drawn from at a scale.
type Range = fn(i64) -> [i64; 2];

/// A name for each, and what it is drawn from.
const VARIABLES: [(&str, Range); 4] = [
    ("aid", |scale| [1, 100_000 * scale]),
    ("bid", |scale| [1, scale]),
    ("tid", |scale| [1, 10 * scale]),
    ("delta", |_| [-5_000, 5_000]),
];

/// The statements, and which variables `:1`, `:2` ... are. COMMIT follows. The transaction is opened by a statement of its own,
/// as pgbench does it: the contract would send that with the next one and save a round trip.
const TRANSACTION: [(&str, &[Variable]); 6] = [
    ("BEGIN", &[]),
    ("UPDATE public.pgbench_accounts SET abalance = abalance + :1 WHERE aid = :2", &[Delta, Aid]),
    ("SELECT abalance FROM public.pgbench_accounts WHERE aid = :1", &[Aid]),
    ("UPDATE public.pgbench_tellers SET tbalance = tbalance + :1 WHERE tid = :2", &[Delta, Tid]),
    ("UPDATE public.pgbench_branches SET bbalance = bbalance + :1 WHERE bid = :2", &[Delta, Bid]),
    (
        "INSERT INTO public.pgbench_history (tid, bid, aid, delta, mtime) VALUES (:1, :2, :3, :4, CURRENT_TIMESTAMP)",
        &[Tid, Bid, Aid, Delta],
    ),
];

/// The same for pgbench.
fn script(scale: i64) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (name, range) in VARIABLES {
        let [from, to] = range(scale);
        lines.push(format!("\\set {name} random({from}, {to})"));
    }
    for (text, variables) in TRANSACTION {
        let named = |text: String, (n, variable): (usize, &Variable)| {
            text.replace(&format!(":{n}"), &format!(":{}", VARIABLES[*variable as usize].0))
        };
        lines.push(format!("{};", (1..).zip(variables).fold(text.to_owned(), named)));
    }
    lines.push("COMMIT;".to_owned());
    lines.join("\n")
}

/// One transaction after the other until the time is over.
struct Clerk<'a> {
    end: &'a End,
    keys: Keys,
    scale: i64,
    /// As drawn for this transaction.
    drawn: [i64; 4],
    values: Values,
    step: usize,
    /// The balances that were read, so that they are.
    balances: i64,
    done: Done,
}

impl Clerk<'_> {
    fn draw(&mut self) {
        for ((_, range), drawn) in VARIABLES.iter().zip(&mut self.drawn) {
            let [from, to] = range(self.scale);
            *drawn = from + self.keys.draw((to - from + 1).cast_unsigned()).cast_signed();
        }
    }
}

impl Work for Clerk<'_> {
    fn next(&mut self, now_ns: u64, reply: Option<Reply<'_>>) -> Step<'_> {
        match reply {
            None => self.end.begin(now_ns),
            Some(reply) => {
                let did = reply.result.expect("a reply");
                self.done.service_ns += reply.ended_ns - reply.started_ns;
                assert_eq!(did.rows, u64::from((1..6).contains(&self.step)), "rows of step {}", self.step);
                self.balances = self.balances.wrapping_add(reply.answer.int(0, 0).unwrap_or(0));
                self.step = (self.step + 1) % (TRANSACTION.len() + 1);
                if self.step == 0 {
                    self.done.one_more();
                    if self.end.has_come(now_ns) {
                        return Step::Done;
                    }
                }
            }
        }
        if self.step == 0 {
            self.draw();
        }
        let Some((_, variables)) = TRANSACTION.get(self.step) else { return Step::Execute(Request::Commit) };
        self.values.clear();
        for variable in *variables {
            self.values.push(self.drawn[*variable as usize]);
        }
        Step::Execute(Request::Statement(Bound { statement: self.step, values: &self.values, times: 1, opens: false }))
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |text: &String| text.parse::<f64>().expect("a number");
    let [target, sessions, seconds, scale] = match arguments.as_slice() {
        [script_only, scale] if script_only == "script" => return println!("{}", script(number(scale) as i64)),
        [a, b, c, d] => [a, b, c, d],
        _ => panic!("client_tpcb TARGET SESSIONS SECONDS SCALE, or client_tpcb script SCALE"),
    };
    let (jobs, seconds, scale) = (number(sessions) as u32, number(seconds), number(scale) as i64);
    // No test's data is asked for.
    let size = Size {
        id: "none".to_owned(),
        title: String::new(),
        small_rows: 0,
        large_rows: 0,
        engine_cache_bytes: 0,
        file_bytes: 0,
        bulk_partitions_per_job: 0,
    };
    let engine = dbdyno::ENGINES.open(&Target::parse(target).expect("a target"), &size).expect("an engine");
    let statements = Statements {
        work: "TPC-B-like".to_owned(),
        texts: TRANSACTION.iter().map(|(text, _)| (*text).to_owned().into()).collect(),
        commit: CommitMode::Durable,
    };
    let session = |job| {
        let mut session = engine.client_session(job, 1).expect("a session");
        session.prepare_statements(&statements).expect("prepared");
        session
    };
    let mut sessions: Vec<_> = (0..jobs).map(session).collect();
    let end = End::after(seconds);
    // Each run draws other numbers.
    let seed = u64::from(std::process::id());
    let clerk = |job| Clerk {
        end: &end,
        keys: Keys::at(seed, job, 0),
        scale,
        drawn: [0; 4],
        values: Values::new(),
        step: 0,
        balances: 0,
        done: Done::default(),
    };
    let mut clerks: Vec<Clerk<'_>> = (0..jobs).map(clerk).collect();
    measured::run(&*engine, &mut sessions, &mut clerks, seconds, |clerk| &clerk.done);
}
