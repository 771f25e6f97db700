//! How long the parts of a load took, over all sessions.

use super::recover;
use dbdyno_model::TableName;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Instant;

/// The parts of a table's load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Writing rows.
    Fill,
    /// Building keys.
    Index,
    /// What the engine does to rest: statistics, visibility.
    Tidy,
    /// Reading everything back.
    Prove,
}

/// When each part began first and ended last, over all sessions.
#[derive(Debug, Default)]
pub struct Times(Mutex<BTreeMap<(TableName, Phase), (Instant, Instant)>>);

impl Times {
    /// Runs until it is dropped.
    pub fn clock(&self, table: TableName, phase: Phase) -> Clock<'_> {
        Clock { times: self, part: (table, phase), began: Instant::now() }
    }

    /// Seconds of writing rows, and of everything.
    pub fn of(&self, table: TableName) -> (f64, f64) {
        let times = recover(&self.0);
        let seconds = |phase| times.get(&(table, phase)).map_or(0.0, |(from, to)| (*to - *from).as_secs_f64());
        let all = [Phase::Fill, Phase::Index, Phase::Tidy, Phase::Prove];
        (seconds(Phase::Fill), all.into_iter().map(seconds).sum())
    }
}

/// Measures one leaf's part.
pub struct Clock<'t> {
    times: &'t Times,
    part: (TableName, Phase),
    began: Instant,
}

impl Drop for Clock<'_> {
    fn drop(&mut self) {
        let mut times = recover(&self.times.0);
        let now = Instant::now();
        let (from, to) = times.entry(self.part).or_insert((self.began, now));
        (*from, *to) = ((*from).min(self.began), now);
    }
}
