//! The dialect of an engine: what its files say. A folder holds `mapping.toml` (how tests are realised), `words.toml`
//! (what messages call the product's things), `procedures.toml` (how procedures are called, and what their sessions
//! set), SQL files of named statements under `sql/`, and one SQL file for each workload under `sql/workloads/`.
//! Statements are named by file and name: `load/hold` is the statement `hold` of `sql/load.sql`. A folder may also have
//! `errors.toml` (what its errors mean), `settings.toml` (which settings a run's record keeps, and which are unsafe)
//! and `statistics.toml` (which of its statistics are which counter).

use crate::data::regions;
use crate::procedure::ProcedureDialect;
use crate::server::grants::Grant;
use crate::server::{Errors, Settings, StatisticsTable};
use crate::{EngineError, Mappings, SqlError, SqlFile, Statement};
use dbdyno_model::{Mapping, Organisation, TableShape, Test};
use include_dir::Dir;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;

/// The files of an engine.
#[derive(Debug)]
pub struct Dialect {
    /// The engine.
    pub engine: &'static str,
    /// What its errors mean.
    pub errors: Errors,
    /// Which of its settings count.
    pub settings: Settings,
    /// Which of its statistics are which counter.
    pub statistics: StatisticsTable,
    /// What the set-up of a server grants (`setup/setup`).
    pub grants: Vec<Grant>,
    mappings: Result<Mappings, String>,
    folder: &'static Dir<'static>,
    words: BTreeMap<String, String>,
    procedures: Result<ProcedureDialect, String>,
    files: BTreeMap<String, SqlFile>,
    workloads: BTreeMap<String, &'static str>,
    /// What is wrong with the files.
    faults: Vec<String>,
}

impl Dialect {
    /// Reads an embedded folder. A file that cannot be read is as if it were empty; tests ask for [`Dialect::faults`].
    #[must_use]
    pub fn read(engine: &'static str, folder: &'static Dir<'static>) -> Self {
        let text = |path: &str| folder.get_file(path).and_then(|file| file.contents_utf8());
        let mappings = text("mapping.toml").ok_or_else(|| "it is missing".to_owned());
        let mappings = mappings.and_then(|text| Mappings::parse(engine, text).map_err(|error| error.to_string()));
        let procedures = text("procedures.toml").ok_or_else(|| "it is missing".to_owned());
        let procedures = procedures.and_then(|text| toml::from_str(text).map_err(|error| error.to_string()));
        let named = |path: &str| -> BTreeMap<String, &'static str> {
            let files = folder.get_dir(path).into_iter().flat_map(|folder| folder.files());
            let named = files.filter_map(|file| {
                let name = file.path().file_name()?.to_str()?.strip_suffix(".sql")?;
                Some((name.to_owned(), file.contents_utf8()?))
            });
            named.collect()
        };
        let parse = |(name, text): (String, &'static str)| {
            let file = SqlFile::parse(format!("{engine}/sql/{name}.sql"), text);
            (name, file)
        };
        let files: BTreeMap<String, SqlFile> = named("sql").into_iter().map(parse).collect();
        let setup = files.get("setup").and_then(|file| file.get("setup").ok());
        let grants = setup.map(|script| Grant::all(&script.text)).unwrap_or_default();
        let words = text("words.toml").and_then(|text| toml::from_str(text).ok()).unwrap_or_default();
        let mut faults: Vec<String> = mappings.as_ref().err().cloned().into_iter().collect();
        faults.extend(procedures.as_ref().err().map(|why| format!("procedures.toml: {why}")));
        let errors: Errors = data(&mut faults, "errors.toml", text("errors.toml"));
        let settings = data(&mut faults, "settings.toml", text("settings.toml"));
        let statistics = data(&mut faults, "statistics.toml", text("statistics.toml"));
        faults.extend(errors.ambiguous().iter().map(|code| format!("errors.toml: {code} is of two classes")));
        let workloads = named("sql/workloads");
        Self {
            engine,
            errors,
            settings,
            statistics,
            grants,
            mappings,
            folder,
            words,
            procedures,
            files,
            workloads,
            faults,
        }
    }

    /// What is wrong with the files, in words; nothing in what is delivered.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    /// The text of a file, if there is one.
    #[must_use]
    pub fn file_text(&self, path: &str) -> Option<&'static str> {
        self.folder.get_file(path)?.contents_utf8()
    }

    /// A sentence of `words.toml` with texts in its placeholders. One that the file lacks is its name.
    #[must_use]
    pub fn words(&self, name: &str, values: &[(&str, &str)]) -> String {
        let words = self.words.get(name).map_or(name, String::as_str).to_owned();
        values.iter().fold(words, |words, (name, value)| words.replace(&format!("{{{name}}}"), value))
    }

    /// How tests are realised.
    ///
    /// # Errors
    /// The file is missing, or cannot be read: why.
    pub fn mappings(&self) -> Result<&Mappings, &str> {
        self.mappings.as_ref().map_err(String::as_str)
    }

    /// How a test is realised.
    #[must_use]
    pub fn mapping(&self, test: &Test) -> Mapping {
        match self.mappings() {
            Ok(mappings) => mappings.get(&test.code),
            Err(why) => Mapping::None { why: format!("the mappings of this build cannot be read: {why}") },
        }
    }

    /// How procedures are called, and what their sessions set.
    ///
    /// # Errors
    /// The file is missing, or cannot be read: why.
    pub fn procedures(&self) -> Result<&ProcedureDialect, EngineError> {
        self.procedures.as_ref().map_err(|why| {
            EngineError::other(format!("procedures.toml of the dialect of {} cannot be read: {why}", self.engine))
        })
    }

    /// The SQL of a workload, if there is any.
    #[must_use]
    pub fn workload(&self, name: &str) -> Option<&'static str> {
        self.workloads.get(name).copied()
    }

    /// A file of statements.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn file(&self, name: &str) -> Result<&SqlFile, SqlError> {
        self.files.get(name).ok_or_else(|| SqlError::NoFile { engine: self.engine, name: name.to_owned() })
    }

    /// A statement as it was written, with its notes.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn get(&self, name: &str) -> Result<&Statement, SqlError> {
        let (file, name) = name.split_once('/').unwrap_or((name, ""));
        self.file(file)?.get(name)
    }

    /// A statement of a file as it was written, with its name, if both are there.
    #[must_use]
    pub fn find(&self, file: &str, name: &str) -> Option<(&str, &Statement)> {
        self.files.get(file)?.find(name)
    }

    /// The SQL of a statement with identifiers in its placeholders.
    ///
    /// # Errors
    /// There is none of that name, a placeholder has no value, or a value is no identifier.
    pub fn fill(&self, name: &str, identifiers: &[(&str, &str)]) -> Result<String, SqlError> {
        let (file, name) = name.split_once('/').unwrap_or((name, ""));
        self.file(file)?.fill(name, identifiers)
    }

    /// The clauses of a table's partitions, by `tables/list_partition` and, for so many months,
    /// `tables/range_partition`.
    ///
    /// # Errors
    /// There is no such statement.
    pub fn partitions(&self, organisation: Organisation, months: u64) -> Result<String, SqlError> {
        let list = |region: u64| self.fill("tables/list_partition", &[("region", &region.to_string())]);
        let range = |range: u64| {
            let (month, next) = (format!("r{range:02}"), range + 1);
            let (year, next_month) = ((2020 + next / 12).to_string(), format!("{:02}", 1 + next % 12));
            let values = [("month", month.as_str()), ("next_year", &year), ("next_month", &next_month)];
            self.fill("tables/range_partition", &values)
        };
        let clauses: Result<Vec<String>, SqlError> = match organisation {
            Organisation::HeapList | Organisation::IotList => (1..=regions(TableShape::Small)).map(list).collect(),
            Organisation::HeapRangeList => (0..months).map(range).collect(),
            Organisation::Heap | Organisation::Iot | Organisation::Hash => Ok(Vec::new()),
        };
        Ok(clauses?.join(",\n"))
    }

    /// A note of a statement with identifiers in its placeholders, if there is one.
    ///
    /// # Errors
    /// As for [`Dialect::fill`].
    pub fn note(&self, name: &str, key: &str, identifiers: &[(&str, &str)]) -> Result<Option<String>, SqlError> {
        let (file, name) = name.split_once('/').unwrap_or((name, ""));
        self.file(file)?.note(name, key, identifiers)
    }
}

/// A file's data; nothing where there is no such file. What is wrong with it is noted.
fn data<T: DeserializeOwned + Default>(faults: &mut Vec<String>, name: &str, text: Option<&str>) -> T {
    text.map(toml::from_str).transpose().map(Option::unwrap_or_default).unwrap_or_else(|error| {
        faults.push(format!("{name}: {error}"));
        T::default()
    })
}
