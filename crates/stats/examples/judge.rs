//! Judges a bound on a ratio, for the scripts under `benches/`. It reads pairs of rates from standard input, one pair a
//! line. It prints `go_on`, `pass`, `fail` or `open` (too few pairs for an interval), the median ratio, its 95 %
//! interval and the number of pairs.
//!
//! Pairs go on until the interval is narrower than 4 % of the median, or the largest number is reached. The bound fails
//! when the whole interval lies below it.
//!
//! Usage: `judge BOUND MOST_PAIRS < pairs`
#![allow(clippy::print_stdout, clippy::expect_used, reason = "a script reads what this prints, and sees it fail")]

use dbdyno_stats::Estimate;
use std::io::Read as _;

/// Fewer pairs than this do not show their spread.
const LEAST_PAIRS: usize = 4;
/// An interval that is narrower than this, relative to the median, needs no more pairs.
const NARROW: f64 = 0.04;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let bound: f64 = arguments.next().and_then(|a| a.parse().ok()).expect("a bound");
    let most_pairs: usize = arguments.next().and_then(|a| a.parse().ok()).expect("the most pairs");
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("pairs on standard input");
    println!("{}", judged(&ratios(&text), bound, most_pairs));
}

fn ratios(text: &str) -> Vec<f64> {
    let number = |word: Option<&str>| word.and_then(|w| w.parse::<f64>().ok()).expect("two rates a line");
    text.lines().map(str::split_whitespace).map(|mut words| number(words.next()) / number(words.next())).collect()
}

fn judged(ratios: &[f64], bound: f64, most_pairs: usize) -> String {
    let estimate = Estimate::of(ratios).expect("at least one pair");
    let n = ratios.len();
    let Some(interval) = estimate.interval else {
        let verdict = if n < most_pairs { "go_on" } else { "open" };
        return format!("{verdict} {:.4} - - {n}", estimate.median);
    };
    let narrow = n >= LEAST_PAIRS && (interval.high - interval.low) / estimate.median < NARROW;
    let verdict = match (narrow || n >= most_pairs, interval.high < bound) {
        (false, _) => "go_on",
        (true, true) => "fail",
        (true, false) => "pass",
    };
    format!("{verdict} {:.4} {:.4} {:.4} {n}", estimate.median, interval.low, interval.high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(ratios: &[f64], bound: f64) -> String {
        judged(ratios, bound, 6).split(' ').next().unwrap_or_default().to_owned()
    }

    #[test]
    fn goes_on_until_the_interval_is_narrow_or_pairs_are_enough() {
        assert_eq!(verdict(&[1.0], 1.0), "go_on");
        assert_eq!(verdict(&[1.0, 1.001, 1.002], 1.0), "go_on", "too few, however close together");
        assert_eq!(verdict(&[1.0, 1.001, 1.002, 1.001], 1.0), "pass");
        assert_eq!(verdict(&[1.0, 1.2, 0.9, 1.1], 1.0), "go_on");
        assert_eq!(verdict(&[1.0, 1.2, 0.9, 1.1, 1.0, 1.0], 1.0), "pass", "wide, but the bound lies inside");
        assert_eq!(verdict(&[0.5, 0.6, 0.7, 0.5, 0.6, 0.7], 1.0), "fail", "wide, and all of it below");
    }

    #[test]
    fn fails_only_when_the_whole_interval_lies_below_the_bound() {
        assert_eq!(verdict(&[0.995, 1.0, 0.996, 1.003], 1.0), "pass");
        assert_eq!(verdict(&[0.970, 0.971, 0.972, 0.971], 0.98), "fail");
        assert_eq!(ratios("10 20\n30.5 30.5\n"), [0.5, 1.0]);
    }
}
