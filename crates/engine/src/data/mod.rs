//! The content of the test tables, and the keys that tests ask for: both pure functions, the same on every engine.
//!
//! A row is a function of (seed, shape, id). `customer_id` and `ref_id` come from affine bijections, so that counts are
//! exact and neighbours lie far apart; everything else comes from a mixing function of (seed, id).

use dbdyno_model::{Shape, Size};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

mod keys;
mod sample;

pub use keys::Keys;
pub use sample::{Found, Sample, quantity_sum};

/// Characters of `filler`, half from words and half random.
pub const FILLER_CHARS: usize = 256;
const HALF: usize = FILLER_CHARS / 2;
const WORDS_BYTES: usize = 1 << 16;
/// 2020-01-01 as days since 1970-01-01; range `r` is the r-th month from there.
const FIRST_DAY: i64 = 18_262;
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
    shape: Shape,
    rows: u64,
    small_rows: u64,
    customer: Bijection,
    reference: Bijection,
    words: Arc<str>,
    filler: String,
}

impl Generator {
    /// A generator for tables of this shape and size.
    #[must_use]
    pub fn new(size: &Size, shape: Shape, seed: u64) -> Self {
        let rows = size.rows(shape);
        Self {
            seed,
            shape,
            rows,
            small_rows: size.small_rows,
            customer: Bijection::new(size.values(shape), mix(seed ^ 0xc057)),
            reference: Bijection::new(rows, mix(seed ^ 0x5ef1)),
            words: words(),
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
        let mut checksum = Checksum::default();
        for id in 1..=self.rows {
            checksum.add(&columns.of(&self.row(id)));
        }
        checksum
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

/// Neighbouring rows that share a list key.
const REGION_RUN: u64 = 64;

/// The list key of a row. Neighbours share one, so that the rows of one `customer_id` fall into all partitions alike:
/// were it `id` modulo the regions, then `customer_id`, which comes from `id` modulo another number, would decide on
/// the partition, and reading the scattered rows of a customer would be reading one partition from end to end.
#[must_use]
pub fn region(shape: Shape, id: u64) -> u64 {
    1 + id / REGION_RUN % regions(shape)
}

/// Distinct list-key values of a shape.
#[must_use]
pub fn regions(shape: Shape) -> u64 {
    match shape {
        Shape::Small => 8,
        Shape::Large => 4,
    }
}

/// The first day of a range, days since 1970-01-01.
#[must_use]
pub fn first_day(range: u64) -> i64 {
    let (year, month) = month_of(range);
    days_before_year(year) - days_before_year(2020)
        + FIRST_DAY
        + DAYS_BEFORE_MONTH[month]
        + i64::from(month > 1 && leap(year))
}

/// A day as `YYYY-MM-DD`.
#[must_use]
pub fn iso_day(days: i64) -> String {
    let (year, month, day) = calendar(days);
    format!("{year:04}-{month:02}-{day:02}")
}

/// A day from `YYYY-MM-DD`, as days since 1970-01-01.
#[must_use]
pub fn day_from_iso(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    if !((1..=9_999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day)) {
        return None;
    }
    // From the first of March on, months are as long as in every year.
    let (year, month_from_march) = (year - i64::from(month <= 2), (month + 9) % 12);
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let days = era * ERA_DAYS + 365 * year_of_era + year_of_era / 4 - year_of_era / 100 + day_of_year - FROM_MARCH_0;
    (calendar(days) == (year + i64::from(month <= 2), month as u8, day as u8)).then_some(days)
}

/// Days of 400 years, which are all equally many.
const ERA_DAYS: i64 = 146_097;
/// Days from the 1st of March of the year 0 to 1970-01-01.
const FROM_MARCH_0: i64 = 719_468;

/// The day of the calendar that is so many days after 1970-01-01: year, month, day. Years are counted from a March, so
/// that the day which is not always there is a year's last, and in eras of 400 years.
#[must_use]
pub fn calendar(days: i64) -> (i64, u8, u8) {
    let from_march_0 = days + FROM_MARCH_0;
    let day_of_era = from_march_0.rem_euclid(ERA_DAYS);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = from_march_0.div_euclid(ERA_DAYS) * 400 + year_of_era + i64::from(month <= 2);
    (year, month as u8, day as u8)
}

const DAYS_BEFORE_MONTH: [i64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

fn month_of(range: u64) -> (i64, usize) {
    (2020 + (range / 12).cast_signed(), (range % 12) as usize)
}

fn leap(year: i64) -> bool {
    (year % 4 == 0 && year % 100 != 0) || year % 400 == 0
}

fn days_before_year(year: i64) -> i64 {
    let y = year - 1;
    y * 365 + y / 4 - y / 100 + y / 400
}

fn quantity(h: u64) -> i64 {
    1 + ((h >> 32) % 100).cast_signed()
}

/// A mixing function of 64 bits (the finaliser of SplitMix64: Steele, Lea and Flood, OOPSLA 2014).
#[must_use]
pub fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
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

/// 64 KiB of text made of 1,000 words, the same for every seed.
fn words() -> Arc<str> {
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
    text.into()
}

/// Columns that a checksum is taken over.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Columns {
    /// All of them: what a table holds right after loading.
    #[default]
    All,
    /// Those that no test changes: what it holds ever after.
    Unchanging,
}

impl Columns {
    /// The row with these columns, and nothing in the others.
    pub fn of<'r>(self, row: &Row<'r>) -> Row<'r> {
        match self {
            Self::All => *row,
            Self::Unchanging => row.without_changing(),
        }
    }
}

/// A checksum over rows, in any order: their number and the wrapping sum of XXH3-64 over each row's canonical bytes
/// (id, `customer_id`, `ref_id`, region, `booked_on` in days, quantity, amount in hundredths: each 8 bytes
/// little-endian; status; filler).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Checksum {
    /// Rows counted.
    pub rows: u64,
    /// The sum.
    pub sum: u64,
}

impl Checksum {
    /// Adds a row.
    pub fn add(&mut self, row: &Row<'_>) {
        let mut bytes = [0u8; 7 * 8 + 1 + FILLER_CHARS];
        let numbers =
            [row.id, row.customer_id, row.ref_id, row.region, row.booked_on_days, row.quantity, row.amount_cents];
        for (slot, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            slot.copy_from_slice(&number.to_le_bytes());
        }
        bytes[56] = row.status.as_bytes().first().copied().unwrap_or(0);
        let filler = row.filler.as_bytes();
        let length = filler.len().min(FILLER_CHARS);
        bytes[57..57 + length].copy_from_slice(&filler[..length]);
        self.rows += 1;
        self.sum = self.sum.wrapping_add(xxhash_rust::xxh3::xxh3_64(&bytes));
    }

    /// Adds another part of the same table.
    pub fn merge(&mut self, other: Self) {
        self.rows += other.rows;
        self.sum = self.sum.wrapping_add(other.sum);
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{:016x}", self.rows, self.sum)
    }
}

impl FromStr for Checksum {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        let (rows, sum) = text.split_once(':').ok_or(())?;
        Ok(Self { rows: rows.parse().map_err(|_| ())?, sum: u64::from_str_radix(sum, 16).map_err(|_| ())? })
    }
}

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
        for shape in [Shape::Small, Shape::Large] {
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
        let mut a = Generator::new(&size(), Shape::Small, 1);
        let mut b = Generator::new(&size(), Shape::Small, 1);
        let _ = b.row(17);
        assert_eq!(a.row(5), b.row(5));
        assert_eq!(a.checksum(), b.checksum());
        let mut c = Generator::new(&size(), Shape::Small, 2);
        assert_ne!(a.checksum(), c.checksum());
        let row = a.row(3_200);
        assert_eq!(row.filler.len(), FILLER_CHARS);
        assert_eq!(row.quantity.cast_unsigned(), b.quantity(3_200));
    }

    #[test]
    fn this_content_is_what_every_engine_must_hold() {
        // A change here makes data loaded by earlier versions unusable: it needs a new seed rule, not a new number.
        assert_eq!(Generator::new(&size(), Shape::Small, 42).checksum().to_string(), "3200:e112802fe05785ef");
        assert_eq!(Generator::new(&size(), Shape::Large, 42).checksum().to_string(), "102400:914ea047d3240fc1");
    }

    #[test]
    fn ranges_are_months() {
        assert_eq!(iso_day(first_day(0)), "2020-01-01");
        assert_eq!(iso_day(first_day(2)), "2020-03-01");
        assert_eq!(iso_day(first_day(31)), "2022-08-01");
        assert_eq!(iso_day(first_day(13) + 27), "2021-02-28");
        assert_eq!(day_from_iso("2022-08-15"), Some(first_day(31) + 14));
        assert_eq!(day_from_iso("2022-13-15"), None);
        assert_eq!(day_from_iso("x"), None);
    }
}
