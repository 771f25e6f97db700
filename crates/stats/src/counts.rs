//! Stored histograms, merged without being made whole. A step of a window has few different times, and a whole
//! histogram tens of thousands of buckets: parts of a thousand hosts have many thousand steps.

use crate::buckets::Bucket;
use crate::{Histogram, HistogramError};
use std::cmp::Ordering;

/// The counts of a stored histogram, of those buckets alone that have any, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Counts(Vec<(u16, u64)>);

impl Counts {
    /// The counts of a histogram's bytes.
    ///
    /// # Errors
    /// The bytes are no histogram of dbdyno's.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, HistogramError> {
        let unreadable = |why: &str| HistogramError::Unreadable(why.to_owned());
        let mut rest = Histogram::counts_of(bytes)?;
        let (mut counts, mut next, mut times) = (Vec::new(), 0_u64, 0_u64);
        while !rest.is_empty() {
            let number = read_number(&mut rest).ok_or_else(|| unreadable("its counts are cut off, or too large"))?;
            if number > 0 {
                counts.push((u16::try_from(next).unwrap_or(u16::MAX), number.unsigned_abs()));
                times = times.saturating_add(number.unsigned_abs());
            }
            // A negative number is of so many empty buckets; one alone is zero.
            next += if number < 0 { number.unsigned_abs() } else { 1 };
            if next > Bucket::ALL as u64 {
                return Err(unreadable("it has more buckets than dbdyno's"));
            }
        }
        Histogram::may_hold(times)?;
        Ok(Self(counts))
    }

    /// How many times they count.
    pub(crate) fn total(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// Adds all times of others.
    ///
    /// # Errors
    /// There would be more than a histogram may hold.
    pub(crate) fn add(&mut self, others: &Self) -> Result<(), HistogramError> {
        Histogram::may_hold(self.total() + others.total())?;
        let mut sum = Vec::with_capacity(self.0.len() + others.0.len());
        let (mut ours, mut theirs) = (&*self.0, &*others.0);
        while let ([one, our_rest @ ..], [other, their_rest @ ..]) = (ours, theirs) {
            match one.0.cmp(&other.0) {
                Ordering::Less => (ours, _) = (our_rest, sum.push(*one)),
                Ordering::Greater => (theirs, _) = (their_rest, sum.push(*other)),
                Ordering::Equal => (ours, theirs, _) = (our_rest, their_rest, sum.push((one.0, one.1 + other.1))),
            }
        }
        sum.extend_from_slice(ours);
        sum.extend_from_slice(theirs);
        self.0 = sum;
        Ok(())
    }

    /// Whether they contain all times of others.
    pub(crate) fn hold(&self, others: &Self) -> bool {
        let count = |bucket| self.0.binary_search_by_key(bucket, |(own, _)| *own).map_or(0, |at| self.0[at].1);
        others.0.iter().all(|(bucket, needed)| count(bucket) >= *needed)
    }

    /// The histogram as bytes.
    ///
    /// # Errors
    /// The counts take more bytes than the head can say.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, HistogramError> {
        let (mut bytes, mut next) = (Vec::with_capacity(4 * self.0.len()), 0);
        for (bucket, count) in &self.0 {
            match i64::from(bucket - next) {
                0 => {}
                1 => write_number(0, &mut bytes),
                empty => write_number(-empty, &mut bytes),
            }
            write_number(count.cast_signed(), &mut bytes);
            next = bucket + 1;
        }
        Histogram::with_counts(&bytes)
    }
}

/// Bits of a number that fit into a byte.
const BITS: u32 = 7;

/// The next number. Its sign is in the lowest bit. A byte has seven bits of it, the lowest first, and its highest bit
/// is set where more follow. None where it is cut off, or has nine bytes: no histogram of dbdyno's holds so much.
fn read_number(bytes: &mut &[u8]) -> Option<i64> {
    let (mut number, mut shift) = (0_u64, 0);
    while shift <= u64::BITS - 2 * BITS {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed());
        }
        shift += BITS;
    }
    None
}

fn write_number(number: i64, bytes: &mut Vec<u8>) {
    let mut rest = ((number << 1) ^ (number >> 63)).cast_unsigned();
    while rest >= 1 << BITS {
        bytes.push((rest & 0x7f) as u8 | 0x80);
        rest >>= BITS;
    }
    bytes.push(rest as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn times() -> impl Strategy<Value = Vec<(u64, u64)>> {
        let count = prop_oneof![1u64..300, Just(1u64 << 40)];
        proptest::collection::vec((prop_oneof![0u64..3_000, 1u64..10_000_000_000_000], count), 0..100)
    }

    fn histogram(times: &[(u64, u64)]) -> Histogram {
        let mut of = Histogram::new();
        times.iter().for_each(|(ns, n)| of.record_many_ns(*ns, *n));
        of
    }

    proptest! {
        /// Byte for byte what the library makes of whole histograms.
        #[test]
        fn counts_merge_as_histograms_do(a in times(), b in times()) {
            let (mut whole, other) = (histogram(&a), histogram(&b));
            let read = |of: &Histogram| Counts::read(&of.encode().unwrap()).unwrap();
            let (mut counts, others) = (read(&whole), read(&other));
            prop_assert_eq!(counts.hold(&others), whole.holds(&other));
            counts.add(&others).unwrap();
            whole.merge(&other);
            prop_assert_eq!(counts.total(), whole.count());
            prop_assert!(counts.hold(&others) && whole.holds(&other));
            if whole.count() > 0 {
                prop_assert_eq!(counts.encode().unwrap(), whole.encode().unwrap());
            }
        }

        /// What is altered anywhere is refused, or read as the library reads it.
        #[test]
        fn altered_bytes_are_read_as_the_library_reads_them(
            a in times(), at in any::<prop::sample::Index>(), byte in any::<u8>()
        ) {
            let mut bytes = histogram(&a).encode().unwrap();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            if let Ok(counts) = Counts::read(&bytes) {
                let whole = Histogram::decode(&bytes).unwrap();
                prop_assert_eq!(counts.total(), whole.count());
                prop_assert_eq!(counts, Counts::read(&whole.encode().unwrap()).unwrap());
            }
        }
    }

    #[test]
    fn more_times_than_anything_takes_are_refused() {
        let mut many = Histogram::new();
        many.record_many_ns(5, (1 << 53) - 1);
        let mut counts = Counts::read(&many.encode().unwrap()).unwrap();
        let more = counts.clone();
        assert!(counts.add(&more).unwrap_err().to_string().contains("more times"));
        assert_eq!(counts, more);
        many.record_many_ns(5, 2);
        assert!(Counts::read(&many.encode().unwrap()).unwrap_err().to_string().contains("more times"));
        many.record_many_ns(7, 1 << 62);
        assert!(Counts::read(&many.encode().unwrap()).unwrap_err().to_string().contains("cut off"));
    }
}
