-- The package DBDYNO_WORK: the loops of the tests, run inside the server, one procedure for each kind of work and table, all
-- with one signature (`parameters`). A point makes the package with the procedures that it calls, compiled to machine code
-- where the server allows, and drops it again. Here are the procedures that load, scan and build; cpu.sql has those without
-- tables, lookups.sql those that find rows by key.
--   p_first, p_passes  ordinal of the first pass, and how many: results do not depend on how passes are cut into calls
--   p_state            the job's key stream before the first draw; each draw goes on by MOD(state * 48271, 2147483647)
--   p_job, p_jobs      this job and how many there are: updates and loads take keys that are p_job modulo p_jobs
--   p_rows_per_tx, p_ops_per_pass, p_argument, p_table_rows, p_small_rows   as the catalogue and the size class say; a bulk
--                      load is given the sum of the quantities that it copies, so that nothing but the copy is timed
--   p_ops, p_rows, p_bytes, p_checksum   what was done, when it returns; each begins at 0
-- A statement of these three files is declarations, BEGIN and the loop; `procedure` goes around it. Names of variables begin
-- with p_ or v_, because a column's name would come before a variable's in SQL. A SELECT that finds no row, or several where
-- one must be, raises an error and ends the call.
-- The statement under test stands between /*test*/ and /*end*/, and names its query block DBDYNO_TEST: comments do not come
-- as far as v$sql, hints do, so the server's own count of its executions is found by that. EXPLAIN PLAN is asked about that
-- very text, its `variables` replaced by examples and the lines that begin with INTO left out. Its plan must have the nodes
-- of `plan` in that order, others between them (a star stands for any text), and none of `never`.
-- A statement that is put together when it runs has the time in a comment: DDL between two executions of one text would make the
-- server forget its count.
-- Why hints: a figure is about one way to the rows. Other settings of a session are in procedures.toml.
-- {commit}: inside PL/SQL a plain COMMIT does not wait until its redo is on the device. The server waits once, before the
-- call returns, so that a loop of 10,000 commits is as durable as its last one. COMMIT WRITE IMMEDIATE WAIT waits each time,
-- as a commit that a client sends does; the engine's own way is what --commit engine_default asks for.
-- `makes` lists what a point makes beside the package, `discards` what goes between two pieces where that is something else:
-- <job> is the number of a job, <number> (in two digits <nn>) that of a pass among those of all jobs.
-- The package has the rights of its owner, which is the user that calls it; nobody else is granted anything.

-- name: package
-- what: the package's outside; declarations of its procedures follow
CREATE OR REPLACE PACKAGE {package} AS

-- name: package_body
-- what: its inside; the procedures follow
CREATE OR REPLACE PACKAGE BODY {package} AS

-- name: package_end
-- what: the end of both
END {package};

-- name: parameters
-- what: the signature of every procedure
  PROCEDURE {procedure}(
    p_first IN NUMBER, p_passes IN NUMBER, p_state IN NUMBER, p_job IN NUMBER, p_jobs IN NUMBER, p_rows_per_tx IN NUMBER,
    p_ops_per_pass IN NUMBER, p_argument IN NUMBER, p_table_rows IN NUMBER, p_small_rows IN NUMBER,
    p_ops OUT NUMBER, p_rows OUT NUMBER, p_bytes OUT NUMBER, p_checksum OUT NUMBER)

-- name: declarations
-- what: variables that every procedure has: passes done, rows and their sum so far
    v_pass NUMBER := 0;
    v_rows NUMBER := 0;
    v_sum NUMBER := 0;

-- name: write_file
-- proves: the server has a file as long as asked for: all of it is written when CREATE TABLESPACE returns
-- touches: the tablespace dbdyno_file_JOB, which it makes anew, in the place that db_create_file_dest names; one that is not empty stays
-- makes: tablespace dbdyno_file_<job>
BEGIN
    WHILE v_pass < p_passes LOOP
      BEGIN
        EXECUTE IMMEDIATE 'DROP TABLESPACE dbdyno_file_' || p_job;
      EXCEPTION
        WHEN OTHERS THEN
          IF SQLCODE <> -959 THEN
            RAISE;
          END IF;
      END;
      EXECUTE IMMEDIATE 'CREATE BIGFILE TABLESPACE dbdyno_file_' || p_job || ' DATAFILE SIZE ' || p_argument;
      v_sum := v_sum + p_argument;
      v_pass := v_pass + 1;
    END LOOP;
    {results}
    p_bytes := v_sum;

-- name: insert
-- proves: one row a statement, copied from the small heap, with both keys maintained; a commit a transaction
-- touches: small_heap, of which it reads one row by its key; {load}, which it fills
-- makes: table {load}
-- makes hash: table {load}; cluster {load}_c
    v_i NUMBER;
    v_number NUMBER;
    v_id NUMBER;
    v_source NUMBER;
    v_customer_id small_heap.customer_id%TYPE;
    v_ref_id small_heap.ref_id%TYPE;
    v_region small_heap.region%TYPE;
    v_booked_on small_heap.booked_on%TYPE;
    v_quantity small_heap.quantity%TYPE;
    v_amount small_heap.amount%TYPE;
    v_status small_heap.status%TYPE;
    v_filler small_heap.filler%TYPE;
BEGIN
    WHILE v_pass < p_passes LOOP
      v_i := 0;
      WHILE v_i < p_rows_per_tx LOOP
        v_number := ((p_first + v_pass) * p_rows_per_tx + v_i) * p_jobs + p_job;
        v_id := v_number + 1;
        v_source := MOD(v_number, p_small_rows) + 1;
        SELECT /*+ INDEX(small_heap small_heap_pk) */ customer_id, ref_id, region, booked_on, quantity, amount, status, filler
        INTO v_customer_id, v_ref_id, v_region, v_booked_on, v_quantity, v_amount, v_status, v_filler
        FROM small_heap WHERE id = v_source;
        /*test*/
        INSERT /*+ QB_NAME(DBDYNO_TEST) */ INTO {load} (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
        VALUES (v_id, v_customer_id, v_ref_id, v_region, v_booked_on, v_quantity, v_amount, v_status, v_filler)
        /*end*/;
        v_rows := v_rows + SQL%ROWCOUNT;
        v_sum := v_sum + v_quantity;
        v_i := v_i + 1;
      END LOOP;
      {commit};
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: bulk_load_large
-- proves: the whole small heap copied by direct path into one range partition (a month) of the job's own; no keys; one commit
-- touches: small_heap, which it reads; load_large, of which it fills a partition a pass
-- why a partition each: a direct-path insert locks the segment that it fills until it is committed
-- redo: all blocks are logged unless the database runs without an archive log, where direct path logs none
-- plan: LOAD AS SELECT* > TABLE ACCESS*FULL on small_heap
-- never: LOAD TABLE CONVENTIONAL*; PX *; OPTIMIZER STATISTICS GATHERING*
-- makes: table load_large
-- discards: month r<nn>
    v_number NUMBER;
    v_month VARCHAR2(30);
    v_serial VARCHAR2(30);
BEGIN
    WHILE v_pass < p_passes LOOP
      v_serial := TO_CHAR(SYSTIMESTAMP, 'DDDSSSSSFF');
      v_number := (p_first + v_pass) * p_jobs + p_job;
      v_month := 'r' || CASE WHEN v_number < 10 THEN '0' END || v_number;
      EXECUTE IMMEDIATE 'INSERT /*+ QB_NAME(DBDYNO_TEST) APPEND NO_GATHER_OPTIMIZER_STATISTICS */ /* ' || v_serial || ' */ INTO load_large PARTITION (' || v_month || ')
        (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
        SELECT /*+ FULL(small_heap) */ id + :1, customer_id, ref_id, MOD(region - 1, 4) + 1, ADD_MONTHS(booked_on, :2), quantity,
          amount, status, filler
        FROM small_heap' USING p_small_rows * v_number, v_number;
      v_rows := v_rows + SQL%ROWCOUNT;
      v_sum := v_sum + p_argument;
      {commit};
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: bulk_load_heap
-- proves: the whole small heap copied by direct path into a table of the job's own; no keys; one commit
-- touches: small_heap, which it reads; load_heap_NUMBER, a table a pass
-- redo: all blocks are logged unless the database runs without an archive log, where direct path logs none
-- plan: LOAD AS SELECT* > TABLE ACCESS*FULL on small_heap
-- never: LOAD TABLE CONVENTIONAL*; PX *; OPTIMIZER STATISTICS GATHERING*
-- makes: table load_heap_<number>
    v_number NUMBER;
    v_serial VARCHAR2(30);
BEGIN
    WHILE v_pass < p_passes LOOP
      v_serial := TO_CHAR(SYSTIMESTAMP, 'DDDSSSSSFF');
      v_number := (p_first + v_pass) * p_jobs + p_job;
      EXECUTE IMMEDIATE 'CREATE TABLE load_heap_' || v_number || ' (
{columns}
) {made}';
      EXECUTE IMMEDIATE 'INSERT /*+ QB_NAME(DBDYNO_TEST) APPEND NO_GATHER_OPTIMIZER_STATISTICS */ /* ' || v_serial || ' */ INTO load_heap_' || v_number || '
        (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
        SELECT /*+ FULL(small_heap) */ id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler
        FROM small_heap';
      v_rows := v_rows + SQL%ROWCOUNT;
      v_sum := v_sum + p_argument;
      {commit};
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: scan
-- proves: every row visited; an index-organised table is its key, which is read block by block and not in its order
-- touches: {table}, which it reads
-- plan heap: TABLE ACCESS*FULL on {table}
-- plan iot: INDEX*FAST FULL SCAN on {table}_pk
-- plan hash: TABLE ACCESS*FULL on {table}
-- plan parallel: PX COORDINATOR > TABLE ACCESS*FULL on {table}
-- never: *SAMPLE*; RESULT CACHE*
    v_n NUMBER;
    v_quantity NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      /*test*/
      SELECT /*+ QB_NAME(DBDYNO_TEST) {scan} */ COUNT(*), SUM(quantity)
      INTO v_n, v_quantity
      FROM {table}
      /*end*/;
      v_rows := v_rows + v_n;
      v_sum := v_sum + v_quantity;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: scan_range
-- proves: the rows of one range partition; the others are pruned
-- touches: {table}, of which it reads one month
-- variables: v_from = DATE '2020-01-01'
-- plan: PARTITIONS KEY to KEY|PARTITIONS 4 (* > TABLE ACCESS*FULL on {table}
-- plan parallel: PX COORDINATOR > PARTITIONS KEY to KEY|PARTITIONS 4 (* > TABLE ACCESS*FULL on {table}
-- never: PARTITION RANGE ALL; PARTITION RANGE OR; *SAMPLE*; RESULT CACHE*
    v_state NUMBER := p_state;
    v_from DATE;
    v_n NUMBER;
    v_quantity NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      v_state := MOD(v_state * 48271, 2147483647);
      v_from := ADD_MONTHS(DATE '2020-01-01', TRUNC(v_state * 32 / 2147483647));
      /*test*/
      SELECT /*+ QB_NAME(DBDYNO_TEST) {scan} */ COUNT(*), SUM(quantity)
      INTO v_n, v_quantity
      FROM {table} WHERE booked_on >= v_from AND booked_on < ADD_MONTHS(v_from, 1)
      /*end*/;
      v_rows := v_rows + v_n;
      v_sum := v_sum + v_quantity;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: index_unique
-- proves: the index is unique, and has an entry for every row: they are counted, which is part of the time
-- touches: {table}, on which it builds load_index_JOB, dropping the last one first; both commit
-- makes: index load_index_<job>
    v_n NUMBER;
    v_serial VARCHAR2(30);
BEGIN
    WHILE v_pass < p_passes LOOP
      v_serial := TO_CHAR(SYSTIMESTAMP, 'DDDSSSSSFF');
      SELECT COUNT(*)
      INTO v_n
      FROM user_indexes WHERE index_name = 'LOAD_INDEX_' || p_job;
      IF v_n > 0 THEN
        EXECUTE IMMEDIATE 'DROP INDEX load_index_' || p_job;
      END IF;
      EXECUTE IMMEDIATE 'CREATE UNIQUE INDEX load_index_' || p_job || ' ON {table} (ref_id) LOGGING';
      EXECUTE IMMEDIATE 'SELECT /*+ QB_NAME(DBDYNO_TEST) INDEX_FFS({table} load_index_' || p_job || ') */ /* ' || v_serial || ' */ COUNT(ref_id)
        FROM {table}' INTO v_n;
      v_rows := v_rows + v_n;
      v_sum := v_sum + v_n;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: index_non_unique
-- proves: the index has an entry for every row: they are counted, which is part of the time
-- touches: {table}, on which it builds load_index_JOB, dropping the last one first; both commit
-- makes: index load_index_<job>
    v_n NUMBER;
    v_serial VARCHAR2(30);
BEGIN
    WHILE v_pass < p_passes LOOP
      v_serial := TO_CHAR(SYSTIMESTAMP, 'DDDSSSSSFF');
      SELECT COUNT(*)
      INTO v_n
      FROM user_indexes WHERE index_name = 'LOAD_INDEX_' || p_job;
      IF v_n > 0 THEN
        EXECUTE IMMEDIATE 'DROP INDEX load_index_' || p_job;
      END IF;
      EXECUTE IMMEDIATE 'CREATE INDEX load_index_' || p_job || ' ON {table} (amount) LOGGING';
      EXECUTE IMMEDIATE 'SELECT /*+ QB_NAME(DBDYNO_TEST) INDEX_FFS({table} load_index_' || p_job || ') */ /* ' || v_serial || ' */ COUNT(amount)
        FROM {table}' INTO v_n;
      v_rows := v_rows + v_n;
      v_sum := v_sum + v_n;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: sort
-- proves: every row goes into the sums; the plan shows that all are sorted by amount before
-- why the hints: nobody needs the order, so the optimizer would leave it out; workers add up what they have sorted, each its own
-- touches: {table}, which it reads; the temporary tablespace
-- plan: SORT ORDER BY > TABLE ACCESS*FULL on {table}
-- plan parallel: PX COORDINATOR > SORT ORDER BY > TABLE ACCESS*FULL on {table}
-- never: RESULT CACHE*
    v_n NUMBER;
    v_quantity NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      /*test*/
      SELECT /*+ QB_NAME(DBDYNO_TEST) */ COUNT(*), SUM(quantity)
      INTO v_n, v_quantity
      FROM (SELECT /*+ NO_MERGE NO_ELIMINATE_OBY {scan} */ quantity FROM {table} ORDER BY amount) s
      /*end*/;
      v_rows := v_rows + v_n;
      v_sum := v_sum + v_quantity;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: group
-- proves: every row is in one of the groups
-- touches: {table}, which it reads
-- plan: * GROUP BY* > TABLE ACCESS*FULL on {table}
-- plan parallel: PX COORDINATOR > * GROUP BY* > TABLE ACCESS*FULL on {table}
-- never: RESULT CACHE*
    v_n NUMBER;
    v_quantity NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      /*test*/
      SELECT /*+ QB_NAME(DBDYNO_TEST) */ SUM(n), SUM(quantity)
      INTO v_n, v_quantity
      FROM (
        SELECT /*+ {scan} */ region, status, COUNT(*) AS n, SUM(quantity) AS quantity, AVG(amount) AS average,
          MIN(amount) AS smallest, MAX(amount) AS largest
        FROM {table} GROUP BY region, status
      ) g WHERE average BETWEEN smallest AND largest
      /*end*/;
      v_rows := v_rows + v_n;
      v_sum := v_sum + v_quantity;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: report
-- proves: every row is in one group of each grouping set; the ranking consumes all groups
-- touches: {table}, which it reads
-- plan: WINDOW SORT* > TABLE ACCESS*FULL on {table}
-- plan parallel: WINDOW SORT*|PX COORDINATOR > PX COORDINATOR|WINDOW SORT* > TABLE ACCESS*FULL on {table}
-- never: RESULT CACHE*
    v_n NUMBER;
    v_quantity NUMBER;
    v_last NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      /*test*/
      SELECT /*+ QB_NAME(DBDYNO_TEST) */ SUM(CASE depth WHEN 0 THEN n ELSE 0 END), SUM(CASE depth WHEN 0 THEN quantity ELSE 0 END),
        MAX(place)
      INTO v_n, v_quantity, v_last
      FROM (
        SELECT depth, n, quantity, RANK() OVER (PARTITION BY depth ORDER BY amount DESC) AS place FROM (
          SELECT GROUPING_ID(booked_in, region) AS depth, COUNT(*) AS n, SUM(quantity) AS quantity, SUM(amount) AS amount FROM (
            SELECT /*+ {scan} */ TRUNC(booked_on, 'MM') AS booked_in, region, quantity, amount FROM {table}
          ) GROUP BY CUBE (booked_in, region)
        )
      )
      /*end*/;
      v_rows := v_rows + v_n;
      v_sum := v_sum + v_quantity;
      v_pass := v_pass + 1;
    END LOOP;
    {results}
