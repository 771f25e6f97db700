//! At which runs of a series the level changed, and which runs only left it.
//!
//! The method is E-divisive means (Matteson and James 2014, "A nonparametric approach for multiple change point
//! analysis of multivariate data"), which MongoDB, DataStax's Hunter (Fleming et al. 2023) and Apache Otava use for
//! series of benchmarks: a series is divided where an energy statistic of the two parts is largest, then each part
//! again, as long as chance does not explain it. Then each border moves to where its two levels meet best, and must be
//! shown by these two alone, as in Hunter. It differs in these points:
//!
//! - Errors of rates are factors, so logarithms are taken. A step is the mean of its figures: runs of one label share
//!   what their day did to them.
//! - The exponent of the energy statistic is 2. Then it compares means alone, and sums replace all distances between
//!   pairs. With less than 2 it also answers to a change of spread, which is not reported.
//! - Besides two parts, a stretch inside is compared with what is around it (Olshen et al. 2004, "Circular binary
//!   segmentation"). A loss that was repaired hardly shows in two parts.
//! - Neighbours are correlated, and orders of a series do not show how often waves look like levels. So the statistic
//!   is divided by its standard error, with the correlation that remains around the levels (at most what differences of
//!   neighbours show: further levels look like correlation, too), and its bound is that of normal noise with a
//!   correlation of 0.3, by simulation. In fewer than 100 steps this would hide too much, so the bound falls to that of
//!   white noise.
//! - Orders decide in doubt: where normal noise shows a level in less than 1 of 100 series, random orders must not show
//!   it more often either (Besag and Clifford 1991: they end when that is decided). So skew and wild noise raise no
//!   false alarms. They are the same each time, and are not asked where evidence is beyond doubt.
//! - The noise is that around the border, as it changes over years, and values far out are brought closer.
//! - The steps at an end compete with few others, so a new level is found soon: half of all false alarms are spent
//!   there.
//!
//! One or two steps that left their level and returned are outliers; three are a level. So are three at the end, while
//! one or two there are outliers that have not returned. A slow drift is reported as several changes in one direction.
//!
//! `changes/tests` has the rates of false alarms and of changes found, and compares with Otava.

mod borders;
mod evidence;
mod excursions;
mod noise;
mod stretch;

use crate::Difference;
use noise::Noise;
use stretch::{LEAST_LEVEL, Stretch};

/// The levels of a series of steps, and the changes between them. A step has the figures of one label, or of one run:
/// positive rates or times.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// All levels in order, at least one. The last is the present one.
    pub levels: Vec<Level>,
    /// The change from each level to the next.
    pub changes: Vec<Change>,
    /// Steps that are on no level.
    pub outliers: Vec<Outlier>,
}

/// Successive steps whose figures differ by noise alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// The first step.
    pub first: usize,
    /// The last step.
    pub last: usize,
    /// Number of steps that count: those that are no outliers and have figures, all of them above zero.
    pub steps: usize,
    /// Number of figures in them.
    pub figures: usize,
    /// Geometric mean of the steps, each of which is the geometric mean of its figures.
    pub mean: f64,
    /// Standard deviation of the logarithms of steps, in percent.
    pub spread_pct: f64,
}

/// A change of the level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The first step of the new level. The change lies between it and the step before it, or, where that does not
    /// count, the last step of the level before.
    pub at: usize,
    /// The level before.
    pub before: Level,
    /// The level after.
    pub after: Level,
    /// The level after to the level before. Its interval knows of the noise of both, but not that the border was
    /// chosen.
    pub difference: Difference,
    /// How often noise alone would show a border as well as this somewhere within these two levels. That they were
    /// chosen out of a longer series is not counted. It is below [`Changes::MOST_BY_CHANCE`].
    pub p_value: f64,
}

/// A step away from the level around it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlier {
    /// The step.
    pub step: usize,
    /// Its ratio to the mean of the level.
    pub ratio: f64,
    /// Whether the level was seen before and after. At either end it was not: such a step may belong to another level.
    pub has_returned: bool,
}

/// There are too few steps for any conclusion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it takes {} steps with figures above zero to find changes, and there are {there}", Changes::LEAST_STEPS)]
pub struct TooFewSteps {
    /// How many there are.
    pub there: usize,
}

impl Changes {
    /// With fewer steps there is no conclusion: two levels have three each.
    pub const LEAST_STEPS: usize = 2 * LEAST_LEVEL;
    /// A change that noise alone would show more often than this is none. So many of all series without a change show
    /// one.
    pub const MOST_BY_CHANCE: f64 = evidence::MOST_BY_CHANCE;

    /// Finds the changes in steps, in their order.
    ///
    /// # Errors
    /// There are too few steps that count.
    pub fn of<S: AsRef<[f64]>>(steps: &[S]) -> Result<Self, TooFewSteps> {
        let there: Vec<Step> =
            steps.iter().enumerate().filter_map(|(step, figures)| Step::of(step, figures.as_ref())).collect();
        if there.len() < Self::LEAST_STEPS {
            return Err(TooFewSteps { there: there.len() });
        }
        let are_out = excursions::are_out(&logs(&there));
        // A level has three steps at least.
        let is_kept = |i: &usize| !are_out[*i] || are_out.iter().filter(|out| !**out).count() < LEAST_LEVEL;
        let (on_levels, out): (Vec<usize>, Vec<usize>) = (0..there.len()).partition(is_kept);
        let [on_levels, out] = [on_levels, out].map(|of| of.into_iter().map(|i| there[i]).collect::<Vec<Step>>());

        let values = logs(&on_levels);
        let borders = borders::borders(&values);
        let firsts = std::iter::once(0).chain(borders.iter().map(|(at, _)| *at));
        let edges: Vec<usize> = firsts.chain(std::iter::once(values.len())).collect();
        let levels: Vec<Level> = edges.windows(2).map(|edge| Level::of(&on_levels[edge[0]..edge[1]])).collect();
        let changes =
            borders.iter().zip(levels.windows(2)).zip(edges.windows(3)).map(|(((at, p_value), pair), edge)| {
                let difference = difference(&values[edge[0]..edge[2]], at - edge[0]);
                Change { at: on_levels[*at].step, before: pair[0], after: pair[1], difference, p_value: *p_value }
            });
        let changes = changes.collect();
        let outliers = out.iter().map(|step| step.outlier(&levels)).collect();
        Ok(Self { levels, changes, outliers })
    }
}

/// A step that counts.
#[derive(Debug, Clone, Copy)]
struct Step {
    step: usize,
    /// Mean of the logarithms of its figures.
    log: f64,
    figures: usize,
}

impl Step {
    fn of(step: usize, figures: &[f64]) -> Option<Self> {
        if figures.is_empty() || figures.iter().any(|figure| !figure.is_finite() || *figure <= 0.0) {
            return None;
        }
        let mut logs: Vec<f64> = figures.iter().map(|figure| figure.ln()).collect();
        // In any order they are rounded to the same sum.
        logs.sort_unstable_by(f64::total_cmp);
        Some(Self { step, log: mean(&logs), figures: figures.len() })
    }

    fn outlier(&self, levels: &[Level]) -> Outlier {
        let before = levels.iter().rfind(|level| level.first < self.step);
        let after = levels.iter().find(|level| level.last > self.step);
        let mean = before.or(after).map_or(f64::NAN, |level| level.mean);
        let has_returned = before.is_some() && after.is_some();
        Outlier { step: self.step, ratio: self.log.exp() / mean, has_returned }
    }
}

impl Level {
    fn of(steps: &[Step]) -> Self {
        let logs = logs(steps);
        let mean = mean(&logs);
        let squares: f64 = logs.iter().map(|log| (log - mean).powi(2)).sum();
        Self {
            first: steps.iter().map(|step| step.step).min().unwrap_or(0),
            last: steps.iter().map(|step| step.step).max().unwrap_or(0),
            steps: steps.len(),
            figures: steps.iter().map(|step| step.figures).sum(),
            mean: mean.exp(),
            spread_pct: 100.0 * (squares / (logs.len() - 1) as f64).sqrt(),
        }
    }
}

fn logs(steps: &[Step]) -> Vec<f64> {
    steps.iter().map(|step| step.log).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Steps after a border, to those before it. Three steps hardly show their spread, so the same noise is assumed on both
/// sides, as where the border was found.
fn difference(values: &[f64], at: usize) -> Difference {
    let after = Stretch { from: at, to: values.len() };
    let (before_mean, after_mean) = (mean(&values[..at]), mean(&values[at..]));
    let noise = Noise::of(values, after, after_mean, before_mean);
    Difference::known(after_mean - before_mean, noise.of_difference(after, values.len()), noise.degrees)
}

#[cfg(test)]
mod tests;
