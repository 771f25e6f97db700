//! Single steps, or two, that left their level.

use super::noise::{median, steady_square};

/// More steps than this are a level.
const MOST_STEPS: usize = 2;
/// So many steps before and after show the level.
const AROUND: usize = 5;
/// An excursion is this far away, in standard deviations of the noise.
const FAR: f64 = 5.0;
/// With few steps the noise is badly known.
const FAR_IN_FEW: f64 = 40.0;

/// Steps away from the level around them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Excursion {
    pub(super) from: usize,
    pub(super) to: usize,
}

pub(super) fn excursions(values: &[f64]) -> Vec<Excursion> {
    let n = values.len();
    let differences = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let far = (FAR + FAR_IN_FEW / n as f64) * (steady_square(differences) / 2.0).sqrt();
    let candidates = (0..n).flat_map(|from| (1..=MOST_STEPS).map(move |steps| Excursion { from, to: from + steps }));
    candidates.filter(|candidate| candidate.to <= n && is_away(values, *candidate, far)).collect()
}

/// Whether the steps lie far away on one side, and the level around them has not changed meanwhile.
fn is_away(values: &[f64], Excursion { from, to }: Excursion, far: f64) -> bool {
    let before = &values[from.saturating_sub(AROUND)..from];
    let after = &values[to..(to + AROUND).min(values.len())];
    // At an end there is one side alone.
    let sides: Vec<f64> = [before, after].into_iter().filter(|side| !side.is_empty()).map(median).collect();
    let (Some(low), Some(high)) =
        (sides.iter().copied().min_by(f64::total_cmp), sides.iter().copied().max_by(f64::total_cmp))
    else {
        return false;
    };
    // Rounding is no distance.
    let least = far.max(1e-9);
    let above = values[from..to].iter().map(|v| v - high).fold(f64::INFINITY, f64::min);
    let below = values[from..to].iter().map(|v| low - v).fold(f64::INFINITY, f64::min);
    let away = above.max(below);
    let near = |value: &f64| if above > below { value - high <= away / 2.0 } else { low - value <= away / 2.0 };
    let others_near = before.last().is_none_or(near) && after.first().is_none_or(near);
    away >= least && high - low <= away / 2.0 && others_near
}
