//! `dbdyno describe`: attaches to runs what their owner says of the platform. A file that cannot be used changes
//! nothing.

use super::context::Context;
use super::{named_runs, workloads};
use crate::cli::DescribeArgs;
use crate::error::Error;
use crate::output;
use dbdyno_catalogue::platform_template;
use dbdyno_model::{Described, DescribedDifference, RunId, RunJson, SubjectKind};
use dbdyno_results::{FileAccess, Repository};
use serde::Serialize;
use std::path::Path;

/// The longest file that is accepted. It goes into the results, and into every report.
const LONGEST_BYTES: u64 = 256 << 10;

/// What was done.
#[derive(Debug, Serialize)]
struct Answer {
    runs: Vec<RunId>,
    /// Runs that had a description before.
    replaced: usize,
    /// What they are described by now; absent where the description was removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    described: Option<Described>,
    /// Remarks whose subject no run has a point of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unseen: Vec<String>,
}

pub(super) fn describe(args: &DescribeArgs, context: &Context) -> Result<(), Error> {
    let Some(asked) = &args.run else {
        output::text(&platform_template())?;
        context.say_next("dbdyno describe last --file FILE", "attaches it to the newest run, once it is filled in");
        return Ok(());
    };
    let described = args.file.as_ref().map(|file| read(file, context)).transpose()?;
    // Read-only first: a mistyped name must not create a results file.
    let ids = named_runs::own(asked, context)?;
    let had = Repository::open(&context.results, FileAccess::ReadWrite)?.describe(&ids, described.as_ref())?;
    let replaced = had.into_iter().filter(|had| *had).count();
    let repository = Repository::open(&context.results, FileAccess::ReadOnly)?;
    let runs: Vec<RunJson> =
        ids.iter().map(|id| named_runs::load(&repository, id, context)).collect::<Result<_, _>>()?;
    let described = described.map(|described| Described { differs: differences(&runs), ..described });
    let unseen = described.as_ref().map(|described| unseen(described, &runs)).unwrap_or_default();
    let answer = Answer { runs: ids, replaced, described, unseen };
    args.shown.format().show(&answer, || page(&answer, &runs))?;
    if let Some(run) = runs.first().filter(|_| answer.described.is_some()) {
        context.say_next(&format!("dbdyno show {} --table platform", run.run.id), "shows it, beside what was seen");
    }
    Ok(())
}

/// What a file says.
fn read(file: &Path, context: &Context) -> Result<Described, Error> {
    let shown = file.display().to_string();
    let unread = |e: &dyn std::fmt::Display| Error::Usage(format!("cannot read the description from {shown}: {e}"));
    let text = dbdyno_files::read(file, LONGEST_BYTES).map_err(|e| unread(&e))?;
    let text = String::from_utf8(text).map_err(|_| unread(&"it is no text in UTF-8"))?;
    let mut described = context.catalogue.describe(&shown, &text)?;
    for remark in described.remarks.iter().filter(|remark| remark.subject.kind == SubjectKind::Workload) {
        let name = &remark.subject.name;
        workloads::known(name).map_err(|e| Error::Usage(format!("{shown}: [[remark]]: key 'workload': {e}")))?;
    }
    described.at = Some(jiff::Timestamp::now());
    Ok(described)
}

/// What contradicts the observations of any run, each once.
fn differences(runs: &[RunJson]) -> Vec<DescribedDifference> {
    let mut all: Vec<DescribedDifference> = Vec::new();
    for difference in runs.iter().filter_map(|run| run.described.as_ref()).flat_map(|described| &described.differs) {
        if !all.contains(difference) {
            all.push(difference.clone());
        }
    }
    all
}

/// The subjects of remarks that no reader will see, because no run has a point of them.
fn unseen(described: &Described, runs: &[RunJson]) -> Vec<String> {
    let mut unseen: Vec<String> = Vec::new();
    for subject in described.remarks.iter().map(|remark| &remark.subject) {
        let is_seen = runs.iter().flat_map(|run| &run.points).any(|point| point.subject.name() == subject.name());
        if !is_seen && !unseen.contains(&subject.name) {
            unseen.push(subject.name.clone());
        }
    }
    unseen
}

fn page(answer: &Answer, runs: &[RunJson]) -> String {
    let one_line = |text: &str| output::clean(text).replace('\n', "\\n");
    let label = |run: &RunJson| run.run.label.as_ref().map(|l| format!(" ({})", one_line(l))).unwrap_or_default();
    let (who, are, have) = match runs {
        [run] => (format!("Run {}{}", run.run.id, label(run)), "is", "has"),
        runs => (format!("{} runs{}", runs.len(), runs.first().map(label).unwrap_or_default()), "are", "have"),
    };
    let Some(described) = &answer.described else {
        return match answer.replaced {
            0 => format!("{who} {have} no description: nothing was changed"),
            _ => format!("{who} {are} no longer described"),
        };
    };
    let counted = |n: usize, what: &str| match n {
        0 => None,
        1 => Some(format!("1 {what}")),
        n => Some(format!("{n} {what}s")),
    };
    let Described { file, prices, notes, remarks, conclusion, differs, .. } = described;
    let says = [
        counted(described.count(), "fact"),
        counted(prices.len(), "price"),
        counted(notes.len(), "note"),
        counted(remarks.len(), "remark"),
        conclusion.as_ref().map(|_| "a conclusion".to_owned()),
    ];
    let says = says.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let instead = if answer.replaced > 0 { ", in place of what was said before" } else { "" };
    let mut lines = vec![format!("{who} {are} described by {} now{instead}: {says}", one_line(file))];
    for DescribedDifference { title, said, observed, .. } in differs {
        let (title, said, observed) = (one_line(title), one_line(said), one_line(observed));
        lines.push(format!("{title}: it says {said}, and dbdyno saw {observed}; what was seen stays"));
    }
    if !answer.unseen.is_empty() {
        lines.push(format!("Remarks on {} are not shown: no point of that was measured", answer.unseen.join(", ")));
    }
    lines.join("\n")
}
