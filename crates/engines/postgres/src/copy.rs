//! Rows in the server's binary COPY format, both ways: from the generator into one reused buffer, and from the server's
//! answer back into rows. Nothing is allocated per row: on a small machine this work competes with the server's own.

mod decode;

use dbdyno_engine::data::{FILLER_CHARS, Row};
pub(super) use decode::{CopyError, Decoder};

/// Signature, flags and length of the header's extension (none).
const HEADER: &[u8; 19] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const FIELDS: i16 = 9;
/// 2000-01-01, the server's day 0, as days since 1970-01-01.
const DAY_ZERO: i64 = 10_957;
const POSITIVE: u16 = 0;
const NEGATIVE: u16 = 0x4000;
/// `numeric(12,2)`: three digits of 10,000 before the point, one after it.
const MOST_DIGITS: usize = 4;
/// Bytes before the digits of `amount`, the same in number for every row.
const FIXED: usize = 74;
/// Bytes of a row at most.
const ROW_BYTES: usize = FIXED + 2 * MOST_DIGITS + 4 + 1 + 4 + FILLER_CHARS;

/// Puts rows into a buffer.
#[derive(Debug)]
pub(super) struct Encoder {
    buffer: Vec<u8>,
    limit: usize,
}

impl Encoder {
    /// A buffer that is full at `limit` bytes, and begins with the header.
    pub(super) fn new(limit: usize) -> Self {
        let mut buffer = Vec::with_capacity(limit + ROW_BYTES + 2);
        buffer.extend_from_slice(HEADER);
        Self { buffer, limit }
    }

    /// Begins a new COPY in the same buffer.
    pub(super) fn begin(&mut self) {
        self.buffer.clear();
        self.buffer.extend_from_slice(HEADER);
    }

    /// Adds a row.
    pub(super) fn row(&mut self, row: &Row<'_>) {
        let mut head = [0u8; FIXED + 2 * MOST_DIGITS + 4 + 1 + 4];
        put(&mut head, 0, FIELDS.to_be_bytes());
        for (at, number) in [(2, row.id), (14, row.customer_id), (26, row.ref_id)] {
            put(&mut head, at, 8i32.to_be_bytes());
            put(&mut head, at + 4, number.to_be_bytes());
        }
        for (at, number) in [(38, row.region), (46, row.booked_on_days - DAY_ZERO), (54, row.quantity)] {
            put(&mut head, at, 4i32.to_be_bytes());
            put(&mut head, at + 4, (number as i32).to_be_bytes());
        }
        let amount = Numeric::of_cents(row.amount_cents);
        let digits = amount.digits();
        put(&mut head, 62, (8 + 2 * digits.len() as i32).to_be_bytes());
        put(&mut head, 66, (digits.len() as i16).to_be_bytes());
        put(&mut head, 68, amount.weight.to_be_bytes());
        put(&mut head, 70, amount.sign.to_be_bytes());
        put(&mut head, 72, 2i16.to_be_bytes());
        let mut end = FIXED;
        for digit in digits {
            put(&mut head, end, digit.to_be_bytes());
            end += 2;
        }
        put(&mut head, end, 1i32.to_be_bytes());
        head[end + 4] = row.status.as_bytes().first().copied().unwrap_or(b' ');
        put(&mut head, end + 5, (row.filler.len() as i32).to_be_bytes());
        self.buffer.extend_from_slice(&head[..end + 9]);
        self.buffer.extend_from_slice(row.filler.as_bytes());
    }

    /// Ends the COPY.
    pub(super) fn end(&mut self) {
        self.buffer.extend_from_slice(&(-1i16).to_be_bytes());
    }

    /// Whether the buffer wants to be sent.
    pub(super) fn full(&self) -> bool {
        self.buffer.len() >= self.limit
    }

    /// What is to be sent.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Empties the buffer, after it was sent.
    pub(super) fn clear(&mut self) {
        self.buffer.clear();
    }
}

fn put<const N: usize>(bytes: &mut [u8], at: usize, value: [u8; N]) {
    bytes[at..at + N].copy_from_slice(&value);
}

/// A `numeric(12,2)` as the server sends it: digits of base 10,000 without zeros at either end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numeric {
    all: [u16; MOST_DIGITS],
    first: usize,
    end: usize,
    /// The first digit counts 10,000 to this power.
    weight: i16,
    sign: u16,
}

impl Numeric {
    fn of_cents(cents: i64) -> Self {
        let size = cents.unsigned_abs();
        let whole = size / 100;
        let all = [
            (whole / 100_000_000 % 10_000) as u16,
            (whole / 10_000 % 10_000) as u16,
            (whole % 10_000) as u16,
            (size % 100 * 100) as u16,
        ];
        let Some(first) = all.iter().position(|digit| *digit != 0) else {
            return Self { all, first: 0, end: 0, weight: 0, sign: POSITIVE };
        };
        let end = all.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1);
        let sign = if cents < 0 { NEGATIVE } else { POSITIVE };
        Self { all, first, end, weight: 2 - first as i16, sign }
    }

    fn digits(&self) -> &[u16] {
        &self.all[self.first..self.end]
    }
}

#[cfg(test)]
mod tests {
    use super::decode::cents;
    use super::*;
    use dbdyno_engine::data::{Checksum, Generator};
    use dbdyno_model::Shape;
    use dbdyno_testkit::conformance::catalogue::size_t;
    use proptest::prelude::*;

    const FILLER: &str = concat!(
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    );

    fn row() -> Row<'static> {
        Row {
            id: 123_456_789_012,
            customer_id: 42,
            ref_id: 7_000_000_001,
            region: 3,
            booked_on_days: 18_262 + 31 + 27,
            quantity: 100,
            amount_cents: 9_876_543,
            status: "P",
            filler: FILLER,
        }
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

    fn encoded(rows: &[Row<'_>]) -> Vec<u8> {
        let mut encoder = Encoder::new(1 << 10);
        rows.iter().for_each(|row| encoder.row(row));
        encoder.end();
        encoder.bytes().to_vec()
    }

    #[test]
    fn a_row_is_what_the_server_would_send() {
        assert_eq!(hex(&encoded(&[row()])), format!("{GOLDEN}{}ffff", hex(FILLER.as_bytes())));
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(
            numbers in any::<(i64, i64, i64, i32, i32)>(), day in -100_000i64..100_000,
            amount in -999_999_999_999i64..=999_999_999_999, status in "[A-Z]", filler in "[ -~]{256}", cut in 1usize..400
        ) {
            let (id, customer_id, ref_id, region, quantity) = numbers;
            let (region, quantity) = (i64::from(region), i64::from(quantity));
            let (status, filler) = (status.as_str(), filler.as_str());
            let row = Row {
                id, customer_id, ref_id, region, booked_on_days: day, quantity, amount_cents: amount, status, filler,
            };
            let bytes = encoded(&[row, row, row]);
            let (mut decoder, mut found) = (Decoder::default(), 0);
            for chunk in bytes.chunks(cut) {
                decoder.take(chunk, |back| {
                    assert_eq!(*back, row);
                    found += 1;
                }).unwrap();
            }
            decoder.finish().unwrap();
            prop_assert_eq!(found, 3);
        }

        #[test]
        fn amounts_keep_every_hundredth(amount in -999_999_999_999i64..=999_999_999_999, small in 0i64..200_000) {
            for cents_in in [amount, small, small * 10_000, 0] {
                let numeric = Numeric::of_cents(cents_in);
                let mut bytes = Vec::new();
                for word in [numeric.digits().len() as u16, numeric.weight.cast_unsigned(), numeric.sign, 2] {
                    bytes.extend_from_slice(&word.to_be_bytes());
                }
                numeric.digits().iter().for_each(|digit| bytes.extend_from_slice(&digit.to_be_bytes()));
                prop_assert_eq!(cents(&bytes), Some(cents_in));
            }
        }

        #[test]
        fn nothing_that_a_server_sends_makes_it_panic(noise in proptest::collection::vec(any::<u8>(), 0..600), at in 0usize..400) {
            let mut bytes = encoded(&[row()]);
            let at = at.min(bytes.len());
            bytes.splice(at.., noise);
            let mut decoder = Decoder::default();
            _ = decoder.take(&bytes, |_| ()).and_then(|()| decoder.finish());
        }
    }

    #[test]
    fn a_table_keeps_its_checksum_on_the_way() {
        let mut generator = Generator::new(&size_t(), Shape::Small, 42);
        let (mut encoder, mut decoder, mut checksum) = (Encoder::new(10_000), Decoder::default(), Checksum::default());
        for id in 1..=generator.rows() {
            encoder.row(&generator.row(id));
            if encoder.full() {
                decoder.take(encoder.bytes(), |row| checksum.add(row)).unwrap();
                encoder.clear();
            }
        }
        encoder.end();
        decoder.take(encoder.bytes(), |row| checksum.add(row)).unwrap();
        decoder.finish().unwrap();
        assert_eq!(checksum, generator.checksum());
    }

    #[test]
    fn what_is_no_row_of_ours_is_said() {
        let decode = |bytes: &[u8]| {
            let mut decoder = Decoder::default();
            decoder.take(bytes, |_| ()).and_then(|()| decoder.finish())
        };
        let whole = encoded(&[row()]);
        assert_eq!(decode(&whole), Ok(()));
        assert_eq!(decode(&whole[..whole.len() - 1]), Err(CopyError::Torn));
        assert_eq!(decode(&[&whole[..], b"x"].concat()), Err(CopyError::Torn));
        assert_eq!(decode(&[b'x'; 30]), Err(CopyError::Header));
        let changed = |at: usize, value: &[u8]| {
            let mut bytes = whole.clone();
            bytes[19 + at..19 + at + value.len()].copy_from_slice(value);
            decode(&bytes)
        };
        assert_eq!(changed(0, &[0, 8]), Err(CopyError::Columns(8)));
        let value = |column| Err(CopyError::Value { id: 123_456_789_012, column });
        // Null, and not a number.
        assert_eq!(changed(38, &[0xff; 4]), value("region"));
        assert_eq!(changed(70, &[0xc0, 0]), value("amount"));
    }
}
