-- Loading, proving and dropping. Changes only what lies in the schema dbdyno, and the sessions that load.

-- name: session
-- what: a session that loads waits for no commit (the load's last one waits for all of them) and has no limits of time
SET synchronous_commit = off;
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET vacuum_cost_delay = 0;
SET client_min_messages = error;

-- name: control
-- what: the last commit of a load, and that of a drop, wait for all that came before, whatever the server's own setting is
SET synchronous_commit = on;

-- name: hold
-- what: one dbdyno at a time loads or drops in a database; number 1 is held by it, number 2 by its helpers
SELECT pg_try_advisory_lock(1684169849, 1);

-- name: job_at_work
-- what: a session of an earlier run that is still at work; its client has gone, because whoever asks holds number 1
SELECT pid FROM pg_stat_activity
WHERE datname = current_database() AND application_name = 'dbdyno job' AND coalesce(state, '') NOT IN ('idle', 'disabled')
LIMIT 1;

-- name: helpers_gone
-- what: whether no session of an earlier load is at work any more; one that builds an index outlives its client
SELECT pg_try_advisory_lock(1684169849, 2);

-- name: let_helpers_in
-- what: lets helpers of this load begin
SELECT pg_advisory_unlock(1684169849, 2);

-- name: help
-- what: says that this session is a helper
SELECT pg_advisory_lock_shared(1684169849, 2);

-- name: schema
-- what: whether the schema is there
SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = 'dbdyno';

-- name: objects
-- what: everything in the schema, in the order in which it can be dropped; it locks nothing, as pg_partition_tree would
-- order: months before their tables, as one statement for all parts would need more locks than a server has; leaves go with them
-- own: function fibonacci(integer)
WITH found AS (
  SELECT c.relname::text AS relation, c.relkind::text AS relkind, c.relispartition, p.proname::text AS routine, p.prokind::text AS prokind,
         p.pronargs, pg_catalog.oidvectortypes(p.proargtypes) AS arguments,
         pg_catalog.pg_describe_object(d.classid, d.objid, 0) AS description, c.oid AS class,
         p.oid::pg_catalog.regprocedure::text AS signature
  FROM pg_catalog.pg_depend d
  JOIN pg_catalog.pg_namespace n ON n.oid = d.refobjid AND n.nspname = 'dbdyno'
  LEFT JOIN pg_catalog.pg_class c ON d.classid = 'pg_catalog.pg_class'::regclass AND c.oid = d.objid
  LEFT JOIN pg_catalog.pg_proc p ON d.classid = 'pg_catalog.pg_proc'::regclass AND p.oid = d.objid
  WHERE d.refclassid = 'pg_catalog.pg_namespace'::regclass AND d.deptype = 'n'
)
SELECT CASE WHEN relkind IN ('r', 'p') THEN 'table' WHEN relkind = 'S' THEN 'sequence'
            WHEN prokind = 'p' THEN 'procedure' WHEN prokind = 'f' THEN 'function' ELSE 'other' END,
       coalesce(relation, CASE WHEN prokind = 'f' THEN pg_catalog.format('%s(%s)', routine, arguments) ELSE routine END, ''),
       description,
       CASE WHEN relkind = 'p' THEN (
         WITH RECURSIVE below AS (
           SELECT inhrelid FROM pg_catalog.pg_inherits WHERE inhparent = class
           UNION ALL SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN below b ON i.inhparent = b.inhrelid
         ) SELECT count(*) FROM below) ELSE pronargs END,
       CASE WHEN relispartition AND relkind = 'r' THEN NULL
            WHEN relkind IN ('r', 'p') THEN pg_catalog.format('DROP TABLE IF EXISTS dbdyno.%I', relation)
            WHEN relkind = 'S' THEN pg_catalog.format('DROP SEQUENCE IF EXISTS dbdyno.%I', relation)
            WHEN signature IS NOT NULL THEN 'DROP ROUTINE IF EXISTS ' || signature END
FROM found ORDER BY relkind IS NULL, relispartition DESC, 1, 2, signature;

-- name: get_meta
-- what: the whole of the book-keeping
SELECT name, value FROM dbdyno.meta;

-- name: set_meta
-- what: one entry of the book-keeping
INSERT INTO dbdyno.meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: note
-- what: that a step of the load is done for a relation; part of the step's own transaction
INSERT INTO dbdyno.meta (name, value) VALUES ('{step} {leaf}', '1')
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: no_longer_complete
-- what: the first thing that dropping does
DELETE FROM dbdyno.meta WHERE name IN ('complete', 'verified');

-- name: forget_table
-- what: nothing that was noted of a table, its months and leaves holds any more; part of the transaction that drops it
DELETE FROM dbdyno.meta
WHERE name ~ '^(filled|primary|customer|checksum) {table}(_r[0-9]+)?(_p[0-9]+)?$';

-- name: begin
BEGIN;

-- name: commit
COMMIT;

-- name: any_row
-- what: whether a table has rows
SELECT 1 FROM dbdyno.{table} LIMIT 1;

-- name: empty_leaf
-- what: whatever somebody has left in a leaf that is to be filled goes, in the transaction that fills it
TRUNCATE dbdyno.{leaf};

-- name: copy_in
-- what: rows of a leaf, frozen as they arrive, because no other session sees the leaf before the commit
COPY dbdyno.{leaf} (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
FROM STDIN (FORMAT binary, FREEZE);

-- name: rows_out
-- what: the rows of a leaf, for its checksum
COPY dbdyno.{leaf} (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
TO STDOUT (FORMAT binary);

-- name: index_memory
-- what: what an index build may use now
SELECT setting FROM pg_catalog.pg_settings WHERE name = 'maintenance_work_mem';

-- name: index_settings
-- what: memory and workers for one index build
SET maintenance_work_mem = {kilobytes};
SET max_parallel_maintenance_workers = {workers};

-- name: vacuum_leaf
-- what: statistics, and (on 13, whose COPY does not) the visibility map
VACUUM (FREEZE, ANALYZE) dbdyno.{relation};

-- name: rough_sample
-- what: before 18 leaves are analysed with their parent, one by one; all jobs do them again, so this shall be short
SET default_statistics_target = 10;

-- name: analyse_parent
-- what: statistics over all partitions
ANALYZE dbdyno.{relation};

-- name: usual_sample
-- what: the server's own sample again
RESET default_statistics_target;

-- name: analyse_parent_only
-- what: statistics over all partitions, from 18 on
ANALYZE ONLY dbdyno.{relation};

-- name: drop_empty_schema
-- what: the schema, once nothing is in it
DROP SCHEMA dbdyno RESTRICT;

-- name: insert_rows
-- what: rows of a workload's table, from dbdyno
COPY {table} ({columns}) FROM STDIN (FORMAT binary);

-- name: rows_of
-- what: a part of them, for its checksum
COPY (SELECT {columns} FROM {table} WHERE {key} BETWEEN {from} AND {to}) TO STDOUT (FORMAT binary);
