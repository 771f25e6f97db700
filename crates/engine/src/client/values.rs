//! Values on their way to a database, and on their way back. They lie one after the other in memory that is used again,
//! so that a transaction takes none of its own.

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
    pub(super) kept: Vec<ValueOf<(usize, usize)>>,
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
        self.kept.iter().map(|kept| kept.map_text(|(from, to)| &self.texts[from..to]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
