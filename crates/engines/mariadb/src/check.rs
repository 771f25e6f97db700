//! What `dbdyno check` looks at on a server before anything is touched: can it be reached, may dbdyno work there, and
//! what would make its figures doubtful. Where something is missing, the message has the very statement that helps.
//! What the server itself can judge is in dialect/sql/check.sql.

use super::connection::{MariaDbConnection, Version};
use super::describe::{self, MYSQL_NOTICE};
use super::options::Options;
use super::{privileges, space};
use dbdyno_engine::server::check::{self, TableSizes, pooler};
use dbdyno_engine::server::url::{unencrypted, unproved};
use dbdyno_engine::{EngineError, Finding, FindingLevel, finding};
use dbdyno_model::{CommitMode, Size};
use mysql::prelude::Queryable as _;

/// The oldest versions that dbdyno works with.
const OLDEST: u32 = 101_100;
const OLDEST_MYSQL: u32 = 80_000;
/// What the client crate tells whoever asks for it over TLS, and cannot be kept from telling.
const PASSWORD_MAY_GO: &str = ", and is told the password as it is where he asks for caching_sha2_password";

/// What stands in the way, and what does not. A server that falls silent meanwhile is found out, too.
pub(super) fn findings(options: &Options, size: &Size) -> Vec<Finding> {
    let (its_options, its_size) = (options.clone(), size.clone());
    options.vigil.checked(options.connect_timeout, options.hosts.len(), move || look(&its_options, &its_size))
}

fn look(options: &Options, size: &Size) -> Vec<Finding> {
    let open = |node| MariaDbConnection::open(options, node, "dbdyno check");
    let of_node = |node, connection: &mut MariaDbConnection| {
        let host = options.host(node);
        let mut findings = vec![version(&host.to_string(), connection.version())];
        findings.extend(unencrypted(host, connection.is_encrypted(), host.is_local()));
        let proved = !connection.is_encrypted() || options.verifies();
        findings.extend(unproved(host, proved, host.is_local(), PASSWORD_MAY_GO));
        // Where there is no room for a second connection, that is said elsewhere.
        if let Ok(mut other) = open(node) {
            let questions = describe::questions(connection);
            findings.extend(pooler([connection, &mut other], &questions, &host.to_string(), ""));
        }
        findings
    };
    check::check_nodes(options.hosts.len(), open, of_node, |connection| server(connection, options, size))
}

fn server(connection: &mut MariaDbConnection, options: &Options, size: &Size) -> Result<Vec<Finding>, EngineError> {
    let account = privileges::own_account(connection)?;
    let doing = "telling the server who asks";
    let set = connection.control(doing).exec_drop("SET @dbdyno_account = ?", (&account,));
    set.map_err(|error| connection.error(doing, &error))?;
    let sizes = TableSizes::of(size, space::table_bytes);
    let questions = describe::questions(connection);
    let mut findings = privileges::findings(connection, &options.database, &account)?;
    findings.extend(check::findings(connection, &questions, &sizes, CommitMode::EngineDefault)?);
    Ok(findings)
}

fn version(host: &str, version: Version) -> Finding {
    let (level, more) = match version {
        Version { mysql: false, number } if number < OLDEST => (FindingLevel::Blocker, "; dbdyno needs 10.11 or later"),
        Version { mysql: true, number } if number < OLDEST_MYSQL => {
            (FindingLevel::Blocker, "; dbdyno needs 8.0 or later")
        }
        Version { mysql: true, .. } => {
            let text = format!("{host} is {version}: {MYSQL_NOTICE}");
            return finding(FindingLevel::Warning, "version", text);
        }
        Version { mysql: false, .. } => (FindingLevel::Ok, ""),
    };
    finding(level, "version", format!("{host} is {version}{more}"))
}

#[cfg(test)]
mod tests;
