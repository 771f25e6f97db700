//! The tables of `names.toml`: names by the texts in which a system shows them.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Pairs of a part of a text and the name that it stands for. The first pair whose part is found counts.
type NamesByPart = Vec<(String, String)>;

/// The tables.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Names {
    pub(crate) firmware: NamesByPart,
    pub(crate) clock_sources: NamesByPart,
    pub(crate) device_trees: NamesByPart,
    pub(crate) containers: NamesByPart,
    /// Implementer and part number -> name.
    pub(crate) arm_cores: BTreeMap<String, String>,
}

pub(crate) static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let names = toml::from_str(include_str!("names.toml"));
    #[expect(clippy::expect_used, reason = "the file is part of the program, and tests read it")]
    names.expect("names.toml has tables of names")
});

/// The name of the first pair whose part is in one of the texts.
pub(crate) fn name_in(names: &'static [(String, String)], texts: &[impl AsRef<str>]) -> Option<&'static str> {
    let is_in_a_text = |part: &str| texts.iter().any(|text| text.as_ref().contains(part));
    names.iter().find(|(part, _)| is_in_a_text(part)).map(|(_, name)| name.as_str())
}
