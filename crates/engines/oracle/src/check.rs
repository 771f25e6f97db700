//! What `dbdyno check` looks at on a server before anything is touched: can it be reached, may dbdyno work there, and
//! what would make its figures doubtful. Where something is missing, the message has the very statement that helps.

mod room;
mod server;

use super::NOTICE;
use super::connection::OracleConnection;
use super::options::Options;
use dbdyno_engine::server::Connection as _;
use dbdyno_engine::{Finding, FindingLevel, finding};
use dbdyno_model::{Size, TableName};
use server::Server;

/// What stands in the way, and what does not.
pub(super) fn findings(options: &Options, size: &Size, tables: &[TableName]) -> Vec<Finding> {
    let mut findings = vec![finding(FindingLevel::Warning, "notice", format!("dbdyno's Oracle engine is {NOTICE}"))];
    let mut first = None;
    let mut instances = Vec::new();
    for (node, place) in options.places.iter().enumerate() {
        match OracleConnection::open(options, node, "dbdyno check") {
            Ok(mut connection) => {
                let (instance, version) = (connection.instance(), connection.version());
                let text =
                    format!("{place} is Oracle Database {}, release {version}, instance {instance}", version.product());
                findings.push(finding(FindingLevel::Ok, "version", text));
                instances.push(instance);
                findings.extend(spread(options, node, &mut connection));
                first = first.or(Some(connection));
            }
            Err(error) => findings.push(finding(FindingLevel::Blocker, "connection", error.to_string())),
        }
    }
    findings.extend(twice(&instances));
    if let Some(mut connection) = first.filter(|_| findings.iter().all(|f| f.level != FindingLevel::Blocker)) {
        match Server::look(&mut connection, options) {
            Ok(server) => findings.extend(server.findings(size, tables)),
            Err(error) => findings.push(finding(FindingLevel::Blocker, "connection", error.to_string())),
        }
    }
    findings
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

/// Two nodes of a target that are one instance.
fn twice(instances: &[u64]) -> Option<Finding> {
    let mut sorted = instances.to_vec();
    sorted.sort_unstable();
    let same = sorted.windows(2).find(|pair| pair[0] == pair[1])?[0];
    let text = format!(
        "two nodes of the target are instance {same}, whose counters would count twice; name each node by a host or service \
         of its own"
    );
    Some(finding(FindingLevel::Blocker, "connection", text))
}

#[cfg(test)]
mod tests;
