//! What `dbdyno check` looks at on a server before anything is touched: can it be reached, may dbdyno work there, and
//! what would make its figures doubtful. Where something is missing, the message has the very statement that helps.

pub(super) mod grants;
mod server;

use super::connection::{MariaDbConnection, Version};
use super::describe::MYSQL_NOTICE;
use super::options::Options;
use dbdyno_engine::server::Connection as _;
use dbdyno_engine::server::url::{unencrypted, unproved};
use dbdyno_engine::{Finding, FindingLevel, finding};
use dbdyno_model::Size;
use server::Server;

/// The oldest versions that dbdyno works with.
const OLDEST: u32 = 101_100;
const OLDEST_MYSQL: u32 = 80_000;
/// What the client crate tells whoever asks for it over TLS, and cannot be kept from telling.
const PASSWORD_MAY_GO: &str = ", and is told the password as it is where he asks for caching_sha2_password";
/// How often is asked which session of the server answers.
const POOLER_LOOKS: u32 = 3;

/// What stands in the way, and what does not. A server that falls silent meanwhile is found out, too.
pub(super) fn findings(options: &Options, size: &Size) -> Vec<Finding> {
    let (its_options, its_size) = (options.clone(), size.clone());
    options.vigil.checked(options.connect_timeout, options.hosts.len(), move || look(&its_options, &its_size))
}

fn look(options: &Options, size: &Size) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut first = None;
    for (node, host) in options.hosts.iter().enumerate() {
        match MariaDbConnection::open(options, node, "dbdyno check") {
            Ok(mut connection) => {
                findings.push(version(&host.to_string(), connection.version()));
                findings.extend(unencrypted(host, connection.is_encrypted(), host.is_local()));
                let proved = !connection.is_encrypted() || options.verifies();
                findings.extend(unproved(host, proved, host.is_local(), PASSWORD_MAY_GO));
                findings.extend(pooler(options, node, &mut connection));
                first = first.or(Some(connection));
            }
            Err(error) => findings.push(finding(FindingLevel::Blocker, "connection", error.to_string())),
        }
    }
    // A server that is too old need not understand the questions.
    if let Some(mut connection) = first.filter(|_| findings.iter().all(|f| f.level != FindingLevel::Blocker)) {
        match Server::look(&mut connection, options) {
            Ok(server) => findings.extend(server.findings(size)),
            Err(error) => findings.push(finding(FindingLevel::Blocker, "connection", error.to_string())),
        }
    }
    findings
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

/// Whether something between gives each statement whichever session of the server is free. Two connections then have
/// one session, or one connection has several.
fn pooler(options: &Options, node: usize, connection: &mut MariaDbConnection) -> Option<Finding> {
    // Where there is no room for a second connection, that is said elsewhere.
    let mut other = MariaDbConnection::open(options, node, "dbdyno check").ok()?;
    let (first, second) = (connection.session_id(), other.session_id());
    for _ in 0..POOLER_LOOKS {
        let (now, others) = (session(connection)?, session(&mut other)?);
        if now == others || now != first || others != second {
            let text = format!(
                "{} is a pooler that gives each statement another session of the server, so that settings, statements and \
                 counts do not stay together; name the server's own host and port",
                options.host(node)
            );
            return Some(finding(FindingLevel::Blocker, "connection", text));
        }
    }
    None
}

/// The session of the server that answers now.
fn session(connection: &mut MariaDbConnection) -> Option<u64> {
    let rows = connection.texts("asking which session answers", "SELECT CONNECTION_ID()").ok()?;
    rows.first()?.first()?.as_deref()?.parse().ok()
}

#[cfg(test)]
mod tests;
