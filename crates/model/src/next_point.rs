//! The point that follows from what a run has measured: the next one of a search, or of a reference that goes deeper
//! while that gains.

use crate::{Dop, Plan, PlannedPoint, Point, REFERENCE_SUITE, Subject};

/// The most I/Os that a reference has outstanding.
const DEEPEST: u32 = 1_024;
/// Twice as many outstanding must give more than this many times as much to be worth going on.
const LEAST_GAIN: f64 = 1.03;

impl Plan {
    /// Whether further points may follow from what was measured.
    #[must_use]
    pub fn may_go_on(&self) -> bool {
        !self.searches.is_empty() || self.suite == REFERENCE_SUITE
    }

    /// The next point that follows from those that were measured, each with its place in the plan.
    #[must_use]
    pub fn next(&self, measured: &[(usize, Point)]) -> Option<PlannedPoint> {
        match self.suite == REFERENCE_SUITE {
            true => self.deeper(measured),
            false => self.next_of_searches(measured),
        }
    }

    /// Random reads of a reference with twice as many outstanding, while the last doubling gained.
    fn deeper(&self, measured: &[(usize, Point)]) -> Option<PlannedPoint> {
        let reads = |planned: &PlannedPoint| match &planned.subject {
            Subject::Storage(load) if load.large_outstanding == 0 && load.write_pct == 0 => {
                Some(load.small_outstanding)
            }
            _ => None,
        };
        let figure = |(place, point): &(usize, Point)| {
            let planned = self.points.get(*place)?;
            Some((reads(planned)?, point.metric.as_ref()?.value, planned))
        };
        let mut found: Vec<(u32, f64, &PlannedPoint)> = measured.iter().filter_map(figure).collect();
        found.sort_by_key(|(depth, ..)| *depth);
        let [.., (_, before, _), (depth, value, planned)] = found.as_slice() else { return None };
        let deepest_planned = self.points.iter().filter_map(reads).max()?;
        let Subject::Storage(load) = &planned.subject else { return None };
        (*value > before * LEAST_GAIN && *depth == deepest_planned && *depth < DEEPEST).then(|| {
            let load = crate::StorageLoad { small_outstanding: depth * 2, ..*load };
            let dop = Dop { jobs: load.outstanding(), ..planned.dop };
            PlannedPoint { subject: Subject::Storage(load), dop, ..(*planned).clone() }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ClientLoad, CommitMode, Drive, Mapping, MetricValue, Parameters, StorageLoad};

    fn planned(depth: u32, write_pct: u8) -> PlannedPoint {
        let load = StorageLoad { small_outstanding: depth, small_bytes: 8_192, write_pct, ..StorageLoad::default() };
        PlannedPoint {
            subject: Subject::Storage(load),
            drive: Drive::Client,
            dop: Dop { jobs: depth, ..Dop::ONE },
            load: ClientLoad::default(),
            mix: None,
            parameters: Parameters::default(),
            cores: None,
            rows_per_tx: 0,
            repeat: 1,
            again: false,
            duration_s: 1.0,
            may_follow_from_jobs: None,
            commit: CommitMode::Durable,
            mapping: Mapping::Native { ramp: None },
            definition: String::new(),
        }
    }

    /// The depths that a reference measures on storage that gives so much at each.
    fn depths(gives: impl Fn(u32) -> Option<f64>) -> Vec<u32> {
        let mut plan = Plan {
            suite: REFERENCE_SUITE.to_owned(),
            size: String::new(),
            seed: 42,
            definitions: String::new(),
            points: [1, 2, 4, 8].map(|depth| planned(depth, 0)).into_iter().chain([planned(8, 100)]).collect(),
            searches: Vec::new(),
            pairing: None,
        };
        assert!(plan.may_go_on());
        let measure = |planned: &PlannedPoint| {
            let mut point = Point::new(planned.subject.of_new_point(), jiff::Timestamp::UNIX_EPOCH);
            point.metric = gives(planned.dop.jobs).map(|value| MetricValue {
                id: "ops_per_s".into(),
                value,
                unit: "1/s".to_owned(),
            });
            point
        };
        let mut measured: Vec<(usize, Point)> = plan.points.iter().map(measure).enumerate().collect();
        while let Some(next) = plan.next(&measured) {
            measured.push((plan.points.len(), measure(&next)));
            plan.points.push(next);
            assert!(plan.points.len() < 20);
        }
        plan.points.iter().skip(5).map(|planned| planned.dop.jobs).collect()
    }

    #[test]
    fn a_reference_goes_deeper_while_that_gains() {
        assert_eq!(
            depths(|depth| Some(f64::from(depth.min(8)))),
            [16],
            "the last doubling gained, and the next does not"
        );
        assert_eq!(depths(|depth| Some(f64::from(depth.min(4)))), [0_u32; 0]);
        assert_eq!(depths(|depth| Some(f64::from(depth.min(50)))), [16, 32, 64, 128]);
        assert_eq!(depths(|depth| Some(f64::from(depth))), [16, 32, 64, 128, 256, 512, 1_024], "up to a bound");
        assert_eq!(depths(|depth| (depth <= 16).then(|| f64::from(depth))), [16, 32], "no figure is no gain");
        assert_eq!(depths(|_| None), [0_u32; 0]);
    }
}
