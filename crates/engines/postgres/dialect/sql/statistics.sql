-- What is asked of PostgreSQL about dbdyno's own tables, and what brings them to rest or into the cache. Reads and
-- vacuums nothing outside the schema dbdyno.

-- name: leaves
-- what: names of the leaves of a table, or of an index; a relation without partitions is its own leaf
SELECT c.relname FROM pg_class AS c
WHERE c.oid IN (SELECT relid FROM pg_partition_tree('dbdyno.{table}') WHERE isleaf)
  OR (c.oid = 'dbdyno.{table}'::regclass AND c.relkind IN ('r', 'i'))
ORDER BY c.relname;

-- name: leaf_oids
-- what: the same leaves by number, of a table or of an index
SELECT c.oid FROM pg_class AS c
WHERE c.oid IN (SELECT relid FROM pg_partition_tree('dbdyno.{relation}') WHERE isleaf)
  OR (c.oid = 'dbdyno.{relation}'::regclass AND c.relkind IN ('r', 'i'))
ORDER BY c.relname;

-- name: source_quantities
-- what: the sum of the quantities that a bulk load copies
SELECT sum(quantity) FROM dbdyno.small_heap;

-- name: table_bytes
-- what: bytes of a table's rows, all leaves together, without indexes
SELECT sum(pg_relation_size(c.oid))::bigint FROM pg_class AS c
WHERE c.oid IN (SELECT relid FROM pg_partition_tree('dbdyno.{table}') WHERE isleaf) OR c.oid = 'dbdyno.{table}'::regclass;

-- name: scans
-- what: how often relations were scanned (each process of a parallel scan once), and rows that sequential scans gave
-- $1: numbers of tables or indexes
SELECT coalesce(sum(pg_stat_get_numscans(o)), 0)::bigint, coalesce(sum(pg_stat_get_tuples_returned(o)), 0)::bigint
FROM unnest($1::oid[]) AS o;

-- name: noted
-- what: what points have noted that they make
SELECT name FROM dbdyno.meta WHERE name LIKE 'made %';

-- name: forget_made
-- what: forgets that, once it is gone
DELETE FROM dbdyno.meta WHERE name LIKE 'made %';

-- name: there
-- what: tables and indexes that bear such names as points give, whoever has made them
SELECT CASE WHEN relkind IN ('r', 'p') THEN 'table' ELSE 'index' END, relname FROM pg_class
WHERE relnamespace = 'dbdyno'::regnamespace AND relname LIKE 'load\_%' AND NOT relispartition AND relkind IN ('r', 'p', 'i', 'I')
ORDER BY relname;

-- name: never_vacuumed
-- what: leaves of our tables with rows that were changed or deleted, and those that no vacuum has seen
SELECT c.relname FROM pg_class AS c
WHERE c.relnamespace = 'dbdyno'::regnamespace AND c.relkind = 'r' AND c.relname <> 'meta' AND c.relname NOT LIKE 'load\_%'
  AND (pg_stat_get_dead_tuples(c.oid) > 0
    OR c.relallvisible < pg_relation_size(c.oid) / current_setting('block_size')::bigint)
ORDER BY c.relname;

-- name: vacuum
-- what: frees old row versions, cleans indexes however few they are, and marks blocks visible, for index-only scans
VACUUM (INDEX_CLEANUP ON) dbdyno.{relation};

-- name: vacuum_freeze
-- what: the same at the end of a load, with statistics for the planner, so that nothing is left to do later
VACUUM (FREEZE, ANALYZE) dbdyno.{relation};

-- name: checkpoint
-- what: writes what is changed in memory
CHECKPOINT;

-- name: warm_settings
-- what: index scans alone, because sequential scans of larger tables pass through a small ring of buffers
SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_indexonlyscan = off;
SET max_parallel_workers_per_gather = 0; SET jit = off;

-- name: warm_primary
-- what: reads every block of a leaf and of its primary key, in the order of the key
SELECT count(quantity) FROM dbdyno.{relation} WHERE id > 0;

-- name: warm_customer
-- what: reads every block of a leaf's secondary key, and its rows in that order
SELECT count(quantity) FROM dbdyno.{relation} WHERE customer_id > 0;

-- name: warm_hash
-- what: reads every bucket of a hash index, by asking for every key; {rows} keys
SELECT count(t.quantity) FROM generate_series(1, {rows}::bigint) AS key (id)
CROSS JOIN LATERAL (SELECT quantity FROM dbdyno.{relation} AS r WHERE r.id = key.id OFFSET 0) AS t;
