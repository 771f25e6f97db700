//! Changes of several series at one place, and what of the platform changed there.

use super::result::{ChangedFact, NoteAtChange, TrendChange, TrendRun, TrendSeries, TrendStep};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Where no fact changed, this many steps before and after are looked at: the place of a change is not certain.
const NEARBY: usize = 2;
/// A note on a run this many steps from a change is a note on the change.
const NOTED: usize = 1;

/// The first step of a new level and the last one before, the newest first; and the runs on both sides. Steps have runs
/// of several platforms, and a change is of one.
type Between = (Reverse<(usize, usize)>, [usize; 2]);

/// The changes of all series, the newest first.
pub(super) fn all(series: &[TrendSeries], runs: &[TrendRun], steps: &[TrendStep]) -> Vec<TrendChange> {
    let mut changes: BTreeMap<Between, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, of) in series.iter().enumerate() {
        for (n, change) in of.changes.iter().enumerate() {
            let before = of.figures.iter().rfind(|figure| figure.step == change.before_step);
            let after = of.figures.iter().find(|figure| figure.step == change.after_step);
            if let (Some(before), Some(after)) = (before, after) {
                let between = (Reverse((after.step, before.step)), [before.run, after.run]);
                changes.entry(between).or_default().push((at, n));
            }
        }
    }
    let change = |((Reverse((after_step, before_step)), [before, after]), series): (Between, _)| {
        let (before, after) = (runs.get(before)?, runs.get(after)?);
        let of_place = OfPlace::of(after, runs, steps);
        Some(TrendChange {
            before_step,
            after_step,
            before_run: before.id.clone(),
            after_run: after.id.clone(),
            at: after.started_at,
            series,
            facts: of_place.facts((before_step, before), (after_step, after)),
            notes: of_place.notes(after_step),
        })
    };
    changes.into_iter().filter_map(change).collect()
}

/// The steps that have runs of one place, and these runs.
pub(super) struct OfPlace<'t>(Vec<(usize, Vec<&'t TrendRun>)>);

impl<'t> OfPlace<'t> {
    /// The steps of the place of a run.
    pub(super) fn of(run: &TrendRun, runs: &'t [TrendRun], steps: &[TrendStep]) -> Self {
        let of_step = |step: &TrendStep| -> Vec<&TrendRun> {
            step.runs.iter().filter_map(|at| runs.get(*at)).filter(|other| other.place == run.place).collect()
        };
        let all = steps.iter().map(of_step).enumerate();
        Self(all.filter(|(_, runs)| !runs.is_empty()).collect())
    }

    fn position(&self, step: usize) -> Option<usize> {
        self.0.iter().position(|(other, _)| *other == step)
    }

    /// Facts that changed between two runs; where none did, those that changed nearest to them.
    fn facts(&self, before: (usize, &TrendRun), after: (usize, &TrendRun)) -> Vec<ChangedFact> {
        let there = between(before.1, after.1, 0);
        if !there.is_empty() {
            return there;
        }
        let (before, after) = (self.position(before.0), self.position(after.0));
        let nearby = |by: usize| {
            let earlier = before.and_then(|at| at.checked_sub(by)).map(|at| (at, -(by as i64)));
            let later = after.map(|at| (at + by - 1, by as i64));
            let ends = |(at, by): (usize, i64)| {
                let (before, after) = (self.0.get(at)?.1.last()?, self.0.get(at + 1)?.1.first()?);
                Some(between(before, after, by))
            };
            earlier.into_iter().chain(later).filter_map(ends).flatten().collect::<Vec<_>>()
        };
        (1..=NEARBY).map(nearby).find(|facts| !facts.is_empty()).unwrap_or_default()
    }

    /// What was noted of the runs beside a change.
    pub(super) fn notes(&self, after_step: usize) -> Vec<NoteAtChange> {
        let Some(after) = self.position(after_step) else { return Vec::new() };
        let beside = self.0.iter().enumerate().filter(|(at, _)| at.abs_diff(after) <= NOTED);
        let runs = beside.flat_map(|(_, (_, runs))| runs);
        let of_run =
            |run: &&'t TrendRun| run.notes.iter().map(|note| NoteAtChange { run: run.id.clone(), note: note.clone() });
        runs.flat_map(of_run).collect()
    }
}

fn between(before: &TrendRun, after: &TrendRun, steps_later: i64) -> Vec<ChangedFact> {
    // Another dbdyno may say more or less of a platform, which is no change of it.
    let known =
        [before, after].map(|run| run.facts.iter().map(|(name, value)| (name, value)).collect::<BTreeMap<_, _>>());
    let value = |of: usize, name: &String| known[of].get(name).map(|value| (*value).clone());
    let same_tool = value(0, &TOOL.to_owned()) == value(1, &TOOL.to_owned());
    // In the order of facts. One that only the run before has stands among the last.
    let gone = before.facts.iter().filter(|(name, _)| !known[1].contains_key(name));
    let names = after.facts.iter().chain(gone).map(|(name, _)| name);
    let fact = |name: &String| {
        let [before, after] = [value(0, name), value(1, name)];
        let counts = before != after && (same_tool || before.is_some() && after.is_some());
        counts.then(|| ChangedFact { name: name.clone(), before, after, steps_later })
    };
    names.filter_map(fact).collect()
}

/// The fact that names dbdyno's version.
const TOOL: &str = "dbdyno version";
