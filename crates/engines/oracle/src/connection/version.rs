//! Which release answers.

use oracledb::OracleVersion;
use std::fmt;

/// A release, as far as dbdyno tells releases apart. They are ordered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version {
    /// 12, 18, 19, 21, 23.
    pub(crate) major: u32,
    /// 2 of 12.2, the release update of later ones: 21 of 19.21. From 23.26 on the product is called 26ai.
    pub(crate) minor: u32,
    /// The third and the fourth number.
    pub(crate) rest: [u32; 2],
}

impl Version {
    /// The oldest that dbdyno works with.
    pub(crate) const OLDEST: Self = Self::of(12, 2);

    /// A release.
    pub(crate) const fn of(major: u32, minor: u32) -> Self {
        Self { major, minor, rest: [0; 2] }
    }

    /// As the login told it.
    pub(super) fn told(version: &OracleVersion) -> Self {
        let number = |part| u32::try_from(part).unwrap_or(u32::MAX);
        Self { major: number(version.0), minor: number(version.1), rest: [number(version.2), number(version.3)] }
    }

    /// What the product is called: `12.2`, `19c`, `23ai`, `26ai`.
    pub(crate) fn product(self) -> String {
        match (self.major, self.minor) {
            (..=12, minor) => format!("{}.{minor}", self.major),
            (13..=22, _) => format!("{}c", self.major),
            (23, 26..) => "26ai".to_owned(),
            (major, _) => format!("{major}ai"),
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}.{}", self.major, self.minor, self.rest[0], self.rest[1])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_understood_named_and_ordered() {
        let told = |numbers: [usize; 5]| {
            let [a, b, c, d, e] = numbers;
            Version::told(&OracleVersion(a, b, c, d, e))
        };
        for (numbers, shown, product) in [
            ([12, 2, 0, 1, 0], "12.2.0.1", "12.2"),
            ([12, 1, 0, 2, 0], "12.1.0.2", "12.1"),
            ([18, 0, 0, 0, 0], "18.0.0.0", "18c"),
            ([19, 21, 0, 0, 0], "19.21.0.0", "19c"),
            ([21, 3, 0, 0, 0], "21.3.0.0", "21c"),
            ([23, 4, 0, 24, 5], "23.4.0.24", "23ai"),
            ([23, 26, 1, 0, 0], "23.26.1.0", "26ai"),
        ] {
            let version = told(numbers);
            assert_eq!((version.to_string().as_str(), version.product().as_str()), (shown, product));
        }
        assert!(told([12, 1, 0, 2, 0]) < Version::OLDEST && told([12, 2, 0, 1, 0]) > Version::OLDEST);
        assert!(told([19, 21, 0, 0, 0]) > Version::of(19, 3) && Version::of(23, 26) > Version::of(23, 9));
    }
}
