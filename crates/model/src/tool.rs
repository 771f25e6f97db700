//! How dbdyno itself was built, and what it runs on: two builds of one version may measure differently.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The dbdyno that measured a run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Tool {
    /// Its version.
    pub version: String,
    /// The profile of its build: `release`, `dist`, `dev`.
    pub profile: Option<String>,
    /// The C library: `gnu`, `musl`.
    pub libc: Option<String>,
    /// The version of that library, as it was loaded.
    pub libc_version: Option<String>,
    /// Where memory comes from: `system` is the C library's allocator, else the name of the library that was loaded in
    /// its place.
    pub allocator: Option<String>,
    /// Databases built into the program, and the options that they were compiled with.
    pub embedded: BTreeMap<String, Vec<String>>,
    /// Key -> why the value is absent.
    pub missing: BTreeMap<String, String>,
}

impl Tool {
    /// What decides figures, as name and value for comparisons. Unknown values are left out.
    #[must_use]
    pub fn facts(&self) -> Vec<(String, String)> {
        let libc = self.libc.as_ref().map(|name| match &self.libc_version {
            Some(version) => format!("{name} {version}"),
            None => name.clone(),
        });
        let plain = [("profile", self.profile.clone()), ("C library", libc), ("allocator", self.allocator.clone())];
        let plain = plain.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        let embedded = self.embedded.iter().map(|(name, flags)| (format!("embedded {name}"), flags.join(" ")));
        plain.chain(embedded).collect()
    }
}
