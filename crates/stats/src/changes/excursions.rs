//! A step, or two, that left their level.

use super::noise::{median, steady_square};

/// More steps than this are a level.
const MOST_STEPS: usize = 2;
/// So many steps before and after show the level.
const AROUND: usize = 5;
/// And so many the noise.
const NEAR: usize = 32;
/// An excursion leads this far, in standard deviations of the noise.
const FAR: f64 = 5.0;
/// Few steps hardly show the noise, so it must lead further: by this, over their number.
const FURTHER: f64 = 40.0;
/// Logarithms of equal figures differ by rounding alone.
const ROUNDING: f64 = 1e-9;

/// Which of the steps are part of an excursion: one or two steps lie far away on one side of those around them, and
/// these are on one level. At an end there are steps on one side alone.
pub(super) fn are_out(values: &[f64]) -> Vec<bool> {
    let mut out = vec![false; values.len()];
    for from in 0..values.len() {
        for to in from + 1..=(from + MOST_STEPS).min(values.len()) {
            if is_excursion(values, from, to) {
                out[from..to].fill(true);
            }
        }
    }
    out
}

fn is_excursion(values: &[f64], from: usize, to: usize) -> bool {
    let n = values.len();
    let before = &values[from.saturating_sub(AROUND)..from];
    let after = &values[to..(to + AROUND).min(n)];
    let levels = || [before, after].into_iter().filter(|side| !side.is_empty()).map(median);
    let (low, high) = (levels().fold(f64::INFINITY, f64::min), levels().fold(f64::NEG_INFINITY, f64::max));
    let steps = || values[from..to].iter();
    let above = steps().map(|value| value - high).fold(f64::INFINITY, f64::min);
    let below = steps().map(|value| low - value).fold(f64::INFINITY, f64::min);
    let away = above.max(below);
    // Its neighbours are no part of it.
    let stays = |value: &f64| if above > below { value - high <= away / 2.0 } else { low - value <= away / 2.0 };
    if away < ROUNDING || high - low > away / 2.0 || ![before.last(), after.first()].into_iter().flatten().all(stays) {
        return false;
    }
    let near = &values[from.saturating_sub(NEAR)..(to + NEAR).min(n)];
    let differences = near.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    away > (FAR + FURTHER / near.len() as f64) * (steady_square(differences) / 2.0).sqrt()
}
