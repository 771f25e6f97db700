//! Whether a server that was started can be worked with: waiting until it can, and noticing that it never will, because it has
//! ended, stands still, or turns everybody away.

use super::down::stop;
use super::process::Process;
use super::product::Readiness;
use super::up::{CALLED_OFF, Upping};
use super::watch::Silent;
use super::{Instance, PrivateError, Stage, log};
use dbdyno_model::ErrorClass;
use std::time::{Duration, Instant};

/// How long a server may take until it accepts connections: after a crash it first goes through its log.
const START: Duration = Duration::from_secs(600);
/// How long a server that is starting may stand still, as under a debugger, before that is an answer.
const STILL: Duration = Duration::from_secs(1);
const LOOK_EVERY: Duration = Duration::from_millis(30);
const NOTE_EVERY: Duration = Duration::from_secs(5);

impl Upping<'_> {
    /// One that runs and answers nobody is none that can be worked with.
    pub(super) fn refuse_silent(&self, instance: &Instance) -> Result<(), PrivateError> {
        if instance.process.as_ref().is_some_and(Process::stands_still) {
            return Err(stands_still(instance));
        }
        match self.product.readiness(instance) {
            Readiness::NotYet(_) if instance.stage == Stage::Running => Err(silent(
                instance,
                "runs, but takes no connections now: it is ending, or recovering from a crash; try again in a moment",
            )),
            _ => Ok(()),
        }
    }

    /// Waits until the server can be worked with. One that was called off is stopped.
    pub(super) fn wait(&self, instance: &Instance, log_from: u64) -> Result<(), PrivateError> {
        let begun = Instant::now();
        let (mut noted, mut still) = (begun, None::<Instant>);
        loop {
            let readiness = self.product.readiness(instance);
            if readiness == Readiness::Ready {
                return Ok(());
            }
            if !instance.lives() {
                return Err(log::said(
                    &self.site.log(),
                    ErrorClass::Other,
                    "the server ended while it was starting",
                    log_from,
                ));
            }
            let stands = instance.process.as_ref().is_some_and(Process::stands_still);
            still = still.or_else(|| Some(Instant::now())).filter(|_| stands);
            if still.is_some_and(|since| since.elapsed() > STILL) {
                return Err(stands_still(instance));
            }
            if self.watch.cancelled() {
                // Nobody calls that off a second time.
                stop(instance, self.site, self.product, CALLED_OFF, false, &Silent)?;
                let engine = &instance.engine;
                return Err(PrivateError::failed(
                    ErrorClass::Cancelled,
                    format!(
                        "the server was stopped again; its data is there: dbdyno up {engine} starts it, dbdyno down {engine} removes it"
                    ),
                ));
            }
            let why = match readiness {
                Readiness::Never(why) => {
                    stop(instance, self.site, self.product, CALLED_OFF, false, &Silent)?;
                    return Err(log::said(&self.site.log(), ErrorClass::Other, &why, log_from));
                }
                Readiness::NotYet(why) => why,
                Readiness::Ready => String::new(),
            };
            if begun.elapsed() > START {
                let (engine, pid) = (&instance.engine, instance.pid());
                let text = format!(
                    "the server (process {pid}) does not accept connections yet ({why}) and is left alone; wait on: dbdyno up {engine}, or stop it: dbdyno down {engine}"
                );
                return Err(log::said(&self.site.log(), ErrorClass::Timeout, &text, log_from));
            }
            if noted.elapsed() >= NOTE_EVERY {
                self.watch.note(&format!("still starting after {} s: {why}", begun.elapsed().as_secs()));
                noted = Instant::now();
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

/// The error of a server that was stopped, as `kill -STOP` does it.
fn stands_still(instance: &Instance) -> PrivateError {
    let pid = instance.pid();
    silent(instance, &format!("stands still, as after kill -STOP, and answers nobody; let it go on: kill -CONT {pid}"))
}

/// The error of a server that runs and answers nobody; how to have it otherwise ends `why`.
fn silent(instance: &Instance, why: &str) -> PrivateError {
    let (engine, pid) = (&instance.engine, instance.pid());
    let text = format!("the private {engine} (process {pid}) {why}, or stop it: dbdyno down {engine}");
    PrivateError::failed(ErrorClass::Timeout, text)
}
