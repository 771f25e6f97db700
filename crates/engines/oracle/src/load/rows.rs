//! Rows as values on their way to the server, and on their way back. Whole numbers and days are never texts.

use super::super::connection::{Bind, days};
use dbdyno_engine::data::{FILLER_CHARS, Row};
use oracledb::OracleTimestamp;

/// Columns of a row.
pub(super) const COLUMNS: usize = 9;

/// Rows that wait to be sent in one message. Their texts are kept here, because the generator makes each in the same
/// place.
#[derive(Debug, Default)]
pub(super) struct Batch {
    numbers: Vec<[i64; 7]>,
    /// Status and filler of each row, all of one length.
    texts: String,
}

/// Bytes of a row's texts.
const TEXT_BYTES: usize = 1 + FILLER_CHARS;

impl Batch {
    /// Adds a row. Its texts have the lengths that every row's have.
    pub(super) fn add(&mut self, row: &Row<'_>) {
        let Row { id, customer_id, ref_id, region, booked_on_days, quantity, amount_cents, status, filler } = *row;
        self.numbers.push([id, customer_id, ref_id, region, booked_on_days, quantity, amount_cents]);
        self.texts.push_str(status);
        self.texts.push_str(filler);
    }

    /// How many there are.
    pub(super) fn rows(&self) -> usize {
        self.numbers.len()
    }

    /// Forgets them, and keeps the room.
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.texts.clear();
    }

    /// The values, row by row.
    pub(super) fn values(&self) -> Vec<Bind<'_>> {
        let mut values = Vec::with_capacity(self.numbers.len() * COLUMNS);
        for (n, [id, customer, reference, region, day, quantity, cents]) in self.numbers.iter().enumerate() {
            let texts = self.texts.get(n * TEXT_BYTES..(n + 1) * TEXT_BYTES).unwrap_or_default();
            let (status, filler) = texts.split_at_checked(1).unwrap_or_default();
            values.extend([id, customer, reference, region].map(|number| Bind::Int(*number)));
            values.extend([Bind::day(*day), Bind::Int(*quantity), Bind::cents(*cents)]);
            values.extend([Bind::Text(status), Bind::Text(filler)]);
        }
        values
    }
}

/// Why values cannot be a row of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("row {id}: {column} is not as it was written")]
pub(in super::super) struct DamagedRow {
    /// The row, as far as it is known.
    id: i64,
    /// The column.
    column: &'static str,
}

/// The row that a row of the server's is.
///
/// # Errors
/// It is none of ours.
pub(in super::super) fn decode(row: &oracledb::Row) -> Result<Row<'_>, DamagedRow> {
    let id = row.get::<i64>(0).map_err(|_| DamagedRow { id: 0, column: "id" })?;
    let damaged = |column| DamagedRow { id, column };
    let whole = |at: usize, column| row.get::<i64>(at).map_err(|_| damaged(column));
    let text = |at: usize, length: usize, column| match row.get::<&str>(at) {
        Ok(text) if text.len() == length => Ok(text),
        _ => Err(damaged(column)),
    };
    let day = row.get::<OracleTimestamp>(4).ok().and_then(|time| days(&time));
    let amount = row.get::<String>(6).ok().and_then(|amount| cents(&amount));
    Ok(Row {
        id,
        customer_id: whole(1, "customer_id")?,
        ref_id: whole(2, "ref_id")?,
        region: whole(3, "region")?,
        booked_on_days: day.ok_or(damaged("booked_on"))?,
        quantity: whole(5, "quantity")?,
        amount_cents: amount.ok_or(damaged("amount"))?,
        status: text(7, 1, "status")?,
        filler: text(8, FILLER_CHARS, "filler")?,
    })
}

/// The hundredths of a number as text: the server leaves out zeros at both ends (`.5`, `12`).
fn cents(text: &str) -> Option<i64> {
    let (negative, digits) = match text.trim().strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.trim()),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + part.len() == 0 || whole.len() > 15 || part.len() > 2 {
        return None;
    }
    let all = format!("{whole}{part:0<2}");
    let plain = all.bytes().all(|digit| digit.is_ascii_digit());
    let cents: i64 = plain.then(|| all.parse().ok())??;
    Some(if negative { -cents } else { cents })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::data::Generator;
    use dbdyno_model::Shape;
    use dbdyno_testkit::conformance::catalogue::size_t;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn amounts_keep_every_hundredth(amount in -999_999_999_999i64..=999_999_999_999) {
            let (whole, part) = (amount.unsigned_abs() / 100, amount.unsigned_abs() % 100);
            let sign = if amount < 0 { "-" } else { "" };
            let full = format!("{sign}{whole}.{part:02}");
            prop_assert_eq!(cents(&full), Some(amount));
            // As the server shortens it.
            let short = full.trim_end_matches('0').trim_end_matches('.').replacen("0.", ".", usize::from(whole == 0));
            if amount != 0 {
                prop_assert_eq!(cents(&short), Some(amount), "{}", short);
            }
        }

        #[test]
        fn what_a_server_sends_does_not_make_it_panic(text in "[-.0-9x]{0,24}") {
            _ = cents(&text);
        }
    }

    #[test]
    fn no_other_text_is_an_amount() {
        assert_eq!((cents("0"), cents("12"), cents("-.5"), cents("1.2")), (Some(0), Some(1_200), Some(-50), Some(120)));
        for wrong in ["", "-", ".", "1.234", "1e5", "--1", "1234567890123456"] {
            assert_eq!(cents(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_batch_keeps_the_texts_of_each_row() {
        let mut generator = Generator::new(&size_t(), Shape::Large, 42);
        let mut batch = Batch::default();
        for _ in 0..2 {
            batch.clear();
            for id in [1, 64, 3_200, 102_400] {
                batch.add(&generator.row(id));
            }
            assert_eq!(batch.rows(), 4);
        }
        let values = batch.values();
        assert_eq!(values.len(), 4 * COLUMNS);
        for (n, id) in [1, 64, 3_200, 102_400].into_iter().enumerate() {
            let row = generator.row(id);
            let sent = &values[n * COLUMNS..(n + 1) * COLUMNS];
            assert!(matches!(sent[0], Bind::Int(sent) if sent == row.id));
            assert!(matches!(sent[3], Bind::Int(sent) if sent == row.region));
            assert!(matches!(sent[7], Bind::Text(sent) if sent == row.status), "{id}");
            assert!(matches!(sent[8], Bind::Text(sent) if sent == row.filler), "{id}");
            let Bind::Time(day) = sent[4] else { panic!("{sent:?}") };
            assert_eq!(days(&day), Some(row.booked_on_days));
            let Bind::Number(amount) = sent[6] else { panic!("{sent:?}") };
            assert_eq!(cents(&amount.to_string()), Some(row.amount_cents));
        }
    }
}
