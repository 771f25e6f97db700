//! A workload's SQL in the dialect of an engine: one file of named statements.
//!
//! | name | what |
//! | --- | --- |
//! | `make X` | makes a table, a procedure or a sequence; `makes: table NAME` says which, `columns: a b` what a table has |
//! | `index X` | makes an index, or some, that are not there; they are made at the same time where the engine can |
//! | `finish X` | what comes after the rows and indexes: statistics; likewise at the same time |
//! | `rest X` | what brings the tables to rest before a point |
//! | `client X`, `server X` | what a user sends, statement by statement or as one call; `outputs: int` where a call has output values |
//! | `no server` | there is no such form, and `why` |
//! | `count`, `look` | figures that prove the load, and the work |
//! | `indexes` | a row for each index of its tables, which describes it; `made: 3` says how many a load makes |
//! | `keys X` | the first ten keys of rows that break what a figure of `look` counts |
//!
//! In `make`, `index`, `finish`, `count`, `look` and `keys` `{TABLE_rows}` is how many rows a load makes in a table,
//! and `{TABLE_next}` the next id.

use crate::{Workload, tables};
use dbdyno_engine::client::{PrepareWhen, StatementText, Statements, ValueType};
use dbdyno_engine::data::DEFAULT_SEED;
use dbdyno_engine::{EngineError, EngineInfo, SqlFile, Statement, TableRows};
use dbdyno_model::{CommitMode, Drive, ErrorClass, Mix, Scale, StatementCounts};
use std::fmt::Write as _;
use xxhash_rust::xxh3::xxh3_64;

/// A workload's SQL in a dialect.
#[derive(Debug, Clone)]
pub struct Dialect {
    workload: &'static dyn Workload,
    engine: &'static str,
    ended: fn(&str) -> String,
    text: &'static str,
    file: SqlFile,
}

/// A table, a procedure or a sequence that a load makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SchemaObject<'d> {
    /// `table`, `procedure` or `sequence`.
    pub(crate) kind: &'d str,
    /// Its name in SQL, with that of its schema.
    pub(crate) sql_name: &'d str,
    /// Its columns, where it is a table.
    pub(crate) columns: &'d str,
    /// The statement that makes it.
    pub(crate) sql: &'d str,
}

impl SchemaObject<'_> {
    /// Its name without that of its schema.
    pub(crate) fn name(&self) -> &str {
        self.sql_name.rsplit('.').next().unwrap_or(self.sql_name)
    }
}

impl Dialect {
    /// The workload in an engine's dialect.
    ///
    /// # Errors
    /// Why there is none.
    pub fn of(workload: &'static dyn Workload, engine: &EngineInfo) -> Result<Self, String> {
        let text = (engine.workload_sql)(workload.name())
            .ok_or_else(|| format!("{} has no SQL for the engine {}", workload.name(), engine.name))?;
        Ok(Self {
            workload,
            engine: engine.name,
            ended: engine.ended,
            text,
            file: SqlFile::parse(workload.name(), text),
        })
    }

    /// The workload.
    #[must_use]
    pub fn workload(&self) -> &'static dyn Workload {
        self.workload
    }

    /// Why there is no such form, if there is none.
    #[must_use]
    pub fn lacks(&self, form: Drive) -> Option<String> {
        let statement = self.file.get(&format!("no {}", form.name())).ok()?;
        Some(statement.notes.get("why").cloned().unwrap_or_else(|| format!("{} has no such form", self.engine)))
    }

    /// What a user of a form sends, by its numbers.
    ///
    /// # Errors
    /// `Unsupported` where there is no such form; the file lacks a statement.
    pub fn statements(&self, form: Drive) -> Result<Vec<StatementText>, EngineError> {
        if let Some(why) = self.lacks(form) {
            return Err(EngineError::new(ErrorClass::Unsupported, why));
        }
        let prefix = form.name();
        let names = self.workload.statements(form);
        names.iter().map(|name| self.text(&format!("{prefix} {name}"))).collect()
    }

    /// What sessions of a form are prepared for.
    ///
    /// # Errors
    /// As for [`Dialect::statements`].
    pub fn statements_of(&self, form: Drive, commit: CommitMode) -> Result<Statements, EngineError> {
        let (work, prepared) = (self.workload.name().to_owned(), PrepareWhen::Beforehand);
        Ok(Statements { work, texts: self.statements(form)?, commit, prepared })
    }

    /// How often statements of each kind were executed, from how often each one was, by its number. A call is one
    /// statement: what its procedure does is not seen.
    #[must_use]
    pub fn by_kind(&self, form: Drive, executed: &[u64]) -> StatementCounts {
        let mut counted = StatementCounts::default();
        for (name, times) in self.workload.statements(form).iter().zip(executed) {
            let text = self.file.get(&format!("{} {name}", form.name())).map_or("", |statement| &statement.text);
            let kind = match text.split_whitespace().next() {
                Some("SELECT" | "WITH") => &mut counted.select,
                Some("INSERT") => &mut counted.insert,
                Some("UPDATE") => &mut counted.update,
                Some("DELETE") => &mut counted.delete,
                _ => &mut counted.call,
            };
            *kind += times;
        }
        counted
    }

    /// A statement's text.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn text(&self, name: &str) -> Result<StatementText, EngineError> {
        text_of(self.file.get(name)?)
    }

    /// How many indexes a load makes.
    ///
    /// # Errors
    /// The file does not say.
    pub(crate) fn indexes_made(&self) -> Result<usize, EngineError> {
        let made = self.file.get("indexes")?.notes.get("made").and_then(|made| made.parse().ok());
        made.ok_or_else(|| EngineError::other("'indexes' does not say how many are made"))
    }

    /// Texts of the statements whose names begin with a word, in order.
    pub(crate) fn all(&self, word: &str) -> Vec<StatementText> {
        self.section(word).map(|(_, statement)| statement.text.clone().into()).collect()
    }

    fn section<'d>(&'d self, word: &'d str) -> impl Iterator<Item = (&'d str, &'d Statement)> {
        let named = self.file.names().filter_map(|name| Some((name, self.file.get(name).ok()?)));
        named.filter(move |(name, _)| name.split(' ').next() == Some(word))
    }

    /// The tables, procedures and sequences that a load makes, in order.
    ///
    /// # Errors
    /// The file does not say what a statement makes.
    pub(crate) fn objects(&self) -> Result<Vec<SchemaObject<'_>>, EngineError> {
        let all = self.section("make").map(|(name, Statement { text, notes })| {
            let makes = notes.get("makes").and_then(|makes| makes.split_once(' '));
            let unclear = || EngineError::other(format!("'{name}' does not say what it makes"));
            let (kind, sql_name) = makes.ok_or_else(unclear)?;
            let columns = notes.get("columns").map_or("", String::as_str);
            Ok(SchemaObject { kind, sql_name, columns, sql: text })
        });
        all.collect()
    }

    /// Rows that a load makes at a scale of a seed, in order.
    ///
    /// # Errors
    /// The workload's file cannot be read, or nothing makes a table.
    pub(crate) fn table_rows(&self, scale: Scale, seed: u64) -> Result<Vec<TableRows>, EngineError> {
        let name = self.workload.name();
        let filled = tables::of_seed(name, self.workload.about().tables, scale, seed);
        let filled = filled.map_err(EngineError::other)?;
        let rows = |tables::Filled { name: what, rows, columns }: tables::Filled| {
            let made = self.file.get(&format!("make {what}"))?.notes.get("makes");
            let table = made.and_then(|makes| makes.strip_prefix("table "));
            let table = table.ok_or_else(|| EngineError::other(format!("'make {what}' does not make a table")))?;
            Ok(TableRows { what: tables::called(name, &what), table: table.to_owned(), columns, rows, seed })
        };
        filled.into_iter().map(rows).collect()
    }

    /// A statement in which `{TABLE_rows}` is how many rows a load makes in a table, and `{TABLE_next}` the id after
    /// these.
    ///
    /// # Errors
    /// The workload's file cannot be read.
    pub(crate) fn at_scale(&self, sql: &str, scale: Scale) -> Result<StatementText, EngineError> {
        let filled =
            tables::read(self.workload.name(), self.workload.about().tables, scale).map_err(EngineError::other)?;
        let sql = filled.iter().fold(sql.to_owned(), |sql, table| {
            let (rows, next) = (format!("{{{}_rows}}", table.name), format!("{{{}_next}}", table.name));
            sql.replace(&rows, &table.rows.to_string()).replace(&next, &(table.rows + 1).to_string())
        });
        Ok(sql.into())
    }

    /// Hash of everything that decides what a point of it measures at a scale of a seed, and with a mix.
    #[must_use]
    pub fn definition(&self, scale: Scale, seed: u64, mix: Option<&Mix>) -> String {
        let Self { workload, engine, text, .. } = self;
        let (name, version, tables) = (workload.name(), workload.about().version, workload.about().tables);
        let size = data_words(scale, seed);
        let mix = mix.map_or_else(String::new, |mix| format!("\nmix {mix}"));
        let whole = format!("{name} {version}\n{engine}\n{size}{mix}\n{text}\n{tables}");
        format!("{:016x}", xxh3_64(whole.as_bytes()))
    }

    /// Every statement, for review or to run by hand.
    #[must_use]
    pub fn script(&self) -> String {
        let comment = self.text.lines().take_while(|line| !line.starts_with("-- name:"));
        let mut script: String = comment.map(|line| format!("{line}\n")).collect();
        _ = writeln!(script, "-- Rows come from dbdyno, by the engine's bulk path, once the tables are made:");
        for line in self.workload.about().tables.lines() {
            _ = writeln!(script, "{}", format!("--   {line}").trim_end());
        }
        let scale = self.workload.about().scale_by_default;
        _ = writeln!(script, "-- Numbers of rows in statements are those of scale {scale}.");
        _ = writeln!(script);
        for name in self.file.names() {
            let Ok(Statement { text, notes }) = self.file.get(name) else { continue };
            _ = writeln!(script, "-- {name}");
            for (key, note) in notes {
                _ = writeln!(script, "-- {key}: {note}");
            }
            let text = self.at_scale(text, scale).map_or_else(|_| text.clone(), |filled| filled.sql);
            _ = writeln!(script, "{}\n", (self.ended)(&text));
        }
        script
    }
}

/// A scale and a seed in words. The default seed is not named, as it was not before there were others.
#[must_use]
pub fn data_words(scale: Scale, seed: u64) -> String {
    match seed {
        DEFAULT_SEED => format!("scale {scale}"),
        seed => format!("scale {scale} seed {seed}"),
    }
}

/// A statement's text, with the output values that its note `outputs` names.
fn text_of(statement: &Statement) -> Result<StatementText, EngineError> {
    let output = |word: &str| match word {
        "int" => Ok(ValueType::Int),
        other => Err(EngineError::other(format!("'{other}' is no output value: int"))),
    };
    let outputs = statement.notes.get("outputs").map_or("", String::as_str).split_whitespace();
    Ok(StatementText { outputs: outputs.map(output).collect::<Result<_, _>>()?, ..statement.text.clone().into() })
}
