//! Ctrl-C and kill. The first asks the run to stop: what the database is doing is cancelled and recorded. The second leaves
//! at once, from inside the signal handler, so that nothing which hangs can prevent it; every point recorded so far is
//! safe, because each was on the device before the next began.

use crate::error::{EXIT_STOPPED, Error};
use crate::output;
use dbdyno_run::Stop;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A switch that the user's signals throw. Commands without long work do not ask for one and simply end.
///
/// # Errors
/// The system does not let us listen.
pub(crate) fn stop() -> Result<Stop, Error> {
    let stop = Stop::default();
    listen(stop.clone()).map_err(|e| Error::Internal(format!("cannot listen to signals: {e}")))?;
    Ok(stop)
}

fn listen(stop: Stop) -> io::Result<()> {
    const SIGNALS: [i32; 2] = [SIGINT, SIGTERM];
    let asked = Arc::new(AtomicBool::new(false));
    for signal in SIGNALS {
        // In this order, so that the first signal finds the flag down and the second finds it up.
        flag::register_conditional_shutdown(signal, i32::from(EXIT_STOPPED), Arc::clone(&asked))?;
        flag::register(signal, Arc::clone(&asked))?;
    }
    let mut signals = Signals::new(SIGNALS)?;
    let wait = move || {
        if signals.forever().next().is_some() {
            output::complain(
                "stopping: current work is cancelled, what was measured is kept; once more leaves at once",
            );
            stop.request();
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait)?;
    Ok(())
}
