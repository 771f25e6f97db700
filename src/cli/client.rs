//! The options of `run` for the client drive.

use super::values::{Word, connections, words};
use clap::Args;
use dbdyno_model::{Arrivals, Drive, Logon, MixRequest, Queue, Rates, Think};

/// Who runs the loop, and when a client's transactions begin.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Client drive")]
pub(crate) struct ClientArgs {
    /// Who runs the loop
    ///
    /// A procedure inside the database, or dbdyno, which sends each statement and times each transaction. Tests are run
    /// by the server by default, and workloads by the client. The server drive of a workload calls a procedure for each
    /// transaction.
    #[arg(long, value_name = "DRIVE", value_parser = words(DRIVES))]
    pub(crate) drive: Option<Drive>,
    /// Transactions due each second: 500/s,1000/s or 10%..100%
    ///
    /// An open loop: transactions of all jobs together, as in 500/s,1000/s; or shares of what a closed loop reaches,
    /// which is measured first, as in 50%,80% or 10%..100%.
    #[arg(long, value_name = "RATES", allow_hyphen_values = true)]
    pub(crate) rate: Option<Rates>,
    /// How the transactions of a rate are spread over time [default: poisson]
    #[arg(long, value_name = "HOW", value_parser = words(ARRIVALS), hide_short_help = true)]
    pub(crate) arrivals: Option<Arrivals>,
    /// Closed loop: pause of each job between two transactions, as in 5ms
    ///
    /// 5ms..10ms are random times of a span.
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub(crate) think: Option<Think>,
    /// Workloads: weights of the transactions, as in NCR=15,BP=50
    ///
    /// Transactions that are not named do not come. `default` first keeps the weights of the others, as in
    /// default,SRQ=2. `dbdyno list workloads` has the codes.
    #[arg(long, value_name = "WEIGHTS", allow_hyphen_values = true, hide_short_help = true)]
    pub(crate) mix: Option<MixRequest>,
    /// Workloads: pause of each user within a transaction, as in 5ms
    ///
    /// Before each statement but the first; 5ms..10ms are random times of a span. Transactions are timed with their
    /// pauses, and keep what they have locked.
    #[arg(long, value_name = "TIME", hide_short_help = true)]
    pub(crate) pause: Option<Think>,
    /// Workloads: when a user opens a session [default: kept]
    ///
    /// A session that is opened for a transaction ends with it, and the transaction is timed with both. Statements are
    /// then prepared when they are first sent.
    #[arg(long, value_name = "WHEN", value_parser = words(LOGONS), hide_short_help = true)]
    pub(crate) logon: Option<Logon>,
    /// Where the transactions of a rate wait for a session [default: shared]
    #[arg(long, value_name = "QUEUE", value_parser = words(QUEUES), hide_short_help = true)]
    pub(crate) queue: Option<Queue>,
    /// How many connections the jobs share [default: one for each job]
    ///
    /// Like the users of an application with a connection pool. A job takes a connection for a whole transaction. How
    /// long it waited for one is shown separately.
    #[arg(long, value_name = "N", value_parser = connections, hide_short_help = true)]
    pub(crate) connections: Option<u32>,
    /// Whether sessions move to their server's processor [default: yes]
    ///
    /// Each session moves to the thread on the processor where its server process runs. This needs client and server on
    /// one machine with few processors, and enough sessions at every step of the ramp.
    #[arg(long, value_name = "WHETHER", value_parser = words(FOLLOW), hide_short_help = true)]
    pub(crate) follow: Option<bool>,
}

/// The values of `--drive`.
const DRIVES: &[Word<Drive>] = &[
    ("server", Drive::Server, "A procedure inside the database: what the platform can do"),
    ("client", Drive::Client, "dbdyno sends each statement: what an application sees"),
];

/// The values of `--logon`.
const LOGONS: &[Word<Logon>] = &[
    ("kept", Logon::Kept, "Before the first transaction, and keeps it"),
    ("transaction", Logon::Transaction, "For each transaction, and ends it with that"),
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
