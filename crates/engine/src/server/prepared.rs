//! Statements as a server prepares and executes them.

use crate::EngineError;
use crate::client::{Bound, Place, StatementText, Value, ValueType};
use crate::procedure::{ClientText, ProcedureDialect};

/// A statement as the server is to prepare it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedText {
    /// Its text, with the dialect's places.
    pub sql: String,
    /// What stands at each place, in the order of the text.
    pub places: Vec<Place>,
    /// The output values of a call.
    pub outputs: Vec<ValueType>,
}

impl PreparedText {
    /// The text of a work's statement, with the places that a dialect has.
    ///
    /// # Errors
    /// The places of output values are not as they must be.
    pub fn of(text: &StatementText, dialect: &ProcedureDialect) -> Result<Self, EngineError> {
        let mut places = Vec::new();
        let sql = text.written(|place| {
            places.push(place);
            dialect.parameter(places.len())
        })?;
        Ok(Self { sql, places, outputs: text.outputs.clone() })
    }

    /// Values that it takes.
    pub(super) fn takes(&self) -> usize {
        let values = self.places.iter().map(|place| if let Place::Value(at) = place { at + 1 } else { 0 });
        values.max().unwrap_or(0)
    }
}

impl From<&ClientText> for PreparedText {
    /// One whose places are its values, one after the other.
    fn from(text: &ClientText) -> Self {
        let places = (0..text.parameters.len()).map(Place::Value).collect();
        Self { sql: text.sql.clone(), places, outputs: Vec::new() }
    }
}

/// One execution of a statement: what stands at its places.
#[derive(Debug, Clone, Copy)]
pub struct Execution<'a> {
    pub(super) bound: &'a Bound<'a>,
    pub(super) text: &'a PreparedText,
    /// The number of its first value among those of the request.
    pub(super) first: usize,
}

impl<'a> Execution<'a> {
    /// What stands at each place: a value, or the type of an output value.
    pub fn places(&self) -> impl Iterator<Item = Result<Value<'a>, ValueType>> + use<'a> {
        let Self { bound, text, first } = *self;
        text.places.iter().map(move |place| match place {
            Place::Value(at) => Ok(bound.values.get(first + at).unwrap_or(Value::Null)),
            Place::Output(of) => Err(*of),
        })
    }
}
