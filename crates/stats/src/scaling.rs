//! How a rate grows with parallelism: Gunther's Universal Scalability Law (USL).
//!
//! X(N) = lambda N / (1 + sigma (N - 1) + kappa N (N - 1)). lambda is the rate of one job. sigma is the share of the
//! work that is serialised (contention). kappa is the cost of keeping jobs consistent with each other (coherence),
//! which makes rates fall at high parallelism. Source: N. J. Gunther, "Guerrilla Capacity Planning", 2007, chapters 4
//! to 6.
//!
//! Errors of rates are factors, so logarithms are fitted; the interval is a bootstrap of the residuals.

use crate::Interval;
use crate::split_mix::SplitMix64;
use crate::student::t_95;
use rmpfit::{MPFitter, MPPar, MPResult};

/// The law with its three parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalingLaw {
    /// The rate of one job.
    pub lambda: f64,
    /// Contention: 0 where no work is serialised.
    pub sigma: f64,
    /// Coherence: 0 where rates never fall.
    pub kappa: f64,
}

impl ScalingLaw {
    /// The knee: a job that adds less than this share of the first job's rate lies beyond it.
    pub const LEAST_GAIN: f64 = 0.10;

    /// The rate at a DOP.
    #[must_use]
    pub fn at(&self, dop: f64) -> f64 {
        self.lambda * dop / (1.0 + self.sigma * (dop - 1.0) + self.kappa * dop * (dop - 1.0))
    }

    /// The DOP of the highest rate; `None` where rates never fall.
    #[must_use]
    pub fn peak(&self) -> Option<f64> {
        let peak = ((1.0 - self.sigma).max(0.0) / self.kappa).sqrt();
        // A platform that is slower with two jobs has its peak at one.
        peak.is_finite().then_some(peak.max(1.0))
    }

    /// The knee: the first DOP whose marginal gain is below 10 %, that is, the first N with X(N) - X(N - 1) below a
    /// tenth of X(1). `None` where there is none below 2^32, as with linear growth.
    #[must_use]
    pub fn knee(&self) -> Option<f64> {
        let is_beyond = |dop: u64| {
            let dop = dop as f64;
            self.at(dop) - self.at(dop - 1.0) < Self::LEAST_GAIN * self.lambda
        };
        // Gains decrease and become losses, so every DOP beyond the knee stays beyond it.
        let (mut below, mut beyond) = (1_u64, 1_u64 << 32);
        if !is_beyond(beyond) {
            return None;
        }
        while beyond - below > 1 {
            let middle = u64::midpoint(below, beyond);
            *(if is_beyond(middle) { &mut beyond } else { &mut below }) = middle;
        }
        Some(beyond as f64)
    }
}

/// Why a ramp does not show its law, its peak or its knee.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum NotLocated {
    /// The law has three parameters, and few points fit many laws.
    #[error("cannot tell: the ramp has {dops} degrees of parallelism, and it takes {}", Fit::LEAST_DOPS)]
    TooFewDops {
        /// Different DOPs of the ramp.
        dops: usize,
    },
    /// A rate is not above zero, or a DOP is below one.
    #[error("cannot tell: the ramp has a rate that is not above zero")]
    NotPositive,
    /// No law fits.
    #[error("cannot tell: no scaling law fits the ramp")]
    NoFit,
    /// It lies beyond the ramp.
    #[error("cannot tell: it lies beyond the ramp, which ends at {highest}")]
    BeyondRamp {
        /// The ramp's highest DOP.
        highest: f64,
    },
    /// It seems to lie inside the ramp, but too many resamples have it beyond.
    #[error("cannot tell: perhaps near {dop:.0}, perhaps beyond the ramp, which ends at {highest}")]
    PerhapsBeyondRamp {
        /// The DOP according to the law.
        dop: f64,
        /// The ramp's highest DOP.
        highest: f64,
    },
}

/// A DOP that was found, with its uncertainty.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Located {
    /// The DOP.
    pub dop: f64,
    /// Its 95 % interval. The upper end may lie beyond the ramp, where it is a guess, or be infinite.
    pub interval: Interval,
}

/// The fitted law of a ramp.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The law.
    pub law: ScalingLaw,
    highest: f64,
    resampled: Vec<ScalingLaw>,
}

impl Fit {
    /// Different DOPs that a ramp needs.
    pub const LEAST_DOPS: usize = 6;
    const RESAMPLES: usize = 200;
    /// Share of resamples that may have the DOP beyond the ramp while it still counts as found: one in ten, because a
    /// ramp that ends shortly after its peak does show it.
    const MOST_BEYOND: f64 = 0.10;

    /// Fits the law to points of DOP and rate; repeats are points of the same DOP.
    ///
    /// # Errors
    /// [`NotLocated`] says why there is no law.
    pub fn of(points: &[(f64, f64)]) -> Result<Self, NotLocated> {
        if points.iter().any(|(dop, rate)| !(dop.is_finite() && rate.is_finite() && *dop >= 1.0 && *rate > 0.0)) {
            return Err(NotLocated::NotPositive);
        }
        let mut dops: Vec<f64> = points.iter().map(|(dop, _)| *dop).collect();
        dops.sort_unstable_by(f64::total_cmp);
        dops.dedup();
        let highest = match dops.last() {
            Some(highest) if dops.len() >= Self::LEAST_DOPS => *highest,
            _ => return Err(NotLocated::TooFewDops { dops: dops.len() }),
        };
        // A start near most laws; the result of the fit does not depend on it.
        let best_of_one = points.iter().map(|(dop, rate)| rate / dop).fold(0.0, f64::max);
        let start = ScalingLaw { lambda: best_of_one, sigma: 0.05, kappa: 0.1 / highest.powi(2) };
        let law = fitted(points, highest, &start).ok_or(NotLocated::NoFit)?;
        Ok(Self { law, highest, resampled: resampled(points, highest, &law) })
    }

    /// The DOP of the highest rate.
    ///
    /// # Errors
    /// [`NotLocated`] where the ramp does not show it.
    pub fn peak(&self) -> Result<Located, NotLocated> {
        self.located(ScalingLaw::peak)
    }

    /// The knee ([`ScalingLaw::knee`]).
    ///
    /// # Errors
    /// [`NotLocated`] where the ramp does not show it.
    pub fn knee(&self) -> Result<Located, NotLocated> {
        self.located(ScalingLaw::knee)
    }

    fn located(&self, find: impl Fn(&ScalingLaw) -> Option<f64>) -> Result<Located, NotLocated> {
        let inside = |dop: &f64| *dop <= self.highest;
        let dop = find(&self.law).filter(inside).ok_or(NotLocated::BeyondRamp { highest: self.highest })?;
        let mut found: Vec<f64> = self.resampled.iter().map(|law| find(law).unwrap_or(f64::INFINITY)).collect();
        found.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| found.get((share * (found.len() - 1) as f64).round() as usize).copied();
        match (at(0.025), at(0.975), at(1.0 - Self::MOST_BEYOND).filter(inside)) {
            (Some(low), Some(high), Some(_)) => Ok(Located { dop, interval: Interval { low, high } }),
            _ => Err(NotLocated::PerhapsBeyondRamp { dop, highest: self.highest }),
        }
    }
}

/// Laws of ramps that could have been measured just as well: each rate is the law's rate times the error of a randomly
/// drawn point. The errors are enlarged to correct for the three fitted parameters, and because Student's t is wider
/// than a normal distribution for few errors.
fn resampled(points: &[(f64, f64)], highest: f64, law: &ScalingLaw) -> Vec<ScalingLaw> {
    let n = points.len() as f64;
    let widened = (n / (n - 3.0)).sqrt() * t_95(points.len() - 3) / 1.96;
    let errors: Vec<f64> = points.iter().map(|(dop, rate)| (rate / law.at(*dop)).ln() * widened).collect();
    let mut random = SplitMix64::new(1);
    let mut drawn = || {
        let point =
            |(dop, _): &(f64, f64)| (*dop, law.at(*dop) * errors[random.below(errors.len() as u64) as usize].exp());
        points.iter().map(point).collect::<Vec<_>>()
    };
    (0..Fit::RESAMPLES).filter_map(|_| fitted(&drawn(), highest, law)).collect()
}

/// Least squares on logarithms by the Levenberg-Marquardt method. The parameters are the logarithm of lambda, sigma,
/// and kappa times the highest DOP squared, so that all have about the same size.
fn fitted(points: &[(f64, f64)], highest: f64, start: &ScalingLaw) -> Option<ScalingLaw> {
    let mut problem = Problem { points, highest };
    let mut parameters = [start.lambda.ln(), start.sigma, start.kappa * highest.powi(2)];
    problem.mpfit(&mut parameters).ok()?;
    let law = problem.law(&parameters);
    (law.lambda.is_finite() && law.lambda > 0.0).then_some(law)
}

struct Problem<'a> {
    points: &'a [(f64, f64)],
    highest: f64,
}

impl Problem<'_> {
    fn law(&self, parameters: &[f64]) -> ScalingLaw {
        ScalingLaw { lambda: parameters[0].exp(), sigma: parameters[1], kappa: parameters[2] / self.highest.powi(2) }
    }
}

impl MPFitter for Problem<'_> {
    fn eval(&mut self, parameters: &[f64], deviates: &mut [f64]) -> MPResult<()> {
        let law = self.law(parameters);
        for (deviate, (dop, rate)) in deviates.iter_mut().zip(self.points) {
            *deviate = (rate / law.at(*dop)).ln();
        }
        Ok(())
    }

    fn number_of_points(&self) -> usize {
        self.points.len()
    }

    fn parameters(&self) -> &[MPPar] {
        const FREE: MPPar = MPPar::new();
        const SHARE: MPPar = MPPar { limited_low: true, limit_low: 0.0, limited_up: true, limit_up: 1.0, ..FREE };
        const NOT_NEGATIVE: MPPar = MPPar { limited_low: true, limit_low: 0.0, ..FREE };
        &[FREE, SHARE, NOT_NEGATIVE]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOISE: f64 = 0.03;

    fn law(sigma: f64, peak: f64) -> ScalingLaw {
        ScalingLaw { lambda: 1_000.0, sigma, kappa: (1.0 - sigma) / peak.powi(2) }
    }

    /// DOPs 1, 2, 4 … of a law, until `least` is reached and there are `n`.
    fn ramp(law: &ScalingLaw, least: f64, n: usize, mut error: impl FnMut() -> f64) -> Vec<(f64, f64)> {
        let mut points = Vec::new();
        let mut dop = 1.0;
        while points.len() < n || dop / 2.0 < least {
            points.push((dop, law.at(dop) * error().exp()));
            dop *= 2.0;
        }
        points
    }

    fn is_near(found: f64, truth: f64) -> bool {
        (found / truth - 1.0).abs() < 0.15
    }

    #[test]
    fn ramps_to_twice_the_knee_tell_the_peak_in_9_of_10_cases_and_how_sure_that_is() {
        let mut random = SplitMix64::new(22);
        let (mut told, mut right, mut covered) = (0, 0, 0);
        for _ in 0..1_000 {
            let truth = law(0.1 * random.uniform(), 4.0 * 16_f64.powf(random.uniform()));
            let (peak, knee) = (truth.peak().unwrap(), truth.knee().unwrap());
            let points = ramp(&truth, 2.0 * knee, 6, || NOISE * random.normal());
            assert!(points.last().unwrap().0 >= peak, "{truth:?}");
            let Ok(found) = Fit::of(&points).unwrap().peak() else { continue };
            told += 1;
            right += usize::from(is_near(found.dop, peak));
            covered += usize::from(found.interval.low <= peak && peak <= found.interval.high);
        }
        assert!(right >= 900, "{right} right of {told} that were told");
        assert!(covered * 100 >= told * 90, "{covered} intervals of {told} cover the peak");
    }

    #[test]
    fn a_peak_beyond_the_ramp_is_not_told() {
        let mut random = SplitMix64::new(23);
        for beyond in [2.0, 4.0, f64::INFINITY] {
            let told = (0..200)
                .filter(|_| {
                    let truth = law(0.1 * random.uniform(), 32.0 * beyond);
                    Fit::of(&ramp(&truth, 32.0, 6, || NOISE * random.normal())).unwrap().peak().is_ok()
                })
                .count();
            assert!(told <= 20, "{told} of 200 peaks at {beyond} times the ramp's end are told");
        }
        let error = Fit::of(&ramp(&law(0.02, 64.0), 32.0, 6, || 0.0)).unwrap().peak().unwrap_err();
        assert_eq!(error, NotLocated::BeyondRamp { highest: 32.0 });
        assert!(error.to_string().starts_with("cannot tell"), "{error}");
    }

    #[test]
    fn knees_are_told_where_the_ramp_passes_them() {
        let mut random = SplitMix64::new(24);
        let truth = law(0.03, 32.0);
        let knee = truth.knee().unwrap();
        let near = (0..200)
            .filter_map(|_| Fit::of(&ramp(&truth, 2.0 * knee, 6, || NOISE * random.normal())).unwrap().knee().ok())
            .filter(|found| is_near(found.dop, knee))
            .count();
        assert!(near >= 180, "{near} of 200");
        let linear = ScalingLaw { sigma: 0.0, kappa: 0.0, ..truth };
        assert!(Fit::of(&ramp(&linear, 32.0, 6, || NOISE * random.normal())).unwrap().knee().is_err());
    }

    #[test]
    fn too_few_dops_and_impossible_rates_have_no_law() {
        let points = ramp(&law(0.02, 16.0), 0.0, 5, || 0.0);
        assert_eq!(Fit::of(&points), Err(NotLocated::TooFewDops { dops: 5 }));
        let repeated: Vec<_> = points.iter().chain(&points).copied().collect();
        assert_eq!(Fit::of(&repeated), Err(NotLocated::TooFewDops { dops: 5 }));
        assert_eq!(Fit::of(&[]), Err(NotLocated::TooFewDops { dops: 0 }));
        let mut stopped = ramp(&law(0.02, 16.0), 0.0, 6, || 0.0);
        stopped[3].1 = 0.0;
        assert_eq!(Fit::of(&stopped), Err(NotLocated::NotPositive));
    }

    #[test]
    fn the_same_ramp_says_the_same_twice() {
        let mut random = SplitMix64::new(25);
        let points = ramp(&law(0.02, 16.0), 32.0, 6, || NOISE * random.normal());
        assert_eq!(Fit::of(&points), Fit::of(&points));
    }

    #[test]
    fn peak_and_knee_of_known_laws() {
        let gunther = ScalingLaw { lambda: 995.65, sigma: 0.026_7, kappa: 0.000_769 };
        assert!((gunther.peak().unwrap() - 35.576).abs() < 0.01, "{:?}", gunther.peak());
        let knee = gunther.knee().unwrap();
        let gain = |dop: f64| (gunther.at(dop) - gunther.at(dop - 1.0)) / gunther.lambda;
        assert!(gain(knee) < 0.10 && gain(knee - 1.0) >= 0.10, "{knee}");
        let linear = ScalingLaw { lambda: 1.0, sigma: 0.0, kappa: 0.0 };
        assert_eq!((linear.peak(), linear.knee(), linear.at(7.0)), (None, None, 7.0));
        let amdahl = ScalingLaw { sigma: 0.1, ..linear };
        assert_eq!((amdahl.peak(), amdahl.knee()), (None, Some(22.0)));
        let worse_with_two = ScalingLaw { kappa: 3.0, ..linear };
        assert_eq!((worse_with_two.peak(), worse_with_two.knee()), (Some(1.0), Some(2.0)));
    }

    proptest! {
        #[test]
        fn a_ramp_without_noise_gives_its_law(
            lambda in 0.001_f64..1e7, sigma in 0.0_f64..0.5, kappa in 0.0_f64..0.01, n in 6_usize..9
        ) {
            let truth = ScalingLaw { lambda, sigma, kappa };
            let found = Fit::of(&ramp(&truth, 1.0, n, || 0.0)).unwrap().law;
            prop_assert!((found.lambda / lambda - 1.0).abs() < 1e-4, "{:?} {:?}", truth, found);
            prop_assert!((found.sigma - sigma).abs() < 1e-4 && (found.kappa - kappa).abs() < 1e-5, "{:?} {:?}", truth, found);
        }
    }
}
