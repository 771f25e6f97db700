//! A test on its way. It is kept after each cut, so that what was found is not lost with this process.

use super::super::context::Context;
use super::control::Control;
use super::document::{self, Head};
use crate::cli::DurabilityArgs;
use crate::error::Error;
use dbdyno_model::{CrashReport, Cut, DurabilityControl, DurabilityJson, Experiment, ExperimentKind};
use dbdyno_results::{FileAccess, Repository};
use dbdyno_run::crash::CrashError;
use std::cell::RefCell;

/// What is said of a test that nobody has ended.
const UNDER_WAY: &str = "it is under way, or its process was killed";

/// What was found until now.
pub(super) struct Record<'a> {
    head: Head,
    args: &'a DurabilityArgs,
    context: &'a Context,
    report: RefCell<CrashReport>,
    control: RefCell<Option<(Control, CrashReport)>>,
}

impl<'a> Record<'a> {
    pub(super) fn new(head: Head, args: &'a DurabilityArgs, context: &'a Context) -> Self {
        Self { head, args, context, report: RefCell::default(), control: RefCell::default() }
    }

    /// Says what came of a cut, and keeps it.
    pub(super) fn hear(&self, cut: &Cut, of_control: Option<&Control>) {
        self.context.say(&document::in_a_line(cut, self.args.cuts));
        match of_control {
            None => self.report.borrow_mut().cuts.push(cut.clone()),
            Some(control) => {
                let mut controlled = self.control.borrow_mut();
                let (_, report) = controlled.get_or_insert_with(|| (control.clone(), CrashReport::default()));
                report.cuts.push(cut.clone());
            }
        }
        self.keep_what_is_there();
    }

    /// The test without a control has ended, and this is all that it found.
    pub(super) fn ended(&self, report: &CrashReport) {
        self.report.replace(report.clone());
        self.keep_what_is_there();
    }

    fn keep_what_is_there(&self) {
        let controlled = self.control.borrow().clone().map(|(control, report)| document::control(control, report));
        let found = (self.report.borrow().clone(), controlled);
        let kept = self.keep(&document::document(&self.head, self.args, found, None, Some(UNDER_WAY.to_owned())));
        if let Err(error) = kept {
            self.context.say(&format!("what was found until now is not kept: {error}"));
        }
    }

    /// Keeps all that was found, shows it, and says how it came out.
    ///
    /// # Errors
    /// Something was lost, the test ended early, or it cannot be kept.
    pub(super) fn conclude(
        &self,
        found: (CrashReport, Option<DurabilityControl>),
        version: Option<String>,
        ended: Result<(), CrashError>,
    ) -> Result<(), Error> {
        let why = ended.as_ref().err().map(ToString::to_string);
        let document = document::document(&self.head, self.args, found, version, why);
        let kept = self.keep(&document);
        self.args.shown.format().show(&document, || document::page(&document))?;
        if kept.is_ok() {
            self.context.say(&format!("it is kept in {} as {}", self.context.results.display(), document.id));
            self.context.say_next(&format!("dbdyno show {}", document.id), "shows it again");
        }
        outcome(&document, ended).and(kept)
    }

    fn keep(&self, document: &DurabilityJson) -> Result<(), Error> {
        let DurabilityJson { id, label, started_at, target, ended_early, schema_version, .. } = document;
        let experiment = Experiment {
            id: id.clone(),
            kind: ExperimentKind::Durability,
            label: label.clone(),
            started_at: *started_at,
            target: target.clone(),
            complete: ended_early.is_none(),
        };
        let mut repository =
            Repository::open(&self.context.results, FileAccess::ReadWrite).map_err(Error::Recording)?;
        repository.store_experiment(&experiment, (*schema_version, document)).map_err(Error::Recording)
    }
}

/// A loss that was seen is one, whatever ended the test then.
fn outcome(document: &DurabilityJson, ended: Result<(), CrashError>) -> Result<(), Error> {
    document::judge_losses(document)?;
    ended.map_err(|error| Error::Crash(error.to_string()))?;
    document::judge_control(document)
}
