//! Tables.
use super::*;
use crate::split_mix::SplitMix64;

pub(crate) fn noise(random: &mut SplitMix64, n: usize, correlated: f64) -> Vec<f64> {
    let mut error = random.normal();
    (0..n)
        .map(|_| {
            let now = error;
            error = correlated * error + (1.0 - correlated * correlated).sqrt() * random.normal();
            now
        })
        .collect()
}

#[test]
#[ignore = "minutes"]
fn table_of_tests() {
    let seeds: usize = std::env::var("SEEDS").ok().and_then(|s| s.parse().ok()).unwrap_or(20_000);
    let shares = [0.004, 0.003, 0.002];
    for n in [6, 7, 8, 9, 10, 12, 14, 17, 20, 25, 30, 35, 50, 70, 100, 140, 200, 300, 500, 1000] {
        for correlated in [0.0, 0.3, 0.5] {
            let seeds = if n > 200 { seeds / 4 } else { seeds };
            let mut random = SplitMix64::new(n as u64);
            let mut ts: [Vec<f64>; 3] = Default::default();
            for _ in 0..seeds {
                let segment = Segment::of(&noise(&mut random, n, correlated));
                for (stretch, ts) in segment.best().into_iter().zip(&mut ts) {
                    if let Some(stretch) = stretch {
                        ts.push(segment.t(stretch).0);
                    }
                }
            }
            let student = StudentsT::new(0.0, 1.0, (n - 2) as f64).unwrap();
            print!("{n:5} {correlated:.1}");
            for (ts, share) in ts.iter_mut().zip(shares) {
                if ts.is_empty() {
                    print!("  {:32}", "-");
                    continue;
                }
                ts.sort_unstable_by(f64::total_cmp);
                let at = |p: f64| ts[((ts.len() as f64 * (1.0 - p)) as usize).min(ts.len() - 1)];
                let m = |p: f64| p / (2.0 * student.sf(at(p)));
                print!("  t {:6.2} M {:9.1} ({:8.1},{:8.1})", at(share), m(share), m(0.02), m(0.0008));
            }
            println!();
        }
    }
}

pub(crate) fn env(name: &str, default: f64) -> f64 {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

#[test]
#[ignore = "minutes"]
fn tune() {
    let seeds = env("SEEDS", 20_000.0) as usize;
    let shares = [0.004, 0.003, 0.002];
    for n in [35usize, 50, 100, 200] {
        let mut bounds = [0.0f64; 3];
        let mut by = vec![];
        for correlated in [0.0, 0.3] {
            let mut random = SplitMix64::new(n as u64);
            let mut ts: [Vec<f64>; 3] = Default::default();
            for _ in 0..seeds {
                let segment = Segment::of(&noise(&mut random, n, correlated));
                for (stretch, ts) in segment.best().into_iter().zip(&mut ts) {
                    ts.push(stretch.map_or(0.0, |s| segment.t(s).0));
                }
            }
            for ((ts, share), bound) in ts.iter_mut().zip(shares).zip(&mut bounds) {
                ts.sort_unstable_by(f64::total_cmp);
                let at = ts[((ts.len() as f64 * (1.0 - share)) as usize).min(ts.len() - 1)];
                by.push(at);
                *bound = bound.max(at);
            }
        }
        let power = |k: usize, bounds: [f64; 3]| {
            let mut random = SplitMix64::new(n as u64 + 7);
            let found = (0..seeds / 2)
                .filter(|_| {
                    let mut values = noise(&mut random, n - 5 + k, 0.0);
                    let at = n - 5;
                    values[at..].iter_mut().for_each(|v| *v += 2.5);
                    let segment = Segment::of(&values);
                    segment.best().into_iter().zip(bounds).any(|(s, b)| s.is_some_and(|s| segment.t(s).0 > b))
                })
                .count();
            found as f64 / (seeds / 2) as f64
        };
        let bump = |k: usize, bounds: [f64; 3]| {
            let mut random = SplitMix64::new(n as u64 + 7);
            let found = (0..seeds / 8)
                .filter(|_| {
                    let mut values = noise(&mut random, n, 0.0);
                    let at = n / 3;
                    values[at..at + k].iter_mut().for_each(|v| *v += 2.5);
                    let segment = Segment::of(&values);
                    segment.best().into_iter().zip(bounds).any(|(s, b)| s.is_some_and(|s| segment.t(s).0 > b))
                })
                .count();
            found as f64 / (seeds / 8) as f64
        };
        println!(
            "{n:4} white {:.2} {:.2} {:.2} ar {:.2} {:.2} {:.2} power3 {:.3} power4 {:.3} power5 {:.3} bump5 {:.3}  white-only power5 {:.3}",
            by[0],
            by[1],
            by[2],
            by[3],
            by[4],
            by[5],
            power(3, bounds),
            power(4, bounds),
            power(5, bounds),
            bump(5, bounds),
            power(5, [by[0], by[1], by[2]]),
        );
    }
}

/// Twice the log of likelihoods' ratio: a border and noise, against noise alone.
fn lr(x: &[f64], s: Stretch, most: f64, penalty: f64) -> f64 {
    let n = x.len();
    let ind: Vec<f64> = (0..n).map(|i| if s.has(i) { 1.0 } else { 0.0 }).collect();
    let (mut h0, mut h1) = (f64::INFINITY, f64::INFINITY);
    for step in 0..=14 {
        let r = most * f64::from(step) / 14.0;
        let w =
            |v: &dyn Fn(usize) -> f64, i: usize| if i == 0 { v(0) * (1.0 - r * r).sqrt() } else { v(i) - r * v(i - 1) };
        let (mut oo, mut od, mut dd, mut ox, mut dx, mut xx) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
        for i in 0..n {
            let (o, d, y) = (w(&|_| 1.0, i), w(&|j| ind[j], i), w(&|j| x[j], i));
            oo += o * o;
            od += o * d;
            dd += d * d;
            ox += o * y;
            dx += d * y;
            xx += y * y;
        }
        let rss0 = xx - ox * ox / oo;
        let d2 = dd - od * od / oo;
        let dy = dx - od * ox / oo;
        let rss1 = rss0 - dy * dy / d2;
        let nn = n as f64;
        let c = (1.0 - r * r).ln();
        h0 = h0.min(nn * rss0.ln() - c);
        h1 = h1.min(nn * rss1.ln() - c + penalty * r / most);
    }
    h0 - h1
}

#[test]
#[ignore = "minutes"]
fn tune_lr() {
    let seeds = env("SEEDS", 20_000.0) as usize;
    let (most, penalty) = (env("MOST", 0.6), env("PENALTY", 0.0));
    for n in [35usize, 50, 100] {
        let stat = |values: &[f64]| {
            let segment = Segment::of(values);
            segment.best()[0].map_or(0.0, |s| lr(&segment.values, s, most, penalty))
        };
        let bounds = [0.0, 0.3].map(|c| {
            let mut random = SplitMix64::new(n as u64);
            let mut ts: Vec<f64> = (0..seeds).map(|_| stat(&noise(&mut random, n, c))).collect();
            ts.sort_unstable_by(f64::total_cmp);
            ts[((ts.len() as f64 * 0.996) as usize).min(ts.len() - 1)]
        });
        let power = |k: usize, bound: f64| {
            let mut random = SplitMix64::new(n as u64 + 7);
            let found = (0..seeds / 4)
                .filter(|_| {
                    let mut values = noise(&mut random, n - 5 + k, 0.0);
                    let at = n - 5;
                    values[at..].iter_mut().for_each(|v| *v += 2.5);
                    stat(&values) > bound
                })
                .count();
            found as f64 / (seeds / 4) as f64
        };
        println!(
            "{n} white {:.2} ar {:.2} power3 {:.3} power5 {:.3} white-only {:.3}",
            bounds[0],
            bounds[1],
            power(3, bounds[0].max(bounds[1])),
            power(5, bounds[0].max(bounds[1])),
            power(5, bounds[0])
        );
    }
}
