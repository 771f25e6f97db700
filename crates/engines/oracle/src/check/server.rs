//! What a server says that answers, judged.

use super::super::connection::OracleConnection;
use super::super::describe::{self, Answers, ask};
use super::super::options::{Options, Part};
use super::super::script::GRANTS;
use super::super::{DIAGNOSTICS_CLAIM, layout, space};
use super::room::{Room, mebibytes};
use crate::DIALECT;
use dbdyno_engine::server::Connection as _;
use dbdyno_engine::server::grants::Grant;
use dbdyno_engine::{EngineError, Finding, FindingLevel, finding};
use dbdyno_model::{CommitMode, Drive, ErrorClass, Shape, Size, TableName};
use std::collections::BTreeSet;
use std::thread;

/// Connections of dbdyno's own beside those of jobs: for work, and for watching.
const OWN_CONNECTIONS: u64 = 4;
/// What dbdyno needs, granted to the user itself: its package creates tables, and a package has nothing that comes by a
/// role.
pub(super) const NEEDED: [&str; 3] = ["CREATE TABLE", "CREATE CLUSTER", "CREATE PROCEDURE"];
/// What proves the work.
pub(super) const PROOFS: [&str; 5] = ["v$mystat", "v$statname", "v$sysstat", "v$sql", "v$sql_plan"];
/// What figures come from besides.
pub(super) const FIGURES: [&str; 12] = [
    "v$event_histogram_micro",
    "v$instance",
    "v$instance_recovery",
    "v$iostat_file",
    "v$log",
    "v$option",
    "v$osstat",
    "v$parameter",
    "v$px_session",
    "v$session",
    "v$sys_time_model",
    "v$system_event",
];
/// A redo log that is written full in less than half a minute by a fast load.
const SMALL_LOG_BYTES: u64 = 1 << 30;
/// Rows a second that one session is supposed to load, keys and proof included; not measured.
const ROWS_PER_S: u64 = 20_000;

/// What a server has said.
#[derive(Debug, Clone, Default)]
pub(super) struct Server {
    pub(super) user: String,
    pub(super) said: describe::Server,
    /// System privileges of the session, and those of the user itself.
    pub(super) session_privileges: BTreeSet<String>,
    pub(super) own_privileges: BTreeSet<String>,
    /// Views that may not be read.
    pub(super) unreadable: Vec<&'static str>,
    pub(super) may_lock: bool,
    pub(super) room: Room,
    pub(super) limits: Answers,
    /// Sessions at work beside ours, as far as we may see.
    pub(super) active: Option<u64>,
    pub(super) without: BTreeSet<Part>,
    pub(super) diagnostics_pack: bool,
    /// Hardware threads of this machine, for want of the server's.
    pub(super) threads: u64,
}

impl Server {
    pub(super) fn look(connection: &mut OracleConnection, options: &Options) -> Result<Self, EngineError> {
        let said = describe::Server::ask(connection)?;
        let session_privileges: BTreeSet<String> = describe::all(connection, "grants")?.into_iter().collect();
        let own = ask(connection, "own_privileges")?;
        let own_privileges: BTreeSet<String> = own.into_keys().map(|name| name.to_uppercase()).collect();
        let mut unreadable = Vec::new();
        for view in PROOFS.into_iter().chain(FIGURES) {
            if !describe::may_read(connection, view)? {
                unreadable.push(view);
            }
        }
        let growth = ask(connection, "growth")?.get("growth").and_then(|bytes| bytes.parse().ok());
        let doing = "asking for the quota";
        let quota = connection.texts(doing, &DIALECT.get("load/quota")?.text)?;
        let unlimited = session_privileges.contains("UNLIMITED TABLESPACE");
        let active = ask(connection, "company")?;
        Ok(Self {
            user: said.session.get("user").cloned().unwrap_or_else(|| options.schema()),
            may_lock: may_lock(connection)?,
            room: Room::read(quota.first().map_or(&[], Vec::as_slice), growth, unlimited),
            limits: ask(connection, "limits")?,
            active: active.get("active").and_then(|n| n.parse().ok()),
            said,
            session_privileges,
            own_privileges,
            unreadable,
            without: options.without.clone(),
            diagnostics_pack: options.diagnostics_pack,
            threads: thread::available_parallelism().map_or(1, |n| n.get() as u64),
        })
    }

    pub(super) fn findings(&self, size: &Size, tables: &[TableName]) -> Vec<Finding> {
        let mut findings = vec![self.writable(), self.privileges()];
        findings.extend(self.locks());
        findings.push(self.proofs());
        findings.push(self.figures());
        findings.push(self.settling());
        findings.extend(self.files());
        findings.extend(self.options());
        findings.push(self.room.finding(&self.user, size, tables));
        findings.push(self.connections());
        findings.extend(self.cache(size));
        findings.extend(self.redo());
        findings.push(self.durability());
        findings.extend(self.pack());
        findings.push(time(size, tables));
        findings.extend(self.company());
        findings
    }

    fn writable(&self) -> Finding {
        let says = |name: &str| self.said.database.get(name).map_or("", String::as_str);
        let (role, mode) = (says("database_role"), says("open_mode"));
        match (role, mode) {
            ("" | "PRIMARY", "" | "READ WRITE") => {
                let text = if role.is_empty() {
                    "whether it is a primary is not known"
                } else {
                    "a primary that takes writes"
                };
                finding(FindingLevel::Ok, "writable", text.to_owned())
            }
            _ => {
                let text = format!("the database is a {role}, open {mode}, and takes no writes; name the primary");
                finding(FindingLevel::Blocker, "writable", text)
            }
        }
    }

    fn privileges(&self) -> Finding {
        let user = &self.user;
        let missing: Vec<&str> = NEEDED.into_iter().filter(|name| !self.own_privileges.contains(*name)).collect();
        if missing.is_empty() {
            let text = format!("{user} may create what it needs in its own schema");
            return finding(FindingLevel::Ok, "privileges", text);
        }
        let by_role = missing.iter().all(|name| self.session_privileges.contains(*name));
        let why = if by_role { " (it has them by a role, and a package has nothing that comes by a role)" } else { "" };
        let text = format!(
            "{user} lacks privileges of its own{why}; an administrator runs: GRANT {} TO {user}",
            missing.join(", ")
        );
        finding(FindingLevel::Blocker, "privileges", text)
    }

    fn locks(&self) -> Option<Finding> {
        (!self.may_lock).then(|| {
            let text = format!(
                "{} may not run DBMS_LOCK, by which dbdyno sees to it that only one of them works in a schema; an \
                 administrator runs: GRANT EXECUTE ON sys.dbms_lock TO {0}",
                self.user
            );
            finding(FindingLevel::Blocker, "privileges", text)
        })
    }

    /// What is lost for want of grants on some views, and the statements that help.
    fn unread(&self, views: &[&str]) -> Option<String> {
        let missing = self.unreadable.iter().filter(|view| views.contains(view));
        lacking(&missing.map(|view| of_view(view)).collect::<Vec<_>>(), &self.user)
    }

    fn proofs(&self) -> Finding {
        match self.unread(&PROOFS) {
            None => {
                let text = format!(
                    "{} sees what proves the work: its sessions' counters, its cursors and their plans",
                    self.user
                );
                finding(FindingLevel::Ok, "proofs", text)
            }
            Some(text) => finding(FindingLevel::Warning, "proofs", text),
        }
    }

    fn figures(&self) -> Finding {
        match self.unread(&FIGURES) {
            None => {
                let text = format!("{} sees waits, files, processors and settings", self.user);
                finding(FindingLevel::Ok, "statistics", text)
            }
            Some(text) => finding(FindingLevel::Warning, "statistics", text),
        }
    }

    fn settling(&self) -> Finding {
        let user = &self.user;
        if self.session_privileges.contains("ALTER SYSTEM") {
            let text = format!("{user} may ask for a checkpoint before each point");
            return finding(FindingLevel::Ok, "settling", text);
        }
        let text = lacking(&["ALTER SYSTEM".to_owned()], user).unwrap_or_default();
        finding(FindingLevel::Warning, "settling", text)
    }

    /// T211 makes tablespaces, in a place that the server chooses.
    fn files(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let user = &self.user;
        let missing = ["CREATE TABLESPACE", "DROP TABLESPACE"].into_iter();
        let missing = missing.filter(|name| !self.own_privileges.contains(*name)).map(str::to_owned);
        if let Some(text) = lacking(&missing.collect::<Vec<_>>(), user) {
            findings.push(finding(FindingLevel::Warning, "files", text));
        }
        let known = !self.said.parameters.is_empty();
        if known && self.said.parameter("db_create_file_dest").is_empty() {
            let text = "db_create_file_dest is not set, so the server does not know where T211's files go, and T211 fails; an \
                        administrator runs: ALTER SYSTEM SET db_create_file_dest = '...'";
            findings.push(finding(FindingLevel::Warning, "files", text.to_owned()));
        }
        findings
    }

    /// What is licensed apart, named; and what is asked for and not there.
    fn options(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (part, option) in
            [(Part::Partitioning, "Partitioning"), (Part::AdvancedCompression, "Advanced Compression")]
        {
            if self.without.contains(&part) {
                let text = format!("{option} is left out, and tests that need it are unsupported");
                findings.push(finding(FindingLevel::Ok, "licences", text));
                continue;
            }
            let name = part.name();
            let edition = self.said.edition().unwrap_or("this server");
            findings.push(match (self.said.has(option), part) {
                (Some(false), Part::Partitioning) => {
                    let text = format!("{edition} has no {option}, and tables cannot be created; add --without {name}");
                    finding(FindingLevel::Blocker, "licences", text)
                }
                (Some(false), _) => {
                    let text = format!("{edition} has no {option}: its tests fail; add --without {name}");
                    finding(FindingLevel::Warning, "licences", text)
                }
                _ => {
                    let text = format!(
                        "tests use {}; that it is installed is no licence: without one add --without {name}",
                        part.words()
                    );
                    finding(FindingLevel::Warning, "licences", text)
                }
            });
        }
        findings
    }

    /// Whether there are connections for twice as many jobs as hardware threads, and for dbdyno's own.
    fn connections(&self) -> Finding {
        let mut text = Vec::new();
        let mut free = u64::MAX;
        for name in ["processes", "sessions"] {
            let limit = self.limits.get(name).and_then(|both| both.split_once('/'));
            if let Some((used, most)) = limit
                && let (Ok(used), Ok(most)) = (used.trim().parse::<u64>(), most.trim().parse::<u64>())
            {
                text.push(format!("{name} {used} of {most}"));
                free = free.min(most.saturating_sub(used));
            }
        }
        if text.is_empty() {
            let most = self.said.parameter("processes");
            let text = format!(
                "processes = {most}; how many are taken is not told (v$resource_limit is not granted, or empty as in a pluggable database)"
            );
            return finding(FindingLevel::Ok, "connections", text);
        }
        let (text, jobs) = (text.join(", "), free.saturating_sub(OWN_CONNECTIONS));
        if jobs >= 2 * self.threads {
            return finding(FindingLevel::Ok, "connections", format!("{text}: {jobs} jobs are possible"));
        }
        let advice = format!(
            "{text}: only {jobs} jobs are possible, fewer than 2 for each of the {} hardware threads of this machine; raise \
             processes, or choose shorter ramps",
            self.threads
        );
        finding(FindingLevel::Warning, "connections", advice)
    }

    /// Cached tests need the small tables in the buffer cache, the others must not have the large one there.
    fn cache(&self, size: &Size) -> Option<Finding> {
        let bytes: u64 = self.said.memory.get("buffer cache size")?.parse().ok()?;
        let (small, large) = (space::table_bytes(size, Shape::Small), space::table_bytes(size, Shape::Large));
        let (set, wanted) = (mebibytes(bytes), mebibytes(size.engine_cache_bytes));
        let text = if bytes < size.engine_cache_bytes && bytes < 2 * small {
            format!(
                "the buffer cache has {set}; size {} is meant for {wanted}, and its small tables of {} may not stay cached: \
                 use a smaller size, or raise sga_target",
                size.id,
                mebibytes(small)
            )
        } else if bytes > size.engine_cache_bytes && bytes > large / 3 {
            format!(
                "the buffer cache has {set}; size {} is meant for {wanted}, and so much of its large table of {} would be \
                 cached that storage tests do not measure the storage: use a larger size",
                size.id,
                mebibytes(large)
            )
        } else {
            let keep: u64 = self.said.parameter("db_keep_cache_size").parse().unwrap_or(0);
            let pool = if keep > 0 { format!("a KEEP pool of {}", mebibytes(keep)) } else { "no KEEP pool".to_owned() };
            let text = format!("the buffer cache has {set}, right for size {}, {pool}", size.id);
            return Some(finding(FindingLevel::Ok, "cache", text));
        };
        Some(finding(FindingLevel::Warning, "cache", text))
    }

    fn redo(&self) -> Option<Finding> {
        let bytes: u64 = self.said.logs.get("smallest_bytes")?.parse().ok()?;
        let groups = self.said.logs.get("groups").map_or("?", String::as_str);
        if bytes >= SMALL_LOG_BYTES {
            let text = format!("{groups} groups of {} of redo log", mebibytes(bytes));
            return Some(finding(FindingLevel::Ok, "redo log", text));
        }
        let text = format!(
            "{groups} groups of only {}: loads and updates will wait for log switches and checkpoints, and measure that; an \
             administrator adds larger ones (ALTER DATABASE ADD LOGFILE ... SIZE 4G)",
            mebibytes(bytes)
        );
        Some(finding(FindingLevel::Warning, "redo log", text))
    }

    fn durability(&self) -> Finding {
        let durability = self.said.durability(CommitMode::Durable, Drive::Server);
        if !durability.unsafe_settings.is_empty() {
            let text = format!("{}; writing tests are flagged", durability.unsafe_settings.join("; "));
            return finding(FindingLevel::Warning, "durability", text);
        }
        let mut text = "each commit waits for the log (COMMIT WRITE IMMEDIATE WAIT)".to_owned();
        if self.said.database.get("log_mode").is_some_and(|mode| mode == "NOARCHIVELOG") {
            text += "; the database keeps no archive log, so bulk loads by direct path log nothing: their redo is not that of \
                     a production database";
            return finding(FindingLevel::Warning, "durability", text);
        }
        if let Some(others) = durability.settings.get("redo destinations") {
            text += &format!("; redo also goes to {others}, which is part of each commit where it is synchronous");
        }
        finding(FindingLevel::Ok, "durability", text)
    }

    fn pack(&self) -> Option<Finding> {
        self.diagnostics_pack.then(|| {
            let text = format!(
                "{DIAGNOSTICS_CLAIM}; control_management_pack_access = {} is a default of the server's and proves none",
                self.said.parameter("control_management_pack_access")
            );
            finding(FindingLevel::Warning, "licences", text)
        })
    }

    /// Who else is at work, as far as this user may see.
    fn company(&self) -> Option<Finding> {
        let others = self.active.filter(|others| *others > 0)?;
        let text = format!("{others} other sessions at work now: figures would be those of a shared machine");
        Some(finding(FindingLevel::Warning, "other load", text))
    }
}

/// Whether the package of locks can be run: a grant of it may come by another way than this user's own.
fn may_lock(connection: &mut OracleConnection) -> Result<bool, EngineError> {
    match connection.ask("looking at privileges", &describe::statement("may_lock")?.text, 1) {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.class, ErrorClass::ConnectionLost | ErrorClass::Cancelled) => Err(error),
        Err(_) => Ok(false),
    }
}

/// The grant that lets a user read a view, which has an underscore in its own name.
pub(super) fn of_view(view: &str) -> String {
    format!("SELECT ON sys.{}", view.replace("v$", "v_$"))
}

/// What is lost without some grants of the set-up, in its words, and the statements that help; none where there are
/// none.
fn lacking(grants: &[String], user: &str) -> Option<String> {
    let named: Vec<&Grant> = GRANTS.iter().filter(|grant| grants.contains(&grant.grant)).collect();
    let first = named.first()?;
    let mut lost: Vec<&str> = named.iter().map(|grant| grant.without.as_str()).collect();
    lost.dedup();
    let statements: Vec<String> = named.iter().map(|grant| grant.statement("", user)).collect();
    let all = Grant { without: lost.join("; "), ..(*first).clone() };
    Some(all.missing(user, &statements.join("; ")))
}

/// How long a load takes, roughly.
fn time(size: &Size, tables: &[TableName]) -> Finding {
    let rows: u64 = tables.iter().map(|table| table.rows(size)).sum();
    let parts: usize = tables.iter().map(|table| layout::partitions(table.organisation()).len().max(1)).sum();
    let minutes = (rows / ROWS_PER_S).div_ceil(60);
    let text = format!(
        "loading size {} writes {rows} rows in {parts} parts: about {minutes} min with one job (reckoned, not measured), less \
         with more jobs",
        size.id
    );
    finding(FindingLevel::Ok, "time", text)
}
