//! How a figure is written in the format: the names of families, and labels. The export of a run and the metrics of a
//! monitor share it, so that one figure has one name in both.

use crate::terminal::lines::clean;
use std::fmt::Write as _;

/// Suffixes of our ids, and the unit that a family's name must end with.
const UNITS: &[(&str, &str, &str)] = &[
    // Suffix, what is left of it in the name, unit.
    ("_mib_per_s", "", "mebibytes_per_second"),
    ("_per_s", "", "per_second"),
    ("_iops", "_ios", "per_second"),
    ("_pct", "", "percent"),
    ("_bytes", "", "bytes"),
    ("_s", "", "seconds"),
];

/// The family and unit of one of our ids: `dbdyno_read_ios_per_second`, `per_second`.
#[must_use]
pub fn name(id: &str) -> (String, &'static str) {
    let found = UNITS.iter().find_map(|(suffix, left, unit)| Some((id.strip_suffix(suffix)?, *left, *unit)));
    match found {
        Some((stem, left, unit)) => (format!("dbdyno_{stem}{left}_{unit}"), unit),
        None => (format!("dbdyno_{id}"), ""),
    }
}

/// The lines that begin a family.
pub fn family(out: &mut String, name: &str, kind: &str, unit: &str, help: &str) {
    _ = writeln!(out, "# TYPE {name} {kind}");
    if !unit.is_empty() {
        _ = writeln!(out, "# UNIT {name} {unit}");
    }
    _ = writeln!(out, "# HELP {name} {}", escaped(help));
}

/// Labels, without the empty ones, which the format treats as absent.
#[must_use]
pub fn labels<T: AsRef<str>>(all: &[(&str, T)]) -> String {
    let said = all.iter().map(|(key, value)| (key, value.as_ref())).filter(|(_, value)| !value.is_empty());
    let texts: Vec<String> = said.map(|(key, value)| format!("{key}=\"{}\"", escaped(&clean(value)))).collect();
    texts.join(",")
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped() {
        assert_eq!(labels(&[("a", "x\"y\\z\n"), ("b", "")]), r#"a="x\"y\\z\\n""#);
    }
}
