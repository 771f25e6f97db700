//! The scaling law of the ramp that is most like the load: where the platform's own curve bends.

use super::ramp::{Ramp, is_usable, ramps};
use super::result::{HeadroomLaw, LawPlace};
use crate::numbers::factor;
use dbdyno_model::RunJson;
use dbdyno_stats::{Fit, Located, NotLocated};

/// The law of the ramp of this subject; without one, of the ramp most like an application that has a law. `None` where
/// no ramp is long enough.
pub(super) fn law(run: &RunJson, subject: Option<&str>) -> Option<HeadroomLaw> {
    let is_asked = |ramp: &Ramp<'_>| subject.is_none_or(|subject| ramp.work == subject);
    let closed = ramps(run, |point| is_usable(point) && point.asked_per_s.is_none());
    let mut closed: Vec<Ramp<'_>> = closed.into_iter().filter(|ramp| ramp.likeness() > 0 && is_asked(ramp)).collect();
    closed.sort_by_key(|ramp| std::cmp::Reverse((ramp.likeness(), ramp.steps.len())));
    closed.iter().find_map(of_ramp)
}

fn of_ramp(ramp: &Ramp<'_>) -> Option<HeadroomLaw> {
    let points = ramp.steps.iter().flat_map(|step| {
        step.points.iter().filter_map(|point| Some((step.x, point.ops_per_s.filter(|rate| *rate > 0.0)?)))
    });
    let points: Vec<(f64, f64)> = points.collect();
    let fit = Fit::of(&points).ok()?;
    let best = ramp.steps.iter().filter_map(|step| step.median(|p| p.ops_per_s)).fold(0.0, f64::max);
    let (knee, peak) = (fit.knee(), fit.peak());
    let peak_times_best = peak.as_ref().ok().map(|peak| fit.law.at(peak.dop) / best);
    let bends = match &knee {
        Ok(knee) => format!(
            "the platform's own curve of {} bends at {}: from there on another session adds less than a tenth of the \
             first one's rate",
            ramp.work,
            words(knee)
        ),
        Err(why) => format!("where the platform's own curve of {} bends: {why}", ramp.work),
    };
    let highest = match (&peak, peak_times_best) {
        (Ok(peak), Some(times)) => format!(
            "its rate is highest at {}, where the law gives {} times the best that was measured",
            words(peak),
            factor(times)
        ),
        (Ok(peak), None) => format!("its rate is highest at {}", words(peak)),
        (Err(why), _) => format!("its highest rate: {why}"),
    };
    let text = format!("{bends}; {highest}");
    Some(HeadroomLaw { subject: ramp.work.clone(), knee: place(knee), peak: place(peak), peak_times_best, text })
}

fn place(found: Result<Located, NotLocated>) -> Option<LawPlace> {
    let found = found.ok()?;
    let high = Some(found.interval.high).filter(|high| high.is_finite());
    Some(LawPlace { dop: found.dop, low: found.interval.low, high })
}

fn words(found: &Located) -> String {
    let Located { dop, interval } = found;
    match interval.high {
        high if high.is_finite() => format!("{dop:.0} sessions ({:.0} to {high:.0})", interval.low),
        _ => format!("{dop:.0} sessions ({:.0} or more)", interval.low),
    }
}
