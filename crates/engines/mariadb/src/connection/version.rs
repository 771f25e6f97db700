//! Which product answers, and which version of it.

use std::fmt;

/// A version. Those of one product are ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    /// MySQL, and not MariaDB.
    pub(crate) mysql: bool,
    /// 10.11.19 is 101119.
    pub(crate) number: u32,
}

/// What MariaDB put before its number so that older programs would talk to it; proxies still do.
const DISGUISE: &str = "5.5.5-";

impl Version {
    /// Understands what `VERSION()` says: `10.11.19-MariaDB-log`, `8.0.36`.
    pub(super) fn parse(said: &str) -> Option<Self> {
        let mysql = !said.to_ascii_lowercase().contains("mariadb");
        let said = if mysql { said } else { said.strip_prefix(DISGUISE).unwrap_or(said) };
        let digits = said.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
        let mut parts = digits.split('.').map(|part| part.parse::<u32>().ok().filter(|part| *part < 100));
        let (major, minor) = (parts.next()??, parts.next()??);
        let patch = parts.next().flatten().unwrap_or(0);
        Some(Self { mysql, number: major * 10_000 + minor * 100 + patch })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let product = if self.mysql { "MySQL" } else { "MariaDB" };
        write!(f, "{product} {}.{}.{}", self.number / 10_000, self.number / 100 % 100, self.number % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_understood_and_ordered() {
        for (said, shown) in [
            ("10.11.19-MariaDB-0+deb12u1-log", Some("MariaDB 10.11.19")),
            ("5.5.5-10.6.4-MariaDB", Some("MariaDB 10.6.4")),
            ("11.4.2-MariaDB", Some("MariaDB 11.4.2")),
            ("12.0-MariaDB", Some("MariaDB 12.0.0")),
            ("8.0.36-0ubuntu0.22.04.1", Some("MySQL 8.0.36")),
            ("9.1.0", Some("MySQL 9.1.0")),
            ("PostgreSQL 15.18", None),
            ("", None),
        ] {
            assert_eq!(Version::parse(said).map(|version| version.to_string()).as_deref(), shown, "{said}");
        }
        assert!(Version::parse("10.11.9-MariaDB") < Version::parse("10.11.10-MariaDB"));
        assert_eq!(Version::parse("10.11.19-MariaDB").unwrap().number, 101_119);
    }
}
