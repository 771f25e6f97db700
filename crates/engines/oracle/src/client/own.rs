//! Statements of a work's own, each a round trip. `:1`, `:2` ... are what this server calls its values itself, but it wants one
//! for each place.

use super::super::link::{Bind, Link};
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Answer, Bound, Statements, Value, placed};

/// The statements of a work.
#[derive(Default)]
pub(super) struct Own {
    statements: Vec<Sent>,
    pub(super) answer: Answer,
}

struct Sent {
    sql: String,
    /// Which value stands in each place, 0 first.
    places: Vec<usize>,
    /// Values that it takes.
    takes: usize,
    /// Whether it answers with rows.
    asks: bool,
}

impl Own {
    /// The statements; the server sees each when it is first executed.
    pub(super) fn new(statements: &Statements) -> Self {
        Self { statements: statements.texts.iter().map(|text| Sent::new(text)).collect(), answer: Answer::default() }
    }

    /// Executes a statement: the rows that it answered with or changed, and what is in the answer.
    ///
    /// # Errors
    /// There is no such statement, or it does not take these values; the server's.
    pub(super) fn execute(&mut self, link: &mut Link, bound: &Bound<'_>, doing: &str) -> Result<[u64; 2], EngineError> {
        let Self { statements, answer } = self;
        answer.clear();
        let sent = statements.get(bound.statement);
        let takes = sent.map(|sent| sent.takes);
        let misused = || Statements::misused(doing, bound, takes);
        let sent = sent.filter(|_| takes == Some(bound.values.len())).ok_or_else(misused)?;
        let binds: Vec<Bind<'_>> = sent.places.iter().filter_map(|place| bound.values.get(*place)).map(bind).collect();
        if !sent.asks {
            return Ok([link.change(doing, &sent.sql, &binds)?, 0]);
        }
        link.answer(doing, &sent.sql, &binds, answer)?;
        Ok([answer.rows() as u64, answer.sum()])
    }

    /// Whether a statement only asks.
    pub(super) fn asks(&self, statement: usize) -> bool {
        self.statements.get(statement).is_some_and(|sent| sent.asks)
    }
}

impl Sent {
    fn new(text: &str) -> Self {
        let mut places = Vec::new();
        let sql = placed(text, |number| {
            places.push(number - 1);
            format!(":{}", places.len())
        });
        let takes = places.iter().max().map_or(0, |last| last + 1);
        let first = sql.split_whitespace().next().unwrap_or_default();
        let asks = ["SELECT", "WITH"].iter().any(|word| first.eq_ignore_ascii_case(word));
        Self { sql, places, takes, asks }
    }
}

/// A value as it is bound; an empty text is null on this server.
fn bind(value: Value<'_>) -> Bind<'_> {
    match value {
        Value::Null => Bind::Text(""),
        Value::Int(number) => Bind::Int(number),
        Value::Text(text) => Bind::Text(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_its_value() {
        let sent = Sent::new("update a set b = b + :2, c = :1 where d = :2");
        assert_eq!(sent.sql, "update a set b = b + :1, c = :2 where d = :3");
        assert_eq!((sent.places.as_slice(), sent.takes, sent.asks), (&[1, 0, 1][..], 2, false));
        let own = Own::new(&Statements {
            work: "w".to_owned(),
            texts: vec!["SELECT 1 FROM dual".to_owned(), "DELETE FROM a".to_owned()],
            commit: dbdyno_model::CommitMode::Durable,
        });
        assert_eq!([0, 1, 2].map(|number| own.asks(number)), [true, false, false]);
    }
}
