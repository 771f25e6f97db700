//! What `dbdyno check` finds on a server. Each statement of the dialect's `sql/check.sql` returns findings: rows of a
//! level, a subject and a text. The checks that are the same for all servers are here. Nothing is changed.

use super::connection::{Connection, first};
use super::describe::durability;
use super::questions::Questions;
use crate::contract::finding;
use crate::{EngineError, Finding, FindingLevel};
use dbdyno_model::{CommitMode, Drive, Size, TableShape};
use std::thread;

/// Connections that dbdyno needs besides those of the jobs: for control work, for watching and for cancelling.
const OWN_CONNECTIONS: i64 = 4;
/// How many times [`pooler`] asks both connections for their sessions.
const POOLER_PROBES: u32 = 3;

/// A size class, and the bytes that its tables take in this product.
#[derive(Debug, Clone)]
pub struct TableSizes {
    /// The size class.
    pub size: Size,
    /// Bytes of a small table.
    pub small_bytes: u64,
    /// Bytes of a large table.
    pub large_bytes: u64,
}

impl TableSizes {
    /// The table sizes of a size class. `bytes` computes the size of one table.
    pub fn of(size: &Size, bytes: impl Fn(&Size, TableShape) -> u64) -> Self {
        let (small_bytes, large_bytes) = (bytes(size, TableShape::Small), bytes(size, TableShape::Large));
        Self { size: size.clone(), small_bytes, large_bytes }
    }
}

/// Checks each node. If this finds no blocker, checks the server over the first connection. A server that is too old
/// would be a blocker, and may not understand the questions of that check.
pub fn check_nodes<C: Connection>(
    nodes: usize,
    open: impl Fn(usize) -> Result<C, EngineError>,
    mut check_node: impl FnMut(usize, &mut C) -> Vec<Finding>,
    check_server: impl FnOnce(&mut C) -> Result<Vec<Finding>, EngineError>,
) -> Vec<Finding> {
    let blocker = |error: EngineError| finding(FindingLevel::Blocker, "connection", error.to_string());
    let (mut findings, mut first_connection) = (Vec::new(), None);
    for node in 0..nodes {
        match open(node) {
            Ok(mut connection) => {
                findings.extend(check_node(node, &mut connection));
                first_connection = first_connection.or(Some(connection));
            }
            Err(error) => findings.push(blocker(error)),
        }
    }
    let is_blocked = findings.iter().any(|f| f.level == FindingLevel::Blocker);
    if let Some(mut connection) = first_connection.filter(|_| !is_blocked) {
        match check_server(&mut connection) {
            Ok(more) => findings.extend(more),
            Err(error) => findings.push(blocker(error)),
        }
    }
    findings
}

/// What the statements of the dialect find, and what the checks of every server find. The finding about durability is
/// for sessions that commit as `commit` says.
///
/// # Errors
/// The server is lost, or the durability of commits cannot be read.
pub fn findings(
    connection: &mut dyn Connection,
    questions: &Questions,
    sizes: &TableSizes,
    commit: CommitMode,
) -> Result<Vec<Finding>, EngineError> {
    let threads = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let questions = questions.clone().with([("threads", threads.to_string())]);
    let (rows, refused) = questions.all(connection, "check")?;
    let mut findings: Vec<Finding> = rows.into_iter().filter_map(from_row).collect();
    if let Some((_, error)) = refused.first() {
        let names: Vec<&str> = refused.iter().map(|(name, _)| name.as_str()).collect();
        let text = format!("not looked at: {} ({})", names.join(", "), error.message);
        findings.push(finding(FindingLevel::Warning, "questions", text));
    }
    findings.push(connections(questions.rows(connection, "describe/connections")?.unwrap_or_default(), threads));
    findings.extend(cache(questions.rows(connection, "describe/cache")?.unwrap_or_default(), sizes));
    let durability = durability(connection, &questions, commit, Drive::Client)?;
    let (level, text) = match (durability.unsafe_settings.as_slice(), durability.unknown) {
        ([], None) => (FindingLevel::Ok, questions.dialect.settings.safe.clone()),
        ([], Some(why)) => (FindingLevel::Warning, format!("{why}; only the proof before a run tells")),
        (texts, _) => (FindingLevel::Warning, format!("{}; writing tests are flagged", texts.join("; "))),
    };
    findings.push(finding(level, "durability", text));
    Ok(findings)
}

/// The finding of a row of a level, a subject and a text; `None` if a value is NULL, or the row has other columns.
fn from_row(row: Vec<Option<String>>) -> Option<Finding> {
    let [level, subject, text] = <[Option<String>; 3]>::try_from(row).ok()?;
    Some(finding(level?.parse().unwrap_or(FindingLevel::Blocker), &subject?, text?))
}

/// Whether there are enough connections for dbdyno itself and for two jobs on each hardware thread. The threads are
/// those of this machine, because those of the server are not known. A row has a limit in words, and the number of
/// connections that this limit leaves.
fn connections(rows: Vec<Vec<Option<String>>>, threads: u64) -> Finding {
    let limits: Vec<&str> = rows.iter().filter_map(|row| row.first()?.as_deref()).collect();
    let free = rows.iter().filter_map(|row| row.get(1)?.as_deref()?.parse::<i64>().ok()).min();
    let Some(jobs) = free.map(|free| (free - OWN_CONNECTIONS).max(0)) else {
        let text = "how many connections are left is not told".to_owned();
        return finding(FindingLevel::Ok, "connections", text);
    };
    let limits = limits.join(", ");
    if jobs.unsigned_abs() >= 2 * threads {
        return finding(FindingLevel::Ok, "connections", format!("{limits}: {jobs} jobs are possible"));
    }
    let advice = format!(
        "{limits}: only {jobs} jobs are possible, fewer than 2 for each of the {threads} hardware threads of this machine; \
         raise the limit, or choose shorter ramps"
    );
    finding(FindingLevel::Warning, "connections", advice)
}

/// Whether the engine's cache fits the size class. Cached tests need the small tables in the cache, and the other tests
/// must not find the large table there. The row has the cache's name, its bytes, and the setting that makes it larger.
fn cache(rows: Vec<Vec<Option<String>>>, sizes: &TableSizes) -> Option<Finding> {
    let [Some(name), Some(bytes), Some(raise)] = <[Option<String>; 3]>::try_from(rows.into_iter().next()?).ok()? else {
        return None;
    };
    let (bytes, TableSizes { size, small_bytes, large_bytes }) = (bytes.parse::<u64>().ok()?, sizes);
    let cache_is = format!("{name} is {}", mebibytes(bytes));
    let meant = format!("{cache_is}; size {} is meant for {}", size.id, mebibytes(size.engine_cache_bytes));
    let text = if bytes < size.engine_cache_bytes && bytes < 2 * small_bytes {
        format!(
            "{meant}, and its small tables of {} may not stay cached: use a smaller size, or raise {raise}",
            mebibytes(*small_bytes)
        )
    } else if bytes > size.engine_cache_bytes && bytes > large_bytes / 3 {
        format!(
            "{meant}, and so much of its large table of {} would be cached that storage tests do not measure the storage: \
             use a larger size",
            mebibytes(*large_bytes)
        )
    } else {
        return Some(finding(FindingLevel::Ok, "cache", format!("{cache_is}, right for size {}", size.id)));
    };
    Some(finding(FindingLevel::Warning, "cache", text))
}

/// Bytes as a text in MiB.
#[must_use]
pub fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

/// Finds a pooler that gives each statement whichever session of the server is free. Through such a pooler two
/// connections may share a session, and one connection may have several. Both connections are to the node `host`.
/// `describe/session` asks which session answers. `advice` says what to do besides naming the server itself.
pub fn pooler(
    [one, other]: [&mut dyn Connection; 2],
    questions: &Questions,
    host: &str,
    advice: &str,
) -> Option<Finding> {
    let (one_id, other_id) = (one.session_id(), other.session_id());
    let session = |connection: &mut dyn Connection| -> Option<u64> {
        first(questions.rows(connection, "describe/session").ok()?.ok()?)?.parse().ok()
    };
    for _ in 0..POOLER_PROBES {
        let (one_now, other_now) = (session(one)?, session(other)?);
        if one_now == other_now || one_now != one_id || other_now != other_id {
            let text = format!(
                "{host} is a pooler that hands out sessions of the server as it likes, so that settings, statements and \
                 counts do not stay together; name the server's own host and port{advice}"
            );
            return Some(finding(FindingLevel::Blocker, "connection", text));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned()).filter(|text| !text.is_empty())).collect()
    }

    fn sizes(cache_bytes: u64) -> TableSizes {
        let size = Size {
            id: "X".to_owned(),
            title: "for tests".to_owned(),
            small_rows: 1,
            large_rows: 32,
            engine_cache_bytes: cache_bytes,
            file_bytes: 1,
            bulk_partitions_per_job: 1,
        };
        TableSizes { size, small_bytes: 10 << 20, large_bytes: 320 << 20 }
    }

    #[test]
    fn rows_are_findings_or_nothing() {
        let found = from_row(row(&["warning", "limits", "too low"])).unwrap();
        assert_eq!((found.level, found.subject.as_str()), (FindingLevel::Warning, "limits"));
        assert!(from_row(row(&["warning", "limits", ""])).is_none() && from_row(row(&["ok"])).is_none());
        assert_eq!(from_row(row(&["blocker", "x", "y"])).unwrap().level, FindingLevel::Blocker);
    }

    #[test]
    fn connections_are_counted_by_the_narrowest_limit() {
        let rows = || vec![row(&["processes 5 of 20", "15"]), row(&["sessions 9 of 15", "6"]), row(&["others", ""])];
        let found = connections(rows(), 1);
        assert_eq!(found.level, FindingLevel::Ok);
        assert_eq!(found.message, "processes 5 of 20, sessions 9 of 15, others: 2 jobs are possible");
        let found = connections(rows(), 2);
        assert!(found.level == FindingLevel::Warning && found.message.contains("only 2 jobs are possible, fewer"));
        assert_eq!(connections(Vec::new(), 2).level, FindingLevel::Ok);
    }

    #[test]
    fn caches_fit_sizes() {
        let told = |mebibytes: u64, meant: u64| {
            let bytes = (mebibytes << 20).to_string();
            cache(vec![row(&["the cache", &bytes, "its size"])], &sizes(meant << 20)).unwrap().message
        };
        assert_eq!(told(64, 64), "the cache is 64 MiB, right for size X");
        assert!(
            told(16, 64).contains("small tables of 10 MiB may not stay cached: use a smaller size, or raise its size")
        );
        assert!(told(200, 64).contains("large table of 320 MiB would be cached that storage tests do not measure"));
        assert_eq!(cache(Vec::new(), &sizes(1)), None);
    }
}
