//! Takes readings while a command measures: once a second, in a thread beside it.

use dbdyno_engine::Engine;
use dbdyno_probe::{HarnessShare, Sampler};
use dbdyno_run::{
    Event, Events, Looks, RunReadings, StopCondition, StopSwitch, Taken, Taker, TakerOptions, TakingCost,
};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// What readings are taken of, and for whom.
pub(super) struct Beside<'a> {
    /// What is measured.
    pub(super) readings: &'a RunReadings,
    /// Hears of them.
    pub(super) events: &'a dyn Events,
    /// Ends the run.
    pub(super) stop: &'a StopSwitch,
    /// What ends it.
    pub(super) stop_if: &'a [StopCondition],
}

/// Reads the machine of an engine's data: its devices, and the processes of its server.
pub(super) fn sampler(engine: &dyn Engine) -> Sampler {
    let share = if engine.features().in_process { HarnessShare::NotSeparable } else { HarnessShare::OwnProcess };
    Sampler::new(&engine.data_files(), share)
        .beside(engine.server_pid())
        .with_standby(engine.standby_pid())
        .held_to(engine.held_cpus().to_vec())
}

/// Runs `work`, and takes readings of an engine and what it measures meanwhile.
pub(super) fn beside_engine<T>(beside: &Beside<'_>, engine: &dyn Engine, work: impl FnOnce() -> T) -> T {
    let features = engine.features();
    let options = TakerOptions {
        sampler: sampler(engine),
        local: features.local,
        block_bytes: features.block_bytes,
        looks: Looks::Point(engine),
        live: &beside.readings.live,
        stop_if: beside.stop_if.to_vec(),
    };
    self::beside(beside, options, work)
}

/// Runs `work`, and takes readings of devices or files meanwhile; `local` is whether this machine does the work.
pub(super) fn beside_storage<T>(beside: &Beside<'_>, paths: &[PathBuf], local: bool, work: impl FnOnce() -> T) -> T {
    let options = TakerOptions {
        sampler: Sampler::new(paths, HarnessShare::OwnProcess),
        local,
        block_bytes: 0,
        looks: Looks::Nowhere("no database is measured".to_owned()),
        live: &beside.readings.live,
        stop_if: beside.stop_if.to_vec(),
    };
    self::beside(beside, options, work)
}

fn beside<T>(beside: &Beside<'_>, options: TakerOptions<'_>, work: impl FnOnce() -> T) -> T {
    let tell = |taken: Taken<'_>| match taken {
        Taken::Reading(reading, _) => {
            beside.readings.keeper.push(reading);
            beside.events.on(&Event::Reading { reading });
        }
        Taken::Met(why) => beside.stop.request_because(why),
        Taken::Told(text) => beside.events.on(&Event::Told { text: &text }),
    };
    taking(Taker::new(options), tell, work).0
}

/// Runs `work` while readings are taken in a thread beside it. Also answers with what taking them has cost; nothing
/// where there was no thread to be had.
pub(super) fn taking<T>(
    taker: Taker<'_>,
    tell: impl FnMut(Taken<'_>) + Send,
    work: impl FnOnce() -> T,
) -> (T, Option<TakingCost>) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let over = &over;
        let spawned = thread::Builder::new().name("readings".to_owned());
        let spawned = spawned.spawn_scoped(scope, move || taker.take_until(over, tell)).ok();
        // Also where the work panics: nobody else would end the thread.
        let end = EndsTaking { over, thread: spawned.as_ref().map(|spawned| spawned.thread().clone()) };
        let done = work();
        drop(end);
        (done, spawned.and_then(|spawned| spawned.join().ok()))
    })
}

/// Ends the thread that takes readings when it is dropped.
struct EndsTaking<'a> {
    over: &'a AtomicBool,
    thread: Option<thread::Thread>,
}

impl Drop for EndsTaking<'_> {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        if let Some(thread) = &self.thread {
            thread.unpark();
        }
    }
}
