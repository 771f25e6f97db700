//! Platform files. One is either a published result as data, which is converted to the document of a run when it is
//! requested, or what users say of the platforms of their own runs. Both have the same keys.

mod convert;
mod own;
#[cfg(test)]
mod own_tests;
mod points;
mod raw;
mod template;
#[cfg(test)]
mod tests;
mod units;

use crate::Catalogue;
use crate::document::Document;
use crate::error::CatalogueError;
use crate::files::{PLATFORMS, Source};
use crate::nearest::nearest;
use dbdyno_model::{Described, RunJson};
use raw::RawPlatform;
use std::borrow::Cow;
pub use template::platform_template;

impl Catalogue {
    /// The ids of all reference platforms: the names of their files.
    pub fn platform_ids(&self) -> impl Iterator<Item = &str> {
        self.platforms.keys().map(|name| name.trim_start_matches(PLATFORMS).trim_end_matches(".toml"))
    }

    /// A reference platform as the document of a run.
    ///
    /// # Errors
    /// There is none of that id (the nearest are offered), or its file is unsound.
    pub fn platform(&self, id: &str) -> Result<RunJson, CatalogueError> {
        match self.platforms.get(&format!("{PLATFORMS}{id}.toml")) {
            Some(source) => convert::run_document(Some(id), source, self),
            None => Err(CatalogueError::unknown("platform", id, self.platform_ids())),
        }
    }

    /// A platform file from elsewhere as the document of a run; `shown` is how messages call the file, whose name need
    /// not be the platform's id.
    ///
    /// # Errors
    /// It is unsound, or describes the platform of runs and has no id.
    pub fn platform_of(&self, shown: &str, text: &str) -> Result<RunJson, CatalogueError> {
        convert::run_document(None, &Source { shown: shown.to_owned(), text: Cow::Owned(text.to_owned()) }, self)
    }

    /// Ids that look like one that does not exist.
    #[must_use]
    pub fn nearest_platforms(&self, asked: &str) -> Vec<String> {
        nearest(asked, self.platform_ids())
    }

    /// What a file says of the platform of a user's own runs; `shown` is how messages call the file.
    ///
    /// # Errors
    /// It is not TOML, has an unknown key or an unusable value, holds results, or says nothing.
    pub fn describe(&self, shown: &str, text: &str) -> Result<Described, CatalogueError> {
        own::description(&Source { shown: shown.to_owned(), text: Cow::Owned(text.to_owned()) }, self)
    }

    /// What the catalogue's platform files say of the platform of a user's own run: one of them lists the run's label
    /// under `runs`.
    ///
    /// # Errors
    /// A platform file that names runs is unsound.
    pub fn description_of_label(&self, label: &str) -> Result<Option<Described>, CatalogueError> {
        for source in self.platforms.values().filter(|s| s.text.contains("runs")) {
            let mut document = Document::parse(source)?;
            let head = document.table::<RawPlatform>("platform")?;
            if head.value.runs.iter().any(|run| run == label) {
                let described = own::described(&mut document, Some(&head), source, self)?;
                document.refuse_others(&[own::DESCRIPTION_TABLES, own::RESULT_TABLES].concat())?;
                return Ok(Some(described));
            }
        }
        Ok(None)
    }
}
