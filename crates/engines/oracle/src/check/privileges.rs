//! What a user may do.

use super::super::connection::OracleConnection;
use super::super::describe::{all, ask, may_read};
use crate::DIALECT;
use dbdyno_engine::server::grants::{self, Grant};
use dbdyno_engine::server::unless_lost;
use dbdyno_engine::{EngineError, Finding, FindingLevel, finding};
use std::collections::BTreeSet;

/// What dbdyno needs, granted to the user itself: its package creates tables, and a package has nothing that comes by a
/// role.
pub(super) const NEEDED: [&str; 3] = ["CREATE TABLE", "CREATE CLUSTER", "CREATE PROCEDURE"];

/// What a server has said of a user's privileges.
#[derive(Debug, Clone, Default)]
pub(super) struct Privileges {
    /// System privileges of the session, and those of the user itself.
    pub(super) of_session: BTreeSet<String>,
    pub(super) own: BTreeSet<String>,
    /// Grants of the set-up on views that may not be read.
    pub(super) unreadable: BTreeSet<String>,
    pub(super) may_lock: bool,
}

impl Privileges {
    /// Asks.
    ///
    /// # Errors
    /// The server is lost.
    pub(super) fn ask(connection: &mut OracleConnection) -> Result<Self, EngineError> {
        let own = ask(connection, "own_privileges")?;
        let mut unreadable = BTreeSet::new();
        for grant in &DIALECT.grants {
            if let Some(view) = view_of(grant)
                && !may_read(connection, &view)?
            {
                unreadable.insert(grant.grant.clone());
            }
        }
        // A grant of the package of locks may come by another way than this user's own.
        let locks = connection.ask("looking at privileges", &DIALECT.get("describe/may_lock")?.text, 1);
        Ok(Self {
            of_session: all(connection, "grants")?.into_iter().collect(),
            own: own.into_keys().map(|name| name.to_uppercase()).collect(),
            unreadable,
            may_lock: unless_lost(locks)?.is_ok(),
        })
    }

    /// Whether the user may use as much space as there is.
    pub(super) fn unlimited_space(&self) -> bool {
        self.of_session.contains("UNLIMITED TABLESPACE")
    }

    /// What is missing, with the statements that help.
    pub(super) fn findings(&self, user: &str) -> Vec<Finding> {
        let missing: Vec<&Grant> = DIALECT.grants.iter().filter(|grant| !grant.required && !self.has(grant)).collect();
        let optional = grants::findings(&missing, user, |grant| Ok(grant.statement("", user)));
        [self.needed(user)].into_iter().chain(self.locks(user)).chain(optional).collect()
    }

    /// Whether a grant that can be left out is there. The package that makes tablespaces has nothing that comes by a
    /// role.
    fn has(&self, grant: &Grant) -> bool {
        match view_of(grant) {
            Some(_) => !self.unreadable.contains(&grant.grant),
            None if grant.grant.ends_with(" TABLESPACE") => self.own.contains(&grant.grant),
            None => self.of_session.contains(&grant.grant),
        }
    }

    fn needed(&self, user: &str) -> Finding {
        let missing: Vec<&str> = NEEDED.into_iter().filter(|name| !self.own.contains(*name)).collect();
        if missing.is_empty() {
            let text = format!("{user} may create what it needs in its own schema");
            return finding(FindingLevel::Ok, "privileges", text);
        }
        let by_role = missing.iter().all(|name| self.of_session.contains(*name));
        let why = if by_role { " (it has them by a role, and a package has nothing that comes by a role)" } else { "" };
        let text = format!(
            "{user} lacks privileges of its own{why}; an administrator runs: GRANT {} TO {user}",
            missing.join(", ")
        );
        finding(FindingLevel::Blocker, "privileges", text)
    }

    fn locks(&self, user: &str) -> Option<Finding> {
        (!self.may_lock).then(|| {
            let text = format!(
                "{user} may not run DBMS_LOCK, by which dbdyno sees to it that only one of them works in a schema; an \
                 administrator runs: GRANT EXECUTE ON sys.dbms_lock TO {user}"
            );
            finding(FindingLevel::Blocker, "privileges", text)
        })
    }
}

/// The view that a grant lets a user read; fixed views have an underscore in the names that are granted.
fn view_of(grant: &Grant) -> Option<String> {
    Some(grant.grant.strip_prefix("SELECT ON sys.")?.replace("v_$", "v$"))
}
