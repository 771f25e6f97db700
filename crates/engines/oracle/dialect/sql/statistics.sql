-- What the measuring asks the server for: its counters, who is at work, what is left of earlier points, and bringing tables
-- to rest. Nothing here needs a pack that is licensed apart: the views count since the instance started, and dbdyno takes
-- differences. What the Diagnostics Pack would add is in diagnostics.sql, and is asked only where the target claims it.
-- Counters of a session are its own (v$mystat). In a pluggable database the views show what belongs to that.

-- name: session_counters
-- what: what this session has done, by name; time in hundredths of a second or, where the name says so, microseconds
SELECT n.name, m.value FROM v$mystat m JOIN v$statname n ON n.statistic# = m.statistic#
WHERE n.name IN (
  'DDL statements parallelized', 'DML statements parallelized', 'Parallel operations downgraded 1 to 25 pct',
  'Parallel operations downgraded 25 to 50 pct', 'Parallel operations downgraded 50 to 75 pct',
  'Parallel operations downgraded 75 to 99 pct', 'Parallel operations downgraded to serial',
  'Parallel operations not downgraded', 'cell flash cache read hits',
  'cell physical IO bytes eligible for predicate offload', 'cell pmem cache read hits', 'cell RDMA reads',
  'cell xrmem cache read hits',
  'execute count', 'gc cr blocks received', 'gc current blocks received', 'parse count (hard)',
  'physical read flash cache hits', 'physical reads',
  'queries parallelized', 'redo size', 'redo synch time', 'redo synch time (usec)', 'redo synch writes',
  'session logical reads', 'table scan rows gotten', 'user commits', 'user rollbacks')

-- name: system_counters
-- what: what the instance has done as a whole
SELECT name, value FROM v$sysstat
WHERE name IN (
  'background checkpoints completed', 'cell flash cache read hits',
  'cell physical IO bytes saved during optimized file creation', 'cell pmem cache read hits', 'cell RDMA reads',
  'cell writes to flash cache', 'cell xrmem cache read hits', 'execute count', 'gc cr blocks received',
  'gc current blocks received',
  'physical read flash cache hits',
  'physical read total IO requests', 'physical read total bytes', 'physical read total multi block requests',
  'physical reads', 'physical write total IO requests', 'physical write total bytes', 'physical writes', 'redo size',
  'redo synch time', 'redo synch time (usec)', 'redo synch writes', 'redo write time', 'redo write time (usec)',
  'redo writes', 'session logical reads', 'user commits', 'user rollbacks')

-- name: time_model
-- what: microseconds of the database's own account of time
SELECT stat_name, value FROM v$sys_time_model
WHERE stat_name IN ('DB CPU', 'DB time', 'background cpu time')

-- name: machine
-- what: what the server knows of its machine: hundredths of a second, and how many processors
SELECT stat_name, value FROM v$osstat
WHERE stat_name IN ('BUSY_TIME', 'IDLE_TIME', 'IOWAIT_TIME', 'NUM_CPUS', 'SYS_TIME', 'USER_TIME')

-- name: files
-- what: requests to data and temporary files, small and large, and milliseconds spent in them
SELECT 'reads', SUM(small_read_reqs + large_read_reqs) FROM v$iostat_file WHERE filetype_name IN ('Data File', 'Temp File')
UNION ALL SELECT 'read ms', SUM(small_read_servicetime + large_read_servicetime) FROM v$iostat_file
WHERE filetype_name IN ('Data File', 'Temp File')
UNION ALL SELECT 'writes', SUM(small_write_reqs + large_write_reqs) FROM v$iostat_file
WHERE filetype_name IN ('Data File', 'Temp File')
UNION ALL SELECT 'write ms', SUM(small_write_servicetime + large_write_servicetime) FROM v$iostat_file
WHERE filetype_name IN ('Data File', 'Temp File')

-- name: dirty
-- what: buffers that are changed and not yet written; the Standard Edition of older releases does not say
SELECT recovery_estimated_ios FROM v$instance_recovery

-- name: waits
-- what: waits by event, with their class: how often and how many microseconds sessions waited, and all processes
SELECT event, wait_class, total_waits_fg, time_waited_micro_fg, total_waits, time_waited_micro FROM v$system_event
WHERE wait_class <> 'Idle'

-- name: histogram
-- what: waits by event that took less than so many microseconds, and not less than half of that
SELECT event, wait_time_micro, SUM(wait_count) FROM v$event_histogram_micro WHERE wait_count > 0 GROUP BY event, wait_time_micro

-- name: cursors
-- what: statements under test, told by the name of their query block (:1, a pattern in capitals), and the plan that each has run by
SELECT sql_id, child_number, executions, rows_processed, plan_hash_value, px_servers_executions FROM v$sql
WHERE parsing_schema_name = USER AND UPPER(sql_text) LIKE :1 AND sql_text NOT LIKE 'EXPLAIN PLAN%' AND command_type IN (2, 3, 6)

-- name: cursor_plan
-- what: the plan of one of them (:1 its sql_id, :2 its child number), node by node
SELECT id, parent_id, operation, options, object_name, partition_start, partition_stop FROM v$sql_plan WHERE sql_id = :1 AND child_number = :2 ORDER BY id

-- name: plan
-- what: the plan that was explained, node by node
SELECT id, parent_id, operation, options, object_name, partition_start, partition_stop FROM plan_table WHERE statement_id = 'dbdyno' ORDER BY id

-- name: forget_plan
-- what: takes it out of the session's own table
DELETE FROM plan_table WHERE statement_id = 'dbdyno'

-- name: started
-- what: which instance answers, and since when: a restart sets all counters back
SELECT instance_number, TO_CHAR(startup_time, 'YYYY-MM-DD HH24:MI:SS') FROM v$instance

-- name: activity
-- what: sessions at work and what they wait for; a parallel worker goes by the session of this instance that it works for
-- why the state: the wait class of a session on a processor is that of its last wait
-- why sampled: what is seen now and then has a class of its own, as the server counts and times the same waits itself
SELECT CASE WHEN p.qcinst_id = SYS_CONTEXT('USERENV', 'INSTANCE') THEN p.qcsid ELSE s.sid END, 'sampled ' || CASE s.state WHEN 'WAITING' THEN s.wait_class ELSE 'CPU' END,
  CASE s.state WHEN 'WAITING' THEN s.event ELSE 'on processor' END
FROM v$session s LEFT JOIN v$px_session p ON p.sid = s.sid
WHERE s.status = 'ACTIVE' AND s.type = 'USER' AND NOT (s.state = 'WAITING' AND s.wait_class = 'Idle')
  AND s.sid <> SYS_CONTEXT('USERENV', 'SID')

-- name: sessions
-- what: who this session is, and its number
SELECT SYS_CONTEXT('USERENV', 'SID'), SYS_CONTEXT('USERENV', 'SESSION_USER'), SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA'),
  SYS_CONTEXT('USERENV', 'INSTANCE'), SYS_CONTEXT('USERENV', 'CON_NAME') FROM dual

-- name: noted
-- what: what points have noted that they make
SELECT name FROM meta WHERE name LIKE 'made %'

-- name: forget_made
-- what: forgets that, once it is gone
BEGIN
  DELETE FROM meta WHERE name LIKE 'made %';
  COMMIT;
END;

-- name: there
-- what: indexes, tables and clusters that bear such names as points give, whoever has made them; a table comes before its cluster
-- why notes: users do not see tablespaces in which they own nothing, so what T211 has noted stands for them
SELECT kind, name FROM (
  SELECT 1 AS place, 'index' AS kind, LOWER(index_name) AS name FROM user_indexes
  WHERE index_name LIKE 'LOAD\_INDEX\_%' ESCAPE '\'
  UNION ALL
  SELECT 2, 'table', LOWER(object_name) FROM user_objects
  WHERE object_type = 'TABLE' AND object_name LIKE 'LOAD\_%' ESCAPE '\'
  UNION ALL
  SELECT 3, 'cluster', LOWER(object_name) FROM user_objects
  WHERE object_type = 'CLUSTER' AND object_name LIKE 'LOAD\_%' ESCAPE '\'
  UNION ALL
  SELECT 4, 'tablespace', SUBSTR(name, 17) FROM meta
  WHERE name LIKE 'made tablespace dbdyno\_file\_%' ESCAPE '\' AND name NOT LIKE '%#'
) ORDER BY place, name

-- name: warm_primary
-- what: reads every block of a table and of its primary key; by the key, because a scan of a larger table goes past the cache
-- why a sum: a count of what is never null is answered by the key alone
SELECT /*+ INDEX({table} {table}_pk) NO_PARALLEL({table}) */ SUM(quantity) FROM {table} WHERE id > 0

-- name: warm_customer
-- what: reads every block of the secondary key
SELECT /*+ INDEX({table} {table}_customer) NO_PARALLEL({table}) */ COUNT(*) FROM {table} WHERE customer_id > 0

-- name: source_quantities
-- what: the sum of the quantities that a bulk load copies
SELECT SUM(quantity) FROM small_heap

-- name: table_bytes
-- what: bytes of a table's blocks that hold rows, from its statistics; those of an index-organised one are its key's
SELECT SUM(bytes) FROM (
  SELECT t.blocks * s.block_size AS bytes FROM user_tables t
  JOIN user_tablespaces s ON s.tablespace_name = COALESCE(t.tablespace_name, (SELECT default_tablespace FROM user_users))
  WHERE t.table_name = UPPER('{table}') AND t.iot_type IS NULL
  UNION ALL
  SELECT i.leaf_blocks * s.block_size FROM user_indexes i
  JOIN user_tablespaces s ON s.tablespace_name = COALESCE(i.tablespace_name, (SELECT default_tablespace FROM user_users))
  WHERE i.table_name = UPPER('{table}') AND i.index_type LIKE 'IOT - TOP%'
)

-- name: checkpoint
-- what: writes every changed buffer of all instances; needs the privilege ALTER SYSTEM
BEGIN
  EXECUTE IMMEDIATE 'ALTER SYSTEM CHECKPOINT GLOBAL';
END;

-- name: empty_cache
-- what: forgets what is in the buffer cache, for tests that are to read from storage; needs the privilege ALTER SYSTEM
BEGIN
  EXECUTE IMMEDIATE 'ALTER SYSTEM FLUSH BUFFER_CACHE';
END;

-- name: flash_cache
-- what: more than 0 where the server has a flash cache of its own; the value is a list of sizes, one a device
SELECT COUNT(*) FROM v$parameter WHERE name = 'db_flash_cache_size' AND REGEXP_LIKE(value, '[1-9]')

-- name: cells
-- what: how many storage cells there are
SELECT COUNT(*) FROM v$cell

-- name: code_type
-- what: whether the package was compiled to machine code
SELECT plsql_code_type FROM user_plsql_object_settings WHERE name = UPPER('{package}') AND type = 'PACKAGE BODY'

-- name: tablespaces
-- what: every tablespace with such a name as T211 gives, whoever has made it
SELECT LOWER(tablespace_name) FROM dba_tablespaces WHERE tablespace_name LIKE 'DBDYNO\_FILE\_%' ESCAPE '\'
