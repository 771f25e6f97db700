//! A program whose user pauses within transactions: before each statement but the first. Commits follow at once. What
//! the transaction has locked stays locked meanwhile, as with an application whose user thinks.

use super::think_times::ThinkTimes;
use dbdyno_engine::ChunkResult;
use dbdyno_engine::client::{Answer, Values};
use dbdyno_engine::data::mix;
use dbdyno_engine::program::{Act, Outcome, Program, TransactionType, TypeId};
use dbdyno_model::Think;

/// Pauses within transactions are drawn apart from those between them.
const WITHIN: u64 = 0x7769_7468_696e;

/// A program with pauses.
pub(crate) struct Pausing<P> {
    program: P,
    pauses: ThinkTimes,
    /// Whether the transaction has sent a statement.
    has_begun: bool,
    /// The statement that follows the pause under way.
    after: Option<Act>,
}

impl<P: Program> Pausing<P> {
    /// The program of a user, and the pauses.
    pub(crate) fn new(program: P, pause: Think, seed: u64, job: u32) -> Self {
        let pauses = ThinkTimes::new(pause, mix(seed ^ WITHIN), job);
        Self { program, pauses, has_begun: false, after: None }
    }
}

impl<P: Program> Program for Pausing<P> {
    fn types(&self) -> &[TransactionType] {
        self.program.types()
    }

    fn begin(&mut self) -> TypeId {
        (self.has_begun, self.after) = (false, None);
        self.program.begin()
    }

    fn again(&mut self) {
        (self.has_begun, self.after) = (false, None);
        self.program.again();
    }

    fn act(&mut self, reply: Option<(&ChunkResult, &Answer)>) -> Act {
        if let Some(act) = self.after.take() {
            return act;
        }
        let act = self.program.act(reply);
        if !matches!(act, Act::Execute { .. }) || !std::mem::replace(&mut self.has_begun, true) {
            return act;
        }
        self.after = Some(act);
        Act::Think(self.pauses.next_ns())
    }

    fn values(&self) -> &Values {
        self.program.values()
    }

    fn did(&self) -> ChunkResult {
        self.program.did()
    }

    fn changes(&self) -> bool {
        self.program.changes()
    }

    fn ended(&mut self, outcome: Outcome) {
        self.program.ended(outcome);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    /// Sends three statements, opens with the second, and commits.
    struct Three {
        values: Values,
        at: usize,
    }

    impl Program for Three {
        fn types(&self) -> &[TransactionType] {
            &[]
        }

        fn begin(&mut self) -> TypeId {
            self.at = 0;
            TypeId::FIRST
        }

        fn again(&mut self) {
            self.at = 0;
        }

        fn act(&mut self, _: Option<(&ChunkResult, &Answer)>) -> Act {
            self.at += 1;
            match self.at {
                1..=3 => Act::Execute { statement: self.at, times: 1, opens: self.at == 2 },
                4 => Act::Commit,
                _ => Act::Ended,
            }
        }

        fn values(&self) -> &Values {
            &self.values
        }

        fn did(&self) -> ChunkResult {
            ChunkResult::default()
        }
    }

    #[test]
    fn a_user_pauses_before_each_statement_but_the_first_and_not_before_the_commit() {
        let mut program = Pausing::new(Three { values: Values::new(), at: 0 }, "2ms..4ms".parse().unwrap(), 1, 0);
        let done = ChunkResult::default();
        let execute = |statement| Act::Execute { statement, times: 1, opens: statement == 2 };
        for again in [false, true, false] {
            if again {
                program.again();
            } else {
                program.begin();
            }
            assert_eq!(program.act(None), execute(1));
            for statement in [2, 3] {
                let Act::Think(pause_ns) = program.act(Some((&done, Answer::NONE))) else { panic!("no pause") };
                assert!((2_000_000..=4_000_000).contains(&pause_ns), "{pause_ns}");
                assert_eq!(program.act(None), execute(statement));
            }
            assert_eq!(program.act(Some((&done, Answer::NONE))), Act::Commit);
            assert_eq!(program.act(Some((&done, Answer::NONE))), Act::Ended);
        }
        // A transaction that is sent again in the middle of a pause begins anew.
        program.begin();
        program.act(None);
        assert!(matches!(program.act(Some((&done, Answer::NONE))), Act::Think(_)));
        program.again();
        assert_eq!(program.act(None), execute(1));
    }
}
