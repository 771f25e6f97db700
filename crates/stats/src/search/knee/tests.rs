//! The search for the knee on simulated servers whose knee is known.

use super::*;
use crate::SplitMix64;

const NOISE: f64 = 0.02;
const SEEDS: u64 = 400;

/// A server: what it reaches with this many users.
type Server = Box<dyn Fn(f64) -> f64>;

/// As many users as it has servers keep it busy.
fn sharp(servers: f64) -> Server {
    Box::new(move |users| users.min(servers) * 100.0)
}

/// A closed network: servers with exponential service times, and a pause of `think` service times (exact mean value
/// analysis of a station with several servers by the probabilities of its states).
fn network(servers: u32, think: f64) -> Server {
    let service = move |busy: usize| busy.min(servers as usize) as f64;
    Box::new(move |users| {
        let users = users as usize;
        // The weight of n users at the station: the others are in their pause.
        let mut weights = vec![1.0_f64];
        for n in 1..=users {
            let arriving = (users - n + 1) as f64 / think;
            weights.push(weights[n - 1] * arriving / service(n));
            if weights[n] > 1e100 {
                weights.iter_mut().for_each(|weight| *weight *= 1e-100);
            }
        }
        let all: f64 = weights.iter().sum();
        weights.iter().enumerate().map(|(n, weight)| weight / all * service(n)).sum::<f64>() * 100.0
    })
}

/// The scaling law with contention and with a price for each pair of users.
fn law(contention: f64, coherence: f64) -> Server {
    Box::new(move |users| 100.0 * users / (1.0 + contention * (users - 1.0) + coherence * users * (users - 1.0)))
}

fn servers() -> Vec<(&'static str, Server)> {
    vec![
        ("one server", sharp(1.0)),
        ("3 servers", sharp(3.0)),
        ("24 servers", sharp(24.0)),
        ("40 servers", sharp(40.0)),
        ("700 servers", sharp(700.0)),
        ("a network of 4", network(4, 1.0)),
        ("a network of 16 behind a long line", network(16, 3.0)),
        ("a network of 64", network(64, 0.5)),
        ("a law with a peak at 31", law(0.05, 0.001)),
        ("a law with a peak at 63", law(0.001, 0.00025)),
        ("a law with a peak at 7", law(0.1, 0.02)),
    ]
}

/// The fewest users with 97 % of the maximum.
fn true_knee(server: &Server) -> u32 {
    let most = (1..=3_000).map(|users| server(f64::from(users))).fold(0.0, f64::max);
    (1..=3_000).find(|users| server(f64::from(*users)) >= 0.97 * most).unwrap()
}

fn searched(server: &Server, most_users: u32, noise: f64, seed: u64) -> (Vec<UserTrial>, Result<KneeFinding, NoKnee>) {
    let (mut random, mut trials) = (SplitMix64::new(seed), Vec::new());
    loop {
        match next_users(&trials, most_users) {
            KneeStep::Ended(ended) => return (trials, ended),
            KneeStep::Measure(users) => {
                assert!(users >= 1 && users <= most_users);
                let per_s = server(f64::from(users)) * (1.0 + noise * random.normal());
                trials.push(UserTrial { users, per_s: Some(per_s) });
                assert!(trials.len() <= 12, "{trials:?}");
            }
        }
    }
}

/// Steps among the tried users between what was found and the fewest tried at or above the true knee.
fn distance(trials: &[UserTrial], found: u32, truth: u32) -> usize {
    let mut tried: Vec<u32> = trials.iter().map(|trial| trial.users).collect();
    tried.sort_unstable();
    tried.dedup();
    let at = |users: u32| tried.iter().position(|tried| *tried >= users).unwrap_or(tried.len());
    at(found).abs_diff(at(truth))
}

#[test]
fn the_knee_is_found_within_one_tried_step_in_95_of_100_seeds() {
    let mut bad = Vec::new();
    for (name, server) in servers() {
        let truth = true_knee(&server);
        let (mut near, mut confirmed) = (0, 0);
        for seed in 0..SEEDS {
            let (trials, ended) = searched(&server, 65_535, NOISE, seed);
            let Ok(found) = ended else { continue };
            near += u64::from(distance(&trials, found.users, truth) <= 1);
            confirmed += u64::from(found.confirmed);
        }
        if near * 100 < SEEDS * 95 || confirmed * 100 < SEEDS * 85 {
            bad.push(format!("{name} with its knee at {truth}: {near} of {SEEDS} near, {confirmed} confirmed"));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
}

#[test]
fn a_bound_ends_the_raising_and_not_the_judgement() {
    // The bound comes after one flat step, within one, and right behind the knee.
    for (servers, most_users) in [(24.0, 64), (40.0, 64), (24.0, 33), (3.0, 8), (1.0, 2)] {
        let server = sharp(servers);
        let found = |seed| searched(&server, most_users, NOISE, seed).1.is_ok();
        let saturated = (0..SEEDS).filter(|seed| found(*seed)).count() as u64;
        assert!(saturated * 100 >= SEEDS * 95, "{servers} of {most_users}: {saturated}");
    }
    for (servers, most_users) in [(64.0, 64), (1_000.0, 64), (1_000.0, 5), (64.0, 60)] {
        let server = sharp(servers);
        let rising = (0..SEEDS).filter(|seed| {
            let (trials, ended) = searched(&server, most_users, NOISE, *seed);
            let most = trials.iter().map(|trial| trial.users).max().unwrap();
            matches!(ended, Err(NoKnee::StillRising { users, .. }) if users == most && users == most_users)
        });
        let rising = rising.count() as u64;
        assert!(rising * 100 >= SEEDS * 95, "{servers} of {most_users}: {rising}");
    }
    assert!(matches!(
        searched(&sharp(8.0), 1, NOISE, 1).1,
        Err(NoKnee::NothingToCompare { users: 1, failed_at: None })
    ));
}

#[test]
fn without_noise_the_knee_is_exact_to_the_tried_steps() {
    let (trials, ended) = searched(&sharp(24.0), 65_535, 0.0, 1);
    let found = ended.unwrap();
    assert!(found.low <= 24 && 24 <= found.high && found.confirmed, "{found:?}: {trials:?}");
    assert!(f64::from(found.high) / f64::from(found.low) < 1.4, "{found:?}");
    assert_eq!((found.max_per_s, found.per_s), (2_400.0, 2_400.0));
}

#[test]
fn what_gives_no_figure_bounds_the_search() {
    let run = |fails_from: u32, server: &Server| {
        let mut trials = Vec::new();
        loop {
            match next_users(&trials, 65_535) {
                KneeStep::Ended(ended) => return (trials, ended),
                KneeStep::Measure(users) => {
                    let per_s = (users < fails_from).then(|| server(f64::from(users)));
                    trials.push(UserTrial { users, per_s });
                }
            }
        }
    };
    let (_, first) = run(1, &sharp(8.0));
    assert_eq!(first, Err(NoKnee::NoFigure { users: 1 }));
    let (_, alone) = run(2, &sharp(8.0));
    assert_eq!(alone, Err(NoKnee::NothingToCompare { users: 1, failed_at: Some(2) }));
    let (trials, rising) = run(100, &sharp(1_000.0));
    assert!(matches!(rising, Err(NoKnee::StillRising { users: 32.., failed_at: Some(128), .. })), "{trials:?}");
    let (trials, found) = run(40, &sharp(8.0));
    assert!(found.is_ok_and(|found| (8..=9).contains(&found.users)), "{trials:?}");
}

/// One lucky figure at the bound is no rise: both ends are measured again first.
#[test]
fn a_lucky_figure_at_the_bound_does_not_rise() {
    for (noise, least_pct) in [(0.05, 90), (0.1, 80)] {
        let found = |seed: &u64| searched(&sharp(6.0), 16, noise, *seed).1.is_ok();
        let saturated = (0..SEEDS).filter(found).count() as u64;
        assert!(saturated * 100 >= SEEDS * least_pct, "{noise}: {saturated} of {SEEDS}");
    }
}

/// A lucky first figure makes the next two steps look flat: by its repeats throughput rises, and so do the users.
#[test]
fn steps_that_only_looked_flat_do_not_end_the_raising() {
    let server = sharp(24.0);
    let mut trials = Vec::new();
    let ended = loop {
        match next_users(&trials, 64) {
            KneeStep::Ended(ended) => break ended,
            KneeStep::Measure(users) => {
                let lucky = if trials.is_empty() { 4.5 } else { 1.0 };
                trials.push(UserTrial { users, per_s: Some(server(f64::from(users)) * lucky) });
            }
        }
    };
    assert!(trials.iter().any(|trial| trial.users >= 24), "{ended:?}: {trials:?}");
}
