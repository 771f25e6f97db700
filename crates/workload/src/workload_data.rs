//! What a target holds of a workload, as its book-keeping says.

use crate::DataSpec;

/// A workload's data on a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkloadData {
    /// There is none.
    Nothing,
    /// The part that an interrupted load of this left.
    Partly(DataSpec),
    /// All of this.
    Complete(DataSpec),
}

/// How far a load has come, in the book-keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum LoadStage {
    /// Its tables are made.
    Loading,
    /// They are filled.
    Filling,
    /// Their rows were read back, and are brought into the order that is wanted.
    Arranging,
    /// Everything was proved.
    Complete,
}

impl LoadStage {
    /// The workload's entry in the book-keeping at this stage.
    pub(crate) fn entry(self, spec: &DataSpec) -> String {
        format!("{} {spec}", <&str>::from(self))
    }

    /// Reads such an entry; `None` where it is something else.
    pub(crate) fn read(entry: &str) -> Option<(Self, DataSpec)> {
        let (stage, words) = entry.split_once(' ')?;
        Some((stage.parse().ok()?, DataSpec::read(words)?))
    }
}

impl WorkloadData {
    /// Reads the workload's entry in the book-keeping.
    pub(crate) fn read(entry: &str) -> Self {
        match LoadStage::read(entry) {
            Some((LoadStage::Complete, spec)) => Self::Complete(spec),
            Some((_, spec)) => Self::Partly(spec),
            None => Self::Nothing,
        }
    }

    /// What decides the rows of the data, if there is any.
    #[must_use]
    pub fn spec(&self) -> Option<&DataSpec> {
        match self {
            Self::Nothing => None,
            Self::Partly(spec) | Self::Complete(spec) => Some(spec),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use dbdyno_engine::data::DEFAULT_SEED;
    use dbdyno_model::Parameters;

    #[test]
    fn what_the_book_keeping_says_of_the_data_is_read_back() {
        let scale = "0.05".parse().unwrap();
        let parameters = Parameters::from_iter([("SCALE", "10240"), ("SCAN_TABLE_SZ", "128")]);
        for (seed, parameters) in [
            (DEFAULT_SEED, Parameters::default()),
            (7, Parameters::default()),
            (u64::MAX, parameters.clone()),
            (DEFAULT_SEED, parameters),
        ] {
            let spec = DataSpec { scale, seed, parameters };
            assert_eq!(WorkloadData::read(&LoadStage::Complete.entry(&spec)), WorkloadData::Complete(spec.clone()));
            for stage in [LoadStage::Loading, LoadStage::Filling, LoadStage::Arranging] {
                assert_eq!(WorkloadData::read(&stage.entry(&spec)), WorkloadData::Partly(spec.clone()));
            }
        }
        let earlier = WorkloadData::read("complete scale 0.05");
        assert_eq!(earlier, WorkloadData::Complete(DataSpec::new(scale, DEFAULT_SEED)));
        for other in [
            "",
            "complete",
            "complete scale x",
            "complete scale 0.05 seed x",
            "gone scale 0.05",
            "complete scale 1 with x",
        ] {
            assert_eq!(WorkloadData::read(other), WorkloadData::Nothing, "{other}");
        }
    }
}
