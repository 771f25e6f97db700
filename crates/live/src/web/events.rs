//! Readings as they come, by server-sent events. A piece is made when the client has read the one before: a slow client
//! misses readings, and nothing is kept for it.

use super::connections::Counted;
use super::json::state;
use crate::board::Board;
use dbdyno_model::Reading;
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};
use tokio::time::Sleep;

/// How often the board is looked at.
const LOOK: Duration = Duration::from_millis(250);
/// A sign of life, so that both sides notice when the other is gone.
const HEARTBEAT: Duration = Duration::from_secs(5);
/// Readings that a client may be behind. Of more it asks the history.
const BEHIND: usize = 300;
/// Points in each message; more do not begin between two looks.
const MARKS: usize = 20;

/// Where a client goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum From {
    /// With this reading.
    Number(u64),
    /// With the next one to come.
    Now,
    /// It was with another dbdyno before, and must begin anew.
    Anew,
}

pub(super) struct Events {
    board: Arc<Board>,
    life: String,
    next: u64,
    changes: Option<u64>,
    changed: bool,
    waiting: VecDeque<String>,
    readings: VecDeque<(u64, Arc<Reading>)>,
    sleep: Pin<Box<Sleep>>,
    said: Instant,
    over: bool,
    _counted: Counted,
}

impl Events {
    pub(super) fn new(board: Arc<Board>, life: String, from: From, counted: Counted) -> Self {
        let now = board.since(u64::MAX).next;
        let mut waiting = VecDeque::from(["retry: 2000\n\n".to_owned()]);
        let next = match from {
            From::Number(number) if number <= now => number,
            From::Now => now,
            From::Number(_) | From::Anew => {
                waiting.push_back(GAP.to_owned());
                now
            }
        };
        Self {
            board,
            life,
            next,
            changes: None,
            changed: false,
            waiting,
            readings: VecDeque::new(),
            sleep: Box::pin(tokio::time::sleep(Duration::ZERO)),
            said: Instant::now(),
            over: false,
            _counted: counted,
        }
    }

    pub(super) fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<String>> {
        loop {
            if let Some(text) = self.piece() {
                self.said = Instant::now();
                return Poll::Ready(Some(text));
            }
            if self.over {
                return Poll::Ready(None);
            }
            if self.sleep.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.sleep.as_mut().reset(tokio::time::Instant::now() + LOOK);
            self.look();
        }
    }

    /// Readings come before news of all else: what a run ends with is seen before its end.
    fn piece(&mut self) -> Option<String> {
        if let Some(text) = self.waiting.pop_front().or_else(|| self.reading()) {
            return Some(text);
        }
        let changed = std::mem::take(&mut self.changed);
        changed.then(|| format!("event: state\ndata: {}\n\n", state(&self.board, MARKS)))
    }

    fn reading(&mut self) -> Option<String> {
        let (number, reading) = self.readings.pop_front()?;
        let text = serde_json::to_string(&*reading).ok()?;
        Some(format!("id: {}-{number}\nevent: reading\ndata: {text}\n\n", self.life))
    }

    fn look(&mut self) {
        let news = self.board.since(self.next);
        self.next = news.next;
        self.readings = news.readings.into();
        if self.readings.len() > BEHIND {
            self.readings.drain(..self.readings.len() - 1);
            self.waiting.push_back(GAP.to_owned());
        }
        let changes = self.board.changes();
        self.changed |= self.changes.replace(changes) != Some(changes);
        self.over = news.over.is_some();
        if self.waiting.is_empty() && self.readings.is_empty() && !self.changed && self.said.elapsed() >= HEARTBEAT {
            self.waiting.push_back(": still here\n\n".to_owned());
        }
    }
}

/// The client has missed so much that it must ask for the history.
const GAP: &str = "event: gap\ndata: {}\n\n";
