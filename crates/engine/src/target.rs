//! Targets: how to reach one database on a platform, as a URL. What comes after the scheme is the engine's business.

use std::fmt;

/// Why a text is no target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// No scheme at all.
    #[error("'{0}' is no target: it begins with no engine's name; `dbdyno list engines` shows how targets are written")]
    NoScheme(String),
    /// The engine's part is not understood.
    #[error("the target '{target}' cannot be used: {problem}")]
    Invalid {
        /// The target as given, without a password.
        target: String,
        /// What is wrong and what to do.
        problem: String,
    },
    /// No engine of that name.
    #[error("there is no engine '{name}' in this build{hint}; it has: {known}")]
    UnknownEngine {
        /// As given.
        name: String,
        /// ` (did you mean …?)` or nothing.
        hint: String,
        /// What there is.
        known: String,
    },
}

/// A target: a scheme, a path, options after `?`.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// The engine's name, or `private`.
    pub scheme: String,
    /// What follows the colon, without options.
    pub rest: String,
    /// Options: `name=value`, in order.
    pub options: Vec<(String, String)>,
}

impl Target {
    /// Takes a target apart.
    ///
    /// # Errors
    /// There is no scheme, or an option has no value.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        let no_scheme = || TargetError::NoScheme(without_password(text));
        let (scheme, rest) = text.split_once(':').ok_or_else(no_scheme)?;
        if scheme.is_empty() || !scheme.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()) {
            return Err(no_scheme());
        }
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut options = Vec::new();
        for option in query.split('&').filter(|o| !o.is_empty()) {
            let (name, value) = option.split_once('=').ok_or_else(|| TargetError::Invalid {
                target: format!("{scheme}:{}", without_password(rest)),
                problem: format!("the option '{option}' has no value; write name=value"),
            })?;
            options.push((name.to_owned(), value.to_owned()));
        }
        Ok(Self { scheme: scheme.to_owned(), rest: rest.to_owned(), options })
    }

    /// An error about this target.
    #[must_use]
    pub fn invalid(&self, problem: impl Into<String>) -> TargetError {
        TargetError::Invalid { target: self.to_string(), problem: problem.into() }
    }
}

/// The part of a URL before its options, with `user:password@` cut down to `user@`.
fn without_password(text: &str) -> String {
    let text = text.split('?').next().unwrap_or_default();
    let Some((before, host)) = text.rsplit_once('@') else { return text.to_owned() };
    let (slashes, user) =
        before.split_once("//").map_or(("", before), |(scheme, user)| (&before[..scheme.len() + 2], user));
    format!("{slashes}{}@{host}", user.split(':').next().unwrap_or_default())
}

/// Without a password.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scheme, without_password(&self.rest))?;
        for (n, (name, value)) in self.options.iter().filter(|(name, _)| name != "password").enumerate() {
            write!(f, "{}{name}={value}", if n == 0 { '?' } else { '&' })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_never_shows_its_password() {
        let target = Target::parse("postgres://scott:ti:ger@db1:5432/x?sslmode=require&password=tiger").unwrap();
        assert_eq!(target.to_string(), "postgres://scott@db1:5432/x?sslmode=require");
        assert!(!format!("{target:?}").contains("ger"));
        for wrong in ["Postgres://scott:ti:ger@db1/x", "//scott:tiger@db1", "postgres://scott:tiger@db1/x?flag"] {
            let error = Target::parse(wrong).unwrap_err().to_string();
            assert!(error.contains("scott@db1") && !error.contains("ger@"), "{error}");
        }
    }

    #[test]
    fn files_are_targets() {
        let target = Target::parse("sqlite:/tmp/a:b.db?synchronous=normal").unwrap();
        assert_eq!((target.scheme.as_str(), target.rest.as_str()), ("sqlite", "/tmp/a:b.db"));
        assert!(Target::parse("/tmp/x.db").is_err());
        assert!(Target::parse("sqlite:x?flag").is_err());
    }
}
