//! Statements with their values, each execution a round trip. `:1`, `:2` ... are what this server calls its values
//! itself, but it wants one for each place. A call with output values that is a transaction of its own brings its
//! commit along, so that it is one round trip, too.

use super::super::connection::{Bind, OracleConnection};
use dbdyno_engine::EngineError;
use dbdyno_engine::client::{Answer, Bound, Place, StatementText, Statements, Value, ValueType};

/// A statement as the server gets it.
pub(super) struct ServerText {
    pub(super) sql: String,
    /// What stands at each place.
    pub(super) places: Vec<Place>,
    pub(super) outputs: Vec<ValueType>,
}

impl ServerText {
    /// # Errors
    /// The places of output values are not as they must be.
    pub(super) fn of(text: &StatementText) -> Result<Self, EngineError> {
        let mut places = Vec::new();
        let sql = text.written(|place| {
            places.push(place);
            format!(":{}", places.len())
        })?;
        Ok(Self { sql, places, outputs: text.outputs.clone() })
    }

    /// One whose places are its values, one after the other.
    pub(super) fn in_order(sql: String, values: usize) -> Self {
        Self { sql, places: (0..values).map(Place::Value).collect(), outputs: Vec::new() }
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
    /// A call with output values, as the block that is sent, and the same with its commit; nothing where it is none.
    blocks: Option<[String; 2]>,
}

impl Sends {
    /// The statements; the server sees each when it is first executed.
    pub(super) fn new(texts: impl Iterator<Item = ServerText>) -> Self {
        Self { statements: texts.map(Statement::new).collect(), answer: Answer::default() }
    }

    /// Executes a statement: the rows that it answered with or changed. A call commits, if that is said.
    ///
    /// # Errors
    /// There is no such statement, or it does not take these values; the server's.
    pub(super) fn execute(
        &mut self,
        connection: &mut OracleConnection,
        bound: &Bound<'_>,
        commits: bool,
        doing: &str,
    ) -> Result<u64, EngineError> {
        let Self { statements, answer } = self;
        answer.clear();
        let sent = statements.get(bound.statement);
        let takes = sent.map(|sent| sent.takes);
        let misused = || Statements::misused(doing, bound, takes);
        let sent = sent.filter(|sent| bound.fits(sent.takes)).ok_or_else(misused)?;
        let ServerText { sql, places, outputs } = &sent.text;
        Statements::refuse_repeated(doing, bound, outputs)?;
        let mut changed = 0;
        for execution in 0..bound.times {
            let value = |place: &Place| match place {
                Place::Value(at) => Bind::from(bound.values.get(execution * sent.takes + at).unwrap_or(Value::Null)),
                Place::Output(of) => Bind::Out(*of),
            };
            let binds: Vec<Bind<'_>> = places.iter().map(value).collect();
            match &sent.blocks {
                Some(blocks) => connection.outputs(doing, &blocks[usize::from(commits)], &binds, answer)?,
                None if sent.asks => connection.answer(doing, sql, &binds, answer)?,
                None => changed += connection.change(doing, sql, &binds)?,
            }
        }
        answer.read_outputs(outputs, doing, bound.statement)?;
        Ok(changed + answer.rows() as u64)
    }

    /// Whether a statement is a call with output values, which commits if it is told to.
    pub(super) fn calls(&self, statement: usize) -> bool {
        self.statements.get(statement).is_some_and(|sent| sent.blocks.is_some())
    }

    /// Whether a statement only asks.
    pub(super) fn asks(&self, statement: usize) -> bool {
        self.statements.get(statement).is_some_and(|sent| sent.asks)
    }
}

impl Statement {
    fn new(text: ServerText) -> Self {
        let values = text.places.iter().map(|place| if let Place::Value(at) = place { at + 1 } else { 0 });
        let takes = values.max().unwrap_or(0);
        let first = text.sql.split_whitespace().next().unwrap_or_default();
        let asks = ["SELECT", "WITH"].iter().any(|word| first.eq_ignore_ascii_case(word));
        let blocks = (!text.outputs.is_empty()).then(|| {
            // Blocks know no CALL.
            let call = match text.sql.trim_start().split_once(char::is_whitespace) {
                Some((word, call)) if word.eq_ignore_ascii_case("CALL") => format!("{call};"),
                _ => text.sql.clone(),
            };
            ["", "COMMIT; "].map(|commit| format!("BEGIN {call} {commit}END;"))
        });
        Self { text, takes, asks, blocks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_its_value() {
        let text = |sql: &str| ServerText::of(&StatementText::from(sql.to_owned())).unwrap();
        let sent = Statement::new(text("update a set b = b + :2, c = :1 where d = :2"));
        assert_eq!(sent.text.sql, "update a set b = b + :1, c = :2 where d = :3");
        assert_eq!((sent.text.places, sent.takes, sent.asks), ([1, 0, 1].map(Place::Value).to_vec(), 2, false));
        let sends = Sends::new(["SELECT 1 FROM dual", "DELETE FROM a"].map(text).into_iter());
        assert_eq!([0, 1, 2].map(|number| sends.asks(number)), [true, false, false]);
    }

    #[test]
    fn a_call_brings_its_commit_along() {
        let outputs = vec![ValueType::Cents, ValueType::Text];
        let call = |sql: &str| StatementText { outputs: outputs.clone(), ..sql.to_owned().into() };
        let sent = |sql: &str| Statement::new(ServerText::of(&call(sql)).unwrap());
        let called = sent("call p(:2, :1, :3, :4)");
        let places = [Place::Value(1), Place::Value(0), Place::Output(outputs[0]), Place::Output(outputs[1])];
        assert_eq!((called.text.places.as_slice(), called.takes), (&places[..], 2));
        let blocks = |call: &str| Some([format!("BEGIN {call} END;"), format!("BEGIN {call} COMMIT; END;")]);
        assert_eq!(called.blocks, blocks("p(:1, :2, :3, :4);"));
        let block = "BEGIN p(:1, :2); END;";
        assert_eq!(sent(block).blocks, blocks(block));
        let sends = Sends::new(std::iter::once(called.text));
        assert_eq!([0, 1].map(|number| (sends.calls(number), sends.asks(number))), [(true, false), (false, false)]);
    }
}
