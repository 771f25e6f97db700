//! The messages that execute a statement under test: built once, sent again and again with other values in them.

use crate::recipe::client::{ClientStatement, Parameter};
use bytes::BytesMut;
use dbdyno_engine::EngineError;
use dbdyno_engine::client::Touch;
use dbdyno_engine::data::first_day;
use dbdyno_model::{ErrorClass, Size};
use postgres_protocol::IsNull;
use postgres_protocol::message::frontend;
use std::io;

/// The names of the prepared statements: short, as they go over the wire each time.
const TEST: &str = "t";
const BEGIN: &str = "b";
/// 2000-01-01, the server's day 0, as days since 1970-01-01.
const DAY_ZERO: i64 = 10_957;
/// Values are sent and answered in binary.
const BINARY: i16 = 1;
const MONTHS: usize = Size::RANGES as usize;

/// The messages of a statement, with places for its values.
pub(super) struct Form {
    messages: Vec<u8>,
    /// Where the statement's own begin; before it lies what opens a transaction.
    opened: usize,
    places: Vec<Place>,
    executions: usize,
    small_rows: u64,
    /// The first day of each month, and the first after all of them, as the server counts days.
    days: [i32; MONTHS + 1],
}

/// Where a value lies in the messages.
struct Place {
    at: usize,
    parameter: Parameter,
    /// Of which execution.
    execution: usize,
}

impl Form {
    /// The form of a statement.
    ///
    /// # Errors
    /// It cannot be written.
    pub(super) fn new(statement: &ClientStatement, small_rows: u64) -> Result<Self, EngineError> {
        let (mut out, mut places) = (BytesMut::new(), Vec::new());
        opening(&mut out).map_err(unwritable)?;
        let opened = out.len();
        for execution in 0..statement.executions {
            bind(
                TEST,
                &statement.parameters,
                |(at, parameter)| places.push(Place { at, parameter, execution }),
                &mut out,
            )?;
        }
        frontend::sync(&mut out);
        let mut days = [0; MONTHS + 1];
        for (range, day) in (0..).zip(&mut days) {
            *day = i32::try_from(first_day(range) - DAY_ZERO).unwrap_or(i32::MAX);
        }
        let (messages, executions, small_rows) = (out.to_vec(), statement.executions, small_rows.max(1));
        Ok(Self { messages, opened, places, executions, small_rows, days })
    }

    /// The messages that prepare a statement, and what opens a transaction.
    ///
    /// # Errors
    /// They cannot be written.
    pub(super) fn preparing(statement: &ClientStatement) -> Result<BytesMut, EngineError> {
        let mut out = BytesMut::new();
        prepare_opening(&mut out).map_err(unwritable)?;
        frontend::close(b'S', TEST, &mut out).map_err(unwritable)?;
        let types = statement.parameters.iter().map(|parameter| parameter.type_oid());
        frontend::parse(TEST, &statement.text, types, &mut out).map_err(unwritable)?;
        frontend::sync(&mut out);
        Ok(out)
    }

    /// The messages with these values in them.
    pub(super) fn fill(&mut self, touch: &Touch) -> &[u8] {
        for place in &self.places {
            let number = match place.parameter {
                Parameter::Key => touch.key,
                Parameter::NewId => touch.key + 1,
                Parameter::Source => touch.other,
                Parameter::SmallRows => self.small_rows,
                Parameter::From | Parameter::To => {
                    let day = self.days[self.month(place, touch)];
                    self.messages[place.at..place.at + 4].copy_from_slice(&day.to_be_bytes());
                    continue;
                }
            };
            self.messages[place.at..place.at + 8].copy_from_slice(&number.to_be_bytes());
        }
        &self.messages[if touch.opens { 0 } else { self.opened }..]
    }

    /// The month that a day begins. A search through all months goes from one on, and then through those before it; all
    /// else looks into the month that the key lies in.
    fn month(&self, place: &Place, touch: &Touch) -> usize {
        let from = place.parameter == Parameter::From;
        let begin = touch.other as usize % MONTHS;
        match (self.executions, place.execution) {
            (1, _) => ((touch.key.saturating_sub(1) / self.small_rows) as usize % MONTHS) + usize::from(!from),
            (_, 0) if from => begin,
            (_, 0) => MONTHS,
            (_, _) if from => 0,
            (_, _) => begin,
        }
    }
}

/// Binds and executes a prepared statement; `place` hears where each value will lie.
fn bind(
    name: &str,
    parameters: &[Parameter],
    mut place: impl FnMut((usize, Parameter)),
    out: &mut BytesMut,
) -> Result<(), EngineError> {
    let write = |parameter: Parameter, out: &mut BytesMut| {
        place((out.len(), parameter));
        out.extend_from_slice(&[0; 8][..if parameter.is_date() { 4 } else { 8 }]);
        Ok(IsNull::No)
    };
    let bound = frontend::bind("", name, [BINARY], parameters.iter().copied(), write, [BINARY], out);
    bound.map_err(|_| unwritable("a value that has no place"))?;
    execute(out).map_err(unwritable)
}

/// Executes what is bound, to its end.
pub(super) fn execute(out: &mut BytesMut) -> io::Result<()> {
    frontend::execute("", 0, out)
}

/// Prepares what opens a transaction. A session may be prepared once more; what is not there is closed without complaint.
pub(super) fn prepare_opening(out: &mut BytesMut) -> io::Result<()> {
    frontend::close(b'S', BEGIN, out)?;
    frontend::parse(BEGIN, "BEGIN", [], out)
}

/// Opens a transaction; no round trip of its own, as what follows is sent with it.
pub(super) fn opening(out: &mut BytesMut) -> io::Result<()> {
    let bound = frontend::bind("", BEGIN, [], std::iter::empty::<()>(), |(), _| Ok(IsNull::Yes), [], out);
    bound.map_err(|_| io::Error::other("a name that cannot be sent"))?;
    execute(out)
}

fn unwritable(error: impl std::fmt::Display) -> EngineError {
    EngineError::new(ErrorClass::Other, format!("writing the messages of a statement: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::Recipe;
    use dbdyno_testkit::conformance::catalogue;
    use proptest::prelude::*;

    fn statement(code: &str) -> ClientStatement {
        let test = catalogue::tests().into_iter().find(|test| test.code.as_str() == code).unwrap();
        Recipe::of(&test).unwrap().client_statement().unwrap()
    }

    /// Kinds of the messages, one after the other; their lengths must fit.
    fn kinds(mut messages: &[u8]) -> String {
        let mut kinds = String::new();
        while let Some((kind, rest)) = messages.split_first() {
            let length = u32::from_be_bytes(*rest.first_chunk().unwrap()) as usize;
            kinds.push(char::from(*kind));
            messages = &rest[length..];
        }
        kinds
    }

    #[test]
    fn a_transaction_is_opened_in_the_same_round_trip() {
        for (code, expected) in [("T611", "BES"), ("T626", "BEBES"), ("T711", "BES")] {
            let mut form = Form::new(&statement(code), 3_200).unwrap();
            assert_eq!(kinds(form.fill(&Touch::default())), expected, "{code}");
            let opening = format!("BE{expected}");
            assert_eq!(kinds(form.fill(&Touch { opens: true, ..Touch::default() })), opening, "{code}");
            assert_eq!(kinds(&Form::preparing(&statement(code)).unwrap()), "CPCPS");
        }
    }

    #[test]
    fn a_search_begins_with_a_month_and_ends_with_those_before_it() {
        let mut form = Form::new(&statement("T626"), 3_200).unwrap();
        let touch = Touch { key: 7, other: 14, opens: false };
        let days: Vec<i32> = {
            let at: Vec<usize> = form.places.iter().filter(|p| p.parameter.is_date()).map(|p| p.at).collect();
            form.fill(&touch);
            at.iter().map(|at| i32::from_be_bytes(*form.messages[*at..].first_chunk().unwrap())).collect()
        };
        let day = |range| i32::try_from(first_day(range) - DAY_ZERO).unwrap();
        assert_eq!(days, [day(14), day(32), day(0), day(14)]);
    }

    proptest! {
        /// Whatever is bound, messages stay whole and values lie where they belong.
        #[test]
        fn values_lie_in_their_places(key in 1_u64..1 << 40, other in any::<u64>(), opens in any::<bool>()) {
            for test in catalogue::tests().into_iter().filter(|test| test.procedure.has_client_form()) {
                let Ok(recipe) = Recipe::of(&test) else { continue };
                let statement = recipe.client_statement().unwrap();
                let mut form = Form::new(&statement, 3_200).unwrap();
                let before = kinds(form.fill(&Touch { key: 1, other: 1, opens }));
                prop_assert_eq!(kinds(form.fill(&Touch { key, other, opens })), before);
                for place in &form.places {
                    let bytes = &form.messages[place.at..];
                    let number = || u64::from_be_bytes(*bytes.first_chunk().unwrap());
                    match place.parameter {
                        Parameter::Key => prop_assert_eq!(number(), key),
                        Parameter::NewId => prop_assert_eq!(number(), key + 1),
                        Parameter::Source => prop_assert_eq!(number(), other),
                        Parameter::SmallRows => prop_assert_eq!(number(), 3_200),
                        Parameter::From | Parameter::To => {
                            let day = i32::from_be_bytes(*bytes.first_chunk().unwrap());
                            prop_assert!(form.days.contains(&day));
                        }
                    }
                }
            }
        }
    }
}
