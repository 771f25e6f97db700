//! One platform or run among the others: its name, where it comes from, and its key figures.

use super::figure::{self, IndexFigure};
use crate::document::Form;
use crate::groups::joined;
use crate::legend::suspect_mark;
use crate::summary::head::{counted, year};
use crate::terminal::lines::{clean, clip};
use dbdyno_catalogue::Catalogue;
use dbdyno_model::{Published, PublishedCurve, PublishedCurvePoint, RunId, RunJson, UsableFor};

/// A text of the index is no longer than this, so that one hostile name does not fill it.
const LONGEST_CHARS: usize = 120;

/// What the index and the comparisons say of a run or a published result.
#[derive(Debug, Clone)]
pub struct Entry {
    pub(super) key: String,
    id: RunId,
    with: Option<RunId>,
    pub(super) is_published: bool,
    pub(super) name: String,
    /// The program that measured it, and when.
    pub(super) by: String,
    /// The source of a published result; the file of any other.
    pub(super) source: String,
    pub(super) hardware: String,
    pub(super) engine: String,
    pub(super) version: String,
    pub(super) size: String,
    /// A series over something other than jobs and threads, in few words.
    pub(super) series: String,
    pub(super) figures: Vec<Option<IndexFigure>>,
}

impl Entry {
    /// The entry of a run that stands in a file.
    pub(super) fn of(run: &RunJson, file: &str, catalogue: &Catalogue) -> Self {
        let shown = |text: &str| clip(&clean(text), LONGEST_CHARS).into_owned();
        let published = run.published.as_ref();
        let kind = if published.is_some() { "platform" } else { "run" };
        let cpu = &run.platform.cpu;
        let cores = cpu.cores.map(|n| counted(n.into(), "core"));
        let (of_storage, database) = (run.is_of_storage(), &run.database);
        Self {
            key: format!("{kind}-{}", run.run.id),
            id: run.run.id.clone(),
            with: run.pairing.as_ref().map(|pairing| pairing.with.clone()),
            is_published: published.is_some(),
            name: shown(run.name()),
            by: shown(&published.map_or_else(|| measured(run), by)),
            source: shown(published.map_or(file, |published| &published.source)),
            hardware: shown(&joined([cpu.model.clone(), cores].into_iter().flatten(), ", ")),
            engine: shown(if of_storage { "storage" } else { &database.engine }),
            version: shown(&database.version),
            size: shown(&run.run.size),
            series: shown(&published.and_then(|published| published.curves.iter().find_map(best)).unwrap_or_default()),
            figures: figure::of_run(run, catalogue),
        }
    }

    /// Its key, which begins the names of its files: letters, digits, `_` and `-`.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What it is, in a sentence: `run 4k2m9x1a`.
    #[must_use]
    pub fn words(&self) -> String {
        format!("{} {}", if self.is_published { "platform" } else { "run" }, self.id)
    }

    /// The key of the run that it was measured in turn with, if it was.
    #[must_use]
    pub fn partner(&self) -> Option<String> {
        self.with.as_ref().map(|id| format!("run-{id}"))
    }

    /// The name of its page.
    pub(super) fn page(&self) -> String {
        format!("{}.html", self.key)
    }

    /// Its name, with its id where it is a run: runs that share a label are a sample.
    pub(super) fn full_name(&self) -> String {
        match self.is_published || self.name == self.id.as_str() {
            true => self.name.clone(),
            false => format!("{} ({})", self.name, self.id),
        }
    }
}

fn by(published: &Published) -> String {
    joined([Some(published.benchmark.clone()), year(published)].into_iter().flatten(), ", ")
}

fn measured(run: &RunJson) -> String {
    format!("dbdyno {}, {}", run.run.tool_version, run.run.started_at.strftime("%Y-%m-%d"))
}

/// The best of a series whose result the source names.
fn best(curve: &PublishedCurve) -> Option<String> {
    let key = curve.primary.as_ref()?;
    let figure = |point: &PublishedCurvePoint| {
        let value = |key: &String| point.values.get(key).copied();
        // Doubt about the position is doubt about everything there.
        let suspects = [point.suspects.get(key), point.suspects.get(&curve.by), curve.suspects.get(key)];
        let usable = suspects.iter().flatten().all(|suspect| suspect.usable_for() == UsableFor::Value);
        usable.then_some((value(key)?, value(&curve.by)?, suspects.into_iter().any(|of| of.is_some())))
    };
    let (value, at, is_doubted) = curve.points.iter().filter_map(figure).max_by(|a, b| a.0.total_cmp(&b.0))?;
    let [value, at] = [value, at].map(|figure| Form::Printed.text(figure));
    let [key, by] = [key, &curve.by].map(|key| key.replace('_', " "));
    Some(format!("{}: {key} up to {value}{} at {at} {by}", curve.test, suspect_mark(is_doubted)))
}
