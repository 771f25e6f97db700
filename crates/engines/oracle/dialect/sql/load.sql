-- Loading, proving and dropping. Changes only what lies in our schema, and the sessions that load.

-- name: session
-- what: a session that loads works alone and undisturbed: no worker processes, no rewriting of its statements
ALTER SESSION DISABLE PARALLEL DML

-- name: loaders
-- what: sessions of an earlier load that have not ended: they roll back; and jobs of an earlier run that are still at work
SELECT sid FROM v$session
WHERE (module = 'dbdyno load' OR module = 'dbdyno job' AND status = 'ACTIVE') AND username = USER
  AND sid <> SYS_CONTEXT('USERENV', 'SID')

-- name: hold
-- what: one dbdyno at a time loads or drops in a schema; :1 becomes 0 when the lock is ours, 4 when it was
BEGIN
  :1 := DBMS_LOCK.REQUEST(id => 731000000 + MOD(UID, 1000000), lockmode => DBMS_LOCK.X_MODE, timeout => 0);
END;

-- name: objects
-- what: everything in the schema, to tell what is ours: kind, name, words, parts of a table, and what drops it; a cluster comes after its table
-- own: package dbdyno_work
SELECT LOWER(o.object_type), LOWER(o.object_name), LOWER(o.object_type) || ' ' || LOWER(o.object_name),
  (SELECT COUNT(*) FROM user_tab_partitions p WHERE p.table_name = o.object_name AND p.subpartition_count = 0)
  + (SELECT COUNT(*) FROM user_tab_subpartitions s WHERE s.table_name = o.object_name),
  CASE o.object_type
    WHEN 'TABLE' THEN 'DROP TABLE "' || o.object_name || '" PURGE'
    WHEN 'CLUSTER' THEN 'DROP CLUSTER "' || o.object_name || '" INCLUDING TABLES CASCADE CONSTRAINTS'
    WHEN 'PACKAGE' THEN 'DROP PACKAGE "' || o.object_name || '"'
    WHEN 'PROCEDURE' THEN 'DROP PROCEDURE "' || o.object_name || '"'
    WHEN 'SEQUENCE' THEN 'DROP SEQUENCE "' || o.object_name || '"'
  END
FROM user_objects o
WHERE o.object_type NOT IN (
    'INDEX', 'INDEX PARTITION', 'INDEX SUBPARTITION', 'LOB', 'PACKAGE BODY', 'TABLE PARTITION', 'TABLE SUBPARTITION')
  AND o.object_name NOT LIKE 'BIN$%'
ORDER BY CASE o.object_type WHEN 'CLUSTER' THEN 2 ELSE 1 END, o.object_type, o.object_name

-- name: get_meta
-- what: the whole of the book-keeping
SELECT name, value FROM meta

-- name: set_meta
-- what: one entry of the book-keeping (:1 its name, :2 its value)
MERGE INTO meta m USING (SELECT :1 AS name, :2 AS value FROM dual) n ON (m.name = n.name)
WHEN MATCHED THEN UPDATE SET m.value = n.value
WHEN NOT MATCHED THEN INSERT (name, value) VALUES (n.name, n.value)

-- name: note
-- what: that a step of the load is done for a part of it; belongs to the step's own transaction
MERGE INTO meta m USING (SELECT '{step} {leaf}' AS name, '1' AS value FROM dual) n ON (m.name = n.name)
WHEN MATCHED THEN UPDATE SET m.value = n.value
WHEN NOT MATCHED THEN INSERT (name, value) VALUES (n.name, n.value)

-- name: no_longer_complete
-- what: the first thing that dropping does
DELETE FROM meta WHERE name IN ('complete', 'verified')

-- name: forget_table
-- what: nothing that was noted of a table and its parts holds any more; comes before the table is dropped
DELETE FROM meta WHERE REGEXP_LIKE(name, '^(filled|checksum|keys) {table}(_r[0-9]+)?(_p[0-9]+)?$')

-- name: insert_into
-- what: rows of a part, from dbdyno, in the order of its primary key; bound as arrays
INSERT INTO {leaf} (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
VALUES (:1, :2, :3, :4, :5, :6, :7, :8, :9)

-- name: copy_leaf
-- what: rows of a part from the same part of a table that has them: by direct path, as only that compresses; ends with a commit
INSERT /*+ APPEND NO_GATHER_OPTIMIZER_STATISTICS */ INTO {leaf} (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
SELECT id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler FROM {source}

-- name: rows_out
-- what: the rows of a part, for its checksum
SELECT id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler FROM {leaf}

-- name: analyse
-- what: statistics of a table with its partitions and keys, which nobody renews behind our back; by so many processes
BEGIN
  DBMS_STATS.UNLOCK_TABLE_STATS(ownname => SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA'), tabname => UPPER('{table}'));
  DBMS_STATS.GATHER_TABLE_STATS(ownname => SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA'), tabname => UPPER('{table}'),
    method_opt => 'FOR ALL COLUMNS SIZE 1', degree => {threads}, granularity => 'ALL', cascade => TRUE,
    no_invalidate => FALSE);
  DBMS_STATS.LOCK_TABLE_STATS(ownname => SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA'), tabname => UPPER('{table}'));
END;

-- name: touch_leaf
-- what: reads every block of a part, so that what its load left to clean up in them is not left to a test
-- why a sum: a count of what is never null is answered by a key
SELECT /*+ FULL(t) NO_PARALLEL(t) */ SUM(quantity) FROM {leaf} t

-- name: any_row
-- what: whether a table has rows
SELECT 1 FROM {table} WHERE ROWNUM = 1

-- name: empty_leaf
-- what: takes away what a part that is to be filled holds, which is mostly nothing
DELETE FROM {leaf}

-- name: commit
-- what: the end of a step; waits for the device whatever the session's settings are
COMMIT WRITE IMMEDIATE WAIT

-- name: indexes
-- what: the keys of a table that are there and whole
SELECT LOWER(index_name) FROM user_indexes WHERE table_name = UPPER('{table}') AND status IN ('VALID', 'N/A') ORDER BY index_name

-- name: quota
-- what: the user's tablespace, what it may use there in bytes (-1: as much as there is), and what it uses
SELECT u.default_tablespace, q.max_bytes, q.bytes, (SELECT SUM(f.bytes) FROM user_free_space f
  WHERE f.tablespace_name = u.default_tablespace)
FROM user_users u LEFT JOIN user_ts_quotas q ON q.tablespace_name = u.default_tablespace

-- name: insert_rows
-- what: rows of a workload's table, from dbdyno
INSERT INTO {table} ({columns}) VALUES ({places})

-- name: rows_of
-- what: a part of them, for its checksum
SELECT {columns} FROM {table} WHERE {key} BETWEEN {from} AND {to}
