-- The procedures: the loops of the tests, run inside the server, one for each procedure and table, all with one
-- signature (`procedure`), which goes before each of the others. Here are those that load, scan and build; cpu.sql has
-- those without tables, lookups.sql those that find rows by key.
--   p_first, p_passes  ordinal of the first pass, and how many: results do not depend on how passes are cut into calls
--   p_state            the job's key stream before the first draw; each draw goes on by state * 48271 % 2147483647
--   p_job, p_jobs      this job and how many there are: updates and loads take keys that are p_job modulo p_jobs
--   p_rows_per_tx, p_ops_per_pass, p_argument, p_table_rows, p_small_rows   as the catalogue and the size class say
--   p_ops, p_rows, p_bytes, p_checksum   0 when called; what was done when it returns
-- Every variable begins with p_ or v_, so that none can be taken for a column. The statement under test stands between
-- /*test*/ and /*end*/: EXPLAIN is asked about that very text, its `variables` bound as parameters, and must answer as
-- `plan` says (plan.rs has the form: leaves bear their table's name, alternatives are parted by |), or the point is
-- invalid. Where several jobs run another text, that stands after /*beside*/, and must have the same plan. What runs
-- through EXECUTE does so because PL/pgSQL launches parallel workers there, and none for SELECT INTO.
-- `makes` lists what a point makes beside the procedure: <job> is the number of a job, <number> that of a pass among those
-- of all jobs, <leaf> that of a leaf of the table. A client's statement ends with what `client adds` says.
-- No procedure has a SET clause, because it could not COMMIT then: settings are the session's.

-- name: procedure
-- what: how every procedure begins
CREATE OR REPLACE PROCEDURE dbdyno.{procedure}(
  p_first bigint, p_passes bigint, p_state bigint, p_job bigint, p_jobs bigint, p_rows_per_tx bigint,
  p_ops_per_pass bigint, p_argument bigint, p_table_rows bigint, p_small_rows bigint,
  INOUT p_ops bigint, INOUT p_rows bigint, INOUT p_bytes bigint, INOUT p_checksum bigint)
LANGUAGE plpgsql AS $$

-- name: write_file
-- proves: the table's file is as long as asked for when the checkpoint has brought it to the device
-- touches: load_file_JOB, which it drops and makes; four rows a block
-- content: noise that repeats itself after 4 MiB, farther than storage looks back for what it could compress
-- makes: table load_file_<job>; table load_noise
DECLARE
  v_table text := format('dbdyno.load_file_%s', p_job);
  v_noise bytea;
  v_written bigint;
BEGIN
  SELECT noise FROM dbdyno.load_noise INTO v_noise;
  FOR v_pass IN 1 .. p_passes LOOP
    EXECUTE format('DROP TABLE IF EXISTS %s', v_table);
    COMMIT;
    EXECUTE format('CREATE TABLE %s (id, part) WITH (autovacuum_enabled = off) AS
      SELECT v, substr($1, 1 + (v * 1960 %% (length($1) - 1960))::integer, 1960) FROM generate_series(1, $2) AS v', v_table)
      USING v_noise, (p_argument + 8191) / 8192 * 4;
    COMMIT;
    CHECKPOINT;
    v_written := pg_relation_size(v_table::regclass);
    p_ops := p_ops + 1;
    p_bytes := p_bytes + v_written;
    p_checksum := p_checksum + v_written;
  END LOOP;
END $$;

-- name: insert
-- proves: one row a statement, copied from the small heap, with primary key and secondary index; a commit a transaction
-- touches: small_heap, of which it reads one row by primary key; {load}, which it fills
-- variables: v_id bigint = 1; v_source bigint = 1
-- plan: Insert > Index Scan using small_heap_pk
-- makes: table {load}
-- makes list: table {load}; table {load}_p#
-- client reads: quantities
-- client adds: RETURNING quantity
DECLARE
  v_number bigint;
  v_id bigint;
  v_source bigint;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    FOR v_i IN 0 .. p_rows_per_tx - 1 LOOP
      v_number := ((p_first + v_pass - 1) * p_rows_per_tx + v_i) * p_jobs + p_job;
      v_id := v_number + 1;
      v_source := v_number % p_small_rows + 1;
      /*test*/
      INSERT INTO dbdyno.{load} (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
      SELECT v_id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler
      FROM dbdyno.small_heap WHERE id = v_source
      /*end*/
      RETURNING quantity INTO v_quantity;
      IF FOUND THEN
        p_rows := p_rows + 1;
        p_checksum := p_checksum + v_quantity;
      END IF;
    END LOOP;
    COMMIT;
    p_ops := p_ops + 1;
  END LOOP;
END $$;

-- name: bulk_load_large
-- proves: the whole small heap copied into one range partition (a month) of the job's own; no indexes; one commit
-- touches: small_heap, which it reads; load_large_NUMBER, a table a pass, as it would be attached as a partition
-- variables: $1 bigint = 3200; $2 date = 2020-02-01
-- plan: Seq Scan on small_heap
-- makes: table load_large_<number>
DECLARE
  v_number bigint;
  v_month date;
  v_copied bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    v_number := (p_first + v_pass - 1) * p_jobs + p_job;
    v_month := make_date((2020 + v_number % 32 / 12)::integer, (1 + v_number % 32 % 12)::integer, 1);
    EXECUTE format('CREATE TABLE dbdyno.load_large_%s WITH (fillfactor = 90, autovacuum_enabled = off) AS ', v_number)
      || $test$/*test*/
      SELECT id + $1 AS id, customer_id, ref_id, region, $2 + (booked_on - DATE '2020-01-01') AS booked_on, quantity,
        amount, status, filler
      FROM dbdyno.small_heap
      /*end*/$test$ USING p_small_rows * v_number, v_month;
    GET DIAGNOSTICS v_copied = ROW_COUNT;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_copied;
    p_checksum := p_checksum + p_argument;
  END LOOP;
END $$;

-- name: bulk_load_heap
-- proves: the whole small heap copied into a table of the job's own; no indexes; one commit
-- touches: small_heap, which it reads; load_heap_NUMBER, a table a pass
-- plan: Seq Scan on small_heap
-- makes: table load_heap_<number>
DECLARE
  v_copied bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    EXECUTE format('CREATE TABLE dbdyno.load_heap_%s WITH (fillfactor = 90, autovacuum_enabled = off) AS ',
      (p_first + v_pass - 1) * p_jobs + p_job) || $test$/*test*/
      SELECT id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler FROM dbdyno.small_heap
      /*end*/$test$;
    GET DIAGNOSTICS v_copied = ROW_COUNT;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_copied;
    p_checksum := p_checksum + p_argument;
  END LOOP;
END $$;

-- name: scan
-- proves: every row visited; no index is wanted
-- touches: {table}, which it reads
-- plan one: Aggregate > Seq Scan on {table}
-- plan many: Aggregate > Append > {leaves} x Seq Scan on {table}
-- plan one parallel: Finalize Aggregate > Gather {threads} > Partial Aggregate > Parallel Seq Scan on {table}
-- plan many parallel: Finalize Aggregate > Gather {threads} > Partial Aggregate > Parallel Append > {leaves} x Parallel Seq Scan on {table}
DECLARE
  v_rows bigint;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    EXECUTE $test$/*test*/
      SELECT count(*), sum(quantity) FROM dbdyno.{table}
      /*end*/$test$ INTO v_rows, v_quantity;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_rows;
    p_checksum := p_checksum + v_quantity;
  END LOOP;
END $$;

-- name: scan_large
-- proves: every row visited; no index is wanted
-- touches: {table}, which it reads
-- order: of several jobs each begins with another month, and comes to those before it last
-- why: jobs side by side in one partition would find each other's blocks in memory
-- plan: Aggregate > Append > {leaves} x Seq Scan on {table}
-- plan parallel: Finalize Aggregate > Gather {threads} > Partial Aggregate > Parallel Append > {leaves} x Parallel Seq Scan on {table}
DECLARE
  v_test text := $test$/*test*/
      SELECT count(*), sum(quantity) FROM dbdyno.{table}
      /*end*/$test$;
  v_month text := to_char(p_job * 32 / p_jobs, 'FM00');
  v_rows bigint;
  v_quantity bigint;
BEGIN
  IF p_jobs > 1 THEN
    v_test := $test$/*beside*/
      SELECT count(*), sum(quantity) FROM (
      {months}
      ) AS months
      /*end*/$test$;
    -- The months before the job's first one go to the end; before the first of all there are none.
    v_test := regexp_replace(v_test, format('FROM \(\s*(.*)\s+UNION ALL\s+(SELECT quantity FROM \S+_r%s\M.*)\s+\) AS', v_month),
      'FROM (\2 UNION ALL \1) AS');
  END IF;
  FOR v_pass IN 1 .. p_passes LOOP
    EXECUTE v_test INTO v_rows, v_quantity;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_rows;
    p_checksum := p_checksum + v_quantity;
  END LOOP;
END $$;

-- name: scan_range
-- proves: the rows of one range partition; the others are pruned when the statement is planned
-- touches: {table}, of which it reads one month
-- variables: $1 date = 2020-01-01; $2 date = 2020-02-01
-- plan: Aggregate > Append > 4 x Seq Scan on {table} (filtered)
-- plan parallel: Finalize Aggregate > Gather {threads} > Partial Aggregate > Parallel Append > 4 x Parallel Seq Scan on {table} (filtered)
DECLARE
  v_range integer;
  v_from date;
  v_to date;
  v_rows bigint;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_range := p_state * 32 / 2147483647;
    v_from := make_date(2020 + v_range / 12, 1 + v_range % 12, 1);
    v_to := make_date(2020 + (v_range + 1) / 12, 1 + (v_range + 1) % 12, 1);
    EXECUTE $test$/*test*/
      SELECT count(*), sum(quantity) FROM dbdyno.{table} WHERE booked_on >= $1 AND booked_on < $2
      /*end*/$test$ INTO v_rows, v_quantity USING v_from, v_to;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_rows;
    p_checksum := p_checksum + v_quantity;
  END LOOP;
END $$;

-- name: index_unique
-- proves: the index is unique, and what its build counted is every row of the table
-- touches: {table}, on whose leaves it builds load_index_JOB_N, dropping the last ones first; both committed
-- why leaf by leaf: built for the whole table, the leaves' indexes get names of the server's choice, which jobs would share
-- makes: index load_index_<job>_<leaf>
DECLARE
  -- Not by pg_partition_tree: its locks would be held when the first index is dropped, and jobs would wait for each other.
  v_leaves regclass[] := ARRAY(SELECT oid FROM pg_class WHERE relnamespace = 'dbdyno'::regnamespace
    AND relname LIKE '{table}\_r__\_p_' AND relkind = 'r' ORDER BY oid);
  v_rows bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    FOR v_leaf IN 1 .. array_length(v_leaves, 1) LOOP
      EXECUTE format('DROP INDEX IF EXISTS dbdyno.load_index_%s_%s', p_job, v_leaf);
    END LOOP;
    COMMIT;
    FOR v_leaf IN 1 .. array_length(v_leaves, 1) LOOP
      EXECUTE format('CREATE UNIQUE INDEX load_index_%s_%s ON %s (ref_id, booked_on, region)', p_job, v_leaf, v_leaves[v_leaf]);
    END LOOP;
    COMMIT;
    SELECT sum(reltuples::bigint) FROM pg_class
      WHERE relnamespace = 'dbdyno'::regnamespace AND relname LIKE format('load\_index\_%s\_%%', p_job) INTO v_rows;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_rows;
    p_checksum := p_checksum + v_rows;
  END LOOP;
END $$;

-- name: index_non_unique
-- proves: what the index's build counted is every row of the table
-- touches: {table}, on whose leaves it builds load_index_JOB_N, dropping the last ones first; both committed
-- why leaf by leaf: built for the whole table, the leaves' indexes get names of the server's choice, which jobs would share
-- makes: index load_index_<job>_<leaf>
DECLARE
  -- Not by pg_partition_tree: its locks would be held when the first index is dropped, and jobs would wait for each other.
  v_leaves regclass[] := ARRAY(SELECT oid FROM pg_class WHERE relnamespace = 'dbdyno'::regnamespace
    AND relname LIKE '{table}\_r__\_p_' AND relkind = 'r' ORDER BY oid);
  v_rows bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    FOR v_leaf IN 1 .. array_length(v_leaves, 1) LOOP
      EXECUTE format('DROP INDEX IF EXISTS dbdyno.load_index_%s_%s', p_job, v_leaf);
    END LOOP;
    COMMIT;
    FOR v_leaf IN 1 .. array_length(v_leaves, 1) LOOP
      EXECUTE format('CREATE INDEX load_index_%s_%s ON %s (amount)', p_job, v_leaf, v_leaves[v_leaf]);
    END LOOP;
    COMMIT;
    SELECT sum(reltuples::bigint) FROM pg_class
      WHERE relnamespace = 'dbdyno'::regnamespace AND relname LIKE format('load\_index\_%s\_%%', p_job) INTO v_rows;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_rows;
    p_checksum := p_checksum + v_rows;
  END LOOP;
END $$;

-- name: sort
-- proves: every row, in order of amount, goes into the aggregate: the plan shows the sort below it
-- touches: {table}, which it reads; temporary files, where work_mem is too small for the rows
-- plan: Aggregate > Sort > Append > {leaves} x Seq Scan on {table}
-- plan parallel: Aggregate > Gather Merge {threads} > Sort > Parallel Append > {leaves} x Parallel Seq Scan on {table}
DECLARE
  v_rows bigint;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    EXECUTE $test$/*test*/
      SELECT count(id), sum(quantity) FROM (SELECT id, quantity, amount FROM dbdyno.{table} ORDER BY amount) AS sorted
      /*end*/$test$ INTO v_rows, v_quantity;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_rows;
    p_checksum := p_checksum + v_quantity;
  END LOOP;
END $$;

-- name: group
-- proves: every row is in one of the groups
-- touches: {table}, which it reads
-- plan: Aggregate > HashAggregate (filtered) > Append > {leaves} x Seq Scan on {table}
-- plan parallel: Aggregate > ... > Gather {threads} > Partial HashAggregate > Parallel Append > {leaves} x Parallel Seq Scan on {table} | Aggregate > ... > Gather Merge {threads} > Sort > Partial HashAggregate > Parallel Append > {leaves} x Parallel Seq Scan on {table}
DECLARE
  v_rows bigint;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    EXECUTE $test$/*test*/
      SELECT sum(n), sum(quantity) FROM (
        SELECT region, status, count(*) AS n, sum(quantity) AS quantity, avg(amount) AS average, min(amount) AS least,
          max(amount) AS most
        FROM dbdyno.{table} GROUP BY region, status) AS g
      WHERE average BETWEEN least AND most
      /*end*/$test$ INTO v_rows, v_quantity;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_rows;
    p_checksum := p_checksum + v_quantity;
  END LOOP;
END $$;

-- name: report
-- proves: every row is in one group of each grouping set; the ranking consumes all groups
-- touches: {table}, which it reads; the grouping sets are made of the groups of month and region, which workers can make
-- plan: Aggregate > WindowAgg > ... > HashAggregate > Append > {leaves} x Seq Scan on {table}
-- plan parallel: Aggregate > WindowAgg > ... > Gather {threads} > Partial HashAggregate > Parallel Append > {leaves} x Parallel Seq Scan on {table} | Aggregate > WindowAgg > ... > Gather Merge {threads} > Sort > Partial HashAggregate > Parallel Append > {leaves} x Parallel Seq Scan on {table}
DECLARE
  v_rows bigint;
  v_quantity bigint;
  v_last bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    EXECUTE $test$/*test*/
      SELECT sum(n) FILTER (WHERE level = 0), sum(quantity) FILTER (WHERE level = 0), max(place) FROM (
        SELECT grouping(month, region) AS level, sum(n) AS n, sum(quantity) AS quantity,
          rank() OVER (PARTITION BY grouping(month, region) ORDER BY sum(amount) DESC) AS place
        FROM (
          SELECT date_trunc('month', booked_on::timestamp) AS month, region, count(*) AS n, sum(quantity) AS quantity,
            sum(amount) AS amount
          FROM dbdyno.{table} GROUP BY 1, 2) AS g
        GROUP BY GROUPING SETS ((month, region), (month), (region), ())) AS ranked
      /*end*/$test$ INTO v_rows, v_quantity, v_last;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_rows;
    p_checksum := p_checksum + v_quantity;
  END LOOP;
END $$;
