//! Ctrl-C, kill, and the limit of a run's time. The first signal asks the run to stop: statements under way are
//! cancelled and recorded. The second ends the process at once, from inside the signal handler, so that nothing that
//! hangs can prevent it. Every recorded point is safe, because each was on the device before the next began. If the
//! server does not answer, the first signal ends the process, too, as does a request that waits in vain.

use crate::error::{EXIT_STOPPED, Error};
use crate::output;
use dbdyno_engine::Engine;
use dbdyno_run::StopSwitch;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

const STOPPING: &str = "current work is cancelled, what was measured is kept";
/// An engine says within this time whether its server answers, unless it hangs itself.
const AN_ENGINE_SAYS: Duration = Duration::from_secs(15);

/// A switch that the user's signals trigger, and the end of the allowed time (seconds). Commands without long work do
/// not ask for one and simply end.
///
/// # Errors
/// The system does not allow signal handlers.
pub(crate) fn stop(engine: Option<&Arc<dyn Engine>>, most_s: Option<f64>) -> Result<StopSwitch, Error> {
    let stop = StopSwitch::default();
    let stopper = Stopper { stop: stop.clone(), engine: engine.map(Arc::downgrade) };
    let failed = |e| Error::Internal(format!("cannot listen to signals: {e}"));
    if let Some(most_s) = most_s {
        limit(stopper.clone(), most_s).map_err(failed)?;
    }
    listen(stopper, STOPPING).map_err(failed)?;
    Ok(stop)
}

/// The same for a command that only watches, with what is said of its end.
///
/// # Errors
/// As for [`stop`].
pub(crate) fn end_of_watching(said: &'static str) -> Result<StopSwitch, Error> {
    let stop = StopSwitch::default();
    let stopper = Stopper { stop: stop.clone(), engine: None };
    listen(stopper, said).map_err(|e| Error::Internal(format!("cannot listen to signals: {e}")))?;
    Ok(stop)
}

/// What triggers the switch.
#[derive(Clone)]
struct Stopper {
    stop: StopSwitch,
    /// The engine lives as long as the run, whatever watches it.
    engine: Option<Weak<dyn Engine>>,
}

impl Stopper {
    /// Asks the run to stop, and ends the process if the server does not answer.
    fn stop(&self, said: &str) {
        output::complain(said);
        self.stop.request();
        if self.is_silent() {
            leave("the server does not answer, and is not waited for");
        }
    }

    fn is_silent(&self) -> bool {
        let Some(engine) = self.engine.as_ref().and_then(Weak::upgrade) else { return false };
        let (say, heard) = channel();
        // The engine may itself be waiting for the server.
        let asked = thread::Builder::new().spawn(move || _ = say.send(engine.answers()));
        asked.is_ok() && !heard.recv_timeout(AN_ENGINE_SAYS).unwrap_or(false)
    }
}

/// Ends the process at once: a thread waits for a server that does not answer, and cannot be woken.
pub(crate) fn leave(why: &str) {
    output::complain(&format!("{why}; what was done is kept: `dbdyno resume last` goes on with a run when it is back"));
    std::process::exit(i32::from(EXIT_STOPPED));
}

fn listen(stopper: Stopper, said: &'static str) -> io::Result<()> {
    // With `nohup` the process must survive the terminal.
    let signals: &[i32] = if ignores_hang_up() { &[SIGINT, SIGTERM] } else { &[SIGINT, SIGTERM, SIGHUP] };
    let asked = Arc::new(AtomicBool::new(false));
    for signal in signals {
        // The order matters: the first signal finds the flag unset, and the second finds it set.
        flag::register_conditional_shutdown(*signal, i32::from(EXIT_STOPPED), Arc::clone(&asked))?;
        flag::register(*signal, Arc::clone(&asked))?;
    }
    let mut signals = Signals::new(signals)?;
    let wait = move || {
        if signals.forever().next().is_some() {
            stopper.stop(&format!("stopping: {said}; once more leaves at once"));
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(wait).map(drop)
}

fn limit(stopper: Stopper, most_s: f64) -> io::Result<()> {
    let wait = move || {
        thread::sleep(Duration::from_secs_f64(most_s));
        if !stopper.stop.requested() {
            stopper.stop(&format!("the time of --max-duration is over: {STOPPING}"));
        }
    };
    thread::Builder::new().name("limit".to_owned()).spawn(wait).map(drop)
}

/// Whether SIGHUP is ignored, according to the kernel (`man 5 proc`: SigIgn).
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}
