//! The statement under test as a client sends it: the very text of the procedure, what it is given, and what its answer
//! says.

use super::{ProcedureSpec, Variable};
use crate::wire::prepared::ServerText;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Parameter, Reads, TestForm};
use dbdyno_model::{ErrorClass, Procedure, Shape};

/// A statement under test for a client.
pub(in super::super) struct ClientStatement {
    /// Its text, with parameters.
    pub(in super::super) text: ServerText,
    /// What it is given, and what its answer says.
    pub(in super::super) form: TestForm,
    /// Asks for the plan of that text; answers with one row, in JSON.
    pub(in super::super) explain: String,
}

/// The variables of procedures: their types, and what a client has for each.
const VARIABLES: [(&str, &str, u32, Parameter); 6] = [
    ("v_key", "bigint", 20, Parameter::Key),
    ("v_id", "bigint", 20, Parameter::Id),
    ("v_source", "bigint", 20, Parameter::Source),
    ("v_from", "date", 1082, Parameter::From),
    ("v_to", "date", 1082, Parameter::To),
    ("p_small_rows", "bigint", 20, Parameter::SmallRows),
];

impl ProcedureSpec {
    /// The statement as a client sends it.
    ///
    /// # Errors
    /// The test has none, or its note `variables` cannot be understood.
    pub(in super::super) fn client_statement(&self) -> Result<ClientStatement, EngineError> {
        let none = || {
            let message = format!("{} is not sent statement by statement: it has no client drive", self.statement);
            EngineError::new(ErrorClass::Unsupported, message)
        };
        let reads = match self.work {
            Procedure::Insert | Procedure::SelectPrimary => Reads::Quantities,
            Procedure::SelectSecondary | Procedure::Join => Reads::Sums,
            Procedure::UpdatePrimary | Procedure::UpdateSecondary => Reads::Changes,
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
        let known =
            |v: &Variable| VARIABLES.iter().find(|known| (known.0, known.1) == (v.name.as_str(), v.kind.as_str()));
        let places = variables.iter().map(|v| known(v).map(|known| (known.2, known.3)).ok_or_else(|| unknown(v)));
        let (type_oids, parameters) = places.collect::<Result<(Vec<_>, Vec<_>), _>>()?;
        // Months from one on, then those before it.
        let in_two = self.work == Procedure::SelectSecondary && self.table.shape() == Shape::Large;
        let form = TestForm { parameters, reads, in_two, finds: None };
        Ok(ClientStatement { text: ServerText { sql: text, type_oids, outputs: Vec::new() }, form, explain })
    }
}
