//! What is known of an engine without a target, and the registry of all engines of a build.

use crate::private::{self, Home, Private, PrivateServer, Which};
use crate::servers::StandbyKind;
use crate::{Engine, Target, TargetError};
use dbdyno_model::{Mapping, Size, Test};

/// Opens a target as an engine.
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
    /// What has not been verified of the whole engine, if anything; said wherever it is named or used.
    pub notice: Option<&'static str>,
    /// Not shown in lists: for tests of dbdyno itself.
    pub hidden: bool,
    /// How it realises a test.
    pub mapping: fn(&Test) -> Mapping,
    /// Every statement of a test at a size, for review.
    pub script: fn(&Test, &Size) -> Result<String, crate::EngineError>,
    /// The script that creates the schema at a size.
    pub schema_script: fn(&Size) -> Result<String, crate::EngineError>,
    /// The SQL of a workload, by its name, where the engine has a file for it.
    pub workload_sql: fn(&str) -> Option<&'static str>,
    /// A statement with what ends it in a script for the engine's own shell.
    pub ended: fn(&str) -> String,
    /// How dbdyno runs a server of its own, where it can.
    pub private: Option<Private>,
    /// Opens a target. The size says how large the engine's cache is to be where dbdyno decides that.
    pub open: Open,
}

/// The engines of a build.
#[derive(Clone, Copy)]
pub struct Registry(&'static [EngineInfo]);

/// The option of a private target: the standby that it must have.
fn standby_of(target: &Target) -> Result<Option<StandbyKind>, TargetError> {
    match target.options.as_slice() {
        [] => Ok(None),
        [(name, kind)] if name == "standby" => {
            StandbyKind::named(kind).map(Some).map_err(|problem| target.invalid(problem))
        }
        [(name, _), ..] => {
            Err(target.invalid(format!("its one option is standby=KIND, and '{name}' is another; leave it away")))
        }
    }
}

impl Registry {
    /// A registry of these engines.
    #[must_use]
    pub const fn of(engines: &'static [EngineInfo]) -> Self {
        Self(engines)
    }

    /// Every engine.
    #[must_use]
    pub const fn all(self) -> &'static [EngineInfo] {
        self.0
    }

    /// The engines of which dbdyno can run a server of its own, and how; without those that lists do not show.
    pub fn with_private_servers(self) -> impl Iterator<Item = (&'static EngineInfo, Private)> {
        self.0.iter().filter(|engine| !engine.hidden).filter_map(|engine| Some((engine, engine.private?)))
    }

    /// An engine by name.
    ///
    /// # Errors
    /// There is none of that name; the nearest is offered.
    pub fn engine(self, name: &str) -> Result<&'static EngineInfo, TargetError> {
        self.0.iter().find(|e| e.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.0.iter().filter(|e| !e.hidden).map(|e| e.name).collect();
            let distance = |known: &str| strsim::damerau_levenshtein(known, &name.to_lowercase());
            let near = known.iter().filter(|k| distance(k) <= 3).min_by_key(|k| distance(k));
            TargetError::UnknownEngine {
                name: name.to_owned(),
                hint: near.map(|k| format!(" (did you mean '{k}'?)")).unwrap_or_default(),
                known: known.join(", "),
            }
        })
    }

    /// The engine that a target names: `postgres://u@h/d` and `private:postgres` name the same.
    ///
    /// # Errors
    /// There is none of that name, or none that dbdyno can run a server of.
    pub fn engine_of(self, target: &Target) -> Result<&'static EngineInfo, TargetError> {
        if target.scheme == private::SCHEME {
            self.private_of(target).map(|(info, _)| info)
        } else {
            self.engine(&target.scheme)
        }
    }

    /// Opens a target. `size` says how large the engine's cache is to be where dbdyno decides that.
    ///
    /// # Errors
    /// The target names no engine of this build, or cannot be understood, or no such private instance runs.
    pub fn open(self, target: &Target, size: &Size) -> Result<Box<dyn Engine>, TargetError> {
        match self.private_server(target)? {
            Some(server) => (self.private_of(target)?.1.open)(&server, size),
            None => (self.engine(&target.scheme)?.open)(target, size),
        }
    }

    /// The running instance behind `private:ENGINE` or `private:ENGINE/NAME`; `None` for a target of another scheme.
    ///
    /// # Errors
    /// The engine has no private instances, or none runs.
    pub fn private_server(self, target: &Target) -> Result<Option<PrivateServer>, TargetError> {
        if target.scheme != private::SCHEME {
            return Ok(None);
        }
        let (_, private) = self.private_of(target)?;
        let name = Which::of_target(target)?.name;
        let home = Home::from_environment().and_then(|home| home.named(name.as_deref()));
        let standby = standby_of(target)?;
        let server = home.and_then(|home| private::find(&home, private.product, standby));
        let server = server.map_err(|error| target.invalid(error.to_string()))?;
        // Commits would wait for it for ever, and so would whoever has sent them.
        server.refuse_waiting().map_err(|error| target.invalid(error.to_string()))?;
        Ok(Some(server))
    }

    fn private_of(self, target: &Target) -> Result<(&'static EngineInfo, Private), TargetError> {
        let info = self.engine(&Which::of_target(target)?.engine)?;
        standby_of(target)?;
        match info.private {
            Some(private) => Ok((info, private)),
            None => Err(target.invalid(format!("dbdyno starts no server for {}; write {}", info.name, info.target))),
        }
    }
}
