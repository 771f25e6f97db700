//! Values on their way to the server, and on their way back as text. Whole numbers and days are never texts on the way
//! there: on a small machine that work competes with the server's own.

use dbdyno_engine::client::{Value, ValueType, cents_text};
use dbdyno_engine::data::calendar;
use oracledb::{DB_TYPE_DATE, DB_TYPE_NUMBER, DB_TYPE_VARCHAR, OracleNumber, OracleTimestamp, Row, ToDbValue};
use std::fmt::Write as _;

/// A value that a statement is given.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bind<'a> {
    /// A whole number.
    Int(i64),
    /// Any number; [`Bind::cents`] makes one.
    Number(OracleNumber),
    /// A text; an empty one is null on this server.
    Text(&'a str),
    /// A date or a time; [`Bind::day`] makes one.
    Time(OracleTimestamp),
    /// None: what comes back there is of this type.
    Out(ValueType),
}

impl<'a> From<Value<'a>> for Bind<'a> {
    /// An empty text is null on this server.
    fn from(value: Value<'a>) -> Self {
        match value {
            Value::Null => Self::Text(""),
            Value::Int(number) => Self::Int(number),
            Value::Day(days) => Self::day(days.into()),
            Value::Cents(cents) => Self::cents(cents),
            Value::Text(text) => Self::Text(text),
        }
    }
}

impl Bind<'_> {
    /// A number of hundredths: 12345 is 123.45.
    pub(crate) fn cents(cents: i64) -> Self {
        // Digits with a point in them are always a number.
        Self::Number(cents_text(cents).parse().unwrap_or_default())
    }

    /// A day, as days since 1970-01-01.
    pub(crate) fn day(days: i64) -> Self {
        let (year, month, day) = calendar(days);
        Self::Time(OracleTimestamp::new_date(i16::try_from(year).unwrap_or(i16::MAX), month, day))
    }

    /// As the driver wants it.
    pub(super) fn value(&self) -> &dyn ToDbValue {
        match self {
            Self::Int(number) => number,
            Self::Number(number) => number,
            Self::Text(text) => text,
            Self::Time(time) => time,
            Self::Out(ValueType::Int | ValueType::Cents) => &DB_TYPE_NUMBER,
            Self::Out(ValueType::Day) => &DB_TYPE_DATE,
            Self::Out(ValueType::Text) => &DB_TYPE_VARCHAR,
        }
    }
}

/// The days since 1970-01-01 of a date; nothing where it has a time of day.
pub(crate) fn days(time: &OracleTimestamp) -> Option<i64> {
    if (time.hour(), time.minute(), time.second(), time.nanoseconds()) != (0, 0, 0, 0) {
        return None;
    }
    dbdyno_engine::data::day_number(time.year().into(), time.month().into(), time.day().into())
}

/// A value of a row as text: numbers in plain digits, times as `2026-01-31 23:59:59`, bytes in hexadecimal digits.
///
/// # Errors
/// It is of a type that has no text here.
pub(super) fn text(row: &Row, at: usize) -> Result<Option<String>, oracledb::Error> {
    // Texts, numbers and row addresses; what is none of these is asked for as what it may be.
    let error = match row.get::<Option<String>>(at) {
        Ok(text) => return Ok(text),
        Err(error) => error,
    };
    if let Ok(time) = row.get::<OracleTimestamp>(at) {
        return Ok(Some(time_text(&time)));
    }
    if let Ok(number) = row.get::<f64>(at) {
        return Ok(Some(number.to_string()));
    }
    if let Ok(number) = row.get::<f32>(at) {
        return Ok(Some(number.to_string()));
    }
    if let Ok(truth) = row.get::<bool>(at) {
        return Ok(Some(truth.to_string()));
    }
    let bytes = row.get::<&[u8]>(at).map_err(|_| error)?;
    let mut digits = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        _ = write!(digits, "{byte:02X}");
    }
    Ok(Some(digits))
}

pub(super) fn time_text(time: &OracleTimestamp) -> String {
    let (year, month, day) = (time.year(), time.month(), time.day());
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    let mut text = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}");
    if time.nanoseconds() > 0 {
        _ = write!(text, ".{:09}", time.nanoseconds());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::data::{first_day, iso_day};
    use proptest::prelude::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let shown = |day| match Bind::day(day) {
            Bind::Time(time) => (time_text(&time), days(&time)),
            other => panic!("{other:?}"),
        };
        for day in first_day(0)..first_day(12 * 30) {
            assert_eq!(shown(day), (format!("{} 00:00:00", iso_day(day)), Some(day)));
        }
        for (day, text) in [(0, "1970-01-01"), (-1, "1969-12-31"), (11_016, "2000-02-29"), (47_540, "2100-02-28")] {
            assert_eq!(shown(day).0, format!("{text} 00:00:00"));
        }
        assert_eq!(days(&OracleTimestamp::new_timestamp(2026, 1, 1, 0, 0, 1, 0)), None);
    }

    #[test]
    fn times_read_plainly() {
        let time = OracleTimestamp::new_timestamp(2026, 1, 31, 23, 59, 58, 5_000_000);
        assert_eq!(time_text(&time), "2026-01-31 23:59:58.005000000");
    }

    #[test]
    fn output_values_are_declared_by_their_types() {
        use ValueType::{Cents, Day, Int, Text};
        let declared = [Int, Cents, Day, Text].map(|of| Bind::Out(of).value().db_type().name().to_owned());
        assert_eq!(declared, ["DB_TYPE_NUMBER", "DB_TYPE_NUMBER", "DB_TYPE_DATE", "DB_TYPE_VARCHAR"]);
    }

    proptest! {
        #[test]
        fn amounts_keep_every_hundredth(large in -999_999_999_999i64..=999_999_999_999, small in -200i64..200) {
            for cents in [large, small, small * 1_000_000, 0] {
                let Bind::Number(number) = Bind::cents(cents) else { panic!("{cents}") };
                let exact: f64 = number.to_string().parse().unwrap();
                prop_assert_eq!((exact * 100.0).round() as i64, cents, "{}", number);
            }
        }
    }
}
