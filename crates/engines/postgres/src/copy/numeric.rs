//! Hundredths as the server's `numeric`: digits of base 10,000 without zeros at either end.

const POSITIVE: u16 = 0;
const NEGATIVE: u16 = 0x4000;
/// `numeric(12,2)`: three digits of 10,000 before the point, one after it.
const MOST_DIGITS: usize = 4;

/// A `numeric(12,2)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Numeric {
    all: [u16; MOST_DIGITS],
    first: usize,
    end: usize,
    /// The first digit counts 10,000 to this power.
    weight: i16,
    sign: u16,
}

impl Numeric {
    pub(super) fn of_cents(cents: i64) -> Self {
        let size = cents.unsigned_abs();
        let whole = size / 100;
        let all = [
            (whole / 100_000_000 % 10_000) as u16,
            (whole / 10_000 % 10_000) as u16,
            (whole % 10_000) as u16,
            (size % 100 * 100) as u16,
        ];
        let Some(first) = all.iter().position(|digit| *digit != 0) else {
            return Self { all, first: 0, end: 0, weight: 0, sign: POSITIVE };
        };
        let end = all.iter().rposition(|digit| *digit != 0).map_or(0, |last| last + 1);
        let sign = if cents < 0 { NEGATIVE } else { POSITIVE };
        Self { all, first, end, weight: 2 - first as i16, sign }
    }

    /// Adds it with its length to a buffer.
    pub(super) fn write(&self, buffer: &mut Vec<u8>) {
        let digits = &self.all[self.first..self.end];
        buffer.extend_from_slice(&(8 + 2 * digits.len() as i32).to_be_bytes());
        for word in [digits.len() as u16, self.weight.cast_unsigned(), self.sign, 2] {
            buffer.extend_from_slice(&word.to_be_bytes());
        }
        digits.iter().for_each(|digit| buffer.extend_from_slice(&digit.to_be_bytes()));
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn amounts_keep_every_hundredth(amount in -999_999_999_999i64..=999_999_999_999, small in 0i64..200_000) {
            for cents_in in [amount, small, small * 10_000, 0] {
                let mut bytes = Vec::new();
                Numeric::of_cents(cents_in).write(&mut bytes);
                prop_assert_eq!(bytes.len() as i32 - 4, i32::from_be_bytes(bytes[..4].try_into().unwrap()));
                prop_assert_eq!(cents(&bytes[4..]), Some(cents_in));
            }
        }
    }
}
