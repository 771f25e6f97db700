//! Values on their way to a database, and on their way back. They lie one after the other in memory that is used again, so
//! that a transaction takes none of its own.

/// A value. What a database answers with is nothing, a whole number or a text, as every database writes all else as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// None.
    Null,
    /// A whole number.
    Int(i64),
    /// A day, by its distance from 1970-01-01.
    Day(i32),
    /// Hundredths: 1250 is 12.50.
    Cents(i64),
    /// Anything else: `Smith`.
    Text(&'a str),
}

/// Hundredths in digits: 1250 is `12.50`.
#[must_use]
pub fn cents_text(cents: i64) -> String {
    let (sign, all) = (if cents < 0 { "-" } else { "" }, cents.unsigned_abs());
    format!("{sign}{}.{:02}", all / 100, all % 100)
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
    kept: Vec<Kept>,
    texts: String,
}

/// A value; a text ends there in all texts, and begins where the one before it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    Null,
    Int(i64),
    Day(i32),
    Cents(i64),
    Text { from: usize, to: usize },
}

impl Values {
    /// No values.
    #[must_use]
    pub const fn new() -> Self {
        Self { kept: Vec::new(), texts: String::new() }
    }

    /// Forgets all values, and keeps the memory.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.texts.clear();
    }

    /// Adds a value.
    pub fn push<'v>(&mut self, value: impl Into<Value<'v>>) -> &mut Self {
        let kept = match value.into() {
            Value::Null => Kept::Null,
            Value::Int(number) => Kept::Int(number),
            Value::Day(days) => Kept::Day(days),
            Value::Cents(cents) => Kept::Cents(cents),
            Value::Text(text) => {
                let from = self.texts.len();
                self.texts.push_str(text);
                Kept::Text { from, to: self.texts.len() }
            }
        };
        self.kept.push(kept);
        self
    }

    /// These whole numbers and nothing else.
    pub fn set(&mut self, numbers: &[i64]) -> &mut Self {
        self.clear();
        self.kept.extend(numbers.iter().map(|number| Kept::Int(*number)));
        self
    }

    /// How many they are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The value at a place, 0 first.
    #[must_use]
    pub fn get(&self, at: usize) -> Option<Value<'_>> {
        Some(match *self.kept.get(at)? {
            Kept::Null => Value::Null,
            Kept::Int(number) => Value::Int(number),
            Kept::Day(days) => Value::Day(days),
            Kept::Cents(cents) => Value::Cents(cents),
            Kept::Text { from, to } => Value::Text(&self.texts[from..to]),
        })
    }

    /// All of them.
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
    pub fn clear(&mut self) {
        self.rows = 0;
        self.values.clear();
    }

    /// Begins a row: what is pushed from now on are its values, as many as every other row has.
    pub fn begin_row(&mut self) -> &mut Values {
        self.rows += 1;
        &mut self.values
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// A value of a row, both counted from 0.
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
        match self.get(row, column)? {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The sum of all whole numbers (wrapping), so that no row can be left out unseen.
    #[must_use]
    pub fn sum(&self) -> u64 {
        let numbers = self.values.kept.iter().map(|kept| if let Kept::Int(number) = kept { *number } else { 0 });
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
