#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use super::*;
use dbdyno_engine::client::{Answer, Values};
use dbdyno_engine::program::TransactionType;
use dbdyno_engine::{Canceller, ChunkResult, Failure, PointSpec, Prepared};
use std::sync::Arc;

/// A session that does whatever it is told to.
struct Obedient;

impl Session for Obedient {
    fn prepare(&mut self, _: &PointSpec, _: u32) -> Result<Prepared, EngineError> {
        Ok(Prepared::default())
    }

    fn execute(&mut self, _: &Request<'_>) -> Result<ChunkResult, Failure> {
        Ok(ChunkResult::default())
    }

    fn flush(&mut self) -> Result<(), EngineError> {
        Ok(())
    }

    fn canceller(&self) -> Arc<dyn Canceller> {
        struct Never;
        impl Canceller for Never {
            fn cancel(&self) {}
        }
        Arc::new(Never)
    }
}

/// Two types in turn; every third transaction wants to be rolled back.
struct InTurn {
    begun: u8,
    acts: Vec<Act>,
    values: Values,
}

impl Program for InTurn {
    fn types(&self) -> &[TransactionType] {
        &[]
    }

    fn begin(&mut self) -> TypeId {
        let ends = if self.begun % 3 == 2 { Act::Rollback } else { Act::Commit };
        self.acts = vec![Act::Ended, ends, Act::Execute { statement: 0, times: 1, opens: true }];
        self.begun += 1;
        type_id(self.begun - 1)
    }

    fn again(&mut self) {}

    fn act(&mut self, _: Option<(&ChunkResult, &Answer)>) -> Act {
        self.acts.pop().unwrap()
    }

    fn values(&self) -> &Values {
        &self.values
    }

    fn did(&self) -> ChunkResult {
        ChunkResult::default()
    }
}

fn type_id(begun: u8) -> TypeId {
    TypeId::new(begun % 2)
}

#[test]
fn who_counts_commits_hears_which_type_was_committed() {
    let program = InTurn { begun: 0, acts: Vec::new(), values: Values::new() };
    let mut alone = Alone::new(Box::new(Obedient), Box::new(program));
    let types: Vec<Option<TypeId>> = (0..6).map(|_| alone.transaction().unwrap()).collect();
    let [first, second] = [0, 1].map(|number| Some(type_id(number)));
    assert_eq!(types, [first, second, None, second, first, None]);
}
