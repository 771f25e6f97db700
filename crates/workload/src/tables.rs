//! The tables that a load of a workload fills, as its TOML file says it, and what they are with its data.

use crate::DataSpec;
use dbdyno_engine::data::{Column, ColumnType, ColumnValues, Drawn};
use serde::Deserialize;
use std::collections::BTreeMap;

/// A table that a load fills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filled {
    /// The statement that makes it is `make` and this.
    pub(crate) name: String,
    /// The unit of the scale that it belongs to, where each unit has such a table.
    pub(crate) unit: Option<u32>,
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
    /// Whether each unit of the scale has such a table.
    #[serde(default)]
    each_unit: bool,
    #[serde(flatten)]
    rows: RowCount,
    columns: Vec<Column>,
}

/// How many rows a table has.
#[derive(Debug, Clone, Deserialize)]
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
    /// As many as this parameter says.
    #[serde(rename = "rows_of")]
    OfParameter(String),
}

/// What the progress and the generator of rows call a table.
pub(crate) fn called(workload: &str, table: &str) -> String {
    format!("{workload} {table}")
}

/// The tables of a workload with its data, in order.
///
/// # Errors
/// What is wrong with the file, or with the parameters.
pub(crate) fn read(workload: &str, text: &str, spec: &DataSpec) -> Result<Vec<Filled>, String> {
    let DataSpec { scale, seed, parameters } = spec;
    let read: Result<File, _> = toml::from_str(text);
    let written = read.map_err(|error| format!("the tables of {workload} cannot be read: {error}"))?.table;
    let (mut rows, mut before) = (BTreeMap::new(), 0);
    for table in &written {
        before = match &table.rows {
            RowCount::ForUnit(for_a_unit) => scale.rows(*for_a_unit),
            RowCount::Fixed(rows) => *rows,
            RowCount::ForParent(each) => before * each,
            RowCount::OfParameter(name) => {
                let said = parameters.get(name).and_then(|value| value.parse().ok());
                said.ok_or_else(|| format!("{workload}: nothing says how many {name} there are"))?
            }
        };
        rows.insert(table.name.clone(), before);
    }
    let drawn = |table: &str, name: &str| {
        let column = written.iter().find(|t| t.name == table)?.columns.iter().find(|column| column.name == name)?;
        let ColumnValues::Drawn(from, to) = column.values else { return None };
        Some(Drawn::of_column(&called(workload, table), name, *seed, (from, to)))
    };
    let resolved = |table: &str, column: &Column| match &column.values {
        ColumnValues::CycleOf(table) => Some(ColumnValues::Cycle(*rows.get(table)?)),
        ColumnValues::Total { table, rows, of: [one, other] } => {
            Some(ColumnValues::SumOfProducts { rows: *rows, of: [drawn(table, one)?, drawn(table, other)?] })
        }
        ColumnValues::Shuffled => Some(ColumnValues::Permutation { of: *rows.get(table)?, every: 1 }),
        ColumnValues::LettersIf(name) => {
            let ColumnType::Text { chars } = column.kind else { return None };
            Some(match parameters.get(name) {
                Some(_) => ColumnValues::Letters(chars as u64, chars as u64),
                None => ColumnValues::OneOf(vec!["x".repeat(chars)]),
            })
        }
        values => Some(values.clone()),
    };
    let column = |table: &str, column: &Column| {
        let values = resolved(table, column).ok_or_else(|| {
            format!("{workload}: {table}.{} asks for a table or column that there is not", column.name)
        })?;
        Ok(Column { values, ..column.clone() })
    };
    let table = |table: &AsWritten| -> Result<Vec<Filled>, String> {
        let columns: Result<Vec<Column>, String> = table.columns.iter().map(|c| column(&table.name, c)).collect();
        let one = Filled { name: table.name.clone(), unit: None, rows: rows[&table.name], columns: columns? };
        Ok(match table.each_unit {
            true => (1..=scale.whole_units()).map(|unit| Filled { unit: Some(unit), ..one.clone() }).collect(),
            false => vec![one],
        })
    };
    written.iter().map(table).collect::<Result<Vec<_>, String>>().map(|tables| tables.concat())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::WORKLOADS;
    use dbdyno_engine::data::DEFAULT_SEED;
    use dbdyno_model::{Parameters, Scale};

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
        let tables = read("w", TEXT, &DataSpec::new(Scale::units(2), DEFAULT_SEED)).unwrap();
        assert_eq!(tables.iter().map(|table| table.rows).collect::<Vec<_>>(), [14, 70, 3]);
        assert_eq!(tables[0].columns[1].values, ColumnValues::Cycle(3));
        assert!(matches!(tables[0].columns[2].values, ColumnValues::SumOfProducts { rows: 5, .. }));
        let other = read("w", TEXT, &DataSpec::new(Scale::units(2), 7)).unwrap();
        assert_ne!(other[0].columns[2], tables[0].columns[2], "totals are those of the seed's items");
        let one = DataSpec::new(Scale::ONE, DEFAULT_SEED);
        for (from, to) in [("cycle_of = \"customers\"", "cycle_of = \"people\""), ("[\"price\",", "[\"cost\",")] {
            let said = read("w", &TEXT.replace(from, to), &one).unwrap_err();
            assert!(said.contains("asks for a table or column"), "{said}");
        }
        assert!(read("w", "table = 1", &one).unwrap_err().contains("cannot be read"));
    }

    #[test]
    fn each_unit_has_tables_of_its_own_whose_rows_a_parameter_says() {
        let text = r#"
            [[table]]
            name = "rows"
            each_unit = true
            rows_of = "SCALE"
            columns = [
              { name = "place", type = "int", bytes = 8 },
              { name = "id", type = "int", bytes = 8, values = "shuffled" },
              { name = "c", type = "text", chars = 4, values = { letters_if = "UNLIKE" } },
            ]
        "#;
        let spec = DataSpec {
            parameters: Parameters::from_iter([("SCALE", "50")]),
            ..DataSpec::new(Scale::units(3), DEFAULT_SEED)
        };
        let tables = read("w", text, &spec).unwrap();
        assert_eq!(
            tables.iter().map(|t| (t.unit, t.rows)).collect::<Vec<_>>(),
            [(Some(1), 50), (Some(2), 50), (Some(3), 50)]
        );
        assert_eq!(tables[0].columns[1].values, ColumnValues::Permutation { of: 50, every: 1 });
        assert_eq!(tables[0].columns[2].values, ColumnValues::OneOf(vec!["xxxx".to_owned()]));
        let unlike =
            DataSpec { parameters: Parameters::from_iter([("SCALE", "50"), ("UNLIKE", "TRUE")]), ..spec.clone() };
        assert_eq!(read("w", text, &unlike).unwrap()[0].columns[2].values, ColumnValues::Letters(4, 4));
        let unsaid = DataSpec { parameters: Parameters::default(), ..spec };
        assert!(read("w", text, &unsaid).unwrap_err().contains("nothing says how many SCALE"));
    }

    #[test]
    fn every_workload_has_tables_with_whole_parts() {
        for workload in WORKLOADS {
            let parameters = workload.settings(&[]).unwrap().data;
            let spec = DataSpec { parameters, ..DataSpec::new(Scale::ONE, DEFAULT_SEED) };
            for Filled { name, rows, columns, .. } in read(workload.name(), workload.about().tables, &spec).unwrap() {
                let table = dbdyno_engine::TableRows {
                    what: String::new(),
                    unit: None,
                    table: String::new(),
                    columns,
                    rows,
                    seed: 1,
                };
                assert!(table.has_whole_parts(), "{} {name}", workload.name());
            }
        }
    }
}
