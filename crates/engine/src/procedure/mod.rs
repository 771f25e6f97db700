//! A test's procedure in the SQL of an engine, and everything that belongs to it: for running it, for printing it and
//! for checking it. What the work is like, the procedure's row of facts says (`dbdyno_model::Procedure`); the engine's
//! dialect says the rest: `procedures.toml` how procedures are called and which settings a session has, the SQL files
//! what each does.
//!
//! A dialect may have a statement for each kind of table: `select_primary_list` is taken before `select_primary` where
//! the table is partitioned by list. The most specific one that there is is taken; [`ProcedureSpec::variants`] is the
//! order. Notes (`plan heap`, `plan`) and parts of statements (`parts.sql`, named in `{braces}`) are found by the same
//! rule.

mod dialect;
mod made;
mod settings;
mod statement;

pub use dialect::ProcedureDialect;
pub use made::MadeName;
pub use settings::Setting;
pub use statement::{ClientForm, ClientText};

use crate::server::leaves;
use crate::{Dialect, EngineError, PointSpec, Statement};
use dbdyno_model::{Compression, ErrorClass, Organisation, Size, TableName, TableShape, Test};
use settings::{Group, together};

/// What begins the names of everything that a point makes beside procedures.
pub const MADE_BY_POINTS: &str = "load_";
/// The files of procedures.
const FILES: [&str; 3] = ["cpu", "procedures", "lookups"];
/// The files of what stands for a name in braces.
const PARTS: [&str; 2] = ["parts", "tables"];
/// Notes that are for dbdyno alone, by the beginnings of their keys; all others are printed with a procedure.
const FOR_CHECKS: [&str; 9] =
    ["plan", "never", "variables", "counts", "calls", "makes", "discards", "client ", "built on"];

/// A test's procedure, and what belongs to it.
#[derive(Debug, Clone)]
pub struct ProcedureSpec {
    dialect: &'static Dialect,
    /// The test.
    pub test: Test,
    /// The table that it is about; the small heap where the test names none.
    pub table: TableName,
    /// The statement's name in its file.
    pub statement: &'static str,
    written: &'static Statement,
    /// The procedure's name in the database.
    pub name: String,
    values: Vec<(&'static str, String)>,
}

impl ProcedureSpec {
    /// The procedure of a test.
    ///
    /// # Errors
    /// `Unsupported` where the dialect has none.
    pub fn of(dialect: &'static Dialect, test: &Test) -> Result<Self, EngineError> {
        let table = test.table.unwrap_or(TableName::SmallHeap);
        let variants = variants_of(test, table);
        let name = test.procedure.name();
        let found = most_specific(name, '_', &variants, |name| FILES.iter().find_map(|file| dialect.find(file, name)));
        let (statement, written) = found.ok_or_else(|| {
            let message = format!("{}: this engine has no procedure {name}", test.code);
            EngineError::new(ErrorClass::Unsupported, message)
        })?;
        let about_table = ["{table}", "{load}"].iter().any(|place| written.text.contains(place));
        let procedure = if about_table { format!("{name}_{table}") } else { statement.to_owned() };
        let values = vec![
            ("table", table.name().to_owned()),
            ("load", format!("{MADE_BY_POINTS}{}", table.organisation().name())),
            ("leaves", leaves(table).len().to_string()),
            (
                "rows_per_value",
                match test.key_shape() {
                    TableShape::Small => Size::SMALL_ROWS_PER_VALUE.to_string(),
                    TableShape::Large => Size::LARGE_ROWS_PER_VALUE.to_string(),
                },
            ),
        ];
        Ok(Self { dialect, test: test.clone(), table, statement, written, name: procedure, values })
    }

    /// The same with another value for a placeholder.
    #[must_use]
    pub fn with(mut self, placeholder: &'static str, value: String) -> Self {
        self.values.retain(|(known, _)| *known != placeholder);
        self.values.push((placeholder, value));
        self
    }

    /// Words that tell what it is about, the most specific first.
    #[must_use]
    pub fn variants(&self) -> Vec<&'static str> {
        variants_of(&self.test, self.table)
    }

    /// How procedures are called, and which settings their sessions have.
    ///
    /// # Errors
    /// The dialect's file cannot be read.
    pub fn rules(&self) -> Result<&'static ProcedureDialect, EngineError> {
        self.dialect.procedures()
    }

    /// Its text as the dialect has it, with placeholders.
    #[must_use]
    pub fn template(&self) -> &'static str {
        &self.written.text
    }

    /// Its text.
    ///
    /// # Errors
    /// A placeholder has no value.
    pub fn text(&self) -> Result<String, EngineError> {
        self.fill(&self.written.text)
    }

    /// The statements that create the procedure, what it calls first.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub fn creates(&self) -> Result<Vec<String>, EngineError> {
        let mut statements =
            self.called().map(|called| self.dialect.fill(called, &[])).collect::<Result<Vec<_>, _>>()?;
        let head = self.dialect.fill("procedures/procedure", &[("procedure", &self.name)])?;
        statements.push(format!("{head}\n{}", self.text()?));
        Ok(statements)
    }

    /// The statements that drop it again.
    ///
    /// # Errors
    /// A statement cannot be filled in.
    pub fn drops(&self) -> Result<Vec<String>, EngineError> {
        let mut statements = vec![self.dialect.fill("tables/drop_procedure", &[("name", &self.name)])?];
        for called in self.called() {
            let name = called.rsplit('/').next().unwrap_or(called);
            let own = format!("drop_{name}");
            statements.push(match self.dialect.find("tables", &own) {
                Some((_, statement)) => statement.text.clone(),
                None => self.dialect.fill("tables/drop_procedure", &[("name", name)])?,
            });
        }
        Ok(statements)
    }

    /// Statements of what it calls, by file and name.
    pub fn called(&self) -> impl Iterator<Item = &'static str> {
        self.written.notes.get("calls").into_iter().flat_map(|names| names.split("; "))
    }

    /// What the dialect says about the procedure to whoever reads it.
    ///
    /// # Errors
    /// A placeholder has no value.
    pub fn notes(&self) -> Result<Vec<(&'static str, String)>, EngineError> {
        let notes = self.written.notes.iter().filter(|(key, _)| is_told(key));
        notes.map(|(key, note)| Ok((key.as_str(), self.fill(note)?))).collect()
    }

    /// The most specific note of a key, filled in.
    ///
    /// # Errors
    /// A placeholder has no value.
    pub fn note(&self, key: &str) -> Result<Option<String>, EngineError> {
        let notes = &self.written.notes;
        let found = most_specific(key, ' ', &self.variants(), |key| notes.get(key).map(|note| ("", note)));
        found.map(|(_, note)| self.fill(note)).transpose()
    }

    /// The call, with parameters for its arguments and sums.
    ///
    /// # Errors
    /// The dialect's file cannot be read.
    pub fn call(&self) -> Result<String, EngineError> {
        Ok(self.rules()?.call(&self.name))
    }

    /// A text of the dialect with its placeholders replaced: by what is known of the test, or by the most specific
    /// statement of `parts.sql`, or of `tables.sql`.
    ///
    /// # Errors
    /// A placeholder has no value.
    pub fn fill(&self, text: &str) -> Result<String, EngineError> {
        self.fill_for("", text)
    }

    /// The same, where one more word tells which parts are meant.
    ///
    /// # Errors
    /// As for [`ProcedureSpec::fill`].
    pub fn fill_for(&self, word: &'static str, text: &str) -> Result<String, EngineError> {
        let variants: Vec<&str> =
            std::iter::once(word).filter(|word| !word.is_empty()).chain(self.variants()).collect();
        let (mut rest, mut filled) = (text.to_owned(), String::with_capacity(text.len()));
        while let Some((before, after)) = rest.split_once('{') {
            let (placeholder, after) = after.split_once('}').unwrap_or((after, ""));
            let find = |name: &str| PARTS.iter().find_map(|file| self.dialect.find(file, name));
            let part = most_specific(placeholder, '_', &variants, find);
            let known = self.values.iter().find(|(name, _)| *name == placeholder).map(|(_, value)| value);
            let value = part.map(|(_, part)| &part.text).or(known).ok_or_else(|| {
                EngineError::other(format!("{}: nothing is known of {{{placeholder}}}", self.statement))
            })?;
            filled.push_str(before);
            // A part may have placeholders of its own.
            rest = format!("{value}{after}");
        }
        filled.push_str(&rest);
        Ok(filled)
    }

    /// The groups of settings for a point.
    fn groups(&self, spec: &PointSpec) -> Result<impl Iterator<Item = &'static Group>, EngineError> {
        let (procedure, organisation) = (self.test.procedure, self.table.organisation());
        let groups = self.rules()?.settings.iter();
        Ok(groups.filter(move |group| group.is_for(procedure, organisation, spec)))
    }

    /// The settings of a session on every version of the server.
    ///
    /// # Errors
    /// The dialect's file cannot be read.
    pub fn settings(&self, spec: &PointSpec) -> Result<Vec<Setting>, EngineError> {
        let groups = self.groups(spec)?.filter(|group| !group.is_of_version());
        Ok(together(spec, groups))
    }

    /// Settings that only some versions know, or need: they go after the others.
    ///
    /// # Errors
    /// As for [`ProcedureSpec::settings`].
    pub fn settings_of_version(&self, spec: &PointSpec, version: u64) -> Result<Vec<Setting>, EngineError> {
        let groups = self.groups(spec)?.filter(|group| group.is_of_version() && group.has(version));
        Ok(together(spec, groups))
    }

    /// The statements that make the settings of a session on every version of the server.
    ///
    /// # Errors
    /// As for [`ProcedureSpec::settings`].
    pub fn set(&self, spec: &PointSpec) -> Result<Vec<String>, EngineError> {
        let rules = self.rules()?;
        Ok(self.settings(spec)?.iter().map(|setting| rules.setting(setting)).collect())
    }
}

/// Whether a note is for whoever reads a script.
#[must_use]
pub fn is_told(key: &str) -> bool {
    !FOR_CHECKS.iter().any(|beginning| key.starts_with(beginning))
}

/// Words that tell what a test is about, the most specific first. A join is about the table that it probes.
fn variants_of(test: &Test, table: TableName) -> Vec<&'static str> {
    let organisation = if test.probes_large() { Organisation::HeapRangeList } else { table.organisation() };
    let ranges = organisation == Organisation::HeapRangeList;
    let mut variants = vec![organisation.name()];
    if test.compression != Compression::None {
        variants.push(test.compression.name());
    }
    variants.push(match organisation {
        Organisation::HeapRangeList => "large",
        _ if organisation.is_list() => "list",
        _ => "small",
    });
    let kept = if organisation.is_index() { "iot" } else { "heap" };
    variants.push(if organisation == Organisation::Hash { "hash" } else { kept });
    variants.push(if ranges || organisation.is_list() { "many" } else { "one" });
    variants
}

/// Finds the most specific of what has a name: `name` and one of the variants, or `name` alone.
fn most_specific<T>(name: &str, separator: char, variants: &[&str], find: impl Fn(&str) -> Option<T>) -> Option<T> {
    variants.iter().find_map(|variant| find(&format!("{name}{separator}{variant}"))).or_else(|| find(name))
}
