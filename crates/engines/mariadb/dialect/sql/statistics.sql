-- What the measuring asks the server for: its counters, who is at work, what is left of earlier points, and bringing tables
-- to rest. Counts of sessions are the server's own of that session alone; asking for them changes none of them.

-- name: session_counters
-- what: what one session has done: statements, commits and what prepared them, keys looked up, rows read one after the other, rows changed
SHOW SESSION STATUS WHERE Variable_name IN (
  'Com_commit', 'Com_select', 'Com_alter_table', 'Handler_commit', 'Handler_prepare', 'Handler_read_key',
  'Handler_read_rnd_next', 'Handler_write', 'Handler_update', 'Handler_delete')

-- name: global_counters
-- what: what the server has done as a whole
SHOW GLOBAL STATUS WHERE Variable_name IN (
  'Handler_commit', 'Binlog_commits', 'Com_commit', 'Com_rollback', 'Handler_write', 'Handler_update', 'Handler_delete',
  'Innodb_buffer_pool_read_requests', 'Innodb_pages_read', 'Innodb_data_read', 'Innodb_pages_written',
  'Innodb_buffer_pool_pages_dirty', 'Innodb_data_fsyncs', 'Innodb_lsn_current', 'Innodb_log_writes',
  'Innodb_os_log_fsyncs', 'Innodb_row_lock_waits',
  'Innodb_row_lock_time', 'Innodb_history_list_length', 'Questions', 'Uptime')

-- name: log_settings
-- what: whether the redo log's file is opened so that writing to it is syncing it, and commits write to it; whether changes are logged, too
SHOW GLOBAL VARIABLES WHERE Variable_name IN (
  'innodb_flush_log_at_trx_commit', 'innodb_flush_method', 'innodb_log_file_write_through', 'log_bin')

-- name: files
-- what: reads and writes of data files, writes of the redo log (instrumented before 10.8) and waits for its device, and their time, where performance_schema has them
SELECT 'data reads', COUNT_READ FROM performance_schema.file_summary_by_event_name
WHERE EVENT_NAME = 'wait/io/file/innodb/innodb_data_file' AND EVENT_NAME IN (
  SELECT NAME FROM performance_schema.setup_instruments WHERE ENABLED = 'YES' AND TIMED = 'YES')
UNION ALL SELECT 'data read ns', SUM_TIMER_READ DIV 1000 FROM performance_schema.file_summary_by_event_name
WHERE EVENT_NAME = 'wait/io/file/innodb/innodb_data_file' AND EVENT_NAME IN (
  SELECT NAME FROM performance_schema.setup_instruments WHERE ENABLED = 'YES' AND TIMED = 'YES')
UNION ALL SELECT 'data writes', COUNT_WRITE FROM performance_schema.file_summary_by_event_name
WHERE EVENT_NAME = 'wait/io/file/innodb/innodb_data_file' AND EVENT_NAME IN (
  SELECT NAME FROM performance_schema.setup_instruments WHERE ENABLED = 'YES' AND TIMED = 'YES')
UNION ALL SELECT 'data write ns', SUM_TIMER_WRITE DIV 1000 FROM performance_schema.file_summary_by_event_name
WHERE EVENT_NAME = 'wait/io/file/innodb/innodb_data_file' AND EVENT_NAME IN (
  SELECT NAME FROM performance_schema.setup_instruments WHERE ENABLED = 'YES' AND TIMED = 'YES')
UNION ALL SELECT 'log writes', COUNT_WRITE FROM performance_schema.file_summary_by_event_name
WHERE EVENT_NAME = 'wait/io/file/innodb/innodb_log_file'
UNION ALL SELECT 'log write ns', SUM_TIMER_WRITE DIV 1000 FROM performance_schema.file_summary_by_event_name
WHERE EVENT_NAME = 'wait/io/file/innodb/innodb_log_file'
UNION ALL SELECT 'log syncs', COUNT_MISC FROM performance_schema.file_summary_by_event_name
WHERE EVENT_NAME = 'wait/io/file/innodb/innodb_log_file'
UNION ALL SELECT 'log sync ns', SUM_TIMER_MISC DIV 1000 FROM performance_schema.file_summary_by_event_name
WHERE EVENT_NAME = 'wait/io/file/innodb/innodb_log_file'

-- name: waits
-- what: waits of sessions and of the server's own threads by event, as performance_schema counts and times them
-- why together: counts of a thread go when it ends, and threads of the server's own end while they have nothing to do
SELECT EVENT_NAME, COUNT_STAR, SUM_TIMER_WAIT DIV 1000
FROM performance_schema.events_waits_summary_global_by_event_name WHERE COUNT_STAR > 0 AND EVENT_NAME <> 'idle'

-- name: instruments_off
-- what: instruments of files that somebody has switched off, or does not time
SELECT NAME FROM performance_schema.setup_instruments
WHERE NAME LIKE 'wait/io/file/innodb/%' AND (ENABLED = 'NO' OR TIMED = 'NO')

-- name: switch_instrument
-- what: switches an instrument on until the point has ended, and then off again
UPDATE performance_schema.setup_instruments SET ENABLED = ?, TIMED = ? WHERE NAME = ?

-- name: activity
-- what: who is at work, and what it says of itself: the session, a class, and its state
SELECT ID, 'state', COALESCE(NULLIF(STATE, ''), 'running') FROM information_schema.PROCESSLIST
WHERE COMMAND NOT IN ('Sleep', 'Daemon', 'Binlog Dump', 'Binlog Dump GTID', 'Slave_IO')
  AND USER NOT IN ('system user', 'event_scheduler')

-- name: may_see_activity
-- what: whether the work of other users' sessions is shown
SELECT COUNT(*) FROM information_schema.USER_PRIVILEGES
WHERE PRIVILEGE_TYPE = 'PROCESS'
  AND GRANTEE = CONCAT('\'', REPLACE(CURRENT_USER(), '@', '\'@\''), '\'')

-- name: job
-- what: says that this session is one of a run, for whoever comes after that
DO GET_LOCK(CONCAT('dbdyno.', DATABASE(), '.', {job}), 0)

-- name: noted
-- what: what points have noted that they make
SELECT name FROM meta WHERE name LIKE 'made %'

-- name: forget_made
-- what: forgets that, once it is gone
DELETE FROM meta WHERE name LIKE 'made %'

-- name: there
-- what: tables, and indexes of the large table, that bear such names as points give, whoever has made them
SELECT 'table', TABLE_NAME FROM information_schema.TABLES
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' AND TABLE_NAME LIKE 'load\_%'
UNION
SELECT 'index', INDEX_NAME FROM information_schema.STATISTICS
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'large_heap_range_list' AND INDEX_NAME LIKE 'load\_%'

-- name: warm_rows
-- what: reads every page of a table's rows
SELECT COUNT(quantity) FROM {table}

-- name: warm_primary
-- what: reads every page of its first key, where that is not the order of the rows
SELECT COUNT(*) FROM {table} FORCE INDEX ({table}_pk) WHERE id > 0

-- name: warm_customer
-- what: reads every page of its secondary key
SELECT COUNT(*) FROM {table} FORCE INDEX ({table}_customer) WHERE customer_id > 0

-- name: source_quantities
-- what: the sum of the quantities that a bulk load copies
SELECT SUM(quantity) FROM small_heap

-- name: table_bytes
-- what: pages of a table's rows, from statistics that are renewed when it has been loaded
SELECT SUM(DATA_LENGTH) FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}'

-- name: history
-- what: old versions of rows that wait to be purged
SHOW GLOBAL STATUS LIKE 'Innodb_history_list_length'

-- name: flush
-- what: waits until no page of a table is changed in memory alone, and lets it go again
FLUSH TABLES {table} FOR EXPORT; UNLOCK TABLES

-- name: data_folder
-- what: where the server keeps its data
SELECT @@datadir

-- name: has_procedure
-- what: whether a procedure is there
SELECT 1 FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = DATABASE() AND ROUTINE_NAME = '{procedure}'
