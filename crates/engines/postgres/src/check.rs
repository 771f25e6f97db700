//! What `dbdyno check` looks at on a server before anything is touched: can it be reached, may dbdyno work there, and
//! what would make its figures doubtful. Where something is missing, the message has the very statement that helps.

use super::connection::PostgresConnection;
use super::describe::ask;
use super::location;
use super::options::Options;
use super::{GRANTS, SCHEMA, describe, grants, space};
use dbdyno_engine::server::Connection as _;
use dbdyno_engine::server::url::unencrypted;
use dbdyno_engine::{EngineError, Finding, FindingLevel, finding};
use dbdyno_model::{CommitMode, Shape, Size};
use std::collections::BTreeMap;

/// The oldest version that dbdyno works with.
const OLDEST: u32 = 130_000;
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
        match PostgresConnection::open(options, node, "dbdyno check") {
            Ok(mut connection) => {
                findings.push(version(&host.to_string(), connection.version_num()));
                findings.extend(unencrypted(host, connection.is_encrypted(), host.is_local()));
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

fn version(host: &str, number: u32) -> Finding {
    let (major, minor) = (number / 10_000, number % 10_000);
    if number < OLDEST {
        let text = format!("{host} is PostgreSQL {major}; dbdyno needs version 13 or later");
        return finding(FindingLevel::Blocker, "version", text);
    }
    finding(FindingLevel::Ok, "version", format!("{host} is PostgreSQL {major}.{minor}"))
}

/// Whether something between gives each transaction whichever session of the server is free. Two connections then have
/// one session, or one connection has several.
fn pooler(options: &Options, node: usize, connection: &mut PostgresConnection) -> Option<Finding> {
    // Where there is no room for a second connection, that is said elsewhere.
    let mut other = PostgresConnection::open(options, node, "dbdyno check").ok()?;
    let (first, second) = (connection.session_id(), other.session_id());
    for _ in 0..POOLER_LOOKS {
        let (now, others) = (session(connection)?, session(&mut other)?);
        if now == others || now != first || others != second {
            let text = format!(
                "{} is a pooler that gives each transaction another session of the server, so that settings, statements \
                 and counts do not stay together; name the server's own host and port, or let the pooler give each \
                 connection a session of its own (pgbouncer: pool_mode = session)",
                options.host(node)
            );
            return Some(finding(FindingLevel::Blocker, "connection", text));
        }
    }
    None
}

/// The server process that answers now.
fn session(connection: &mut PostgresConnection) -> Option<u64> {
    let rows = connection.texts("asking which session answers", "SELECT pg_backend_pid()").ok()?;
    rows.first()?.first()?.as_deref()?.parse().ok()
}

/// What a server has said.
struct Server {
    user: String,
    database: String,
    version_num: u32,
    answers: BTreeMap<String, String>,
    unsafe_settings: Vec<String>,
    /// Whether it runs on this machine.
    local: bool,
    /// Hardware threads of this machine, for want of the server's.
    threads: u64,
}

impl Server {
    fn look(connection: &mut PostgresConnection, options: &Options) -> Result<Self, EngineError> {
        let durability = describe::durability(connection, CommitMode::EngineDefault)?;
        Ok(Self {
            user: identifier(&options.user),
            database: identifier(&options.database),
            version_num: connection.version_num(),
            answers: ask(connection, "check")?,
            unsafe_settings: durability.unsafe_settings,
            local: location::look(connection, options, None).is_ok_and(|location| location.server_pid.is_some()),
            threads: std::thread::available_parallelism().map_or(1, |n| n.get() as u64),
        })
    }

    fn findings(&self, size: &Size) -> Vec<Finding> {
        let mut findings = self.writable();
        findings.push(self.schema());
        findings.extend(self.optional());
        findings.extend(self.statistics());
        findings.push(self.waiting_blocks());
        findings.push(self.connections());
        findings.extend(self.workers());
        findings.extend(self.cache(size));
        findings.push(self.durability());
        findings.extend(self.limits());
        findings.extend(self.company());
        findings.extend(self.read_times());
        findings
    }

    fn says(&self, name: &str) -> &str {
        self.answers.get(name).map_or("", String::as_str)
    }

    fn is(&self, name: &str) -> bool {
        matches!(self.says(name), "true" | "on")
    }

    fn number(&self, name: &str) -> Option<i64> {
        self.says(name).parse().ok()
    }

    fn writable(&self) -> Vec<Finding> {
        let subject = "writable";
        if self.is("standby") {
            let text = "the server is a standby, which takes no writes; name the primary";
            return vec![finding(FindingLevel::Blocker, subject, text.to_owned())];
        }
        if self.is("default_transaction_read_only") {
            let text = format!(
                "transactions are read-only by default; ALTER ROLE {} SET default_transaction_read_only = off",
                self.user
            );
            return vec![finding(FindingLevel::Blocker, subject, text)];
        }
        vec![finding(FindingLevel::Ok, subject, "a primary that takes writes".to_owned())]
    }

    fn schema(&self) -> Finding {
        let Self { user, database, .. } = self;
        match (self.answers.get("schema_owner"), self.is("schema_ours"), self.is("may_create")) {
            (None, _, true) => {
                let text = format!("the schema {SCHEMA} can be created in database {database}");
                finding(FindingLevel::Ok, "privileges", text)
            }
            (None, _, false) => {
                let text = format!(
                    "{user} may not create the schema {SCHEMA}; an administrator runs, in database {database}: CREATE \
                     SCHEMA {SCHEMA} AUTHORIZATION {user}, or GRANT CREATE ON DATABASE {database} TO {user}"
                );
                finding(FindingLevel::Blocker, "privileges", text)
            }
            (Some(_), true, _) => {
                finding(FindingLevel::Ok, "privileges", format!("the schema {SCHEMA} is there, and {user}'s to use"))
            }
            (Some(owner), false, _) => {
                let text = format!(
                    "the schema {SCHEMA} belongs to {owner}; if it is dbdyno's, ALTER SCHEMA {SCHEMA} OWNER TO {user}, or \
                     connect as {owner}; if it is not, name another database"
                );
                finding(FindingLevel::Blocker, "privileges", text)
            }
        }
    }

    /// Where the devices are not seen from here, times of reads are what tells a device from memory.
    fn read_times(&self) -> Option<Finding> {
        let text = "track_io_timing is off, and the server's devices are not seen from here: nothing shows whether tests \
                    from storage read a device, so their figures are not proved; ALTER SYSTEM SET track_io_timing = on";
        let wanted = !self.local && self.says("track_io_timing") == "off";
        wanted.then(|| finding(FindingLevel::Warning, "read times", text.to_owned()))
    }

    /// Grants that measuring is better with, of what the server says of this role's memberships.
    fn optional(&self) -> Vec<Finding> {
        let (mut findings, user, version) = (Vec::new(), &self.user, self.version_num / 10_000);
        let superuser = self.is("superuser");
        for grant in GRANTS.iter().filter(|grant| !grant.required && !superuser && !self.is(&grant.grant)) {
            // Of what the larger role is for, this one gives nearly all; the rest is found by itself.
            if grant.grant == grants::MONITOR && self.is("pg_read_all_stats") {
                continue;
            }
            let statement = grant.statement(&self.database, user);
            let text = match grant.is_known_to(version) {
                true => grant.missing(user, &statement),
                false => format!("{}: {}", grants::NO_CHECKPOINT, grant.without),
            };
            findings.push(finding(FindingLevel::Warning, "grants", text));
        }
        if findings.is_empty() {
            findings.push(finding(FindingLevel::Ok, "grants", format!("{user} has every grant of the set-up")));
        }
        findings
    }

    /// What the server must count.
    fn statistics(&self) -> Option<Finding> {
        (self.says("track_counts") == "off").then(|| {
            let text = format!(
                "track_counts is off: the server counts no rows, so that no work can be proved; ALTER SYSTEM SET \
                 track_counts = on, or for a superuser ALTER ROLE {} SET track_counts = on",
                self.user
            );
            finding(FindingLevel::Blocker, "statistics", text)
        })
    }

    /// Whether blocks that wait to be written can be counted, without which the proof of random writes is missing.
    fn waiting_blocks(&self) -> Finding {
        let Self { user, database, .. } = self;
        let run = match (self.is("buffercache_usable"), self.answers.get("buffercache_schema")) {
            (true, _) => {
                let text = "blocks that wait to be written can be counted (pg_buffercache)";
                return finding(FindingLevel::Ok, "statistics", text.to_owned());
            }
            (false, None) => {
                let contrib = if self.is("buffercache_delivered") {
                    ""
                } else {
                    "install the server's contrib modules (package postgresql-contrib), and "
                };
                let grant = if self.is("superuser") || self.is("pg_monitor") {
                    String::new()
                } else {
                    format!("; GRANT pg_monitor TO {user}")
                };
                format!(
                    "{contrib}an administrator runs, in database {database}: CREATE EXTENSION pg_buffercache{grant}"
                )
            }
            (false, Some(_)) if !self.answers.contains_key("buffercache_usable") => {
                format!("an administrator runs, in database {database}: ALTER EXTENSION pg_buffercache UPDATE")
            }
            (false, Some(schema)) => {
                let schema = identifier(schema);
                format!(
                    "an administrator runs, in database {database}: GRANT pg_monitor TO {user}; GRANT USAGE ON SCHEMA \
                     {schema} TO {user}"
                )
            }
        };
        let text = format!(
            "blocks that wait to be written cannot be counted, so T721 (random writes) has no proof and is flagged \
             writes_deferred; {run}"
        );
        finding(FindingLevel::Warning, "statistics", text)
    }

    /// Whether there are connections for twice as many jobs as hardware threads, and for dbdyno's own.
    fn connections(&self) -> Finding {
        const OWN: i64 = 4;
        let limit = |name| self.number(name).filter(|limit| *limit >= 0).unwrap_or(i64::MAX);
        let reserved = if self.is("superuser") {
            0
        } else {
            ["superuser_reserved_connections", "reserved_connections"].iter().filter_map(|n| self.number(n)).sum()
        };
        let others = self.number("connections").unwrap_or(0);
        let max = limit("max_connections");
        let free = (max - reserved - others).min(limit("role_limit")).min(limit("database_limit")) - OWN;
        let wanted = 2 * self.threads.cast_signed();
        let narrow = [("role_limit", "of the role"), ("database_limit", "of the database")].into_iter();
        let narrow =
            narrow.filter_map(|(name, whose)| Some(format!("{} {whose}", self.number(name).filter(|n| *n >= 0)?)));
        let limits: String = narrow.map(|limit| format!(", CONNECTION LIMIT {limit}")).collect();
        let text = format!("max_connections {max}, {reserved} of them reserved, {others} taken{limits}");
        if free >= wanted {
            return finding(FindingLevel::Ok, "connections", format!("{text}: {free} jobs are possible"));
        }
        let advice = format!(
            "{text}: only {} jobs are possible, fewer than 2 for each of the {} hardware threads of this machine; raise \
             the limit, or choose shorter ramps",
            free.max(0),
            self.threads
        );
        finding(FindingLevel::Warning, "connections", advice)
    }

    fn workers(&self) -> Option<Finding> {
        let fewest = ["max_worker_processes", "max_parallel_workers"].iter().filter_map(|n| self.number(n)).min()?;
        (fewest < self.threads.cast_signed()).then(|| {
            let text = format!(
                "parallel statements get at most {fewest} workers (max_worker_processes {}, max_parallel_workers {}), fewer \
                 than the {} hardware threads of this machine; raise max_worker_processes and restart the server",
                self.says("max_worker_processes"),
                self.says("max_parallel_workers"),
                self.threads
            );
            finding(FindingLevel::Warning, "workers", text)
        })
    }

    /// Cached tests need the small tables in shared_buffers, the others must not have the large one there.
    fn cache(&self, size: &Size) -> Option<Finding> {
        let bytes: u64 = self.says("shared_buffers_bytes").parse().ok()?;
        let (small, large) = (space::table_bytes(size, Shape::Small), space::table_bytes(size, Shape::Large));
        let (set, wanted) = (mebibytes(bytes), mebibytes(size.engine_cache_bytes));
        let text = if bytes < size.engine_cache_bytes && bytes < 2 * small {
            format!(
                "shared_buffers is {set}; size {} is meant for {wanted}, and its small tables of {} may not stay cached: \
                 use a smaller size, or raise shared_buffers",
                size.id,
                mebibytes(small)
            )
        } else if bytes > size.engine_cache_bytes && bytes > large / 3 {
            format!(
                "shared_buffers is {set}; size {} is meant for {wanted}, and so much of its large table of {} would be \
                 cached that storage tests do not measure the storage: use a larger size",
                size.id,
                mebibytes(large)
            )
        } else {
            return Some(finding(
                FindingLevel::Ok,
                "cache",
                format!("shared_buffers is {set}, right for size {}", size.id),
            ));
        };
        Some(finding(FindingLevel::Warning, "cache", text))
    }

    fn durability(&self) -> Finding {
        if self.unsafe_settings.is_empty() {
            let text = "each commit waits for the log, and pages are safe from being torn";
            return finding(FindingLevel::Ok, "durability", text.to_owned());
        }
        let text = format!("{}; writing tests are flagged", self.unsafe_settings.join("; "));
        finding(FindingLevel::Warning, "durability", text)
    }

    /// Limits that could end a test.
    fn limits(&self) -> Vec<Finding> {
        const TIMEOUTS: [&str; 4] =
            ["statement_timeout", "lock_timeout", "transaction_timeout", "idle_in_transaction_session_timeout"];
        let mut findings = Vec::new();
        for name in TIMEOUTS.iter().filter(|name| self.number(name).is_some_and(|limit| limit > 0)) {
            let (limit, user) = (self.says(name), &self.user);
            let text =
                format!("{name} is {limit} ms, which can end a load or a test; ALTER ROLE {user} SET {name} = 0");
            findings.push(finding(FindingLevel::Warning, "limits", text));
        }
        if let Some(limit) = self.number("temp_file_limit").filter(|limit| *limit >= 0) {
            let text = format!(
                "temp_file_limit is {limit} kB, which can end sorts and index builds; an administrator runs: ALTER ROLE {} \
                 SET temp_file_limit = -1",
                self.user
            );
            findings.push(finding(FindingLevel::Warning, "limits", text));
        }
        let (all, slow) = (self.says("log_statement") == "all", self.says("log_min_duration_statement") == "0");
        if all || slow {
            let name = if all { "log_statement" } else { "log_min_duration_statement" };
            let text = format!("{name} writes every statement to the server's log, which costs time in every test");
            findings.push(finding(FindingLevel::Warning, "limits", text));
        }
        findings
    }

    /// Who else is at work, as far as this user may see.
    fn company(&self) -> Option<Finding> {
        let others = [("active_others", "other sessions"), ("vacuums", "automatic vacuums")];
        let busy = others.into_iter().filter_map(|(name, what)| match self.number(name) {
            Some(n) if n > 0 => Some(format!("{n} {what}")),
            _ => None,
        });
        let busy: Vec<String> = busy.collect();
        (!busy.is_empty()).then(|| {
            let text = format!("{} at work now: figures would be those of a shared machine", busy.join(" and "));
            finding(FindingLevel::Warning, "other load", text)
        })
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

/// A name as SQL wants it.
pub(super) fn identifier(name: &str) -> String {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    if name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_') && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("\"{}\"", name.replace('"', "\"\""))
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
