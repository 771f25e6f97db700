//! `dbdyno note`: keeps a user's own words beside a run, or shows them.

use super::context::Context;
use super::named_runs;
use crate::cli::NoteArgs;
use crate::error::Error;
use crate::output::{self, shell_word};
use dbdyno_model::{RunId, RunJson, RunNote};
use dbdyno_results::{FileAccess, Repository};
use serde::Serialize;

/// The notes of a run, after what was asked for.
#[derive(Debug, Serialize)]
struct Answer {
    run: RunId,
    notes: Vec<RunNote>,
    /// Notes that were taken away.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    removed: Vec<RunNote>,
}

pub(super) fn note(args: &NoteArgs, context: &Context) -> Result<(), Error> {
    // Read-only first: a mistyped name must not create a results file.
    let run = named_runs::one(&args.run, context)?;
    if run.published.is_some() {
        return Err(Error::Usage(format!(
            "'{}' is a published platform, and no run of yours; name a run, as `dbdyno list runs{}` shows them",
            args.run, context.same_files
        )));
    }
    let id = run.run.id.clone();
    let removed = if args.remove { open(context)?.remove_notes(&id)? } else { Vec::new() };
    if let Some(text) = &args.text {
        open(context)?.add_note(&id, &RunNote { at: jiff::Timestamp::now(), text: text.clone() })?;
    }
    let run = Repository::open(&context.results, FileAccess::ReadOnly)?.load(&id)?;
    let answer = Answer { run: id, notes: run.notes.clone(), removed };
    args.shown.format().show(&answer, || page(&answer, &run))?;
    if args.text.is_some() {
        context.say_next(
            &format!("dbdyno trend {}", shell_word(run.run.label.as_ref().unwrap_or(&run.run.suite))),
            "shows it at the changes that lie there",
        );
    }
    Ok(())
}

fn open(context: &Context) -> Result<Repository, Error> {
    Ok(Repository::open(&context.results, FileAccess::ReadWrite)?)
}

fn page(answer: &Answer, run: &RunJson) -> String {
    let label = run.run.label.as_ref().map(|label| format!(" ({})", output::clean(label))).unwrap_or_default();
    let line = |note: &RunNote| format!("{}  {}", note.at.strftime("%Y-%m-%d %H:%M UTC"), output::clean(&note.text));
    let title = match (answer.notes.len(), answer.removed.len()) {
        (0, 0) => format!("Run {}{label} has no notes", answer.run),
        (0, n) => format!("Run {}{label} has no notes any more; these were taken away ({n}):", answer.run),
        (n, _) => format!("Notes of run {}{label} ({n}):", answer.run),
    };
    let shown = if answer.notes.is_empty() { &answer.removed } else { &answer.notes };
    [title].into_iter().chain(shown.iter().map(line)).collect::<Vec<_>>().join("\n")
}
