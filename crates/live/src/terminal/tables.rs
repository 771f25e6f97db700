//! The tables: what stands in their columns, and why one is empty.

use super::figure::{Kind, mean, reason};
use super::view::{Tab, View};
use dbdyno_model::{LoadReading, Reading, SessionState};
use dbdyno_report::numbers;

/// A column.
pub(crate) struct Column {
    pub(crate) heading: &'static str,
    pub(crate) width: Width,
    pub(crate) room: Keep,
}

/// Whether a column gives way where there is little room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// It stays.
    Always,
    /// It gives way, so that nothing is cut in the others.
    WithRoom,
}

/// The width of a column, and the side on which its texts stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// A figure, on the right.
    Figure(u16),
    /// A text, on the left.
    Text(u16),
    /// A text that takes what is left over.
    Rest,
}

/// A table.
pub(crate) struct Table {
    /// What stands behind its title.
    pub(crate) said: String,
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<String>>,
    /// What is said instead of rows where there are none.
    pub(crate) empty: String,
}

fn column(heading: &'static str, width: Width) -> Column {
    Column { heading, width, room: Keep::Always }
}

fn spare(heading: &'static str, width: Width) -> Column {
    Column { heading, width, room: Keep::WithRoom }
}

/// The chosen table.
pub(crate) fn table(view: &View, tab: Tab) -> Table {
    match tab {
        Tab::Points => points(view),
        Tab::Statements => statements(view),
        Tab::Sessions => sessions(view),
        Tab::Types => types(view),
        Tab::Nodes => nodes(view),
        Tab::Absent => absent(view),
        Tab::Notes => notes(view),
    }
}

/// What is said of an empty table: the reason, if the newest reading has one.
fn why(view: &View, path: &str, otherwise: &str) -> String {
    view.last().and_then(|reading| reason(reading, path)).unwrap_or(otherwise).to_owned()
}

fn points(view: &View) -> Table {
    let row = |mark: &crate::PointMark| {
        let took = mark.ended.map(|ended| ended.duration_since(mark.began).as_secs_f64());
        vec![
            numbers::count(mark.index as u64 + 1),
            mark.subject.clone(),
            mark.dop.clone(),
            clock(mark.began),
            Kind::Time.text(took),
            mark.outcome.clone().unwrap_or_else(|| "at work".to_owned()),
        ]
    };
    Table {
        said: "the newest first".to_owned(),
        columns: vec![
            column("#", Width::Figure(4)),
            column("subject", Width::Text(12)),
            column("DOP", Width::Text(10)),
            spare("began", Width::Text(8)),
            spare("took", Width::Figure(10)),
            column("outcome", Width::Rest),
        ],
        rows: view.marks.iter().rev().map(row).collect(),
        empty: "no point has begun".to_owned(),
    }
}

/// When the newest table of what works most was read.
fn as_of(view: &View) -> String {
    view.top.as_ref().map(|reading| format!("as of {}", clock(reading.at))).unwrap_or_default()
}

fn statements(view: &View) -> Table {
    let top = view.top.as_ref().and_then(|reading| reading.top.as_ref());
    let rows = top.iter().flat_map(|top| &top.statements).map(|of| {
        vec![mean(Some(of.sessions)), Kind::Amount.text(Some(of.calls_per_s)), of.digest.clone(), of.text.clone()]
    });
    Table {
        said: as_of(view),
        columns: vec![
            column("at work", Width::Figure(8)),
            column("calls/s", Width::Figure(10)),
            spare("digest", Width::Text(12)),
            column("statement", Width::Rest),
        ],
        rows: rows.collect(),
        empty: why(view, "top.statements", "no statement was seen yet"),
    }
}

fn sessions(view: &View) -> Table {
    let top = view.top.as_ref().and_then(|reading| reading.top.as_ref());
    let rows = top.iter().flat_map(|top| &top.sessions).map(|of| {
        vec![
            of.session.clone(),
            of.user.clone(),
            of.application.clone(),
            Kind::Time.text(Some(of.for_s)),
            of.wait.clone(),
            of.statement.clone(),
        ]
    });
    Table {
        said: as_of(view),
        columns: vec![
            column("session", Width::Text(8)),
            spare("user", Width::Text(9)),
            spare("application", Width::Text(12)),
            column("for", Width::Figure(10)),
            column("waits for", Width::Text(14)),
            column("statement", Width::Rest),
        ],
        rows: rows.collect(),
        empty: why(view, "top.sessions", "no session was seen at work"),
    }
}

fn types(view: &View) -> Table {
    let load = view.last().and_then(|reading| reading.load.as_ref());
    let row = |(name, of): (&String, &LoadReading)| {
        let (service, response) = (of.service_time_s.unwrap_or_default(), of.response_time_s.unwrap_or_default());
        let mut row = vec![name.clone()];
        row.extend([of.ops_per_s, of.errors_per_s, of.retries_per_s].map(|rate| Kind::Amount.text(rate)));
        row.extend([service.p50, service.p99, response.p99].map(|time| Kind::Time.text(time)));
        row
    };
    Table {
        said: "of transactions".to_owned(),
        columns: vec![
            column("type", Width::Text(16)),
            column("ops/s", Width::Figure(10)),
            spare("errors/s", Width::Figure(9)),
            spare("retries/s", Width::Figure(9)),
            column("p50", Width::Figure(9)),
            column("p99", Width::Figure(9)),
            column("resp. p99", Width::Figure(9)),
        ],
        rows: load.iter().flat_map(|load| load.transactions.iter().chain(&load.hosts)).map(row).collect(),
        empty: why(view, "load.transactions", "the load has one transaction type, or is at rest"),
    }
}

fn nodes(view: &View) -> Table {
    let row = |(name, of): (&String, &dbdyno_model::DatabaseReading)| {
        let active = (!of.sessions.is_empty()).then(|| of.sessions.get(&SessionState::Active).copied().unwrap_or(0));
        vec![
            name.clone(),
            Kind::Amount.text(of.commits_per_s),
            Kind::Amount.text(of.rates.logical_reads_per_s),
            Kind::Amount.text(of.rates.physical_reads_per_s),
            Kind::Amount.text(of.redo.mib_per_s),
            Kind::Amount.text(active.map(f64::from)),
        ]
    };
    Table {
        said: String::new(),
        columns: vec![
            column("node", Width::Text(20)),
            column("commits/s", Width::Figure(10)),
            column("logical/s", Width::Figure(11)),
            column("physical/s", Width::Figure(11)),
            column("redo MiB/s", Width::Figure(10)),
            column("active", Width::Figure(8)),
        ],
        rows: view.last().iter().flat_map(|reading| &reading.nodes).map(row).collect(),
        empty: why(view, "nodes", "the target has one node"),
    }
}

fn absent(view: &View) -> Table {
    Table {
        said: "what is shown as -, and why".to_owned(),
        columns: vec![column("figure", Width::Text(34)), column("why it is absent", Width::Rest)],
        rows: view.last().iter().flat_map(|r| &r.missing).map(|(path, why)| vec![path.clone(), why.clone()]).collect(),
        empty: "nothing is absent".to_owned(),
    }
}

fn notes(view: &View) -> Table {
    Table {
        said: "the newest first".to_owned(),
        columns: vec![column("note", Width::Rest)],
        rows: view.notes.iter().rev().map(|note| vec![note.clone()]).collect(),
        empty: "no notes".to_owned(),
    }
}

/// The time of day, UTC.
pub(crate) fn clock(at: jiff::Timestamp) -> String {
    at.strftime("%H:%M:%S").to_string()
}

/// The time that the run still takes, by the estimate of its newest point.
pub(crate) fn left_s(view: &View) -> Option<f64> {
    let mark = view.marks.last()?;
    let now = view.last().map_or(mark.began, |reading: &Reading| reading.at);
    Some((mark.left_s - now.duration_since(mark.began).as_secs_f64()).max(0.0))
}
