//! Of which transactions nobody knows whether the database has them.

use super::*;
use dbdyno_engine::client::{Answer, Values};
use dbdyno_engine::program::{Act, Program, TransactionType, TypeId};
use std::sync::LazyLock;

static TYPES: LazyLock<Vec<TransactionType>> =
    LazyLock::new(|| vec![TransactionType { name: "buy".to_owned(), weight: 1 }]);

/// Reads a row, then writes: in a transaction, or as a single statement.
struct ReadThenWrite {
    at: usize,
    in_transaction: bool,
    values: Values,
}

impl ReadThenWrite {
    fn new(in_transaction: bool) -> Self {
        let mut values = Values::new();
        values.set(&[1]);
        Self { at: 0, in_transaction, values }
    }
}

impl Program for ReadThenWrite {
    fn types(&self) -> &[TransactionType] {
        &TYPES
    }

    fn begin(&mut self) -> TypeId {
        self.again();
        TypeId::new(0)
    }

    fn again(&mut self) {
        self.at = 0;
    }

    fn act(&mut self, _: Option<(&ChunkResult, &Answer)>) -> Act {
        self.at += 1;
        match self.at {
            1 => Act::Execute { statement: 0, times: 1, opens: false },
            2 => Act::Execute { statement: 1, times: 1, opens: self.in_transaction },
            3 if self.in_transaction => Act::Commit,
            _ => Act::Ended,
        }
    }

    fn values(&self) -> &Values {
        &self.values
    }

    fn did(&self) -> ChunkResult {
        ChunkResult::default()
    }

    fn changes(&self) -> bool {
        self.at > 1
    }
}

/// Runs one session in which the statement of this number fails so. Returns the transactions of which nobody knows, and
/// the commits that may be lost.
fn unknown(in_transaction: bool, nth: u64, class: ErrorClass, says: Says) -> (u64, u64) {
    let spec = spec("T711", 1);
    let (duration_ns, load, clock) = (100 * MS, ClientLoad::default(), Arc::new(SimulatedClock::default()));
    let window = Window::new(WindowMode::of_client(duration_ns as f64 / 1e9), 1);
    let context = ClientContext::new(&window, load, None, &spec);
    let manner: Manner = Arc::new(move |n| (MS, (n == nth).then_some(class)));
    let mut session = Scripted { clock: Arc::clone(&clock), manner, says, statements: 0, asked: Asked::default() };
    let pool = WaitingUsers::default();
    let mut drives = context.sessions([(0, ReadThenWrite::new(in_transaction))], &pool);
    let pairs = vec![Job { session: &mut session, work: &mut drives[0] }];
    SimulatedPump(&clock).run(pairs, clock.as_ref(), &StartGate::new(1)).unwrap();
    let counts = drives.into_iter().map(ClientDrive::into_counts).collect();
    let result = context.gather(counts);
    assert_eq!(result.outcomes.errors.values().sum::<u64>(), 1, "{:?}", result.outcomes);
    (result.types[0].unknown, result.log.lost.commits)
}

#[test]
fn a_read_that_is_lost_leaves_nothing_unknown() {
    for class in [ErrorClass::ConnectionLost, ErrorClass::Timeout, ErrorClass::Cancelled] {
        for in_transaction in [false, true] {
            assert_eq!(unknown(in_transaction, 1, class, Says::Nothing), (0, 0), "{class}");
        }
    }
}

#[test]
fn a_single_write_that_is_lost_may_be_done() {
    for class in [ErrorClass::ConnectionLost, ErrorClass::Timeout, ErrorClass::Cancelled] {
        assert_eq!(unknown(false, 2, class, Says::Nothing).0, 1, "{class}");
        assert_eq!(unknown(true, 2, class, Says::Nothing), (0, 0), "{class}: it was not committed");
    }
    // After a time limit the point goes on, and its log says what may be lost.
    assert_eq!(unknown(false, 2, ErrorClass::Timeout, Says::Nothing), (1, 1));
    assert_eq!(unknown(false, 2, ErrorClass::Other, Says::Nothing).0, 0);
}

#[test]
fn a_write_that_the_database_says_was_not_done_is_not() {
    assert_eq!(unknown(false, 2, ErrorClass::Timeout, Says::Undone).0, 0, "a lock was not had in time");
    // A server that is going down says so at any moment, also when the commit is in the log already.
    assert_eq!(unknown(false, 2, ErrorClass::ConnectionLost, Says::Undone).0, 1, "the last word of a session");
}
