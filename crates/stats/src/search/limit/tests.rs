//! The search for the highest rate on simulated servers whose limit is known.

use super::*;
use crate::SplitMix64;

const SEEDS: u64 = 400;
const LEAST: u64 = 2_000;

fn rules(closed_per_s: f64) -> LimitRules {
    LimitRules { closed_per_s, least_transactions: LEAST, window_s: 10.0, longest_window_s: 3_600.0 }
}

/// The search, with a judgement for each rate and number of transactions.
fn searched(rules: LimitRules, mut judge: impl FnMut(f64, u64) -> RateVerdict) -> (Vec<RateTrial>, LimitStep) {
    let mut trials = Vec::new();
    loop {
        match next_rate(&trials, rules) {
            LimitStep::Measure { per_s, window_s } => {
                let verdict = judge(per_s, (per_s * window_s) as u64);
                trials.push(RateTrial { per_s, window_s, verdict });
                assert!(trials.len() <= MOST_TRIALS, "{trials:?}");
            }
            ended @ LimitStep::Ended(_) => return (trials, ended),
        }
    }
}

fn exponential(random: &mut SplitMix64) -> f64 {
    -(1.0 - random.uniform()).ln()
}

/// The 99th percentile of times.
fn p99(times: &mut [f64]) -> f64 {
    let at = (times.len() as f64 * 0.99).ceil() as usize - 1;
    *times.select_nth_unstable_by(at, f64::total_cmp).1
}

fn near(found: LimitStep, truth: f64) -> bool {
    let LimitStep::Ended(Ok(LimitFinding { per_s, high_per_s, confirmed })) = found else { return false };
    let holds_truth = high_per_s.is_some_and(|high| high / per_s < 1.05);
    confirmed && holds_truth && (per_s / truth - 1.0).abs() <= 0.05
}

/// Servers whose p99 grows by 3 %, 6 % and 20 % for 1 % of rate, with as few transactions as are judged at all.
#[test]
fn the_rate_is_found_within_5_percent_in_95_of_100_seeds() {
    for (growth, truth, closed) in
        [(3.0, 700.0, 1_000.0), (6.0, 420.0, 1_000.0), (20.0, 95.0, 100.0), (3.0, 1_200.0, 1_000.0)]
    {
        let mut good = 0;
        for seed in 0..SEEDS {
            let mut random = SplitMix64::new(seed);
            let mut rules = rules(closed);
            rules.window_s = 0.1;
            let (_, found) = searched(rules, |per_s, transactions| {
                // The limit is 1, which p99 has at the true rate.
                let mean = (per_s / truth).powf(growth) / 100.0_f64.ln();
                let mut times: Vec<f64> = (0..transactions).map(|_| mean * exponential(&mut random)).collect();
                assert!(transactions >= LEAST);
                if p99(&mut times) < 1.0 { RateVerdict::Holds } else { RateVerdict::Breaks }
            });
            good += u64::from(near(found, truth));
        }
        assert!(good * 100 >= SEEDS * 95, "growth {growth}, truth {truth}: {good} of {SEEDS}");
    }
}

/// A queue with one server: its times depend on each other, so that p99 varies far more than that of independent ones.
#[test]
fn a_queue_whose_times_depend_on_each_other_is_found_too() {
    // M/M/1 with 1,000/s: p99 = ln(100) / (1000 - rate), 4.6 at 1,000 - 1,000 ln(100) / limit_ms.
    let truth = 850.0;
    let limit_s = 100.0_f64.ln() / (1_000.0 - truth);
    let seeds = 100;
    let mut good = 0;
    for seed in 0..seeds {
        let mut random = SplitMix64::new(seed);
        let rules = LimitRules { window_s: 20.0, ..rules(990.0) };
        let (_, found) = searched(rules, |per_s, transactions| {
            let (mut now, mut free, mut waiting) = (0.0, 0.0_f64, 0.0);
            let mut times = Vec::new();
            // What is before the window begins is the warm-up.
            for n in 0..transactions + 4_000 {
                now += exponential(&mut random) / per_s;
                free = free.max(now) + exponential(&mut random) / 1_000.0;
                waiting = free - now;
                times.extend((n >= 4_000).then_some(waiting));
            }
            // A queue that only grows breaks every limit.
            let is_overloaded = per_s >= 1_000.0 && waiting > limit_s;
            if !is_overloaded && p99(&mut times) < limit_s { RateVerdict::Holds } else { RateVerdict::Breaks }
        });
        good += u64::from(near(found, truth));
    }
    assert!(good * 100 >= seeds * 95, "{good} of {seeds}");
}

#[test]
fn what_has_too_few_transactions_is_measured_longer() {
    // The server delivers half of what is asked for, so the planned window is too short.
    let (trials, found) = searched(rules(100.0), |per_s, transactions| match transactions / 2 {
        n if n < LEAST => RateVerdict::TooFew { transactions: n },
        _ if per_s < 50.0 => RateVerdict::Holds,
        _ => RateVerdict::Breaks,
    });
    assert!(near(found, 50.0), "{found:?}: {trials:?}");
    let [first, second, ..] = trials[..] else { panic!() };
    assert_eq!((first.per_s, second.per_s), (80.0, 80.0));
    assert!(second.window_s > 1.9 * first.window_s, "{trials:?}");
    let never = searched(rules(100.0), |_, _| RateVerdict::TooFew { transactions: 1 }).1;
    assert!(
        matches!(never, LimitStep::Ended(Err(NoLimit::TooFew { per_s: 80.0 } | NoLimit::TooLong { per_s: 80.0, .. }))),
        "{never:?}"
    );
}

#[test]
fn what_cannot_be_found_is_said() {
    let nothing = searched(rules(1_000.0), |_, _| RateVerdict::Breaks).1;
    assert_eq!(nothing, LimitStep::Ended(Err(NoLimit::NoneHolds { lowest_per_s: 50.0 })));
    let everything = searched(rules(1_000.0), |_, _| RateVerdict::Holds).1;
    let LimitStep::Ended(Ok(LimitFinding { per_s, high_per_s: None, confirmed: false })) = everything else { panic!() };
    assert!(per_s > 2_500.0, "{per_s}");
    let slow = LimitRules { least_transactions: 200_000, ..rules(10.0) };
    let too_long = searched(slow, |_, _| RateVerdict::Holds).1;
    assert!(matches!(too_long, LimitStep::Ended(Err(NoLimit::TooLong { per_s: 8.0, .. }))), "{too_long:?}");
}

#[test]
fn a_single_wrong_judgement_is_outvoted() {
    // The third measurement is wrong, whatever it is of.
    for wrong in 0..8 {
        let mut n = 0;
        let (trials, found) = searched(rules(1_000.0), |per_s, _| {
            let holds = (per_s < 760.0) != (n == wrong);
            n += 1;
            if holds { RateVerdict::Holds } else { RateVerdict::Breaks }
        });
        assert!(near(found, 760.0), "{wrong}: {found:?} {trials:?}");
    }
}

#[test]
fn rates_have_four_digits() {
    for (per_s, text) in [(1_234.567, "1235"), (12.345_678, "12.35"), (0.123_456, "0.123"), (98_765.4, "98770")] {
        assert_eq!(rounded(per_s).to_string(), text);
    }
}

#[test]
fn a_closed_loop_that_was_far_too_slow_by_chance_only_takes_longer() {
    let found = searched(rules(100.0), |per_s, _| match per_s < 1_000.0 {
        true => RateVerdict::Holds,
        false => RateVerdict::Breaks,
    });
    assert!(near(found.1, 1_000.0), "{found:?}");
}
