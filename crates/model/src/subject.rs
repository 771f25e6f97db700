//! What a point measures: a test of the catalogue, a workload, or storage below any database.

use crate::{IdError, Storage, StorageLoad, TestCode};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The name of storage as a subject, whatever the load.
const STORAGE_NAME: &str = "ORION";

/// What a point measures. `S` is what is known about storage. In plans and cells that is the requested load
/// (`StorageLoad`), and in points also what was done (`Storage`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(
    try_from = "SubjectJson<S>",
    into = "SubjectJson<S>",
    bound(serialize = "S: Clone + Serialize", deserialize = "S: Deserialize<'de>")
)]
pub enum Subject<S> {
    /// A test of the catalogue.
    Test(TestCode),
    /// A program with a schema of its own.
    Workload(WorkloadName),
    /// Devices or files, below any database.
    Storage(S),
}

/// The kinds of subjects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum SubjectKind {
    /// A test of the catalogue.
    Test,
    /// A program with a schema of its own.
    Workload,
    /// Devices or files, below any database.
    Storage,
}

/// A subject by kind and name, as lists and tables show it. All storage is one subject here, whatever the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SubjectName<'a> {
    /// Its kind.
    pub kind: SubjectKind,
    /// Its name.
    pub name: &'a str,
}

impl SubjectName<'_> {
    /// The class that it belongs to: `T600` for T611, `DBL` for DBL-11. Each workload is a class of its own, and so is
    /// storage.
    #[must_use]
    pub fn class(self) -> String {
        match self.kind {
            SubjectKind::Test => TestCode::class_of(self.name),
            SubjectKind::Workload | SubjectKind::Storage => self.name.to_owned(),
        }
    }
}

impl fmt::Display for SubjectName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name)
    }
}

impl<S> Subject<S> {
    /// The test or workload of this name. A name in the form of a test's code is a test.
    ///
    /// # Errors
    /// The text is not a valid name.
    pub fn of_database(name: &str) -> Result<Self, IdError> {
        match TestCode::new(name) {
            Ok(code) => Ok(Self::Test(code)),
            Err(_) => WorkloadName::new(name).map(Self::Workload),
        }
    }

    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> SubjectKind {
        self.name().kind
    }

    /// Its kind and name.
    #[must_use]
    pub fn name(&self) -> SubjectName<'_> {
        let (kind, name) = match self {
            Self::Test(code) => (SubjectKind::Test, code.as_str()),
            Self::Workload(name) => (SubjectKind::Workload, name.as_str()),
            Self::Storage(_) => (SubjectKind::Storage, STORAGE_NAME),
        };
        SubjectName { kind, name }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.name().name
    }

    /// The test, if it is one.
    #[must_use]
    pub fn test(&self) -> Option<&TestCode> {
        if let Self::Test(code) = self { Some(code) } else { None }
    }

    /// What is known about the storage, if it is storage.
    #[must_use]
    pub fn storage(&self) -> Option<&S> {
        if let Self::Storage(storage) = self { Some(storage) } else { None }
    }

    /// The same, mutable.
    pub fn storage_mut(&mut self) -> Option<&mut S> {
        if let Self::Storage(storage) = self { Some(storage) } else { None }
    }

    /// The same subject, with something else known about storage.
    fn map<T>(&self, convert: impl FnOnce(&S) -> T) -> Subject<T> {
        match self {
            Self::Test(code) => Subject::Test(code.clone()),
            Self::Workload(name) => Subject::Workload(name.clone()),
            Self::Storage(known) => Subject::Storage(convert(known)),
        }
    }
}

impl Subject<StorageLoad> {
    /// The subject of a new point: for storage, only the requested load is known.
    #[must_use]
    pub fn of_new_point(&self) -> Subject<Storage> {
        self.map(|load| Storage::requested(*load))
    }
}

impl Subject<Storage> {
    /// The subject as it was requested: for storage, without what was done.
    #[must_use]
    pub fn requested(&self) -> Subject<StorageLoad> {
        self.map(|storage| storage.load)
    }
}

/// A placeholder for a subject that is set later.
impl<S: Default> Default for Subject<S> {
    fn default() -> Self {
        Self::Storage(S::default())
    }
}

impl<S> From<TestCode> for Subject<S> {
    fn from(code: TestCode) -> Self {
        Self::Test(code)
    }
}

/// The name of a workload: a letter, then letters, digits, `-` and `_`, at most 40 characters, and not in the form of a
/// test's code.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WorkloadName(String);

impl WorkloadName {
    /// The name, if it has the right form.
    ///
    /// # Errors
    /// The text has another form.
    pub fn new(text: &str) -> Result<Self, IdError> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
        let is_name = text.len() <= 40 && begins && text.chars().all(allowed);
        match is_name && TestCode::new(text).is_err() {
            true => Ok(Self(text.to_owned())),
            false => Err(IdError {
                text: text.to_owned(),
                what: "name of a test or workload",
                rule: "letters and digits, as in T611 or DBL-11 of a test, and slob of a workload",
            }),
        }
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A subject in JSON. Its keys are among those of its point, cell or planned point.
#[derive(Clone, Serialize, Deserialize)]
struct SubjectJson<S> {
    subject: NameJson,
    /// The test again. Deprecated: in version 1 this key took the place of `subject`.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<TestCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    storage: Option<S>,
}

#[derive(Clone, Serialize, Deserialize)]
struct NameJson {
    kind: SubjectKind,
    name: String,
}

impl<S> From<Subject<S>> for SubjectJson<S> {
    fn from(subject: Subject<S>) -> Self {
        let SubjectName { kind, name } = subject.name();
        let name = NameJson { kind, name: name.to_owned() };
        let (test, storage) = match subject {
            Subject::Test(code) => (Some(code), None),
            Subject::Workload(_) => (None, None),
            Subject::Storage(storage) => (None, Some(storage)),
        };
        Self { subject: name, test, storage }
    }
}

impl<S> TryFrom<SubjectJson<S>> for Subject<S> {
    type Error = String;

    fn try_from(SubjectJson { subject, test, storage }: SubjectJson<S>) -> Result<Self, String> {
        let NameJson { kind, name } = subject;
        let subject = match (kind, storage) {
            (SubjectKind::Test, None) => Self::Test(TestCode::new(&name).map_err(|e| e.to_string())?),
            (SubjectKind::Workload, None) => Self::Workload(WorkloadName::new(&name).map_err(|e| e.to_string())?),
            (SubjectKind::Storage, Some(storage)) if name == STORAGE_NAME => Self::Storage(storage),
            (kind, storage) => {
                let has = if storage.is_some() { "has" } else { "lacks" };
                return Err(format!("the subject is the {} '{name}', and {has} the key 'storage'", kind.name()));
            }
        };
        match test {
            Some(test) if subject.test() != Some(&test) => {
                Err(format!("the subject is the {} '{name}', and the key 'test' says {test}", kind.name()))
            }
            _ => Ok(subject),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Plain = Subject<u32>;

    fn written(subject: &Plain) -> String {
        serde_json::to_string(subject).unwrap()
    }

    #[test]
    fn each_kind_is_written_by_kind_and_name_and_comes_back() {
        for (subject, text) in [
            (Plain::of_database("T611").unwrap(), r#"{"subject":{"kind":"test","name":"T611"},"test":"T611"}"#),
            (Plain::of_database("order-entry").unwrap(), r#"{"subject":{"kind":"workload","name":"order-entry"}}"#),
            (Plain::Storage(7), r#"{"subject":{"kind":"storage","name":"ORION"},"storage":7}"#),
        ] {
            assert_eq!(written(&subject), text);
            assert_eq!(serde_json::from_str::<Plain>(text).unwrap(), subject);
            assert_eq!(subject.name().kind, subject.kind());
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for (text, why) in [
            (r#"{"test":"T611"}"#, "missing field `subject`"),
            (r#"{"subject":{"kind":"test","name":"T611"},"test":"T612"}"#, "the key 'test' says T612"),
            (r#"{"subject":{"kind":"storage","name":"ORION"}}"#, "lacks the key 'storage'"),
            (r#"{"subject":{"kind":"storage","name":"disk"},"storage":7}"#, "has the key 'storage'"),
            (r#"{"subject":{"kind":"test","name":"T611"},"storage":7}"#, "has the key 'storage'"),
            (r#"{"subject":{"kind":"workload","name":"slob"},"test":"T611"}"#, "the key 'test' says T611"),
            (r#"{"subject":{"kind":"test","name":"slob"}}"#, "'slob' is not a valid test code"),
            (r#"{"subject":{"kind":"workload","name":"a b"}}"#, "'a b' is not a valid name"),
            (r#"{"subject":{"kind":"workload","name":"T611"}}"#, "'T611' is not a valid name"),
            (r#"{"subject":{"kind":"other","name":"T611"}}"#, "unknown variant `other`"),
        ] {
            let refusal = serde_json::from_str::<Plain>(text).unwrap_err().to_string();
            assert!(refusal.contains(why), "{text}: {refusal}");
        }
    }

    #[test]
    fn names_have_a_form_and_a_class() {
        for (name, class) in [("T611", "T600"), ("DBL-11", "DBL"), ("SLOB", "SLOB"), ("tpcb", "tpcb")] {
            assert_eq!(Plain::of_database(name).unwrap().name().class(), class);
        }
        for name in ["", "611", "a b", "T\u{1b}", "Tä", "-a", &"x".repeat(41)] {
            assert!(Plain::of_database(name).is_err(), "{name}");
        }
        assert_eq!(Plain::Storage(7).name().class(), "ORION");
    }
}
