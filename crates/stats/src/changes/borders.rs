//! Where levels begin. A series is divided from above, as Matteson and James do it, and then each border is looked at
//! between its two levels alone.

use super::evidence::{MOST_BY_CHANCE, Segment};
use super::stretch::{LEAST_LEVEL, Stretch};

/// The first steps of all levels but the first, and how often noise alone would show each.
pub(super) fn borders(values: &[f64]) -> Vec<(usize, f64)> {
    let mut borders = divided(values);
    loop {
        borders = settled(values, borders);
        let p_value = |(from, at, to): (usize, usize, usize)| {
            Segment::of(&values[from..to]).p_value(Stretch { from: at - from, to: to - from })
        };
        let p_values: Vec<f64> = pairs(&borders, values.len()).map(p_value).collect();
        match (0..borders.len()).max_by(|a, b| p_values[*a].total_cmp(&p_values[*b])) {
            Some(weakest) if p_values[weakest] >= MOST_BY_CHANCE => _ = borders.remove(weakest),
            _ => return borders.into_iter().zip(p_values).collect(),
        }
    }
}

/// Divides as long as a part shows two levels, or one within another.
fn divided(values: &[f64]) -> Vec<usize> {
    let mut borders = Vec::new();
    let mut parts = vec![(0, values.len())];
    while let Some((from, to)) = parts.pop() {
        if to - from < 2 * LEAST_LEVEL {
            continue;
        }
        let segment = Segment::of(&values[from..to]);
        let Some(stretch) = segment.strongest().filter(|s| segment.p_value(*s) < MOST_BY_CHANCE) else {
            continue;
        };
        let mut last = from;
        for edge in stretch.edges(to - from) {
            borders.push(from + edge);
            parts.push((last, from + edge));
            last = from + edge;
        }
        parts.push((last, to));
    }
    borders.sort_unstable();
    borders
}

/// Each border, with where the level before it begins and the level after it ends.
fn pairs(borders: &[usize], n: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..borders.len()).map(move |i| {
        let before = if i == 0 { 0 } else { borders[i - 1] };
        (before, borders[i], borders.get(i + 1).copied().unwrap_or(n))
    })
}

/// Moves borders to where their two levels meet best. All move at once, so that a series that is read from its end has
/// the same borders.
fn settled(values: &[f64], mut borders: Vec<usize>) -> Vec<usize> {
    /// Some figures let two borders push each other in a circle.
    const MOST_ROUNDS: usize = 16;
    for _ in 0..MOST_ROUNDS {
        let best = |(from, at, to): (usize, usize, usize)| {
            Segment::of(&values[from..to]).best_border().map_or(at, |best| from + best)
        };
        let moved: Vec<usize> = pairs(&borders, values.len()).map(best).collect();
        if moved == borders {
            break;
        }
        // Two that move towards each other may leave too short a level.
        let too_close = |i: usize, j: usize| j < moved.len() && moved[j] < moved[i] + LEAST_LEVEL;
        let stays = |i: usize| too_close(i, i + 1) || (i > 0 && too_close(i - 1, i));
        borders = (0..moved.len()).map(|i| if stays(i) { borders[i] } else { moved[i] }).collect();
    }
    borders
}
