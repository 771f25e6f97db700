//! The rows of a table whose columns say what is in them.

use super::column_values::{ColumnValues, Drawn, draw, permuted, seed_of};
use super::columns::{Column, ColumnType, RowSource};
use super::mix::mix;
use crate::client::{Value, Values};

/// The rows of a table whose columns say what is in them.
#[derive(Debug, Clone)]
pub struct RowsByColumns<'t> {
    columns: &'t [Column],
    /// One for each column.
    seeds: Vec<u64>,
    blanks: String,
    /// A text that is being made, in the same memory for each.
    text: String,
}

impl<'t> RowsByColumns<'t> {
    /// The rows of a table with these columns in data of a seed. Its name and the seed decide what is drawn.
    #[must_use]
    pub fn new(table: &str, seed: u64, columns: &'t [Column]) -> Self {
        let chars = |column: &Column| if let ColumnType::Text { chars } = column.kind { chars } else { 0 };
        let blanks = " ".repeat(columns.iter().map(chars).max().unwrap_or(0));
        let seeds = columns.iter().map(|column| seed_of(table, &column.name, seed)).collect();
        Self { columns, seeds, blanks, text: String::new() }
    }
}

impl RowSource for RowsByColumns<'_> {
    fn row(&mut self, id: u64, into: &mut Values) {
        let Self { columns, seeds, blanks, text } = self;
        into.clear();
        for (column, seed) in columns.iter().zip(seeds) {
            let (seed, number) = (*seed, |number| numbered(column.kind, number));
            match &column.values {
                ColumnValues::Serial => into.push(number(id.cast_signed())),
                ColumnValues::Parent(rows) => into.push(number((1 + (id - 1) / (*rows).max(1)).cast_signed())),
                ColumnValues::Cycle(rows) => into.push(number((1 + (id - 1) % (*rows).max(1)).cast_signed())),
                ColumnValues::Constant(constant) => into.push(number(*constant)),
                ColumnValues::Blank => into.push(match column.kind {
                    ColumnType::Text { chars } => Value::Text(&blanks[..chars]),
                    _ => Value::Null,
                }),
                ColumnValues::Drawn(from, to) => into.push(number(Drawn::new(seed, *from, *to).of(id))),
                ColumnValues::OneOf(texts) => into.push(one_of(texts, seed, id)),
                ColumnValues::Joined(lists) => {
                    text.clear();
                    lists.iter().zip(1..).for_each(|(texts, nth)| text.push_str(one_of(texts, mix(seed ^ nth), id)));
                    into.push(text.as_str())
                }
                ColumnValues::Letters(least, most) => {
                    text.clear();
                    let chars = least + draw(seed, id, most.saturating_sub(*least) + 1);
                    text.extend((1..=chars).map(|nth| char::from(b'a' + draw(mix(seed ^ nth), id, 26) as u8)));
                    into.push(text.as_str())
                }
                ColumnValues::SumOfProducts { rows, of: [one, other] } => {
                    let children = (id - 1) * rows + 1..=id * rows;
                    into.push(number(children.map(|child| one.of(child) * other.of(child)).sum()))
                }
                ColumnValues::Permutation { of, every } => {
                    let nth = permuted(seed, (id - 1) / every % of, *of).cast_signed() + 1;
                    into.push(number(if (id - 1).is_multiple_of(*every) { nth } else { -nth }))
                }
                // They are resolved before rows are made.
                ColumnValues::CycleOf(_)
                | ColumnValues::Total { .. }
                | ColumnValues::Shuffled
                | ColumnValues::LettersIf(_) => into.push(Value::Null),
            };
        }
    }
}

/// A number as a column of a type has it.
fn numbered(kind: ColumnType, number: i64) -> Value<'static> {
    match kind {
        ColumnType::Int { .. } => Value::Int(number),
        ColumnType::Day => i32::try_from(number).map_or(Value::Null, Value::Day),
        ColumnType::Cents => Value::Cents(number),
        ColumnType::Text { .. } => Value::Null,
    }
}

/// One of some texts, drawn for an id.
fn one_of(texts: &[String], seed: u64, id: u64) -> &str {
    texts.get(draw(seed, id, texts.len() as u64) as usize).map_or("", String::as_str)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::data::{Columns, DEFAULT_SEED, RowSum};
    use serde::Deserialize;

    #[derive(Deserialize)]
    struct Table {
        columns: Vec<Column>,
    }

    fn columns(of: &str) -> Vec<Column> {
        toml::from_str::<Table>(&format!("columns = [{of}]")).unwrap().columns
    }

    fn shown(rows: &mut RowsByColumns<'_>, id: u64) -> String {
        let mut row = Values::new();
        rows.row(id, &mut row);
        row.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn columns_say_what_rows_have() {
        let columns = columns(
            r#"
            { name = "aid", type = "int", bytes = 4, values = "serial" },
            { name = "bid", type = "int", bytes = 4, values = { parent = 10 } },
            { name = "turn", type = "int", bytes = 4, values = { cycle = 4 } },
            { name = "balance", type = "int", bytes = 4, values = { constant = -3 }, changes = true },
            { name = "filler", type = "text", chars = 4, values = "blank" },
        "#,
        );
        let mut rows = RowsByColumns::new("t", DEFAULT_SEED, &columns);
        assert_eq!(shown(&mut rows, 10), r#"Int(10) Int(1) Int(2) Int(-3) Text("    ")"#);
        assert_eq!(shown(&mut rows, 12), r#"Int(12) Int(2) Int(4) Int(-3) Text("    ")"#);
        // A server that pads texts, one that cuts them and one that has no empty ones give the same sum.
        let mut sums = [Value::Text("    "), Value::Text(""), Value::Null].map(|filler| {
            let mut sum = RowSum::new(&columns, Columns::All);
            sum.add(Values::new().push(1).push(1).push(1).push(-3).push(filler));
            sum.checksum
        });
        sums.sort_unstable_by_key(|sum| sum.sum);
        assert_eq!(sums[0], sums[2]);
    }

    #[test]
    fn what_is_drawn_follows_from_id_table_and_column() {
        let columns = columns(
            r#"
            { name = "stock", type = "int", bytes = 4, values = { drawn = [0, 9] } },
            { name = "again", type = "int", bytes = 4, values = { drawn = [0, 9] } },
            { name = "since", type = "day", values = { drawn = [10, 12] } },
            { name = "price", type = "cents", values = { drawn = [100, 199] } },
            { name = "mode", type = "text", chars = 6, values = { one_of = ["online", "direct"] } },
            { name = "name", type = "text", chars = 6, values = { joined = [["An", "Ber"], ["na", "ta"]] } },
            { name = "street", type = "text", chars = 6, values = { letters = [3, 5] } },
        "#,
        );
        let of = |table, seed| RowsByColumns::new(table, seed, &columns);
        let (mut rows, mut others) = (of("t", DEFAULT_SEED), of("u", DEFAULT_SEED));
        let ids = 1..=1_000;
        let all: Vec<Vec<String>> =
            ids.clone().map(|id| shown(&mut rows, id).split(' ').map(str::to_owned).collect()).collect();
        assert_eq!(all[6].join(" "), shown(&mut rows, 7), "the same at any time");
        assert!(ids.clone().filter(|id| all[*id as usize - 1].join(" ") == shown(&mut others, *id)).count() < 5);
        // What earlier versions have loaded.
        let loaded = r#"Int(1) Int(8) Day(11) Cents(162) Text("online") Text("Anta") Text("dlk")"#;
        assert_eq!(all[6].join(" "), loaded);
        let (mut again, mut other_seed) = (of("t", 7), of("t", 8));
        let same = |id: &u64| shown(&mut again, *id) == shown(&mut other_seed, *id);
        assert!(ids.clone().filter(same).count() < 5, "another seed makes other data");
        let mut kinds = all.iter().map(|row| row[0].clone()).collect::<Vec<_>>();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), 10, "{kinds:?}");
        let same = all.iter().filter(|row| row[0] == row[1]).count();
        assert!((60..140).contains(&same), "two columns are drawn apart: {same}");
        for row in &all {
            assert!(["Day(10)", "Day(11)", "Day(12)"].contains(&row[2].as_str()), "{row:?}");
            assert!(row[3].len() == "Cents(100)".len() && row[3].starts_with("Cents(1"), "{row:?}");
            assert!(["\"online\"", "\"direct\""].iter().any(|mode| row[4].contains(mode)), "{row:?}");
            assert!(["Anna", "Anta", "Berna", "Berta"].iter().any(|name| row[5].contains(name)), "{row:?}");
            let letters = row[6].trim_start_matches("Text(\"").trim_end_matches("\")");
            assert!((3..=5).contains(&letters.len()) && letters.bytes().all(|b| b.is_ascii_lowercase()), "{row:?}");
        }
    }

    #[test]
    fn a_total_is_that_of_its_children() {
        let (price, quantity) =
            (Drawn::of_column("items", "price", 7, (5, 9)), Drawn::of_column("items", "quantity", 7, (1, 3)));
        let mut columns = columns(r#"{ name = "total", type = "cents" }"#);
        columns[0].values = ColumnValues::SumOfProducts { rows: 2, of: [price, quantity] };
        let expected = price.of(5) * quantity.of(5) + price.of(6) * quantity.of(6);
        assert_eq!(shown(&mut RowsByColumns::new("orders", 7, &columns), 3), format!("Cents({expected})"));
    }
}
