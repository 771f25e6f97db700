//! Messages of the deserialiser in dbdyno's words, with the nearest name where a name is wrong.

use crate::nearest::nearest;

/// Says what is wrong. `key` is the key whose value the message is about, if it is about a value.
pub(crate) fn problem(message: &str, key: Option<&str>) -> String {
    if let Some(field) = message.strip_prefix("missing field ") {
        return format!("the key '{}' is missing", field.trim_matches('`'));
    }
    let of = key.map(|k| format!("key '{k}': ")).unwrap_or_default();
    for (beginning, of, what) in [("unknown field ", "", "key"), ("unknown variant ", of.as_str(), "value")] {
        let names = message.strip_prefix(beginning).map(quoted).unwrap_or_default();
        if let Some((wrong, known)) = names.split_first() {
            return format!("{of}{}", unknown(what, wrong, known));
        }
    }
    format!("{of}{}", message.trim().replace('`', "'"))
}

/// Says that a name is unknown, and which would be right.
pub(crate) fn unknown(what: &str, wrong: &str, known: &[&str]) -> String {
    format!("unknown {what} '{wrong}'{}", suggestion(wrong, known))
}

/// The nearest of the known names, or all of them when none is near.
fn suggestion(wrong: &str, known: &[&str]) -> String {
    match nearest(wrong, known.iter().copied()).first() {
        Some(near) => format!("; did you mean '{near}'?"),
        None if known.is_empty() => "; no key may stand here".to_owned(),
        None => format!("; it can be {}", known.join(", ")),
    }
}

/// The names between backticks.
fn quoted(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}
