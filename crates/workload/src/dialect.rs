//! A workload's SQL in the dialect of an engine: one file of named statements.
//!
//! | name | what |
//! | --- | --- |
//! | `make X` | makes a table, a procedure or a sequence; `makes: table NAME` says which, `columns: a b` what a table has, `hidden: c` what `*` does not show |
//! | `arrange X` | what brings rows into their order once all are there and were read back, before indexes are made |
//! | `index X` | makes an index, or some, that are not there; they are made at the same time where the engine can |
//! | `finish X` | what comes after the rows and indexes: statistics; likewise at the same time |
//! | `refresh X` | what the server does before it is asked where rows lie, so that its answer is of now |
//! | `rest X` | what brings the tables to rest before a point |
//! | `session X` | what each user's session executes before its statements are prepared |
//! | `client X`, `server X` | what a user sends, statement by statement or as one call; `outputs: int` where a call has output values |
//! | `no server` | there is no such form, and `why` |
//! | `count`, `look` | figures that prove the load, and the work |
//! | `placed` | figures that prove where a load has put its rows, where the workload asks for that |
//! | `indexes` | a row for each index of its tables, which describes it; `made: 3` says how many a load makes |
//! | `keys X` | the first ten keys of rows that break what a figure of `look` counts |
//! | `check X`, `checks` | crash tests: the server's own checks, which answer with nothing or `ok`, and what they need |
//! | `control NAME n`, `shown NAME` | crash tests: what makes commits unsafe on purpose (`means`, `seen_by`, `target`; `when` it is done again and again), and what the server then says (`is`) |
//! | `primary` | crash tests: what a server says that takes commits (`is`) |
//!
//! In `make`, `index`, `finish`, `count`, `look` and `keys` `{TABLE_rows}` is how many rows a load makes in a table,
//! and `{TABLE_next}` the next id. A section that has `{unit}` stands for one such section for each unit of the scale,
//! by its number from 1 on. `make X` of a table may say `fillers: 1`: so many further rows follow each row in storage,
//! with its numbers made negative, and `arrange` takes them away.

use crate::{DataSpec, User, Workload, tables};
use dbdyno_engine::client::{PrepareWhen, StatementText, Statements, ValueType};
use dbdyno_engine::data::{Column, ColumnValues};
use dbdyno_engine::{EngineError, EngineInfo, SqlFile, Statement, TableRows};
use dbdyno_model::{CommitMode, Drive, ErrorClass, Mix, Parameters, Scale, StatementCounts};
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SchemaObject<'d> {
    /// `table`, `procedure` or `sequence`.
    pub(crate) kind: &'d str,
    /// Its name in SQL, with that of its schema.
    pub(crate) sql_name: String,
    /// Its columns, where it is a table.
    pub(crate) columns: &'d str,
    /// Further columns that `SELECT *` does not show.
    pub(crate) hidden: &'d str,
    /// The statement that makes it.
    pub(crate) sql: String,
}

impl SchemaObject<'_> {
    /// Its name without that of its schema.
    pub(crate) fn name(&self) -> &str {
        self.sql_name.rsplit('.').next().unwrap_or(&self.sql_name)
    }
}

/// What stands for the number of a unit of the scale.
const UNIT: &str = "{unit}";

/// A text of the file for each unit of the scale, or as it is where it is for all of them.
fn for_units(text: &str, units: u32) -> Vec<String> {
    match text.contains(UNIT) {
        true => (1..=units).map(|unit| of_unit(text, unit)).collect(),
        false => vec![text.to_owned()],
    }
}

/// A text of the file for a unit of the scale.
fn of_unit(text: &str, unit: u32) -> String {
    text.replace(UNIT, &unit.to_string())
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

    /// What a user sends, by its numbers.
    ///
    /// # Errors
    /// `Unsupported` where there is no such form; the file lacks a statement.
    pub fn statements(&self, user: &User) -> Result<Vec<StatementText>, EngineError> {
        if let Some(why) = self.lacks(user.form) {
            return Err(EngineError::new(ErrorClass::Unsupported, why));
        }
        let prefix = user.form.name();
        let names = self.workload.statements(user.form);
        let text = |(number, name): (usize, &&str)| {
            let text = self.text(&format!("{prefix} {name}"))?;
            Ok(StatementText { sql: of_unit(&text.sql, self.workload.unit(number, user)), ..text })
        };
        names.iter().enumerate().map(text).collect()
    }

    /// What the session of a user is prepared for.
    ///
    /// # Errors
    /// As for [`Dialect::statements`].
    pub fn statements_of(&self, user: &User, commit: CommitMode) -> Result<Statements, EngineError> {
        Ok(self.prepared(self.statements(user)?, commit))
    }

    /// What each user's session executes before that; empty where there is nothing.
    #[must_use]
    pub fn session_settings(&self, commit: CommitMode) -> Statements {
        let texts = self.section("session").map(|(_, statement)| statement.text.clone().into()).collect();
        self.prepared(texts, commit)
    }

    fn prepared(&self, texts: Vec<StatementText>, commit: CommitMode) -> Statements {
        let (work, prepared) = (self.workload.name().to_owned(), PrepareWhen::Beforehand);
        Statements { work, texts, commit, prepared }
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

    /// How many indexes a load makes of data.
    ///
    /// # Errors
    /// The file does not say.
    pub(crate) fn indexes_made(&self, data: &DataSpec) -> Result<usize, EngineError> {
        let indexes = self.file.get("indexes")?;
        let made: Option<usize> = indexes.notes.get("made").and_then(|made| made.parse().ok());
        let made = made.ok_or_else(|| EngineError::other("'indexes' does not say how many are made"))?;
        Ok(made * for_units(&indexes.text, data.scale.whole_units()).len())
    }

    /// Texts of the statements whose names begin with a word, in order, for data.
    ///
    /// # Errors
    /// The workload's file cannot be read.
    pub(crate) fn all(&self, word: &str, data: &DataSpec) -> Result<Vec<String>, EngineError> {
        let texts: Result<Vec<_>, _> = self.section(word).map(|(_, of)| self.filled(&of.text, data)).collect();
        Ok(texts?.concat())
    }

    /// A statement's text for data: one for each unit of the scale where it asks for that.
    ///
    /// # Errors
    /// There is none of that name, or the workload's file cannot be read.
    pub(crate) fn each(&self, name: &str, data: &DataSpec) -> Result<Vec<String>, EngineError> {
        self.filled(&self.file.get(name)?.text, data)
    }

    /// Names of the statements that begin with a word, in order.
    #[must_use]
    pub fn named(&self, word: &str) -> Vec<String> {
        self.section(word).map(|(name, _)| name.to_owned()).collect()
    }

    /// A note of a statement, if it has it.
    #[must_use]
    pub fn note(&self, name: &str, key: &str) -> Option<&str> {
        self.file.get(name).ok()?.notes.get(key).map(String::as_str)
    }

    /// Whether there is a statement of this name.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.file.get(name).is_ok()
    }

    fn section<'d>(&'d self, word: &'d str) -> impl Iterator<Item = (&'d str, &'d Statement)> {
        let named = self.file.names().filter_map(|name| Some((name, self.file.get(name).ok()?)));
        named.filter(move |(name, _)| name.split(' ').next() == Some(word))
    }

    /// The tables, procedures and sequences that a load of data makes, in order.
    ///
    /// # Errors
    /// The file does not say what a statement makes.
    pub(crate) fn objects(&self, data: &DataSpec) -> Result<Vec<SchemaObject<'_>>, EngineError> {
        let mut objects = Vec::new();
        for (name, Statement { text, notes }) in self.section("make") {
            let makes = notes.get("makes").and_then(|makes| makes.split_once(' '));
            let unclear = || EngineError::other(format!("'{name}' does not say what it makes"));
            let (kind, sql_name) = makes.ok_or_else(unclear)?;
            let note = |key| notes.get(key).map_or("", String::as_str);
            let (columns, hidden) = (note("columns"), note("hidden"));
            let names = for_units(sql_name, data.scale.whole_units());
            let all = names.into_iter().zip(self.filled(text, data)?);
            objects.extend(all.map(|(sql_name, sql)| SchemaObject { kind, sql_name, columns, hidden, sql }));
        }
        Ok(objects)
    }

    /// Rows that a load of data makes, in order.
    ///
    /// # Errors
    /// The workload's file cannot be read, or nothing makes a table.
    pub(crate) fn table_rows(&self, data: &DataSpec) -> Result<Vec<TableRows>, EngineError> {
        let name = self.workload.name();
        let rows = |tables::Filled { name: what, unit, rows, columns }: tables::Filled| {
            let Statement { notes, .. } = self.file.get(&format!("make {what}"))?;
            let table = notes.get("makes").and_then(|makes| makes.strip_prefix("table "));
            let table = table.ok_or_else(|| EngineError::other(format!("'make {what}' does not make a table")))?;
            let unclear = || EngineError::other(format!("'make {what}' does not say how many fillers there are"));
            let fillers: u64 = notes.get("fillers").map_or(Ok(0), |text| text.parse()).map_err(|_| unclear())?;
            let columns = columns.into_iter().map(|column| with_fillers(column, fillers)).collect();
            let table = unit.map_or_else(|| table.to_owned(), |unit| of_unit(table, unit));
            let what = tables::called(name, &what);
            Ok(TableRows { what, unit, table, columns, rows: rows * (1 + fillers), seed: data.seed })
        };
        self.tables(data)?.into_iter().map(rows).collect()
    }

    /// The tables that a load of data fills, in order.
    pub(crate) fn tables(&self, data: &DataSpec) -> Result<Vec<tables::Filled>, EngineError> {
        tables::read(self.workload.name(), self.workload.about().tables, data).map_err(EngineError::other)
    }

    /// A text in which `{TABLE_rows}` is how many rows a load makes in a table, and `{TABLE_next}` the id after these;
    /// one for each unit of the scale where it asks for that.
    fn filled(&self, sql: &str, data: &DataSpec) -> Result<Vec<String>, EngineError> {
        let sql = self.tables(data)?.iter().fold(sql.to_owned(), |sql, table| {
            let (rows, next) = (format!("{{{}_rows}}", table.name), format!("{{{}_next}}", table.name));
            sql.replace(&rows, &table.rows.to_string()).replace(&next, &(table.rows + 1).to_string())
        });
        Ok(for_units(&sql, data.scale.whole_units()))
    }

    /// Hash of everything that decides what a point of it measures with data, a mix and parameters.
    #[must_use]
    pub fn definition(&self, data: &DataSpec, mix: Option<&Mix>, parameters: &Parameters) -> String {
        let Self { workload, engine, text, .. } = self;
        let (name, version, tables) = (workload.name(), workload.about().version, workload.about().tables);
        let mut chosen = mix.map_or_else(String::new, |mix| format!("\nmix {mix}"));
        if !parameters.is_empty() {
            _ = write!(chosen, "\nwith {parameters}");
        }
        // How many of its units are at work is the point's degree of parallelism, however many are there.
        let scale = if workload.about().unit.is_some() { Scale::ONE } else { data.scale };
        let data = DataSpec { scale, ..data.clone() };
        let whole = format!("{name} {version}\n{engine}\n{data}{chosen}\n{text}\n{tables}");
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
        let data = self.workload.data_by_default();
        _ = writeln!(script, "-- Numbers in statements are those of {}.", self.workload.data_words(&data));
        _ = writeln!(script);
        for name in self.file.names() {
            let Ok(Statement { text, notes }) = self.file.get(name) else { continue };
            _ = writeln!(script, "-- {name}");
            for (key, note) in notes {
                _ = writeln!(script, "-- {key}: {note}");
            }
            for text in self.filled(text, &data).unwrap_or_else(|_| vec![text.clone()]) {
                _ = writeln!(script, "{}\n", (self.ended)(&text));
            }
        }
        script
    }
}

/// A column of a table in which so many fillers follow each row.
fn with_fillers(column: Column, fillers: u64) -> Column {
    match column.values {
        ColumnValues::Permutation { of, .. } => {
            Column { values: ColumnValues::Permutation { of, every: 1 + fillers }, ..column }
        }
        _ => column,
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
