//! The content of the test tables, and the keys that tests ask for: both pure functions, the same on every engine.
//!
//! A row is a function of (seed, shape, id). `customer_id` and `ref_id` come from affine bijections, so that counts are
//! exact and neighbours lie far apart; everything else comes from a mixing function of (seed, id).

use crate::client::{Value, Values};
use dbdyno_model::{Size, TableShape};
use std::sync::LazyLock;

mod calendar;
mod checksum;
mod column_values;
mod columns;
mod keys;
mod mix;
mod rows_by_columns;
mod sample;

pub use calendar::{calendar, day_from_iso, day_number, first_day, iso_day};
pub use checksum::{Checksum, Columns};
pub use column_values::{ColumnValues, DEFAULT_SEED, Drawn};
pub use columns::{Column, ColumnType, RowSource, RowSum, column_list, test_columns};
pub use keys::Keys;
pub use mix::mix;
pub use rows_by_columns::RowsByColumns;
pub use sample::{Sample, altered_quantities, quantity_sum};

/// Characters of `filler`, half from words and half random.
pub const FILLER_CHARS: usize = 256;
const HALF: usize = FILLER_CHARS / 2;
const WORDS_BYTES: usize = 1 << 16;
const STATUSES: [&str; 4] = ["N", "P", "S", "X"];

/// One row of a test table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row<'a> {
    /// Primary key, 1..n.
    pub id: i64,
    /// Secondary key, 1..values.
    pub customer_id: i64,
    /// A permutation of id, 1..n.
    pub ref_id: i64,
    /// List key: 1..8 in small tables, 1..4 in large ones.
    pub region: i64,
    /// Range key, days since 1970-01-01; one month a range.
    pub booked_on_days: i64,
    /// 1..100. Never changed by an update, so that sums over it stay provable.
    pub quantity: i64,
    /// An amount of money in hundredths.
    pub amount_cents: i64,
    /// One letter.
    pub status: &'a str,
    /// Text, half of it compressible.
    pub filler: &'a str,
}

/// Makes the rows of tables of one shape.
#[derive(Debug, Clone)]
pub struct Generator {
    seed: u64,
    shape: TableShape,
    rows: u64,
    small_rows: u64,
    customer: Bijection,
    reference: Bijection,
    words: &'static str,
    filler: String,
}

impl Generator {
    /// A generator for tables of this shape and size.
    #[must_use]
    pub fn new(size: &Size, shape: TableShape, seed: u64) -> Self {
        let rows = size.rows(shape);
        Self {
            seed,
            shape,
            rows,
            small_rows: size.small_rows,
            customer: Bijection::new(size.values(shape), mix(seed ^ 0xc057)),
            reference: Bijection::new(rows, mix(seed ^ 0x5ef1)),
            words: &WORDS,
            filler: String::with_capacity(FILLER_CHARS),
        }
    }

    /// Rows of the table.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The row with this id, 1..n.
    pub fn row(&mut self, id: u64) -> Row<'_> {
        let h = mix(self.seed ^ mix(id));
        self.fill(h);
        let (customer_id, ref_id) = (self.customer_id(id), self.ref_id(id));
        let range = self.range(id);
        Row {
            id: id.cast_signed(),
            customer_id: customer_id.cast_signed(),
            ref_id: ref_id.cast_signed(),
            region: region(self.shape, id).cast_signed(),
            booked_on_days: first_day(range) + (h >> 40).cast_signed() % 28,
            quantity: quantity(h),
            amount_cents: ((h >> 8) % 10_000_000).cast_signed(),
            status: STATUSES[(h >> 62) as usize & 3],
            filler: &self.filler,
        }
    }

    /// The row's `customer_id`, without making the rest.
    #[must_use]
    pub fn customer_id(&self, id: u64) -> u64 {
        1 + self.customer.of(id % self.customer.modulus)
    }

    /// The row's `ref_id`, without making the rest.
    #[must_use]
    pub fn ref_id(&self, id: u64) -> u64 {
        1 + self.reference.of(id - 1)
    }

    /// The row's `quantity`, without making the rest.
    #[must_use]
    pub fn quantity(&self, id: u64) -> u64 {
        quantity(mix(self.seed ^ mix(id))).cast_unsigned()
    }

    /// The range partition of a row, 0..31; small tables are the first range.
    #[must_use]
    pub fn range(&self, id: u64) -> u64 {
        ((id - 1) / self.small_rows) % Size::RANGES
    }

    /// The table's checksum as it must be. Takes as long as making every row.
    #[must_use]
    pub fn checksum(&mut self) -> Checksum {
        self.checksum_of(Columns::All)
    }

    /// The same over some of the columns.
    #[must_use]
    pub fn checksum_of(&mut self, columns: Columns) -> Checksum {
        let rows = self.rows;
        self.checksum_over(columns, 1..=rows)
    }

    /// The same over some of the rows.
    #[must_use]
    pub fn checksum_over(&mut self, columns: Columns, ids: impl Iterator<Item = u64>) -> Checksum {
        let (mut sum, mut row) = (RowSum::new(test_columns(), columns), Values::new());
        for id in ids {
            RowSource::row(self, id, &mut row);
            sum.add(&row);
        }
        sum.checksum
    }

    fn fill(&mut self, h: u64) {
        const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let start = (h >> 13) as usize % (WORDS_BYTES - HALF);
        self.filler.clear();
        self.filler.push_str(&self.words[start..start + HALF]);
        let mut random = [0u8; HALF];
        let mut state = h;
        for letters in random.chunks_mut(10) {
            state = mix(state);
            let mut bits = state;
            for letter in letters {
                *letter = LETTERS[bits as usize & 63];
                bits >>= 6;
            }
        }
        // LETTERS is ASCII, so this is always text.
        self.filler.push_str(std::str::from_utf8(&random).unwrap_or_default());
    }
}

impl RowSource for Generator {
    fn row(&mut self, id: u64, into: &mut Values) {
        let Row { id, customer_id, ref_id, region, booked_on_days, quantity, amount_cents, status, filler } =
            Self::row(self, id);
        into.clear();
        into.push(id).push(customer_id).push(ref_id).push(region);
        into.push(Value::Day(booked_on_days as i32)).push(quantity);
        into.push(Value::Cents(amount_cents)).push(status).push(filler);
    }
}

/// Neighbouring rows that share a list key.
const REGION_RUN: u64 = 64;

/// The list key of a row. Neighbours share one, so that the rows of one `customer_id` fall into all partitions alike:
/// were it `id` modulo the regions, then `customer_id`, which comes from `id` modulo another number, would decide on
/// the partition, and reading the scattered rows of a customer would be reading one partition from end to end.
#[must_use]
pub fn region(shape: TableShape, id: u64) -> u64 {
    1 + id / REGION_RUN % regions(shape)
}

/// Distinct list-key values of a shape.
#[must_use]
pub fn regions(shape: TableShape) -> u64 {
    match shape {
        TableShape::Small => 8,
        TableShape::Large => 4,
    }
}

fn quantity(h: u64) -> i64 {
    1 + ((h >> 32) % 100).cast_signed()
}

/// `x -> (a x + b) mod m` with a coprime to m and near the golden section of it, so that neighbours part.
#[derive(Debug, Clone, Copy)]
struct Bijection {
    factor: u64,
    offset: u64,
    modulus: u64,
}

impl Bijection {
    fn new(modulus: u64, seed: u64) -> Self {
        let modulus = modulus.max(1);
        let near = (u128::from(modulus) * 618_033_989 / 1_000_000_000) as u64 + seed % (modulus / 64 + 1);
        let factor = (near.max(1)..).find(|a| gcd(*a, modulus) == 1).unwrap_or(1);
        Self { factor, offset: mix(seed) % modulus, modulus }
    }

    fn of(self, x: u64) -> u64 {
        ((u128::from(self.factor) * u128::from(x) + u128::from(self.offset)) % u128::from(self.modulus)) as u64
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// 64 KiB of text made of 1,000 words, the same for every seed. There is one for all: each session has a generator.
static WORDS: LazyLock<String> = LazyLock::new(|| {
    const STARTS: [&str; 10] = ["ba", "co", "di", "fe", "ga", "ho", "ju", "la", "mo", "ne"];
    const ENDS: [&str; 10] = ["ber", "dan", "fil", "kor", "lum", "nis", "ral", "sto", "ten", "vax"];
    let word = |n: usize| format!("{}{}{} ", STARTS[n % 10], STARTS[n / 10 % 10], ENDS[n / 100 % 10]);
    let mut text = String::with_capacity(WORDS_BYTES + 16);
    let mut n = 0;
    while text.len() < WORDS_BYTES {
        text.push_str(&word((mix(n) % 1_000) as usize));
        n += 1;
    }
    text.truncate(WORDS_BYTES);
    text
});

/// The smallest size class, for tests.
#[cfg(test)]
pub fn smallest() -> Size {
    Size {
        id: "T".to_owned(),
        title: String::new(),
        small_rows: 3_200,
        large_rows: 102_400,
        engine_cache_bytes: 8 << 20,
        file_bytes: 1 << 20,
        bulk_partitions_per_job: 1,
    }
}

#[cfg(test)]
mod tests {
    use super::smallest as size;
    use super::*;

    #[test]
    fn every_secondary_value_has_exactly_its_rows_and_ref_id_is_a_permutation() {
        for shape in [TableShape::Small, TableShape::Large] {
            let generator = Generator::new(&size(), shape, 42);
            let mut counts = vec![0u64; size().values(shape) as usize + 1];
            let mut seen = vec![false; generator.rows() as usize + 1];
            for id in 1..=generator.rows() {
                counts[generator.customer_id(id) as usize] += 1;
                assert!(!std::mem::replace(&mut seen[generator.ref_id(id) as usize], true));
            }
            assert!(counts[1..].iter().all(|n| *n == size().rows_per_value(shape)));
        }
    }

    #[test]
    fn content_depends_on_seed_and_id_alone() {
        let mut a = Generator::new(&size(), TableShape::Small, 1);
        let mut b = Generator::new(&size(), TableShape::Small, 1);
        assert!(std::ptr::eq(a.words, b.words), "each of a thousand sessions has a generator");
        let _ = b.row(17);
        assert_eq!(a.row(5), b.row(5));
        assert_eq!(a.checksum(), b.checksum());
        let mut c = Generator::new(&size(), TableShape::Small, 2);
        assert_ne!(a.checksum(), c.checksum());
        let row = a.row(3_200);
        assert_eq!(row.filler.len(), FILLER_CHARS);
        assert_eq!(row.quantity.cast_unsigned(), b.quantity(3_200));
    }

    #[test]
    fn this_content_is_what_every_engine_must_hold() {
        // A change here makes data loaded by earlier versions unusable: it needs a new seed rule, not a new number.
        assert_eq!(Generator::new(&size(), TableShape::Small, 42).checksum().to_string(), "3200:e112802fe05785ef");
        assert_eq!(Generator::new(&size(), TableShape::Large, 42).checksum().to_string(), "102400:914ea047d3240fc1");
    }
}
