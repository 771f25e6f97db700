//! Mappings: how an engine realises each test, as data (mapping.toml in the engine's folder).

use dbdyno_model::{Dimension, Mapping, TestCode};
use std::collections::BTreeMap;

/// Why a mapping file cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{engine}/mapping.toml: {problem}")]
pub struct MappingError {
    /// The engine.
    pub engine: String,
    /// What is wrong.
    pub problem: String,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default)]
    native: bool,
    equivalent: Option<String>,
    none: Option<String>,
    ramp: Option<Dimension>,
}

/// The mappings of one engine: code -> mapping.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mappings(BTreeMap<TestCode, Mapping>);

impl Mappings {
    /// Reads `[T611]` tables with one of `native = true`, `equivalent = "how"`, `none = "why"`, and optionally
    /// `ramp = "jobs"`.
    ///
    /// # Errors
    /// The text is no TOML, a code is malformed, or an entry says none or several of the three.
    pub fn parse(engine: &str, text: &str) -> Result<Self, MappingError> {
        let wrong = |problem: String| MappingError { engine: engine.to_owned(), problem };
        let entries: BTreeMap<String, Entry> = toml::from_str(text).map_err(|e| wrong(e.to_string()))?;
        let mut mappings = BTreeMap::new();
        for (code, entry) in entries {
            let ramp = entry.ramp;
            let mapping = match (entry.native, entry.equivalent, entry.none) {
                (true, None, None) => Mapping::Native { ramp },
                (false, Some(how), None) => Mapping::Equivalent { how, ramp },
                (false, None, Some(why)) => Mapping::None { why },
                _ => return Err(wrong(format!("[{code}] must say exactly one of native, equivalent and none"))),
            };
            mappings.insert(TestCode::new(&code).map_err(|e| wrong(e.to_string()))?, mapping);
        }
        Ok(Self(mappings))
    }

    /// The mapping of a test; a test that the file forgot has none, and says so.
    #[must_use]
    pub fn get(&self, code: &TestCode) -> Mapping {
        let forgotten = || Mapping::None { why: "not mapped for this engine yet".to_owned() };
        self.0.get(code).cloned().unwrap_or_else(forgotten)
    }

    /// Every mapped code.
    pub fn codes(&self) -> impl Iterator<Item = &TestCode> {
        self.0.keys()
    }
}
