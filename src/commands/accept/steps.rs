//! Does what is missing of a project. Each step is a command of dbdyno in a process of its own, so it measures like
//! that command typed by hand: nothing else is at work in its process, and it leaves the same run.

use super::super::context::Context;
use super::check;
use super::found;
use crate::error::{EXIT_MISSED, EXIT_POINTS, EXIT_USAGE, Error};
use crate::output::{self, shell_word};
use dbdyno_catalogue::{Project, ProjectVariant, StepCommand};
use dbdyno_model::{RunJson, RunStatus};
use dbdyno_report::acceptance::{Left, StepResult};
use dbdyno_run::StopSwitch;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::Duration;

/// How often it is looked whether a step has ended.
const PAUSE: Duration = Duration::from_millis(50);

/// What is done of a project.
pub(super) struct Steps<'a> {
    project: &'a Project,
    stop: &'a StopSwitch,
    context: &'a Context,
    program: PathBuf,
    /// Variants that are there now.
    there: Vec<usize>,
}

impl<'a> Steps<'a> {
    pub(super) fn new(project: &'a Project, stop: &'a StopSwitch, context: &'a Context) -> Result<Self, Error> {
        let program = std::env::current_exe().map_err(|error| Error::Internal(error.to_string()))?;
        Ok(Self { project, stop, context, program, there: Vec::new() })
    }

    /// Does what is missing: variant by variant, and then the pairs.
    ///
    /// # Errors
    /// It was stopped, or a step could not be done. What was measured is kept.
    pub(super) fn run(mut self, found: &[StepResult]) -> Result<(), Error> {
        let missing: Vec<&StepResult> = found.iter().filter(|result| !result.is_complete()).collect();
        let is_pair = |result: &StepResult| self.project.steps[result.step].command == StepCommand::Pair;
        let (pairs, single): (Vec<&StepResult>, Vec<&StepResult>) =
            missing.iter().copied().partition(|result| is_pair(result));
        let paired: Vec<usize> =
            pairs.iter().flat_map(|result| self.project.steps[result.step].variants.clone()).collect();
        let all = missing.len();
        let mut number = 0;
        // Before anything is called that could disturb it.
        missing.iter().try_for_each(|result| self.refuse_running(result))?;
        for variant in 0..self.project.variants.len() {
            for result in single.iter().filter(|result| result.variant == variant) {
                number += 1;
                self.arrive(variant)?;
                self.step(result, (number, all))?;
            }
            if !paired.contains(&variant) {
                self.leave(variant)?;
            }
        }
        for result in pairs {
            number += 1;
            for variant in self.project.steps[result.step].variants.clone() {
                self.arrive(variant)?;
            }
            self.step(result, (number, all))?;
        }
        (0..self.project.variants.len()).try_for_each(|variant| self.leave(variant))
    }

    /// Makes a variant, unless it is there.
    fn arrive(&mut self, variant: usize) -> Result<(), Error> {
        if self.there.contains(&variant) {
            return Ok(());
        }
        let ProjectVariant { name, up, before, .. } = &self.project.variants[variant];
        self.own(name, "up", up.as_deref())?;
        self.shell(name, before.as_deref())?;
        self.there.push(variant);
        Ok(())
    }

    /// Removes a variant that was made.
    fn leave(&mut self, variant: usize) -> Result<(), Error> {
        if !self.there.contains(&variant) {
            return Ok(());
        }
        self.there.retain(|there| *there != variant);
        let ProjectVariant { name, down, after, .. } = &self.project.variants[variant];
        self.shell(name, after.as_deref())?;
        self.own(name, "down", down.as_deref())
    }

    /// Calls a command of dbdyno that makes or removes a variant.
    fn own(&self, variant: &str, command: &str, words: Option<&[String]>) -> Result<(), Error> {
        let Some(words) = words else { return Ok(()) };
        let words = [&[command.to_owned()], words].concat();
        let shown = shown(&words);
        match self.call(&words)?.success() {
            true => Ok(()),
            false => Err(self.broken(&format!("{shown} failed, so variant {variant} is not there"))),
        }
    }

    fn shell(&self, variant: &str, command: Option<&str>) -> Result<(), Error> {
        let Some(line) = command else { return Ok(()) };
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        let ended = self.wait(command)?;
        match ended.success() {
            true => Ok(()),
            false => Err(self.broken(&format!("`{line}` of variant {variant} ended with {ended}"))),
        }
    }

    /// Does one step, or goes on with it.
    fn step(&self, result: &StepResult, (number, all): (usize, usize)) -> Result<(), Error> {
        let (step, variant) = (&self.project.steps[result.step], &self.project.variants[result.variant]);
        let words = check::words(self.project, step, result.variant);
        self.context.say(&format!("step {number} of {all}: {} on {}", step.name, variant.name));
        if let Left::Run(run) = &result.left
            && can_be_resumed(run)
        {
            let resume = ["resume".to_owned(), run.run.id.to_string()];
            let ended = self.call(&resume)?;
            // What cannot be gone on with begins anew.
            if ended.code() != Some(EXIT_USAGE.into()) {
                return self.judge(result, ended, &shown(&resume));
            }
        }
        let ended = self.call(&words)?;
        self.judge(result, ended, &shown(&words))
    }

    /// Refuses to do a step that another process is at.
    fn refuse_running(&self, result: &StepResult) -> Result<(), Error> {
        match &result.left {
            Left::Run(run) if run.run.status == RunStatus::Running => {
                let id = &run.run.id;
                Err(self.broken(&format!("run {id} is being measured by another process: wait until it is done")))
            }
            _ => Ok(()),
        }
    }

    /// A step is done if it has left what it must leave, whatever that says.
    fn judge(&self, result: &StepResult, ended: ExitStatus, command: &str) -> Result<(), Error> {
        if self.stop.requested() {
            return Err(self.stopped());
        }
        let found = found::look(self.project, self.context)?;
        let is_this = |other: &&StepResult| (other.step, other.variant) == (result.step, result.variant);
        let is_done = found.iter().find(is_this).is_some_and(StepResult::is_complete);
        let judged = [Some(0), Some(EXIT_MISSED.into()), Some(EXIT_POINTS.into())].contains(&ended.code());
        match (is_done, judged) {
            (true, _) => Ok(()),
            (false, true) => Err(self.broken(&format!("`{command}` has left nothing complete"))),
            (false, false) => Err(self.broken(&format!("`{command}` ended with {ended}; what is wrong stands above"))),
        }
    }

    fn stopped(&self) -> Error {
        self.broken("it was stopped")
    }

    /// What ends it before all steps are done.
    fn broken(&self, why: &str) -> Error {
        let there = self.there.iter().map(|variant| self.project.variants[*variant].name.as_str());
        let there: Vec<&str> = there.collect();
        let left = match there.is_empty() {
            true => String::new(),
            false => format!(", and {} stays as it is", there.join(" and ")),
        };
        Error::AcceptanceStopped { title: self.project.title.clone(), why: why.to_owned(), left }
    }

    /// Calls dbdyno itself.
    fn call(&self, words: &[String]) -> Result<ExitStatus, Error> {
        let mut command = Command::new(&self.program);
        command.args(words).arg("--results").arg(&self.context.results);
        if let Some(folder) = &self.context.catalogue_folder {
            command.arg("--catalogue").arg(folder);
        }
        if self.context.verbosity == crate::progress::Verbosity::Quiet {
            command.arg("--quiet");
        }
        // What it shows is shown together in the end.
        command.stdout(Stdio::null());
        self.wait(command)
    }

    /// Waits for a process. It has a group of its own, so that a signal reaches it once, and by this process.
    fn wait(&self, mut command: Command) -> Result<ExitStatus, Error> {
        if self.stop.requested() {
            return Err(self.stopped());
        }
        let failed = |error: io::Error| Error::Internal(format!("cannot start a process: {error}"));
        let program = command.get_program().to_owned();
        if program == "sh" {
            command.stdout(io::stderr());
        }
        let mut child = command.stdin(Stdio::null()).process_group(0).spawn().map_err(failed)?;
        let mut is_told = false;
        loop {
            if let Some(ended) = child.try_wait().map_err(failed)? {
                return if self.stop.requested() { Err(self.stopped()) } else { Ok(ended) };
            }
            if self.stop.requested() && !is_told {
                is_told = true;
                if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
                    // What a shell has called must end, too; dbdyno ends its own.
                    _ = if program == "sh" {
                        kill_process_group(pid, Signal::INT)
                    } else {
                        kill_process(pid, Signal::INT)
                    };
                }
            }
            std::thread::sleep(PAUSE);
        }
    }
}

/// Storage, pairs and runs over processors are not gone on with.
fn can_be_resumed(run: &RunJson) -> bool {
    !run.is_of_storage() && run.pairing.is_none() && run.points.iter().all(|point| point.cores.is_none())
}

fn shown(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| shell_word(word).to_string()).collect();
    output::clean(&format!("dbdyno {}", words.join(" ")))
}
