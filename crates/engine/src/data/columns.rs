//! Columns of tables as data, and checksums over rows. Rows travel as [`Values`], one for each
//! column, whatever engine they go to or come from.

use super::checksum::{Checksum, Columns};
use super::column_values::ColumnValues;
use crate::client::{Value, Values};
use serde::Deserialize;
use std::sync::LazyLock;

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ColumnType {
    /// A whole number.
    Int {
        /// Its bytes where a server counts them: 4 or 8.
        bytes: u8,
    },
    /// A day.
    Day,
    /// Hundredths: a decimal with two digits after the point.
    Cents,
    /// A text; blanks at its end mean nothing.
    Text {
        /// Characters at most.
        chars: usize,
    },
}

impl ColumnType {
    /// A text that a column of this type has; nothing where it has none, or none as long.
    #[must_use]
    pub fn text(self, bytes: &[u8]) -> Option<Value<'_>> {
        let Self::Text { chars } = self else { return None };
        let text = std::str::from_utf8(bytes).ok()?;
        // Mostly a character is a byte, and nothing has to be counted.
        (text.len() <= chars || text.chars().count() <= chars).then_some(Value::Text(text))
    }
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(flatten)]
    pub kind: ColumnType,
    /// Whether somebody writes to it after the load.
    #[serde(default)]
    pub changes: bool,
    /// What rows have there, where the table has no generator of its own.
    #[serde(default)]
    pub values: ColumnValues,
}

/// Makes rows.
pub trait RowSource: Send {
    /// Puts the values of a row, 1..n, in place of those that are there.
    fn row(&mut self, id: u64, into: &mut Values);
}

#[derive(Deserialize)]
struct TestTables {
    columns: Vec<Column>,
}

static TEST_COLUMNS: LazyLock<Vec<Column>> = LazyLock::new(|| {
    // A test insists on them.
    toml::from_str(include_str!("tests.toml")).map_or_else(|_| Vec::new(), |read: TestTables| read.columns)
});

/// The columns of every test table.
#[must_use]
pub fn test_columns() -> &'static [Column] {
    &TEST_COLUMNS
}

/// The names of columns, with commas between, as SQL lists them.
#[must_use]
pub fn column_list(columns: &[Column]) -> String {
    columns.iter().map(|column| column.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// Adds rows up: [`Checksum`].
#[derive(Debug, Clone)]
pub struct RowSum<'t> {
    columns: &'t [Column],
    which: Columns,
    /// A row's bytes, made in the same memory for each.
    bytes: Vec<u8>,
    /// The sum of those that were added.
    pub checksum: Checksum,
}

impl<'t> RowSum<'t> {
    /// The sum of no rows.
    #[must_use]
    pub fn new(columns: &'t [Column], which: Columns) -> Self {
        Self { columns, which, bytes: Vec::new(), checksum: Checksum::default() }
    }

    /// Adds a row.
    pub fn add(&mut self, row: &Values) {
        self.bytes.clear();
        canonical(self.columns, self.which, row, &mut self.bytes);
        self.checksum.add_bytes(&self.bytes);
    }
}

/// The bytes of a row that every engine must give back: a whole number, a day or hundredths as 8 bytes, little-endian;
/// a text without blanks at its end, filled up with zeros to the length that its column has. What is not asked for is
/// zeros.
pub(super) fn canonical(columns: &[Column], which: Columns, row: &Values, into: &mut Vec<u8>) {
    for (column, value) in columns.iter().zip(row.iter()) {
        let asked = which == Columns::All || !column.changes;
        let length = into.len() + if let ColumnType::Text { chars } = column.kind { chars } else { 8 };
        match value {
            _ if !asked => {}
            Value::Int(number) | Value::Cents(number) => into.extend_from_slice(&number.to_le_bytes()),
            Value::Day(days) => into.extend_from_slice(&i64::from(days).to_le_bytes()),
            Value::Text(text) => into.extend_from_slice(text.trim_end_matches(' ').as_bytes()),
            Value::Null => {}
        }
        into.resize(length, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Generator, smallest};
    use dbdyno_model::TableShape;

    #[test]
    fn test_tables_have_the_columns_that_every_engine_makes() {
        assert_eq!(
            column_list(test_columns()),
            "id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler"
        );
        let changing: Vec<&str> =
            test_columns().iter().filter(|column| column.changes).map(|column| column.name.as_str()).collect();
        assert_eq!(changing, ["amount", "status"]);
    }

    #[test]
    fn a_row_has_the_same_sum_as_values_and_as_itself() {
        let (size, mut row) = (smallest(), Values::new());
        for which in [Columns::All, Columns::Unchanging] {
            let mut generator = Generator::new(&size, TableShape::Small, 42);
            let mut sum = RowSum::new(test_columns(), which);
            for id in 1..=3_200 {
                RowSource::row(&mut generator, id, &mut row);
                sum.add(&row);
            }
            assert_eq!(sum.checksum, generator.checksum_of(which));
        }
    }
}
