//! Changes of several series at one place, and what of the platform changed there.

use super::result::{ChangedFact, NoteAtChange, TrendChange, TrendRun, TrendSeries, TrendStep};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Where no fact changed, this many steps before and after are looked at: the place of a change is not certain.
const NEARBY: i64 = 2;
/// A note on a run this many steps from a change is a note on the change.
const NOTED: usize = 1;

/// The first step of a new level and the last one before, the newest first.
type Place = Reverse<(usize, usize)>;

/// The changes of all series, the newest first.
pub(super) fn all(series: &[TrendSeries], runs: &[TrendRun], steps: &[TrendStep]) -> Vec<TrendChange> {
    let mut places: BTreeMap<Place, Vec<(usize, usize)>> = BTreeMap::new();
    for (at, of) in series.iter().enumerate() {
        for (n, change) in of.changes.iter().enumerate() {
            places.entry(Reverse((change.after_step, change.before_step))).or_default().push((at, n));
        }
    }
    let place = |(Reverse((after_step, before_step)), series)| {
        let (before, after) = (last_run(runs, steps, before_step)?, first_run(runs, steps, after_step)?);
        Some(TrendChange {
            before_step,
            after_step,
            before_run: before.id.clone(),
            after_run: after.id.clone(),
            at: after.started_at,
            series,
            facts: facts(runs, steps, before_step, after_step),
            notes: notes(runs, steps, after_step),
        })
    };
    places.into_iter().filter_map(place).collect()
}

fn first_run<'r>(runs: &'r [TrendRun], steps: &[TrendStep], step: usize) -> Option<&'r TrendRun> {
    runs.get(*steps.get(step)?.runs.first()?)
}

fn last_run<'r>(runs: &'r [TrendRun], steps: &[TrendStep], step: usize) -> Option<&'r TrendRun> {
    runs.get(*steps.get(step)?.runs.last()?)
}

/// Facts that changed between two steps; where none did, those that changed nearest to them.
fn facts(runs: &[TrendRun], steps: &[TrendStep], before: usize, after: usize) -> Vec<ChangedFact> {
    let there = between(runs, steps, before, after, 0);
    if !there.is_empty() {
        return there;
    }
    let moved = |step: usize, by: i64| i64::try_from(step).ok().and_then(|step| usize::try_from(step + by).ok());
    let nearby = |by: i64| {
        let ends =
            if by < 0 { (moved(before, by), moved(before, by + 1)) } else { (moved(after, by - 1), moved(after, by)) };
        ends.0.zip(ends.1).map(|(from, to)| between(runs, steps, from, to, by)).unwrap_or_default()
    };
    let nearest = (1..=NEARBY).map(|by| [nearby(-by), nearby(by)].concat()).find(|facts| !facts.is_empty());
    nearest.unwrap_or_default()
}

fn between(runs: &[TrendRun], steps: &[TrendStep], before: usize, after: usize, steps_later: i64) -> Vec<ChangedFact> {
    let (Some(before), Some(after)) = (last_run(runs, steps, before), first_run(runs, steps, after)) else {
        return Vec::new();
    };
    // Another dbdyno may say more or less of a platform, which is no change of it.
    let same_tool = before.facts.get(TOOL) == after.facts.get(TOOL);
    let names: BTreeSet<&String> = before.facts.keys().chain(after.facts.keys()).collect();
    let fact = |name: &String| {
        let [before, after] = [before, after].map(|run| run.facts.get(name).cloned());
        let counts = before != after && (same_tool || before.is_some() && after.is_some());
        counts.then(|| ChangedFact { name: name.clone(), before, after, steps_later })
    };
    names.into_iter().filter_map(fact).collect()
}

/// The fact that names dbdyno's version.
const TOOL: &str = "dbdyno version";

/// What was noted of the runs beside a change.
fn notes(runs: &[TrendRun], steps: &[TrendStep], after: usize) -> Vec<NoteAtChange> {
    let beside = steps.iter().enumerate().filter(|(at, _)| at.abs_diff(after) <= NOTED);
    let of_step = beside.flat_map(|(_, step)| &step.runs).filter_map(|run| runs.get(*run));
    of_step
        .flat_map(|run| run.notes.iter().map(|note| NoteAtChange { run: run.id.clone(), note: note.clone() }))
        .collect()
}
