//! What is the same in all of dbdyno's sessions, whatever the server, the database or the account has set: what decides
//! results and how they read, and what would end a session that waits for its turn. What decides figures is the
//! platform's, and left alone; so is `max_statement_time`, which protects a server from whoever works on it.

use super::Version;

/// The modes that statements and procedures are made under. Both products know them.
const SQL_MODE: &str = "STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION";
/// As long as the server takes: a year.
const IDLE_S: u32 = 31_536_000;
/// How long one side may keep the other waiting within a statement, as the load's sessions do while others have the
/// processor.
const SLOW_PEER_S: u32 = 3_600;

/// The most that the server takes; DEFAULT would be what somebody has set for everybody.
const EVERY_ROW: u64 = u64::MAX;

/// The settings of every session, as SQL.
pub(super) fn settings(version: Version) -> String {
    let mut sql = format!(
        "SET NAMES utf8mb4 COLLATE utf8mb4_general_ci; SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED; \
         SET SESSION TRANSACTION READ WRITE; SET SESSION autocommit = 1, completion_type = 'NO_CHAIN', \
         sql_mode = '{SQL_MODE}', time_zone = '+00:00', lc_messages = 'en_US', lc_time_names = 'en_US', \
         div_precision_increment = 4, sql_safe_updates = 0, sql_select_limit = {EVERY_ROW}, max_sp_recursion_depth = 255, \
         wait_timeout = {IDLE_S}, net_read_timeout = {SLOW_PEER_S}, net_write_timeout = {SLOW_PEER_S}"
    );
    if !version.mysql {
        sql.push_str(
            ", idle_transaction_timeout = 0, idle_readonly_transaction_timeout = 0, idle_write_transaction_timeout = 0",
        );
    }
    sql + "; "
}
