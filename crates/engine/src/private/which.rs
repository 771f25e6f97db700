//! Which private instance is meant: an engine's, by its name where it has one; in a target, in a command and in words.

use crate::servers::ServerError;
use crate::{Target, TargetError};
use std::fmt;

/// The scheme of targets that are private instances.
pub const SCHEME: &str = "private";
/// The longest name. A socket's path has room for little more.
const NAME_CHARS: usize = 32;

/// A private instance, as users name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Which {
    /// The engine's name.
    pub engine: String,
    /// Its own name, where it is not the one without.
    pub name: Option<String>,
}

impl Which {
    /// An engine's instance without a name.
    #[must_use]
    pub fn of(engine: &str) -> Self {
        Self { engine: engine.to_owned(), name: None }
    }

    /// What `private:ENGINE` or `private:ENGINE/NAME` names.
    ///
    /// # Errors
    /// The name is none.
    pub fn of_target(target: &Target) -> Result<Self, TargetError> {
        let Some((engine, name)) = target.rest.split_once('/') else { return Ok(Self::of(&target.rest)) };
        check_name(name).map_err(|error| target.invalid(error.to_string()))?;
        Ok(Self { engine: engine.to_owned(), name: Some(name.to_owned()) })
    }

    /// As `up` and `down` take it: `postgres --name a`.
    #[must_use]
    pub fn arguments(&self) -> String {
        let name = self.name.as_ref().map(|name| format!(" --name {name}")).unwrap_or_default();
        format!("{}{name}", self.engine)
    }

    /// Its target.
    #[must_use]
    pub fn target(&self) -> String {
        format!("{SCHEME}:{self}")
    }
}

/// `postgres` or `postgres/a`.
impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.engine)?;
        self.name.as_ref().map_or(Ok(()), |name| write!(f, "/{name}"))
    }
}

/// Refuses what is no name of an instance: it becomes a folder's, and a word of a shell.
pub(super) fn check_name(name: &str) -> Result<(), ServerError> {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
    if is_plain && !name.is_empty() && name.len() <= NAME_CHARS && !name.starts_with('-') {
        return Ok(());
    }
    Err(ServerError::Refused(format!(
        "'{}' is no name of a private server; a name has 1 to {NAME_CHARS} letters, digits, - and _, and does not begin with -",
        name.escape_default()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_names_an_instance_and_a_command_names_the_same() {
        for (target, arguments) in [("private:e", "e"), ("private:e/a-b_1", "e --name a-b_1")] {
            let which = Which::of_target(&Target::parse(target).unwrap()).unwrap();
            assert_eq!((which.target().as_str(), which.arguments().as_str()), (target, arguments));
        }
        for wrong in ["private:e/", "private:e/a/b", "private:e/..", "private:e/a b", "private:e/-a", "private:e/ä"] {
            let error = Which::of_target(&Target::parse(wrong).unwrap()).unwrap_err().to_string();
            assert!(error.contains("is no name of a private server; a name has 1 to 32 letters"), "{error}");
        }
        assert!(check_name(&"a".repeat(32)).is_ok() && check_name(&"a".repeat(33)).is_err());
    }
}
