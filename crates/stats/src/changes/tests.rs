use super::evidence::calibration::{env, noise};
use super::*;
use crate::split_mix::SplitMix64;

fn series(values: &[f64]) -> Vec<[f64; 1]> {
    values.iter().map(|v| [v.exp()]).collect()
}

fn kind(random: &mut SplitMix64, kind: &str, n: usize) -> Vec<f64> {
    let t3 = |r: &mut SplitMix64| {
        let z = r.normal();
        let c = (0..3).map(|_| r.normal().powi(2)).sum::<f64>() / 3.0;
        z / c.sqrt()
    };
    match kind {
        "white" => noise(random, n, 0.0),
        "ar3" => noise(random, n, 0.3),
        "ar5" => noise(random, n, 0.5),
        "ar-3" => noise(random, n, -0.3),
        "t3" => (0..n).map(|_| t3(random)).collect(),
        "ar3t3" => {
            let mut e = t3(random);
            (0..n)
                .map(|_| {
                    e = 0.3 * e + t3(random);
                    e
                })
                .collect()
        }
        "uniform" => (0..n).map(|_| random.uniform() * 3.0).collect(),
        // skewed: times with a tail to the right
        "exp" => (0..n).map(|_| (1.0 + 0.5 * -(1.0 - random.uniform()).ln()).ln() * 50.0).collect(),
        "gumbel" => (0..n).map(|_| (-(1.0 - random.uniform()).ln()).ln()).collect(),
        "lognormal" => (0..n).map(|_| (1.0 + 0.05 * (random.normal()).exp()).ln() * 50.0).collect(),
        "bands" => (0..n).map(|_| 2.5 * random.below(2) as f64 + random.normal()).collect(),
        "bands10" => (0..n).map(|_| if random.below(10) == 0 { -4.0 } else { 0.0 } + random.normal()).collect(),
        "bands2" => (0..n).map(|_| 2.5 * random.below(2) as f64).collect(),
        "variance" => (0..n).map(|i| if i < n / 2 { 0.2 } else { 1.0 } * random.normal()).collect(),
        "rounded" => (0..n).map(|_| (random.normal() * 1.0).round()).collect(),
        _ => unreachable!(),
    }
}

#[test]
#[ignore = "table"]
fn table_of_rates() {
    let seeds = env("SEEDS", 4_000.0) as usize;
    for k in [
        "white",
        "ar3",
        "ar5",
        "ar-3",
        "t3",
        "ar3t3",
        "uniform",
        "exp",
        "gumbel",
        "lognormal",
        "bands",
        "bands10",
        "bands2",
        "variance",
        "rounded",
    ] {
        print!("{k:10}");
        for n in [6, 10, 15, 20, 30, 50, 100, 200, 500] {
            let seeds = if n > 100 { seeds / 2 } else { seeds };
            let mut random = SplitMix64::new(n as u64 * 31);
            let (mut alarms, mut outliers) = (0, 0);
            for _ in 0..seeds {
                let values: Vec<f64> = kind(&mut random, k, n).iter().map(|v| 7.0 + 0.02 * v).collect();
                let found = Changes::of(&series(&values)).unwrap();
                alarms += usize::from(!found.changes.is_empty());
                outliers += usize::from(!found.outliers.is_empty());
            }
            print!(
                " {n:3}: {:5.2} ({:5.2})",
                alarms as f64 / seeds as f64 * 100.0,
                outliers as f64 / seeds as f64 * 100.0
            );
        }
        println!();
    }
}

#[test]
#[ignore = "table"]
fn table_of_power() {
    let seeds = env("SEEDS", 4_000.0) as usize;
    for history in [8, 10, 15, 20, 25, 30, 40, 50, 60, 75, 95, 150, 300, 1000] {
        print!("{history:4}");
        for shift in [2.5, 1.5] {
            let mut random = SplitMix64::new(history as u64 * 31 + 5);
            let mut by = [0; 5];
            let mut within = 0;
            let mut exact = 0;
            let seeds = if history > 100 { seeds / 4 } else { seeds };
            for _ in 0..seeds {
                let values: Vec<f64> = kind(&mut random, "white", history + 5)
                    .iter()
                    .enumerate()
                    .map(|(i, v)| 7.0 + 0.02 * (v + if i >= history { shift } else { 0.0 }))
                    .collect();
                let mut any = false;
                for after in 3..=5 {
                    let found = Changes::of(&series(&values[..history + after])).unwrap();
                    let here = found.changes.iter().any(|c| c.at.abs_diff(history) <= 2);
                    by[after - 1] += usize::from(here);
                    if after == 5 {
                        exact += usize::from(found.changes.iter().any(|c| c.at == history));
                    }
                    any |= here;
                }
                within += usize::from(any);
            }
            let share = |c: usize| c as f64 / seeds as f64 * 100.0;
            print!(
                "  {shift}: 3 {:5.1} 4 {:5.1} 5 {:5.1} within {:5.1} exact {:5.1}",
                share(by[2]),
                share(by[3]),
                share(by[4]),
                share(within),
                share(exact)
            );
        }
        println!();
    }
}
