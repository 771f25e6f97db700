//! Whole numbers that are shares of one.

/// Whole parts of a number by weights, each within one of its share, which are the number together. Without any weight
/// all are 0.
#[must_use]
pub fn whole_parts(n: u32, weights: &[f64]) -> Vec<u32> {
    let all: f64 = weights.iter().sum();
    let (mut weight, mut given) = (0.0, 0);
    let part = |of: &f64| {
        weight += of;
        let until = if all > 0.0 { (f64::from(n) * weight / all).round() as u32 } else { 0 };
        let part = until - given;
        given = until;
        part
    };
    weights.iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_are_the_whole_and_near_their_shares(
            n in 0u32..100_000,
            weights in proptest::collection::vec(0.1f64..10.0, 1..50),
        ) {
            let parts = whole_parts(n, &weights);
            prop_assert_eq!(parts.iter().sum::<u32>(), n);
            let all: f64 = weights.iter().sum();
            for (part, weight) in parts.iter().zip(&weights) {
                prop_assert!((f64::from(*part) - f64::from(n) * weight / all).abs() <= 1.000_001);
            }
        }
    }
}
