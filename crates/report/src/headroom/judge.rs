//! The answer of a profile on a run.

use super::layer::HeadroomLayer;
use super::processors::processors;
use super::ramp::is_usable;
use super::result::{HEADROOM_VERSION, Headroom, HeadroomError, HeadroomOptions};
use super::{alike, answer, law, rates};
use crate::groups::{joined, unique};
use crate::numbers::duration;
use dbdyno_model::{ProfileJson, RunJson};

/// Which share of what a run showed production uses at its peak, and which layer is reached first.
///
/// # Errors
/// [`HeadroomError`]: the profile has no peak minute, the run nothing to compare with, or not the curve that was asked
/// for.
pub fn headroom(
    profile: &ProfileJson,
    run: &RunJson,
    options: &HeadroomOptions<'_>,
) -> Result<Headroom, HeadroomError> {
    if profile.seen.figures.values().all(|figure| figure.peak_minute.is_none()) {
        let covered = duration(profile.seen.covered_s);
        return Err(HeadroomError::NoWholeMinute { profile: profile.name.clone(), covered });
    }
    if !run.points.iter().any(is_usable) {
        return Err(HeadroomError::NothingMeasured { run: run.run.id.clone() });
    }
    let platforms = alike::relation(profile, run);
    let processors = processors(profile, run, &|run| alike::relation(profile, run), options);
    if let (Some(asked), None) = (options.curve, &processors.curve)
        && processors.layer.known().is_some()
    {
        let of = options.own.filter(|_| processors.factor.is_some()).unwrap_or(run);
        let has = unique(of.points.iter().filter(|p| is_usable(p)).map(|point| point.work().into_owned()));
        return Err(HeadroomError::NoSuchCurve { asked: asked.to_owned(), run: of.run.id.clone(), has });
    }
    let mut layers: Vec<HeadroomLayer> = vec![processors.layer];
    layers.extend(rates::layers(profile, run, &alike::alike(profile, run)));
    // The law belongs to the ramp that is the curve, where that is one of this run.
    let of_curve = processors.curve.as_ref().filter(|_| processors.factor.is_none()).map(|curve| &*curve.subject);
    let (database, of) = (&run.database, &run.run);
    Ok(Headroom {
        schema_version: HEADROOM_VERSION,
        profile: profile.name.clone(),
        production: joined([&profile.target, &profile.database.engine, &profile.database.version], " "),
        watched: [profile.started_at, profile.ended_at],
        run: of.id.clone(),
        run_name: run.name().to_owned(),
        measured: joined([&of.target, &database.engine, &database.version], " "),
        platforms,
        platforms_words: alike::words(profile, run),
        outcome: answer::outcome(&layers),
        first: answer::first(&layers).map(|layer| layer.layer),
        answer: answer::sentences(&layers, platforms),
        layers,
        law: law::law(run, of_curve).or_else(|| law::law(run, None)),
        curve: processors.curve,
        factor: processors.factor,
        not_compared: alike::not_compared(profile, run),
    })
}
