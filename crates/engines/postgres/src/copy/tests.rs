//! Rows on both ways, without a server.

use super::decode::CopyError;
use super::*;
use dbdyno_engine::data::{Columns, Generator, RowSource, RowSum, test_columns};
use dbdyno_model::TableShape;
use dbdyno_testkit::conformance::catalogue::size_t;
use proptest::prelude::*;

const FILLER: &str = concat!(
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
);

fn row() -> Values {
    let mut row = Values::new();
    row.push(123_456_789_012).push(42).push(7_000_000_001).push(3);
    row.push(Value::Day(18_262 + 31 + 27)).push(100).push(Value::Cents(9_876_543)).push("P").push(FILLER);
    row
}

/// What `COPY (SELECT 123456789012::bigint, 42::bigint, 7000000001::bigint, 3, DATE '2020-02-28', 100,
/// 98765.43::numeric(12,2), 'P'::char(1), …) TO STDOUT (FORMAT binary)` gives on a server (15.18).
const GOLDEN: &str = concat!(
    "5047434f50590aff0d0a0000000000000000000009000000080000001cbe991a1400000008000000000000002a0000000800000001a1",
    "3b860100000004000000030000000400001cc300000004000000640000000e00030001000000020009223d10cc000000015000000100",
);

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn encoded(rows: &[Values]) -> Vec<u8> {
    let mut encoder = Encoder::new(1 << 10);
    rows.iter().for_each(|row| encoder.row(test_columns(), row));
    encoder.end();
    encoder.buffer
}

fn decoded(bytes: &[u8], cut: usize) -> Result<Vec<Values>, CopyError> {
    let (mut decoder, mut found) = (Decoder::new(test_columns()), Vec::new());
    for chunk in bytes.chunks(cut) {
        decoder.take(chunk, &mut |row| {
            found.push(row.clone());
            Ok(())
        })?;
    }
    decoder.finish().map(|()| found)
}

#[test]
fn a_row_is_what_the_server_would_send() {
    assert_eq!(hex(&encoded(&[row()])), format!("{GOLDEN}{}ffff", hex(FILLER.as_bytes())));
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(
        numbers in any::<(i64, i64, i64, i32, i32)>(), day in -100_000i32..100_000,
        amount in -999_999_999_999i64..=999_999_999_999, status in "[A-Z]", filler in "[ -~]{256}", cut in 1usize..400
    ) {
        let (id, customer_id, ref_id, region, quantity) = numbers;
        let mut row = Values::new();
        row.push(id).push(customer_id).push(ref_id).push(i64::from(region)).push(Value::Day(day));
        row.push(i64::from(quantity)).push(Value::Cents(amount)).push(status.as_str()).push(filler.as_str());
        let rows = [row.clone(), row.clone(), row];
        prop_assert_eq!(decoded(&encoded(&rows), cut), Ok(rows.to_vec()));
    }

    #[test]
    fn nothing_that_a_server_sends_makes_it_panic(noise in proptest::collection::vec(any::<u8>(), 0..600), at in 0usize..400) {
        let mut bytes = encoded(&[row()]);
        let at = at.min(bytes.len());
        bytes.splice(at.., noise);
        _ = decoded(&bytes, bytes.len().max(1));
    }
}

#[test]
fn a_table_keeps_its_checksum_on_the_way() {
    let mut generator = Generator::new(&size_t(), TableShape::Small, 42);
    let (mut encoder, mut decoder) = (Encoder::new(10_000), Decoder::new(test_columns()));
    let (mut sum, mut row) = (RowSum::new(test_columns(), Columns::All), Values::new());
    let mut add = |row: &Values| {
        sum.add(row);
        Ok(())
    };
    for id in 1..=generator.rows() {
        RowSource::row(&mut generator, id, &mut row);
        encoder.row(test_columns(), &row);
        if encoder.is_full() {
            decoder.take(&encoder.buffer, &mut add).unwrap();
            encoder.buffer.clear();
        }
    }
    encoder.end();
    decoder.take(&encoder.buffer, &mut add).unwrap();
    decoder.finish().unwrap();
    assert_eq!(sum.checksum, generator.checksum());
}

#[test]
fn what_is_no_row_of_ours_is_said() {
    let decode = |bytes: &[u8]| decoded(bytes, bytes.len()).map(|rows| rows.len());
    let whole = encoded(&[row()]);
    assert_eq!(decode(&whole), Ok(1));
    assert_eq!(decode(&whole[..whole.len() - 1]), Err(CopyError::Torn));
    assert_eq!(decode(&[&whole[..], b"x"].concat()), Err(CopyError::Torn));
    assert_eq!(decode(&[b'x'; 30]), Err(CopyError::Header));
    let changed = |at: usize, value: &[u8]| {
        let mut bytes = whole.clone();
        bytes[19 + at..19 + at + value.len()].copy_from_slice(value);
        decode(&bytes)
    };
    assert_eq!(changed(0, &[0, 8]), Err(CopyError::Columns(8, 9)));
    let value = |column: &str| Err(CopyError::Value { id: 123_456_789_012, column: column.to_owned() });
    // Null, and not a number.
    assert_eq!(changed(38, &[0xff; 4]), value("region"));
    assert_eq!(changed(70, &[0xc0, 0]), value("amount"));
}

#[test]
fn a_key_is_numbers_and_days() {
    let key = [Value::Int(-7), Value::Day(18_262), Value::Text("x")].map(literal);
    assert_eq!(key, ["-7", "DATE '2020-01-01'", "NULL"]);
}
