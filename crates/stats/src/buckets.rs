//! Counts of times by bucket, with the buckets of a [`Histogram`] and nothing else: the fastest way to count.

use crate::Histogram;

/// Bits that a time keeps, so that a bucket is narrower than a thousandth of its times.
const BITS: u32 = 11;
const HALF: usize = 1 << (BITS - 1);

/// The bucket of a time. Its number fits into two bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Bucket(u16);

impl Bucket {
    /// The number of buckets up to that of the longest time.
    pub(crate) const ALL: usize = Self::of(Histogram::HIGHEST_NS).0 as usize + 1;

    /// The bucket of a time in nanoseconds. Times below 2,048 ns have a bucket each; above, each doubling has 1,024.
    #[inline]
    pub(crate) const fn of(ns: u64) -> Self {
        let ns = if ns < Histogram::HIGHEST_NS { ns } else { Histogram::HIGHEST_NS };
        let doublings = (u64::BITS - BITS) - (ns | (2 * HALF as u64 - 1)).leading_zeros();
        Self((doublings as u16) * HALF as u16 + (ns >> doublings) as u16)
    }

    /// The shortest time of the bucket.
    pub(crate) fn lowest_ns(self) -> u64 {
        let at = usize::from(self.0);
        let doublings = (at / HALF).saturating_sub(1);
        ((at - doublings * HALF) as u64) << doublings
    }
}

/// How many times lie in each bucket.
#[derive(Debug)]
pub(crate) struct BucketCounts(Box<[u64; Bucket::ALL]>);

impl BucketCounts {
    /// Counts of nothing. A vector of zeros takes no memory for buckets that are never used.
    ///
    /// # Panics
    /// Never: the vector has the array's length.
    #[expect(clippy::expect_used, reason = "the vector has the array's length")]
    pub(crate) fn new() -> Self {
        Self(vec![0; Bucket::ALL].try_into().expect("the array's length"))
    }

    /// Counts one time.
    #[inline]
    pub(crate) fn count(&mut self, bucket: Bucket) {
        self.0[usize::from(bucket.0)] += 1;
    }

    /// Enters all times into a histogram.
    pub(crate) fn enter_into(&self, histogram: &mut Histogram) {
        for (at, times) in (0..).zip(self.0.iter()).filter(|(_, times)| **times > 0) {
            histogram.record_many_ns(Bucket(at).lowest_ns(), *times);
        }
    }

    /// The histogram of all times.
    pub(crate) fn histogram(&self) -> Histogram {
        let mut histogram = Histogram::new();
        self.enter_into(&mut histogram);
        histogram
    }

    /// Takes the counts of another.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.0.copy_from_slice(&*other.0);
    }

    /// The times that came since `earlier`.
    pub(crate) fn since(&self, earlier: &Self) -> Histogram {
        let mut histogram = Histogram::new();
        for (at, (now, before)) in (0..).zip(self.0.iter().zip(earlier.0.iter())) {
            let times = now.saturating_sub(*before);
            if times > 0 {
                histogram.record_many_ns(Bucket(at).lowest_ns(), times);
            }
        }
        histogram
    }

    /// Removes all times, but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.0.fill(0);
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn cells_are_those_of_a_histogram(
            times in proptest::collection::vec((0u32..64, any::<u64>()).prop_map(|(bits, ns)| ns >> bits), 0..200),
        ) {
            let (mut buckets, mut histogram) = (BucketCounts::new(), Histogram::new());
            for ns in times {
                buckets.count(Bucket::of(ns));
                histogram.record_ns(ns);
            }
            prop_assert_eq!(buckets.histogram(), histogram);
            buckets.clear();
            prop_assert_eq!(buckets.histogram(), Histogram::new());
        }
    }

    #[test]
    fn neighbours_at_each_doubling_are_told_apart_as_a_histogram_does() {
        for ns in
            (0..44).flat_map(|power| (1u64 << power) - 1..=(1 << power) + 1).chain([0, 3_600_000_000_000, u64::MAX])
        {
            let mut one = Histogram::new();
            one.record_ns(ns);
            let lowest_ns = Bucket::of(ns).lowest_ns();
            assert_eq!(one.min_ns(), Some(lowest_ns), "{ns}");
            assert_eq!(Bucket::of(lowest_ns), Bucket::of(ns));
        }
    }
}
