//! Grants as `SHOW GRANTS` shows them, which of the set-up's are not among them, and the statements that give those.

use super::options::quoted;
use crate::DIALECT;
use dbdyno_engine::server::grants::Grant;

/// The database of the set-up script, which stands for the one that the target names.
pub(super) const OURS: &str = "dbdyno";

/// What one product or version calls otherwise than the other.
const ALIASES: [(&str, &str); 4] = [
    ("REPLICA MONITOR", "SLAVE MONITOR"),
    ("REPLICATION CLIENT", "BINLOG MONITOR"),
    ("DELETE VERSIONING ROWS", "DELETE HISTORY"),
    ("REPLICATION REPLICA", "REPLICATION SLAVE"),
];

/// Grants that an account has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Grants(Vec<Held>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Held {
    privileges: Vec<String>,
    scope: Scope,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Scope {
    Everything,
    /// All databases whose names are like this.
    Databases(String),
}

impl Grants {
    /// Reads what `SHOW GRANTS` answers. Lines of other things than privileges on everything or on a database (roles,
    /// single tables, who may act for whom) are passed over.
    pub(super) fn read<'l>(lines: impl Iterator<Item = &'l str>) -> Self {
        Self(lines.filter_map(Held::read).collect())
    }

    /// Whether a privilege is held on a whole database.
    pub(super) fn on_database(&self, privilege: &str, database: &str) -> bool {
        self.0.iter().any(|grant| grant.gives(privilege) && grant.covers(database))
    }

    /// Whether a privilege is held on everything.
    pub(super) fn globally(&self, privilege: &str) -> bool {
        self.0.iter().any(|grant| grant.scope == Scope::Everything && grant.gives(privilege))
    }

    /// The grants of the set-up that are missing for a database.
    pub(super) fn missing(&self, database: &str) -> impl Iterator<Item = &'static Grant> {
        DIALECT.grants.iter().filter(move |grant| match parts(grant, database) {
            (privilege, Some(on)) => !self.on_database(privilege, on),
            (privilege, None) => !self.globally(privilege),
        })
    }

    /// The privileges that are missing for a database and without which nothing is done.
    pub(super) fn required_and_missing(&self, database: &str) -> impl Iterator<Item = &'static str> {
        self.missing(database).filter(|grant| grant.required).map(|grant| parts(grant, OURS).0)
    }
}

/// A grant's privilege, and the database that it is on unless it is on everything.
fn parts<'g>(grant: &'g Grant, database: &'g str) -> (&'g str, Option<&'g str>) {
    let (privilege, on) = grant.grant.split_once(" ON ").unwrap_or((&grant.grant, "*.*"));
    let on = on.strip_suffix(".*").filter(|on| *on != "*");
    (privilege, on.map(|on| if on == OURS { database } else { on }))
}

/// The statement that gives what a grant of the set-up gives, for another database or account.
pub(super) fn statement_of(grant: &Grant, database: &str, account: &str) -> String {
    match parts(grant, database) {
        (privilege, Some(on)) => statement(&[privilege], on, account),
        (privilege, None) => format!("GRANT {privilege} ON *.* TO {account}"),
    }
}

/// The privileges without which nothing is done, all of them on dbdyno's database.
pub(super) fn required() -> Vec<&'static str> {
    DIALECT.grants.iter().filter(|grant| grant.required).map(|grant| parts(grant, OURS).0).collect()
}

impl Held {
    fn read(line: &str) -> Option<Self> {
        let (privileges, rest) = line.strip_prefix("GRANT ")?.split_once(" ON ")?;
        let scope = if rest.starts_with("*.* ") {
            Scope::Everything
        } else {
            let (name, rest) = identifier(rest)?;
            rest.starts_with(".* ").then_some(Scope::Databases(name))?
        };
        Some(Self { privileges: privileges.split(", ").map(named).collect(), scope })
    }

    fn gives(&self, privilege: &str) -> bool {
        let wanted = named(privilege);
        self.privileges.iter().any(|held| *held == wanted || held == "ALL PRIVILEGES" || held == "ALL")
    }

    fn covers(&self, database: &str) -> bool {
        match &self.scope {
            Scope::Everything => true,
            Scope::Databases(pattern) => is_like(database, pattern),
        }
    }
}

/// A privilege by the name that it has here.
fn named(privilege: &str) -> String {
    let upper = privilege.trim().to_ascii_uppercase();
    ALIASES.iter().find(|(alias, _)| *alias == upper).map_or(upper, |(_, name)| (*name).to_owned())
}

/// The quoted name that a text begins with, and what follows it.
fn identifier(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '`' | '"'))?;
    let (mut name, mut at) = (String::new(), 1);
    loop {
        let (before, after) = text[at..].split_once(quote)?;
        name.push_str(before);
        at += before.len() + 1;
        if !after.starts_with(quote) {
            return Some((name, after));
        }
        name.push(quote);
        at += 1;
    }
}

/// SQL's LIKE: `%` is any text, `_` any character, and a backslash takes the next as it is.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut pattern_rest = pattern.chars();
    let mut text_rest = text.chars();
    match pattern_rest.next() {
        None => text.is_empty(),
        Some('%') => {
            let rest = pattern_rest.as_str();
            is_like(text, rest) || text_rest.next().is_some() && is_like(text_rest.as_str(), pattern)
        }
        Some('_') => text_rest.next().is_some() && is_like(text_rest.as_str(), pattern_rest.as_str()),
        Some(c) => {
            let literal = if c == '\\' { pattern_rest.next() } else { Some(c) };
            literal.is_some() && text_rest.next() == literal && is_like(text_rest.as_str(), pattern_rest.as_str())
        }
    }
}

/// The statement that gives privileges on a database, whose name is not a pattern there.
pub(super) fn statement(privileges: &[&str], database: &str, account: &str) -> String {
    let literal = database.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("GRANT {} ON {}.* TO {account}", privileges.join(", "), quoted(&literal))
}

/// An account as SQL wants it.
pub(super) fn account(user: &str, host: &str) -> String {
    let literal = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"));
    format!("{}@{}", literal(user), literal(host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn grants_are_read_as_the_server_shows_them() {
        let lines = [
            "GRANT `r` TO `dbdyno`@`%`",
            "GRANT RELOAD, PROCESS, BINLOG MONITOR, SLAVE MONITOR ON *.* TO `dbdyno`@`%` IDENTIFIED BY PASSWORD '*F2'",
            "GRANT SELECT, LOCK TABLES, CREATE ROUTINE ON `my\\_db`.* TO `dbdyno`@`%`",
            "GRANT ALL PRIVILEGES ON `x%`.* TO PUBLIC",
            "GRANT INSERT ON `my_db`.`t` TO `dbdyno`@`%`",
            "GRANT PROXY ON ``@`%` TO `root`@`localhost` WITH GRANT OPTION",
            "GRANT UPDATE ON `a``b`.* TO `dbdyno`@`%` WITH GRANT OPTION",
            "SET DEFAULT ROLE `r` FOR `dbdyno`@`%`",
        ];
        let grants = Grants::read(lines.into_iter());
        for (privilege, database, held) in [
            ("SELECT", "my_db", true),
            ("SELECT", "myxdb", false),
            ("lock tables", "my_db", true),
            ("INSERT", "my_db", false),
            ("UPDATE", "a`b", true),
            ("EXECUTE", "x", true),
            ("EXECUTE", "y", false),
            ("RELOAD", "y", true),
        ] {
            assert_eq!(grants.on_database(privilege, database), held, "{privilege} on {database}");
        }
        for (privilege, held) in
            [("REPLICA MONITOR", true), ("REPLICATION CLIENT", true), ("PROCESS", true), ("SUPER", false)]
        {
            assert_eq!(grants.globally(privilege), held, "{privilege}");
        }
        let root = Grants::read(["GRANT ALL PRIVILEGES ON *.* TO `root`@`%` WITH GRANT OPTION"].into_iter());
        assert!(root.globally("SUPER") && root.on_database("INSERT", "any"));
    }

    #[test]
    fn every_grant_of_the_set_up_has_its_words_and_is_looked_for() {
        let script = &crate::DIALECT.get("setup/setup").unwrap().text;
        let lines = script.lines().filter(|line| line.starts_with("GRANT "));
        assert_eq!(lines.count(), DIALECT.grants.len());
        for grant in &DIALECT.grants {
            assert!(!grant.purpose.is_empty() && !grant.without.is_empty(), "{grant:?}");
            let line = format!("GRANT {} TO `dbdyno`@`%`", grant.grant);
            let line = if line.contains(".*") { line.replace(" ON dbdyno", " ON `dbdyno`") } else { line };
            let line = line.replace(" ON performance_schema", " ON `performance_schema`");
            let missing = Grants::read([line.as_str()].into_iter()).missing("dbdyno").count();
            assert_eq!(missing, DIALECT.grants.len() - 1, "{line}");
            // On another database.
            let line = statement_of(grant, "my_db", "x");
            assert_eq!(
                Grants::read([line.as_str()].into_iter()).missing("my_db").count(),
                DIALECT.grants.len() - 1,
                "{line}"
            );
        }
    }

    #[test]
    fn statements_name_one_database() {
        assert_eq!(statement(&["SELECT", "INSERT"], "my_`db", "x"), "GRANT SELECT, INSERT ON `my\\_``db`.* TO x");
        assert_eq!(account("o'hara", "%"), "'o''hara'@'%'");
    }

    proptest! {
        /// A statement's own pattern is for its database and no other.
        #[test]
        fn a_database_is_named_exactly(database in "[a-c_%\\\\`]{1,8}", other in "[a-c_%\\\\`]{1,8}") {
            let line = statement(&["SELECT"], &database, "x");
            let grants = Grants::read([line.as_str()].into_iter());
            prop_assert!(grants.on_database("SELECT", &database));
            prop_assert_eq!(grants.on_database("SELECT", &other), other == database);
        }
    }
}
