//! What a server says that answers, judged.

use super::super::connection::MariaDbConnection;
use super::super::describe::{self, Answers, ask};
use super::super::options::{Options, quoted};
use super::super::space;
use super::grants::{self, Grants};
use dbdyno_engine::{EngineError, Finding, FindingLevel, finding};
use dbdyno_model::{Shape, Size};
use std::thread;

/// Connections of dbdyno's own beside those of jobs: for work, for watching, and for stopping them.
const OWN_CONNECTIONS: i64 = 4;

/// What a server has said.
pub(super) struct Server {
    /// Who we are there, as SQL wants it.
    account: String,
    database: String,
    exists: bool,
    said: describe::Server,
    grants: Grants,
    /// Sessions at work beside ours, as far as we may see.
    active: Option<u64>,
    /// Hardware threads of this machine, for want of the server's.
    threads: u64,
}

impl Server {
    pub(super) fn look(connection: &mut MariaDbConnection, options: &Options) -> Result<Self, EngineError> {
        let session = ask(connection, "session")?;
        let user = session.get("user").map_or("", String::as_str);
        let (name, host) = user.rsplit_once('@').unwrap_or((user, "%"));
        let grants = Grants::read(describe::grants(connection)?.iter().map(String::as_str));
        Ok(Self {
            account: grants::account(name, host),
            database: options.database.clone(),
            exists: session.contains_key("database"),
            said: describe::Server::ask(connection)?,
            active: number(&ask(connection, "company")?, "active").and_then(|n| u64::try_from(n).ok()),
            grants,
            threads: thread::available_parallelism().map_or(1, |n| n.get() as u64),
        })
    }

    pub(super) fn findings(&self, size: &Size) -> Vec<Finding> {
        let mut findings = vec![self.writable(), self.privileges()];
        findings.extend(self.tables());
        findings.extend(self.optional());
        findings.push(self.connections());
        findings.extend(self.cache(size));
        findings.push(self.durability());
        findings.extend(self.limits());
        findings.extend(self.company());
        findings
    }

    fn variable(&self, name: &str) -> &str {
        self.said.variable(name)
    }

    fn writable(&self) -> Finding {
        let blocker = |text: &str| finding(FindingLevel::Blocker, "writable", text.to_owned());
        match (self.said.is_read_only(), self.said.is_replica()) {
            (true, true) => blocker("the server is a replica, which takes no writes; name the primary"),
            (true, false) if self.said.is_on("innodb_read_only") => {
                blocker("innodb_read_only is on; start the server without it, or name another")
            }
            (true, false) => blocker(
                "the server takes no writes; an administrator runs: SET GLOBAL read_only = OFF, or name the primary",
            ),
            (false, true) => {
                let text = "the server is a replica that takes writes: what dbdyno writes is not on its primary, and \
                            replication shares the machine; name the primary";
                finding(FindingLevel::Warning, "writable", text.to_owned())
            }
            (false, false) => finding(FindingLevel::Ok, "writable", "a primary that takes writes".to_owned()),
        }
    }

    fn privileges(&self) -> Finding {
        let (database, account) = (&self.database, &self.account);
        let required = grants::required().into_iter();
        let missing: Vec<&str> = required.filter(|privilege| !self.grants.on_database(privilege, database)).collect();
        if !missing.is_empty() {
            let text = format!(
                "{account} may not do all that is needed in the database {}; an administrator runs: {}",
                quoted(database),
                grants::statement(&missing, database, account)
            );
            return finding(FindingLevel::Blocker, "privileges", text);
        }
        let text = if self.exists {
            format!("the database {} is there, and {account} may work in it", quoted(database))
        } else {
            format!("the database {} can be created, and {account} may work in it", quoted(database))
        };
        finding(FindingLevel::Ok, "privileges", text)
    }

    /// What forbids the tables that tests need, or makes them others than they should be.
    fn tables(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut say = |level, text: String| findings.push(finding(level, "tables", text));
        for name in ["innodb_force_primary_key", "sql_require_primary_key"] {
            if self.said.is_on(name) {
                say(
                    FindingLevel::Blocker,
                    format!(
                        "{name} is on, and heap tables have no primary key; an administrator runs: SET GLOBAL {name} = OFF"
                    ),
                );
            }
        }
        if self.said.in_galera() && self.variable("wsrep_mode").contains("REQUIRED_PRIMARY_KEY") {
            let text =
                "wsrep_mode has REQUIRED_PRIMARY_KEY, and heap tables have no primary key; take it out of wsrep_mode";
            say(FindingLevel::Blocker, text.to_owned());
        }
        if self.said.is_on("log_bin") && self.variable("binlog_format") == "STATEMENT" {
            let text = "binlog_format is STATEMENT, in which transactions that read what is committed cannot write; an \
                        administrator runs: SET GLOBAL binlog_format = MIXED";
            say(FindingLevel::Blocker, text.to_owned());
        }
        if self.variable("innodb_file_per_table") == "OFF" {
            let text = "innodb_file_per_table is off: all tables lie in one file, which never shrinks, and none can be \
                        compressed; an administrator runs: SET GLOBAL innodb_file_per_table = ON";
            say(FindingLevel::Warning, text.to_owned());
        }
        if self.said.is_on("innodb_read_only_compressed") {
            let text = "innodb_read_only_compressed is on: tables of ROW_FORMAT=COMPRESSED cannot be filled, and their tests \
                        fail; an administrator runs: SET GLOBAL innodb_read_only_compressed = OFF";
            say(FindingLevel::Warning, text.to_owned());
        }
        findings
    }

    /// What measuring is better with, of what the server shows of this account's grants.
    fn optional(&self) -> Vec<Finding> {
        let (mut findings, account) = (Vec::new(), &self.account);
        let watches_files = self.said.is_on("performance_schema");
        for grant in self.grants.missing(&self.database).filter(|grant| !grant.required) {
            // Of what is off there is nothing to be had by a grant.
            if watches_files || !grant.grant.contains("performance_schema") {
                let statement = grants::statement_of(grant, &self.database, account);
                findings.push(finding(FindingLevel::Warning, "grants", grant.missing(account, &statement)));
            }
        }
        if findings.is_empty() {
            let text = format!("{account} has every grant of the set-up that is of use here");
            findings.push(finding(FindingLevel::Ok, "grants", text));
        }
        if !watches_files {
            let text = "performance_schema is off: waits for files, and how many reads and writes of files there were and how \
                        long they took, are missing; start the server with performance_schema = ON";
            findings.push(finding(FindingLevel::Warning, "statistics", text.to_owned()));
        }
        findings
    }

    /// Whether there are connections for twice as many jobs as hardware threads, and for dbdyno's own.
    fn connections(&self) -> Finding {
        let max = number(&self.said.variables, "max_connections").unwrap_or(i64::MAX);
        // One of them is the one that asks.
        let others = number(&self.said.status, "threads_connected").map_or(0, |all| all - 1);
        let account = number(&self.said.own, "max_user_connections").filter(|limit| *limit > 0);
        let free = (max - others).min(account.unwrap_or(i64::MAX)) - OWN_CONNECTIONS;
        let limit = account.map(|limit| format!(", MAX_USER_CONNECTIONS {limit}")).unwrap_or_default();
        let text = format!("max_connections {max}, {others} of them taken{limit}");
        if free >= 2 * self.threads.cast_signed() {
            return finding(FindingLevel::Ok, "connections", format!("{text}: {free} jobs are possible"));
        }
        let advice = format!(
            "{text}: only {} jobs are possible, fewer than 2 for each of the {} hardware threads of this machine; raise the \
             limit, or choose shorter ramps",
            free.max(0),
            self.threads
        );
        finding(FindingLevel::Warning, "connections", advice)
    }

    /// Cached tests need the small tables in the buffer pool, the others must not have the large one there.
    fn cache(&self, size: &Size) -> Option<Finding> {
        let bytes: u64 = self.variable("innodb_buffer_pool_size").parse().ok()?;
        let (small, large) = (space::table_bytes(size, Shape::Small), space::table_bytes(size, Shape::Large));
        let (set, wanted) = (mebibytes(bytes), mebibytes(size.engine_cache_bytes));
        let text = if bytes < size.engine_cache_bytes && bytes < 2 * small {
            format!(
                "innodb_buffer_pool_size is {set}; size {} is meant for {wanted}, and its small tables of {} may not stay \
                 cached: use a smaller size, or raise innodb_buffer_pool_size",
                size.id,
                mebibytes(small)
            )
        } else if bytes > size.engine_cache_bytes && bytes > large / 3 {
            format!(
                "innodb_buffer_pool_size is {set}; size {} is meant for {wanted}, and so much of its large table of {} would \
                 be cached that storage tests do not measure the storage: use a larger size",
                size.id,
                mebibytes(large)
            )
        } else {
            let text = format!("innodb_buffer_pool_size is {set}, right for size {}", size.id);
            return Some(finding(FindingLevel::Ok, "cache", text));
        };
        Some(finding(FindingLevel::Warning, "cache", text))
    }

    fn durability(&self) -> Finding {
        let unsafe_settings = self.said.durability().unsafe_settings;
        if unsafe_settings.is_empty() {
            let text = "each commit waits for the log, and pages are safe from being torn";
            return finding(FindingLevel::Ok, "durability", text.to_owned());
        }
        let text = format!("{}; writing tests are flagged", unsafe_settings.join("; "));
        finding(FindingLevel::Warning, "durability", text)
    }

    /// Limits that could end a test, and habits that cost time in every one.
    fn limits(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut warn = |text| findings.push(finding(FindingLevel::Warning, "limits", text));
        let own = |name: &str| self.said.own.get(name).map_or("", String::as_str);
        let seconds: f64 = own("max_statement_time").parse().unwrap_or(0.0);
        if seconds > 0.0 {
            // An account's limit of 0 is none of its own: the server's counts then.
            let remedy = if own("max_statement_time") == self.variable("max_statement_time") {
                "SET GLOBAL max_statement_time = 0".to_owned()
            } else {
                format!("ALTER USER {} WITH MAX_STATEMENT_TIME 0", self.account)
            };
            warn(format!(
                "max_statement_time is {seconds} s, which can end a load or a test; an administrator runs: {remedy}"
            ));
        }
        if let Some(limit) = number(&self.said.own, "max_execution_time").filter(|limit| *limit > 0) {
            warn(format!(
                "max_execution_time is {limit} ms, which can end a test; an administrator runs: SET GLOBAL \
                 max_execution_time = 0"
            ));
        }
        let every = self.said.is_on("slow_query_log")
            && self.variable("long_query_time").parse().is_ok_and(|seconds: f64| seconds == 0.0);
        for (name, on) in [("general_log", self.said.is_on("general_log")), ("long_query_time = 0", every)] {
            if on {
                warn(format!("{name} writes every statement to a log of the server's, which costs time in every test"));
            }
        }
        let query_cache = self.variable("query_cache_type");
        if matches!(query_cache, "ON" | "DEMAND") && number(&self.said.variables, "query_cache_size") != Some(0) {
            warn(format!(
                "query_cache_type is {query_cache}: statements of all sessions wait for its one lock, and some may be answered \
                 without being done; an administrator runs: SET GLOBAL query_cache_size = 0, query_cache_type = OFF"
            ));
        }
        if self.said.is_on("userstat") {
            warn(
                "userstat is on: each statement also counts for its user, table and index, which costs time".to_owned(),
            );
        }
        findings
    }

    /// Who else is at work, as far as this account may see.
    fn company(&self) -> Option<Finding> {
        let others = self.active.filter(|others| *others > 0)?;
        let text = format!("{others} other sessions at work now: figures would be those of a shared machine");
        Some(finding(FindingLevel::Warning, "other load", text))
    }
}

fn number(answers: &Answers, name: &str) -> Option<i64> {
    answers.get(name)?.parse().ok()
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}
