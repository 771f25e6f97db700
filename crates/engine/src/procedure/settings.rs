//! The settings under which a session works, so that each statement under test has one plan.

use crate::PointSpec;
use dbdyno_model::{Cache, Drive, Organisation, Procedure, ProcedureShape};
use serde::Deserialize;

/// Settings of the sessions of some procedures.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Group {
    /// Shapes that it is for; all, where there is none.
    #[serde(default)]
    shapes: Vec<ProcedureShape>,
    /// Procedures that it is for; all, where there is none.
    #[serde(default)]
    procedures: Vec<String>,
    /// Organisations of tables that it is for; all, where there is none.
    #[serde(default)]
    organisations: Vec<Organisation>,
    /// The drive that it is for.
    drive: Option<Drive>,
    /// Whether it is for several threads in a statement, or for one.
    parallel: Option<bool>,
    /// Where the test's tables are meant to be read from.
    cache: Option<Cache>,
    /// The first version of the server that it is for.
    from_version: Option<u64>,
    /// The first one that it is not for any more.
    below_version: Option<u64>,
    /// Names and values; `{threads}` may stand in a value.
    set: Vec<[String; 2]>,
}

/// A setting: its name and its value.
pub type Setting = (String, String);

impl Group {
    /// Whether it is for a procedure that is about a table of an organisation, in a point.
    pub(super) fn is_for(&self, procedure: Procedure, organisation: Organisation, spec: &PointSpec) -> bool {
        (self.shapes.is_empty() || self.shapes.contains(&procedure.shape))
            && (self.procedures.is_empty() || self.procedures.iter().any(|name| name == procedure.name()))
            && (self.organisations.is_empty() || self.organisations.contains(&organisation))
            && self.drive.is_none_or(|drive| drive == spec.drive)
            && self.parallel.is_none_or(|parallel| parallel == (spec.threads > 1))
            && self.cache.is_none_or(|cache| cache == spec.test.cache)
    }

    /// Whether it is for some versions alone.
    pub(super) fn is_of_version(&self) -> bool {
        self.from_version.is_some() || self.below_version.is_some()
    }

    /// Whether it is for a version.
    pub(super) fn has(&self, version: u64) -> bool {
        self.from_version.is_none_or(|from| version >= from) && self.below_version.is_none_or(|below| version < below)
    }
}

/// The settings of some groups: a later one goes before an earlier one.
pub(super) fn together<'g>(spec: &PointSpec, groups: impl Iterator<Item = &'g Group>) -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    for group in groups {
        let before = settings.len();
        for [name, value] in &group.set {
            let value = value.replace("{threads}", &spec.threads.to_string());
            match settings[..before].iter_mut().find(|(known, _)| known == name) {
                Some((_, earlier)) => *earlier = value,
                None => settings.push((name.clone(), value)),
            }
        }
    }
    settings
}
