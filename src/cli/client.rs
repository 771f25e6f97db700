//! The options of `run` for the client drive.

use super::values::{Word, connections, words};
use clap::Args;
use dbdyno_model::{Arrivals, Drive, Queue, Rates, Think};

/// Who runs the loop, and when a client's transactions begin.
#[derive(Debug, Args)]
#[command(next_help_heading = "Client drive")]
pub(crate) struct ClientArgs {
    /// Who runs the loop: a procedure inside the database, or dbdyno, which sends each statement and times each
    /// transaction [default: server for tests, client for workloads, whose server drive is a procedure called for each
    /// transaction]
    #[arg(long, value_name = "DRIVE", value_parser = words(DRIVES))]
    pub(crate) drive: Option<Drive>,
    /// Open loop: transactions/s that are due, all jobs together, as in 500/s,1000/s; or shares of what a closed loop
    /// reaches, which is measured first, as in 50%,80% or 10%..100%
    #[arg(long, value_name = "RATES", allow_hyphen_values = true)]
    pub(crate) rate: Option<Rates>,
    /// How the transactions of a rate are spread [default: poisson]
    #[arg(long, value_name = "HOW", value_parser = words(ARRIVALS))]
    pub(crate) arrivals: Option<Arrivals>,
    /// Closed loop: pause of each job between two transactions, as in 5ms, or 5ms..10ms for any from a span
    #[arg(long, value_name = "TIME")]
    pub(crate) think: Option<Think>,
    /// Who serves the transactions of a rate: whichever session is free, or each session a queue of its own
    /// [default: shared]
    #[arg(long, value_name = "WHOSE", value_parser = words(QUEUES))]
    pub(crate) queue: Option<Queue>,
    /// Jobs share so many connections, as the users of an application behind a pool of them: each takes one for a whole
    /// transaction; how long it had to wait for one is told apart [default: a connection each]
    #[arg(long, value_name = "N", value_parser = connections)]
    pub(crate) connections: Option<u32>,
    /// Whether sessions go to the thread on whose processor their server process runs, where client and server share a
    /// machine of few processors and every step of the ramp has sessions enough [default: yes]
    #[arg(long, value_name = "WHETHER", value_parser = words(WHETHER_TO_FOLLOW))]
    pub(crate) follow: Option<bool>,
}

/// `--drive`.
const DRIVES: &[Word<Drive>] = &[
    ("server", Drive::Server, "A procedure inside the database: what the platform can do"),
    ("client", Drive::Client, "dbdyno sends each statement: what an application sees"),
];

/// `--arrivals`.
pub(super) const ARRIVALS: &[Word<Arrivals>] = &[
    ("constant", Arrivals::Constant, "At equal distances"),
    ("poisson", Arrivals::Poisson, "Independent of each other, as the requests of many users"),
];

/// `--queue`.
const QUEUES: &[Word<Queue>] = &[
    ("shared", Queue::Shared, "One for all sessions, as before a pool of connections"),
    ("session", Queue::Session, "One for each session, as in applications whose users have a connection each"),
];

/// `--follow`.
const WHETHER_TO_FOLLOW: &[Word<bool>] = &[
    ("yes", true, "They go where that is possible"),
    ("no", false, "They stay where they are, as most applications' do"),
];
