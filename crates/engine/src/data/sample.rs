//! A sample of a table's rows, read again some time after loading, and what the generator says of a table without
//! making it.

use super::columns::canonical;
use super::{Columns, Generator, RowSource, mix, test_columns};
use crate::client::Values;
use dbdyno_model::{Size, TableName, TableShape};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Some rows of a table, one out of each of so many equal parts, so that none of the table lies far from all of them.
#[derive(Debug, Clone)]
pub struct Sample {
    generator: Generator,
    ids: Vec<u64>,
    read: u64,
}

impl Sample {
    /// `rows` rows of a table, or all where it has no more. `draw` decides which: another number gives others.
    #[must_use]
    pub fn new(size: &Size, table: TableName, seed: u64, rows: u64, draw: u64) -> Self {
        let of = table.rows(size);
        let parts = rows.min(of).max(1);
        let first = |part: u64| (u128::from(of) * u128::from(part) / u128::from(parts)) as u64;
        let one = |part: u64| {
            let from = first(part);
            1 + from + mix(draw ^ mix(part)) % (first(part + 1) - from).max(1)
        };
        let ids = if of == 0 { Vec::new() } else { (0..parts).map(one).collect() };
        Self { generator: Generator::new(size, table.shape(), seed), ids, read: 0 }
    }

    /// How many rows were read so far.
    #[must_use]
    pub fn rows_read(&self) -> u64 {
        self.read
    }

    /// Looks for each row with `look`, which is given the row as it was made and hands over every row that it finds in
    /// its place. Says what differs in words, the first few of them one by one. Columns that tests change are not
    /// compared.
    ///
    /// # Errors
    /// What `look` gives.
    pub fn look<E>(
        &mut self,
        mut look: impl FnMut(&Values, &mut dyn FnMut(&Values)) -> Result<(), E>,
    ) -> Result<Vec<String>, E> {
        const TOLD: u64 = 3;
        let (mut differences, mut more) = (Vec::new(), 0);
        let (mut made, mut must, mut is) = (Values::new(), Vec::new(), Vec::new());
        for id in &self.ids {
            RowSource::row(&mut self.generator, *id, &mut made);
            must.clear();
            canonical(test_columns(), Columns::Unchanging, &made, &mut must);
            let (mut rows, mut same) = (0, true);
            look(&made, &mut |row| {
                is.clear();
                canonical(test_columns(), Columns::Unchanging, row, &mut is);
                (rows, same) = (rows + 1, same && is == must);
            })?;
            self.read += 1;
            let why = match rows {
                1 if same => continue,
                0 => "is missing, or lies elsewhere",
                _ => "is not as it was made",
            };
            if differences.len() as u64 == TOLD {
                more += 1;
            } else {
                differences.push(format!("the row with id {id} {why}"));
            }
        }
        if more > 0 {
            differences.push(format!("{more} more of {} rows are not as they were made", self.read));
        }
        Ok(differences)
    }
}

/// The sum of `quantity` over a table of this shape, as every full scan must find it. Takes as long as making a small
/// part of each row the first time, and nothing from then on.
#[must_use]
pub fn quantity_sum(size: &Size, shape: TableShape, seed: u64) -> u64 {
    static KNOWN: Mutex<BTreeMap<(u64, u64), u64>> = Mutex::new(BTreeMap::new());
    let rows = size.rows(shape);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    // Quantity is a function of seed and id alone.
    *known.entry((rows, seed)).or_insert_with(|| {
        let generator = Generator::new(size, shape, seed);
        (1..=rows).map(|id| generator.quantity(id)).sum()
    })
}

/// What is wrong with quantities that add up to `found` in so many passes over a table, if anything. No test changes
/// `quantity`, so another sum means that somebody altered a row.
#[must_use]
pub fn altered_quantities(size: &Size, table: TableName, seed: u64, passes: u64, found: u64) -> Option<String> {
    let made = quantity_sum(size, table.shape(), seed).wrapping_mul(passes);
    (found != made).then(|| {
        format!(
            "the quantities of {table} add up to {found} in {passes} passes, and those that were loaded to {made}: rows were \
             altered after loading; `dbdyno check --deep` looks at all of them, and loading anew mends them"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::smallest;
    use super::*;
    use crate::client::Value;

    const TABLE: TableName = TableName::LargeHeapRangeList;

    #[test]
    fn a_sample_takes_one_row_of_each_part_and_other_rows_the_next_time() {
        let size = smallest();
        let sample = |rows, draw| Sample::new(&size, TABLE, 42, rows, draw).ids;
        let ids = sample(1_000, 1);
        assert_eq!(ids.len(), 1_000);
        assert!(
            (0..1_000).zip(&ids).all(|(part, id)| (id - 1) * 1_000 / 102_400 == part || id * 1_000 / 102_400 == part)
        );
        assert!(ids.is_sorted() && ids[0] >= 1 && ids[999] <= 102_400);
        assert_ne!(ids, sample(1_000, 2));
        assert_eq!(sample(1 << 40, 1), (1..=102_400).collect::<Vec<_>>(), "no more than there are");
    }

    /// A row with another value in a column.
    fn with(row: &Values, at: usize, value: Value<'_>) -> Values {
        let mut changed = Values::new();
        for (place, old) in row.iter().enumerate() {
            changed.push(if place == at { value } else { old });
        }
        changed
    }

    #[test]
    fn only_columns_that_no_test_changes_are_judged() {
        let (quantity, amount, status) = (5, 6, 7);
        let size = smallest();
        let mut sample = Sample::new(&size, TABLE, 42, 10, 7);
        let ids = sample.ids.clone();
        let mut look = |read: &mut dyn FnMut(&Values) -> Vec<Values>| {
            let looked = |made: &Values, each: &mut dyn FnMut(&Values)| {
                read(made).iter().for_each(each);
                Ok::<_, ()>(())
            };
            (sample.look(looked).unwrap(), sample.rows_read())
        };
        let updated = look(&mut |made| vec![with(&with(made, amount, Value::Cents(-1)), status, Value::Text("?"))]);
        assert_eq!(updated, (vec![], 10));
        let altered = look(&mut |made| {
            let is_it = made.get(0) == Some(Value::Int(ids[3].cast_signed()));
            vec![if is_it { with(made, quantity, Value::Int(101)) } else { made.clone() }]
        });
        assert_eq!(altered.0, [format!("the row with id {} is not as it was made", ids[3])]);
        let gone = look(&mut |_| vec![]).0;
        assert_eq!(gone.len(), 4);
        assert!(gone[0].ends_with("is missing, or lies elsewhere"));
        assert_eq!(gone[3], "7 more of 30 rows are not as they were made");
        let twice = look(&mut |made| vec![made.clone(), made.clone()]).0;
        assert!(twice[0].ends_with("is not as it was made"));
    }

    #[test]
    fn the_sum_is_that_of_all_rows() {
        let size = smallest();
        for shape in [TableShape::Small, TableShape::Large] {
            let mut generator = Generator::new(&size, shape, 42);
            let all: i64 = (1..=generator.rows()).map(|id| generator.row(id).quantity).sum();
            assert_eq!(quantity_sum(&size, shape, 42), all.cast_unsigned());
            assert_ne!(quantity_sum(&size, shape, 43), all.cast_unsigned());
        }
    }
}
