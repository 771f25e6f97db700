//! What a target says: `sqlite:FILE?synchronous=full|normal|off&journal=wal|delete`.

use dbdyno_engine::{Target, TargetError};
use std::path::PathBuf;

/// How far a commit waits for the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Synchronous {
    /// Every commit is on the device.
    Full,
    /// Checkpoints are; the last commits may be lost.
    Normal,
    /// Nothing is; the file may be lost.
    Off,
}

impl Synchronous {
    /// The word as in the target and the pragma.
    pub(super) fn name(self) -> &'static str {
        self.into()
    }

    /// What the pragma's answer means; none for one that sessions never set.
    pub(super) fn of_pragma(answer: &str) -> Option<Self> {
        [Self::Off, Self::Normal, Self::Full].get(answer.parse::<usize>().ok()?).copied()
    }
}

/// How transactions are made whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub(super) enum Journal {
    /// A write-ahead log.
    Wal,
    /// A rollback journal, deleted at each commit.
    Delete,
}

impl Journal {
    /// The word as in the target and the pragma.
    pub(super) fn name(self) -> &'static str {
        self.into()
    }
}

/// A target, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Options {
    /// The database file.
    pub(super) path: PathBuf,
    /// How far a commit waits.
    pub(super) synchronous: Synchronous,
    /// How transactions are made whole.
    pub(super) journal: Journal,
}

impl Options {
    /// Understands a target.
    ///
    /// # Errors
    /// There is no file name, or an option or its value is unknown.
    pub(super) fn parse(target: &Target) -> Result<Self, TargetError> {
        if target.rest.is_empty() {
            return Err(target.invalid("the file's name is missing; write sqlite:FILE"));
        }
        if target.rest == ":memory:" {
            let problem = "every job has a connection of its own, and they would share nothing; name a file";
            return Err(target.invalid(problem));
        }
        let mut options =
            Self { path: PathBuf::from(&target.rest), synchronous: Synchronous::Full, journal: Journal::Wal };
        for (name, value) in &target.options {
            let wrong = |words: &str| target.invalid(format!("{name} is one of {words}"));
            match name.as_str() {
                "synchronous" => options.synchronous = value.parse().map_err(|_| wrong("full, normal, off"))?,
                "journal" => options.journal = value.parse().map_err(|_| wrong("wal, delete"))?,
                _ => {
                    let known = "synchronous=full|normal|off and journal=wal|delete";
                    return Err(target.invalid(format!("there is no option '{name}'; there are {known}")));
                }
            }
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options, String> {
        Options::parse(&Target::parse(text).unwrap()).map_err(|e| e.to_string())
    }

    #[test]
    fn targets_are_files_with_options() {
        let options = parse("sqlite:x.db?synchronous=normal&journal=delete").unwrap();
        assert_eq!((options.synchronous, options.journal), (Synchronous::Normal, Journal::Delete));
        let options = parse("sqlite:/data/x.db").unwrap();
        assert_eq!((options.synchronous, options.journal), (Synchronous::Full, Journal::Wal));
    }

    #[test]
    fn what_is_not_understood_is_refused_with_what_is() {
        for (text, said) in [
            ("sqlite:", "file's name is missing"),
            ("sqlite::memory:", "share nothing"),
            ("sqlite:x?cache=1", "there is no option 'cache'; there are synchronous="),
            ("sqlite:x?journal=off", "journal is one of wal, delete"),
            ("sqlite:x?synchronous=on", "synchronous is one of full, normal, off"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(said), "{text}: {error}");
        }
    }
}
