//! What an instance tells of everybody's work, for whoever looks again and again. No pack is needed. Not tried on a
//! server: the statements are judged by grammars, by the names of the dictionary, and on tables that stand for the
//! views.

use super::DIALECT;
use super::connection::OracleConnection;
use super::snapshot::{self, ask_sql};
use super::statistics::{Answer, Named, Read, Rows, counters};
use dbdyno_engine::server::observed::{SESSIONS, STATEMENTS, everybodys, path};
use dbdyno_engine::server::shown::SqlStyle;
use dbdyno_engine::server::{Connection, first};
use dbdyno_engine::{Depth, EngineError, Observation};

const STYLE: SqlStyle = SqlStyle { hash_comments: false, double_quotes_name: true };
/// What an instance counts statements by.
const EXECUTIONS: &str = "execute count";
/// Why there is no lag.
const NO_STANDBY: &str = "this database is no standby, and how far others are behind it they know alone";

/// Looks at an instance.
///
/// # Errors
/// The server is lost.
pub(super) fn look(connection: &mut OracleConnection, depth: Depth) -> Result<Observation, EngineError> {
    let read = snapshot::instance(connection)?;
    observed(connection, &read, depth)
}

fn observed(connection: &mut dyn Connection, read: &Read, depth: Depth) -> Result<Observation, EngineError> {
    let executions = read.system.as_ref().map_err(Clone::clone).and_then(|system: &Named| system.told(EXECUTIONS));
    let mut observed =
        Observation { counters: everybodys(counters::of_instance(read), executions), ..Observation::default() };
    for (statement, path) in [("sessions", path::SESSIONS), ("waits", path::WAITS)] {
        match ask(connection, statement)? {
            Ok(rows) => observed.add_rows(&rows),
            Err(why) => observed.lacks(path, why),
        }
    }
    match ask(connection, "lag")?.map(first) {
        Ok(Some(lag)) => match seconds(&lag) {
            Some(lag) => observed.replication_lag_s = Some(lag),
            None => observed.lacks(path::LAG, "the standby does not tell how far it is behind"),
        },
        Ok(None) => observed.lacks(path::LAG, NO_STANDBY),
        Err(why) => observed.lacks(path::LAG, why),
    }
    if depth == Depth::Statements {
        match ask(connection, "statements")? {
            Ok(rows) => observed.add_statements(&rows, false, STYLE),
            Err(why) => observed.lacks(path::TOP_STATEMENTS, why),
        }
        match ask(connection, "at_work")? {
            Ok(rows) => observed.add_sessions_at_work(rows, STYLE),
            Err(why) => observed.lacks(path::TOP_SESSIONS, why),
        }
    }
    Ok(observed)
}

fn ask(connection: &mut dyn Connection, statement: &str) -> Result<Answer<Rows>, EngineError> {
    let sql = DIALECT.get(&format!("observe/{statement}"))?.text.clone();
    let sql = sql.replace("{statements}", &STATEMENTS.to_string()).replace("{sessions}", &SESSIONS.to_string());
    ask_sql(connection, "looking at the instance", &sql)
}

/// The seconds of an interval as the server writes it: `+00 00:01:05`.
fn seconds(interval: &str) -> Option<f64> {
    let (days, time) = interval.trim().trim_start_matches('+').split_once(' ')?;
    let mut parts = time.split(':').map(|part| part.parse::<f64>().ok());
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    Some(days.parse::<f64>().ok()? * 86_400.0 + hours * 3_600.0 + minutes * 60.0 + seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::views::Views;
    use dbdyno_model::{Counter, SessionState};
    use std::collections::BTreeMap;

    #[test]
    fn intervals_are_seconds() {
        assert_eq!(seconds("+00 00:01:05"), Some(65.0));
        assert_eq!(seconds("+01 02:00:00.5"), Some(93_600.5));
        assert_eq!(seconds("unknown"), None);
    }

    #[test]
    fn an_instance_tells_of_sessions_and_of_statements_without_their_literals() {
        let mut views = Views::new();
        let session = |sid: &'static str, status: &'static str, taddr: &'static str| {
            [
                ("sid", sid),
                ("type", "USER"),
                ("status", status),
                ("taddr", taddr),
                ("state", "WAITING"),
                ("wait_class", "Commit"),
                ("event", "log file sync"),
                ("username", "SCOTT"),
                ("last_call_et", sid),
                ("sql_id", "abc"),
                ("module", if sid == "9" { "dbdyno watch" } else { "app" }),
            ]
        };
        let rows = [
            session("1", "ACTIVE", ""),
            session("7", "ACTIVE", "1F"),
            session("8", "INACTIVE", "2F"),
            session("9", "ACTIVE", ""),
            session("10", "INACTIVE", ""),
        ];
        views.set("v$session", &rows.iter().map(<[_; 11]>::as_slice).collect::<Vec<_>>());
        let statement = "select secret from t where a = \"secret\"";
        views.set(
            "v$sqlstats",
            &[&[("sql_id", "abc"), ("executions", "3"), ("elapsed_time", "17"), ("sql_text", statement)]],
        );
        views.set("v$dataguard_stats", &[&[("name", "apply lag"), ("value", "+00 00:00:07")]]);
        let rows = [vec![Some(EXECUTIONS.to_owned()), Some("41".to_owned())]];
        let none = || Err("not asked".to_owned());
        let read = Read {
            system: Ok(Named::read(&rows)),
            times: none(),
            machine: none(),
            files: none(),
            dirty: Err("not asked".to_owned()),
            waits: Ok(Vec::new()),
            cursors: Ok(Default::default()),
        };
        let told = observed(&mut views, &read, Depth::Statements).unwrap();
        let expected = [(SessionState::Active, 1), (SessionState::IdleInTransaction, 1), (SessionState::Idle, 1)];
        assert_eq!(told.sessions, BTreeMap::from(expected), "without this session (1) and that which watches");
        let waits: Vec<_> = told.counters.waits.iter().map(|wait| (wait.event.as_str(), wait.count)).collect();
        assert_eq!((waits, told.counters.get(Counter::Executions)), (vec![("log file sync", 1)], Some(41)));
        assert_eq!((told.replication_lag_s, told.statements[0].text.as_str()), (Some(7.0), "SELECT"));
        assert_eq!((told.statements[0].time_ns, told.at_work[0].statement.as_str()), (17_000, "SELECT"));
        assert!(!format!("{told:?}").contains("secret"));
    }
}
