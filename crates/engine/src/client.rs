//! What a client sends. A test is a program of one type: which keys, in which order, is the same for all engines, and
//! keys are those of the server drive, so that both do the same work; an engine says how its statement reads, what it
//! is given and what its answer says. An application's work has statements of its own and brings their values.

mod answer;
mod keys;
mod statements;
mod test;
mod values;

pub use answer::Answer;
pub use statements::placed;
pub use statements::{Bound, Place, PrepareWhen, StatementText, Statements, ValueType};
pub use test::{Parameter, Reads, TestForm, TestProgram, commits};
pub use values::{Value, ValueOf, Values, cents_from, cents_text};

use crate::EngineError;
use dbdyno_model::ErrorClass;

/// What an engine answers that has no client drive, or none for the work of a test.
pub fn unsupported() -> EngineError {
    EngineError::new(ErrorClass::Unsupported, "this work has no client drive")
}
