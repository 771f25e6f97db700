//! The M/D/c queue: Poisson arrivals and c servers with a constant service time. The distribution of the number of
//! customers is from Crommelin (1932): a customer in service now is gone a service time later, and a customer who
//! arrives meanwhile is there. The distribution of the waiting time is from Franx (2001).

/// M/D/c; the unit of time is the service time.
pub(super) struct Queueing {
    servers: usize,
    /// Arrivals in a service time.
    arrivals: f64,
    /// Probabilities of the number of customers.
    there: Vec<f64>,
}

impl Queueing {
    pub(super) fn new(servers: u32, utilisation: f64) -> Self {
        let (servers, arrivals) = (servers as usize, f64::from(servers) * utilisation);
        let most = servers + (60.0 / (1.0 - utilisation)) as usize + 10 * servers;
        let mut come = vec![(-arrivals).exp()];
        (1..=most).for_each(|n| come.push(come[n - 1] * arrivals / n as f64));
        let mut there = vec![0.0; most + 1];
        there[0] = 1.0;
        loop {
            let mut next = vec![0.0; most + 1];
            for (n, p) in there.iter().enumerate().filter(|(_, p)| **p > 1e-15) {
                let left = n.saturating_sub(servers);
                come.iter().zip(&mut next[left..]).for_each(|(comes, next)| *next += p * comes);
            }
            let change: f64 = next.iter().zip(&there).map(|(new, old)| (new - old).abs()).sum();
            there = next;
            if change < 1e-12 {
                return Self { servers, arrivals, there };
            }
        }
    }

    /// Mean wait (Little's law).
    pub(super) fn mean_wait(&self) -> f64 {
        let waiting = self.there.iter().enumerate().map(|(n, p)| n.saturating_sub(self.servers) as f64 * p);
        waiting.sum::<f64>() / self.arrivals
    }

    /// The probability of waiting at most this long.
    fn waits_at_most(&self, wait: f64) -> f64 {
        let periods = wait.floor() as usize + 1;
        let comes = self.arrivals * (periods as f64 - wait);
        let at_most = |waiting: usize| self.there.iter().take(waiting + self.servers + 1).sum::<f64>();
        let mut probability = (-comes).exp();
        let mut sum = 0.0;
        for n in 0..periods * self.servers {
            sum += at_most(periods * self.servers - n - 1) * probability;
            probability *= comes / (n + 1) as f64;
        }
        sum
    }

    /// The wait that this percentage of customers does not exceed.
    pub(super) fn wait_percentile(&self, pct: f64) -> f64 {
        let (mut least, mut most) = (0.0, 64.0);
        for _ in 0..60 {
            let middle = f64::midpoint(least, most);
            if self.waits_at_most(middle) < pct / 100.0 { least = middle } else { most = middle }
        }
        most
    }
}

#[test]
fn the_theory_is_that_of_the_books() {
    for utilisation in [0.3, 0.6, 0.9] {
        // Pollaczek and Khinchine.
        let one = Queueing::new(1, utilisation);
        assert!((one.mean_wait() / (utilisation / (1.0 - utilisation) / 2.0) - 1.0).abs() < 1e-6);
        assert!((one.waits_at_most(0.0) - (1.0 - utilisation)).abs() < 1e-9);
    }
    // The probabilities of no wait, and of some wait, with two servers; bounds by Erlang.
    let two = Queueing::new(2, 0.7);
    assert!(two.waits_at_most(0.0) < two.waits_at_most(0.5) && two.waits_at_most(30.0) > 0.999_999);
    let below = (0..1_000).map(|n| 1.0 - two.waits_at_most(f64::from(n) / 100.0)).sum::<f64>() / 100.0;
    assert!((below / two.mean_wait() - 1.0).abs() < 0.02, "the mean is the area above the distribution");
}
