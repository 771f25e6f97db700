-- The procedures that find rows by key: selects, updates, joins. Their signature, and what the marks and notes mean, is in
-- procedures.sql. Keys come from the job's stream: draw over n = state * n DIV 2147483647. Lookups by primary key pass the
-- partition columns, region = 1 + id DIV 64 % regions and the month of id, because MariaDB has no global indexes; all
-- partitions but one are pruned before the statement begins. An update commits each pass.
-- What a client sends is the statement under test alone, without the sums; before it, what stands between /*finds*/ and
-- /*found*/, where there is such a thing. `counts` is how many keys the server looks up for one execution: its own count of that proves the executions.

-- name: select_primary
-- proves: one row a lookup, found by its key
-- touches: {table}, of which it reads one row a lookup
-- variables: v_key = 1
-- plan heap: const {table}_pk on {table}
-- plan iot: const PRIMARY on {table}
-- plan hash: const PRIMARY on {table} in 1 partition
-- counts: 1
BEGIN
  DECLARE v_stratum BIGINT DEFAULT p_table_rows DIV p_rows_per_tx;
  DECLARE v_pass, v_i, v_key BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET v_i = 0;
    WHILE v_i < p_rows_per_tx DO
      SET p_state = p_state * 48271 % 2147483647;
      SET v_key = 1 + v_i * v_stratum + p_state * v_stratum DIV 2147483647;
      /*test*/
      SELECT p_rows + 1, p_checksum + quantity FROM {table} WHERE id = v_key
      /*end*/
      INTO p_rows, p_checksum;
      SET v_i = v_i + 1;
    END WHILE;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END

-- name: select_primary_list
-- proves: one row a lookup, found by its key in the one partition that is left
-- touches: {table}, of which it reads one row a lookup
-- variables: v_key = 1
-- plan heap_list: const {table}_pk on {table} in 1 partition
-- plan iot_list: const PRIMARY on {table} in 1 partition
-- counts: 1
BEGIN
  DECLARE v_stratum BIGINT DEFAULT p_table_rows DIV p_rows_per_tx;
  DECLARE v_pass, v_i, v_key BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET v_i = 0;
    WHILE v_i < p_rows_per_tx DO
      SET p_state = p_state * 48271 % 2147483647;
      SET v_key = 1 + v_i * v_stratum + p_state * v_stratum DIV 2147483647;
      /*test*/
      SELECT p_rows + 1, p_checksum + quantity FROM {table} WHERE id = v_key AND region = 1 + v_key DIV 64 % 8
      /*end*/
      INTO p_rows, p_checksum;
      SET v_i = v_i + 1;
    END WHILE;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END

-- name: select_primary_large
-- proves: one row a lookup, found by its key in the one partition that is left
-- touches: {table}, of which it reads one row a lookup
-- variables: v_key = 1; v_from = DATE '2020-01-01'
-- plan: range {table}_pk on {table} in 1 partition
-- counts: 1
BEGIN
  DECLARE v_stratum BIGINT DEFAULT p_table_rows DIV p_rows_per_tx;
  DECLARE v_pass, v_i, v_key BIGINT DEFAULT 0;
  DECLARE v_from DATE;
  WHILE v_pass < p_passes DO
    SET v_i = 0;
    WHILE v_i < p_rows_per_tx DO
      SET p_state = p_state * 48271 % 2147483647;
      SET v_key = 1 + v_i * v_stratum + p_state * v_stratum DIV 2147483647;
      SET v_from = DATE '2020-01-01' + INTERVAL (v_key - 1) DIV p_small_rows % 32 MONTH;
      /*test*/
      SELECT p_rows + 1, p_checksum + quantity FROM {table}
      WHERE id = v_key AND region = 1 + v_key DIV 64 % 4 AND booked_on >= v_from AND booked_on < v_from + INTERVAL 1 MONTH
      /*end*/
      INTO p_rows, p_checksum;
      SET v_i = v_i + 1;
    END WHILE;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END

-- name: select_range
-- proves: as many rows as a transaction has, whose keys follow each other, in their order
-- touches: {table}, of which it reads neighbours by their keys
-- variables: v_key = 1; v_last = 5
-- plan heap: range {table}_pk on {table}
-- plan iot: range PRIMARY on {table}
-- counts: 1
-- client reads: quantities
BEGIN
  DECLARE v_pass, v_key, v_last BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_key = 1 + p_state * (p_table_rows - p_rows_per_tx + 1) DIV 2147483647, v_last = v_key + p_rows_per_tx - 1;
    FOR v_row IN (
      /*test*/
      SELECT quantity FROM {table} WHERE id BETWEEN v_key AND v_last ORDER BY id
      /*end*/
    ) DO
      SET p_rows = p_rows + 1, p_checksum = p_checksum + v_row.quantity;
    END FOR;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END

-- name: select_secondary
-- proves: every row of one secondary-key value, visited in the table
-- touches: {table}, of which it reads the rows of one customer a pass
-- variables: v_key = 1
-- plan: ref {table}_customer on {table}{in_leaves}
-- counts: {leaves}
BEGIN
  DECLARE v_values BIGINT DEFAULT p_table_rows DIV {rows_per_value};
  DECLARE v_pass, v_key BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_key = 1 + p_state * v_values DIV 2147483647;
    /*test*/
    SELECT p_rows + COUNT(*), p_checksum + COALESCE(SUM(quantity), 0) FROM {table} WHERE customer_id = v_key
    /*end*/
    INTO p_rows, p_checksum;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END

-- name: select_secondary_large
-- proves: every row of one secondary-key value, visited in the table
-- touches: {table}, of which it reads the rows of one customer a pass
-- order: a pass begins with another month each time, and comes to those before it last
-- why: jobs side by side in one partition would find each other's blocks in memory, as one sequential reader does
-- variables: v_key = 1; v_from = DATE '2021-03-01'; v_to = DATE '2022-09-01'
-- plan: ref {table}_customer on {table} in 72 partitions
-- counts: {leaves}
BEGIN
  DECLARE v_values BIGINT DEFAULT p_table_rows DIV {rows_per_value};
  DECLARE v_pass, v_key, v_part BIGINT DEFAULT 0;
  DECLARE v_from, v_to DATE;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_key = 1 + p_state * v_values DIV 2147483647;
    SET v_from = DATE '2020-01-01' + INTERVAL p_state % 32 MONTH, v_to = DATE '2022-09-01', v_part = 0;
    WHILE v_part < 2 DO
      /*test*/
      SELECT p_rows + COUNT(*), p_checksum + COALESCE(SUM(quantity), 0) FROM {table}
      WHERE customer_id = v_key AND booked_on >= v_from AND booked_on < v_to
      /*end*/
      INTO p_rows, p_checksum;
      SET v_to = v_from, v_from = DATE '2020-01-01', v_part = v_part + 1;
    END WHILE;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END

-- name: update_primary
-- proves: one row changed a statement, in columns that are in no key; a commit a transaction
-- touches: {table}, of which it changes amount and status of one row a statement, never quantity
-- variables: v_key = 1
-- plan heap: range {table}_pk on {table}
-- plan iot: range PRIMARY on {table}
-- plan hash: range PRIMARY on {table} in 1 partition
-- counts: 1
BEGIN
  DECLARE v_stratum BIGINT DEFAULT p_table_rows DIV p_jobs DIV p_rows_per_tx;
  DECLARE v_pass, v_i, v_key BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET v_i = 0;
    WHILE v_i < p_rows_per_tx DO
      SET p_state = p_state * 48271 % 2147483647;
      SET v_key = 1 + (v_i * v_stratum + p_state * v_stratum DIV 2147483647) * p_jobs + p_job;
      /*test*/
      UPDATE {table} SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END WHERE id = v_key
      /*end*/;
      IF ROW_COUNT() = 1 THEN
        SET p_rows = p_rows + 1, p_checksum = p_checksum + v_key;
      END IF;
      SET v_i = v_i + 1;
    END WHILE;
    COMMIT;
    SET p_ops = p_ops + 1, v_pass = v_pass + 1;
  END WHILE;
END

-- name: update_primary_list
-- proves: one row changed a statement, in the one partition that is left; a commit a transaction
-- touches: {table}, of which it changes amount and status of one row a statement, never quantity
-- variables: v_key = 1
-- plan heap_list: range {table}_pk on {table} in 1 partition
-- plan iot_list: range PRIMARY on {table} in 1 partition
-- counts: 1
BEGIN
  DECLARE v_stratum BIGINT DEFAULT p_table_rows DIV p_jobs DIV p_rows_per_tx;
  DECLARE v_pass, v_i, v_key BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET v_i = 0;
    WHILE v_i < p_rows_per_tx DO
      SET p_state = p_state * 48271 % 2147483647;
      SET v_key = 1 + (v_i * v_stratum + p_state * v_stratum DIV 2147483647) * p_jobs + p_job;
      /*test*/
      UPDATE {table} SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END
      WHERE id = v_key AND region = 1 + v_key DIV 64 % 8
      /*end*/;
      IF ROW_COUNT() = 1 THEN
        SET p_rows = p_rows + 1, p_checksum = p_checksum + v_key;
      END IF;
      SET v_i = v_i + 1;
    END WHILE;
    COMMIT;
    SET p_ops = p_ops + 1, v_pass = v_pass + 1;
  END WHILE;
END

-- name: update_primary_large
-- proves: one row changed a statement, in the one partition that is left; a commit a transaction
-- touches: {table}, of which it changes amount and status of one row a statement, never quantity
-- variables: v_key = 1; v_from = DATE '2020-01-01'
-- plan: range {table}_pk on {table} in 1 partition
-- counts: 1
BEGIN
  DECLARE v_stratum BIGINT DEFAULT p_table_rows DIV p_jobs DIV p_rows_per_tx;
  DECLARE v_pass, v_i, v_key BIGINT DEFAULT 0;
  DECLARE v_from DATE;
  WHILE v_pass < p_passes DO
    SET v_i = 0;
    WHILE v_i < p_rows_per_tx DO
      SET p_state = p_state * 48271 % 2147483647;
      SET v_key = 1 + (v_i * v_stratum + p_state * v_stratum DIV 2147483647) * p_jobs + p_job;
      SET v_from = DATE '2020-01-01' + INTERVAL (v_key - 1) DIV p_small_rows % 32 MONTH;
      /*test*/
      UPDATE {table} SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END
      WHERE id = v_key AND region = 1 + v_key DIV 64 % 4 AND booked_on >= v_from AND booked_on < v_from + INTERVAL 1 MONTH
      /*end*/;
      IF ROW_COUNT() = 1 THEN
        SET p_rows = p_rows + 1, p_checksum = p_checksum + v_key;
      END IF;
      SET v_i = v_i + 1;
    END WHILE;
    COMMIT;
    SET p_ops = p_ops + 1, v_pass = v_pass + 1;
  END WHILE;
END

-- name: update_secondary
-- proves: every row of one secondary-key value changed; a commit a pass
-- touches: {table}, of which it changes amount and status of the rows of one customer a pass, never quantity
-- variables: v_key = 1
-- plan: range {table}_customer on {table}{in_leaves}
-- counts: {leaves}
BEGIN
  DECLARE v_values BIGINT DEFAULT p_table_rows DIV {rows_per_value} DIV p_jobs;
  DECLARE v_pass, v_key BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_key = 1 + p_state * v_values DIV 2147483647 * p_jobs + p_job;
    /*test*/
    UPDATE {table} SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END WHERE customer_id = v_key
    /*end*/;
    SET p_rows = p_rows + ROW_COUNT(), p_checksum = p_checksum + v_key;
    COMMIT;
    SET p_ops = p_ops + 1, v_pass = v_pass + 1;
  END WHILE;
END

-- name: join_small
-- proves: every row of one customer finds its partner in a second small table by primary key
-- touches: small_heap, of which it reads the rows of one customer a pass; small_iot, of which it reads a row for each
-- variables: v_key = 1
-- plan: ref small_heap_customer on a; eq_ref PRIMARY on b
-- counts: 321
BEGIN
  DECLARE v_values BIGINT DEFAULT p_small_rows DIV {rows_per_value};
  DECLARE v_pass, v_key BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_key = 1 + p_state * v_values DIV 2147483647;
    /*test*/
    SELECT p_rows + COUNT(*), p_checksum + COALESCE(SUM(b.quantity), 0)
    FROM small_heap AS a STRAIGHT_JOIN small_iot AS b ON b.id = a.ref_id WHERE a.customer_id = v_key
    /*end*/
    INTO p_rows, p_checksum;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END

-- name: join_large
-- proves: every row of one customer finds its partner in the large table, in the one partition that its key lies in
-- probe: ref_id is 1..small rows, the large table 32 times as long; 32 * ref_id - 16, on every engine, reaches all of it
-- how: a cursor over the customer's rows, and a lookup by the whole key for each; a join prunes no partitions row by row
-- touches: small_heap, of which it reads the rows of one customer a pass; the large table, of which it reads a row for each
-- variables: v_id = 16; v_from = DATE '2020-01-01'
-- plan: range large_heap_range_list_pk on large_heap_range_list in 1 partition
-- counts: 321
BEGIN
  DECLARE v_values BIGINT DEFAULT p_small_rows DIV {rows_per_value};
  DECLARE v_pass, v_key, v_id BIGINT DEFAULT 0;
  DECLARE v_from DATE;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_key = 1 + p_state * v_values DIV 2147483647;
    FOR v_row IN (/*finds*/ SELECT ref_id FROM small_heap WHERE customer_id = v_key /*found*/) DO
      SET v_id = 32 * v_row.ref_id - 16;
      SET v_from = DATE '2020-01-01' + INTERVAL (v_id - 1) DIV p_small_rows % 32 MONTH;
      /*test*/
      SELECT p_rows + 1, p_checksum + quantity FROM large_heap_range_list
      WHERE id = v_id AND region = 1 + v_id DIV 64 % 4 AND booked_on >= v_from AND booked_on < v_from + INTERVAL 1 MONTH
      /*end*/
      INTO p_rows, p_checksum;
    END FOR;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END
