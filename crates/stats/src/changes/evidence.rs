//! How well a segment shows that there is another level within it.

use super::noise::{Noise, median, steady_square};
use super::stretch::{LEAST_LEVEL, Shape, Stretch};
use crate::SplitMix64;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// A change that noise alone would show more often than this is none.
pub(super) const MOST_BY_CHANCE: f64 = 0.01;
/// A level that normal noise shows less often than this is one in any noise.
const BEYOND_DOUBT: f64 = 1e-7;
/// Values further than this from the median, in standard deviations of the noise, count as if they were there.
const FURTHEST: f64 = 4.0;
/// Inside, stretches of each length up to this are looked at, and then of lengths that grow by an eighth.
const EACH_LENGTH: usize = 16;
/// A place that gains this share of the most, more than any within so many steps, may be better if it is shown better
/// by this factor. With so many standard errors the best place is evident.
const NEARLY: f64 = 0.75;
const PEAK: usize = 8;
const CLEARLY: f64 = 1.05;
const EVIDENT: f64 = 8.0;
/// Fewer steps have too few orders to show what happens once in a hundred.
const LEAST_ORDERED: usize = 16;
/// So many orders of a segment are looked at in doubt, besides its own.
const ORDERS: usize = 499;

/// Logarithms that differ by less than this are the same level, however still the figures are: nobody cares for 0.05 %.
const LEAST_CHANGE: f64 = 5e-4;
/// Measured in detail, noise is less than what two means leave, but in standard deviations hardly by more than this
/// factor.
const LESS_NOISE: f64 = 1.3;

/// The values of a segment, around zero.
pub(super) struct Segment {
    values: Vec<f64>,
    /// Of the values before each, and of all.
    sums: Vec<f64>,
    squares: f64,
}

impl Segment {
    /// Few values that lie far out are no level, so they are brought closer.
    pub(super) fn of(values: &[f64]) -> Self {
        let middle = median(values);
        let furthest = FURTHEST * steady_square(values.iter().map(|value| (value - middle).abs()).collect()).sqrt();
        let closer = |value: &f64| {
            let away = value - middle;
            if furthest > 0.0 { away.clamp(-furthest, furthest) } else { away }
        };
        let mut values: Vec<f64> = values.iter().map(closer).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.iter_mut().for_each(|value| *value -= mean);
        let squares = values.iter().map(|value| value * value).sum();
        let mut segment = Self { sums: vec![0.0; values.len() + 1], values, squares };
        segment.add_up();
        segment
    }

    fn add_up(&mut self) {
        let mut sum = 0.0;
        for (value, until) in self.values.iter().zip(&mut self.sums[1..]) {
            sum += value;
            *until = sum;
        }
    }

    fn n(&self) -> usize {
        self.values.len()
    }

    /// By how much two means instead of one reduce the sum of squares.
    fn gain(&self, stretch: Stretch) -> f64 {
        (self.sums[stretch.to] - self.sums[stretch.from]).powi(2) * self.factor(stretch.len())
    }

    /// What the square of a stretch's sum gains, as all values have a mean of zero.
    fn factor(&self, length: usize) -> f64 {
        self.n() as f64 / (length * (self.n() - length)) as f64
    }

    /// Where two levels may meet, and what that gains.
    fn borders(&self) -> impl Iterator<Item = (usize, f64)> {
        let gain = |at: usize| self.sums[at].powi(2) * self.factor(at);
        (LEAST_LEVEL..(self.n() + 1).saturating_sub(LEAST_LEVEL)).map(move |at| (at, gain(at)))
    }

    /// Where two levels meet best: where their means leave the least squares. Where noise grows, that is drawn towards
    /// the wilder side; so of places that do nearly as well, one that the noise around it shows clearly better is
    /// taken.
    pub(super) fn best_border(&self) -> Option<usize> {
        let gains: Vec<(usize, f64)> = self.borders().collect();
        let (best, most) = gains.iter().copied().max_by(|a, b| a.1.total_cmp(&b.1))?;
        let t = |at: usize| self.t(Stretch { from: at, to: self.n() }).0;
        let evident = t(best);
        if evident > EVIDENT {
            return Some(best);
        }
        let is_peak = |i: usize| {
            let around = &gains[i.saturating_sub(PEAK)..(i + PEAK + 1).min(gains.len())];
            gains[i].1 >= NEARLY * most && around.iter().all(|(_, gain)| *gain <= gains[i].1)
        };
        let peaks = (0..gains.len()).filter(|i| is_peak(*i)).map(|i| (gains[i].0, t(gains[i].0)));
        let other = peaks.max_by(|a, b| a.1.total_cmp(&b.1));
        other.filter(|(_, t)| *t > CLEARLY * evident).map(|(at, _)| at).or(Some(best))
    }

    /// The best stretch of each shape.
    fn best(&self) -> [Option<Stretch>; 3] {
        let mut best = Shape::ALL.map(|_| None);
        let mut most = Shape::ALL.map(|_| -1.0);
        for (at, gain) in self.borders() {
            let stretch = Stretch { from: at, to: self.n() };
            let shape = stretch.shape(self.n()) as usize;
            if gain > most[shape] {
                (most[shape], best[shape]) = (gain, Some(stretch));
            }
        }
        best[Shape::Inside as usize] = self.best_inside();
        best
    }

    fn best_inside(&self) -> Option<Stretch> {
        let n = self.n();
        let mut best: Option<(f64, Stretch)> = None;
        let mut length = LEAST_LEVEL;
        while length + 2 * LEAST_LEVEL <= n {
            let last = n - LEAST_LEVEL - length;
            let sums = || self.sums[LEAST_LEVEL..=last].iter().zip(&self.sums[LEAST_LEVEL + length..]);
            let most = sums().map(|(from, to)| (to - from).abs()).fold(0.0, f64::max);
            let gain = most * most * self.factor(length);
            if best.is_none_or(|(other, _)| gain > other) {
                let from = sums().position(|(from, to)| (to - from).abs() >= most).map(|skipped| LEAST_LEVEL + skipped);
                best = from.map(|from| (gain, Stretch { from, to: from + length }));
            }
            length += if length < EACH_LENGTH { 1 } else { length / 8 };
        }
        best.map(|(_, stretch)| stretch)
    }

    /// The stretch that is shown best.
    pub(super) fn strongest(&self) -> Option<Stretch> {
        let chances = self.best().into_iter().flatten().map(|stretch| (self.in_normal_noise(stretch), stretch));
        chances.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, stretch)| stretch)
    }

    /// How often noise alone has a stretch that is shown as well.
    pub(super) fn p_value(&self, stretch: Stretch) -> f64 {
        let p_value = self.in_normal_noise(stretch);
        let in_doubt = self.n() >= LEAST_ORDERED && (BEYOND_DOUBT..MOST_BY_CHANCE).contains(&p_value);
        if in_doubt { p_value.max(self.in_other_orders(p_value)) } else { p_value }
    }

    /// The same for normal noise, whose neighbours may have something in common.
    fn in_normal_noise(&self, stretch: Stretch) -> f64 {
        let (t, degrees) = self.t(stretch);
        let tail = StudentsT::new(0.0, 1.0, degrees).map_or(1.0, |student| 2.0 * student.sf(t));
        (tail * stretch.shape(self.n()).rivals(self.n())).min(1.0)
    }

    /// By how many standard errors the means inside and outside differ, and with how many degrees of freedom these are
    /// known.
    fn t(&self, stretch: Stretch) -> (f64, f64) {
        let n = self.n();
        // Logarithms of equal figures differ by rounding alone.
        if self.squares <= 1e-24 * n as f64 {
            return (0.0, 1.0);
        }
        let sum = self.sums[stretch.to] - self.sums[stretch.from];
        let (inside, outside) = (sum / stretch.len() as f64, -sum / (n - stretch.len()) as f64);
        if (inside - outside).abs() < LEAST_CHANGE {
            return (0.0, 1.0);
        }
        let noise = Noise::of(&self.values, stretch, inside, outside);
        let least = 1e-12 * self.squares / n as f64;
        ((inside - outside).abs() / noise.of_difference(stretch, n).max(least).sqrt(), noise.degrees)
    }

    /// In which share of random orders of these values any stretch is shown as well. This holds for noise of any kind,
    /// if neighbours have nothing in common. An order that has been read from its end is the same.
    fn in_other_orders(&self, p_value: f64) -> f64 {
        let n = self.n();
        let Ok(student) = StudentsT::new(0.0, 1.0, (n - 2) as f64) else { return 1.0 };
        // Most orders are far from it, which is seen without measuring their noise in detail.
        let needed = Shape::ALL.map(|shape| student.inverse_cdf(1.0 - p_value / shape.rivals(n) / 2.0) / LESS_NOISE);
        let mut order = Self { values: self.values.clone(), sums: self.sums.clone(), squares: self.squares };
        order.values.sort_unstable_by(f64::total_cmp);
        let mut random = SplitMix64::new(1);
        let mut as_well = 0;
        for _ in 0..ORDERS {
            for i in (1..n).rev() {
                order.values.swap(i, random.below(i as u64 + 1) as usize);
            }
            order.add_up();
            let is_shown = |(stretch, needed): (Stretch, f64)| {
                let gain = order.gain(stretch);
                gain * (n - 2) as f64 > needed * needed * (order.squares - gain)
                    && order.in_normal_noise(stretch) <= p_value
            };
            let best = order.best().into_iter().zip(needed);
            as_well += usize::from(best.filter_map(|(stretch, needed)| Some((stretch?, needed))).any(is_shown));
            // More orders do not make it rarer.
            if (as_well + 1) as f64 >= MOST_BY_CHANCE * (ORDERS + 1) as f64 {
                return MOST_BY_CHANCE;
            }
        }
        // The order itself is one of them (Phipson and Smyth 2010).
        (as_well + 1) as f64 / (ORDERS + 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::changes::tests::Kind;

    /// How often normal noise passes the bound of each shape, in percent, and any of them. `Shape::rivals` is chosen by
    /// this, so that the sum stays below 1: for white noise of any length, and from 100 steps on also for noise whose
    /// neighbours have a correlation of 0.3.
    /// `cargo test --release -p dbdyno-stats --lib -- --ignored --nocapture table_of_bounds`.
    #[test]
    #[ignore = "a table to look at, of a minute"]
    fn table_of_bounds() {
        println!("steps, correlation: new, border, inside, any");
        for n in [6, 7, 8, 10, 12, 15, 20, 25, 30, 35, 50, 70, 100, 140, 200, 300, 500, 1_000, 2_000] {
            for kind in [Kind::White, Kind::Correlated(0.3)] {
                let series = (4_000_000 / n).min(20_000);
                let mut random = SplitMix64::new(n as u64);
                let mut passed = [0; 4];
                for _ in 0..series {
                    let segment = Segment::of(&kind.noise(&mut random, n));
                    let best = segment.best().map(|s| s.is_some_and(|s| segment.in_normal_noise(s) < MOST_BY_CHANCE));
                    let any = [best.contains(&true)];
                    best.iter().chain(&any).zip(&mut passed).for_each(|(is, passed)| *passed += usize::from(*is));
                }
                let pct = passed.map(|passed| format!("{:5.2}", 100.0 * f64::from(passed as u32) / series as f64));
                println!("{n:5} {:15} {}", format!("{kind:?}"), pct.join(" "));
                let any_pct = 100.0 * passed[3] as f64 / series as f64;
                // One standard error is 0.2 % in the longest series.
                assert!(any_pct <= 1.4 || kind != Kind::White && n < 100, "{n} {kind:?}: {any_pct} %");
            }
        }
    }
}
