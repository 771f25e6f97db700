//! Reference platforms: published results as data. Each file is converted to the document of a run when it is
//! requested.

mod convert;
mod points;
mod raw;
#[cfg(test)]
mod tests;
mod units;

use crate::Catalogue;
use crate::document::Document;
use crate::error::CatalogueError;
use crate::files::PLATFORMS;
use crate::nearest::nearest;
use dbdyno_model::{Costs, RunJson};
use raw::RawPlatform;

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
            Some(source) => convert::run_document(id, source, self),
            None => Err(CatalogueError::unknown("platform", id, self.platform_ids())),
        }
    }

    /// Ids that look like one that does not exist.
    #[must_use]
    pub fn nearest_platforms(&self, asked: &str) -> Vec<String> {
        nearest(asked, self.platform_ids())
    }

    /// The costs of the platform of a user's own run: a platform file lists the run's label under `runs`.
    ///
    /// # Errors
    /// A platform file that names runs is unsound.
    pub fn costs_of_run(&self, label: &str) -> Result<Option<Costs>, CatalogueError> {
        for source in self.platforms.values().filter(|s| s.text.contains("runs")) {
            let raw = Document::parse(source)?.table::<RawPlatform>("platform")?.value;
            if raw.runs.iter().any(|run| run == label) {
                return Ok(Some(convert::costs(&raw)));
            }
        }
        Ok(None)
    }
}
