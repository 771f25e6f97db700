//! The quantile of Student's t for 95 % intervals. Reports ask for it for each cell, and it takes microseconds to find.

use statrs::distribution::{ContinuousCDF, StudentsT};
use std::sync::OnceLock;

/// Degrees of freedom whose quantile is kept.
const KEPT: usize = 64;

/// The value that Student's t exceeds in 2.5 % of all cases, on either side. Infinite without a degree of freedom.
pub(crate) fn t_95(degrees: usize) -> f64 {
    static QUANTILES: [OnceLock<f64>; KEPT] = [const { OnceLock::new() }; KEPT];
    match QUANTILES.get(degrees) {
        Some(kept) => *kept.get_or_init(|| found(degrees)),
        None => found(degrees),
    }
}

fn found(degrees: usize) -> f64 {
    StudentsT::new(0.0, 1.0, degrees as f64).map_or(f64::INFINITY, |student| student.inverse_cdf(0.975))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values as printed: NIST/SEMATECH e-Handbook, section 1.3.6.7.2.
    #[test]
    fn it_is_as_in_printed_tables() {
        let rounded = |degrees| (t_95(degrees) * 1e3).round() / 1e3;
        assert_eq!([1, 2, 9, 30, 100].map(rounded), [12.706, 4.303, 2.262, 2.042, 1.984]);
        assert_eq!(rounded(9), 2.262, "asked again");
        assert_eq!(t_95(0), f64::INFINITY);
    }
}
