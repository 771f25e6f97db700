//! The relations that rows lie in: a table without partitions, or the leaves of one that has them.

use super::super::recipe::layout;
use crate::data::{region, regions};
use dbdyno_model::{Organisation, Size, TableName};

/// One relation that holds rows; the unit of work in a load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::postgres) struct Leaf {
    /// Its table.
    pub(in crate::postgres) table: TableName,
    /// Its name in the schema.
    pub(in crate::postgres) name: String,
    range: Option<u64>,
    region: Option<u64>,
}

impl Leaf {
    /// Its rows' ids, ascending.
    pub(in crate::postgres) fn ids(&self, size: &Size) -> impl Iterator<Item = u64> + use<> {
        let (shape, wanted) = (self.table.shape(), self.region);
        self.range(size).filter(move |id| wanted.is_none_or(|wanted| region(shape, *id) == wanted))
    }

    /// How many rows it has.
    pub(in crate::postgres) fn rows(&self, size: &Size) -> u64 {
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

/// The leaves of a table; the table itself where it has no partitions.
pub(in crate::postgres) fn leaves(table: TableName) -> Vec<Leaf> {
    let leaf = |name: String, range, region| Leaf { table, name, range, region };
    let (name, regions) = (table.name(), 1..=regions(table.shape()));
    match table.organisation() {
        Organisation::Heap | Organisation::Iot | Organisation::Hash => vec![leaf(name.to_owned(), None, None)],
        Organisation::HeapList | Organisation::IotList => {
            regions.map(|region| leaf(layout::leaf(name, region), None, Some(region))).collect()
        }
        Organisation::HeapRangeList => (0..Size::RANGES)
            .flat_map(|range| regions.clone().map(move |region| (range, region)))
            .map(|(range, region)| (layout::leaf(&layout::month(name, range), region), range, region))
            .map(|(name, range, region)| leaf(name, Some(range), Some(region)))
            .collect(),
    }
}

/// What is above the leaves: months, where there are any, and then the table.
pub(in crate::postgres) fn parents(table: TableName) -> Vec<String> {
    layout::parents(table.name(), table.organisation())
}

/// Every relation of a table.
pub(in crate::postgres) fn relations(table: TableName) -> Vec<String> {
    let leaves = layout::leaves(table.name(), table.organisation());
    leaves.into_iter().chain(parents(table)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Generator, smallest};
    use crate::postgres::TABLE_NAMES;

    #[test]
    fn every_row_has_one_leaf_and_lies_where_the_partition_wants_it() {
        for table in TABLE_NAMES {
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
    fn leaves_have_the_names_that_procedures_know() {
        for table in TABLE_NAMES {
            let names: Vec<String> = leaves(table).into_iter().map(|leaf| leaf.name).collect();
            assert_eq!(names, layout::leaves(table.name(), table.organisation()));
        }
        assert_eq!(leaves(TableName::LargeHeapRangeList)[127].name, "large_heap_range_list_r31_p4");
        assert_eq!(relations(TableName::LargeHeapRangeList).len(), 128 + 32 + 1);
        assert_eq!(relations(TableName::SmallHash), ["small_hash"]);
    }
}
