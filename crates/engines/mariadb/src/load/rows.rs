//! Rows as parameters on their way to the server, and as values on their way back. On a small machine this work
//! competes with the server's own: whole numbers and days are never texts.

use dbdyno_engine::data::{FILLER_CHARS, Row, first_day};
use mysql::Value;

/// Columns of a row.
pub(crate) const COLUMNS: usize = 9;

/// A row as the parameters of an INSERT.
pub(crate) fn encode(row: &Row<'_>) -> [Value; COLUMNS] {
    [
        Value::Int(row.id),
        Value::Int(row.customer_id),
        Value::Int(row.ref_id),
        Value::Int(row.region),
        date(row.booked_on_days),
        Value::Int(row.quantity),
        Value::Bytes(amount(row.amount_cents)),
        Value::Bytes(row.status.into()),
        Value::Bytes(row.filler.into()),
    ]
}

/// Why values cannot be a row of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("row {id}: {column} is not as it was written")]
pub(crate) struct DamagedRow {
    /// The row, as far as it is known.
    id: i64,
    /// The column.
    column: &'static str,
}

/// The row that a row of the server's is.
///
/// # Errors
/// It is none of ours.
pub(crate) fn decode(row: &mysql::Row) -> Result<Row<'_>, DamagedRow> {
    let id = row.as_ref(0).and_then(number).ok_or(DamagedRow { id: 0, column: "id" })?;
    let damaged = |column| DamagedRow { id, column };
    let whole = |at, column| row.as_ref(at).and_then(number).ok_or(damaged(column));
    Ok(Row {
        id,
        customer_id: whole(1, "customer_id")?,
        ref_id: whole(2, "ref_id")?,
        region: whole(3, "region")?,
        booked_on_days: row.as_ref(4).and_then(days).ok_or(damaged("booked_on"))?,
        quantity: whole(5, "quantity")?,
        amount_cents: row.as_ref(6).and_then(cents).ok_or(damaged("amount"))?,
        status: row.as_ref(7).and_then(|value| text(value, 1)).ok_or(damaged("status"))?,
        filler: row.as_ref(8).and_then(|value| text(value, FILLER_CHARS)).ok_or(damaged("filler"))?,
    })
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        _ => None,
    }
}

/// The first year of all data.
const FIRST_YEAR: u64 = 2020;

/// A day, of 2020 or later, as the protocol has it.
fn date(days: i64) -> Value {
    // No month is shorter, so the guess is never too early; after 32 months it is two too late.
    let guess = (days - first_day(0)).max(0).unsigned_abs() / 28;
    let month = (0..=guess).rev().find(|month| first_day(*month) <= days).unwrap_or(0);
    let (year, day) = (FIRST_YEAR + month / 12, days - first_day(month) + 1);
    Value::Date(year as u16, (month % 12 + 1) as u8, day as u8, 0, 0, 0, 0)
}

/// Days since 1970-01-01, of days from 2020 on.
fn days(value: &Value) -> Option<i64> {
    let Value::Date(year, month @ 1..=12, day, 0, 0, 0, 0) = value else { return None };
    let month = u64::from(*year).checked_sub(FIRST_YEAR)? * 12 + u64::from(*month) - 1;
    Some(first_day(month) + i64::from(*day) - 1)
}

/// A `DECIMAL(12,2)` of so many hundredths: `-12345.67`.
fn amount(cents: i64) -> Vec<u8> {
    const LONGEST: usize = 22;
    let mut text = [0; LONGEST];
    let (mut first, mut rest) = (LONGEST, cents.unsigned_abs());
    let mut put = |byte| {
        first -= 1;
        text[first] = byte;
    };
    for place in 0.. {
        if place == 2 {
            put(b'.');
        }
        put(b'0' + (rest % 10) as u8);
        rest /= 10;
        if place >= 2 && rest == 0 {
            break;
        }
    }
    if cents < 0 {
        put(b'-');
    }
    text[first..].to_vec()
}

/// The hundredths of a `DECIMAL(12,2)`, which comes as text.
fn cents(value: &Value) -> Option<i64> {
    let Value::Bytes(text) = value else { return None };
    let (negative, digits) = match text.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, text.as_slice()),
    };
    let [whole @ .., b'.', tens, ones] = digits else { return None };
    if whole.is_empty() || whole.len() > 16 {
        return None;
    }
    let digit = |digit: &u8| digit.is_ascii_digit().then(|| i64::from(digit - b'0'));
    let cents = whole.iter().chain([tens, ones]).try_fold(0, |sum, next| Some(sum * 10 + digit(next)?))?;
    Some(if negative { -cents } else { cents })
}

fn text(value: &Value, length: usize) -> Option<&str> {
    match value {
        Value::Bytes(bytes) if bytes.len() == length => std::str::from_utf8(bytes).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::data::{Generator, iso_day};
    use dbdyno_model::Shape;
    use dbdyno_testkit::conformance::catalogue::size_t;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn amounts_keep_every_hundredth(cents_in in -999_999_999_999i64..=999_999_999_999, small in -200i64..200) {
            for cents_in in [cents_in, small, small * 1_000_000, 0] {
                let text = amount(cents_in);
                prop_assert_eq!(cents(&Value::Bytes(text.clone())), Some(cents_in));
                let (whole, part) = (cents_in.unsigned_abs() / 100, cents_in.unsigned_abs() % 100);
                let sign = if cents_in < 0 { "-" } else { "" };
                prop_assert_eq!(String::from_utf8(text).unwrap(), format!("{sign}{whole}.{part:02}"));
            }
        }

        #[test]
        fn what_a_server_sends_does_not_make_it_panic(text in "[-.0-9x]{0,24}") {
            _ = cents(&Value::Bytes(text.into_bytes()));
        }
    }

    #[test]
    fn days_are_those_of_the_calendar() {
        for day in first_day(0)..first_day(12 * 30) {
            let Value::Date(year, month, number, 0, 0, 0, 0) = date(day) else { panic!("{day}") };
            assert_eq!(format!("{year:04}-{month:02}-{number:02}"), iso_day(day));
            assert_eq!(days(&date(day)), Some(day));
        }
        for wrong in [Value::NULL, Value::Date(2019, 12, 31, 0, 0, 0, 0), Value::Date(2020, 1, 1, 1, 0, 0, 0)] {
            assert_eq!(days(&wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn a_row_is_the_same_on_both_ways() {
        let mut generator = Generator::new(&size_t(), Shape::Large, 42);
        for id in [1, 64, 3_200, 3_201, 102_400] {
            let row = generator.row(id);
            let [id, customer, reference, region, day, quantity, paid, status, filler] = encode(&row);
            assert_eq!([id, customer, reference].map(|v| number(&v)), [row.id, row.customer_id, row.ref_id].map(Some));
            assert_eq!([number(&region), number(&quantity)], [Some(row.region), Some(row.quantity)]);
            assert_eq!((days(&day), cents(&paid)), (Some(row.booked_on_days), Some(row.amount_cents)));
            assert_eq!((text(&status, 1), text(&filler, FILLER_CHARS)), (Some(row.status), Some(row.filler)));
        }
    }
}
