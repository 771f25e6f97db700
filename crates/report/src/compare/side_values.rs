//! The value of one setting on each side.

use super::side::Side;
use dbdyno_model::RunJson;
use serde::Serialize;
use std::collections::BTreeSet;

/// A setting that differs: its name and each side's value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DifferingSetting {
    /// What it is.
    pub name: String,
    /// One value a side; absent where it is not known.
    pub values: Vec<Option<String>>,
}

/// A text that is not empty.
pub(super) fn text(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|t| !t.is_empty())
}

/// The values of one setting.
pub(super) fn setting(name: String, sides: &[Side], fact: &dyn Fn(&RunJson) -> Option<String>) -> DifferingSetting {
    let value = |side: &Side| {
        // In a label with runs of databases and of storage, the databases' settings matter.
        let databases = side.runs.iter().any(|run| !run.is_of_storage());
        let runs = side.runs.iter().filter(|run| !(databases && run.is_of_storage()));
        let all: BTreeSet<String> = runs.filter_map(fact).collect();
        text(&all.into_iter().collect::<Vec<_>>().join(" | "))
    };
    DifferingSetting { name, values: sides.iter().map(value).collect() }
}
