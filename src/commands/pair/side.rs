//! A side as it is asked for, and how it is opened.

use super::super::context::Context;
use super::super::measuring::Ready;
use super::super::resolved_run::{self, ResolvedRun};
use super::super::settings;
use super::super::workloads::{self, WorkloadTarget};
use crate::cli::{PairArgs, RunArgs};
use crate::error::Error;
use dbdyno_engine::{Loaded, Sampling};
use dbdyno_model::PairSide;
use dbdyno_run::{RunError, StopSwitch};
use dbdyno_workload::{Settings, Workload};
use rustix::process::{Pid, Signal, kill_process_group};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::time::Duration;

const PAUSE: Duration = Duration::from_millis(20);

/// A side that is asked for.
pub(super) struct AskedSide {
    pub(super) args: RunArgs,
    workload: Option<&'static dyn Workload>,
    settings: Settings,
    /// What is called before each of its points.
    pub(super) before: Option<String>,
}

impl AskedSide {
    /// What the user asks for of a side.
    ///
    /// # Errors
    /// Arguments that contradict each other.
    pub(super) fn of(args: &PairArgs, side: PairSide, context: &Context) -> Result<Self, Error> {
        let before = args.before(side).map(str::to_owned);
        let args = workloads::with_suite(&args.of_side(side), &context.catalogue)?;
        let workload = resolved_run::workload(&args, context)?;
        let settings = settings::of_run(&args, workload)?;
        Ok(Self { args, workload, settings, before })
    }

    /// Opens its target, after its command.
    ///
    /// # Errors
    /// The command fails, or the target cannot be measured.
    pub(super) fn open(&self, stop: &StopSwitch, context: &Context) -> Result<ResolvedRun, Error> {
        if let Some(before) = &self.before {
            call(before, stop)?;
        }
        let url = self.args.target.target.as_deref().unwrap_or_default();
        ResolvedRun::of((&self.args, self.workload), (url, None), self.settings.clone(), context)
    }

    /// Takes a size class for tests where nobody has said one and nothing is loaded. Returns whether it did.
    pub(super) fn takes_size(&mut self, opened: &ResolvedRun, size: &str) -> bool {
        let place = &opened.place;
        let is_open = self.workload.is_none() && place.wished_size.is_none() && place.held == Loaded::Nothing;
        let takes = is_open && place.size.id != size;
        if takes {
            self.args.target.size = Some(size.to_owned());
        }
        takes
    }

    /// Loads what its target lacks, and locks it.
    ///
    /// # Errors
    /// It cannot be loaded, or another dbdyno is at work there.
    pub(super) fn ready<'a>(
        &self,
        opened: &'a ResolvedRun,
        workload: Option<WorkloadTarget>,
        stop: &StopSwitch,
        context: &'a Context,
    ) -> Result<Ready<'a>, Error> {
        let most_jobs = self.args.work.max_jobs;
        let mut ready =
            Ready::make(&opened.place, workload, opened.load(&self.args), (stop.clone(), most_jobs), context)?;
        ready.sampling = if self.args.work.no_sampling { Sampling::Off } else { Sampling::On };
        Ok(ready)
    }
}

/// Calls a command of the user's in a shell. What it prints goes to the standard error.
fn call(command: &str, stop: &StopSwitch) -> Result<(), Error> {
    let failed = |why: String| Error::Usage(format!("the command '{command}', before a point, {why}"));
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::null())
        .stdout(std::io::stderr())
        .process_group(0)
        .spawn()
        .map_err(|error| failed(format!("cannot be called: {error}")))?;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(failed(format!("failed: {status}"))),
            Ok(None) if stop.requested() => {
                // What the shell has called must end, too.
                if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                    _ = kill_process_group(pid, Signal::KILL);
                }
                _ = child.wait();
                return Err(failed("was stopped".to_owned()));
            }
            Ok(None) => std::thread::sleep(PAUSE),
            Err(error) => return Err(failed(format!("cannot be waited for: {error}"))),
        }
    }
}

/// A pair that ended before its plans did.
pub(super) fn ended_early(source: RunError) -> Error {
    Error::Run { source: Box::new(source), next: "`dbdyno compare` shows it, and `dbdyno pair` begins anew".to_owned() }
}
