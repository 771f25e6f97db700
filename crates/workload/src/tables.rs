//! The tables that a load of a workload fills, as its TOML file says it, and what they are at a scale.

use dbdyno_engine::data::{Column, ColumnValues, DEFAULT_SEED, Drawn};
use dbdyno_model::Scale;
use serde::Deserialize;
use std::collections::BTreeMap;

/// A table that a load fills, at a scale.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filled {
    /// The statement that makes it is `make` and this.
    pub(crate) name: String,
    /// How many rows it has.
    pub(crate) rows: u64,
    /// Its columns, with what rows have there.
    pub(crate) columns: Vec<Column>,
}

#[derive(Debug, Deserialize)]
struct File {
    table: Vec<AsWritten>,
}

#[derive(Debug, Deserialize)]
struct AsWritten {
    name: String,
    #[serde(flatten)]
    rows: RowCount,
    columns: Vec<Column>,
}

/// How many rows a table has.
#[derive(Debug, Clone, Copy, Deserialize)]
enum RowCount {
    /// So many for a unit of the scale.
    #[serde(rename = "rows")]
    ForUnit(u64),
    /// So many at any scale.
    #[serde(rename = "rows_fixed")]
    Fixed(u64),
    /// So many for each row of the table before it.
    #[serde(rename = "rows_each")]
    ForParent(u64),
}

/// What the progress and the generator of rows call a table.
pub(crate) fn called(workload: &str, table: &str) -> String {
    format!("{workload} {table}")
}

/// The tables of a workload at a scale, in order, with the totals of the default seed.
///
/// # Errors
/// What is wrong with the file.
pub(crate) fn read(workload: &str, text: &str, scale: Scale) -> Result<Vec<Filled>, String> {
    of_seed(workload, text, scale, DEFAULT_SEED)
}

/// The tables of a workload at a scale, in order, with the totals of a seed.
///
/// # Errors
/// As for [`read`].
pub(crate) fn of_seed(workload: &str, text: &str, scale: Scale, seed: u64) -> Result<Vec<Filled>, String> {
    let read: Result<File, _> = toml::from_str(text);
    let written = read.map_err(|error| format!("the tables of {workload} cannot be read: {error}"))?.table;
    let (mut rows, mut before) = (BTreeMap::new(), 0);
    for table in &written {
        before = match table.rows {
            RowCount::ForUnit(for_a_unit) => scale.rows(for_a_unit),
            RowCount::Fixed(rows) => rows,
            RowCount::ForParent(each) => before * each,
        };
        rows.insert(table.name.clone(), before);
    }
    let drawn = |table: &str, name: &str| {
        let column = written.iter().find(|t| t.name == table)?.columns.iter().find(|column| column.name == name)?;
        let ColumnValues::Drawn(from, to) = column.values else { return None };
        Some(Drawn::of_column(&called(workload, table), name, seed, (from, to)))
    };
    let resolved = |values: &ColumnValues| match values {
        ColumnValues::CycleOf(table) => Some(ColumnValues::Cycle(*rows.get(table)?)),
        ColumnValues::Total { table, rows, of: [one, other] } => {
            Some(ColumnValues::SumOfProducts { rows: *rows, of: [drawn(table, one)?, drawn(table, other)?] })
        }
        values => Some(values.clone()),
    };
    let column = |table: &str, column: &Column| {
        let values = resolved(&column.values).ok_or_else(|| {
            format!("{workload}: {table}.{} asks for a table or column that there is not", column.name)
        })?;
        Ok(Column { values, ..column.clone() })
    };
    let table = |table: &AsWritten| {
        let columns: Result<Vec<Column>, String> = table.columns.iter().map(|c| column(&table.name, c)).collect();
        Ok(Filled { name: table.name.clone(), rows: rows[&table.name], columns: columns? })
    };
    written.iter().map(table).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::WORKLOADS;

    const TEXT: &str = r#"
        [[table]]
        name = "orders"
        rows = 7
        columns = [
          { name = "id", type = "int", bytes = 8 },
          { name = "customer", type = "int", bytes = 8, values = { cycle_of = "customers" } },
          { name = "total", type = "cents", values = { total = { table = "items", rows = 5, of = ["price", "quantity"] } } },
        ]
        [[table]]
        name = "items"
        rows_each = 5
        columns = [
          { name = "price", type = "cents", values = { drawn = [100, 200] } },
          { name = "quantity", type = "int", bytes = 4, values = { drawn = [1, 3] } },
        ]
        [[table]]
        name = "customers"
        rows_fixed = 3
        columns = [{ name = "id", type = "int", bytes = 8 }]
    "#;

    #[test]
    fn tables_are_resolved_at_a_scale() {
        let tables = read("w", TEXT, Scale::units(2)).unwrap();
        assert_eq!(tables.iter().map(|table| table.rows).collect::<Vec<_>>(), [14, 70, 3]);
        assert_eq!(tables[0].columns[1].values, ColumnValues::Cycle(3));
        assert!(matches!(tables[0].columns[2].values, ColumnValues::SumOfProducts { rows: 5, .. }));
        let of_seed = |seed| of_seed("w", TEXT, Scale::units(2), seed).unwrap();
        assert_eq!(of_seed(DEFAULT_SEED), tables);
        assert_ne!(of_seed(7)[0].columns[2], tables[0].columns[2], "totals are those of the seed's items");
        for (from, to) in [("cycle_of = \"customers\"", "cycle_of = \"people\""), ("[\"price\",", "[\"cost\",")] {
            let said = read("w", &TEXT.replace(from, to), Scale::ONE).unwrap_err();
            assert!(said.contains("asks for a table or column"), "{said}");
        }
        assert!(read("w", "table = 1", Scale::ONE).unwrap_err().contains("cannot be read"));
    }

    #[test]
    fn every_workload_has_tables_with_whole_parts() {
        for workload in WORKLOADS {
            for Filled { name, rows, columns } in read(workload.name(), workload.about().tables, Scale::ONE).unwrap() {
                let table =
                    dbdyno_engine::TableRows { what: String::new(), table: String::new(), columns, rows, seed: 1 };
                assert!(table.has_whole_parts(), "{} {name}", workload.name());
            }
        }
    }
}
