-- The procedures that find rows by key: selects, updates, joins. Their signature, and what the marks and notes mean, is in
-- procedures.sql. Keys come from the job's stream: draw over n = state * n / 2147483647. Lookups by primary key pass the
-- partition columns, region = 1 + id / 64 % regions and the month of id, because PostgreSQL has no global indexes; the plan is
-- generic, and all partitions but one are pruned when it starts. Selects of a call share a transaction; an update commits
-- each pass.

-- name: select_primary
-- proves: one row a lookup, found by the key's index
-- touches: {table}, of which it reads one row a lookup
-- variables: v_key bigint = 1
-- plan heap: Index Scan using {table}_pk
-- plan iot: Index Only Scan using {table}_pk
-- plan hash: Index Scan using {table}_pk
-- client reads: quantities
DECLARE
  v_stratum constant bigint := p_table_rows / p_rows_per_tx;
  v_key bigint;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    FOR v_i IN 0 .. p_rows_per_tx - 1 LOOP
      p_state := p_state * 48271 % 2147483647;
      v_key := 1 + v_i * v_stratum + p_state * v_stratum / 2147483647;
      /*test*/
      SELECT quantity FROM dbdyno.{table} WHERE id = v_key
      /*end*/
      INTO v_quantity;
      IF FOUND THEN
        p_rows := p_rows + 1;
        p_checksum := p_checksum + v_quantity;
      END IF;
    END LOOP;
    p_ops := p_ops + 1;
  END LOOP;
END $$;

-- name: select_primary_list
-- proves: one row a lookup, found by the key's index in the one partition that is left
-- touches: {table}, of which it reads one row a lookup
-- variables: v_key bigint = 1
-- plan heap_list: Append > Index Scan using {table}_pk, 7 pruned
-- plan iot_list: Append > Index Only Scan using {table}_pk, 7 pruned
-- client reads: quantities
DECLARE
  v_stratum constant bigint := p_table_rows / p_rows_per_tx;
  v_key bigint;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    FOR v_i IN 0 .. p_rows_per_tx - 1 LOOP
      p_state := p_state * 48271 % 2147483647;
      v_key := 1 + v_i * v_stratum + p_state * v_stratum / 2147483647;
      /*test*/
      SELECT quantity FROM dbdyno.{table} WHERE id = v_key AND region = (1 + v_key / 64 % 8)::integer
      /*end*/
      INTO v_quantity;
      IF FOUND THEN
        p_rows := p_rows + 1;
        p_checksum := p_checksum + v_quantity;
      END IF;
    END LOOP;
    p_ops := p_ops + 1;
  END LOOP;
END $$;

-- name: select_primary_large
-- proves: one row a lookup, found by the key's index in the one partition that is left
-- touches: {table}, of which it reads one row a lookup
-- variables: v_key bigint = 1; v_from date = 2020-01-01; v_to date = 2020-02-01
-- plan: Append > Index Scan using {table}_pk, 127 pruned
-- client reads: quantities
DECLARE
  v_stratum constant bigint := p_table_rows / p_rows_per_tx;
  v_key bigint;
  v_range integer;
  v_from date;
  v_to date;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    FOR v_i IN 0 .. p_rows_per_tx - 1 LOOP
      p_state := p_state * 48271 % 2147483647;
      v_key := 1 + v_i * v_stratum + p_state * v_stratum / 2147483647;
      v_range := (v_key - 1) / p_small_rows % 32;
      v_from := make_date(2020 + v_range / 12, 1 + v_range % 12, 1);
      v_to := make_date(2020 + (v_range + 1) / 12, 1 + (v_range + 1) % 12, 1);
      /*test*/
      SELECT quantity FROM dbdyno.{table}
      WHERE id = v_key AND region = (1 + v_key / 64 % 4)::integer AND booked_on >= v_from AND booked_on < v_to
      /*end*/
      INTO v_quantity;
      IF FOUND THEN
        p_rows := p_rows + 1;
        p_checksum := p_checksum + v_quantity;
      END IF;
    END LOOP;
    p_ops := p_ops + 1;
  END LOOP;
END $$;

-- name: select_range
-- proves: as many rows as a transaction has, whose keys follow each other, in their order
-- touches: {table}, of which it reads neighbours by their keys
-- variables: v_key bigint = 1; v_last bigint = 5
-- plan heap: Index Scan using {table}_pk
-- plan iot: Index Only Scan using {table}_pk
-- client reads: quantities
DECLARE
  v_firsts constant bigint := p_table_rows - p_rows_per_tx + 1;
  v_key bigint;
  v_last bigint;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_key := 1 + p_state * v_firsts / 2147483647;
    v_last := v_key + p_rows_per_tx - 1;
    FOR v_quantity IN
      /*test*/
      SELECT quantity FROM dbdyno.{table} WHERE id BETWEEN v_key AND v_last ORDER BY id
      /*end*/
    LOOP
      p_rows := p_rows + 1;
      p_checksum := p_checksum + v_quantity;
    END LOOP;
    p_ops := p_ops + 1;
  END LOOP;
END $$;

-- name: select_secondary
-- proves: every row of one secondary-key value, visited in the table
-- touches: {table}, of which it reads the rows of one customer a pass
-- variables: v_key bigint = 1
-- plan one: Aggregate > Index Scan using {table}_customer
-- plan many: Aggregate > Append > {leaves} x Index Scan using {table}_customer
DECLARE
  v_values constant bigint := p_table_rows / {rows_per_value};
  v_key bigint;
  v_rows bigint;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_key := 1 + p_state * v_values / 2147483647;
    /*test*/
    SELECT count(*), sum(quantity) FROM dbdyno.{table} WHERE customer_id = v_key
    /*end*/
    INTO v_rows, v_quantity;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_rows;
    p_checksum := p_checksum + v_quantity;
  END LOOP;
END $$;

-- name: select_secondary_large
-- proves: every row of one secondary-key value, visited in the table
-- touches: {table}, of which it reads the rows of one customer a pass
-- order: a pass begins with another month each time, and comes to those before it last
-- why: jobs side by side in one partition would find each other's blocks in memory, as one sequential reader does
-- variables: v_key bigint = 1; v_from date = 2021-03-01; v_to date = 2022-09-01
-- plan: Aggregate > Append > 72 x Index Scan using {table}_customer (filtered), 56 pruned
DECLARE
  v_values constant bigint := p_table_rows / {rows_per_value};
  v_key bigint;
  v_range integer;
  v_from date;
  v_to date;
  v_rows bigint;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_key := 1 + p_state * v_values / 2147483647;
    v_range := p_state % 32;
    v_from := make_date(2020 + v_range / 12, 1 + v_range % 12, 1);
    v_to := make_date(2022, 9, 1);
    FOR v_part IN 1 .. 2 LOOP
      /*test*/
      SELECT count(*), sum(quantity) FROM dbdyno.{table}
      WHERE customer_id = v_key AND booked_on >= v_from AND booked_on < v_to
      /*end*/
      INTO v_rows, v_quantity;
      p_rows := p_rows + v_rows;
      p_checksum := p_checksum + coalesce(v_quantity, 0);
      v_to := v_from;
      v_from := make_date(2020, 1, 1);
    END LOOP;
    p_ops := p_ops + 1;
  END LOOP;
END $$;

-- name: update_primary
-- proves: one row changed a statement, in columns that are in no index; a commit a transaction
-- touches: {table}, of which it changes amount and status of one row a statement, never quantity
-- variables: v_key bigint = 1
-- plan: Update > Index Scan using {table}_pk
DECLARE
  v_stratum constant bigint := p_table_rows / p_jobs / p_rows_per_tx;
  v_key bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    FOR v_i IN 0 .. p_rows_per_tx - 1 LOOP
      p_state := p_state * 48271 % 2147483647;
      v_key := 1 + (v_i * v_stratum + p_state * v_stratum / 2147483647) * p_jobs + p_job;
      /*test*/
      UPDATE dbdyno.{table} SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END
      WHERE id = v_key
      /*end*/;
      IF FOUND THEN
        p_rows := p_rows + 1;
        p_checksum := p_checksum + v_key;
      END IF;
    END LOOP;
    COMMIT;
    p_ops := p_ops + 1;
  END LOOP;
END $$;

-- name: update_primary_list
-- proves: one row changed a statement, in the one partition that is left; a commit a transaction
-- touches: {table}, of which it changes amount and status of one row a statement, never quantity
-- variables: v_key bigint = 1
-- plan: Update > Append > Index Scan using {table}_pk, 7 pruned | Update > Index Scan using {table}_pk
DECLARE
  v_stratum constant bigint := p_table_rows / p_jobs / p_rows_per_tx;
  v_key bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    FOR v_i IN 0 .. p_rows_per_tx - 1 LOOP
      p_state := p_state * 48271 % 2147483647;
      v_key := 1 + (v_i * v_stratum + p_state * v_stratum / 2147483647) * p_jobs + p_job;
      /*test*/
      UPDATE dbdyno.{table} SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END
      WHERE id = v_key AND region = (1 + v_key / 64 % 8)::integer
      /*end*/;
      IF FOUND THEN
        p_rows := p_rows + 1;
        p_checksum := p_checksum + v_key;
      END IF;
    END LOOP;
    COMMIT;
    p_ops := p_ops + 1;
  END LOOP;
END $$;

-- name: update_primary_large
-- proves: one row changed a statement, in the one partition that is left; a commit a transaction
-- touches: {table}, of which it changes amount and status of one row a statement, never quantity
-- variables: v_key bigint = 1; v_from date = 2020-01-01; v_to date = 2020-02-01
-- plan: Update > Append > Index Scan using {table}_pk, 127 pruned | Update > Index Scan using {table}_pk
DECLARE
  v_stratum constant bigint := p_table_rows / p_jobs / p_rows_per_tx;
  v_key bigint;
  v_range integer;
  v_from date;
  v_to date;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    FOR v_i IN 0 .. p_rows_per_tx - 1 LOOP
      p_state := p_state * 48271 % 2147483647;
      v_key := 1 + (v_i * v_stratum + p_state * v_stratum / 2147483647) * p_jobs + p_job;
      v_range := (v_key - 1) / p_small_rows % 32;
      v_from := make_date(2020 + v_range / 12, 1 + v_range % 12, 1);
      v_to := make_date(2020 + (v_range + 1) / 12, 1 + (v_range + 1) % 12, 1);
      /*test*/
      UPDATE dbdyno.{table} SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END
      WHERE id = v_key AND region = (1 + v_key / 64 % 4)::integer AND booked_on >= v_from AND booked_on < v_to
      /*end*/;
      IF FOUND THEN
        p_rows := p_rows + 1;
        p_checksum := p_checksum + v_key;
      END IF;
    END LOOP;
    COMMIT;
    p_ops := p_ops + 1;
  END LOOP;
END $$;

-- name: update_secondary
-- proves: every row of one secondary-key value changed; a commit a pass
-- touches: {table}, of which it changes amount and status of the rows of one customer a pass, never quantity
-- variables: v_key bigint = 1
-- plan: Update > Index Scan using {table}_customer
DECLARE
  v_values constant bigint := p_table_rows / {rows_per_value} / p_jobs;
  v_key bigint;
  v_rows bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_key := 1 + p_state * v_values / 2147483647 * p_jobs + p_job;
    /*test*/
    UPDATE dbdyno.{table} SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END
    WHERE customer_id = v_key
    /*end*/;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    COMMIT;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_rows;
    p_checksum := p_checksum + v_key;
  END LOOP;
END $$;

-- name: join_small
-- proves: every row of one customer finds its partner in a second small table by primary key
-- touches: small_heap, of which it reads the rows of one customer a pass; small_iot, of which it reads a row for each
-- variables: v_key bigint = 1
-- plan: Aggregate > Nested Loop (Index Scan using small_heap_customer; Index Only Scan using small_iot_pk)
DECLARE
  v_values constant bigint := p_small_rows / {rows_per_value};
  v_key bigint;
  v_rows bigint;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_key := 1 + p_state * v_values / 2147483647;
    /*test*/
    SELECT count(*), sum(b.quantity) FROM dbdyno.small_heap AS a JOIN dbdyno.small_iot AS b ON b.id = a.ref_id
    WHERE a.customer_id = v_key
    /*end*/
    INTO v_rows, v_quantity;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_rows;
    p_checksum := p_checksum + v_quantity;
  END LOOP;
END $$;

-- name: join_large
-- proves: every row of one customer finds its partner in the large table, in the one partition that its key lies in
-- probe: ref_id is 1..small rows, the large table 32 times as long; 32 * ref_id - 16, on every engine, reaches all of it
-- touches: small_heap, of which it reads the rows of one customer a pass; the large table, of which it reads a row for each
-- variables: v_key bigint = 1; p_small_rows bigint = 3200
-- plan: Aggregate > Nested Loop (Index Scan using small_heap_customer; Append > 128 x Index Scan using large_heap_range_list_pk)
DECLARE
  v_values constant bigint := p_small_rows / {rows_per_value};
  v_key bigint;
  v_rows bigint;
  v_quantity bigint;
BEGIN
  FOR v_pass IN 1 .. p_passes LOOP
    p_state := p_state * 48271 % 2147483647;
    v_key := 1 + p_state * v_values / 2147483647;
    /*test*/
    SELECT count(*), sum(b.quantity)
    FROM (
      SELECT id, make_date(2020 + range / 12, 1 + range % 12, 1) AS first_day,
        make_date(2020 + (range + 1) / 12, 1 + (range + 1) % 12, 1) AS next_day
      FROM (
        SELECT 32 * ref_id - 16 AS id, ((32 * ref_id - 17) / p_small_rows % 32)::integer AS range
        FROM dbdyno.small_heap WHERE customer_id = v_key) AS r) AS a
    JOIN dbdyno.large_heap_range_list AS b
      ON b.id = a.id AND b.region = (1 + a.id / 64 % 4)::integer AND b.booked_on >= a.first_day AND b.booked_on < a.next_day
    /*end*/
    INTO v_rows, v_quantity;
    p_ops := p_ops + 1;
    p_rows := p_rows + v_rows;
    p_checksum := p_checksum + v_quantity;
  END LOOP;
END $$;
