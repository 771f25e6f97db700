//! Where readings are put, and where views find them.

use dbdyno_model::Reading;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Readings that are kept one by one: an hour.
const EVERY: usize = 3_600;
/// Of older ones, one in so many is kept.
const ONE_IN: u64 = 10;
/// So many of these: the 23 hours before.
const OLDER: usize = 8_280;
/// Points that are remembered.
const MARKS: usize = 2_000;
/// Notes that are remembered.
const NOTES: usize = 100;

/// What is looked at.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Scene {
    /// In a few words: the suite or workload, or what the monitor is for.
    pub title: String,
    /// The target, without any password.
    pub target: String,
    /// The engine and its version, once that is known.
    pub engine: String,
    /// The run, where readings belong to one.
    pub run: Option<String>,
    /// Whether it is played from a record.
    pub replayed: bool,
    /// What a project requires, drawn into charts.
    pub requirements: Vec<RequirementLine>,
}

/// A requirement, as a line in the chart of what it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct RequirementLine {
    /// The path of the figure in a reading, as in `load.ops_per_s`.
    pub path: String,
    /// The figure that must be kept.
    pub value: f64,
    /// In words, as in "at least 2,000 tx/s".
    pub words: String,
}

/// A point of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct PointMark {
    /// Its place in the plan, from 0.
    pub index: usize,
    /// Points of the plan.
    pub of: usize,
    /// The test, workload or storage load.
    pub subject: String,
    /// Its degree of parallelism in words.
    pub dop: String,
    /// When it began.
    pub began: jiff::Timestamp,
    /// When it was recorded.
    pub ended: Option<jiff::Timestamp>,
    /// How it ended, in words: its key figure, or its status.
    pub outcome: Option<String>,
    /// Seconds that all that is left takes, by the estimate when it began.
    pub left_s: f64,
}

/// Whether the server answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Contact {
    /// It does.
    #[default]
    Good,
    /// It does not, since a moment, for a reason.
    Lost {
        /// Since when.
        since: jiff::Timestamp,
        /// Why, in words.
        why: String,
    },
}

/// What a view has not seen yet.
#[derive(Debug, Clone, Default)]
pub struct News {
    /// The number to ask with next time.
    pub next: u64,
    /// Readings with their numbers, the oldest first. Numbers that are missing were forgotten before they were seen.
    pub readings: Vec<(u64, Arc<Reading>)>,
    /// Whether anything may still come.
    pub over: Option<String>,
}

#[derive(Default)]
struct State {
    scene: Scene,
    /// Older ones, thinned; then every one. Each with its number.
    older: VecDeque<(u64, Arc<Reading>)>,
    every: VecDeque<(u64, Arc<Reading>)>,
    next: u64,
    marks: VecDeque<PointMark>,
    notes: VecDeque<String>,
    contact: Contact,
    over: Option<String>,
    changes: u64,
}

/// Where readings are put, and where views find them. Its memory is bounded: the last hour is kept by the second, of
/// the day before one reading in ten.
#[derive(Default)]
pub struct Board {
    state: Mutex<State>,
    changed: Condvar,
}

impl Board {
    /// A board for what is looked at.
    #[must_use]
    pub fn new(scene: Scene) -> Self {
        let board = Self::default();
        board.state().scene = scene;
        board
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what is known of what is looked at.
    pub fn set_scene(&self, change: impl FnOnce(&mut Scene)) {
        let mut state = self.state();
        change(&mut state.scene);
        state.changes += 1;
    }

    /// Puts a reading up.
    pub fn push(&self, reading: Reading) {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        state.every.push_back((number, Arc::new(reading)));
        if state.every.len() > EVERY
            && let Some(old) = state.every.pop_front()
            && old.0.is_multiple_of(ONE_IN)
        {
            state.older.push_back(old);
            if state.older.len() > OLDER {
                state.older.pop_front();
            }
        }
        drop(state);
        self.changed.notify_all();
    }

    /// A point begins.
    pub fn begin_point(&self, mark: PointMark) {
        let mut state = self.state();
        state.changes += 1;
        state.marks.push_back(mark);
        if state.marks.len() > MARKS {
            state.marks.pop_front();
        }
    }

    /// The point of this index is recorded.
    pub fn end_point(&self, index: usize, ended: jiff::Timestamp, outcome: String) {
        let mut state = self.state();
        state.changes += 1;
        if let Some(mark) = state.marks.iter_mut().rev().find(|mark| mark.index == index) {
            (mark.ended, mark.outcome) = (Some(ended), Some(outcome));
        }
    }

    /// A line that the user is to see.
    pub fn note(&self, line: String) {
        let mut state = self.state();
        state.changes += 1;
        state.notes.push_back(line);
        if state.notes.len() > NOTES {
            state.notes.pop_front();
        }
    }

    /// Whether the server answers.
    pub fn set_contact(&self, contact: Contact) {
        let mut state = self.state();
        // A reading a second says that all is well.
        if state.contact == contact {
            return;
        }
        state.changes += 1;
        state.contact = contact;
    }

    /// Nothing more will come; why, in words.
    pub fn end(&self, why: String) {
        let mut state = self.state();
        state.changes += 1;
        state.over.get_or_insert(why);
        drop(state);
        self.changed.notify_all();
    }

    /// How often anything but readings has changed. A view asks for all of it only when this number is another one.
    #[must_use]
    pub fn changes(&self) -> u64 {
        self.state().changes
    }

    /// What is looked at.
    #[must_use]
    pub fn scene(&self) -> Scene {
        self.state().scene.clone()
    }

    /// Points, the first one first.
    #[must_use]
    pub fn marks(&self) -> Vec<PointMark> {
        self.state().marks.iter().cloned().collect()
    }

    /// The last lines that the user is to see.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        self.state().notes.iter().cloned().collect()
    }

    /// Whether the server answers.
    #[must_use]
    pub fn contact(&self) -> Contact {
        self.state().contact.clone()
    }

    /// Why nothing more will come, if so.
    #[must_use]
    pub fn over(&self) -> Option<String> {
        self.state().over.clone()
    }

    /// The newest reading.
    #[must_use]
    pub fn last(&self) -> Option<Arc<Reading>> {
        self.state().every.back().map(|(_, reading)| Arc::clone(reading))
    }

    /// All readings that are still here from this number on, the oldest first.
    #[must_use]
    pub fn since(&self, number: u64) -> News {
        Self::news(&self.state(), number)
    }

    /// The same, once there is a reading of this number or nothing more will come, or when the time is up.
    #[must_use]
    pub fn wait(&self, number: u64, limit: Duration) -> News {
        let nothing = |state: &mut State| state.next <= number && state.over.is_none();
        let waited = self.changed.wait_timeout_while(self.state(), limit, nothing);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        Self::news(&state, number)
    }

    fn news(state: &State, number: u64) -> News {
        let of = |kept: &VecDeque<(u64, Arc<Reading>)>| {
            let from = kept.partition_point(|(of, _)| *of < number);
            kept.range(from..).cloned().collect::<Vec<_>>()
        };
        let mut readings = of(&state.older);
        readings.extend(of(&state.every));
        News { next: state.next, readings, over: state.over.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(second: i64) -> Reading {
        Reading { at: jiff::Timestamp::from_second(second).unwrap(), ..Reading::default() }
    }

    #[test]
    fn a_day_and_more_takes_no_more_than_its_room() {
        let board = Board::default();
        (0..3 * 86_400).for_each(|second| board.push(reading(second)));
        let news = board.since(0);
        assert_eq!((news.readings.len(), news.next), (EVERY + OLDER, 3 * 86_400));
        let seconds: Vec<i64> = news.readings.iter().map(|(_, reading)| reading.at.as_second()).collect();
        assert!(seconds.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(seconds[0] >= 2 * 86_400 && seconds[0] < 2 * 86_400 + 20, "a day: {}", seconds[0]);
        assert_eq!(board.since(news.next - 2).readings.len(), 2);
        (0..MARKS + 5).for_each(|_| board.begin_point(mark(3)));
        (0..NOTES + 5).for_each(|_| board.note("x".to_owned()));
        assert_eq!((board.marks().len(), board.notes().len()), (MARKS, NOTES));
    }

    fn mark(index: usize) -> PointMark {
        let began = jiff::Timestamp::UNIX_EPOCH;
        let (subject, dop) = ("T611".to_owned(), "2 jobs".to_owned());
        PointMark { index, of: 9, subject, dop, began, ended: None, outcome: None, left_s: 1.0 }
    }

    #[test]
    fn a_view_waits_for_what_it_has_not_seen() {
        let board = Arc::new(Board::default());
        assert!(board.wait(0, Duration::from_millis(1)).readings.is_empty());
        let pusher = Arc::clone(&board);
        let pushing = std::thread::spawn(move || pusher.push(reading(7)));
        let news = board.wait(0, Duration::from_secs(30));
        assert_eq!((news.readings.len(), news.next, news.over), (1, 1, None));
        pushing.join().unwrap();
        board.end("the run is done".to_owned());
        board.end("later".to_owned());
        assert_eq!(board.wait(1, Duration::from_secs(30)).over.as_deref(), Some("the run is done"));
    }

    #[test]
    fn a_point_that_is_measured_again_is_the_newest() {
        let board = Board::default();
        board.begin_point(mark(0));
        board.begin_point(mark(0));
        board.end_point(0, jiff::Timestamp::UNIX_EPOCH, "ok".to_owned());
        assert_eq!(board.marks().iter().map(|mark| mark.outcome.is_some()).collect::<Vec<_>>(), [false, true]);
    }
}
