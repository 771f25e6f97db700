-- Random reads and writes through the database in the manner of SLOB. Makes for each unit the tables dbdyno.slob_1,
-- dbdyno.slob_scan_1 and four procedures dbdyno.slob_…_1, and touches nothing else. Proves that each row is alone in its block,
-- that nothing of it is stored elsewhere, that rows of neighbouring keys lie in blocks that have nothing to do with one another,
-- and that as many rows are read and changed as there are keys in the range.
-- A row takes 2.5 KB. A block is filled to a tenth at most, so it takes one row. A new version of the row fits in beside it, and
-- never goes into the block of another row; where an old snapshot keeps versions for long, it goes to the end of the table.
-- Columns are kept as they are and are added by a statement that says so: if a table has them from its beginning, it is given a
-- TOAST table. `place` is the order in which rows are stored; its key serves the load, and is dropped when all rows are there.
-- Autovacuum is the server's.

-- name: make rows
-- makes: table dbdyno.slob_{unit}
-- columns: place id c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19
DO $$
BEGIN
  CREATE TABLE dbdyno.slob_{unit} (place bigint PRIMARY KEY, id bigint NOT NULL) WITH (fillfactor = 10);
  EXECUTE 'ALTER TABLE dbdyno.slob_{unit} ' || (
    SELECT string_agg(format('ADD COLUMN c%1$s text, ALTER COLUMN c%1$s SET STORAGE PLAIN', n), ', ' ORDER BY n)
    FROM generate_series(1, 19) AS n);
END
$$;

-- name: make scan
-- makes: table dbdyno.slob_scan_{unit}
-- columns: place id c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19
DO $$
BEGIN
  CREATE TABLE dbdyno.slob_scan_{unit} (place bigint PRIMARY KEY, id bigint NOT NULL) WITH (fillfactor = 10);
  EXECUTE 'ALTER TABLE dbdyno.slob_scan_{unit} ' || (
    SELECT string_agg(format('ADD COLUMN c%1$s text, ALTER COLUMN c%1$s SET STORAGE PLAIN', n), ', ' ORDER BY n)
    FROM generate_series(1, 19) AS n);
END
$$;

-- name: make select
-- makes: procedure dbdyno.slob_select_{unit}
CREATE PROCEDURE dbdyno.slob_select_{unit}(p_low bigint, p_high bigint, INOUT p_rows bigint DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
  SELECT count(c1) INTO p_rows FROM dbdyno.slob_{unit} WHERE id > p_low AND id < p_high;
END
$$;

-- name: make update_lite
-- makes: procedure dbdyno.slob_update_lite_{unit}
CREATE PROCEDURE dbdyno.slob_update_lite_{unit}(p_low bigint, p_high bigint, p_text text, INOUT p_rows bigint DEFAULT NULL)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dbdyno.slob_{unit} SET c1 = p_text, c19 = p_text WHERE id > p_low AND id < p_high;
  GET DIAGNOSTICS p_rows = ROW_COUNT;
END
$$;

-- name: make update_heavy
-- makes: procedure dbdyno.slob_update_heavy_{unit}
CREATE PROCEDURE dbdyno.slob_update_heavy_{unit}(p_low bigint, p_high bigint, p_text text, INOUT p_rows bigint DEFAULT NULL)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE dbdyno.slob_{unit}
  SET c1 = p_text, c2 = p_text, c3 = p_text, c4 = p_text, c5 = p_text, c6 = p_text, c7 = p_text, c8 = p_text, c9 = p_text,
      c10 = p_text, c11 = p_text, c12 = p_text, c13 = p_text, c14 = p_text, c15 = p_text, c16 = p_text, c17 = p_text,
      c18 = p_text, c19 = p_text
  WHERE id > p_low AND id < p_high;
  GET DIAGNOSTICS p_rows = ROW_COUNT;
END
$$;

-- name: make scan_all
-- makes: procedure dbdyno.slob_scan_all_{unit}
CREATE PROCEDURE dbdyno.slob_scan_all_{unit}(INOUT p_rows bigint DEFAULT NULL) LANGUAGE plpgsql AS $$
BEGIN
  SELECT count(c1) INTO p_rows FROM dbdyno.slob_scan_{unit};
END
$$;

-- name: arrange rows
-- what: drops the key that has served the load; again does nothing
ALTER TABLE dbdyno.slob_{unit} DROP CONSTRAINT IF EXISTS slob_{unit}_pkey;

-- name: arrange scan
ALTER TABLE dbdyno.slob_scan_{unit} DROP CONSTRAINT IF EXISTS slob_scan_{unit}_pkey;

-- name: index key
CREATE INDEX IF NOT EXISTS slob_{unit}_key ON dbdyno.slob_{unit} (id);

-- name: finish rows
VACUUM (FREEZE, ANALYZE) dbdyno.slob_{unit};

-- name: finish scan
VACUUM (FREEZE, ANALYZE) dbdyno.slob_scan_{unit};

-- name: rest free
-- what: versions of a row that somebody may still have seen do not all fit beside it, and then the row moves to the table's end. Before
-- each point such rows go back into blocks that are free by then, and the end is cut off; nothing is done where no row has moved
VACUUM dbdyno.slob_{unit};

-- name: rest return
-- what: a table that has not grown is not read for that, which PostgreSQL 13 would do
WITH moved AS (
  DELETE FROM dbdyno.slob_{unit}
  WHERE (SELECT pg_relation_size('dbdyno.slob_{unit}') > {rows_rows} * current_setting('block_size')::bigint)
    AND ctid >= '({rows_rows},0)'::tid RETURNING *)
INSERT INTO dbdyno.slob_{unit} SELECT * FROM moved;

-- name: rest end
VACUUM dbdyno.slob_{unit};

-- name: session generic
-- what: these leave the plan that is wanted: rows one by one as the index has them, in one process
SET plan_cache_mode = force_generic_plan;

-- name: session tables
SET enable_seqscan = off;

-- name: session random
SET random_page_cost = 4;

-- name: session sequential
SET seq_page_cost = 1;

-- name: session index
SET enable_indexscan = on;

-- name: session bitmap
SET enable_bitmapscan = off;

-- name: session parallel
SET max_parallel_workers_per_gather = 0;

-- name: session jit
SET jit = off;

-- name: session scans
SET synchronize_seqscans = off;

-- name: client select
-- what: :1 the key below the range, :2 the key above it; answers with the number of rows
SELECT count(c1) FROM dbdyno.slob_{unit} WHERE id > :1 AND id < :2;

-- name: client update_lite
-- what: :1 the key below the range, :2 the key above it, :3 the text
UPDATE dbdyno.slob_{unit} SET c1 = :3, c19 = :3 WHERE id > :1 AND id < :2;

-- name: client update_heavy
-- what: :1 the key below the range, :2 the key above it, :3 the text
UPDATE dbdyno.slob_{unit}
SET c1 = :3, c2 = :3, c3 = :3, c4 = :3, c5 = :3, c6 = :3, c7 = :3, c8 = :3, c9 = :3, c10 = :3, c11 = :3, c12 = :3, c13 = :3,
    c14 = :3, c15 = :3, c16 = :3, c17 = :3, c18 = :3, c19 = :3
WHERE id > :1 AND id < :2;

-- name: client scan
-- what: answers with the number of rows
SELECT count(c1) FROM dbdyno.slob_scan_{unit};

-- name: server select
-- what: :1 the key below the range, :2 the key above it; each call answers with the number of rows
CALL dbdyno.slob_select_{unit}(:1, :2);

-- name: server update_lite
-- what: :1 the key below the range, :2 the key above it, :3 the text
CALL dbdyno.slob_update_lite_{unit}(:1, :2, :3);

-- name: server update_heavy
-- what: :1 the key below the range, :2 the key above it, :3 the text
CALL dbdyno.slob_update_heavy_{unit}(:1, :2, :3);

-- name: server scan
CALL dbdyno.slob_scan_all_{unit}();

-- name: indexes
-- what: each index of the tables, that statements can use, as the server describes it
-- made: 1
SELECT pg_get_indexdef(i.indexrelid)
FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace s ON s.oid = t.relnamespace
WHERE s.nspname = 'dbdyno' AND i.indisvalid AND t.relname IN ('slob_{unit}', 'slob_scan_{unit}')
ORDER BY 1;

-- name: count
-- what: rows of both tables; those of the first are counted in its index
SELECT (SELECT count(*) FROM dbdyno.slob_{unit}), (SELECT count(*) FROM dbdyno.slob_scan_{unit});

-- name: placed
-- what: rows; blocks that hold them; blocks of a TOAST table; how the key goes with the block, from -1000000 to 1000000
SELECT count(*), count(DISTINCT block),
       (SELECT coalesce(pg_relation_size(nullif(reltoastrelid, 0)) / current_setting('block_size')::bigint, 0)
        FROM pg_class WHERE oid = 'dbdyno.slob_{unit}'::regclass),
       coalesce(round(1000000 * corr(id, block)), 0)::bigint
FROM (SELECT id, (ctid::text::point)[0] AS block FROM dbdyno.slob_{unit}) AS stored;
