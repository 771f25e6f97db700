//! Statements of a work's own: those of an application, where a test's belong to its engine.

use super::Values;
use crate::EngineError;
use dbdyno_model::{CommitMode, ErrorClass};

/// What a session is prepared for: the statements that a work sends, which it names by their number from then on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statements {
    /// What errors call the work.
    pub work: String,
    /// Each one's text.
    pub texts: Vec<StatementText>,
    /// How commits behave.
    pub commit: CommitMode,
}

/// The text of a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StatementText {
    /// SQL that the engine understands; `:1`, `:2` ... stand for its values.
    pub sql: String,
    /// What its values are, in order, where the server cannot tell by itself; empty where it can.
    pub types: Vec<ValueType>,
}

impl From<String> for StatementText {
    fn from(sql: String) -> Self {
        Self { sql, types: Vec::new() }
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

/// A text in which something else stands in the place of `:1`, `:2` ...: what `place` writes for each, in the order in which
/// they stand there. In quoted texts and names, and after another colon, they are no places.
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
    #[must_use]
    pub fn fits(&self, takes: usize) -> bool {
        self.times > 0 && takes * self.times == self.values.len()
    }

    /// The values of an execution, 0 first, of a statement that takes so many.
    pub fn of_execution(&self, execution: usize, takes: usize) -> impl Iterator<Item = super::Value<'_>> {
        (execution * takes..(execution + 1) * takes).filter_map(|at| self.values.get(at))
    }
}

impl Statements {
    /// The error of a request for a statement that there is none of, or with values other than it takes.
    pub fn misused(work: &str, bound: &Bound<'_>, takes: Option<usize>) -> EngineError {
        let (number, given) = (bound.statement, bound.values.len());
        let message = match takes {
            None => format!("{work}: statement {number} was asked for, and there is none of that number"),
            Some(takes) => {
                let times = if bound.times == 1 { String::new() } else { format!(" for {} executions", bound.times) };
                format!("{work}: statement {number} takes {takes} values and was given {given}{times}")
            }
        };
        EngineError::new(ErrorClass::Other, message)
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

    proptest! {
        #[test]
        fn nothing_else_is_changed(text in "[a:1'\" é]{0,30}") {
            prop_assert_eq!(placed(&text, |number| format!(":{number}")), text);
        }
    }
}
