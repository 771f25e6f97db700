//! What a transaction writes: a pure function of its cut, session and number.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// The tables that rows are spread over.
pub const TABLES: usize = 3;

/// Every so many transactions, one has several rows.
const MANY_EVERY: u64 = 4;
/// Rows of a transaction that has several.
const MANY: std::ops::RangeInclusive<u64> = 2..=8;
/// Characters of a row's text.
const BODY_CHARS: std::ops::RangeInclusive<u64> = 20..=180;

/// A transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TransactionKey {
    /// The cut that it precedes, from 1 on.
    pub cut: u32,
    /// Its session, from 0 on.
    pub session: u32,
    /// Its number in the session, from 1 on.
    pub seq: u64,
}

/// A row of a transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its table, from 0 on.
    pub table: usize,
    /// Its number in the transaction, from 0 on.
    pub part: u32,
    /// A sum over its keys and its text.
    pub checksum: i64,
    /// Its text.
    pub body: String,
}

/// The rows that a transaction writes, in order.
#[must_use]
pub fn rows_of(key: TransactionKey) -> Vec<Row> {
    let drawn = drawn(key, 0);
    let rows = if drawn.is_multiple_of(MANY_EVERY) { of(MANY, drawn / MANY_EVERY) } else { 1 };
    let row = |part: u32| {
        let drawn = self::drawn(key, 1 + u64::from(part));
        let body = text(drawn);
        // Several rows go round the tables.
        let table = (self::drawn(key, 0) as usize % TABLES + part as usize) % TABLES;
        Row { table, part, checksum: checksum(key, part, &body), body }
    };
    (0..rows as u32).map(row).collect()
}

/// The sum over a row's keys and its text.
#[must_use]
fn checksum(key: TransactionKey, part: u32, body: &str) -> i64 {
    // Databases know numbers of 63 bits and a sign.
    (xxh3_64_with_seed(body.as_bytes(), drawn(key, u64::from(part)).wrapping_mul(3)) >> 1).cast_signed()
}

fn drawn(key: TransactionKey, of: u64) -> u64 {
    let TransactionKey { cut, session, seq } = key;
    let keys = [u64::from(cut), u64::from(session), seq].map(u64::to_le_bytes).concat();
    xxh3_64_with_seed(&keys, of)
}

/// One of a range.
fn of(range: std::ops::RangeInclusive<u64>, drawn: u64) -> u64 {
    range.start() + drawn % (range.end() - range.start() + 1)
}

/// Letters and digits.
fn text(drawn: u64) -> String {
    let chars = of(BODY_CHARS, drawn) as usize;
    let mut text = String::with_capacity(chars + 16);
    let mut n = 0;
    while text.len() < chars {
        text.push_str(&format!("{:016x}", xxh3_64_with_seed(&drawn.to_le_bytes(), n)));
        n += 1;
    }
    text.truncate(chars);
    text
}
