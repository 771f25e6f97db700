//! The registry: one line an engine. The only place outside the engines' folders that names them.

use crate::{Engine, Target, TargetError};
use dbdyno_model::{Mapping, Size, Test};

type Open = fn(&Target, &Size) -> Result<Box<dyn Engine>, TargetError>;

/// What is known of an engine without a target.
#[derive(Clone, Copy)]
pub struct EngineInfo {
    /// Its name, also the scheme of its targets.
    pub name: &'static str,
    /// What it is.
    pub title: &'static str,
    /// How a target is written.
    pub target: &'static str,
    /// What has not been verified, if anything.
    pub notice: Option<&'static str>,
    /// Not shown in lists: for tests of dbdyno itself.
    pub hidden: bool,
    /// How it realises a test.
    pub mapping: fn(&Test) -> Mapping,
    /// Every statement of a test at a size, for review.
    pub script: fn(&Test, &Size) -> Result<String, crate::EngineError>,
    /// The script that creates the schema at a size.
    pub schema_script: fn(&Size) -> Result<String, crate::EngineError>,
    pub(crate) open: Open,
}

const ENGINES: &[EngineInfo] = &[
    #[cfg(feature = "sqlite")]
    crate::sqlite::INFO,
    crate::null::INFO,
];

/// Every engine of this build.
#[must_use]
pub fn engines() -> &'static [EngineInfo] {
    ENGINES
}

/// An engine by name.
///
/// # Errors
/// There is none of that name; the nearest is offered.
pub fn engine_info(name: &str) -> Result<&'static EngineInfo, TargetError> {
    ENGINES.iter().find(|e| e.name == name).ok_or_else(|| {
        let known: Vec<&str> = ENGINES.iter().filter(|e| !e.hidden).map(|e| e.name).collect();
        let distance = |known: &str| strsim::damerau_levenshtein(known, &name.to_lowercase());
        let near = known.iter().filter(|k| distance(k) <= 3).min_by_key(|k| distance(k));
        TargetError::UnknownEngine {
            name: name.to_owned(),
            hint: near.map(|k| format!(" (did you mean '{k}'?)")).unwrap_or_default(),
            known: known.join(", "),
        }
    })
}

/// Opens a target. `size` says how large the engine's cache is to be where dbdyno decides that.
///
/// # Errors
/// The target names no engine of this build, or cannot be understood.
pub fn open(target: &Target, size: &Size) -> Result<Box<dyn Engine>, TargetError> {
    (engine_info(&target.scheme)?.open)(target, size)
}
