//! What `dbdyno check` looks at on a server before anything is touched: can it be reached, may dbdyno work there, and
//! what would make its figures doubtful. Where something is missing, the message has the very statement that helps.
//! What the server itself can judge is in dialect/sql/check.sql.

mod privileges;
mod room;

use super::connection::OracleConnection;
use super::describe::{self, ask};
use super::options::{Options, Part};
use super::{DIAGNOSTICS_CLAIM, NOTICE, space};
use crate::DIALECT;
use dbdyno_engine::server::check::{self, TableSizes, mebibytes};
use dbdyno_engine::server::{Connection as _, partition_count};
use dbdyno_engine::{EngineError, Finding, FindingLevel, finding};
use dbdyno_model::{CommitMode, Size, TableName, TableShape};
use privileges::Privileges;
use room::Room;

/// Rows a second that one session is supposed to load, keys and proof included; not measured.
const ROWS_PER_S: u64 = 20_000;

/// User data that the free editions hold, in the words of ORA-12954.
const FREE_BYTES: u64 = 12 << 30;

/// What stands in the way, and what does not.
pub(super) fn findings(options: &Options, size: &Size, tables: &[TableName]) -> Vec<Finding> {
    let notice = finding(FindingLevel::Warning, "notice", format!("dbdyno's Oracle engine is {NOTICE}"));
    let open = |node| OracleConnection::open(options, node, "dbdyno check");
    let mut instances = Vec::new();
    let of_node = |node, connection: &mut OracleConnection| {
        let (instance, version, place) = (connection.instance(), connection.version(), options.place(node));
        let text = format!("{place} is Oracle Database {}, release {version}, instance {instance}", version.product());
        let version = finding(FindingLevel::Ok, "version", text);
        let repeated = repeated(&mut instances, instance);
        [version].into_iter().chain(spread(options, node, connection)).chain(repeated).collect()
    };
    let found =
        check::check_nodes(options.places.len(), open, of_node, |connection| server(connection, options, size, tables));
    [notice].into_iter().chain(found).collect()
}

/// Whether the instance of a node is that of an earlier node, too.
fn repeated(earlier: &mut Vec<u64>, instance: u64) -> Option<Finding> {
    let is_known = earlier.contains(&instance);
    earlier.push(instance);
    is_known.then(|| {
        let text = format!(
            "two nodes of the target are instance {instance}, whose counters would count twice; name each node by a host or \
             service of its own"
        );
        finding(FindingLevel::Blocker, "connection", text)
    })
}

/// What is found of a server that answers.
fn server(
    connection: &mut OracleConnection,
    options: &Options,
    size: &Size,
    tables: &[TableName],
) -> Result<Vec<Finding>, EngineError> {
    let user = ask(connection, "schema")?.remove("user").unwrap_or_else(|| options.schema());
    let privileges = Privileges::ask(connection)?;
    let mut findings = privileges.findings(&user);
    let questions = describe::questions(options);
    let installed = questions.answers(connection, "describe/options")?;
    let edition = questions.answers(connection, "facts/product")?.remove("edition");
    let edition = edition.as_deref().unwrap_or("this server");
    for (part, option) in [(Part::Partitioning, "Partitioning"), (Part::AdvancedCompression, "Advanced Compression")] {
        let has = installed.get(&option.to_lowercase()).map(|value| value.eq_ignore_ascii_case("TRUE"));
        findings.push(licence(part, option, (!options.leaves_out(part)).then_some(has), edition));
    }
    findings.extend(free_edition(edition, size, tables));
    let pool = ask(connection, "keep_pool")?.get("keep_pool").and_then(|bytes| bytes.parse().ok());
    findings.extend(keep_pool(pool.unwrap_or(0), size));
    let growth = ask(connection, "growth")?.get("growth").and_then(|bytes| bytes.parse().ok());
    let quota = connection.texts("asking for the quota", &DIALECT.get("load/quota")?.text)?;
    let room = Room::read(quota.first().map_or(&[], Vec::as_slice), growth, privileges.unlimited_space());
    findings.push(room.finding(&user, size, tables));
    let sizes = TableSizes::of(size, space::table_bytes);
    findings.extend(check::findings(connection, &questions, &sizes, CommitMode::Durable)?);
    if options.diagnostics_pack {
        findings.push(finding(FindingLevel::Warning, "licences", format!("{DIAGNOSTICS_CLAIM}; no server proves one")));
    }
    findings.push(time(size, tables));
    Ok(findings)
}

/// Whether sessions of one node come to several instances, or two share one session of the server.
fn spread(options: &Options, node: usize, connection: &mut OracleConnection) -> Option<Finding> {
    // Where there is no room for a second connection, that is said elsewhere.
    let other = OracleConnection::open(options, node, "dbdyno check").ok()?;
    let place = options.place(node);
    if connection.instance() != other.instance() {
        let text = format!(
            "{place} gives one session instance {}, and another instance {}: a listener or service spreads them, and the \
             counters of one instance say nothing of the other's; name each node by a host or service of its own",
            connection.instance(),
            other.instance()
        );
        return Some(finding(FindingLevel::Blocker, "connection", text));
    }
    (connection.session_id() == other.session_id() && connection.serial() == other.serial()).then(|| {
        let text = format!(
            "{place} gives two connections one session of the server (a pool stands between), so that settings and counts do \
             not stay apart; name a dedicated service"
        );
        finding(FindingLevel::Blocker, "connection", text)
    })
}

/// What is licensed apart, named; and what is asked for and not there. `wanted` is whether it is installed, as far as
/// the server says; none where it is left out.
fn licence(part: Part, option: &str, wanted: Option<Option<bool>>, edition: &str) -> Finding {
    let name = part.name();
    let (level, text) = match (wanted, part) {
        (None, _) => (FindingLevel::Ok, format!("{option} is left out, and tests that need it are unsupported")),
        (Some(Some(false)), Part::Partitioning) => (
            FindingLevel::Blocker,
            format!("{edition} has no {option}, and tables cannot be created; add --without {name}"),
        ),
        (Some(Some(false)), _) => {
            (FindingLevel::Warning, format!("{edition} has no {option}: its tests fail; add --without {name}"))
        }
        _ => (
            FindingLevel::Warning,
            format!("tests use {}; that it is installed is no licence: without one add --without {name}", part.words()),
        ),
    };
    finding(level, "licences", text)
}

/// What the editions that cost nothing hold, and whether a size fits in.
fn free_edition(edition: &str, size: &Size, tables: &[TableName]) -> Option<Finding> {
    if !["Free", "Express Edition"].contains(&edition) {
        return None;
    }
    let needed = space::needed_bytes(size, tables);
    let holds = format!("the edition {edition} holds {} of user data at most", mebibytes(FREE_BYTES));
    Some(if needed > FREE_BYTES {
        let text = format!("{holds}, and size {} takes about {}; choose a smaller size", size.id, mebibytes(needed));
        finding(FindingLevel::Blocker, "edition", text)
    } else {
        let text = format!("{holds}, and uses 2 cores and 2 GiB of memory: figures are of these, not of the machine");
        finding(FindingLevel::Warning, "edition", text)
    })
}

/// Whether the KEEP pool, where there is one, has room for what asks for it: a join reads two small tables.
fn keep_pool(bytes: u64, size: &Size) -> Option<Finding> {
    let table = space::table_bytes(size, TableShape::Small);
    let pool = format!("a KEEP pool of {}", mebibytes(bytes));
    match bytes {
        0 => None,
        bytes if bytes < 2 * table => {
            let text = format!(
                "{pool}, and small tables of {} with their keys ask for it: cached tests would read from storage; raise \
                 db_keep_cache_size to {} or more, or set it to 0",
                mebibytes(table),
                mebibytes(2 * table)
            );
            Some(finding(FindingLevel::Warning, "cache", text))
        }
        _ => {
            Some(finding(FindingLevel::Ok, "cache", format!("{pool}, right for small tables of {}", mebibytes(table))))
        }
    }
}

/// How long a load takes, roughly.
fn time(size: &Size, tables: &[TableName]) -> Finding {
    let rows: u64 = tables.iter().map(|table| table.rows(size)).sum();
    let parts: u64 = tables.iter().map(|table| partition_count(table.organisation()).max(1)).sum();
    let minutes = (rows / ROWS_PER_S).div_ceil(60);
    let text = format!(
        "loading size {} writes {rows} rows in {parts} parts: about {minutes} min with one job (reckoned, not measured), less \
         with more jobs",
        size.id
    );
    finding(FindingLevel::Ok, "time", text)
}

#[cfg(test)]
mod tests;
