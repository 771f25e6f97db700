//! The ways to cut, in words.

use crate::cli::CutBy;

/// A way to cut, and what is lost by it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Loses {
    pub(super) name: &'static str,
    pub(super) what: &'static str,
}

impl Loses {
    /// The user cuts it.
    pub(super) const EXTERNAL: Self = Self { name: "external", what: "what whoever cut it took away" };

    pub(super) fn by(by: CutBy) -> Self {
        let (name, what) = match by {
            CutBy::Kill => ("kill", "what the processes had in memory; what they had handed to the system stays"),
            CutBy::Filesystem => (
                "filesystem",
                "what the processes and the system had in memory; what was written to the device stays, flushed or not",
            ),
            CutBy::Device => (
                "device",
                "what the processes, the system and the device had in memory: all that the device was not told to flush",
            ),
            CutBy::Promotion => ("promotion", "the primary with all that it has; its standby is promoted in its place"),
        };
        Self { name, what }
    }
}
