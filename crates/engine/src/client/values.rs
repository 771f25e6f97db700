//! Values on their way to a database, and on their way back. They lie one after the other in memory that is used again,
//! so that a transaction takes none of its own.

use super::ValueType;
use crate::{EngineError, modulo_2_64};

/// A value. What a database answers with is nothing, a whole number or a text, as every database writes all else as
/// text; an output value of a call is what the call says.
pub type Value<'a> = ValueOf<&'a str>;

/// A value, with a text as `T` has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueOf<T> {
    /// None.
    Null,
    /// A whole number.
    Int(i64),
    /// A day, by its distance from 1970-01-01.
    Day(i32),
    /// Hundredths: 1250 is 12.50.
    Cents(i64),
    /// Anything else: `Smith`.
    Text(T),
}

impl<T> ValueOf<T> {
    /// The same value with its text as something else.
    #[inline]
    fn map_text<U>(self, of: impl FnOnce(T) -> U) -> ValueOf<U> {
        match self {
            Self::Null => ValueOf::Null,
            Self::Int(number) => ValueOf::Int(number),
            Self::Day(days) => ValueOf::Day(days),
            Self::Cents(cents) => ValueOf::Cents(cents),
            Self::Text(text) => ValueOf::Text(of(text)),
        }
    }
}

/// Hundredths in digits: 1250 is `12.50`.
#[must_use]
pub fn cents_text(cents: i64) -> String {
    let (sign, all) = (if cents < 0 { "-" } else { "" }, cents.unsigned_abs());
    format!("{sign}{}.{:02}", all / 100, all % 100)
}

/// Hundredths from digits: `12.5`, `12.50` and `12.500` are 1250, and `-.5` is -50; nothing where there are
/// thousandths.
#[must_use]
pub fn cents_from(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let part = part.trim_end_matches('0');
    if (whole.is_empty() && !digits.contains('.')) || digits == "." || part.len() > 2 {
        return None;
    }
    let mut cents = 0_i64;
    for digit in whole.bytes().chain(part.bytes()).chain(std::iter::repeat_n(b'0', 2 - part.len())) {
        let digit = digit.is_ascii_digit().then(|| i64::from(digit - b'0'))?;
        // Below zero there is one more.
        cents = cents.checked_mul(10)?.checked_sub(digit)?;
    }
    if digits.len() < text.len() { Some(cents) } else { cents.checked_neg() }
}

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

/// Values, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Values {
    /// Of a text: where it begins in all texts, and where it ends.
    kept: Vec<ValueOf<(usize, usize)>>,
    texts: String,
}

impl Values {
    /// No values.
    #[must_use]
    pub const fn new() -> Self {
        Self { kept: Vec::new(), texts: String::new() }
    }

    /// Forgets all values, and keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.kept.clear();
        self.texts.clear();
    }

    /// Adds a value.
    #[inline]
    pub fn push<'v>(&mut self, value: impl Into<Value<'v>>) -> &mut Self {
        let kept = value.into().map_text(|text| {
            let from = self.texts.len();
            self.texts.push_str(text);
            (from, self.texts.len())
        });
        self.kept.push(kept);
        self
    }

    /// These whole numbers and nothing else.
    #[inline]
    pub fn set(&mut self, numbers: &[i64]) -> &mut Self {
        self.clear();
        self.kept.extend(numbers.iter().map(|number| ValueOf::Int(*number)));
        self
    }

    /// How many they are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there is none.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The value at a place, 0 first.
    #[inline]
    #[must_use]
    pub fn get(&self, at: usize) -> Option<Value<'_>> {
        Some(self.kept.get(at)?.map_text(|(from, to)| &self.texts[from..to]))
    }

    /// All of them.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = Value<'_>> {
        (0..self.len()).filter_map(|at| self.get(at))
    }
}

/// The rows that a statement answered with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    rows: usize,
    values: Values,
}

impl Answer {
    /// No rows.
    pub const NONE: &'static Self = &Self { rows: 0, values: Values::new() };

    /// Forgets all rows, and keeps the memory.
    #[inline]
    pub fn clear(&mut self) {
        self.rows = 0;
        self.values.clear();
    }

    /// Begins a row: what is pushed from now on are its values, as many as every other row has.
    #[inline]
    pub fn begin_row(&mut self) -> &mut Values {
        self.rows += 1;
        &mut self.values
    }

    /// How many rows there are.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A value of a row, both counted from 0.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> Option<Value<'_>> {
        let columns = self.values.len().checked_div(self.rows)?;
        let there = row < self.rows && column < columns;
        self.values.get(row * columns + column).filter(|_| there)
    }

    /// A whole number of a row, if it is one; some databases write sums as text.
    #[must_use]
    pub fn int(&self, row: usize, column: usize) -> Option<i64> {
        match self.get(row, column)? {
            Value::Int(number) => Some(number),
            Value::Text(text) => text.parse().ok(),
            Value::Null | Value::Day(_) | Value::Cents(_) => None,
        }
    }

    /// A text of a row, if it is one.
    #[must_use]
    pub fn text(&self, row: usize, column: usize) -> Option<&str> {
        if let Value::Text(text) = self.get(row, column)? { Some(text) } else { None }
    }

    /// A sum of a row, modulo 2^64, if it is one: a whole number, or the digits of one that may have more than 64 bits.
    #[must_use]
    pub fn sum_at(&self, row: usize, column: usize) -> Option<u64> {
        match self.get(row, column)? {
            Value::Int(number) => modulo_2_64(number),
            Value::Text(digits) => modulo_2_64(digits),
            Value::Null | Value::Day(_) | Value::Cents(_) => None,
        }
    }

    /// Reads the answer to a call: its values become those of their types. Where there are no output values nothing is
    /// done.
    ///
    /// # Errors
    /// It is not one row with these values.
    #[inline]
    pub fn read_outputs(&mut self, outputs: &[ValueType], work: &str, statement: usize) -> Result<(), EngineError> {
        if outputs.is_empty() { Ok(()) } else { self.read_call(outputs, work, statement) }
    }

    fn read_call(&mut self, outputs: &[ValueType], work: &str, statement: usize) -> Result<(), EngineError> {
        let unclear = |what: String| {
            EngineError::other(format!("{work}: the call that is statement {statement} {what}"))
        };
        let (rows, columns) = (self.rows, self.values.len().checked_div(self.rows).unwrap_or(0));
        if (rows, columns) != (1, outputs.len()) {
            let expected = outputs.len();
            return Err(unclear(format!("answers with {rows} rows of {columns} values, and not one of {expected}")));
        }
        for (at, output) in outputs.iter().enumerate() {
            let value = self.values.get(at).unwrap_or(Value::Null);
            let read = output.of(value).ok_or_else(|| {
                unclear(format!("gives {value:?} as output value {}, which is no {output:?}", at + 1))
            })?;
            match read {
                Value::Int(number) => self.values.kept[at] = ValueOf::Int(number),
                Value::Day(days) => self.values.kept[at] = ValueOf::Day(days),
                Value::Cents(cents) => self.values.kept[at] = ValueOf::Cents(cents),
                // They lie there.
                Value::Null | Value::Text(_) => {}
            }
        }
        Ok(())
    }

    /// The sum of all whole numbers (wrapping), so that no row can be left out unseen.
    #[inline]
    #[must_use]
    pub fn sum(&self) -> u64 {
        let numbers = self.values.kept.iter().map(|kept| if let ValueOf::Int(number) = kept { *number } else { 0 });
        numbers.fold(0, |sum: u64, number| sum.wrapping_add(number.cast_unsigned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rows_have_their_own_values() {
        let mut answer = Answer::default();
        assert_eq!((answer.rows(), answer.get(0, 0)), (0, None));
        answer.begin_row().push(1).push("one").push(Value::Null);
        answer.begin_row().push(-2).push("").push("x");
        assert_eq!((answer.rows(), answer.int(0, 0), answer.int(1, 0)), (2, Some(1), Some(-2)));
        assert_eq!((answer.text(0, 1), answer.text(1, 1), answer.text(1, 2)), (Some("one"), Some(""), Some("x")));
        assert_eq!((answer.get(0, 2), answer.get(0, 3), answer.get(3, 0)), (Some(Value::Null), None, None));
        assert_eq!((answer.text(0, 0), answer.int(0, 1)), (None, None));
        answer.begin_row().push("7").push("").push("x");
        assert_eq!(answer.int(2, 0), Some(7), "a sum that came as text");
        assert_eq!(answer.sum(), 1_u64.wrapping_sub(2));
        answer.clear();
        assert_eq!((answer.rows(), answer.sum()), (0, 0));
        assert_eq!(answer.get(0, 0), None);
    }

    #[test]
    fn an_answer_to_a_call_is_one_row_of_its_output_values() {
        use ValueType::{Cents, Day, Int, Text};
        let mut answer = Answer::default();
        answer.begin_row().push("-3").push("2026-01-31").push("12.5").push("x").push(Value::Null);
        answer.read_outputs(&[Int, Day, Cents, Text, Int], "w", 0).unwrap();
        let expected = [Value::Int(-3), Value::Day(20_484), Value::Cents(1250), Value::Text("x"), Value::Null];
        assert_eq!(answer.values.iter().collect::<Vec<_>>(), expected);
        assert_eq!((answer.rows(), answer.sum()), (1, 3_u64.wrapping_neg()));
        let mut says = |outputs: &[ValueType]| answer.read_outputs(outputs, "w", 7).unwrap_err().message;
        let said = says(&[Int, Day, Cents, Int, Int]);
        assert_eq!(said, "w: the call that is statement 7 gives Text(\"x\") as output value 4, which is no Int");
        let said = says(&[Int]);
        assert_eq!(said, "w: the call that is statement 7 answers with 1 rows of 5 values, and not one of 1");
        answer.clear();
        assert!(answer.read_outputs(&[Int], "w", 7).unwrap_err().message.contains("0 rows of 0 values"));
        answer.read_outputs(&[], "w", 7).unwrap();
    }

    #[test]
    fn sums_may_have_more_than_64_bits() {
        let mut answer = Answer::default();
        answer.begin_row().push("18446744073709551617").push(-1).push(Value::Null).push("x");
        assert_eq!([0, 1, 2, 3].map(|at| answer.sum_at(0, at)), [Some(1), Some(u64::MAX), None, None]);
    }

    #[test]
    fn hundredths_are_read_exactly() {
        for (text, cents) in [
            ("12", Some(1_200)),
            ("-.5", Some(-50)),
            ("0.07", Some(7)),
            ("7.", Some(700)),
            ("1.2300", Some(123)),
            ("92233720368547758.07", Some(i64::MAX)),
            ("92233720368547758.08", None),
            ("-92233720368547758.08", Some(i64::MIN)),
            ("1.005", None),
            ("", None),
            ("-", None),
            (".", None),
            ("1,5", None),
            ("--1", None),
        ] {
            assert_eq!(cents_from(text), cents, "{text}");
        }
    }

    #[test]
    fn values_are_used_again_without_new_memory() {
        let mut values = Values::new();
        values.push(1).push("a text that takes some room");
        let room = (values.kept.capacity(), values.texts.capacity());
        for n in 0..100 {
            values.clear();
            values.push(n).push("another one, as long");
        }
        assert_eq!((values.kept.capacity(), values.texts.capacity()), room);
        assert_eq!(values.set(&[7, 8]).iter().collect::<Vec<_>>(), [Value::Int(7), Value::Int(8)]);
    }

    proptest! {
        #[test]
        fn hundredths_keep_their_value(cents in any::<i64>()) {
            prop_assert_eq!(cents_from(&cents_text(cents)), Some(cents));
        }

        #[test]
        fn what_goes_in_comes_out(given in prop::collection::vec(prop::option::of(prop_oneof![
            any::<i64>().prop_map(Ok), ".{0,12}".prop_map(Err)
        ]), 0..20)) {
            let given: Vec<Value<'_>> = given.iter().map(|value| match value {
                None => Value::Null,
                Some(Ok(number)) => Value::Int(*number),
                Some(Err(text)) => Value::Text(text),
            }).collect();
            let mut values = Values::new();
            for value in &given {
                values.push(*value);
            }
            prop_assert_eq!(values.iter().collect::<Vec<_>>(), given);
        }
    }
}
