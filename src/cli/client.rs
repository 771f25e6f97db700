//! The options of `run` for the client drive.

use super::values::{Word, connections, words};
use clap::Args;
use dbdyno_model::{Arrivals, Drive, Queue, Rates, Think};

/// Who runs the loop, and when a client's transactions begin.
#[derive(Debug, Args)]
#[command(next_help_heading = "Client drive")]
pub(crate) struct ClientArgs {
    /// Who runs the loop: a procedure inside the database, or dbdyno, which sends each statement and times each
    /// transaction. The server drive of a workload calls a procedure for each transaction [default: server for tests,
    /// client for workloads]
    #[arg(long, value_name = "DRIVE", value_parser = words(DRIVES))]
    pub(crate) drive: Option<Drive>,
    /// Open loop: transactions of all jobs together that are due each second, as in 500/s,1000/s; or shares of what a
    /// closed loop reaches, which is measured first, as in 50%,80% or 10%..100%
    #[arg(long, value_name = "RATES", allow_hyphen_values = true)]
    pub(crate) rate: Option<Rates>,
    /// How the transactions of a rate are spread over time [default: poisson]
    #[arg(long, value_name = "HOW", value_parser = words(ARRIVALS))]
    pub(crate) arrivals: Option<Arrivals>,
    /// Closed loop: pause of each job between two transactions, as in 5ms, or 5ms..10ms for random times of a span
    #[arg(long, value_name = "TIME")]
    pub(crate) think: Option<Think>,
    /// Where the transactions of a rate wait for a session: in one queue, or in a queue for each session
    /// [default: shared]
    #[arg(long, value_name = "QUEUE", value_parser = words(QUEUES))]
    pub(crate) queue: Option<Queue>,
    /// How many connections the jobs share, like the users of an application with a connection pool. A job takes a
    /// connection for a whole transaction. How long it waited for one is shown separately [default: one for each job]
    #[arg(long, value_name = "N", value_parser = connections)]
    pub(crate) connections: Option<u32>,
    /// Whether each session moves to the thread on the processor where its server process runs. This needs client and
    /// server on one machine with few processors, and enough sessions at every step of the ramp [default: yes]
    #[arg(long, value_name = "WHETHER", value_parser = words(FOLLOW))]
    pub(crate) follow: Option<bool>,
}

/// The values of `--drive`.
const DRIVES: &[Word<Drive>] = &[
    ("server", Drive::Server, "A procedure inside the database: what the platform can do"),
    ("client", Drive::Client, "dbdyno sends each statement: what an application sees"),
];

/// The values of `--arrivals`.
pub(super) const ARRIVALS: &[Word<Arrivals>] = &[
    ("constant", Arrivals::Constant, "At equal distances"),
    ("poisson", Arrivals::Poisson, "Independent of each other, like the requests of many users"),
];

/// The values of `--queue`.
const QUEUES: &[Word<Queue>] = &[
    ("shared", Queue::Shared, "One queue for all sessions, as in front of a connection pool"),
    ("session", Queue::Session, "One queue for each session, as in applications whose users have a connection each"),
];

/// The values of `--follow`.
const FOLLOW: &[Word<bool>] = &[
    ("yes", true, "Sessions move where this is possible"),
    ("no", false, "Sessions stay where they are, as in most applications"),
];
