//! Targets: how to reach one database on a platform, as a URL. What comes after the scheme is the engine's business,
//! but for the password: that is taken out at once, so that no later part of dbdyno can store or show it.

use crate::secret::Secret;
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

/// A target: a scheme, a path, options after `?`, and a password that nothing shows.
#[derive(Clone, PartialEq, Eq)]
pub struct Target {
    /// The engine's name, or `private`.
    pub scheme: String,
    /// What follows the colon, without password and options, still percent-encoded.
    pub rest: String,
    /// Options: `name=value`, in order, still percent-encoded; `password` is never among them.
    pub options: Vec<(String, String)>,
    /// What stood in `user:password@` or `?password=`, or was given later.
    password: Option<Secret>,
}

impl Target {
    /// Takes a target apart.
    ///
    /// # Errors
    /// There is no scheme, an option has no value, or a password is not percent-encoded as it should be.
    pub fn parse(text: &str) -> Result<Self, TargetError> {
        let no_scheme = || TargetError::NoScheme(without_password(text));
        let (scheme, rest) = text.split_once(':').ok_or_else(no_scheme)?;
        if scheme.is_empty() || !scheme.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit()) {
            return Err(no_scheme());
        }
        let invalid = |problem: String| TargetError::Invalid { target: without_password(text), problem };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        if ambiguous(rest, query) {
            return Err(TargetError::Invalid {
                target: format!("{scheme}:{}", hidden_login(rest)),
                problem:
                    "it is not clear where its password ends; in a password write '/' as %2F and '?' as %3F, behind \
                          the host write '@' as %40"
                        .to_owned(),
            });
        }
        let (rest, mut password) = take_password(rest);
        let mut options = Vec::new();
        for option in query.split('&').filter(|o| !o.is_empty()) {
            let (name, value) = option.split_once('=').ok_or_else(|| {
                let secret = query.to_ascii_lowercase().contains("password=");
                let what = if secret { "an option".to_owned() } else { format!("'{option}'") };
                invalid(format!("{what} has no value; write name=value (and '&' in a value as %26)"))
            })?;
            match name {
                name if name.eq_ignore_ascii_case("password") => password = Some(value),
                _ => options.push((name.to_owned(), value.to_owned())),
            }
        }
        let password = password.filter(|p| !p.is_empty()).map(|p| {
            let undecodable = || "its password is not percent-encoded; write '%' as %25".to_owned();
            percent_decode(p).map(Secret::new).ok_or_else(|| invalid(undecodable()))
        });
        Ok(Self { scheme: scheme.to_owned(), rest, options, password: password.transpose()? })
    }

    /// The same target with a password that was asked for.
    #[must_use]
    pub fn with_password(mut self, password: impl Into<String>) -> Self {
        self.password = Some(Secret::new(password));
        self
    }

    /// The password, if the target came with one.
    #[must_use]
    pub fn password(&self) -> Option<&Secret> {
        self.password.as_ref()
    }

    /// An error about this target.
    #[must_use]
    pub fn invalid(&self, problem: impl Into<String>) -> TargetError {
        TargetError::Invalid { target: self.to_string(), problem: problem.into() }
    }
}

/// A text with its `%41` made `A`; nothing where what follows a `%` is no such number, or the whole is not UTF-8.
pub fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let byte = if *first == b'%' {
            let digits = std::str::from_utf8(after.get(..2)?).ok()?;
            rest = &after[2..];
            if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return None;
            }
            u8::from_str_radix(digits, 16).ok()?
        } else {
            rest = after;
            *first
        };
        // No server's name, user or password has a zero byte in it; a protocol would end there.
        if byte == 0 {
            return None;
        }
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

/// Whether a password as typed may reach beyond the first `/` or `?`, or a path or an option have an `@`: a guess would
/// show a part of it.
fn ambiguous(rest: &str, query: &str) -> bool {
    let path = rest.strip_prefix("//").map(|after| after.split_once('/').unwrap_or_default().1);
    path.is_some_and(|path| path.contains('@') || query.contains('@'))
}

/// Splits `//user:password@host/path` into `//user@host/path` and the password. Only what has two slashes has a user;
/// `/data/a:b@c.db` is a file.
fn take_password(rest: &str) -> (String, Option<&str>) {
    let login = rest.strip_prefix("//").and_then(|after| after.rsplit_once('@'));
    match login.and_then(|(login, host)| Some((login.split_once(':')?, host))) {
        Some(((user, password), host)) => (format!("//{user}@{host}"), Some(password)),
        None => (rest.to_owned(), None),
    }
}

/// `//user:anything` cut down to `//user`, for a text that ends within a password.
fn hidden_login(rest: &str) -> String {
    let after = rest.strip_prefix("//").unwrap_or(rest);
    format!("//{}", after.split([':', '/']).next().unwrap_or_default())
}

/// The part of a URL before its options, with `user:password@` cut down to `user@`. For texts that are no targets:
/// rather too much is hidden than too little.
fn without_password(text: &str) -> String {
    let text = text.split('?').next().unwrap_or_default();
    let Some((before, host)) = text.rsplit_once('@') else { return text.to_owned() };
    let (slashes, user) =
        before.split_once("//").map_or(("", before), |(scheme, user)| (&before[..scheme.len() + 2], user));
    // A path is no login.
    let ends: &[char] = if user.starts_with(['/', '.']) { &[':'] } else { &[':', '/'] };
    format!("{slashes}{}@{host}", user.split(ends).next().unwrap_or_default())
}

/// Without a password.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.scheme, self.rest)?;
        for (n, (name, value)) in self.options.iter().enumerate() {
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
    use proptest::prelude::*;

    #[test]
    fn a_target_never_shows_its_password() {
        let target = Target::parse("postgres://scott:ti:ger@db1:5432/x?sslmode=require&password=tiger").unwrap();
        assert_eq!(target.to_string(), "postgres://scott@db1:5432/x?sslmode=require");
        assert!(!format!("{target:?}").contains("ger"));
        for wrong in [
            "Postgres://scott:ti:ger@db1/x",
            "//scott:tiger@db1",
            "postgres://scott:tiger@db1/x?flag",
            "scott/tiger@db1",
        ] {
            let error = Target::parse(wrong).unwrap_err().to_string();
            assert!(error.contains("scott@db1") && !error.contains("ger@"), "{error}");
        }
    }

    #[test]
    fn the_password_is_taken_out_and_decoded() {
        for (text, rest, password) in [
            ("db://scott:ti:ger@h1:1,h2:2/x", "//scott@h1:1,h2:2/x", Some("ti:ger")),
            ("db://scott:a%40b%2Fc%25@h/x", "//scott@h/x", Some("a@b/c%")),
            ("db://scott:ti@ger@h/x", "//scott@h/x", Some("ti@ger")),
            ("db://scott:@h/x?password=tiger", "//scott@h/x", Some("tiger")),
            ("db://scott@h/x?password=a%26b", "//scott@h/x", Some("a&b")),
            ("db://scott@h/x?Password=tiger", "//scott@h/x", Some("tiger")),
            ("db://:tiger@h/x", "//@h/x", Some("tiger")),
            ("db://scott@h/x", "//scott@h/x", None),
            ("db://h:5432/my%40db", "//h:5432/my%40db", None),
            ("db://[::1]:5432/x", "//[::1]:5432/x", None),
            ("db://scott:tiger@[::1]/x", "//scott@[::1]/x", Some("tiger")),
            ("sqlite:/data/a:b@c.db", "/data/a:b@c.db", None),
        ] {
            let target = Target::parse(text).unwrap();
            assert_eq!((target.rest.as_str(), target.password().map(Secret::reveal)), (rest, password), "{text}");
            assert!(!target.options.iter().any(|(name, _)| name == "password"), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_a_password_is_refused_without_being_shown() {
        for text in [
            "db://scott:ti%ger@h/x",
            "db://scott:%zzger@h/x",
            "db://scott:1/ger@h/x",
            "db://s:ti?ger@h/x",
            "db://h?password=t&ger",
            "db://s:ger%00@h",
            "db://h:5432/ger@db",
        ] {
            let error = Target::parse(text).unwrap_err().to_string();
            assert!(!error.contains("ger") && error.contains('%'), "{text}: {error}");
        }
    }

    #[test]
    fn a_password_can_be_given_later() {
        let target = Target::parse("db://scott@h/x").unwrap().with_password("tiger");
        assert_eq!(target.password(), Some(&Secret::new("tiger")));
        assert_eq!(format!("{target} {target:?}"), "db://scott@h/x db://scott@h/x");
    }

    #[test]
    fn files_are_targets() {
        let target = Target::parse("sqlite:/tmp/a:b.db?synchronous=normal").unwrap();
        assert_eq!((target.scheme.as_str(), target.rest.as_str()), ("sqlite", "/tmp/a:b.db"));
        assert!(Target::parse("/tmp/x.db").is_err());
        assert!(Target::parse("sqlite:x?flag").is_err());
    }

    proptest! {
        /// Whatever a password is made of, percent-encoding brings it through and nothing shows it.
        #[test]
        fn encoded_passwords_come_through(password in "[^\\x00]{1,20}") {
            let encoded: String = password.bytes().map(|b| format!("%{b:02x}")).collect();
            let target = Target::parse(&format!("db://scott:{encoded}@h:1/x?a=b")).unwrap();
            prop_assert_eq!(target.password(), Some(&Secret::new(password)));
            prop_assert_eq!(target.to_string(), "db://scott@h:1/x?a=b");
        }

        /// A password as typed, in whatever place, is shown neither by a target nor by an error.
        #[test]
        fn typed_passwords_are_not_shown(noise in "[a-z0-9:/@?&=%#.]{0,6}", tail in "[:/@?&=%#]{0,3}") {
            let text = format!("db://scott:{noise}TIGER{tail}@h/x");
            let shown = match Target::parse(&text) {
                Ok(target) => format!("{target} {target:?}"),
                Err(error) => error.to_string(),
            };
            prop_assert!(!shown.contains("TIGER"), "{} -> {}", text, shown);
        }
    }
}
