//! The script of a test, for review: the parts that every server engine has in common, and the point whose statements
//! it shows.

use crate::procedure::ProcedureSpec;
use crate::{EngineError, PointSpec, Sampling};
use dbdyno_model::{Cache, CommitMode, Drive, Mapping, Size, TableName, Test};
use std::fmt::{Display, Write as _};

/// The seed of the keys in a script.
const EXAMPLE_SEED: u64 = 42;
/// The heading of a procedure's call.
pub const ONE_PASS: &str = "one pass of the first of one job, with the keys of an example";
/// The heading of the statements that remove what the point made.
pub const CLEANUP: &str = "away with what the point has made";

/// The point whose statements a script shows: a run's at DOP 1.
pub fn spec(test: &Test, size: &Size) -> PointSpec {
    let (seed, rows_per_tx) = (EXAMPLE_SEED, test.rows_per_tx.unwrap_or(1));
    let (test, size) = (test.clone(), size.clone());
    PointSpec {
        test,
        size,
        seed,
        key_seed: seed,
        nodes: 1,
        jobs: 1,
        jobs_before: 0,
        jobs_after: 0,
        threads: 1,
        rows_per_tx,
        commit: CommitMode::Durable,
        drive: Drive::Server,
        sampling: Sampling::Off,
    }
}

/// The heading of the statements that a client sends.
pub fn client_heading(spec: &PointSpec) -> String {
    let statements = match spec.test.executions_per_op(spec.rows_per_tx) {
        1 => "one statement".to_owned(),
        n => format!("{n} statements"),
    };
    format!("\n-- what a client sends for a transaction of {statements}; prepared, with parameters for the values")
}

/// A script of statements, of a test or a schema.
pub struct Script(String);

impl Script {
    /// A script that begins with this text.
    pub fn begin(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// A script that begins with comments: what the test is, and how the engine realises it.
    pub fn of(test: &Test, size: &Size, mapping: &Mapping) -> Self {
        let mut script = Self::begin(format!("-- {}: {}\n", test.code, test.title));
        match mapping.note() {
            Some(note) => script.line(format!("-- {}: {note}", mapping.kind())),
            None => script.line(format!("-- {}", mapping.kind())),
        }
        if let (Some(table), false) = (test.table, matches!(mapping, Mapping::None { .. })) {
            script.line(format!("-- size {}: {} rows in {table}", size.id, table.rows(size)));
        }
        script
    }

    /// The whole script.
    pub fn text(self) -> String {
        self.0
    }

    /// Adds a line.
    pub fn line(&mut self, text: impl Display) {
        // Writing to a String cannot fail.
        _ = writeln!(self.0, "{text}");
    }

    /// Adds lines.
    pub fn lines(&mut self, lines: impl IntoIterator<Item = String>) {
        lines.into_iter().for_each(|text| self.line(text));
    }

    /// Adds a heading.
    pub fn heading(&mut self, heading: &str) {
        self.line(format!("\n-- {heading}"));
    }

    /// Adds the heading of a table.
    pub fn table(&mut self, table: TableName, size: &Size) {
        self.heading(&format!("{table}: {} rows at size {}", table.rows(size), size.id));
    }

    /// Adds a heading and statements under it, if there are any.
    pub fn part(&mut self, heading: &str, statements: impl IntoIterator<Item = String>) {
        let mut statements = statements.into_iter().peekable();
        if statements.peek().is_some() {
            self.heading(heading);
        }
        self.lines(statements);
    }

    /// Adds the procedure's name and the dialect's notes on it.
    ///
    /// # Errors
    /// A note cannot be filled in.
    pub fn describe(&mut self, procedure: &ProcedureSpec) -> Result<(), EngineError> {
        self.heading(&procedure.name);
        self.lines(procedure.notes()?.into_iter().map(|(key, note)| format!("-- {key}: {note}")));
        Ok(())
    }

    /// Says which tables are read into the cache and how, where the test needs them there.
    pub fn cached_tables(&mut self, test: &Test, how: &str) {
        if test.cache == Cache::Cached {
            let tables: Vec<&str> = test.reads().into_iter().map(TableName::name).collect();
            self.heading(&format!("{how}: {}", tables.join(", ")));
        }
    }

    /// Adds the statement that explains the statement under test, and the plan that it must have; and the same of the
    /// text that two jobs side by side run, where that is another. `must` are the words before that plan. `ended` ends
    /// a statement as the product's client wants it.
    ///
    /// # Errors
    /// A note cannot be filled in.
    pub fn plan(
        &mut self,
        procedure: &ProcedureSpec,
        spec: &PointSpec,
        must: &str,
        ended: impl Fn(&str) -> String,
    ) -> Result<(), EngineError> {
        let beside = procedure.has_text_beside().then(|| PointSpec { jobs: 2, ..spec.clone() });
        let whose = [("", Some(spec)), (", with several jobs", beside.as_ref())];
        for (whose, spec) in whose.into_iter().filter_map(|(whose, spec)| Some((whose, spec?))) {
            let Some(explain) = procedure.explain(spec)? else { continue };
            self.heading(&format!("the plan of the statement under test{whose}"));
            if let Some(expected) = procedure.expected_plan(spec)? {
                self.line(format!("-- {must}: {expected}"));
            }
            self.line(ended(&explain));
        }
        Ok(())
    }
}
