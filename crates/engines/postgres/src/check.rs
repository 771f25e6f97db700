//! What `dbdyno check` looks at on a server before anything is touched: can it be reached, may dbdyno work there, and
//! what would make its figures doubtful. Where something is missing, the message has the very statement that helps.
//! What the server itself can judge is in dialect/sql/check.sql.

use super::connection::PostgresConnection;
use super::errors::identifier;
use super::location;
use super::options::Options;
use super::{describe, grants, space};
use dbdyno_engine::server::check::{self, TableSizes, pooler};
use dbdyno_engine::server::url::unencrypted;
use dbdyno_engine::{Finding, FindingLevel, finding};
use dbdyno_model::{CommitMode, Size};

/// The oldest version that dbdyno works with.
const OLDEST: u32 = 130_000;
/// What a pooler can be told.
const POOLER: &str = ", or let the pooler give each connection a session of its own (pgbouncer: pool_mode = session)";

/// What stands in the way, and what does not. A server that falls silent meanwhile is found out, too.
pub(super) fn findings(options: &Options, size: &Size) -> Vec<Finding> {
    let (its_options, its_size) = (options.clone(), size.clone());
    options.vigil.checked(options.connect_timeout, options.hosts.len(), move || look(&its_options, &its_size))
}

fn look(options: &Options, size: &Size) -> Vec<Finding> {
    let open = |node| PostgresConnection::open(options, node, "dbdyno check");
    let of_node = |node, connection: &mut PostgresConnection| {
        let host = options.host(node);
        let mut findings = vec![version(&host.to_string(), connection.version_num())];
        findings.extend(unencrypted(host, connection.is_encrypted(), host.is_local()));
        // Where there is no room for a second connection, that is said elsewhere.
        if let Ok(mut other) = open(node) {
            let questions = describe::questions(connection);
            findings.extend(pooler([connection, &mut other], &questions, &host.to_string(), POOLER));
        }
        findings
    };
    check::check_nodes(options.hosts.len(), open, of_node, |connection| {
        let local = location::look(connection, options, None).is_ok_and(|location| location.server_pid.is_some());
        let questions = describe::questions(connection).with([("is_local", u8::from(local).to_string())]);
        let sizes = TableSizes::of(size, space::table_bytes);
        let mut findings = check::findings(connection, &questions, &sizes, CommitMode::EngineDefault)?;
        let (user, database) = (identifier(&options.user), identifier(&options.database));
        findings.extend(grants::findings(connection, &user, &database)?);
        Ok(findings)
    })
}

fn version(host: &str, number: u32) -> Finding {
    let (major, minor) = (number / 10_000, number % 10_000);
    if number < OLDEST {
        let text = format!("{host} is PostgreSQL {major}; dbdyno needs version 13 or later");
        return finding(FindingLevel::Blocker, "version", text);
    }
    finding(FindingLevel::Ok, "version", format!("{host} is PostgreSQL {major}.{minor}"))
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
