-- The procedures that find rows by key: selects, updates, joins. Their signature, and what the marks and notes mean, is in
-- procedures.sql. Keys come from the job's stream: draw over n = TRUNC(state * n / 2147483647). NUMBER has more than the digits
-- that this takes. Keys are global indexes, so a lookup passes the key alone, but for the partitioned index-organised table,
-- whose key is (id, region): region = 1 + MOD(TRUNC(id / 64), 8).
-- An update commits each pass; selects have no transaction control.

-- name: select_primary
-- proves: one row a lookup, found by its key
-- touches: {table}, of which it reads one row a lookup
-- variables: v_key = 1
-- plan heap: TABLE ACCESS BY * on {table} > INDEX UNIQUE SCAN on {table}_pk
-- plan iot: INDEX UNIQUE SCAN on {table}_pk
-- plan hash: TABLE ACCESS HASH on {table}
-- never: TABLE ACCESS*FULL*; INDEX RANGE SCAN*; INDEX*FULL SCAN*; INDEX SKIP SCAN*; RESULT CACHE*
-- client reads: quantities
    v_stratum NUMBER := TRUNC(p_table_rows / p_rows_per_tx);
    v_state NUMBER := p_state;
    v_i NUMBER;
    v_key NUMBER;
    v_quantity NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      v_i := 0;
      WHILE v_i < p_rows_per_tx LOOP
        v_state := MOD(v_state * 48271, 2147483647);
        v_key := 1 + v_i * v_stratum + TRUNC(v_state * v_stratum / 2147483647);
        /*test*/
        SELECT /*+ QB_NAME(DBDYNO_TEST) {access} */ quantity
        INTO v_quantity
        FROM {table} WHERE id = v_key
        /*end*/;
        v_rows := v_rows + 1;
        v_sum := v_sum + v_quantity;
        v_i := v_i + 1;
      END LOOP;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: select_primary_iot_list
-- proves: one row a lookup, found by its key, which has the region in it, in the one partition that is left
-- touches: {table}, of which it reads one row a lookup
-- variables: v_key = 1; v_region = 1
-- plan: PARTITION LIST SINGLE > INDEX UNIQUE SCAN on {table}_pk
-- never: INDEX RANGE SCAN*; INDEX*FULL SCAN*; INDEX SKIP SCAN*; RESULT CACHE*
-- client reads: quantities
    v_stratum NUMBER := TRUNC(p_table_rows / p_rows_per_tx);
    v_state NUMBER := p_state;
    v_i NUMBER;
    v_key NUMBER;
    v_region NUMBER;
    v_quantity NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      v_i := 0;
      WHILE v_i < p_rows_per_tx LOOP
        v_state := MOD(v_state * 48271, 2147483647);
        v_key := 1 + v_i * v_stratum + TRUNC(v_state * v_stratum / 2147483647);
        v_region := 1 + MOD(TRUNC(v_key / 64), 8);
        /*test*/
        SELECT /*+ QB_NAME(DBDYNO_TEST) {access} */ quantity
        INTO v_quantity
        FROM {table} WHERE id = v_key AND region = v_region
        /*end*/;
        v_rows := v_rows + 1;
        v_sum := v_sum + v_quantity;
        v_i := v_i + 1;
      END LOOP;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: select_range
-- proves: as many rows as a transaction has, whose keys follow each other, in their order
-- touches: {table}, of which it reads neighbours by their keys
-- variables: v_key = 1; v_last = 5
-- plan heap: TABLE ACCESS BY * on {table} > INDEX RANGE SCAN on {table}_pk
-- plan iot: INDEX RANGE SCAN on {table}_pk
-- never: TABLE ACCESS*FULL*; INDEX*FULL SCAN*; SORT*; INDEX SKIP SCAN*; RESULT CACHE*
-- client reads: quantities
    v_firsts NUMBER := p_table_rows - p_rows_per_tx + 1;
    v_state NUMBER := p_state;
    v_key NUMBER;
    v_last NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      v_state := MOD(v_state * 48271, 2147483647);
      v_key := 1 + TRUNC(v_state * v_firsts / 2147483647);
      v_last := v_key + p_rows_per_tx - 1;
      FOR v_row IN (
        /*test*/
        SELECT /*+ QB_NAME(DBDYNO_TEST) INDEX({table} {table}_pk) */ quantity
        FROM {table} WHERE id BETWEEN v_key AND v_last ORDER BY id
        /*end*/
      ) LOOP
        v_rows := v_rows + 1;
        v_sum := v_sum + v_row.quantity;
      END LOOP;
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: select_secondary
-- proves: every row of one secondary-key value, visited in the table
-- touches: {table}, of which it reads the rows of one customer a pass
-- variables: v_key = 1
-- plan heap: TABLE ACCESS BY * on {table} > INDEX RANGE SCAN on {table}_customer
-- plan iot: INDEX UNIQUE SCAN on {table}_pk > INDEX RANGE SCAN on {table}_customer
-- plan hash: TABLE ACCESS BY * on {table} > INDEX RANGE SCAN on {table}_customer
-- never: TABLE ACCESS*FULL*; INDEX*FULL SCAN*; BITMAP*; INDEX SKIP SCAN*; RESULT CACHE*
    v_values NUMBER := TRUNC(p_table_rows / {rows_per_value});
    v_state NUMBER := p_state;
    v_key NUMBER;
    v_n NUMBER;
    v_quantity NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      v_state := MOD(v_state * 48271, 2147483647);
      v_key := 1 + TRUNC(v_state * v_values / 2147483647);
      /*test*/
      SELECT /*+ QB_NAME(DBDYNO_TEST) INDEX({table} {table}_customer) */ COUNT(*), SUM(quantity)
      INTO v_n, v_quantity
      FROM {table} WHERE customer_id = v_key
      /*end*/;
      v_rows := v_rows + v_n;
      v_sum := v_sum + COALESCE(v_quantity, 0);
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: update_primary
-- proves: one row changed a statement, in columns that are in no key; a commit a transaction
-- touches: {table}, of which it changes amount and status of one row a statement, never quantity
-- variables: v_key = 1
-- plan heap: UPDATE on {table} > INDEX UNIQUE SCAN on {table}_pk
-- plan iot: UPDATE on {table} > INDEX UNIQUE SCAN on {table}_pk
-- plan hash: UPDATE on {table} > TABLE ACCESS HASH on {table}
-- never: TABLE ACCESS*FULL*; INDEX RANGE SCAN*; INDEX*FULL SCAN*; INDEX SKIP SCAN*; RESULT CACHE*
    v_stratum NUMBER := TRUNC(TRUNC(p_table_rows / p_jobs) / p_rows_per_tx);
    v_state NUMBER := p_state;
    v_i NUMBER;
    v_key NUMBER;
    v_n NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      v_i := 0;
      WHILE v_i < p_rows_per_tx LOOP
        v_state := MOD(v_state * 48271, 2147483647);
        v_key := 1 + (v_i * v_stratum + TRUNC(v_state * v_stratum / 2147483647)) * p_jobs + p_job;
        /*test*/
        UPDATE /*+ QB_NAME(DBDYNO_TEST) {access} */ {table}
        SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END WHERE id = v_key
        /*end*/;
        v_n := SQL%ROWCOUNT;
        v_rows := v_rows + v_n;
        v_sum := v_sum + v_n * v_key;
        v_i := v_i + 1;
      END LOOP;
      {commit};
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: update_primary_iot_list
-- proves: one row changed a statement, in the one partition that is left; a commit a transaction
-- touches: {table}, of which it changes amount and status of one row a statement, never quantity
-- variables: v_key = 1; v_region = 1
-- plan: UPDATE on {table} > PARTITION LIST SINGLE > INDEX UNIQUE SCAN on {table}_pk
-- never: INDEX RANGE SCAN*; INDEX*FULL SCAN*; INDEX SKIP SCAN*; RESULT CACHE*
    v_stratum NUMBER := TRUNC(TRUNC(p_table_rows / p_jobs) / p_rows_per_tx);
    v_state NUMBER := p_state;
    v_i NUMBER;
    v_key NUMBER;
    v_region NUMBER;
    v_n NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      v_i := 0;
      WHILE v_i < p_rows_per_tx LOOP
        v_state := MOD(v_state * 48271, 2147483647);
        v_key := 1 + (v_i * v_stratum + TRUNC(v_state * v_stratum / 2147483647)) * p_jobs + p_job;
        v_region := 1 + MOD(TRUNC(v_key / 64), 8);
        /*test*/
        UPDATE /*+ QB_NAME(DBDYNO_TEST) {access} */ {table}
        SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END WHERE id = v_key AND region = v_region
        /*end*/;
        v_n := SQL%ROWCOUNT;
        v_rows := v_rows + v_n;
        v_sum := v_sum + v_n * v_key;
        v_i := v_i + 1;
      END LOOP;
      {commit};
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: update_secondary
-- proves: every row of one secondary-key value changed; a commit a pass
-- touches: {table}, of which it changes amount and status of the rows of one customer a pass, never quantity
-- variables: v_key = 1
-- plan: UPDATE on {table} > INDEX RANGE SCAN on {table}_customer
-- never: TABLE ACCESS*FULL*; INDEX*FULL SCAN*; INDEX SKIP SCAN*; RESULT CACHE*
    v_values NUMBER := TRUNC(TRUNC(p_table_rows / {rows_per_value}) / p_jobs);
    v_state NUMBER := p_state;
    v_key NUMBER;
    v_n NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      v_state := MOD(v_state * 48271, 2147483647);
      v_key := 1 + TRUNC(v_state * v_values / 2147483647) * p_jobs + p_job;
      /*test*/
      UPDATE /*+ QB_NAME(DBDYNO_TEST) INDEX({table} {table}_customer) */ {table}
      SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END WHERE customer_id = v_key
      /*end*/;
      v_n := SQL%ROWCOUNT;
      v_rows := v_rows + v_n;
      v_sum := v_sum + v_key;
      {commit};
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: join_small
-- proves: every row of one customer finds its partner in a second small table by primary key
-- touches: small_heap, of which it reads the rows of one customer a pass; small_iot, of which it reads a row for each
-- variables: v_key = 1
-- plan: NESTED LOOPS > INDEX RANGE SCAN on small_heap_customer > INDEX UNIQUE SCAN on small_iot_pk
-- never: TABLE ACCESS*FULL*; HASH JOIN*; MERGE JOIN*; INDEX*FULL SCAN*; INDEX SKIP SCAN*; RESULT CACHE*
    v_values NUMBER := TRUNC(p_small_rows / {rows_per_value});
    v_state NUMBER := p_state;
    v_key NUMBER;
    v_n NUMBER;
    v_quantity NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      v_state := MOD(v_state * 48271, 2147483647);
      v_key := 1 + TRUNC(v_state * v_values / 2147483647);
      /*test*/
      SELECT /*+ QB_NAME(DBDYNO_TEST) LEADING(a) USE_NL(b) INDEX(a small_heap_customer) INDEX(b small_iot_pk) */ COUNT(*), SUM(b.quantity)
      INTO v_n, v_quantity
      FROM small_heap a JOIN small_iot b ON b.id = a.ref_id WHERE a.customer_id = v_key
      /*end*/;
      v_rows := v_rows + v_n;
      v_sum := v_sum + COALESCE(v_quantity, 0);
      v_pass := v_pass + 1;
    END LOOP;
    {results}

-- name: join_large
-- proves: every row of one customer finds its partner in the large table by primary key
-- probe: ref_id is 1..small rows, the large table 32 times as long; 32 * ref_id - 16, on every engine, reaches all of it
-- touches: small_heap, of which it reads the rows of one customer a pass; the large table, of which it reads a row for each
-- variables: v_key = 1
-- plan: NESTED LOOPS > INDEX RANGE SCAN on small_heap_customer > INDEX UNIQUE SCAN on large_heap_range_list_pk
-- never: TABLE ACCESS*FULL*; HASH JOIN*; MERGE JOIN*; INDEX*FULL SCAN*; INDEX SKIP SCAN*; RESULT CACHE*
    v_values NUMBER := TRUNC(p_small_rows / {rows_per_value});
    v_state NUMBER := p_state;
    v_key NUMBER;
    v_n NUMBER;
    v_quantity NUMBER;
BEGIN
    WHILE v_pass < p_passes LOOP
      v_state := MOD(v_state * 48271, 2147483647);
      v_key := 1 + TRUNC(v_state * v_values / 2147483647);
      /*test*/
      SELECT /*+ QB_NAME(DBDYNO_TEST) LEADING(a) USE_NL(b) INDEX(a small_heap_customer) INDEX(b large_heap_range_list_pk) */ COUNT(*), SUM(b.quantity)
      INTO v_n, v_quantity
      FROM small_heap a JOIN large_heap_range_list b ON b.id = 32 * a.ref_id - 16 WHERE a.customer_id = v_key
      /*end*/;
      v_rows := v_rows + v_n;
      v_sum := v_sum + COALESCE(v_quantity, 0);
      v_pass := v_pass + 1;
    END LOOP;
    {results}
