-- What a live view asks a server again and again, about everybody's work in all its databases. Every statement reads what the
-- server keeps in memory about itself, and touches no table of anybody's. What the server counts is asked for in
-- statistics.sql. A statement NAME_mysql is MySQL's instead of NAME.

-- name: session
-- what: a session that looks can change nothing, and no statement of its takes long
SET SESSION TRANSACTION READ ONLY; SET SESSION max_statement_time = 2, lock_wait_timeout = 1

-- name: session_mysql
-- what: the same
SET SESSION TRANSACTION READ ONLY; SET SESSION max_execution_time = 2000, lock_wait_timeout = 1

-- name: activity
-- what: sessions of clients and what they say of themselves: whether they wait for their clients, whether they are in a
--   transaction, their state, how many
SELECT p.COMMAND = 'Sleep' AS rests, t.trx_mysql_thread_id IS NOT NULL AS is_in_transaction,
  IF(p.COMMAND = 'Sleep', '', COALESCE(NULLIF(p.STATE, ''), 'running')) AS doing, COUNT(*)
FROM information_schema.PROCESSLIST p LEFT JOIN information_schema.INNODB_TRX t ON t.trx_mysql_thread_id = p.ID
WHERE p.ID <> CONNECTION_ID() AND p.COMMAND NOT IN ('Daemon', 'Binlog Dump', 'Binlog Dump GTID', 'Slave_IO', 'Slave_SQL', 'Slave_worker')
  AND p.USER NOT IN ('system user', 'event_scheduler', 'unauthenticated user')
GROUP BY rests, is_in_transaction, doing

-- name: files
-- what: reads, writes and syncs of data files and of the redo log, each with nanoseconds, where their instruments are on
-- why not that of statistics.sql: each of its figures is a scan of its own, which costs once a second
SELECT IF(EVENT_NAME LIKE '%log_file', 'log', 'data'), COUNT_READ, SUM_TIMER_READ DIV 1000, COUNT_WRITE, SUM_TIMER_WRITE DIV 1000,
  COUNT_MISC, SUM_TIMER_MISC DIV 1000
FROM performance_schema.file_summary_by_event_name
WHERE EVENT_NAME IN ('wait/io/file/innodb/innodb_data_file', 'wait/io/file/innodb/innodb_log_file')

-- name: lag
-- what: of each server that this one replicates from: how many seconds this one is behind, among much else
SHOW ALL SLAVES STATUS

-- name: lag_mysql
-- what: the same
SHOW REPLICA STATUS

-- name: serving
-- what: the thread of the server's process that serves this session, where it serves no other
SELECT TID FROM information_schema.PROCESSLIST WHERE ID = CONNECTION_ID() AND @@thread_handling = 'one-thread-per-connection'

-- name: at_work
-- what: sessions at work, that with the oldest statement first: number, user, no application, state, seconds, no number of the
--   statement, and the beginning of its text, of which the first word is used
SELECT ID, USER, NULL, COALESCE(NULLIF(STATE, ''), 'running'), TIME_MS / 1000, NULL, LEFT(INFO, 500)
FROM information_schema.PROCESSLIST
WHERE ID <> CONNECTION_ID() AND COMMAND NOT IN ('Sleep', 'Daemon', 'Binlog Dump', 'Binlog Dump GTID', 'Slave_IO', 'Slave_SQL', 'Slave_worker')
  AND USER NOT IN ('system user', 'event_scheduler', 'unauthenticated user')
ORDER BY TIME_MS DESC LIMIT {sessions}

-- name: at_work_mysql
-- what: the same
SELECT ID, USER, NULL, COALESCE(NULLIF(STATE, ''), 'running'), TIME, NULL, LEFT(INFO, 500)
FROM information_schema.PROCESSLIST
WHERE ID <> CONNECTION_ID() AND COMMAND NOT IN ('Sleep', 'Daemon', 'Binlog Dump', 'Binlog Dump GTID', 'Slave_IO', 'Slave_SQL', 'Slave_worker')
  AND USER NOT IN ('system user', 'event_scheduler', 'unauthenticated user')
ORDER BY TIME DESC LIMIT {sessions}

-- name: statements
-- what: the statements that took most time since the server began to count: number, calls, nanoseconds, normalised text
SELECT DIGEST, SUM(COUNT_STAR), SUM(SUM_TIMER_WAIT) DIV 1000 AS ns, LEFT(MIN(DIGEST_TEXT), 2000)
FROM performance_schema.events_statements_summary_by_digest
WHERE DIGEST IS NOT NULL GROUP BY DIGEST ORDER BY ns DESC LIMIT {statements}
