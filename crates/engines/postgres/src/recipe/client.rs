//! The statement under test as a client sends it: the very text of the procedure, with what its answer needs.

use super::{Recipe, Variable};
use crate::wire::answer::Reads;
use dbdyno_engine::EngineError;
use dbdyno_model::{ErrorClass, Procedure, Shape};

/// A statement under test for a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct ClientStatement {
    /// Its text, with parameters.
    pub(in super::super) text: String,
    /// What each parameter is, in order.
    pub(in super::super) parameters: Vec<Parameter>,
    /// Asks for the plan of that text; answers with one row, in JSON.
    pub(in super::super) explain: String,
    /// What it answers with.
    pub(in super::super) reads: Reads,
    /// Whether the checksum is made of keys, as the procedure makes it, and not of what was read.
    pub(in super::super) sums_keys: Keyed,
    /// How often it is executed for one operation, each time with other months.
    pub(in super::super) executions: usize,
}

/// How a key gets into the checksum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Keyed {
    /// Not at all: quantities do.
    No,
    /// Where a row was changed.
    WhereFound,
    /// Always.
    Always,
}

/// What a parameter of a statement under test is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Parameter {
    /// The key.
    Key,
    /// The number of the row that is inserted, from 1.
    NewId,
    /// The row that is copied.
    Source,
    /// The first day that is looked at.
    From,
    /// The first day that is not any more.
    To,
    /// Rows of a small table.
    SmallRows,
}

impl Parameter {
    fn of(variable: &Variable) -> Option<Self> {
        Some(match (variable.name.as_str(), variable.kind.as_str()) {
            ("v_key", "bigint") => Self::Key,
            ("v_id", "bigint") => Self::NewId,
            ("v_source", "bigint") => Self::Source,
            ("v_from", "date") => Self::From,
            ("v_to", "date") => Self::To,
            ("p_small_rows", "bigint") => Self::SmallRows,
            _ => return None,
        })
    }

    /// The number of its type in the server's catalogue: bigint or date.
    pub(in super::super) fn type_oid(self) -> u32 {
        if self.is_date() { 1082 } else { 20 }
    }

    /// Whether it is a day, which has four bytes; all others are integers of eight.
    pub(in super::super) fn is_date(self) -> bool {
        matches!(self, Self::From | Self::To)
    }
}

impl Recipe {
    /// The statement as a client sends it.
    ///
    /// # Errors
    /// The test has none, or its note `variables` cannot be understood.
    pub(in super::super) fn client_statement(&self) -> Result<ClientStatement, EngineError> {
        let none = || {
            let message = format!("{} is not sent statement by statement: it has no client drive", self.statement);
            EngineError::new(ErrorClass::Unsupported, message)
        };
        let (reads, sums_keys) = match self.work {
            Procedure::Insert | Procedure::SelectPrimary => (Reads::Quantities, Keyed::No),
            Procedure::SelectSecondary | Procedure::Join => (Reads::Sums, Keyed::No),
            Procedure::UpdatePrimary => (Reads::Changes, Keyed::WhereFound),
            Procedure::UpdateSecondary => (Reads::Changes, Keyed::Always),
            _ => return Err(none()),
        };
        let (mut text, variables) = self.statement_under_test()?.ok_or_else(none)?;
        if self.work == Procedure::Insert {
            text.push_str(" RETURNING quantity");
        }
        let explain = Self::explaining(&text, &variables);
        let unknown = |v: &Variable| {
            EngineError::new(ErrorClass::Other, format!("{}: what {} is, no client knows", self.statement, v.name))
        };
        let parameters = variables.iter().map(|v| Parameter::of(v).ok_or_else(|| unknown(v)));
        // Months from one on, then those before it.
        let in_two = self.work == Procedure::SelectSecondary && self.table.shape() == Shape::Large;
        let executions = if in_two { 2 } else { 1 };
        Ok(ClientStatement {
            parameters: parameters.collect::<Result<_, _>>()?,
            text,
            explain,
            reads,
            sums_keys,
            executions,
        })
    }
}
