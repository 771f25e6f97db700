//! Files of pipelines, parsed.

use crate::ROOT;
use crate::place::Variables;
use serde_json::Value;
use std::path::Path;

/// A file of this repository.
#[track_caller]
pub(crate) fn file(name: &str) -> Value {
    let text = std::fs::read_to_string(Path::new(ROOT).join(name)).unwrap();
    serde_saphyr::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A value of a file as a pipeline shows it to a shell.
pub(crate) fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Names and values.
#[track_caller]
pub(crate) fn variables(value: &Value) -> Variables {
    let all = value.as_object().unwrap_or_else(|| panic!("no names and values: {value}"));
    all.iter().map(|(name, value)| (name.clone(), scalar(value))).collect()
}

/// The lines of a list of commands.
#[track_caller]
pub(crate) fn commands(value: &Value) -> Vec<&str> {
    let all = value.as_array().unwrap_or_else(|| panic!("no list of commands: {value}"));
    all.iter().map(|command| command.as_str().unwrap()).collect()
}
