//! Where levels begin, found from above: a series is divided where that is best shown, and so are its parts.

use super::evidence::{LEAST_LEVEL, Segment, Stretch};

/// A border that noise alone would show more often than this is none.
pub(super) const MOST_BY_CHANCE: f64 = 0.01;

/// The first steps of all levels but the first, and how often noise alone would show each.
pub(super) fn borders(values: &[f64]) -> Vec<(usize, f64)> {
    let mut borders = divided(values);
    loop {
        borders = settled(values, borders);
        let p_values: Vec<f64> =
            parts(values.len(), &borders).map(|(from, at, to)| p_value(values, from, at, to)).collect();
        let least = (0..borders.len()).max_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
        match least {
            Some(least) if p_values[least] >= MOST_BY_CHANCE => _ = borders.remove(least),
            _ => return borders.into_iter().zip(p_values).collect(),
        }
    }
}

/// Divides as long as a part shows a border, or a stretch that differs from what is around it.
fn divided(values: &[f64]) -> Vec<usize> {
    let mut borders = Vec::new();
    let mut open = vec![(0, values.len())];
    while let Some((from, to)) = open.pop() {
        if to - from < 2 * LEAST_LEVEL {
            continue;
        }
        let segment = Segment::of(&values[from..to]);
        let Some((_, stretch)) = segment.strongest() else { continue };
        if segment.p_value(stretch) >= MOST_BY_CHANCE {
            continue;
        }
        let edges = [0, stretch.from, stretch.to, to - from].map(|edge| from + edge);
        borders.extend(edges[1..3].iter().filter(|edge| **edge > from && **edge < to));
        open.extend(edges.windows(2).map(|edge| (edge[0], edge[1])).filter(|(from, to)| from < to));
    }
    borders.sort_unstable();
    borders
}

/// Each border with the beginning of the level before it and the end of the level after it.
fn parts(n: usize, borders: &[usize]) -> impl Iterator<Item = (usize, usize, usize)> {
    let edges: Vec<usize> = std::iter::once(0).chain(borders.iter().copied()).chain(std::iter::once(n)).collect();
    (1..=borders.len()).map(move |i| (edges[i - 1], edges[i], edges[i + 1]))
}

/// Borders at their best places between their neighbours. All move at once, so that a series that is read from its end
/// has the same borders.
fn settled(values: &[f64], mut borders: Vec<usize>) -> Vec<usize> {
    const MOST_ROUNDS: usize = 16;
    for _ in 0..MOST_ROUNDS {
        let best = |(from, at, to): (usize, usize, usize)| {
            Segment::of(&values[from..to]).best_border().map_or(at, |best| from + best)
        };
        let moved: Vec<usize> = parts(values.len(), &borders).map(best).collect();
        if moved == borders {
            break;
        }
        // Two that move towards each other may leave too short a level.
        let stays: Vec<bool> = (0..moved.len())
            .map(|i| {
                let close = |a: usize, b: usize| moved[b] < moved[a] + LEAST_LEVEL;
                (i > 0 && close(i - 1, i)) || (i + 1 < moved.len() && close(i, i + 1))
            })
            .collect();
        borders = (0..moved.len()).map(|i| if stays[i] { borders[i] } else { moved[i] }).collect();
    }
    borders
}

fn p_value(values: &[f64], from: usize, at: usize, to: usize) -> f64 {
    Segment::of(&values[from..to]).p_value(Stretch { from: at - from, to: to - from })
}
