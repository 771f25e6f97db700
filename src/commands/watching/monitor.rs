//! `dbdyno monitor`: watches a database that has a load of its own, and changes nothing there.

use super::super::context::Context;
use super::super::new_id::new_id;
use super::super::opened_target::OpenedTarget;
use super::super::readings::{sampler, taking};
use super::super::views::{Asked, Views, put};
use super::record::Recording;
use crate::cli::MonitorArgs;
use crate::error::Error;
use crate::output;
use crate::signals;
use dbdyno_live::{Board, Scene, WhenOver};
use dbdyno_model::{Database, ErrorClass, ProfileCost, Reading};
use dbdyno_report::profile_document;
use dbdyno_results::{FileAccess, Repository};
use dbdyno_run::{LiveWork, Looks, StopSwitch, Taken, Taker, TakerOptions, TakingCost};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Between two looks whether the time is over or somebody wants to leave.
const TICK: Duration = Duration::from_millis(200);
/// What is recorded is stored this often.
const STORE_EVERY: Duration = Duration::from_secs(60);

pub(crate) fn monitor(args: &MonitorArgs, context: &Context) -> Result<(), Error> {
    let place = OpenedTarget::open_to_watch(&args.target, &context.catalogue)?;
    let engine = place.engine.as_ref();
    let observer = engine.observer().map_err(|error| match error.class {
        ErrorClass::Unsupported => Error::Usage(format!(
            "{} cannot be watched: {}; monitor watches servers, and `dbdyno run --live` shows a run on it",
            place.target, error.message
        )),
        _ => place.failed("watching")(error),
    })?;
    // A role may see what others do and not have any database.
    let database = engine.describe().unwrap_or_else(|error| Database {
        engine: place.info.name.to_owned(),
        facts: [("not described".to_owned(), error.message)].into(),
        ..Database::default()
    });
    let features = engine.features();
    let mut recording = match &args.record {
        Some(name) => {
            let repository = Repository::open(&context.results, FileAccess::ReadWrite)?;
            let platform = features.local.then(|| place.platform());
            let of = (new_id()?, name.as_str(), place.target.to_string());
            Some(Recording::new(repository, of, (platform, database.clone())))
        }
        None => None,
    };
    let keeps = if recording.is_some() { "what was seen is kept" } else { "nothing was kept" };
    let stop = signals::end_of_watching(keeps)?;
    let scene = Scene {
        title: args.record.as_ref().map_or_else(|| "monitor".to_owned(), |name| format!("recording {name}")),
        target: place.target.to_string(),
        engine: format!("{} {}", database.engine, database.version),
        ..Scene::default()
    };
    let asked = match (args.json, args.lines) {
        (true, _) => Asked::Nothing,
        (false, true) => Asked::Lines,
        (false, false) => Asked::Screen,
    };
    let views = {
        let quits = format!("ends the monitor; {keeps}");
        let board = Arc::new(Board::new(scene));
        Views::open(board, (asked, WhenOver::Close), &args.serve, (stop.clone(), &quits))?
    };
    let live = LiveWork::default();
    let taker = Taker::new(TakerOptions {
        sampler: sampler(engine),
        local: features.local,
        block_bytes: features.block_bytes,
        looks: Looks::Server(observer),
        live: &live,
        stop_if: Vec::new(),
    });
    // Its own connection would be one more session of the server all the time.
    drop(place);
    let gathered = recording.as_ref().map(|recording| Arc::clone(&recording.gathered));
    let cost = Mutex::new(ProfileCost::default());
    let tell = |taken: Taken<'_>| match taken {
        Taken::Reading(reading, so_far) => {
            *lock(&cost) = cost_of(so_far);
            if let Some(gathered) = &gathered {
                gathered.add(reading);
            }
            put(views.board(), reading);
            if args.json && print(reading).is_err() {
                stop.request();
            }
        }
        Taken::Told(text) => views.board().note(text),
        Taken::Met(why) => stop.request_because(why),
    };
    let ((), whole) = taking(taker, tell, || until_the_end(args, &stop, &mut recording, &cost, views.board()));
    let cost = whole.map_or_else(|| *lock(&cost), cost_of);
    // Before the view is waited for: whatever becomes of that, what was seen is kept.
    let profile = recording.as_mut().map(|recording| recording.store(cost, true)).transpose();
    views.close("the monitor has ended");
    let (Some(recording), Some(profile)) = (recording, profile?) else {
        output::note(&cost_line(&cost));
        return Ok(());
    };
    if args.json {
        output::note(&format!("profile {}; {}", recording.id(), cost_line(&cost)));
        return Ok(());
    }
    output::text(&profile_document(&profile).text(output::width()))?;
    context.say_next(&format!("dbdyno headroom {} RUN", recording.id()), "lays it beside what the platform can do");
    Ok(())
}

/// Waits until the time is over or somebody ends it, and stores what is recorded meanwhile.
fn until_the_end(
    args: &MonitorArgs,
    stop: &StopSwitch,
    recording: &mut Option<Recording>,
    cost: &Mutex<ProfileCost>,
    board: &Board,
) {
    let (begun, mut stored) = (Instant::now(), Instant::now());
    let is_over = || args.duration.is_some_and(|seconds| begun.elapsed().as_secs_f64() >= seconds);
    while !stop.requested() && !is_over() {
        thread::sleep(TICK);
        if let Some(recording) = recording.as_mut().filter(|_| stored.elapsed() >= STORE_EVERY) {
            stored = Instant::now();
            if let Err(error) = recording.store(*lock(cost), false) {
                // What was gathered stays for the next time.
                board.note(format!("the profile could not be stored yet: {error}"));
                output::complain(&format!("the profile could not be stored yet: {error}"));
            }
        }
    }
}

fn cost_of(cost: TakingCost) -> ProfileCost {
    let TakingCost { thread_s, server_s, seconds } = cost;
    ProfileCost { harness_cpu_s: thread_s, server_cpu_s: server_s, seconds }
}

/// What watching has cost, in words.
fn cost_line(cost: &ProfileCost) -> String {
    let pct = cost.core_pct().map_or_else(|| "-".to_owned(), |pct| format!("{pct:.2} %"));
    let of = match cost.server_cpu_s {
        Some(_) => "dbdyno's and the server's part",
        None => "dbdyno's part; the server's is not seen from here",
    };
    format!("watching took {pct} of one processor ({of})")
}

/// One reading as a line of JSON.
fn print(reading: &Reading) -> Result<(), Error> {
    output::line_of_json(reading)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
