//! What Oracle says of itself: for the run's record, and for the reader of a figure. The questions are in
//! sql/describe.sql and sql/check.sql. A view that may not be read leaves its facts out, and says so.

use crate::DIALECT;
mod parameters;

use super::connection::{OracleConnection, Version};
use super::options::{Options, Part};
use super::{DIAGNOSTICS_CLAIM, NOTICE, snapshot};
use dbdyno_engine::server::Connection as _;
use dbdyno_engine::{Durability, EngineError, Statement};
use dbdyno_model::{CommitMode, Database, Drive, ErrorClass};
use std::collections::BTreeMap;

/// Names and values, names in small letters.
pub(super) type Answers = BTreeMap<String, String>;

/// Version, settings, facts. Changes nothing.
///
/// # Errors
/// The server is lost.
pub(super) fn database(connection: &mut OracleConnection, options: &Options) -> Result<Database, EngineError> {
    let server = Server::ask(connection)?;
    let changed = ask(connection, "changed")?;
    Ok(Database {
        engine: super::INFO.name.to_owned(),
        version: server.version.to_string(),
        parameters: parameters::of(&server.parameters, &changed),
        facts: server.facts(options),
        notice: Some(NOTICE.to_owned()),
    })
}

/// Names and values that a question is answered with; none where it may not be asked.
///
/// # Errors
/// The server is lost.
pub(super) fn ask(connection: &mut OracleConnection, question: &str) -> Result<Answers, EngineError> {
    Ok(asked(connection, question)?.unwrap_or_default())
}

/// The same, or why it may not be asked.
fn asked(connection: &mut OracleConnection, question: &str) -> Result<Result<Answers, String>, EngineError> {
    let sql = &statement(question)?.text;
    let rows = snapshot::told(connection.texts(&format!("asking the server for its {question}"), sql))?;
    let pair = |row: Vec<Option<String>>| match <[_; 2]>::try_from(row) {
        Ok([Some(name), Some(value)]) => Some((name.to_lowercase(), value)),
        _ => None,
    };
    Ok(rows.map(|rows| rows.into_iter().filter_map(pair).collect()))
}

/// The last column's texts, in their order, of a question whose names say nothing.
///
/// # Errors
/// The server is lost.
pub(super) fn all(connection: &mut OracleConnection, question: &str) -> Result<Vec<String>, EngineError> {
    let sql = &statement(question)?.text;
    let rows = snapshot::told(connection.texts(&format!("asking the server for its {question}"), sql))?;
    Ok(rows.unwrap_or_default().into_iter().filter_map(|mut row| row.pop().flatten()).collect())
}

/// A question's text.
///
/// # Errors
/// There is none of that name.
pub(super) fn statement(question: &str) -> Result<&'static Statement, EngineError> {
    let statement = DIALECT.get(&format!("describe/{question}")).or_else(|_| DIALECT.get(&format!("check/{question}")));
    statement.map_err(|e| EngineError::new(ErrorClass::Other, e.to_string()))
}

/// Whether a view can be read.
///
/// # Errors
/// The server is lost.
pub(super) fn may_read(connection: &mut OracleConnection, view: &str) -> Result<bool, EngineError> {
    let sql = DIALECT.get("check/may_read")?.text.replace("{view}", view);
    Ok(snapshot::told(connection.texts("looking at privileges", &sql))?.is_ok())
}

/// How durable commits are.
///
/// # Errors
/// The server is lost.
pub(super) fn durability(
    connection: &mut OracleConnection,
    commit: CommitMode,
    drive: Drive,
) -> Result<Durability, EngineError> {
    Ok(Server::ask(connection)?.durability(commit, drive))
}

/// What COMMIT means in a procedure unless it is told otherwise.
const IN_PROCEDURES: &str = "commits inside a procedure: the server goes on with the loop before their redo is on the device, \
     and waits once, when the call returns; a crash loses what was committed since the call began (the published figures were \
     measured like this)";

/// What a server has said of itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Server {
    pub(super) version: Version,
    pub(super) parameters: Answers,
    pub(super) product: Answers,
    pub(super) database: Answers,
    pub(super) instance: Answers,
    pub(super) options: Answers,
    pub(super) session: Answers,
    pub(super) characters: Answers,
    pub(super) logs: Answers,
    pub(super) destinations: Answers,
    pub(super) memory: Answers,
    pub(super) tablespace: Answers,
    pub(super) disk_groups: Answers,
    /// Questions that may not be asked.
    pub(super) silent: Vec<String>,
}

impl Server {
    /// Asks.
    ///
    /// # Errors
    /// The server is lost.
    pub(super) fn ask(connection: &mut OracleConnection) -> Result<Self, EngineError> {
        let mut server = Self { version: connection.version(), ..Self::default() };
        let mut silent = Vec::new();
        let questions: [(&str, &mut Answers); 12] = [
            ("variables", &mut server.parameters),
            ("version", &mut server.product),
            ("database", &mut server.database),
            ("instance", &mut server.instance),
            ("options", &mut server.options),
            ("session", &mut server.session),
            ("character_set", &mut server.characters),
            ("log_groups", &mut server.logs),
            ("archive_destinations", &mut server.destinations),
            ("sga", &mut server.memory),
            ("tablespace", &mut server.tablespace),
            ("disk_groups", &mut server.disk_groups),
        ];
        for (question, answers) in questions {
            match asked(connection, question)? {
                Ok(told) => *answers = told,
                Err(_) => silent.push(question.to_owned()),
            }
        }
        server.silent = silent;
        Ok(server)
    }

    /// A parameter's value; empty where there is none.
    pub(super) fn parameter(&self, name: &str) -> &str {
        self.parameters.get(name).map_or("", String::as_str)
    }

    /// The edition, in the product's own words.
    pub(super) fn edition(&self) -> Option<&'static str> {
        const EDITIONS: [&str; 7] = [
            "Enterprise Edition",
            "Standard Edition 2",
            "Standard Edition",
            "Express Edition",
            "Free",
            "EE Extreme Perf",
            "EE High Perf",
        ];
        let said = self.product.iter().flat_map(|(name, value)| [name.to_lowercase(), value.to_lowercase()]);
        let said: Vec<String> = said.filter(|text| text.contains("oracle")).collect();
        EDITIONS.into_iter().find(|edition| said.iter().any(|text| text.contains(&edition.to_lowercase())))
    }

    /// Whether an option is installed; unknown where the server does not say.
    pub(super) fn has(&self, option: &str) -> Option<bool> {
        self.options.get(&option.to_lowercase()).map(|value| value.eq_ignore_ascii_case("TRUE"))
    }

    fn facts(&self, options: &Options) -> Answers {
        let mut facts = Answers::new();
        let mut say = |name: &str, text: String| {
            if !text.is_empty() {
                facts.insert(name.to_owned(), text);
            }
        };
        let of = |answers: &Answers, name: &str| answers.get(name).cloned().unwrap_or_default();
        say("product", format!("Oracle Database {}", self.version.product()));
        say("build", of(&self.product, "banner"));
        say("edition", self.edition().unwrap_or_default().to_owned());
        say("instance", format!("{} on {}", of(&self.instance, "instance_name"), of(&self.instance, "host_name")));
        say("cluster", self.cluster(options));
        say("container", of(&self.session, "container"));
        say("service", of(&self.session, "service"));
        say("role", joined(&[of(&self.database, "database_role"), of(&self.database, "open_mode")]));
        say("redo", self.redo());
        say("redo destinations", self.destinations());
        say("character set", of(&self.characters, "nls_characterset"));
        say("tablespace", self.tablespace());
        say("storage", self.storage());
        say("options installed", self.installed());
        say("licences that dbdyno's work needs", licences(options));
        say("management pack", self.management_pack(options));
        say("not asked", self.silent.join(", "));
        facts
    }

    fn cluster(&self, options: &Options) -> String {
        let named = match options.places.len() {
            1 => "one node named in the target".to_owned(),
            n => format!("{n} nodes named in the target"),
        };
        match self.instance.get("parallel").map(String::as_str) {
            Some("YES") => format!("Real Application Clusters, {named}"),
            Some(_) => "no cluster".to_owned(),
            None => String::new(),
        }
    }

    fn redo(&self) -> String {
        let says = |name: &str| self.database.get(name).map(|value| value.to_lowercase());
        let logged = match says("force_logging").as_deref() {
            Some("yes") => "logging forced",
            Some("no") => "logging not forced: a direct path may log nothing",
            _ => "",
        };
        let groups = self.logs.get("groups").zip(self.logs.get("smallest_bytes"));
        let groups =
            groups.and_then(|(n, bytes)| Some(format!("{n} groups of {} MiB", bytes.parse::<u64>().ok()? >> 20)));
        let parts = [
            says("log_mode").unwrap_or_default(),
            logged.to_owned(),
            says("flashback_on").map(|on| format!("flashback {on}")).unwrap_or_default(),
            says("protection_mode").unwrap_or_default(),
            groups.unwrap_or_default(),
        ];
        joined(&parts)
    }

    /// Destinations that are not this server's own disks: a synchronous one is part of each commit.
    fn destinations(&self) -> String {
        let remote = self.destinations.iter().filter(|(_, how)| how.contains("STANDBY"));
        let all: Vec<String> = remote.map(|(name, how)| format!("{name} {}", how.to_lowercase())).collect();
        all.join("; ")
    }

    fn tablespace(&self) -> String {
        let says = |name: &str| self.tablespace.get(name).cloned().unwrap_or_default();
        let (name, block) = (says("tablespace"), says("block_size"));
        if name.is_empty() {
            return String::new();
        }
        let encrypted = if says("encrypted") == "YES" { "encrypted" } else { "not encrypted" };
        format!("{name}, blocks of {block} bytes, {}, {encrypted}", says("logging").to_lowercase())
    }

    fn storage(&self) -> String {
        let groups: Vec<String> = self.disk_groups.iter().map(|(name, what)| format!("{name}: {what}")).collect();
        if groups.is_empty() { String::new() } else { format!("ASM ({})", groups.join("; ")) }
    }

    fn installed(&self) -> String {
        let yes = self.options.iter().filter(|(_, value)| value.eq_ignore_ascii_case("TRUE"));
        let names: Vec<&str> = yes.map(|(name, _)| name.as_str()).collect();
        if self.options.is_empty() {
            String::new()
        } else {
            format!("{} (installed is not licensed)", names.join(", "))
        }
    }

    fn management_pack(&self, options: &Options) -> String {
        let default = self.parameter("control_management_pack_access");
        let said = if default.is_empty() {
            String::new()
        } else {
            format!("the server is set to {default}, which proves no licence; ")
        };
        match options.diagnostics_pack {
            true => format!("{said}{DIAGNOSTICS_CLAIM}"),
            false => format!("{said}dbdyno uses nothing of it"),
        }
    }

    /// How durable commits are, and what in the settings lets a crash lose some.
    pub(super) fn durability(&self, commit: CommitMode, drive: Drive) -> Durability {
        const COUNT: [&str; 5] =
            ["_disable_logging", "commit_logging", "commit_wait", "commit_write", "db_lost_write_protect"];
        let settings = COUNT.iter().filter_map(|name| Some(((*name).to_owned(), self.parameters.get(*name)?.clone())));
        let of_database = ["force_logging", "log_mode", "protection_mode"];
        let more = of_database.iter().filter_map(|name| Some(((*name).to_owned(), self.database.get(*name)?.clone())));
        let destinations =
            Some(("redo destinations".to_owned(), self.destinations())).filter(|(_, text)| !text.is_empty());
        let settings = settings.filter(|(_, value)| !value.is_empty()).chain(more).chain(destinations).collect();
        let (mut unsafe_settings, mut by_default) = (Vec::new(), Vec::new());
        if (commit, drive) == (CommitMode::EngineDefault, Drive::Server) {
            by_default.push(IN_PROCEDURES.to_owned());
        }
        if commit == CommitMode::EngineDefault {
            // COMMIT WRITE IMMEDIATE WAIT, which durable work says, goes before these.
            for name in ["commit_wait", "commit_write", "commit_logging"] {
                let value = self.parameter(name).to_uppercase();
                if value.contains("NOWAIT") || value.contains("BATCH") {
                    unsafe_settings
                        .push(format!("{name}={value}: commits do not wait for the log, and a crash loses them"));
                }
            }
        }
        if self.parameter("_disable_logging").eq_ignore_ascii_case("TRUE") {
            unsafe_settings
                .push("_disable_logging=TRUE: nothing is logged, and any crash loses the database".to_owned());
        }
        Durability { settings, unsafe_settings, by_default }
    }
}

/// What the target's tests use that is licensed apart, or that not every storage has.
fn licences(options: &Options) -> String {
    let named = |part: &Part| match options.leaves_out(*part) {
        true => format!("{}: left out", part.words()),
        false => format!("{}: used where a test needs it (--without {} leaves it out)", part.words(), part.name()),
    };
    let diagnostics =
        if options.diagnostics_pack { "the Diagnostics Pack: used" } else { "the Diagnostics Pack: not used" };
    Part::ALL.iter().map(named).chain([diagnostics.to_owned()]).collect::<Vec<_>>().join("; ")
}

fn joined(parts: &[String]) -> String {
    let said: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    said.join(", ")
}

#[cfg(test)]
mod tests;
