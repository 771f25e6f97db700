//! Axes: the range of a chart, and the numbers at its edge. Positions are plain numbers: the logarithm of a degree of
//! parallelism, or of a time.

use crate::numbers::duration;

/// How values are placed on an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    /// Linear.
    Linear,
    /// A step is a doubling: degrees of parallelism.
    Log2,
    /// A step is a factor of ten: times of very different lengths.
    Log10,
}

impl Scale {
    /// The position of a value; `None` for a value without a logarithm.
    pub(crate) fn place(self, value: f64) -> Option<f64> {
        let place = match self {
            Self::Linear => value,
            Self::Log2 => value.log2(),
            Self::Log10 => value.log10(),
        };
        place.is_finite().then_some(place)
    }
}

/// One axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Axis {
    pub(crate) scale: Scale,
    /// The first position.
    pub(crate) from: f64,
    pub(crate) to: f64,
    /// Positions and their labels.
    pub(crate) ticks: Vec<(f64, String)>,
}

/// How an axis over some values is made.
pub(crate) type AxisOf = fn(Vec<f64>) -> Axis;

/// The most labels at an axis.
const MOST_TICKS: usize = 9;
/// How many lengths of an axis a position may lie before its beginning.
const FAR_OUTSIDE: f64 = 1_000.0;

impl Axis {
    /// Degrees of parallelism: a tick at each measured one, fewer where there are many.
    pub(crate) fn dops(values: impl IntoIterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.into_iter().filter(|v| *v > 0.0 && v.is_finite()).collect();
        values.sort_unstable_by(f64::total_cmp);
        let (first, last) = (values.first().copied().unwrap_or(1.0), values.last().copied().unwrap_or(1.0));
        let margin = ((last / first).log2() * 0.04).max(0.08);
        let (from, to) = (first.log2() - margin, last.log2() + margin);
        // Labels that would touch each other are left out, and so are equal ones; powers of two are kept.
        let room = (to - from) / MOST_TICKS as f64;
        let mut ticks: Vec<(f64, String)> = Vec::new();
        let (powers, others): (Vec<f64>, Vec<f64>) = values.into_iter().partition(|v| v.log2().fract() == 0.0);
        for value in powers.into_iter().chain(others) {
            let place = value.log2();
            if ticks.iter().all(|(other, _)| (place - other).abs() >= room) {
                ticks.push((place, format!("{value:.0}")));
            }
        }
        ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
        Self { scale: Scale::Log2, from, to, ticks }
    }

    /// Amounts from zero on. `text` formats one, in the unit that suits the largest.
    pub(crate) fn amounts(values: impl IntoIterator<Item = f64>) -> Self {
        let highest = values.into_iter().filter(|v| v.is_finite()).fold(0.0, f64::max);
        let highest = if highest > 0.0 { highest } else { 1.0 };
        let step = nice_step(highest / 4.0);
        let steps = (highest * 1.02 / step).ceil();
        Self::steps(0.0, steps, step, highest)
    }

    /// A tick at each step from the first to the last; the highest amount chooses the unit.
    fn steps(first: f64, last: f64, step: f64, highest: f64) -> Self {
        let values = (0..=(last - first) as u32).map(|n| (first + f64::from(n)) * step);
        let ticks = values.map(|value| (value, amount(value, step, highest))).collect();
        Self { scale: Scale::Linear, from: first * step, to: last * step, ticks }
    }

    /// Amounts that lie close together: the axis begins near the lowest of them, so that a small change is seen. Where
    /// they do not, from zero on.
    pub(crate) fn around(values: impl IntoIterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.into_iter().filter(|v| v.is_finite()).collect();
        let lowest = values.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = values.iter().copied().fold(0.0, f64::max);
        // So much is between them at least: noise of a few per mille is not to fill the chart.
        let span = (highest - lowest).max(highest * 0.05);
        if values.is_empty() || lowest - span < highest * 0.3 {
            return Self::amounts(values);
        }
        let step = nice_step(span / 4.0);
        let first = ((lowest - span * 0.1) / step).floor();
        let last = ((highest + span * 0.1) / step).ceil();
        Self::steps(first, last, step, highest)
    }

    /// Places in an order, from 1.
    pub(crate) fn places(values: impl IntoIterator<Item = f64>) -> Self {
        let last = values.into_iter().filter(|v| v.is_finite()).fold(1.0, f64::max);
        let step = nice_step(last / 6.0).max(1.0).floor();
        let ticks = (1..=(last / step) as u32).map(|n| f64::from(n) * step);
        let ticks = std::iter::once(1.0).filter(|_| step > 1.0).chain(ticks);
        let ticks = ticks.map(|place| (place, format!("{place:.0}"))).collect();
        Self { scale: Scale::Linear, from: 0.5, to: last + 0.5, ticks }
    }

    /// Percentages, whatever the values are.
    pub(crate) fn percent(_: impl IntoIterator<Item = f64>) -> Self {
        let ticks = [0.0, 25.0, 50.0, 75.0, 100.0].map(|value| (value, format!("{value:.0} %")));
        Self { scale: Scale::Linear, from: 0.0, to: 100.0, ticks: ticks.into() }
    }

    /// Times in seconds from zero on, all ticks in one unit.
    pub(crate) fn times(values: impl IntoIterator<Item = f64>) -> Self {
        let highest = values.into_iter().filter(|v| v.is_finite()).fold(0.0, f64::max);
        let (unit, factor) = unit_of(highest);
        let mut axis = Self::amounts([highest * factor]);
        for (place, text) in axis.ticks.iter_mut().skip(1) {
            (*place, *text) = (*place / factor, format!("{text} {unit}"));
        }
        Self { to: axis.to / factor, ..axis }
    }

    /// Times in seconds over whole decades.
    pub(crate) fn decades(values: impl IntoIterator<Item = f64>) -> Self {
        let places: Vec<f64> = values.into_iter().filter_map(|v| Scale::Log10.place(v)).collect();
        let from = places.iter().copied().reduce(f64::min).map_or(-3.0, f64::floor);
        let to = places.iter().copied().reduce(f64::max).map_or(0.0, f64::ceil).max(from + 1.0);
        let ticks = (from as i32..=to as i32).map(|n| (f64::from(n), decade(n)));
        Self { scale: Scale::Log10, from, to, ticks: ticks.collect() }
    }

    /// Where a position stands between two coordinates of a drawing.
    pub(crate) fn map(&self, place: f64, (low, high): (i32, i32)) -> i32 {
        // A position very far outside the chart is invisible anyway.
        let share = ((place - self.from) / (self.to - self.from)).clamp(-FAR_OUTSIDE, FAR_OUTSIDE);
        low + (f64::from(high - low) * share).round() as i32
    }
}

/// The unit that suits a time in seconds, and how many of them a second has.
fn unit_of(time_s: f64) -> (&'static str, f64) {
    match time_s {
        s if s >= 1.0 => ("s", 1.0),
        s if s >= 1e-3 => ("ms", 1e3),
        s if s >= 1e-6 => ("µs", 1e6),
        _ => ("ns", 1e9),
    }
}

/// The label of a power of ten seconds.
fn decade(n: i32) -> String {
    let time_s = 10f64.powi(n);
    let (unit, factor) = unit_of(time_s);
    if n < 0 { format!("{:.0} {unit}", time_s * factor) } else { duration(time_s).replace(".00", "").replace(".0", "") }
}

/// The next larger of 1, 2, 2.5, 5 and 10 times a power of ten.
fn nice_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0].into_iter().find(|n| n * power >= least * 0.999).unwrap_or(10.0);
    step * power
}

/// An amount in thousands, millions or units, with as many decimals as the step needs.
fn amount(value: f64, step: f64, highest: f64) -> String {
    let (suffix, unit) = match highest {
        h if h >= 1e9 => ("G", 1e9),
        h if h >= 1e6 => ("M", 1e6),
        h if h >= 1e4 => ("k", 1e3),
        _ => ("", 1.0),
    };
    let step = step / unit;
    let decimals = (0..6).find(|n| (step * 10f64.powi(*n)).fract().abs() < 1e-6).unwrap_or(6) as usize;
    if value == 0.0 { "0".to_owned() } else { format!("{:.decimals$}{suffix}", value / unit) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(axis: &Axis) -> Vec<&str> {
        axis.ticks.iter().map(|(_, text)| text.as_str()).collect()
    }

    #[test]
    fn what_lies_far_outside_is_put_outside_and_nowhere_else() {
        let axis = Axis::amounts([10.0]);
        assert_eq!((axis.map(0.0, (30, 930)), axis.map(axis.to, (30, 930))), (30, 930));
        for (place, outside) in [(1e308, 930..i32::MAX), (f64::INFINITY, 930..i32::MAX), (-1e308, i32::MIN..30)] {
            assert!(outside.contains(&axis.map(place, (30, 930))), "{place}");
        }
        axis.map(f64::NAN, (30, 930));
    }

    #[test]
    fn amounts_begin_at_zero_and_hold_the_highest() {
        for (highest, expected) in [
            (98_000_000.0, vec!["0", "25M", "50M", "75M", "100M"]),
            (6_510.0, vec!["0", "2000", "4000", "6000", "8000"]),
            (13_330.0, vec!["0", "5k", "10k", "15k"]),
            (0.3, vec!["0", "0.1", "0.2", "0.3", "0.4"]),
        ] {
            let axis = Axis::amounts([1.0_f64.min(highest), highest]);
            assert_eq!(texts(&axis), expected, "{highest}");
            assert!(axis.to >= highest);
        }
        assert_eq!(texts(&Axis::amounts([])), ["0", "0.25", "0.50", "0.75", "1.00", "1.25"]);
    }

    #[test]
    fn times_have_one_unit() {
        assert_eq!(texts(&Axis::times([6.4e-7, 9e-7])), ["0", "250 ns", "500 ns", "750 ns", "1000 ns"]);
        assert_eq!(texts(&Axis::times([0.0031])), ["0", "1 ms", "2 ms", "3 ms", "4 ms"]);
    }

    #[test]
    fn decades_are_whole() {
        assert_eq!(texts(&Axis::decades([2e-6, 0.8])), ["1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms", "1 s"]);
        assert_eq!(texts(&Axis::decades([0.02, 90.0])), ["10 ms", "100 ms", "1 s", "10 s", "100 s"]);
    }

    #[test]
    fn many_degrees_of_parallelism_are_thinned_out() {
        assert_eq!(texts(&Axis::dops([4.0, 1.0, 2.0, 2.0])), ["1", "2", "4"]);
        let many = Axis::dops((1..=64).map(f64::from));
        assert!(many.ticks.len() <= MOST_TICKS + 1, "{many:?}");
    }
}
