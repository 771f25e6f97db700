//! tmp

mod borders;
mod evidence;
mod excursions;
mod noise;

use crate::Difference;
use evidence::Stretch;

/// TMP
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    /// All levels, in order; the last one is the newest.
    pub levels: Vec<Level>,
    /// Changes from each level to the next.
    pub changes: Vec<Change>,
    /// Steps that left their level.
    pub outliers: Vec<Outlier>,
    /// Steps without a figure, or with one that is not above zero.
    pub left_out: Vec<usize>,
}

/// Steps of one level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Level {
    /// Its first step.
    pub first: usize,
    /// Its last step.
    pub last: usize,
    /// Steps that count: without outliers and steps left out.
    pub steps: usize,
    /// Figures in them.
    pub figures: usize,
    /// The geometric mean of the steps' geometric means.
    pub mean: f64,
    /// The standard deviation between steps, in percent.
    pub spread_pct: f64,
}

/// A change from one level to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// The first step of the new level.
    pub at: usize,
    /// The level before.
    pub before: Level,
    /// The level after.
    pub after: Level,
    /// After to before.
    pub difference: Difference,
    /// How often.
    pub p_value: f64,
}

/// A step that left its level.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Outlier {
    /// The step.
    pub step: usize,
    /// Its figure to the level.
    pub ratio: f64,
    /// Whether there are steps of a level before and after.
    pub has_returned: bool,
}

/// Why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it takes {least} steps with figures above zero to look for changes, and there are {there}", least = Changes::LEAST_STEPS)]
pub struct TooFewSteps {
    /// How many.
    pub there: usize,
}

/// A step that counts.
struct Step {
    step: usize,
    log: f64,
    figures: usize,
}

impl Changes {
    /// Least.
    pub const LEAST_STEPS: usize = 2 * evidence::LEAST_LEVEL;

    /// Finds.
    ///
    /// # Errors
    /// Too few.
    pub fn of<S: AsRef<[f64]>>(steps: &[S]) -> Result<Self, TooFewSteps> {
        let logs: Vec<Option<Step>> = steps.iter().enumerate().map(|(i, s)| step(i, s.as_ref())).collect();
        let left_out = (0..steps.len()).filter(|i| logs[*i].is_none()).collect();
        let all: Vec<Step> = logs.into_iter().flatten().collect();
        if all.len() < Self::LEAST_STEPS {
            return Err(TooFewSteps { there: all.len() });
        }
        let values: Vec<f64> = all.iter().map(|s| s.log).collect();
        let excursions = excursions::excursions(&values);
        let is_out = |i: usize| excursions.iter().any(|e| (e.from..e.to).contains(&i));
        let kept: Vec<&Step> = all.iter().enumerate().filter(|(i, _)| !is_out(*i)).map(|(_, s)| s).collect();
        let values: Vec<f64> = kept.iter().map(|s| s.log).collect();
        let borders = if kept.len() < Self::LEAST_STEPS { vec![] } else { borders::borders(&values) };
        let edges: Vec<usize> =
            std::iter::once(0).chain(borders.iter().map(|b| b.0)).chain(std::iter::once(kept.len())).collect();
        let levels: Vec<Level> = edges.windows(2).map(|e| level(&kept[e[0]..e[1]])).collect();
        let changes = borders
            .iter()
            .zip(levels.windows(2))
            .zip(edges.windows(3))
            .map(|(((at, p), l), e)| Change {
                at: kept[*at].step,
                before: l[0],
                after: l[1],
                p_value: *p,
                difference: difference(&values[e[0]..e[2]], at - e[0]),
            })
            .collect();
        let outliers = (0..all.len())
            .filter(|i| is_out(*i))
            .map(|i| {
                let step = all[i].step;
                let level = levels.iter().rfind(|l| l.first <= step).or(levels.first());
                Outlier {
                    step,
                    ratio: level.map_or(f64::NAN, |l| (all[i].log - l.mean.ln()).exp()),
                    has_returned: levels.first().is_some_and(|l| l.first < step)
                        && levels.last().is_some_and(|l| l.last > step),
                }
            })
            .collect();
        Ok(Self { levels, changes, outliers, left_out })
    }
}

fn difference(values: &[f64], at: usize) -> Difference {
    let stretch = Stretch { from: at, to: values.len() };
    let (before, after) = values.split_at(at);
    let mean = |v: &[f64]| v.iter().sum::<f64>() / v.len() as f64;
    let (b, a) = (mean(before), mean(after));
    let squares: f64 = before.iter().map(|v| (v - b).powi(2)).chain(after.iter().map(|v| (v - a).powi(2))).sum();
    let n = values.len();
    let found = noise::correlation(
        &values.iter().enumerate().map(|(i, v)| v - if i < at { b } else { a }).collect::<Vec<f64>>(),
    );
    let correlation = noise::NeighbourNoise::of(values).correlation(found);
    let variance = squares / (n - 2) as f64
        * (1.0 / before.len() as f64 + 1.0 / after.len() as f64)
        * noise::inflation(correlation, stretch, n);
    Difference::known(a - b, variance, (n - 2) as f64)
}

fn level(steps: &[&Step]) -> Level {
    let n = steps.len() as f64;
    let mean = steps.iter().map(|s| s.log).sum::<f64>() / n;
    let variance = steps.iter().map(|s| (s.log - mean).powi(2)).sum::<f64>() / (n - 1.0);
    Level {
        first: steps.first().map_or(0, |s| s.step),
        last: steps.last().map_or(0, |s| s.step),
        steps: steps.len(),
        figures: steps.iter().map(|s| s.figures).sum(),
        mean: mean.exp(),
        spread_pct: 100.0 * variance.sqrt(),
    }
}

fn step(step: usize, figures: &[f64]) -> Option<Step> {
    if figures.is_empty() || figures.iter().any(|f| !f.is_finite() || *f <= 0.0) {
        return None;
    }
    let mut logs: Vec<f64> = figures.iter().map(|f| f.ln()).collect();
    logs.sort_unstable_by(f64::total_cmp);
    Some(Step { step, log: logs.iter().sum::<f64>() / logs.len() as f64, figures: figures.len() })
}

#[cfg(test)]
mod tests;
