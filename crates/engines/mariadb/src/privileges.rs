//! What this account may do, as the server tells it: the account's own grants, and those of its role and of everybody.

use super::connection::MariaDbConnection;
use super::describe;
use super::grants::{Grants, OURS, account, statement, statement_of};
use super::options::quoted;
use crate::DIALECT;
use dbdyno_engine::server::grants::{self, Grant};
use dbdyno_engine::server::{Connection as _, first};
use dbdyno_engine::{EngineError, Finding, FindingLevel, finding};
use dbdyno_model::ErrorClass;

/// Whom the statements are for that a run's record shows: it names no account.
const THIS_USER: &str = "this user";

/// Who we are on a server, as SQL wants it.
///
/// # Errors
/// The server is lost.
pub(super) fn own_account(connection: &mut MariaDbConnection) -> Result<String, EngineError> {
    let rows = describe::questions(connection).rows(connection, "describe/account")??;
    let user = first(rows).unwrap_or_default();
    let (name, host) = user.rsplit_once('@').unwrap_or((user.as_str(), "%"));
    Ok(account(name, host))
}

/// The grants that this account has, its role's and everybody's among them.
///
/// # Errors
/// The server is lost.
fn held(connection: &mut MariaDbConnection) -> Result<Grants, EngineError> {
    let rows = describe::questions(connection).rows(connection, "describe/grants")??;
    Ok(Grants::read(rows.iter().flatten().flatten().map(String::as_str)))
}

/// What `check` says of the grants of the set-up that an account lacks.
///
/// # Errors
/// The server is lost.
pub(super) fn findings(
    connection: &mut MariaDbConnection,
    database: &str,
    account: &str,
) -> Result<Vec<Finding>, EngineError> {
    let held = held(connection)?;
    let database_in_sql = quoted(database);
    let required: Vec<&str> = held.required_and_missing(database).collect();
    let privileges = if required.is_empty() {
        let is = if connection.database()?.is_some() { "is there" } else { "can be created" };
        let text = format!("the database {database_in_sql} {is}, and {account} may work in it");
        finding(FindingLevel::Ok, "privileges", text)
    } else {
        let text = format!(
            "{account} may not do all that is needed in the database {database_in_sql}; an administrator runs: {}",
            statement(&required, database, account)
        );
        finding(FindingLevel::Blocker, "privileges", text)
    };
    let on = connection.texts("looking at performance_schema", "SELECT @@performance_schema")?;
    let watches_files = first(on).as_deref() == Some("1");
    // Of what is off there is nothing to be had by a grant.
    let is_of_use = |grant: &&Grant| watches_files || !grant.grant.contains("performance_schema");
    let missing: Vec<&Grant> = held.missing(database).filter(|grant| !grant.required).filter(is_of_use).collect();
    let optional = grants::findings(&missing, account, |grant| Ok(statement_of(grant, database, account)));
    Ok([privileges].into_iter().chain(optional).collect())
}

/// The statement that gives an account what it needs and lacks; none where it lacks nothing of that.
///
/// # Errors
/// The server is lost.
pub(super) fn help(connection: &mut MariaDbConnection, database: &str) -> Result<Option<String>, EngineError> {
    let account = own_account(connection)?;
    let held = held(connection)?;
    let missing: Vec<&str> = held.required_and_missing(database).collect();
    Ok((!missing.is_empty()).then(|| statement(&missing, database, &account)))
}

/// What a run says of something that is missing for want of one of these grants, which begin like this: the first of
/// them that the server does not show among this account's; where it does not tell, the first of them.
pub(super) fn why_missing(connection: &mut MariaDbConnection, grants: &[&str]) -> String {
    grants.iter().find_map(|grant| if_missing(connection, grant)).unwrap_or_else(|| {
        let grant =
            DIALECT.grants.iter().find(|grant| grants.iter().any(|beginning| grant.grant.starts_with(beginning)));
        grant.map_or_else(String::new, |grant| grant.reason(&statement_of(grant, OURS, THIS_USER)))
    })
}

/// The same of a single grant; none where the account has it.
pub(super) fn if_missing(connection: &mut MariaDbConnection, beginning: &str) -> Option<String> {
    let database = connection.database().ok()?.unwrap_or_else(|| OURS.to_owned());
    let held = held(connection).ok()?;
    let grant = held.missing(&database).find(|grant| grant.grant.starts_with(beginning))?;
    Some(grant.reason(&statement_of(grant, &database, THIS_USER)))
}

/// What a test is not measured for that these grants are for: no failure, because an administrator may leave them out.
pub(super) fn unmeasured(connection: &mut MariaDbConnection, error: EngineError, grants: &[&str]) -> EngineError {
    if error.class != ErrorClass::Permission {
        return error;
    }
    EngineError::new(ErrorClass::Unsupported, format!("{} ({})", why_missing(connection, grants), error.message))
}
