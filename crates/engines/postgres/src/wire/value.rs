//! Values as the protocol has them. The server tells what type each value has: whole numbers and days go in binary, and
//! all else as text, which the server reads and writes for every type.

use dbdyno_engine::client::{Value, ValueType, cents_text};
use dbdyno_engine::data::{day_from_iso, iso_day};
use std::io::Write as _;

/// 2000-01-01, the server's day 0, as days since 1970-01-01.
pub(super) const DAY_ZERO: i32 = 10_957;
pub(super) const INT8: u32 = 20;
const TEXT: u32 = 25;
pub(super) const DATE: u32 = 1082;
const NUMERIC: u32 = 1700;

/// The number in the server's catalogue of a type of values.
pub(super) fn type_oid(of: &ValueType) -> u32 {
    match of {
        ValueType::Int => INT8,
        ValueType::Day => DATE,
        ValueType::Cents => NUMERIC,
        ValueType::Text => TEXT,
    }
}

/// How a value goes over the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WireType {
    /// A whole number of so many bytes.
    Int(u8),
    /// A day.
    Day,
    /// A text.
    Text,
}

impl WireType {
    /// That of a value that is sent, by its type's number in the server's catalogue.
    pub(super) fn taken(type_oid: u32) -> Self {
        match type_oid {
            INT8 => Self::Int(8),
            21 => Self::Int(2),
            23 => Self::Int(4),
            DATE => Self::Day,
            _ => Self::Text,
        }
    }

    /// That of a value that comes back: days are read as text, as everywhere.
    pub(super) fn given(type_oid: u32) -> Self {
        match Self::taken(type_oid) {
            Self::Day => Self::Text,
            kind => kind,
        }
    }

    pub(super) fn format(self) -> u16 {
        u16::from(self != Self::Text)
    }

    /// How many bytes it always has, unless it is null.
    pub(super) fn bytes(self) -> Option<usize> {
        match self {
            Self::Int(bytes) => Some(usize::from(bytes)),
            Self::Day => Some(4),
            Self::Text => None,
        }
    }

    /// A value as a number of that many bytes; none where it is null, or does not fit.
    #[inline]
    fn number(self, value: Value<'_>) -> Option<i64> {
        let number = match (self, value) {
            (Self::Int(8), Value::Int(number)) => return Some(number),
            (Self::Int(_), Value::Int(number)) => number,
            (Self::Int(_), Value::Text(text)) => text.parse().ok()?,
            (Self::Day, Value::Day(days)) => return Some(i64::from(days) - i64::from(DAY_ZERO)),
            (Self::Day, Value::Text(text)) => day_from_iso(text)? - i64::from(DAY_ZERO),
            _ => return None,
        };
        let width = 8 * self.bytes()? as u32;
        let fits = width == 64 || number >> (width - 1) == 0 || number >> (width - 1) == -1;
        fits.then_some(number)
    }

    /// Writes a value over another one; false where it has another length.
    #[inline]
    pub(super) fn overwrite(self, value: Value<'_>, at: &mut [u8]) -> bool {
        // What nearly all of them are.
        if let (Self::Int(8), Value::Int(number)) = (self, value) {
            at[..8].copy_from_slice(&number.to_be_bytes());
            return true;
        }
        let Some(number) = self.number(value) else { return false };
        // Lengths that the compiler knows need no call.
        match self {
            Self::Int(8) => at[..8].copy_from_slice(&number.to_be_bytes()),
            Self::Int(4) | Self::Day => at[..4].copy_from_slice(&(number as i32).to_be_bytes()),
            Self::Int(_) => at[..2].copy_from_slice(&(number as i16).to_be_bytes()),
            Self::Text => return false,
        }
        true
    }

    /// Writes a value with its length before it; false where the type cannot hold it.
    pub(super) fn write(self, value: Value<'_>, out: &mut Vec<u8>) -> bool {
        if value == Value::Null {
            out.extend((-1_i32).to_be_bytes());
            return true;
        }
        if let Some(bytes) = self.bytes() {
            let Some(number) = self.number(value) else { return false };
            out.extend(be32(bytes));
            out.extend(&number.to_be_bytes()[8 - bytes..]);
            return true;
        }
        let at = out.len();
        out.extend([0; 4]);
        match value {
            Value::Text(text) => out.extend(text.as_bytes()),
            // To memory everything can be written.
            Value::Int(number) => _ = write!(out, "{number}"),
            Value::Day(days) => out.extend(iso_day(days.into()).as_bytes()),
            Value::Cents(cents) => out.extend(cents_text(cents).as_bytes()),
            Value::Null => {}
        }
        let length = out.len() - at - 4;
        out[at..at + 4].copy_from_slice(&be32(length));
        true
    }
}

/// A length as messages have it.
pub(super) fn be32(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()
}
