//! From the server's answer back into rows.

use super::{DAY_ZERO, FIELDS, HEADER, MOST_DIGITS, NEGATIVE, POSITIVE};
use dbdyno_engine::data::{FILLER_CHARS, Row};

/// Why bytes cannot be a row of ours.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(in super::super) enum CopyError {
    /// The stream does not begin as a COPY in binary format does.
    #[error("the server's COPY has no binary header that is known")]
    Header,
    /// A row with other columns.
    #[error("a row has {0} columns where 9 were asked for")]
    Columns(i16),
    /// A column that cannot be what was written.
    #[error("row {id}: {column} is not as it was written")]
    Value {
        /// The row, as far as it is known.
        id: i64,
        /// The column.
        column: &'static str,
    },
    /// The stream ended within a row, or went on after its end.
    #[error("the server's COPY ended before its last row")]
    Torn,
}

/// Takes rows out of a stream of chunks, however they are cut.
#[derive(Debug, Default)]
pub(in super::super) struct Decoder {
    /// What the last chunk left over.
    rest: Vec<u8>,
    begun: bool,
    ended: bool,
}

impl Decoder {
    /// Takes a chunk, and gives every row that is whole now to `each`.
    ///
    /// # Errors
    /// The bytes are no rows of ours.
    pub(in super::super) fn take(&mut self, chunk: &[u8], mut each: impl FnMut(&Row<'_>)) -> Result<(), CopyError> {
        // The server sends row by row, so that mostly nothing is left over and nothing has to be copied.
        if self.rest.is_empty() {
            let used = self.rows(chunk, &mut each)?;
            self.rest.extend_from_slice(&chunk[used..]);
        } else {
            let mut all = std::mem::take(&mut self.rest);
            all.extend_from_slice(chunk);
            let used = self.rows(&all, &mut each)?;
            all.drain(..used);
            self.rest = all;
        }
        Ok(())
    }

    /// Whether all was read.
    ///
    /// # Errors
    /// It was not.
    pub(in super::super) fn finish(&self) -> Result<(), CopyError> {
        if self.ended && self.rest.is_empty() { Ok(()) } else { Err(CopyError::Torn) }
    }

    /// The bytes that were used.
    fn rows(&mut self, bytes: &[u8], each: &mut impl FnMut(&Row<'_>)) -> Result<usize, CopyError> {
        let mut cursor = Cursor { bytes, at: 0 };
        if !self.begun {
            let Some(signature) = cursor.take(HEADER.len()) else { return Ok(0) };
            if signature != HEADER {
                return Err(CopyError::Header);
            }
            self.begun = true;
        }
        loop {
            let before = cursor.at;
            if self.ended {
                return if before == bytes.len() { Ok(before) } else { Err(CopyError::Torn) };
            }
            match cursor.count() {
                Some(FIELDS) => {}
                Some(-1) => {
                    self.ended = true;
                    continue;
                }
                Some(other) => return Err(CopyError::Columns(other)),
                None => return Ok(before),
            }
            match cursor.row()? {
                Some(row) => each(&row),
                None => return Ok(before),
            }
        }
    }
}

struct Cursor<'b> {
    bytes: &'b [u8],
    at: usize,
}

/// A field: its bytes, or nothing where the chunk ends within it.
type Field<'b> = Result<Option<&'b [u8]>, CopyError>;

impl<'b> Cursor<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let taken = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(taken)
    }

    fn count(&mut self) -> Option<i16> {
        self.take(2).and_then(|b| b.try_into().ok()).map(i16::from_be_bytes)
    }

    fn field(&mut self, id: i64, column: &'static str, fits: impl Fn(usize) -> bool) -> Field<'b> {
        let Some(length) = self.take(4).and_then(|b| b.try_into().ok()).map(i32::from_be_bytes) else {
            return Ok(None);
        };
        match usize::try_from(length) {
            Ok(length) if fits(length) => Ok(self.take(length)),
            _ => Err(CopyError::Value { id, column }),
        }
    }

    fn long(&mut self, id: i64, column: &'static str) -> Result<Option<i64>, CopyError> {
        let field = self.field(id, column, |length| length == 8)?;
        Ok(field.and_then(|b| b.try_into().ok()).map(i64::from_be_bytes))
    }

    fn short(&mut self, id: i64, column: &'static str) -> Result<Option<i64>, CopyError> {
        let field = self.field(id, column, |length| length == 4)?;
        Ok(field.and_then(|b| b.try_into().ok()).map(|b| i64::from(i32::from_be_bytes(b))))
    }

    fn text(&mut self, id: i64, column: &'static str, length: usize) -> Result<Option<&'b str>, CopyError> {
        let Some(bytes) = self.field(id, column, |found| found == length)? else { return Ok(None) };
        std::str::from_utf8(bytes).map(Some).map_err(|_| CopyError::Value { id, column })
    }

    /// The row after its number of columns; nothing where the chunk ends within it.
    fn row(&mut self) -> Result<Option<Row<'b>>, CopyError> {
        let Some(id) = self.long(0, "id")? else { return Ok(None) };
        let Some(customer_id) = self.long(id, "customer_id")? else { return Ok(None) };
        let Some(ref_id) = self.long(id, "ref_id")? else { return Ok(None) };
        let Some(region) = self.short(id, "region")? else { return Ok(None) };
        let Some(day) = self.short(id, "booked_on")? else { return Ok(None) };
        let Some(quantity) = self.short(id, "quantity")? else { return Ok(None) };
        let fits = |length: usize| (8..=8 + 2 * MOST_DIGITS).contains(&length) && length.is_multiple_of(2);
        let Some(amount) = self.field(id, "amount", fits)? else { return Ok(None) };
        let amount_cents = cents(amount).ok_or(CopyError::Value { id, column: "amount" })?;
        let Some(status) = self.text(id, "status", 1)? else { return Ok(None) };
        let Some(filler) = self.text(id, "filler", FILLER_CHARS)? else { return Ok(None) };
        let booked_on_days = day + DAY_ZERO;
        Ok(Some(Row { id, customer_id, ref_id, region, booked_on_days, quantity, amount_cents, status, filler }))
    }
}

/// The hundredths that a numeric in the server's format stands for; nothing where it is none of ours.
pub(super) fn cents(bytes: &[u8]) -> Option<i64> {
    let mut words = bytes.chunks_exact(2).map(|b| u16::from_be_bytes([b[0], b[1]]));
    let (count, weight, sign, scale) = (words.next()?, words.next()?.cast_signed(), words.next()?, words.next()?);
    if usize::from(count) != words.len() || scale != 2 || count > 0 && !(-1..=2).contains(&weight) {
        return None;
    }
    let mut sum = 0i64;
    for (place, digit) in (0..).zip(words) {
        let digit = i64::from(digit);
        sum += match i32::from(weight) - place {
            power @ 0..=2 => digit * 100 * 10_000i64.pow(power.unsigned_abs()),
            -1 if digit % 100 == 0 => digit / 100,
            _ => return None,
        };
    }
    match sign {
        POSITIVE => Some(sum),
        NEGATIVE => Some(-sum),
        _ => None,
    }
}
