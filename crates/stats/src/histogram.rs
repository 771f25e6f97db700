//! Times in nanoseconds with three significant digits; histograms can be merged and stored (HdrHistogram V2 format, not
//! compressed).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram as Hdr;
use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::OnceLock;

/// Why a stored histogram cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HistogramError {
    /// The bytes are not an HdrHistogram.
    #[error("the stored histogram cannot be read: {0}")]
    Unreadable(String),
    /// The histogram cannot be written.
    #[error("the histogram cannot be stored: {0}")]
    Unwritable(String),
}

/// What stands before the counts: magic number, length of the counts, offset, digits, both bounds, ratio.
type Head = [u8; 40];

/// Every recorded time, with three significant digits.
#[derive(Clone, PartialEq)]
pub struct Histogram(Hdr<u64>);

/// Shows the content, not the many thousand buckets.
impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Histogram");
        shown.field("count", &self.count()).field("p50_ns", &self.percentile_ns(50.0));
        shown.field("max_ns", &self.max_ns()).finish()
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    pub(crate) const HIGHEST_NS: u64 = 3_600_000_000_000;
    /// More times than anyone can have measured; sums of counts stay far from the end of their type.
    const MOST_TIMES: u64 = 1 << 53;

    /// An empty histogram from 1 ns to one hour; longer times count as one hour.
    ///
    /// # Panics
    /// Never: the bounds are constants that the library accepts.
    #[must_use]
    #[expect(clippy::expect_used, reason = "constant bounds that HdrHistogram accepts")]
    pub fn new() -> Self {
        Self(Hdr::new_with_bounds(1, Self::HIGHEST_NS, 3).expect("constant bounds"))
    }

    /// Records one time.
    pub fn record_ns(&mut self, ns: u64) {
        self.0.saturating_record(ns.min(Self::HIGHEST_NS));
    }

    /// Records the same time `n` times.
    pub fn record_many_ns(&mut self, ns: u64, n: u64) {
        self.0.saturating_record_n(ns.min(Self::HIGHEST_NS), n);
    }

    /// Adds all of another histogram's times.
    pub fn merge(&mut self, other: &Self) {
        // Bounds are the same everywhere, so this cannot fail.
        let _ = self.0.add(&other.0);
    }

    /// Whether it contains all times of another histogram.
    #[cfg(test)]
    pub(crate) fn holds(&self, other: &Self) -> bool {
        self.0.clone().subtract(&other.0).is_ok()
    }

    /// Removes all times, but keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.0.reset();
    }

    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.0.distinct_values() * size_of::<u64>()
    }

    /// Number of recorded times.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// Mean in nanoseconds; `None` when empty.
    #[must_use]
    pub fn mean_ns(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.0.mean())
    }

    /// The time that `pct` percent of all times do not exceed; `None` when empty.
    #[must_use]
    pub fn percentile_ns(&self, pct: f64) -> Option<u64> {
        (self.count() > 0).then(|| self.0.value_at_percentile(pct))
    }

    /// The same percentile if there were `longer` more times, all longer than the recorded ones. `None` also where the
    /// percentile is one of those.
    #[must_use]
    pub fn percentile_with_longer_ns(&self, pct: f64, longer: u64) -> Option<u64> {
        if longer == 0 {
            return self.percentile_ns(pct);
        }
        let (count, all) = (self.count(), self.count() + longer);
        // Rounding errors must not move a whole number to the next rank.
        let rank = ((pct / 100.0 * all as f64 - 1e-9).ceil() as u64).max(1);
        let share = || (rank as f64 - 0.5) / count as f64;
        (rank <= count).then(|| self.0.value_at_quantile(share()))
    }

    /// The shortest time; `None` when empty.
    #[must_use]
    pub fn min_ns(&self) -> Option<u64> {
        (self.count() > 0).then(|| self.0.min())
    }

    /// Standard deviation in nanoseconds; `None` when empty.
    #[must_use]
    pub fn std_dev_ns(&self) -> Option<f64> {
        (self.count() > 0).then(|| self.0.stdev())
    }

    /// Counts of the times below the first of these ascending bounds, from each bound to below the next, and from the
    /// last bound on: one count more than bounds. Together they count every time once.
    #[must_use]
    pub fn counts_between_ns(&self, bounds_ns: &[u64]) -> Vec<u64> {
        let mut counts = vec![0; bounds_ns.len() + 1];
        for value in self.0.iter_recorded() {
            // A time above the longest possible one was recorded as the longest.
            let time_ns = self.0.lowest_equivalent(value.value_iterated_to());
            counts[bounds_ns.partition_point(|bound| *bound <= time_ns)] += value.count_at_value();
        }
        counts
    }

    /// The longest time; `None` when empty.
    #[must_use]
    pub fn max_ns(&self) -> Option<u64> {
        (self.count() > 0).then(|| self.0.max())
    }

    /// Counts in `per_decade` bins a decade, each with the bin's lower end in nanoseconds, from the first bin to the
    /// last bin that is not empty. Bins are equally wide on a logarithmic scale.
    #[must_use]
    pub fn bins(&self, per_decade: u32) -> Vec<(f64, u64)> {
        let width = 1.0 / f64::from(per_decade.max(1));
        let mut bins: Vec<(i64, u64)> = Vec::new();
        for value in self.0.iter_recorded() {
            let bin = ((value.value_iterated_to().max(1) as f64).log10() / width).floor() as i64;
            match bins.last_mut() {
                Some((last, count)) if *last == bin => *count += value.count_at_value(),
                last => {
                    let next = last.map_or(bin, |(last, _)| *last + 1);
                    bins.extend((next..bin).map(|empty| (empty, 0)));
                    bins.push((bin, value.count_at_value()));
                }
            }
        }
        bins.into_iter().map(|(bin, count)| (10f64.powf(bin as f64 * width), count)).collect()
    }

    /// The histogram as bytes.
    ///
    /// # Errors
    /// The library refuses, which it does only for sizes that cannot occur here.
    pub fn encode(&self) -> Result<Vec<u8>, HistogramError> {
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&self.0, &mut bytes).map_err(|e| HistogramError::Unwritable(e.to_string()))?;
        Ok(bytes)
    }

    /// A histogram from bytes.
    ///
    /// # Errors
    /// The bytes are no histogram of these bounds.
    pub fn decode(bytes: &[u8]) -> Result<Self, HistogramError> {
        // The library allocates whatever the head claims, so the claims are checked first.
        Self::counts_of(bytes)?;
        let hdr: Hdr<u64> = Deserializer::new().deserialize(&mut &bytes[..]).map_err(|e| unreadable(&e.to_string()))?;
        Self::may_hold(hdr.len())?;
        Ok(Self(hdr))
    }

    /// The counts among a histogram's bytes, after its head.
    ///
    /// # Errors
    /// The head is not that of a histogram of these bounds, or claims another length.
    pub(crate) fn counts_of(bytes: &[u8]) -> Result<&[u8], HistogramError> {
        let (head, counts) = bytes.split_first_chunk().ok_or_else(|| unreadable("it ends in its head"))?;
        let claims = |head: &Head| [&head[..4], &head[8..]].concat();
        if claims(&Self::head()?) != claims(head) {
            return Err(unreadable("its form or its bounds are not dbdyno's"));
        }
        let claimed_bytes = u32::from_be_bytes([head[4], head[5], head[6], head[7]]);
        if usize::try_from(claimed_bytes) != Ok(counts.len()) {
            return Err(unreadable(&format!("it has {} bytes of counts and claims {claimed_bytes}", counts.len())));
        }
        Ok(counts)
    }

    /// The bytes of a histogram with these counts, without a look at them.
    ///
    /// # Errors
    /// The counts take more bytes than the head can say.
    pub(crate) fn with_counts(counts: &[u8]) -> Result<Vec<u8>, HistogramError> {
        let mut head = Self::head()?;
        let bytes = u32::try_from(counts.len()).map_err(|e| HistogramError::Unwritable(e.to_string()))?;
        head[4..8].copy_from_slice(&bytes.to_be_bytes());
        Ok([&head, counts].concat())
    }

    /// Refuses more times than anyone can have measured.
    pub(crate) fn may_hold(times: u64) -> Result<(), HistogramError> {
        if times > Self::MOST_TIMES { Err(unreadable("it holds more times than anything takes")) } else { Ok(()) }
    }

    /// The head of an empty histogram, which the library makes with all its buckets: once.
    fn head() -> Result<Head, HistogramError> {
        static HEAD: OnceLock<Head> = OnceLock::new();
        if let Some(head) = HEAD.get() {
            return Ok(*head);
        }
        let empty = Self::new().encode()?;
        let head = empty.first_chunk().ok_or_else(|| unreadable("an empty one has no head"))?;
        Ok(*HEAD.get_or_init(|| *head))
    }
}

fn unreadable(why: &str) -> HistogramError {
    HistogramError::Unreadable(why.to_owned())
}

/// As the text of its bytes in base64.
impl Serialize for Histogram {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = self.encode().map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&STANDARD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(serde::de::Error::custom)?;
        Self::decode(&bytes).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(times: &[u64]) -> Histogram {
        let mut h = Histogram::new();
        times.iter().for_each(|t| h.record_ns(*t));
        h
    }

    fn merged(a: &Histogram, b: &Histogram) -> Histogram {
        let mut sum = a.clone();
        sum.merge(b);
        sum
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn merging_is_associative_and_loses_nothing(
            a in proptest::collection::vec(1u64..10_000_000_000, 0..50),
            b in proptest::collection::vec(1u64..10_000_000_000, 0..50),
            c in proptest::collection::vec(1u64..10_000_000_000, 0..50),
        ) {
            let (ha, hb, hc) = (of(&a), of(&b), of(&c));
            let left = merged(&merged(&ha, &hb), &hc);
            let right = merged(&ha, &merged(&hb, &hc));
            prop_assert_eq!(&left, &right);
            let whole = of(&[a, b, c].concat());
            prop_assert_eq!(&left, &whole);
            let text = serde_json::to_string(&left).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Histogram>(&text).unwrap(), &left);
            prop_assert_eq!(Histogram::decode(&left.encode().unwrap()).unwrap(), left);
        }

        #[test]
        fn counts_between_bounds_are_all_times_once(
            times in proptest::collection::vec(1u64..10_000_000_000_000, 0..200),
            powers in proptest::collection::btree_set(0u32..44, 0..20),
        ) {
            let bounds: Vec<u64> = powers.into_iter().map(|power| 1 << power).collect();
            let h = of(&times);
            let mut truth = vec![0; bounds.len() + 1];
            for time in &times {
                let kept = (*time).min(Histogram::HIGHEST_NS);
                truth[bounds.iter().filter(|bound| **bound <= kept).count()] += 1;
            }
            // A power of two begins a bucket, so even the neighbours of the bounds are counted exactly.
            prop_assert_eq!(h.counts_between_ns(&bounds), truth);
            let least = times.iter().min().map(|ns| *ns as f64);
            let near = h.min_ns().zip(least).is_none_or(|(read, ns)| (read as f64 - ns).abs() <= ns * 0.001 + 1.0);
            prop_assert!(near || least.is_some_and(|ns| ns > Histogram::HIGHEST_NS as f64));
        }

        #[test]
        fn percentiles_keep_three_digits(times in proptest::collection::vec(1u64..10_000_000_000, 1..200)) {
            let h = of(&times);
            let mut sorted = times;
            sorted.sort_unstable();
            let median = sorted[(sorted.len() - 1) / 2] as f64;
            let read = h.percentile_ns(50.0).unwrap() as f64;
            prop_assert!((read - median).abs() <= median * 0.001 + 1.0, "{} {}", read, median);
        }
    }

    #[test]
    fn what_took_longer_than_any_moves_the_percentiles() {
        let h = of(&(1..=990).collect::<Vec<_>>());
        let at = |pct, longer| h.percentile_with_longer_ns(pct, longer);
        assert_eq!(at(50.0, 0), h.percentile_ns(50.0));
        assert_eq!((at(50.0, 10), at(99.0, 10), at(99.1, 10)), (Some(500), Some(990), None));
        assert_eq!((at(99.0, 9), at(99.0, 11)), (Some(990), None), "the 990th of 999, the 991st of 1,001");
        assert_eq!(Histogram::new().percentile_with_longer_ns(50.0, 5), None);
        let mut many = Histogram::new();
        many.record_many_ns(7, 3);
        assert_eq!(many, of(&[7, 7, 7]));
    }

    #[test]
    fn an_empty_histogram_says_nothing() {
        let h = Histogram::new();
        assert_eq!((h.count(), h.mean_ns(), h.percentile_ns(99.0), h.max_ns()), (0, None, None, None));
        assert_eq!((h.min_ns(), h.std_dev_ns(), h.counts_between_ns(&[5])), (None, None, vec![0, 0]));
    }

    #[test]
    fn bins_hold_every_time_where_it_lies() {
        let h = of(&[100, 105, 150, 990, 1_000, 40_000]);
        let bins = h.bins(1);
        let ends: Vec<f64> = bins.iter().map(|(from_ns, _)| from_ns.round()).collect();
        assert_eq!(ends, [100.0, 1_000.0, 10_000.0]);
        assert_eq!(bins.iter().map(|(_, n)| *n).collect::<Vec<_>>(), [4, 1, 1]);
        let fine = h.bins(10);
        assert_eq!(fine.iter().map(|(_, n)| n).sum::<u64>(), 6);
        assert!(fine.windows(2).all(|w| w[0].0 < w[1].0) && fine.iter().any(|(_, n)| *n == 0));
        assert!(Histogram::new().bins(10).is_empty());
    }

    #[test]
    fn damaged_bytes_are_refused() {
        let refused = |bytes: &[u8]| Histogram::decode(bytes).unwrap_err().to_string();
        assert!(refused(b"").contains("ends in its head") && refused(&[7; 40]).contains("its form"));
        let sound = of(&[1, 1_000, 1_000_000]).encode().unwrap();
        assert!(Histogram::decode(&sound).is_ok());
        let with = |at: usize, bytes: &[u8]| {
            let mut changed = sound.clone();
            changed[at..at + bytes.len()].copy_from_slice(bytes);
            changed
        };
        // Four bytes that claim 4 GiB of counts.
        assert!(refused(&with(4, &[0xff; 4])).contains("claims 4294967295"));
        assert!(refused(&sound[..sound.len() - 1]).contains("bytes of counts"));
        // Bounds and digits decide how much memory a histogram takes; a compressed histogram may grow without limit.
        for (at, bytes) in [(15, [5].as_slice()), (23, &[2]), (24, &[0x7f; 8]), (3, &[0x94])] {
            assert!(refused(&with(at, bytes)).contains("its form or its bounds"), "{at}");
        }
        let mut many = Histogram::new();
        (0..3).for_each(|n| many.record_many_ns(1_000 << n, i64::MAX as u64));
        assert!(refused(&many.encode().unwrap()).contains("more times"));
    }
}
