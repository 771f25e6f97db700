//! Statements with their values, each execution a round trip. `:1`, `:2` ... are what this server calls its values itself, but it
//! wants one for each place.

use super::super::link::{Bind, Link};
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Answer, Bound, StatementText, Statements, Value, placed};

/// A statement as the server gets it.
pub(super) struct ServerText {
    pub(super) sql: String,
    /// Which value stands in each place, 0 first.
    pub(super) places: Vec<usize>,
}

impl ServerText {
    pub(super) fn of(text: &StatementText) -> Self {
        let mut places = Vec::new();
        let sql = placed(&text.sql, |number| {
            places.push(number - 1);
            format!(":{}", places.len())
        });
        Self { sql, places }
    }
}

/// What a client sends.
#[derive(Default)]
pub(super) struct Sends {
    statements: Vec<Statement>,
    pub(super) answer: Answer,
}

struct Statement {
    text: ServerText,
    /// Values that it takes.
    takes: usize,
    /// Whether it answers with rows.
    asks: bool,
}

impl Sends {
    /// The statements; the server sees each when it is first executed.
    pub(super) fn new(texts: impl Iterator<Item = ServerText>) -> Self {
        Self { statements: texts.map(Statement::new).collect(), answer: Answer::default() }
    }

    /// Executes a statement: the rows that it answered with or changed.
    ///
    /// # Errors
    /// There is no such statement, or it does not take these values; the server's.
    pub(super) fn execute(&mut self, link: &mut Link, bound: &Bound<'_>, doing: &str) -> Result<u64, EngineError> {
        let Self { statements, answer } = self;
        answer.clear();
        let sent = statements.get(bound.statement);
        let takes = sent.map(|sent| sent.takes);
        let misused = || Statements::misused(doing, bound, takes);
        let sent = sent.filter(|sent| bound.fits(sent.takes)).ok_or_else(misused)?;
        let mut changed = 0;
        for execution in 0..bound.times {
            let places = sent.text.places.iter().map(|place| execution * sent.takes + place);
            let binds: Vec<Bind<'_>> = places.filter_map(|at| bound.values.get(at)).map(bind).collect();
            match sent.asks {
                true => link.answer(doing, &sent.text.sql, &binds, answer)?,
                false => changed += link.change(doing, &sent.text.sql, &binds)?,
            }
        }
        Ok(changed + answer.rows() as u64)
    }

    /// Whether a statement only asks.
    pub(super) fn asks(&self, statement: usize) -> bool {
        self.statements.get(statement).is_some_and(|sent| sent.asks)
    }
}

impl Statement {
    fn new(text: ServerText) -> Self {
        let takes = text.places.iter().max().map_or(0, |last| last + 1);
        let first = text.sql.split_whitespace().next().unwrap_or_default();
        let asks = ["SELECT", "WITH"].iter().any(|word| first.eq_ignore_ascii_case(word));
        Self { text, takes, asks }
    }
}

/// A value as it is bound; an empty text is null on this server.
pub(super) fn bind(value: Value<'_>) -> Bind<'_> {
    match value {
        Value::Null => Bind::Text(""),
        Value::Int(number) => Bind::Int(number),
        Value::Day(days) => Bind::day(days.into()),
        Value::Cents(cents) => Bind::cents(cents),
        Value::Text(text) => Bind::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_its_value() {
        let text = |sql: &str| ServerText::of(&StatementText::from(sql.to_owned()));
        let sent = Statement::new(text("update a set b = b + :2, c = :1 where d = :2"));
        assert_eq!(sent.text.sql, "update a set b = b + :1, c = :2 where d = :3");
        assert_eq!((sent.text.places.as_slice(), sent.takes, sent.asks), (&[1, 0, 1][..], 2, false));
        let sends = Sends::new(["SELECT 1 FROM dual", "DELETE FROM a"].map(text).into_iter());
        assert_eq!([0, 1, 2].map(|number| sends.asks(number)), [true, false, false]);
    }
}
