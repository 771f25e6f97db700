-- What `dbdyno check` finds. Each statement gives rows of a level (ok, warning, blocker), a subject and a text, or none; nothing
-- is changed. {about} is the schema that has variables and status as tables; @dbdyno_account is who this session is, as SQL
-- wants it. Privileges are read from SHOW GRANTS (src/privileges.rs).

-- name: writable
-- what: whether the server takes writes; one that follows nobody now and takes writes may once have done so
SELECT CASE WHEN refuses THEN 'blocker' WHEN follows THEN 'warning' ELSE 'ok' END, 'writable',
  CASE WHEN refuses AND (follows OR followed) THEN 'the server is a replica, which takes no writes; name the primary'
    WHEN innodb_refuses THEN 'innodb_read_only is on; start the server without it, or name another'
    WHEN refuses THEN 'the server takes no writes; an administrator runs: SET GLOBAL read_only = OFF, or name the primary'
    WHEN follows THEN 'the server is a replica that takes writes: what dbdyno writes is not on its primary, and replication shares the machine; name the primary'
    ELSE 'a primary that takes writes' END
FROM (
  SELECT MAX(VARIABLE_NAME IN ('read_only', 'super_read_only', 'innodb_read_only')
      AND VARIABLE_VALUE NOT IN ('', 'OFF', '0')) AS refuses,
    MAX(VARIABLE_NAME = 'innodb_read_only' AND VARIABLE_VALUE IN ('ON', '1')) AS innodb_refuses,
    MAX(VARIABLE_NAME = 'gtid_slave_pos' AND VARIABLE_VALUE <> '') AS followed,
    COALESCE((SELECT MAX(VARIABLE_VALUE NOT IN ('', 'OFF', '0')) FROM {about}.global_status
      WHERE VARIABLE_NAME IN ('Slaves_running', 'Slave_running')), 0) AS follows
  FROM {about}.global_variables
) AS said

-- name: primary_keys
-- what: what forbids tables without a primary key, which heap tables are
SELECT 'blocker', 'tables', CONCAT(LOWER(VARIABLE_NAME), ' is on, and heap tables have no primary key; an administrator runs: SET GLOBAL ',
  LOWER(VARIABLE_NAME), ' = OFF')
FROM {about}.global_variables
WHERE VARIABLE_NAME IN ('innodb_force_primary_key', 'sql_require_primary_key') AND VARIABLE_VALUE IN ('ON', '1')

-- name: primary_keys_in_a_cluster
-- what: the same in a Galera cluster
SELECT 'blocker', 'tables', 'wsrep_mode has REQUIRED_PRIMARY_KEY, and heap tables have no primary key; take it out of wsrep_mode'
FROM {about}.global_variables
HAVING MAX(VARIABLE_NAME = 'wsrep_on' AND VARIABLE_VALUE IN ('ON', '1'))
  AND MAX(VARIABLE_NAME = 'wsrep_provider' AND VARIABLE_VALUE NOT IN ('', 'none'))
  AND MAX(VARIABLE_NAME = 'wsrep_mode' AND VARIABLE_VALUE LIKE '%REQUIRED_PRIMARY_KEY%')

-- name: binary_log
-- what: whether sessions that read what is committed can write
SELECT 'blocker', 'tables', 'binlog_format is STATEMENT, in which transactions that read what is committed cannot write; an administrator runs: SET GLOBAL binlog_format = MIXED'
FROM {about}.global_variables
HAVING MAX(VARIABLE_NAME = 'log_bin' AND VARIABLE_VALUE IN ('ON', '1'))
  AND MAX(VARIABLE_NAME = 'binlog_format' AND VARIABLE_VALUE = 'STATEMENT')

-- name: file_per_table
SELECT 'warning', 'tables', 'innodb_file_per_table is off: all tables lie in one file, which never shrinks, and none can be compressed; an administrator runs: SET GLOBAL innodb_file_per_table = ON'
FROM {about}.global_variables WHERE VARIABLE_NAME = 'innodb_file_per_table' AND VARIABLE_VALUE IN ('OFF', '0')

-- name: compressed_tables
SELECT 'warning', 'tables', 'innodb_read_only_compressed is on: tables of ROW_FORMAT=COMPRESSED cannot be filled, and their tests fail; an administrator runs: SET GLOBAL innodb_read_only_compressed = OFF'
FROM {about}.global_variables WHERE VARIABLE_NAME = 'innodb_read_only_compressed' AND VARIABLE_VALUE IN ('ON', '1')

-- name: performance_schema
SELECT 'warning', 'statistics', 'performance_schema is off: waits for files, and how many reads and writes of files there were and how long they took, are missing; start the server with performance_schema = ON'
FROM {about}.global_variables WHERE VARIABLE_NAME = 'performance_schema' AND VARIABLE_VALUE IN ('OFF', '0')

-- name: statement_time
-- what: a limit of time that could end a test; an account's limit of 0 is none of its own, the server's counts then
SELECT 'warning', 'limits', CONCAT('max_statement_time is ', own.VARIABLE_VALUE + 0,
  ' s, which can end a load or a test; an administrator runs: ',
  IF(own.VARIABLE_VALUE = servers.VARIABLE_VALUE, 'SET GLOBAL max_statement_time = 0',
    CONCAT('ALTER USER ', @dbdyno_account, ' WITH MAX_STATEMENT_TIME 0')))
FROM {about}.session_variables AS own JOIN {about}.global_variables AS servers ON servers.VARIABLE_NAME = own.VARIABLE_NAME
WHERE own.VARIABLE_NAME = 'max_statement_time' AND own.VARIABLE_VALUE > 0

-- name: execution_time
-- what: MySQL's limit of time
SELECT 'warning', 'limits', CONCAT('max_execution_time is ', VARIABLE_VALUE,
  ' ms, which can end a test; an administrator runs: SET GLOBAL max_execution_time = 0')
FROM {about}.session_variables WHERE VARIABLE_NAME = 'max_execution_time' AND VARIABLE_VALUE > 0

-- name: logged_statements
-- what: whether every statement is written to a log
SELECT 'warning', 'limits', 'general_log writes every statement to a log of the server''s, which costs time in every test'
FROM {about}.global_variables WHERE VARIABLE_NAME = 'general_log' AND VARIABLE_VALUE IN ('ON', '1')

-- name: slow_statements
-- what: whether every statement counts as a slow one
SELECT 'warning', 'limits', 'long_query_time = 0 writes every statement to a log of the server''s, which costs time in every test'
FROM {about}.global_variables
HAVING MAX(VARIABLE_NAME = 'slow_query_log' AND VARIABLE_VALUE IN ('ON', '1'))
  AND MAX(VARIABLE_NAME = 'long_query_time' AND VARIABLE_VALUE + 0 = 0)

-- name: query_cache
SELECT 'warning', 'limits', CONCAT('query_cache_type is ', MAX(IF(VARIABLE_NAME = 'query_cache_type', VARIABLE_VALUE, '')),
  ': statements of all sessions wait for its one lock, and some may be answered without being done; an administrator runs: SET GLOBAL query_cache_size = 0, query_cache_type = OFF')
FROM {about}.global_variables
HAVING MAX(VARIABLE_NAME = 'query_cache_type' AND VARIABLE_VALUE IN ('ON', 'DEMAND'))
  AND MAX(VARIABLE_NAME = 'query_cache_size' AND VARIABLE_VALUE <> '0')

-- name: user_statistics
SELECT 'warning', 'limits', 'userstat is on: each statement also counts for its user, table and index, which costs time'
FROM {about}.global_variables WHERE VARIABLE_NAME = 'userstat' AND VARIABLE_VALUE IN ('ON', '1')

-- name: company
-- what: who else is at work now; without the privilege PROCESS only sessions of this account are seen
SELECT 'warning', 'other load', CONCAT(COUNT(*), ' other sessions at work now: figures would be those of a shared machine')
FROM information_schema.PROCESSLIST
WHERE ID <> CONNECTION_ID()
  AND COMMAND NOT IN ('Binlog Dump', 'Binlog Dump GTID', 'Daemon', 'Sleep', 'Slave_IO', 'Slave_SQL', 'Slave_worker')
HAVING COUNT(*) > 0
