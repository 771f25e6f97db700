//! A sample of a table's rows, read again some time after loading, and what the generator says of a table without
//! making it.

use super::{Generator, Row, mix};
use dbdyno_model::{Shape, Size, TableName};
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

    /// Looks at each row with `look`, which is given it as it was made, and answers with what is there instead.
    /// Gives the differences in words, the first few of them one by one.
    ///
    /// # Errors
    /// What `look` gives.
    pub fn look<E>(&mut self, mut look: impl FnMut(&Row<'_>) -> Result<Found, E>) -> Result<Vec<String>, E> {
        const TOLD: u64 = 3;
        let (mut differences, mut more) = (Vec::new(), 0);
        for id in &self.ids {
            let found = look(&self.generator.row(*id))?;
            self.read += 1;
            let why = match found {
                Found::Same => continue,
                Found::Missing => "is missing, or lies elsewhere",
                Found::Other => "is not as it was made",
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

/// What a table holds where a row of the sample should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// That row, in all columns that no test changes.
    Same,
    /// Another one, or several.
    Other,
    /// None.
    Missing,
}

impl Found {
    /// What one more row with the key of `made` makes of it.
    #[must_use]
    pub fn and(self, made: &Row<'_>, read: Option<&Row<'_>>) -> Self {
        match (self, read) {
            (Self::Missing, Some(read)) if read.without_changing() == made.without_changing() => Self::Same,
            _ => Self::Other,
        }
    }
}

impl Row<'_> {
    /// The row as far as no test changes it: tests that update leave all but `amount` and `status` alone.
    #[must_use]
    pub fn without_changing(&self) -> Self {
        Self { amount_cents: 0, status: "", ..*self }
    }
}

/// The sum of `quantity` over a table of this shape, as every full scan must find it. Takes as long as making a small
/// part of each row the first time, and nothing from then on.
#[must_use]
pub fn quantity_sum(size: &Size, shape: Shape, seed: u64) -> u64 {
    static KNOWN: Mutex<BTreeMap<(u64, u64), u64>> = Mutex::new(BTreeMap::new());
    let rows = size.rows(shape);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    // Quantity is a function of seed and id alone.
    *known.entry((rows, seed)).or_insert_with(|| {
        let generator = Generator::new(size, shape, seed);
        (1..=rows).map(|id| generator.quantity(id)).sum()
    })
}

#[cfg(test)]
mod tests {
    use super::super::smallest;
    use super::*;

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

    #[test]
    fn only_columns_that_no_test_changes_are_judged() {
        let size = smallest();
        let mut sample = Sample::new(&size, TABLE, 42, 10, 7);
        let ids = sample.ids.clone();
        let updated = sample
            .look(|made| {
                let read = Row { amount_cents: made.amount_cents + 1, status: "P", ..*made };
                Ok::<_, ()>(Found::Missing.and(made, Some(&read)))
            })
            .unwrap();
        assert_eq!((updated.len(), sample.rows_read()), (0, 10));
        let altered = sample
            .look(|made| {
                let read = Row { quantity: made.quantity + i64::from(made.id.cast_unsigned() == ids[3]), ..*made };
                Ok::<_, ()>(Found::Missing.and(made, Some(&read)))
            })
            .unwrap();
        assert_eq!(altered, [format!("the row with id {} is not as it was made", ids[3])]);
        let gone = sample.look(|_| Ok::<_, ()>(Found::Missing)).unwrap();
        assert_eq!(gone.len(), 4);
        assert_eq!(gone[3], "7 more of 30 rows are not as they were made");
        let twice =
            sample.look(|made| Ok::<_, ()>(Found::Missing.and(made, Some(made)).and(made, Some(made)))).unwrap();
        assert!(twice[0].ends_with("is not as it was made"));
    }

    #[test]
    fn the_sum_is_that_of_all_rows() {
        let size = smallest();
        for shape in [Shape::Small, Shape::Large] {
            let mut generator = Generator::new(&size, shape, 42);
            let all: i64 = (1..=generator.rows()).map(|id| generator.row(id).quantity).sum();
            assert_eq!(quantity_sum(&size, shape, 42), all.cast_unsigned());
            assert_ne!(quantity_sum(&size, shape, 43), all.cast_unsigned());
        }
    }
}
