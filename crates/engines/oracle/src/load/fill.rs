//! Rows into leaves, straight from the generator, as arrays of bound values: one message for many rows.
//!
//! A leaf of a heap is filled by direct path, which the next array needs a commit for; so it is emptied first, and
//! noted when it is full. Rows that lie in a key or a cluster go the conventional way, where the whole leaf and its
//! note are one transaction. The compressed table is filled from the same leaf of the other large one, on the server:
//! only what comes by direct path is compressed, and it need not travel twice.

use super::super::connection::OracleConnection;
use super::super::layout;
use super::rows::{Batch, COLUMNS};
use super::{about, note};
use crate::DIALECT;
use dbdyno_engine::EngineError;
use dbdyno_engine::data::Generator;
use dbdyno_engine::server::{Connection as _, Leaf, Stop, Tally, leaves};
use dbdyno_model::{ErrorClass, Organisation, Shape, Size, TableName};

/// Rows of one array by direct path: each begins new blocks and is a commit.
const APPENDED_ROWS: usize = 20_000;
/// Rows of one array the conventional way.
const INSERTED_ROWS: usize = 2_000;

/// How rows come into a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// By direct path, batch by batch.
    Append,
    /// The conventional way, a leaf in one transaction.
    Insert,
    /// On the server, from the same leaf of another table.
    Copy,
}

impl Way {
    /// The way into a table.
    pub(super) fn of(table: TableName) -> Self {
        match table.organisation() {
            _ if table == TableName::LargeCompressed => Self::Copy,
            Organisation::Heap | Organisation::HeapList | Organisation::HeapRangeList => Self::Append,
            Organisation::Iot | Organisation::IotList | Organisation::Hash => Self::Insert,
        }
    }
}

/// What a session needs to fill leaves.
pub(super) struct Filler {
    generator: Generator,
    batch: Batch,
}

impl Filler {
    pub(super) fn new(generator: Generator) -> Self {
        Self { generator, batch: Batch::default() }
    }

    /// Fills a leaf.
    ///
    /// # Errors
    /// The server's, `Cancelled` when told to stop; a conventional leaf's transaction is then still open.
    pub(super) fn fill(
        &mut self,
        connection: &mut OracleConnection,
        leaf: &Leaf,
        size: &Size,
        stop: &Stop<'_>,
        tally: &Tally<'_>,
    ) -> Result<(), EngineError> {
        let doing = format!("loading {}", leaf.name);
        // What is not ours, or was loaded before somebody changed the notes, or half a leaf.
        empty(connection, leaf, &doing)?;
        let way = Way::of(leaf.table);
        match way {
            Way::Copy => {
                connection.batch(&doing, &copy(leaf)?)?;
                tally.add(leaf.rows(size));
            }
            Way::Append => {
                let sql = DIALECT.get("fill/append_into")?.text.replace("{leaf}", &layout::in_sql(leaf));
                self.send_all(connection, leaf, size, stop, tally, &sql, APPENDED_ROWS, true)?;
            }
            Way::Insert => {
                self.send_all(connection, leaf, size, stop, tally, &about("insert_into", leaf)?, INSERTED_ROWS, false)?;
            }
        }
        if way == Way::Copy {
            // What was copied by direct path can be read again after a commit only.
            connection.batch(&doing, "COMMIT")?;
        }
        connection.batch(&doing, &note("filled", &leaf.name)?)?;
        connection.batch(&doing, &DIALECT.get("load/commit")?.text)
    }

    #[allow(clippy::too_many_arguments, reason = "a loop of its own, called from one place")]
    fn send_all(
        &mut self,
        connection: &mut OracleConnection,
        leaf: &Leaf,
        size: &Size,
        stop: &Stop<'_>,
        tally: &Tally<'_>,
        sql: &str,
        most: usize,
        commit_each: bool,
    ) -> Result<(), EngineError> {
        let doing = format!("loading {}", leaf.name);
        let mut ids = leaf.ids(size).peekable();
        while ids.peek().is_some() {
            if stop.requested() {
                return Err(EngineError::new(ErrorClass::Cancelled, format!("{doing}: stopped")));
            }
            self.batch.clear();
            for id in ids.by_ref().take(most) {
                self.batch.add(&self.generator.row(id));
            }
            let sent = self.batch.rows() as u64;
            let taken = connection.insert_rows(&doing, sql, COLUMNS, &self.batch.values())?;
            if taken != sent {
                let message = format!("{doing}: the server took {taken} rows of {sent}");
                return Err(EngineError::new(ErrorClass::Corruption, message));
            }
            if commit_each {
                connection.batch(&doing, "COMMIT")?;
            }
            tally.add(sent);
        }
        Ok(())
    }
}

/// Empties a leaf that has rows.
fn empty(connection: &mut OracleConnection, leaf: &Leaf, doing: &str) -> Result<(), EngineError> {
    let any = DIALECT.get("fill/any_row_in")?.text.replace("{leaf}", &layout::in_sql(leaf));
    if connection.texts(doing, &any)?.is_empty() {
        return Ok(());
    }
    match truncate(leaf)? {
        Some(sql) => connection.batch(doing, &sql),
        // It belongs to the leaf's transaction.
        None => connection.batch(doing, &about("empty_leaf", leaf)?),
    }
}

/// The statement that empties a leaf at once; none where rows lie in a cluster.
fn truncate(leaf: &Leaf) -> Result<Option<String>, EngineError> {
    let table = leaf.table.name();
    Ok(match (leaf.table.organisation(), layout::partition(leaf)) {
        (Organisation::Hash, _) => None,
        (_, None) => Some(DIALECT.fill("fill/truncate_table", &[("table", table)])?),
        (_, Some(part)) => {
            let large = leaf.table.shape() == Shape::Large;
            let statement = if large { "truncate_subpartition" } else { "truncate_partition" };
            Some(DIALECT.fill(&format!("fill/{statement}"), &[("table", table), ("part", part)])?)
        }
    })
}

/// The statement that copies a leaf from the same one of the other large table.
fn copy(leaf: &Leaf) -> Result<String, EngineError> {
    let part = layout::partition(leaf);
    let source = leaves(TableName::LargeHeapRangeList).into_iter().find(|source| layout::partition(source) == part);
    let none = || EngineError::new(ErrorClass::Other, format!("{} has nothing to be copied from", leaf.name));
    Ok(about("copy_leaf", leaf)?.replace("{source}", &layout::in_sql(&source.ok_or_else(none)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_leaf_is_emptied_as_its_table_allows() {
        let first = |table| leaves(table).remove(0);
        let said = |table| truncate(&first(table)).unwrap();
        assert_eq!(said(TableName::SmallHash), None);
        assert_eq!(said(TableName::SmallIot).unwrap(), "TRUNCATE TABLE small_iot REUSE STORAGE");
        let list = "ALTER TABLE small_heap_list TRUNCATE PARTITION p1 REUSE STORAGE";
        assert_eq!(said(TableName::SmallHeapList).unwrap(), list);
        let large = "ALTER TABLE large_compressed TRUNCATE SUBPARTITION r00_p1 REUSE STORAGE";
        assert_eq!(said(TableName::LargeCompressed).unwrap(), large);
    }

    #[test]
    fn a_compressed_leaf_is_copied_from_its_twin() {
        for leaf in leaves(TableName::LargeCompressed).into_iter().take(9) {
            let sql = copy(&leaf).unwrap();
            let part = layout::partition(&leaf).unwrap();
            assert!(sql.contains("APPEND") && !sql.contains('{'), "{sql}");
            assert!(sql.contains(&format!("INTO large_compressed SUBPARTITION ({part})")), "{sql}");
            assert!(sql.trim_end().ends_with(&format!("FROM large_heap_range_list SUBPARTITION ({part})")), "{sql}");
        }
    }

    #[test]
    fn only_heaps_take_a_direct_path() {
        let ways = TableName::ALL.map(Way::of);
        let expected = [Way::Append, Way::Insert, Way::Insert, Way::Append, Way::Insert, Way::Append, Way::Copy];
        assert_eq!(ways, expected);
    }
}
