//! What is the same in all of dbdyno's sessions, whatever the server, the database or the role has set.
//!
//! The search path comes first. Whoever may create objects in a schema that is searched can plant a function there that
//! fits an argument better than the server's own (`sqrt(bigint)`), and it runs with the powers of whoever dbdyno
//! connects as. So sessions search the server's own catalogue alone, and everything else is named with its schema. The
//! others make texts read alike everywhere, and keep sessions that wait for their turn.

/// Whoever connects may set these, on every version. None has a space or a quote, so that they can go into the startup
/// message as they are.
const ANYWHERE: [(&str, &str); 5] = [
    ("search_path", "pg_catalog,pg_temp"),
    ("DateStyle", "ISO"),
    ("IntervalStyle", "postgres"),
    ("extra_float_digits", "1"),
    ("quote_all_identifiers", "off"),
];
/// 14.0, from where on the server can end sessions that are idle, and notice at work that the client has gone.
const KNOWS_CLIENTS: u32 = 140_000;

/// What goes into the startup message: the session begins with it, and RESET ALL comes back to it.
pub(crate) fn startup() -> String {
    ANYWHERE.map(|(name, value)| format!("-c {name}={value}")).join(" ")
}

/// What is set once the server has said what it is. The first settings again: a pooler may have left out what went into
/// the startup message.
pub(super) fn settings(version_num: u32, superuser: bool) -> String {
    let mut sql: String = ANYWHERE.map(|(name, value)| format!("SET {name} = {value}; ")).concat();
    if superuser {
        // Nobody else may.
        sql.push_str("SET lc_messages = 'C'; ");
    }
    if version_num >= KNOWS_CLIENTS {
        sql.push_str("SET idle_session_timeout = 0; ");
    }
    sql
}

/// What is set where the server's operating system can do it: a statement whose client was killed ends within a second,
/// and not when it is done.
pub(super) fn notices_the_end(version_num: u32) -> Option<&'static str> {
    (version_num >= KNOWS_CLIENTS).then_some("SET client_connection_check_interval = '1s'; ")
}
