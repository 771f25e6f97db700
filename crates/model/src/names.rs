//! The names of enums' variants.

use crate::{
    Arrivals, Better, Commits, Compression, Dimension, Drive, ExperimentKind, Flag, Layer, Organisation, Queue,
    RunStatus, Status, SubjectKind, SuspectCode, TableName,
};

/// Gives each of these enums the method `name`.
macro_rules! named {
    ($($of:ty),+) => {$(
        impl $of {
            /// The name of the variant, as in JSON, in the catalogue and in the database.
            #[must_use]
            pub fn name(self) -> &'static str {
                self.into()
            }
        }
    )+};
}

named! { Arrivals, Better, Commits, Compression, Dimension, Drive, Flag, Layer, Organisation, Queue }
named! { ExperimentKind, RunStatus, Status, SubjectKind, SuspectCode, TableName }
