//! What is said of an instance whose server cannot be worked with, and what is done about it.

use super::cgroup::words;
use super::down::stop;
use super::held::exception;
use super::up::{CALLED_OFF, UpRequest, Upping};
use super::{Instance, Stage, cpus_in_words};
use crate::servers::{Process, Readiness, ServerError, ServerLog, Silent, Waited, wait};
use dbdyno_model::ErrorClass;

impl Upping<'_> {
    /// One that runs and answers nobody is none that can be worked with.
    pub(super) fn refuse_silent(&self, instance: &Instance) -> Result<(), ServerError> {
        if instance.process.as_ref().is_some_and(Process::stands_still) {
            return Err(stands_still(instance));
        }
        match self.product.readiness(&instance.place(), instance.pid()) {
            Readiness::NotYet(_) if instance.stage == Stage::Running => Err(silent(
                instance,
                "runs, but takes no connections now: it is ending, or recovering from a crash; try again in a moment",
            )),
            _ => Ok(()),
        }
    }

    /// How an instance runs that was asked for otherwise, and what was asked for.
    pub(super) fn other_limits(&self, recorded: &Instance) -> Option<(String, String)> {
        let UpRequest { memory_limit_bytes: asked, cpus, .. } = *self.request;
        if let Some(asked) = asked.filter(|asked| Some(*asked) != recorded.memory_limit_bytes) {
            let now = recorded.memory_limit_bytes;
            let now = now.map_or("no memory limit".to_owned(), |bytes| format!("a memory limit of {}", words(bytes)));
            return Some((now, words(asked)));
        }
        if let Some(asked) =
            self.request.standby.map(|standby| standby.kind).filter(|kind| Some(*kind) != recorded.standby)
        {
            let now = recorded.standby.map(|kind| format!("a standby that is {kind}"));
            return Some((now.unwrap_or_else(|| "no standby".to_owned()), format!("one that is {asked}")));
        }
        let now = match recorded.cpus.as_slice() {
            [] => "all processors".to_owned(),
            held => format!("the processors {}", cpus_in_words(held)),
        };
        (!cpus.is_empty() && cpus != recorded.cpus).then(|| (now, cpus_in_words(cpus)))
    }

    /// Refuses a server that runs and may use other processors than it was started for.
    pub(super) fn refuse_not_held(&self, instance: &Instance) -> Result<(), ServerError> {
        let which = instance.which().arguments();
        not_held(instance).map_or(Ok(()), |why| {
            Err(ServerError::Refused(format!("{why}; stop it first, its data can stay: dbdyno down {which} --keep")))
        })
    }

    /// Stops a server that was just started and may use other processors.
    pub(super) fn stop_not_held(&self, instance: &Instance) -> Result<(), ServerError> {
        let Some(why) = not_held(instance) else { return Ok(()) };
        stop(instance, self.instance_folder, self.product, CALLED_OFF, false, &Silent)?;
        let which = instance.which().arguments();
        let text = format!(
            "{why}; the server was stopped again; its data is there: without --cpus dbdyno up {which} starts it, dbdyno down {which} removes it"
        );
        Err(ServerError::failed(ErrorClass::Other, text))
    }

    /// Waits until the server can be worked with. One that was called off is stopped.
    pub(super) fn wait(&self, instance: &Instance, process: &Process, log: &ServerLog) -> Result<(), ServerError> {
        let (which, pid) = (instance.which().arguments(), process.pid);
        // Nobody calls that off a second time.
        let stop = || stop(instance, self.instance_folder, self.product, CALLED_OFF, false, &Silent);
        match wait(self.product, &instance.place(), process, self.watch) {
            Waited::Ready => Ok(()),
            Waited::Ended => Err(log.error(ErrorClass::Other, "the server ended while it was starting")),
            Waited::StandsStill => Err(stands_still(instance)),
            Waited::CalledOff => {
                stop()?;
                let text = format!(
                    "the server was stopped again; its data is there: dbdyno up {which} starts it, dbdyno down {which} removes it"
                );
                Err(ServerError::failed(ErrorClass::Cancelled, text))
            }
            Waited::Never(why) => {
                stop()?;
                Err(log.error(ErrorClass::Other, &why))
            }
            Waited::NotYet(why) => {
                let text = format!(
                    "the server (process {pid}) does not accept connections yet ({why}) and is left alone; wait on: dbdyno up {which}, or stop it: dbdyno down {which}"
                );
                Err(log.error(ErrorClass::Timeout, &text))
            }
        }
    }
}

/// That a server may use processors besides those that it was started for, if it does.
fn not_held(instance: &Instance) -> Option<String> {
    instance.held_by?;
    let why = exception(instance.pid(), &instance.cpus).filter(|_| instance.lives())?;
    let (which, cpus) = (instance.which(), cpus_in_words(&instance.cpus));
    Some(format!("the private {which} was to be held to the processors {cpus}, but {why}"))
}

/// The error of a server that was stopped, as `kill -STOP` does it.
fn stands_still(instance: &Instance) -> ServerError {
    let pid = instance.pid();
    silent(instance, &format!("stands still, as after kill -STOP, and answers nobody; let it go on: kill -CONT {pid}"))
}

/// The error of a server that runs and answers nobody; how to have it otherwise ends `why`.
fn silent(instance: &Instance, why: &str) -> ServerError {
    let (which, pid) = (instance.which(), instance.pid());
    let text = format!("the private {which} (process {pid}) {why}, or stop it: dbdyno down {}", which.arguments());
    ServerError::failed(ErrorClass::Timeout, text)
}
