//! Sums as databases give them: exact, and of more digits than 64 bits hold. dbdyno's own sums wrap there, so
//! connections reduce what a call or a statement gives back modulo 2^64, all by this function.

/// A sum as a driver gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sum<'a> {
    /// A number.
    Number(i128),
    /// Decimal digits, perhaps with a sign before them.
    Digits(&'a [u8]),
}

impl From<i64> for Sum<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

impl From<i128> for Sum<'_> {
    fn from(number: i128) -> Self {
        Self::Number(number)
    }
}

impl<'a> From<&'a [u8]> for Sum<'a> {
    fn from(digits: &'a [u8]) -> Self {
        Self::Digits(digits)
    }
}

impl<'a> From<&'a str> for Sum<'a> {
    fn from(digits: &'a str) -> Self {
        Self::Digits(digits.as_bytes())
    }
}

/// A sum modulo 2^64, also one below zero; nothing where it is no whole number.
#[inline]
pub fn modulo_2_64<'a>(sum: impl Into<Sum<'a>>) -> Option<u64> {
    match sum.into() {
        Sum::Number(number) => Some((number & i128::from(u64::MAX)) as u64),
        Sum::Digits(text) => {
            let (negative, digits) = match text {
                [b'-', digits @ ..] => (true, digits),
                digits => (false, digits),
            };
            if digits.is_empty() {
                return None;
            }
            let sum = digits.iter().try_fold(0_u64, |sum, digit| {
                digit.is_ascii_digit().then(|| sum.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
            })?;
            Some(if negative { sum.wrapping_neg() } else { sum })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sums_wrap_at_2_64() {
        for (text, expected) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", Some(0)),
            ("18446744073709551623", Some(7)),
            ("-1", Some(u64::MAX)),
            ("-18446744073709551617", Some(u64::MAX)),
            ("-9223372036854775808", Some(1 << 63)),
            // 10^38 - 1 and 10^65 - 1: the most that NUMBER and DECIMAL(65) hold.
            ("99999999999999999999999999999999999999", Some(687_399_551_400_673_279)),
            ("99999999999999999999999999999999999999999999999999999999999999999", Some(u64::MAX)),
            ("", None),
            ("-", None),
            ("+1", None),
            ("1.0", None),
            (" 1", None),
            ("1e3", None),
        ] {
            assert_eq!(modulo_2_64(text), expected, "{text}");
        }
        assert_eq!(modulo_2_64(Sum::Number(u64::MAX.into())), Some(u64::MAX));
        assert_eq!(modulo_2_64(i64::MIN), Some(1 << 63));
        assert_eq!(modulo_2_64(i128::from(u64::MAX) + 8), Some(7));
        assert_eq!(modulo_2_64(i128::MIN), Some(0));
    }

    proptest! {
        #[test]
        fn digits_and_numbers_are_reduced_alike(number in any::<i128>()) {
            let expected = number.rem_euclid(1 << 64) as u64;
            prop_assert_eq!(modulo_2_64(number), Some(expected));
            prop_assert_eq!(modulo_2_64(number.to_string().as_str()), Some(expected));
        }

        /// A sum of sums is what all of them are together, whatever their lengths: `high * 10^27 + low`.
        #[test]
        fn digits_beyond_128_bits_are_reduced(high in 1..=10_u128.pow(38) - 1, low in 0..10_u128.pow(27)) {
            let text = format!("{high}{low:027}");
            let modulus = 1_u128 << 64;
            let expected = (high % modulus * (10_u128.pow(27) % modulus) % modulus + low) % modulus;
            prop_assert_eq!(modulo_2_64(text.as_str()), Some(expected as u64));
            let negative = (modulus - expected) % modulus;
            prop_assert_eq!(modulo_2_64(format!("-{text}").as_str()), Some(negative as u64));
        }
    }
}
