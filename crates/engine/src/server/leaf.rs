//! The parts of tables that rows lie in: a table without partitions is its own, else there is one for each of its
//! regions, or for each region of each month.

use crate::data::{region, regions};
use dbdyno_model::{Compression, Organisation, Size, TableName, TableShape};

/// One part of a table that holds rows; the unit of work in a load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leaf {
    /// Its table.
    pub table: TableName,
    /// Its name in the schema.
    pub name: String,
    /// Its month, where its table has months.
    pub range: Option<u64>,
    /// Its region, where its table has regions.
    pub region: Option<u64>,
}

impl Leaf {
    /// The partition that it is, as SQL names it where partitions are no tables; nothing where it is the whole table.
    pub fn partition(&self) -> Option<&str> {
        self.name.strip_prefix(self.table.name())?.strip_prefix('_')
    }

    /// How statements name it where partitions are no tables, by the word for such a partition: `small_heap`, or
    /// `small_heap_list PARTITION (p3)`.
    pub fn in_sql(&self, word: &str) -> String {
        match self.partition() {
            Some(partition) => format!("{} {word} ({partition})", self.table),
            None => self.name.clone(),
        }
    }

    /// Its rows' ids, ascending.
    pub fn ids(&self, size: &Size) -> impl Iterator<Item = u64> + use<> {
        let (shape, wanted) = (self.table.shape(), self.region);
        self.range(size).filter(move |id| wanted.is_none_or(|wanted| region(shape, *id) == wanted))
    }

    /// How many rows it has.
    pub fn rows(&self, size: &Size) -> u64 {
        match self.region {
            Some(_) => self.ids(size).count() as u64,
            None => self.range(size).count() as u64,
        }
    }

    /// The rows of all regions.
    fn range(&self, size: &Size) -> std::ops::RangeInclusive<u64> {
        match self.range {
            Some(range) => range * size.small_rows + 1..=(range + 1) * size.small_rows,
            None => 1..=self.table.rows(size),
        }
    }
}

/// How a test table is compressed.
pub fn compression(table: TableName) -> Compression {
    if table == TableName::LargeCompressed { Compression::Basic } else { Compression::None }
}

/// The leaves of a table; the table itself where it has no partitions.
pub fn leaves(table: TableName) -> Vec<Leaf> {
    let leaf = |(name, range, region)| Leaf { table, name, range, region };
    leaf_names(table.name(), table.organisation()).into_iter().map(leaf).collect()
}

/// The names of a table's leaves in loading order, each with its month and its region.
pub fn leaf_names(table: &str, organisation: Organisation) -> Vec<(String, Option<u64>, Option<u64>)> {
    let regions = |shape| 1..=regions(shape);
    match organisation {
        Organisation::Heap | Organisation::Iot | Organisation::Hash => vec![(table.to_owned(), None, None)],
        Organisation::HeapList | Organisation::IotList => {
            regions(TableShape::Small).map(|region| (leaf_name(table, region), None, Some(region))).collect()
        }
        Organisation::HeapRangeList => (0..Size::RANGES)
            .flat_map(|range| regions(TableShape::Large).map(move |region| (range, region)))
            .map(|(range, region)| (leaf_name(&month_name(table, range), region), Some(range), Some(region)))
            .collect(),
    }
}

/// Partitions that rows of a table lie in; 0 where it has none, or where the server alone decides on a row's place.
pub fn partition_count(organisation: Organisation) -> u64 {
    leaf_names("", organisation).iter().filter(|(.., region)| region.is_some()).count() as u64
}

/// The name of the leaf that holds a region of a list-partitioned table, or of a month.
pub fn leaf_name(parent: &str, region: u64) -> String {
    format!("{parent}_p{region}")
}

/// The name of a month of the range-list-partitioned table.
pub fn month_name(table: &str, range: u64) -> String {
    format!("{table}_r{range:02}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Generator, smallest};

    #[test]
    fn every_row_has_one_leaf_and_lies_where_the_partition_wants_it() {
        for table in TableName::ALL {
            let (size, mut ids) = (smallest(), Vec::new());
            let generator = Generator::new(&size, table.shape(), 42);
            for leaf in leaves(table) {
                let own: Vec<u64> = leaf.ids(&size).collect();
                assert_eq!(own.len() as u64, leaf.rows(&size), "{}", leaf.name);
                assert!(own.is_sorted());
                for id in &own {
                    assert!(leaf.range.is_none_or(|range| generator.range(*id) == range), "{} {id}", leaf.name);
                    assert!(leaf.region.is_none_or(|wanted| region(table.shape(), *id) == wanted));
                }
                ids.extend(own);
            }
            ids.sort_unstable();
            assert!(ids.into_iter().eq(1..=size.rows(table.shape())), "{table}");
        }
    }

    #[test]
    fn leaves_have_names_that_can_be_told_apart() {
        let names = |table| leaves(table).into_iter().map(|leaf| leaf.name).collect::<Vec<_>>();
        assert_eq!(names(TableName::LargeHeapRangeList)[127], "large_heap_range_list_r31_p4");
        assert_eq!(names(TableName::SmallIotList)[0], "small_iot_list_p1");
        assert_eq!(names(TableName::SmallHash), ["small_hash"]);
    }
}
