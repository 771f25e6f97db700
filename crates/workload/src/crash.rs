//! What a crash may lose: sessions write transactions that can be told from each other for ever. A transaction is known
//! by the cut that it precedes, its session, and its number there, and all that it writes follows from these three. So
//! whoever knows which transactions were acknowledged knows every row that must be there ([`judge`]).

mod judge;
mod rows;

use crate::{About, DataSpec, Ended, User, Workload};
use dbdyno_engine::ChunkResult;
use dbdyno_engine::client::{Answer, Values};
use dbdyno_engine::program::{Act, Program, TransactionType, TypeId};
use dbdyno_model::{Drive, Parameters, Scale};

pub use judge::{Acknowledged, Found, StoredRow, StoredSession, judge, judge_rows, unanswered};
pub use rows::{Row, TABLES, TransactionKey, rows_of};

/// The statements of a user, by their numbers.
const STATEMENTS: [&str; 5] = ["start", "move", "insert_1", "insert_2", "insert_3"];
const START: usize = 0;
const MOVE: usize = 1;
const FIRST_INSERT: usize = 2;

/// The workload of crash tests. It is none of [`crate::WORKLOADS`], as it measures nothing by itself. The seed of a
/// user is the cut.
pub struct Crash;

impl Workload for Crash {
    fn about(&self) -> &'static About {
        &About {
            name: "crash",
            title: "transactions that can be told from each other, for crash tests",
            load_words: "adds rows to its own tables; commits again and again",
            scale_words: "nothing: its tables begin empty",
            scale_step: Scale::ONE,
            scale_by_default: Scale::ONE,
            unit: None,
            row_is_block: false,
            version: 1,
            commits: &[1],
            nothing_outside: true,
            tables: include_str!("crash.toml"),
        }
    }

    fn types(&self) -> Vec<TransactionType> {
        vec![TransactionType { name: "commit".to_owned(), weight: 1 }]
    }

    fn statements(&self, _: Drive) -> Vec<&'static str> {
        STATEMENTS.to_vec()
    }

    fn program(&self, user: User, types: Vec<TransactionType>) -> Box<dyn Program> {
        Box::new(Commits::new(&user, types))
    }

    fn misloaded(&self, _: &DataSpec, counted: &[i64]) -> Vec<String> {
        let said = format!("the tables of crash tests begin empty, and hold {counted:?} rows");
        counted.iter().any(|rows| *rows != 0).then_some(said).into_iter().collect()
    }

    fn miscounted(&self, _: (&[i64], &[i64]), _: &[Ended], _: (&DataSpec, &Parameters)) -> Vec<String> {
        Vec::new()
    }
}

/// The transactions of a session, one after the other.
struct Commits {
    types: Vec<TransactionType>,
    key: TransactionKey,
    rows: Vec<Row>,
    /// The statement that comes next: 0 is that of the session's row.
    at: usize,
    values: Values,
}

impl Commits {
    fn new(user: &User, types: Vec<TransactionType>) -> Self {
        let key = TransactionKey { cut: user.seed as u32, session: user.number, seq: 0 };
        Self { types, key, rows: Vec::new(), at: 0, values: Values::new() }
    }

    /// The values of the session's row, which each transaction changes with the others.
    fn session_row(&mut self) -> usize {
        let TransactionKey { cut, session, seq } = self.key;
        let (seq, rows) = (seq.cast_signed(), self.rows.len() as i64);
        let (cut, session) = (i64::from(cut), i64::from(session));
        let (statement, values) = match seq {
            1 => (START, [cut, session, seq, rows]),
            _ => (MOVE, [seq, rows, cut, session]),
        };
        for value in values {
            self.values.push(value);
        }
        statement
    }
}

impl Program for Commits {
    fn types(&self) -> &[TransactionType] {
        &self.types
    }

    fn begin(&mut self) -> TypeId {
        self.key.seq += 1;
        self.rows = rows_of(self.key);
        self.again();
        TypeId::FIRST
    }

    fn again(&mut self) {
        self.at = 0;
    }

    fn act(&mut self, _: Option<(&ChunkResult, &Answer)>) -> Act {
        let at = self.at;
        self.at += 1;
        self.values.clear();
        if at == 0 {
            let statement = self.session_row();
            return Act::Execute { statement, times: 1, opens: true };
        }
        let Some(row) = self.rows.get(at - 1) else {
            return if at == self.rows.len() + 1 { Act::Commit } else { Act::Ended };
        };
        let TransactionKey { cut, session, seq } = self.key;
        self.values.push(i64::from(cut));
        self.values.push(i64::from(session));
        self.values.push(seq.cast_signed());
        self.values.push(i64::from(row.part));
        self.values.push(row.checksum);
        self.values.push(row.body.as_str());
        Act::Execute { statement: FIRST_INSERT + row.table, times: 1, opens: false }
    }

    fn values(&self) -> &Values {
        &self.values
    }

    fn did(&self) -> ChunkResult {
        ChunkResult { rows: self.rows.len() as u64, ..ChunkResult::default() }
    }
}

#[cfg(test)]
mod tests;
