//! What a product has been told of sessions, waits and statements, as an [`Observation`]. Each dialect's statements
//! give the same columns.

use super::shown::{SqlStyle, shown, verb};
use crate::{Observation, StatementCount, for_everybody};
use dbdyno_model::{Counter, Counters, SessionReading, SessionState, WaitCount};

/// How many statements are told of, so that those are among them that took most of late; whoever looks shows fewer.
pub const STATEMENTS: u32 = 100;
/// How many sessions are told of.
pub const SESSIONS: u32 = 20;

/// Where an observation says why something is absent.
pub mod path {
    /// Sessions by state.
    pub const SESSIONS: &str = "sessions";
    /// Waits.
    pub const WAITS: &str = "waits";
    /// Replication.
    pub const LAG: &str = "replication_lag_s";
    /// Statements.
    pub const TOP_STATEMENTS: &str = "top.statements";
    /// Sessions at work.
    pub const TOP_SESSIONS: &str = "top.sessions";
}

/// The states that sessions are told by.
const STATES: [SessionState; 3] = [SessionState::Active, SessionState::IdleInTransaction, SessionState::Idle];

/// The counters of an observation: those of everybody, and executions where the server counts them for everybody.
#[must_use]
pub fn everybodys(counters: Counters, executions: Result<u64, String>) -> Counters {
    let mut counters = for_everybody(Counters { waits: Vec::new(), ..counters });
    counters.note(Counter::Executions, executions);
    counters
}

impl Observation {
    /// Notes why something is absent.
    pub fn lacks(&mut self, path: &str, why: impl Into<String>) {
        self.missing.insert(path.to_owned(), why.into());
    }

    /// Takes in sessions of clients in a state; one of no known state is left out.
    pub fn add_sessions(&mut self, state: &str, count: u32) {
        if let Some(state) = STATES.into_iter().find(|known| known.words() == state) {
            *self.sessions.entry(state).or_default() += count;
        }
    }

    /// Takes in processes that are at work now, by what they wait for. What time they stand for is for whoever looks
    /// again and again.
    pub fn add_at_work(&mut self, class: &str, event: &str, background: bool, count: u64) {
        let (class, event) = (class.to_owned(), event.to_owned());
        self.counters.waits.push(WaitCount { class, event, background, count, sampled: true, ..WaitCount::default() });
    }

    /// Takes in what is at work, from rows that see everybody: a state that none has is a state of no sessions. Rows
    /// are `session, STATE, COUNT` and `wait, CLASS, EVENT, BACKGROUND, COUNT`; others are passed over.
    pub fn add_rows(&mut self, rows: &[Vec<Option<String>>]) {
        STATES.iter().for_each(|state| _ = self.sessions.entry(*state).or_default());
        for row in rows {
            let texts: Vec<&str> = row.iter().map(|text| text.as_deref().unwrap_or_default()).collect();
            match texts.as_slice() {
                ["session", state, count, ..] => self.add_sessions(state, count.parse().unwrap_or(0)),
                ["wait", class, event, background, count, ..] => {
                    self.add_at_work(class, event, *background == "1", count.parse().unwrap_or(0));
                }
                _ => {}
            }
        }
    }

    /// Takes in rows of `DIGEST, CALLS, NANOSECONDS, TEXT`. The text is one that the server says it has normalised, or
    /// as it was sent.
    pub fn add_statements(&mut self, rows: &[Vec<Option<String>>], normalised: bool, style: SqlStyle) {
        let shown = if normalised { shown } else { verb };
        let statement = |row: &Vec<Option<String>>| match row.as_slice() {
            [Some(digest), Some(calls), Some(time_ns), text] => Some(StatementCount {
                digest: digest.clone(),
                text: shown(text.as_deref().unwrap_or_default(), style),
                calls: calls.parse().ok()?,
                time_ns: time_ns.parse().ok()?,
            }),
            _ => None,
        };
        self.statements.extend(rows.iter().filter_map(statement));
    }

    /// Takes in rows of `SESSION, USER, APPLICATION, WAIT, SECONDS, DIGEST, TEXT`, that with the oldest statement
    /// first. The text is as it was sent; where the statement is known by its digest, the text of that is shown.
    pub fn add_sessions_at_work(&mut self, rows: Vec<Vec<Option<String>>>, style: SqlStyle) {
        for row in rows {
            let Ok(row) = <[Option<String>; 7]>::try_from(row) else { continue };
            let [session, user, application, wait, for_s, digest, text] = row.map(Option::unwrap_or_default);
            let known = self.statements.iter().find(|known| !digest.is_empty() && known.digest == digest);
            let verb = verb(&text, style);
            let statement = match known {
                Some(known) => known.text.clone(),
                None if digest.is_empty() => verb,
                None => format!("{verb} {digest}"),
            };
            let for_s = for_s.parse::<f64>().unwrap_or(0.0).max(0.0);
            self.at_work.push(SessionReading { session, user, application, wait, for_s, statement });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STYLE: SqlStyle = SqlStyle { hash_comments: false, double_quotes_name: true };

    fn row(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    #[test]
    fn rows_are_sessions_and_waits() {
        let mut observed = Observation::default();
        let rows = [
            row(&["session", "active", "3"]),
            row(&["session", "idle in transaction", "1"]),
            row(&["session", "starting", "7"]),
            row(&["wait", "CPU", "running", "0", "2"]),
            row(&["wait", "IO", "WalSync", "1", "1"]),
            row(&["xact_commit", "5"]),
        ];
        observed.add_rows(&rows);
        assert_eq!(observed.sessions.values().copied().collect::<Vec<_>>(), [3, 1, 0]);
        let waits: Vec<_> = observed.counters.waits.iter().map(|wait| (wait.count, wait.background)).collect();
        assert_eq!(waits, [(2, false), (1, true)]);
    }

    #[test]
    fn a_session_shows_its_statement_only_as_the_server_has_normalised_it() {
        let mut observed = Observation::default();
        observed.add_statements(&[row(&["17", "2", "9", "SELECT a FROM t WHERE b = $1"])], true, STYLE);
        let at_work =
            |digest| row(&["4", "u", "app", "CPU running", "1.5", digest, "select a from t where b = 'secret'"]);
        observed.add_sessions_at_work(vec![at_work("17"), at_work("18"), at_work("")], STYLE);
        let shown: Vec<&str> = observed.at_work.iter().map(|session| session.statement.as_str()).collect();
        assert_eq!(shown, ["SELECT a FROM t WHERE b = $1", "SELECT 18", "SELECT"]);
        assert_eq!(observed.at_work[0].for_s, 1.5);
    }

    #[test]
    fn executions_of_everybody_are_told_where_the_server_counts_them() {
        let told = everybodys(Counters::default(), Ok(7));
        assert_eq!((told.get(Counter::Executions), told.missing.get(&Counter::Executions)), (Some(7), None));
        assert!(told.missing.contains_key(&Counter::ForeignCommits));
    }
}
