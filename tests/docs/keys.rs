//! Keys of JSON documents, and the tables that explain them.

use crate::page::Page;
use crate::prose::anchor;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The section of the document of a run.
pub(crate) const DOCUMENT: &str = "the-document";
/// The heading of what other commands answer.
const OTHER_ANSWERS: &str = "other-answers";

/// The keys that a page explains: section -> key -> type.
pub(crate) struct KnownKeys<'p> {
    sections: BTreeMap<String, BTreeMap<&'p str, &'p str>>,
    /// Sections of what other commands answer.
    answers: BTreeSet<String>,
}

impl<'p> KnownKeys<'p> {
    /// Reads the tables whose rows begin with a key and its type.
    pub(crate) fn of(page: &'p Page) -> Self {
        let mut known = Self { sections: BTreeMap::new(), answers: BTreeSet::new() };
        let (mut section, mut is_other) = (String::new(), false);
        for line in page.text.lines() {
            if let Some(heading) = line.strip_prefix('#') {
                section = anchor(heading.trim_start_matches('#'));
                is_other |= section == OTHER_ANSWERS;
                if is_other {
                    known.answers.insert(section.clone());
                }
            } else if let Some((key, rest)) = line.strip_prefix("| `").and_then(|row| row.split_once("` | ")) {
                let kind = rest.split(" |").next().unwrap_or_default();
                let before = known.sections.entry(section.clone()).or_default().insert(key, kind);
                assert_eq!(before, None, "{key} stands twice in {section}");
            }
        }
        known
    }

    /// The section of what a command answers.
    pub(crate) fn answer(&self, name: &str) -> Option<&str> {
        self.answers.get(name).map(String::as_str)
    }

    /// Whether a path is explained: by a row of its own, by one of a map, or by rows of sections that lead to it. An
    /// object that is null is explained by the rows of its keys.
    pub(crate) fn has(&self, section: &str, path: &str) -> bool {
        let rows = self.sections.get(section).unwrap_or_else(|| panic!("there is no section {section}"));
        let ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
        let Some((end, kind)) = ends.into_iter().find_map(|end| Some((end, *rows.get(&path[..end])?))) else {
            return rows.keys().any(|key| key.strip_prefix(path).is_some_and(|rest| rest.starts_with('.')));
        };
        let rest = path[end..].strip_prefix('.');
        let section = kind.split_once("(#").and_then(|(_, to)| to.split_once(')')).map(|(section, _)| section);
        match (rest, section) {
            (None, _) => true,
            (Some(rest), Some(section)) => self.has(section, rest),
            (Some(_), None) => kind.contains("map"),
        }
    }
}

/// The paths of a document's values. Elements of a list have the path of the list.
pub(crate) fn paths(document: &Value) -> BTreeSet<String> {
    fn add(value: &Value, path: &str, paths: &mut BTreeSet<String>) {
        match value {
            Value::Object(map) if !map.is_empty() => {
                for (key, value) in map {
                    add(value, &if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, paths);
                }
            }
            Value::Array(list) if list.iter().any(Value::is_object) => {
                for value in list {
                    add(value, path, paths);
                }
            }
            _ => _ = paths.insert(path.to_owned()),
        }
    }
    let mut paths = BTreeSet::new();
    add(document, "", &mut paths);
    paths
}

#[test]
fn what_is_not_explained_is_noticed() {
    let text = "## The document\n| `a` | number | |\n| `b.c` | list of [parts](#parts) | |\n| `m` | map | |\n\
                ## Parts\n| `d` | text | |\n# Other answers\n## Check\n| `e` | text | |\n";
    let page = Page { name: String::new(), text: text.to_owned() };
    let known = KnownKeys::of(&page);
    let document = serde_json::json!({"a": 1, "b": {"c": [{"d": ""}, {"x": ""}]}, "m": {"any": 1}, "y": null});
    let paths = paths(&document);
    let unknown: Vec<&str> = paths.iter().map(String::as_str).filter(|path| !known.has(DOCUMENT, path)).collect();
    assert_eq!(unknown, ["b.c.x", "y"]);
    assert_eq!((known.answer("check"), known.answer("parts")), (Some("check"), None));
}
