//! Procedures: the work of tests, with the same names and arguments on every engine.

use crate::Counter;
use serde::{Deserialize, Serialize};

/// What the work is. Procedures have the same names and arguments on every engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum Procedure {
    /// T111: empty counting loop.
    CpuLoop,
    /// T121: one random number a pass.
    CpuRandomNumber,
    /// T122: one random string of 32 characters a pass.
    CpuRandomString,
    /// T131: the arithmetic mix on integers.
    CpuIntegerMix,
    /// T132: the arithmetic mix on exact decimals.
    CpuDecimalMix,
    /// T133: the arithmetic mix on single-precision floats.
    CpuFloatMix,
    /// T134: the arithmetic mix on doubles.
    CpuDoubleMix,
    /// T141: the string mix on VARCHAR(32).
    CpuStringMix,
    /// T151: naive recursive fibonacci; a pass is one whole evaluation.
    CpuFibonacci,
    /// T152: primes by trial division.
    CpuPrimes,
    /// T153: quicksort of random integers.
    CpuQuicksort,
    /// T211: create and write a database file.
    WriteFile,
    /// T311 …: conventional insert, row by row, into a table of its own.
    Insert,
    /// T331 …: bulk load, direct path, one commit at the end.
    BulkLoad,
    /// T421 …: full scan.
    Scan,
    /// T427: scan of one range partition.
    ScanRange,
    /// T511: create a unique index on ref_id.
    IndexUnique,
    /// T512: create a non-unique index on amount.
    IndexNonUnique,
    /// T513: sort by amount, all sorted rows consumed in the server.
    Sort,
    /// T514: group with count, sum, avg, min, max.
    Group,
    /// T515: grouping sets and a ranking.
    Report,
    /// T611 …: rows by primary key.
    SelectPrimary,
    /// T621 …: the rows of one secondary-key value.
    SelectSecondary,
    /// T711 …: update rows by primary key, commit.
    UpdatePrimary,
    /// T721: update the rows of one secondary-key value, commit.
    UpdateSecondary,
    /// T811, T816: the rows of one customer, each probing a second table by ref_id.
    Join,
}

/// An equality between dbdyno's count and the engine's own, over everything from the barrier to the last chunk's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// The engine's counter equals the operations, each counted this many times.
    PerOperation(Counter, u64),
    /// The engine's counter equals the rows.
    PerRow(Counter),
}

impl Procedure {
    /// Whether it changes data, and so must say how durable its commits are.
    #[must_use]
    pub fn writes(self) -> bool {
        matches!(
            self,
            Self::WriteFile
                | Self::Insert
                | Self::BulkLoad
                | Self::IndexUnique
                | Self::IndexNonUnique
                | Self::UpdatePrimary
                | Self::UpdateSecondary
        )
    }

    /// Whether an operation is a transaction, so that tx/s has a meaning.
    #[must_use]
    pub fn transactional(self) -> bool {
        matches!(
            self,
            Self::Insert | Self::SelectPrimary | Self::SelectSecondary | Self::UpdatePrimary | Self::UpdateSecondary
        )
    }

    /// Whether an application would send it statement by statement, so that it can be driven by a client.
    #[must_use]
    pub fn has_client_form(self) -> bool {
        matches!(
            self,
            Self::Insert
                | Self::SelectPrimary
                | Self::SelectSecondary
                | Self::UpdatePrimary
                | Self::UpdateSecondary
                | Self::Join
        )
    }

    /// Whether each operation reads every row of the table once, so that the sum that it returns is known beforehand.
    #[must_use]
    pub fn reads_all(self) -> bool {
        matches!(self, Self::Scan | Self::Sort | Self::Group | Self::Report)
    }

    /// Procedural code without tables.
    #[must_use]
    pub fn is_cpu(self) -> bool {
        matches!(
            self,
            Self::CpuLoop
                | Self::CpuRandomNumber
                | Self::CpuRandomString
                | Self::CpuIntegerMix
                | Self::CpuDecimalMix
                | Self::CpuFloatMix
                | Self::CpuDoubleMix
                | Self::CpuStringMix
                | Self::CpuFibonacci
                | Self::CpuPrimes
                | Self::CpuQuicksort
        )
    }

    /// The name as in the catalogue and of the stored procedure.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn procedures_are_named_as_in_the_catalogue() {
        for procedure in [Procedure::CpuLoop, Procedure::SelectPrimary, Procedure::IndexNonUnique, Procedure::ScanRange]
        {
            assert_eq!(serde_json::to_value(procedure).unwrap(), procedure.name());
        }
    }
}
