//! Statements of a work's own: those of an application, where a test's belong to its engine.

use super::values::cents_from;
use super::{Value, Values};
use crate::EngineError;
use crate::data::day_from_iso;
use dbdyno_model::CommitMode;

/// What a session is prepared for: the statements that a work sends, which it names by their number from then on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statements {
    /// What errors call the work.
    pub work: String,
    /// Each one's text.
    pub texts: Vec<StatementText>,
    /// How commits behave.
    pub commit: CommitMode,
    /// When each of them is prepared.
    pub prepared: PrepareWhen,
}

/// When a session prepares its statements.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PrepareWhen {
    /// All of them before the first is sent.
    #[default]
    Beforehand,
    /// Each when it is sent for the first time, as a session does that is opened for one transaction.
    Sent,
}

/// The text of a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementText {
    /// SQL that the engine understands; `:1`, `:2` ... stand for its values.
    pub sql: String,
    /// What its values are, in order, where the server cannot tell by itself; empty where it can.
    pub types: Vec<ValueType>,
    /// The output values of a call of a procedure, in order; empty for every other statement. Their places follow those
    /// of the values: `CALL transfer(:1, :2, :3)` with one output value takes two values, and `:3` is what comes back.
    /// The answer has one row with these values, of these types, and the call counts as one row.
    ///
    /// A call is executed once a request. A procedure that commits must not be called within an open transaction.
    pub outputs: Vec<ValueType>,
}

/// What stands at a place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A value that the statement is given, the first one is 0.
    Value(usize),
    /// An output value.
    Output(ValueType),
}

impl From<String> for StatementText {
    fn from(sql: String) -> Self {
        Self { sql, ..Self::default() }
    }
}

impl StatementText {
    /// The text as an engine sends it: `write` gives what stands at each place, in the order of the text.
    ///
    /// # Errors
    /// The places of output values are not the last ones, once each, in order.
    pub fn written(&self, mut write: impl FnMut(Place) -> String) -> Result<String, EngineError> {
        let mut last = 0;
        placed(&self.sql, |number| {
            last = last.max(number);
            String::new()
        });
        let values = last.saturating_sub(self.outputs.len());
        let mut outputs = self.outputs.iter().zip(values + 1..);
        let mut in_order = true;
        let written = placed(&self.sql, |number| {
            if number <= values {
                return write(Place::Value(number - 1));
            }
            let output = outputs.next().filter(|(_, next)| *next == number);
            in_order &= output.is_some();
            output.map(|(output, _)| write(Place::Output(*output))).unwrap_or_default()
        });
        if in_order && outputs.next().is_none() {
            return Ok(written);
        }
        Err(EngineError::other(format!(
            "{}: its {} output values must stand in it after its values, once each and in order",
            self.sql,
            self.outputs.len()
        )))
    }
}

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueType {
    /// A whole number.
    Int,
    /// A day.
    Day,
    /// Hundredths.
    Cents,
    /// A text.
    Text,
}

impl ValueType {
    /// An output value of this type, from what a database answered with; nothing where that is no such value.
    #[inline]
    pub(super) fn of(self, value: Value<'_>) -> Option<Value<'_>> {
        Some(match (self, value) {
            (_, Value::Null)
            | (Self::Int, Value::Int(_))
            | (Self::Day, Value::Day(_))
            | (Self::Cents, Value::Cents(_))
            | (Self::Text, Value::Text(_)) => value,
            (Self::Int, Value::Text(text)) => Value::Int(text.parse().ok()?),
            (Self::Day, Value::Text(text)) => {
                // Some databases give every date a time of day.
                let day = text.strip_suffix(" 00:00:00").unwrap_or(text);
                Value::Day(i32::try_from(day_from_iso(day)?).ok()?)
            }
            (Self::Cents, Value::Int(number)) => Value::Cents(number.checked_mul(100)?),
            (Self::Cents, Value::Text(text)) => Value::Cents(cents_from(text)?),
            _ => return None,
        })
    }
}

/// A statement with its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bound<'a> {
    /// Its number among [`Statements::texts`].
    pub statement: usize,
    /// What `:1`, `:2` ... are, execution by execution.
    pub values: &'a Values,
    /// How often it is executed.
    pub times: usize,
    /// Whether a transaction of several statements begins with it; [`crate::Request::Commit`] ends that.
    pub opens: bool,
}

/// A text in which something else stands in the place of `:1`, `:2` ...: what `place` writes for each, in the order in
/// which they stand there. In quoted texts and names, and after another colon, they are no places.
pub fn placed(text: &str, mut place: impl FnMut(usize) -> String) -> String {
    let (mut written, mut quote, mut last) = (String::with_capacity(text.len()), None, ' ');
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let digits = text[at + c.len_utf8()..].bytes().take_while(u8::is_ascii_digit).count();
        let number = text[at + c.len_utf8()..][..digits].parse().ok().filter(|number| *number > 0);
        match (quote, c, number) {
            (None, ':', Some(number)) if last != ':' => {
                written.push_str(&place(number));
                for _ in 0..digits {
                    rest.next();
                }
                last = '0';
                continue;
            }
            (None, '\'' | '"' | '`', _) => quote = Some(c),
            (Some(open), _, _) if open == c => quote = None,
            _ => {}
        }
        written.push(c);
        last = c;
    }
    written
}

impl Bound<'_> {
    /// Whether it has the values of a statement that takes so many.
    #[inline]
    #[must_use]
    pub fn fits(&self, takes: usize) -> bool {
        self.times > 0 && takes * self.times == self.values.len()
    }

    /// The values of an execution, 0 first, of a statement that takes so many.
    pub fn of_execution(&self, execution: usize, takes: usize) -> impl Iterator<Item = Value<'_>> {
        (execution * takes..(execution + 1) * takes).filter_map(|at| self.values.get(at))
    }
}

impl Statements {
    /// The error of a request for a statement that there is none of, or with values other than it takes.
    #[cold]
    pub fn misused(work: &str, bound: &Bound<'_>, takes: Option<usize>) -> EngineError {
        let (number, given) = (bound.statement, bound.values.len());
        let message = match takes {
            None => format!("{work}: statement {number} was asked for, and there is none of that number"),
            Some(takes) => {
                let times = if bound.times == 1 { String::new() } else { format!(" for {} executions", bound.times) };
                format!("{work}: statement {number} takes {takes} values and was given {given}{times}")
            }
        };
        EngineError::other(message)
    }

    /// Refuses to execute a call several times in one request, as its answer has one row.
    ///
    /// # Errors
    /// It is asked for.
    #[inline]
    pub fn refuse_repeated(work: &str, bound: &Bound<'_>, outputs: &[ValueType]) -> Result<(), EngineError> {
        if bound.times == 1 || outputs.is_empty() {
            return Ok(());
        }
        let (number, times) = (bound.statement, bound.times);
        let message =
            format!("{work}: statement {number} has output values and is executed once a request, not {times} times");
        Err(EngineError::other(message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn places_are_found_where_values_can_stand() {
        for (text, expected, order) in [
            ("UPDATE a SET b = :2 WHERE c = :1", "UPDATE a SET b = $2 WHERE c = $1", vec![2, 1]),
            ("SELECT :1::bigint, ':3', \":4\", a.b", "SELECT $1::bigint, ':3', \":4\", a.b", vec![1]),
            ("VALUES (:1,:12,:1)", "VALUES ($1,$12,$1)", vec![1, 12, 1]),
            ("'it''s :1' || :2", "'it''s :1' || $2", vec![2]),
            ("a::1, :0, :x, é:1", "a::1, :0, :x, é$1", vec![1]),
        ] {
            let mut found = Vec::new();
            let written = placed(text, |number| {
                found.push(number);
                format!("${number}")
            });
            assert_eq!((written.as_str(), found), (expected, order));
        }
    }

    fn call(sql: &str, outputs: &[ValueType]) -> StatementText {
        StatementText { outputs: outputs.to_vec(), ..sql.to_owned().into() }
    }

    #[test]
    fn output_values_stand_after_the_values() {
        use ValueType::{Day, Int};
        let written = |sql: &str, outputs: &[ValueType]| {
            call(sql, outputs).written(|place| match place {
                Place::Value(at) => format!("v{at}"),
                Place::Output(of) => format!("{of:?}"),
            })
        };
        for (sql, outputs, expected) in [
            ("CALL p(:1, :2)", &[][..], "CALL p(v0, v1)"),
            ("CALL p(:1, :2)", &[Int], "CALL p(v0, Int)"),
            ("CALL p(:2, :1, :3, :1)", &[Int, Day], "CALL p(Int, v0, Day, v0)"),
            ("CALL p(:1)", &[Day], "CALL p(Day)"),
        ] {
            assert_eq!(written(sql, outputs).as_deref(), Ok(expected));
        }
        for (sql, outputs) in [
            ("CALL p(:2, :1)", &[Int, Day][..]),
            ("CALL p(:1, :1)", &[Int]),
            ("CALL p(:1)", &[Int, Day]),
            ("CALL p()", &[Int]),
            ("CALL p(:1, :3)", &[Int, Int]),
        ] {
            let refused = written(sql, outputs).unwrap_err();
            assert!(refused.message.starts_with(sql) && refused.message.contains("output values"), "{refused}");
        }
    }

    #[test]
    fn output_values_are_of_their_types() {
        for (of, given, expected) in [
            (ValueType::Int, Value::Int(-7), Some(Value::Int(-7))),
            (ValueType::Int, Value::Text("-7"), Some(Value::Int(-7))),
            (ValueType::Int, Value::Text("7.5"), None),
            (ValueType::Day, Value::Text("1970-01-03"), Some(Value::Day(2))),
            (ValueType::Day, Value::Text("1970-01-03 00:00:00"), Some(Value::Day(2))),
            (ValueType::Day, Value::Text("1970-01-03 00:00:01"), None),
            (ValueType::Cents, Value::Text("-12.5"), Some(Value::Cents(-1250))),
            (ValueType::Cents, Value::Int(12), Some(Value::Cents(1200))),
            (ValueType::Cents, Value::Int(i64::MAX), None),
            (ValueType::Text, Value::Text("12"), Some(Value::Text("12"))),
            (ValueType::Text, Value::Int(12), None),
            (ValueType::Text, Value::Null, Some(Value::Null)),
        ] {
            assert_eq!(of.of(given), expected, "{of:?} of {given:?}");
        }
    }

    #[test]
    fn a_call_is_executed_once_a_request() {
        let values = Values::new();
        let bound = |times| Bound { statement: 3, values: &values, times, opens: false };
        let refused = |times, outputs: &[ValueType]| Statements::refuse_repeated("w", &bound(times), outputs);
        assert!(refused(2, &[]).is_ok() && refused(1, &[ValueType::Int]).is_ok());
        let said = refused(2, &[ValueType::Int]).unwrap_err().message;
        assert_eq!(said, "w: statement 3 has output values and is executed once a request, not 2 times");
    }

    proptest! {
        #[test]
        fn nothing_else_is_changed(text in "[a:1'\" é]{0,30}") {
            prop_assert_eq!(placed(&text, |number| format!(":{number}")), text);
        }
    }
}
