//! The Automatic Workload Repository: a snapshot before and after each point, whose numbers the point keeps, and the
//! server's own report between the two. All of it belongs to the Diagnostics Pack, so nothing is asked for unless the
//! target claims the licence. Where a snapshot is refused, the figures are what they are without it.

pub(crate) mod snapshots;

use super::connection::{Bind, OracleConnection};
use super::product::OracleEngine;
use crate::DIALECT;
use dbdyno_engine::server::{Connection as _, first, is_refusal, reason, unless_lost};
use dbdyno_engine::{EngineError, SnapshotsTaken, WorkloadRepository};
use dbdyno_model::{Awr, ErrorClass};
use snapshots::Answer;

/// What keeps a target from it that does not claim the licence.
const NOT_CLAIMED: &str = "AWR belongs to the Oracle Diagnostics Pack, and the target claims no licence of it: if this \
                           database has one, add --diagnostics-pack, else leave --awr-report away";
const DOING: &str = "fetching the AWR report";

/// Takes the snapshot before a point that works on so many of the target's nodes.
///
/// # Errors
/// The server is lost.
pub(super) fn begin(engine: &OracleEngine, nodes: u32) -> Result<(), EngineError> {
    if !engine.product.options.diagnostics_pack {
        return Ok(());
    }
    let sql = &DIALECT.get("diagnostics/repository_id")?.text;
    let asked = engine.with(|connection| connection.texts("asking for the database's number in AWR", sql));
    let dbid = unless_lost(asked)?.map_err(reason).and_then(|rows| dbid(first(rows)));
    let working = engine.nodes.iter().take(engine.working_nodes(nodes));
    let instances = working.filter_map(|node| node.account.instance()).collect();
    engine.product.snapshots.begin(dbid, instances, snapshot(engine)?);
    Ok(())
}

/// Takes the snapshot after a point.
///
/// # Errors
/// The server is lost.
pub(super) fn end(engine: &OracleEngine) -> Result<(), EngineError> {
    if engine.product.options.diagnostics_pack {
        engine.product.snapshots.end(snapshot(engine)?);
    }
    Ok(())
}

/// Takes a snapshot, of all instances of a cluster at once.
fn snapshot(engine: &OracleEngine) -> Result<Answer, EngineError> {
    let sql = &DIALECT.get("diagnostics/awr_snapshot")?.text;
    let asked = engine.with(|connection| connection.ask("taking an AWR snapshot", sql, 1));
    let user = &engine.product.options.user;
    Ok(unless_lost(asked)?.map_err(|error| refused(&error, user)).and_then(|numbers| number(&numbers)))
}

/// Why a snapshot was not taken.
fn refused(error: &EngineError, user: &str) -> String {
    match is_refusal(error) {
        true => format!(
            "{}; an administrator runs: GRANT EXECUTE ON sys.dbms_workload_repository TO {user}",
            error.message.lines().next().unwrap_or_default()
        ),
        false => error.message.clone(),
    }
}

/// The number of a snapshot, as the block gives it back.
fn number(numbers: &[i128]) -> Answer {
    let number = numbers.first().and_then(|number| u64::try_from(*number).ok());
    number.ok_or_else(|| format!("the server's answer is no number of a snapshot: {numbers:?}"))
}

/// The database's number, as `repository_id` tells it.
fn dbid(told: Option<String>) -> Answer {
    let number = told.as_ref().and_then(|text| text.trim().parse().ok());
    number.ok_or_else(|| format!("v$database does not tell it: {}", told.as_deref().unwrap_or("no row")))
}

/// The repository of a target.
pub(crate) struct Repository<'e>(pub(crate) &'e OracleEngine);

impl WorkloadRepository for Repository<'_> {
    fn is_open(&self) -> Result<(), String> {
        if self.0.product.options.diagnostics_pack { Ok(()) } else { Err(NOT_CLAIMED.to_owned()) }
    }

    fn taken(&self) -> Option<SnapshotsTaken> {
        self.0.product.snapshots.taken()
    }

    fn report(&self, of: &Awr, instance: u64, most_bytes: usize) -> Result<String, EngineError> {
        self.is_open().map_err(EngineError::other)?;
        let binds = binds(of, instance)?;
        let sql = &DIALECT.get("diagnostics/awr_report")?.text;
        self.0.with(|connection| fetch(connection, sql, &binds, most_bytes))
    }
}

/// What the report is asked with: database, instance, and the snapshots.
fn binds(of: &Awr, instance: u64) -> Result<[Bind<'static>; 4], EngineError> {
    let lacks = |what: &str| EngineError::other(format!("{DOING}: {what} is not known"));
    let (dbid, begin, end) = (
        of.dbid.ok_or_else(|| lacks("the database's number"))?,
        of.begin_snapshot.ok_or_else(|| lacks("the snapshot before the point"))?,
        of.end_snapshot.ok_or_else(|| lacks("the snapshot after the point"))?,
    );
    let large = |number: u64| i64::try_from(number).map_err(|_| EngineError::other(format!("{DOING}: {number}?")));
    Ok([Bind::Int(large(dbid)?), Bind::Int(large(instance)?), Bind::Int(large(begin)?), Bind::Int(large(end)?)])
}

fn fetch(
    connection: &mut OracleConnection,
    sql: &str,
    binds: &[Bind<'_>],
    most_bytes: usize,
) -> Result<String, EngineError> {
    let mut report = Report { text: String::new(), most_bytes };
    connection.each_line(DOING, sql, binds, |line| report.add(line))?;
    report.whole()
}

/// A report that comes line by line.
struct Report {
    text: String,
    most_bytes: usize,
}

impl Report {
    fn add(&mut self, line: Option<&str>) -> Result<(), EngineError> {
        let line = line.unwrap_or_default();
        if self.text.len() + line.len() + 1 > self.most_bytes {
            let message = format!("{DOING}: it is longer than {} MiB, and was left out", self.most_bytes >> 20);
            return Err(EngineError::new(ErrorClass::Other, message));
        }
        self.text.push_str(line);
        self.text.push('\n');
        Ok(())
    }

    fn whole(self) -> Result<String, EngineError> {
        match self.text.trim().is_empty() {
            true => Err(EngineError::new(ErrorClass::Other, format!("{DOING}: the server gave an empty one"))),
            false => Ok(self.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::views::Views;
    use dbdyno_engine::Target;

    fn engine(target: &str) -> OracleEngine {
        crate::engine(&Target::parse(target).unwrap()).unwrap()
    }

    #[test]
    fn snapshots_are_told_once_with_what_is_missing() {
        let engine = engine("oracle://scott@db1,db2/bench?diagnostics_pack=yes");
        let repository = Repository(&engine);
        assert_eq!((repository.is_open(), repository.taken()), (Ok(()), None));
        let snapshots = &engine.product.snapshots;
        snapshots.begin(Ok(1_557_521_192), [2, 1].into(), Ok(5_390));
        snapshots.end(Ok(5_391));
        let taken = repository.taken().unwrap();
        let whole = Awr {
            dbid: Some(1_557_521_192),
            instances: vec![1, 2],
            begin_snapshot: Some(5_390),
            end_snapshot: Some(5_391),
            reports: Vec::new(),
        };
        assert_eq!((&taken.awr, taken.missing.len()), (&whole, 0));
        assert_eq!(repository.taken(), None, "it is told once");
        // Of a point that did not end, or without the right to make snapshots.
        snapshots.begin(Ok(7), [1].into(), Err("ORA-00942: no such view".to_owned()));
        snapshots.end(Err("this user may not".to_owned()));
        let refused = repository.taken().unwrap();
        assert_eq!((refused.awr.begin_snapshot, refused.awr.end_snapshot), (None, None));
        assert_eq!(refused.missing["awr.begin_snapshot"], "ORA-00942: no such view");
        assert_eq!(refused.missing["awr.end_snapshot"], "this user may not");
        snapshots.end(Ok(9));
        assert_eq!(repository.taken(), None, "nothing had begun");
    }

    #[test]
    fn a_target_without_the_licence_is_not_asked() {
        for target in ["oracle://scott@db1/bench", "oracle://scott@db1/bench?diagnostics_pack=no"] {
            let engine = engine(target);
            // Nobody is at db1: what asked it would fail.
            begin(&engine, 1).unwrap();
            end(&engine).unwrap();
            let repository = Repository(&engine);
            assert_eq!(repository.taken(), None);
            assert!(repository.is_open().unwrap_err().contains("--diagnostics-pack"));
            let refused = repository.report(&Awr::default(), 1, 1_000).unwrap_err();
            assert!(refused.message.contains("claims no licence"), "{refused}");
        }
    }

    #[test]
    fn the_database_is_the_one_that_is_connected_to() {
        let mut views = Views::new();
        // Of a container database: its own number is another than that of the pluggable one.
        views.set("v$database", &[&[("con_dbid", "2623271973")]]);
        let sql = &DIALECT.get("diagnostics/repository_id").unwrap().text;
        let rows = views.texts("asking", sql).unwrap();
        assert_eq!(dbid(first(rows)), Ok(2_623_271_973));
        views.set("v$database", &[]);
        let nothing = dbid(first(views.texts("asking", sql).unwrap()));
        assert_eq!(nothing, Err("v$database does not tell it: no row".to_owned()));
        assert!(dbid(Some("many".to_owned())).is_err());
        let no_right = EngineError::new(ErrorClass::UnknownObject, "PLS-00201: must be declared\nORA-06550");
        assert!(refused(&no_right, "bench").ends_with("GRANT EXECUTE ON sys.dbms_workload_repository TO bench"));
        assert_eq!(refused(&EngineError::other("ORA-13509: full"), "bench"), "ORA-13509: full");
        assert_eq!((number(&[5_390]), number(&[]).is_err(), number(&[-1]).is_err()), (Ok(5_390), true, true));
    }

    #[test]
    fn a_report_is_asked_for_between_both_snapshots_or_not_at_all() {
        let whole = Awr { dbid: Some(7), begin_snapshot: Some(1), end_snapshot: Some(2), ..Awr::default() };
        let asked: Vec<String> = binds(&whole, 3).unwrap().iter().map(|bind| format!("{bind:?}")).collect();
        assert_eq!(asked, ["Int(7)", "Int(3)", "Int(1)", "Int(2)"], "the order of the function's arguments");
        for (lacking, what) in [
            (Awr { dbid: None, ..whole.clone() }, "the database's number"),
            (Awr { begin_snapshot: None, ..whole.clone() }, "the snapshot before"),
            (Awr { end_snapshot: None, ..whole.clone() }, "the snapshot after"),
        ] {
            assert!(binds(&lacking, 1).unwrap_err().message.contains(what), "{what}");
        }
    }

    #[test]
    fn a_report_is_whole_or_none() {
        let of = |lines: &[Option<&str>], most_bytes| {
            let mut report = Report { text: String::new(), most_bytes };
            lines.iter().try_for_each(|line| report.add(*line)).and_then(|()| report.whole())
        };
        let lines = [Some("<html>"), None, Some("wait é"), Some("</html>")];
        assert_eq!(of(&lines, 1 << 20).unwrap(), "<html>\n\nwait é\n</html>\n");
        assert!(of(&[], 1 << 20).unwrap_err().message.contains("empty"));
        assert!(of(&[None, Some(" ")], 1 << 20).unwrap_err().message.contains("empty"));
        let long = "x".repeat(1_000);
        let long = Some(long.as_str());
        assert!(of(&[long; 1_047], 1 << 20).is_ok());
        assert!(of(&[long; 1_048], 1 << 20).unwrap_err().message.contains("longer than 1 MiB"));
    }
}
