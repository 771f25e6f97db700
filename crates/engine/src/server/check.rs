//! What `dbdyno check` finds on a server: every statement of `sql/check.sql`, whose rows are a level, a subject and a
//! text, or nothing; and what is the same for all servers. Nothing is changed.

use super::connection::{Connection, first};
use super::describe::durability;
use super::questions::Questions;
use crate::contract::finding;
use crate::{EngineError, Finding, FindingLevel};
use dbdyno_model::{CommitMode, Drive, Size, TableShape};
use std::thread;

/// Connections of dbdyno's own beside those of jobs: for work, for watching, and for stopping them.
const OWN_CONNECTIONS: i64 = 4;
/// How often is asked which session of the server answers.
const POOLER_LOOKS: u32 = 3;

/// A size class, and the bytes that its tables take in this product.
#[derive(Debug, Clone)]
pub struct Sizes {
    /// The size class.
    pub size: Size,
    /// Bytes of a small table.
    pub small_bytes: u64,
    /// Bytes of a large one.
    pub large_bytes: u64,
}

impl Sizes {
    /// Those of a size class; `bytes` are those of a table.
    pub fn of(size: &Size, bytes: impl Fn(&Size, TableShape) -> u64) -> Self {
        let (small_bytes, large_bytes) = (bytes(size, TableShape::Small), bytes(size, TableShape::Large));
        Self { size: size.clone(), small_bytes, large_bytes }
    }
}

/// Looks at each node, and at the first as a server if nothing stands in the way: one that is too old need not
/// understand the questions.
pub fn look<L: Connection>(
    nodes: usize,
    open: impl Fn(usize) -> Result<L, EngineError>,
    mut of_node: impl FnMut(usize, &mut L) -> Vec<Finding>,
    of_server: impl FnOnce(&mut L) -> Result<Vec<Finding>, EngineError>,
) -> Vec<Finding> {
    let blocker = |error: EngineError| finding(FindingLevel::Blocker, "connection", error.to_string());
    let (mut findings, mut reached) = (Vec::new(), None);
    for node in 0..nodes {
        match open(node) {
            Ok(mut connection) => {
                findings.extend(of_node(node, &mut connection));
                reached = reached.or(Some(connection));
            }
            Err(error) => findings.push(blocker(error)),
        }
    }
    if let Some(mut connection) = reached.filter(|_| findings.iter().all(|f| f.level != FindingLevel::Blocker)) {
        match of_server(&mut connection) {
            Ok(more) => findings.extend(more),
            Err(error) => findings.push(blocker(error)),
        }
    }
    findings
}

/// What the statements of the dialect find, and what is asked of every server. `commit` is how sessions commit whose
/// durability is told.
///
/// # Errors
/// The server is lost, or a statement answers with something else than findings.
pub fn findings(
    connection: &mut dyn Connection,
    questions: &Questions,
    sizes: &Sizes,
    commit: CommitMode,
) -> Result<Vec<Finding>, EngineError> {
    let threads = thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let questions = questions.clone().with([("threads", threads.to_string())]);
    let (rows, refused) = questions.all(connection, "check")?;
    let mut findings: Vec<Finding> = rows.into_iter().filter_map(of_row).collect();
    if let Some((_, error)) = refused.first() {
        let names: Vec<&str> = refused.iter().map(|(name, _)| name.as_str()).collect();
        let text = format!("not looked at: {} ({})", names.join(", "), error.message);
        findings.push(finding(FindingLevel::Warning, "questions", text));
    }
    findings.push(connections(questions.rows(connection, "describe/connections")?.unwrap_or_default(), threads));
    findings.extend(cache(questions.rows(connection, "describe/cache")?.unwrap_or_default(), sizes));
    let durability = durability(connection, &questions, commit, Drive::Client)?;
    findings.push(match durability.unsafe_settings.as_slice() {
        [] => finding(FindingLevel::Ok, "durability", questions.dialect.settings.safe.clone()),
        texts => {
            finding(FindingLevel::Warning, "durability", format!("{}; writing tests are flagged", texts.join("; ")))
        }
    });
    Ok(findings)
}

/// A row of a level, a subject and a text; where one of them is not told, nothing is found.
fn of_row(row: Vec<Option<String>>) -> Option<Finding> {
    let [level, subject, text] = <[Option<String>; 3]>::try_from(row).ok()?;
    Some(finding(level?.parse().unwrap_or(FindingLevel::Blocker), &subject?, text?))
}

/// Whether there are connections for twice as many jobs as hardware threads of this machine (for want of the server's),
/// and for dbdyno's own. Rows are a limit in words, and how many connections it leaves.
fn connections(rows: Vec<Vec<Option<String>>>, threads: u64) -> Finding {
    let texts: Vec<&str> = rows.iter().filter_map(|row| row.first()?.as_deref()).collect();
    let free = rows.iter().filter_map(|row| row.get(1)?.as_deref()?.parse::<i64>().ok()).min();
    let Some(jobs) = free.map(|free| (free - OWN_CONNECTIONS).max(0)) else {
        let text = "how many connections are left is not told".to_owned();
        return finding(FindingLevel::Ok, "connections", text);
    };
    let text = texts.join(", ");
    if jobs.unsigned_abs() >= 2 * threads {
        return finding(FindingLevel::Ok, "connections", format!("{text}: {jobs} jobs are possible"));
    }
    let advice = format!(
        "{text}: only {jobs} jobs are possible, fewer than 2 for each of the {threads} hardware threads of this machine; \
         raise the limit, or choose shorter ramps"
    );
    finding(FindingLevel::Warning, "connections", advice)
}

/// Cached tests need the small tables in the engine's cache, the others must not have the large one there. The row is
/// the cache's name, its bytes, and what to raise.
fn cache(rows: Vec<Vec<Option<String>>>, sizes: &Sizes) -> Option<Finding> {
    let [Some(name), Some(bytes), Some(raise)] = <[Option<String>; 3]>::try_from(rows.into_iter().next()?).ok()? else {
        return None;
    };
    let (bytes, Sizes { size, small_bytes, large_bytes }) = (bytes.parse::<u64>().ok()?, sizes);
    let set = format!("{name} is {}", mebibytes(bytes));
    let meant = format!("{set}; size {} is meant for {}", size.id, mebibytes(size.engine_cache_bytes));
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
        return Some(finding(FindingLevel::Ok, "cache", format!("{set}, right for size {}", size.id)));
    };
    Some(finding(FindingLevel::Warning, "cache", text))
}

/// Bytes in words.
#[must_use]
pub fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

/// Whether something between gives each statement whichever session of the server is free. Two connections then have
/// one session, or one connection has several. `other` is a second connection to the same node, `of` the node, and
/// `describe/session` asks which session answers. `advice` says what to do besides naming the server itself.
pub fn pooler(connections: [&mut dyn Connection; 2], questions: &Questions, of: &str, advice: &str) -> Option<Finding> {
    let [connection, other] = connections;
    let (its, others_own) = (connection.session_id(), other.session_id());
    let answers = |connection: &mut dyn Connection| -> Option<u64> {
        first(questions.rows(connection, "describe/session").ok()?.ok()?)?.parse().ok()
    };
    for _ in 0..POOLER_LOOKS {
        let (now, others) = (answers(connection)?, answers(other)?);
        if now == others || now != its || others != others_own {
            let text = format!(
                "{of} is a pooler that hands out sessions of the server as it likes, so that settings, statements and \
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

    fn sizes(cache_bytes: u64) -> Sizes {
        let size = Size {
            id: "X".to_owned(),
            title: "for tests".to_owned(),
            small_rows: 1,
            large_rows: 32,
            engine_cache_bytes: cache_bytes,
            file_bytes: 1,
            bulk_partitions_per_job: 1,
        };
        Sizes { size, small_bytes: 10 << 20, large_bytes: 320 << 20 }
    }

    #[test]
    fn rows_are_findings_or_nothing() {
        let found = of_row(row(&["warning", "limits", "too low"])).unwrap();
        assert_eq!((found.level, found.subject.as_str()), (FindingLevel::Warning, "limits"));
        assert!(of_row(row(&["warning", "limits", ""])).is_none() && of_row(row(&["ok"])).is_none());
        assert_eq!(of_row(row(&["blocker", "x", "y"])).unwrap().level, FindingLevel::Blocker);
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
