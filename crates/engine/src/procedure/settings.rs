//! The settings under which a session works, so that each statement under test has one plan.

use super::{ProcedureSpec, dialect::ProcedureDialect};
use crate::{EngineError, PointSpec};
use dbdyno_model::{Drive, Organisation, ProcedureShape};
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
    fn is_for(&self, procedure: &ProcedureSpec, spec: &PointSpec) -> bool {
        let facts = procedure.test.procedure;
        let organisation = procedure.table.organisation();
        (self.shapes.is_empty() || self.shapes.contains(&facts.shape))
            && (self.procedures.is_empty() || self.procedures.iter().any(|name| name == facts.name()))
            && (self.organisations.is_empty() || self.organisations.contains(&organisation))
            && self.drive.is_none_or(|drive| drive == spec.drive)
            && self.parallel.is_none_or(|parallel| parallel == (spec.threads > 1))
    }

    fn is_of_version(&self) -> bool {
        self.from_version.is_some() || self.below_version.is_some()
    }

    fn has(&self, version: u64) -> bool {
        self.from_version.is_none_or(|from| version >= from) && self.below_version.is_none_or(|below| version < below)
    }
}

impl ProcedureDialect {
    /// The statement that makes a setting.
    #[must_use]
    pub fn setting(&self, (name, value): &Setting) -> String {
        self.setting.replace("{name}", name).replace("{value}", value)
    }

    fn together<'g>(spec: &PointSpec, groups: impl Iterator<Item = &'g Group>) -> Vec<Setting> {
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
}

impl ProcedureSpec {
    /// The settings of a session on every version of the server.
    ///
    /// # Errors
    /// The dialect's file cannot be read.
    pub fn settings(&self, spec: &PointSpec) -> Result<Vec<Setting>, EngineError> {
        let groups = self.rules()?.settings.iter().filter(|group| group.is_for(self, spec) && !group.is_of_version());
        Ok(ProcedureDialect::together(spec, groups))
    }

    /// Settings that only some versions know, or need: they go after the others.
    ///
    /// # Errors
    /// As for [`ProcedureSpec::settings`].
    pub fn settings_of_version(&self, spec: &PointSpec, version: u64) -> Result<Vec<Setting>, EngineError> {
        let groups = self.rules()?.settings.iter().filter(|group| group.is_for(self, spec));
        Ok(ProcedureDialect::together(spec, groups.filter(|group| group.is_of_version() && group.has(version))))
    }

    /// The statements that make the settings of a session on every version of the server.
    ///
    /// # Errors
    /// As for [`ProcedureSpec::settings`].
    pub fn set(&self, spec: &PointSpec) -> Result<Vec<String>, EngineError> {
        let rules = self.rules()?;
        Ok(self.settings(spec)?.iter().map(|setting| rules.setting(setting)).collect())
    }
}
