//! The tables of `names.toml`.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Pairs of a mark and a name; the first mark that is found counts.
type Marks = Vec<(String, String)>;

/// The tables.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Names {
    pub(crate) firmware: Marks,
    pub(crate) clock_sources: Marks,
    pub(crate) device_trees: Marks,
    pub(crate) containers: Marks,
    /// Implementer and part -> name.
    pub(crate) arm_cores: BTreeMap<String, String>,
}

pub(crate) static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let names = toml::from_str(include_str!("names.toml"));
    #[expect(clippy::expect_used, reason = "the file is part of the program, and tests read it")]
    names.expect("names.toml has tables of names")
});

/// The name of the first mark that one of the texts contains.
pub(crate) fn named(marks: &'static [(String, String)], texts: &[impl AsRef<str>]) -> Option<&'static str> {
    let found = |mark: &str| texts.iter().any(|text| text.as_ref().contains(mark));
    marks.iter().find(|(mark, _)| found(mark)).map(|(_, name)| name.as_str())
}
