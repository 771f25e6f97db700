//! The test tables: two shapes, many organisations.

use crate::variants::all;
use crate::{TableShape, size::Size};
use serde::{Deserialize, Serialize};

/// How a table keeps its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Organisation {
    /// Rows in no order, reached by indexes.
    Heap,
    /// Rows in the primary key's index.
    Iot,
    /// Rows placed by a hash of the key.
    Hash,
    /// Heap, list-partitioned by region.
    HeapList,
    /// Index-organised, list-partitioned by region.
    IotList,
    /// Heap, range-partitioned by booked_on, list-subpartitioned by region.
    HeapRangeList,
}

impl Organisation {
    /// Whether the rows lie in the primary key's index.
    #[must_use]
    pub fn is_index(self) -> bool {
        matches!(self, Self::Iot | Self::IotList)
    }

    /// Whether it is partitioned by region alone.
    #[must_use]
    pub fn is_list(self) -> bool {
        matches!(self, Self::HeapList | Self::IotList)
    }
}

/// One test table: a shape, an organisation and whether it is compressed.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::IntoStaticStr,
    strum::VariantArray,
)]
#[strum(serialize_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum TableName {
    /// Small heap.
    SmallHeap,
    /// Small index-organised table.
    SmallIot,
    /// Small hash cluster.
    SmallHash,
    /// Small heap, list-partitioned.
    SmallHeapList,
    /// Small index-organised table, list-partitioned.
    SmallIotList,
    /// Large heap, range-list-partitioned.
    LargeHeapRangeList,
    /// The same, compressed.
    LargeCompressed,
}

impl TableName {
    /// Every table, in loading order.
    pub const ALL: [Self; 7] = all();

    /// Small or large.
    #[must_use]
    pub fn shape(self) -> TableShape {
        match self {
            Self::LargeHeapRangeList | Self::LargeCompressed => TableShape::Large,
            _ => TableShape::Small,
        }
    }

    /// How it keeps its rows.
    #[must_use]
    pub fn organisation(self) -> Organisation {
        match self {
            Self::SmallHeap => Organisation::Heap,
            Self::SmallIot => Organisation::Iot,
            Self::SmallHash => Organisation::Hash,
            Self::SmallHeapList => Organisation::HeapList,
            Self::SmallIotList => Organisation::IotList,
            Self::LargeHeapRangeList | Self::LargeCompressed => Organisation::HeapRangeList,
        }
    }

    /// Rows at a size class.
    #[must_use]
    pub fn rows(self, size: &Size) -> u64 {
        size.rows(self.shape())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_catalogues_names() {
        for table in TableName::ALL {
            assert_eq!(serde_json::to_value(table).unwrap(), table.name());
        }
    }
}
