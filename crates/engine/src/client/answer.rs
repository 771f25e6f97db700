//! What a statement answered with: rows of values, or the output values of a call.

use super::{Value, ValueOf, ValueType, Values};
use crate::{EngineError, modulo_2_64};

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
        let unclear =
            |what: String| EngineError::other(format!("{work}: the call that is statement {statement} {what}"));
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
}
