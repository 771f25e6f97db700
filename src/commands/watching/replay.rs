//! `dbdyno replay`: plays the readings of a run or a profile again, in the views in which they were seen.

use super::super::context::Context;
use super::super::experiments;
use super::super::named_runs;
use super::super::views::{Asked, Views, outcome, put};
use crate::cli::ReplayArgs;
use crate::error::Error;
use crate::output;
use crate::signals;
use dbdyno_live::{Board, PointMark, Scene, WhenOver};
use dbdyno_model::{PROFILE_VERSION, Point, ProfileJson, Reading, RunJson};
use dbdyno_results::{FileAccess, Repository};
use dbdyno_run::StopSwitch;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks whether somebody wants to leave.
const TICK: Duration = Duration::from_millis(50);
/// A pause in the record (a run that was resumed the next day) is not played at its length.
const LONGEST_PAUSE_S: f64 = 5.0;

pub(crate) fn replay(args: &ReplayArgs, context: &Context) -> Result<(), Error> {
    let Record { scene, readings, points } = record(args, context)?;
    if args.json {
        return print(&readings);
    }
    let stop = signals::end_of_watching("the record stays as it is")?;
    let asked = if args.lines { Asked::Lines } else { Asked::Screen };
    let board = Arc::new(Board::new(scene));
    let mut views = Views::open(board, (asked, WhenOver::Stay), &args.serve, (stop.clone(), "ends the replay"))?;
    play(&readings, &points, &views, args.speed, &stop);
    views.board().end("this is the end of the record".to_owned());
    // A full screen stays until it is left, and so does a page.
    if views.take_the_terminal() || !views.serve_a_page() {
        views.wait();
    } else {
        output::note("this is the end of the record; the page stays until Ctrl-C");
        while !stop.requested() {
            thread::sleep(TICK);
        }
    }
    Ok(())
}

/// What is played.
struct Record {
    scene: Scene,
    readings: Vec<Reading>,
    points: Vec<Point>,
}

fn record(args: &ReplayArgs, context: &Context) -> Result<Record, Error> {
    let none = |what: &str| {
        Error::Usage(format!(
            "{what} has no readings: runs keep them unless --no-readings is given, and so do profiles (`dbdyno monitor \
             --record NAME`); runs of older versions have none"
        ))
    };
    if let Some((repository, experiment)) = experiments::named(&args.run, context)? {
        let readings = repository.readings(&experiment.id)?;
        if readings.is_empty() {
            return Err(none(&format!("{}, {},", experiment.id, experiment.kind.words())));
        }
        let profile: ProfileJson = repository.experiment(&experiment.id, PROFILE_VERSION)?;
        let scene = Scene {
            title: profile.name,
            target: profile.target,
            engine: format!("{} {}", profile.database.engine, profile.database.version),
            run: Some(experiment.id.to_string()),
            replayed: true,
            ..Scene::default()
        };
        return Ok(Record { scene, readings, points: Vec::new() });
    }
    let repository = Repository::open(&context.results, FileAccess::ReadOnly)?;
    let id = repository.find(&args.run)?;
    let run: RunJson = named_runs::load(&repository, &id, context)?;
    let readings = repository.readings(&id)?;
    if readings.is_empty() {
        return Err(none(&format!("run {id}")));
    }
    let scene = Scene {
        title: run.run.suite.clone(),
        target: run.run.target.clone(),
        engine: format!("{} {}", run.database.engine, run.database.version),
        run: Some(id.to_string()),
        replayed: true,
        ..Scene::default()
    };
    Ok(Record { scene, readings, points: run.points })
}

fn print(readings: &[Reading]) -> Result<(), Error> {
    for reading in readings {
        match output::line_of_json(reading) {
            // Nobody reads any more.
            Err(Error::Output(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => return Ok(()),
            printed => printed?,
        }
    }
    Ok(())
}

/// Puts up one reading after the other, and the points when they began.
fn play(readings: &[Reading], points: &[Point], views: &Views, speed: f64, stop: &StopSwitch) {
    let mut points: Vec<(usize, &Point)> = points.iter().enumerate().collect();
    points.sort_by_key(|(_, point)| point.started_at);
    let (of, mut coming) = (points.len(), points.into_iter().peekable());
    let mut last: Option<(usize, &Point)> = None;
    let mut due = Instant::now();
    for (n, reading) in readings.iter().enumerate() {
        let since_last_s = n.checked_sub(1).map_or(0.0, |before| {
            reading.at.duration_since(readings[before].at).as_secs_f64().clamp(0.0, LONGEST_PAUSE_S)
        });
        due += Duration::from_secs_f64(since_last_s / speed);
        while Instant::now() < due {
            if stop.requested() || views.is_left() {
                return;
            }
            thread::sleep(TICK.min(due.saturating_duration_since(Instant::now())));
        }
        while let Some((index, point)) = coming.next_if(|(_, point)| point.started_at <= reading.at) {
            if let Some((before, ended)) = last.replace((index, point)) {
                views.board().end_point(before, point.started_at, outcome(ended));
            }
            views.board().begin_point(PointMark {
                index,
                of,
                subject: point.subject.name().name.to_owned(),
                dop: point.dop.to_string(),
                began: point.started_at,
                ended: None,
                outcome: None,
                left_s: 0.0,
            });
        }
        put(views.board(), reading);
    }
    if let (Some((index, point)), Some(end)) = (last, readings.last()) {
        views.board().end_point(index, end.at, outcome(point));
    }
}
