//! What is drawn: the board as it was seen last, and what the user chose. Drawing asks for nothing else.

use super::options::ViewOptions;
use crate::board::{Board, Contact, PointMark, Scene};
use dbdyno_model::Reading;
use std::sync::Arc;

/// Readings that are kept for charts: an hour.
const KEPT: usize = 3_600;
/// Seconds of a chart's column that can be chosen.
const COLUMN_SECONDS: [u32; 6] = [1, 2, 5, 15, 30, 60];

/// The tables, of which a small screen shows one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    /// The points of the run.
    Points,
    /// Statements that took most time.
    Statements,
    /// Sessions at work.
    Sessions,
    /// Transaction types of the load.
    Types,
    /// Nodes of the target.
    Nodes,
    /// What is absent, and why.
    Absent,
    /// Lines that the user is to see.
    Notes,
}

impl Tab {
    /// All, in the order in which the key goes through them.
    pub(crate) const ALL: [Self; 7] =
        [Self::Points, Self::Statements, Self::Sessions, Self::Types, Self::Nodes, Self::Absent, Self::Notes];

    /// Its name.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Points => "Points",
            Self::Statements => "Statements",
            Self::Sessions => "Sessions",
            Self::Types => "Types",
            Self::Nodes => "Nodes",
            Self::Absent => "Absent",
            Self::Notes => "Notes",
        }
    }
}

/// Whether the picture follows the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Drawing {
    /// It does.
    Follows,
    /// It stands still, and the board goes on.
    Stands,
}

/// Whether the page of help is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Help {
    /// It is.
    Shown,
    /// It is not.
    Hidden,
}

/// What is drawn.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) options: ViewOptions,
    pub(crate) scene: Scene,
    pub(crate) marks: Vec<PointMark>,
    pub(crate) notes: Vec<String>,
    pub(crate) contact: Contact,
    pub(crate) over: Option<String>,
    /// The oldest first.
    pub(crate) readings: Vec<Arc<Reading>>,
    /// The newest reading that has the statements and sessions that work most.
    pub(crate) top: Option<Arc<Reading>>,
    /// Classes of waits in the order in which they were seen first, so that each keeps its sign.
    pub(crate) classes: Vec<String>,
    /// The number to ask the board with next time.
    next: u64,
    pub(crate) tab: Tab,
    /// Rows of the chosen table that are above the first one shown.
    pub(crate) scrolled: usize,
    /// Which of the widths of a chart's column is chosen.
    step: usize,
    pub(crate) drawing: Drawing,
    pub(crate) help: Help,
}

impl View {
    /// A view of nothing yet.
    pub(crate) fn new(options: ViewOptions) -> Self {
        Self {
            options,
            scene: Scene::default(),
            marks: Vec::new(),
            notes: Vec::new(),
            contact: Contact::Good,
            over: None,
            readings: Vec::new(),
            top: None,
            classes: Vec::new(),
            next: 0,
            tab: Tab::Statements,
            scrolled: 0,
            step: 1,
            drawing: Drawing::Follows,
            help: Help::Hidden,
        }
    }

    /// Takes what is new on the board. Returns whether anything was.
    pub(crate) fn follow(&mut self, board: &Board) -> bool {
        let news = board.since(self.next);
        let (scene, marks, notes, contact) = (board.scene(), board.marks(), board.notes(), board.contact());
        let changed = !news.readings.is_empty()
            || self.over != news.over
            || self.scene != scene
            || self.marks != marks
            || self.notes != notes
            || self.contact != contact;
        if self.marks.is_empty() && !marks.is_empty() && self.next == 0 {
            self.tab = Tab::Points;
        }
        (self.scene, self.marks, self.notes, self.contact) = (scene, marks, notes, contact);
        (self.over, self.next) = (news.over, news.next);
        for (_, reading) in news.readings {
            if reading.top.is_some() {
                self.top = Some(Arc::clone(&reading));
            }
            for wait in reading.database.iter().flat_map(|database| &database.waits) {
                if !wait.background && !self.classes.contains(&wait.class) {
                    self.classes.push(wait.class.clone());
                }
            }
            self.readings.push(reading);
        }
        self.readings.drain(..self.readings.len().saturating_sub(KEPT));
        changed
    }

    /// The newest reading.
    pub(crate) fn last(&self) -> Option<&Reading> {
        self.readings.last().map(AsRef::as_ref)
    }

    /// Seconds of a chart's column.
    pub(crate) fn column_seconds(&self) -> u32 {
        COLUMN_SECONDS[self.step]
    }

    /// Shows a longer time in charts.
    pub(crate) fn longer(&mut self) {
        self.step = (self.step + 1).min(COLUMN_SECONDS.len() - 1);
    }

    /// Shows a shorter time in charts.
    pub(crate) fn shorter(&mut self) {
        self.step = self.step.saturating_sub(1);
    }

    /// Whether dbdyno has a load of its own, as far as is remembered.
    pub(crate) fn has_load(&self) -> bool {
        !self.marks.is_empty()
            || self.scene.run.is_some()
            || self.readings.iter().rev().any(|reading| reading.load.is_some())
    }

    /// Tables that there may be anything in.
    pub(crate) fn tabs(&self) -> Vec<Tab> {
        let has = |tab: &Tab| match tab {
            Tab::Points => !self.marks.is_empty(),
            Tab::Types => self
                .last()
                .and_then(|r| r.load.as_ref())
                .is_some_and(|load| !(load.transactions.is_empty() && load.hosts.is_empty())),
            Tab::Nodes => self.last().is_some_and(|reading| !reading.nodes.is_empty()),
            Tab::Absent => self.last().is_some_and(|reading| !reading.missing.is_empty()),
            Tab::Notes => !self.notes.is_empty(),
            Tab::Statements | Tab::Sessions => true,
        };
        Tab::ALL.into_iter().filter(|tab| *tab == self.tab || has(tab)).collect()
    }

    /// Chooses the next table, or the one before.
    pub(crate) fn turn(&mut self, by: Turn) {
        let tabs = self.tabs();
        let at = tabs.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        let step = match by {
            Turn::Next => 1,
            Turn::Back => tabs.len() - 1,
        };
        self.tab = tabs[(at + step) % tabs.len()];
        self.scrolled = 0;
    }
}

/// Which table comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Turn {
    /// That on the right.
    Next,
    /// That on the left.
    Back,
}
