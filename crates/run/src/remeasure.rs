//! Measuring the best of a ramp again. Which degree of parallelism is the best is unknown when the plan is made. It is
//! determined from the results when the point is reached, so `resume` determines it in the same way.

use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Better, Dop, Flag, MetricValue, Plan, PlannedPoint, Point, Status};
use dbdyno_stats::{Candidate, best};

/// Why there is nothing to measure again, and the status that the point gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NoWinner {
    pub(crate) status: Status,
    pub(crate) reason: String,
}

/// A planned point with its actual degree of parallelism, according to what the run has measured so far.
pub(crate) fn resolve(
    planned: &PlannedPoint,
    points: &[Point],
    catalogue: &Catalogue,
) -> Result<PlannedPoint, NoWinner> {
    if !planned.again {
        return Ok(planned.clone());
    }
    let (again, ramp): (Vec<&Point>, Vec<&Point>) =
        points.iter().filter(|p| is_of_ramp(p, planned)).partition(|p| p.again);
    // All repeats belong to one cell. A best that was chosen before `resume` added points to the ramp does not count.
    let newest = ramp.iter().map(|p| p.started_at).max();
    let chosen = again.iter().find(|p| p.status == Status::Ok && Some(p.started_at) > newest).map(|p| p.dop);
    let dop = chosen.or_else(|| winner(&ramp, catalogue)).ok_or_else(|| no_winner(&ramp))?;
    let load = ramp.iter().find(|p| p.dop == dop).map_or(planned.load, |p| p.load);
    Ok(PlannedPoint { dop, load, ..planned.clone() })
}

fn is_of_ramp(point: &Point, planned: &PlannedPoint) -> bool {
    let theirs = (point.subject.requested(), point.drive, point.load.of_ramp(), point.rows_per_tx);
    theirs == (planned.subject.clone(), planned.drive, planned.load.of_ramp(), planned.rows_per_tx)
}

/// The plan indexes that `resume` has to measure: the unmeasured points, and points measured again before their ramp
/// was complete.
#[must_use]
pub fn points_to_measure(plan: &Plan, points: &[Point], unmeasured: &[usize]) -> Vec<usize> {
    let of_one_ramp = |a: &PlannedPoint, b: &PlannedPoint| {
        (&a.subject, a.drive, a.load.of_ramp(), a.rows_per_tx) == (&b.subject, b.drive, b.load.of_ramp(), b.rows_per_tx)
    };
    let is_stale = |planned: &PlannedPoint| {
        let mut to_come = unmeasured.iter().filter_map(|place| plan.points.get(*place)).filter(|p| !p.again);
        let of_ramp = || points.iter().filter(|p| is_of_ramp(p, planned));
        let newest = of_ramp().filter(|p| !p.again).map(|p| p.started_at).max();
        let measured = of_ramp().filter(|p| p.again && p.repeat == planned.repeat).map(|p| p.started_at).max();
        to_come.any(|p| of_one_ramp(p, planned)) || measured.is_some_and(|measured| Some(measured) < newest)
    };
    let places = plan.points.iter().enumerate();
    places.filter(|(n, p)| unmeasured.contains(n) || (p.again && is_stale(p))).map(|(n, _)| n).collect()
}

/// The degree of parallelism with the best median of the key metric over its repeats.
fn winner(ramp: &[&Point], catalogue: &Catalogue) -> Option<Dop> {
    let ok = || ramp.iter().copied().filter(|p| p.status == Status::Ok);
    let keyed = |p: &Point| p.metric.clone().filter(|metric| metric.value.is_finite());
    let MetricValue { id, .. } = ok().find_map(keyed)?;
    let mut candidates: Vec<Candidate<Dop>> = Vec::new();
    for point in ok() {
        let Some(metric) = keyed(point).filter(|metric| metric.id == id) else { continue };
        let sound = !Flag::DOUBTFUL.iter().any(|flag| point.has(*flag));
        match candidates.iter_mut().find(|c| c.of == point.dop) {
            Some(candidate) => {
                candidate.values.push(metric.value);
                candidate.sound &= sound;
            }
            None => candidates.push(Candidate { of: point.dop, values: vec![metric.value], sound }),
        }
    }
    let better = catalogue.metric(&id).map_or(Better::Higher, |metric| metric.better);
    best(&candidates, better == Better::Higher).map(|candidate| candidate.of)
}

/// The reason for a ramp without figures. Points that failed may be measured later; unsupported points stay
/// unsupported.
fn no_winner(ramp: &[&Point]) -> NoWinner {
    let all = |status| !ramp.is_empty() && ramp.iter().all(|p| p.status == status);
    let reason = ramp.iter().find_map(|p| p.reason.clone());
    if all(Status::Unsupported) {
        let reason = reason.unwrap_or_else(|| "no point of the ramp can be measured".to_owned());
        return NoWinner { status: Status::Unsupported, reason };
    }
    let failed = ramp.is_empty() || ramp.iter().any(|p| p.status == Status::Failed);
    NoWinner {
        status: if failed { Status::Failed } else { Status::Invalid },
        reason: "no point of the ramp gave a figure, so there is no best to measure again: look at the points before"
            .to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_model::{ClientLoad, CommitMode, Drive, Mapping, TestCode};

    fn planned(again: bool) -> PlannedPoint {
        PlannedPoint {
            subject: TestCode::new("T611").unwrap().into(),
            drive: Drive::Server,
            dop: Dop::ONE,
            load: ClientLoad::default(),
            rows_per_tx: 1,
            repeat: 1,
            again,
            duration_s: 2.0,
            mix: None,
            parameters: dbdyno_model::Parameters::default(),
            cores: None,
            may_follow_from_jobs: None,
            commit: CommitMode::Durable,
            mapping: Mapping::Native { ramp: None },
            definition: String::new(),
        }
    }

    fn point(jobs: u32, per_s: f64) -> Point {
        let mut point = Point::new(TestCode::new("T611").unwrap(), jiff::Timestamp::UNIX_EPOCH);
        (point.dop, point.rows_per_tx) = (Dop { jobs, ..Dop::ONE }, 1);
        point.metric = Some(MetricValue { id: "tx_per_s".into(), value: per_s, unit: "1/s".into() });
        point
    }

    fn found(points: &[Point]) -> Result<u32, Status> {
        let catalogue = Catalogue::embedded().unwrap();
        resolve(&planned(true), points, &catalogue).map(|p| p.dop.jobs).map_err(|none| none.status)
    }

    #[test]
    fn the_best_median_of_sound_points_of_the_same_ramp_wins() {
        // One lucky repeat does not make the best median.
        let ramp =
            [(1, 100.0), (2, 190.0), (4, 300.0), (4, 180.0), (2, 195.0), (1, 101.0), (1, 99.0), (2, 188.0), (4, 181.0)];
        let ramp: Vec<Point> = ramp.map(|(jobs, per_s)| point(jobs, per_s)).into();
        assert_eq!(found(&ramp), Ok(2));
        let mut memory = point(8, 9_999.0);
        memory.flag(Flag::ServedFromOsCache, None);
        let larger = Point { rows_per_tx: 10, ..point(8, 9_999.0) };
        let failed = Point { status: Status::Failed, ..point(8, 9_999.0) };
        let rated = Point { drive: Drive::Client, ..point(8, 9_999.0) };
        assert_eq!(found(&[&ramp[..], &[memory, larger, failed, rated]].concat()), Ok(2));
    }

    #[test]
    fn a_choice_that_was_made_stays() {
        let first = Point { again: true, started_at: jiff::Timestamp::from_second(1).unwrap(), ..point(4, 150.0) };
        assert_eq!(found(&[point(2, 190.0), point(4, 180.0), first]), Ok(4));
    }

    #[test]
    fn where_nothing_was_measured_there_is_nothing_to_measure_again() {
        let of = |status| Point { status, metric: None, ..point(1, 0.0) };
        assert_eq!(found(&[]), Err(Status::Failed));
        assert_eq!(found(&[of(Status::Failed), of(Status::Invalid)]), Err(Status::Failed));
        assert_eq!(found(&[of(Status::Invalid), of(Status::Unsupported)]), Err(Status::Invalid));
        assert_eq!(found(&[of(Status::Unsupported)]), Err(Status::Unsupported));
    }

    #[test]
    fn all_other_points_are_as_they_were_planned() {
        let catalogue = Catalogue::embedded().unwrap();
        assert_eq!(resolve(&planned(false), &[point(4, 1.0)], &catalogue), Ok(planned(false)));
    }

    #[test]
    fn what_was_measured_again_before_its_ramp_was_whole_is_measured_once_more() {
        let ramp = |jobs| PlannedPoint { dop: Dop { jobs, ..Dop::ONE }, ..planned(false) };
        let plan = Plan {
            suite: "T611".to_owned(),
            size: "T".to_owned(),
            seed: 1,
            definitions: String::new(),
            points: vec![ramp(1), ramp(2), ramp(4), planned(true)],
            searches: Vec::new(),
            pairing: None,
        };
        let at = |jobs, per_s, second, again| Point {
            started_at: jiff::Timestamp::from_second(second).unwrap(),
            again,
            ..point(jobs, per_s)
        };
        let mut points = vec![at(1, 10.0, 1, false), at(2, 20.0, 2, false), at(2, 19.0, 4, true)];
        assert_eq!(points_to_measure(&plan, &points, &[2]), [2, 3], "a point of the ramp is to come");
        points.push(at(4, 40.0, 9, false));
        assert_eq!(points_to_measure(&plan, &points, &[]), [3], "it has come since");
        let catalogue = Catalogue::embedded().unwrap();
        assert_eq!(resolve(&planned(true), &points, &catalogue).unwrap().dop.jobs, 4);
        points.push(at(4, 39.0, 10, true));
        assert_eq!(points_to_measure(&plan, &points, &[]), [0_usize; 0]);
        assert_eq!(resolve(&planned(true), &points, &catalogue).unwrap().dop.jobs, 4, "repeats are of one cell");
    }
}
