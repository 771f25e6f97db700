-- The procedures: the loops of the tests, run inside the server, one for each procedure and table, all with one
-- signature (`procedure`), which goes before each of the others. Here are those that load, scan and build; cpu.sql has
-- those without tables, lookups.sql those that find rows by key.
--   p_first, p_passes  ordinal of the first pass, and how many: results do not depend on how passes are cut into calls
--   p_state            the job's key stream before the first draw; each draw goes on by state * 48271 % 2147483647
--   p_job, p_jobs      this job and how many there are: updates and loads take keys that are p_job modulo p_jobs
--   p_rows_per_tx, p_ops_per_pass, p_argument, p_table_rows, p_small_rows   as the catalogue and the size class say
--   p_ops, p_rows, p_bytes, p_checksum   0 when called; what was done when it returns
-- Every variable begins with p_ or v_, so that none can be taken for a column. The statement under test stands between
-- /*test*/ and /*end*/: EXPLAIN is asked about that very text, its `variables` replaced by examples, and must answer as
-- `plan` says (plan.rs has the form; alternatives are parted by |), or the point is invalid. Selects count into the
-- procedure's own sums, so that a row that is not found counts for nothing.
-- Sessions do not commit by themselves: selects of a call share a transaction, which its end commits.
-- `makes` lists what a point makes beside the procedure: <job> is the number of a job, <number> that of a pass among those
-- of all jobs.
-- Each procedure runs with the rights of who calls it; nothing is looked up on behalf of somebody else.

-- name: procedure
-- what: how every procedure begins
CREATE PROCEDURE {procedure}(
  IN p_first BIGINT, IN p_passes BIGINT, IN p_state BIGINT, IN p_job BIGINT, IN p_jobs BIGINT, IN p_rows_per_tx BIGINT,
  IN p_ops_per_pass BIGINT, IN p_argument BIGINT, IN p_table_rows BIGINT, IN p_small_rows BIGINT,
  INOUT p_ops BIGINT, INOUT p_rows BIGINT, INOUT p_bytes BIGINT, INOUT p_checksum BIGINT)
MODIFIES SQL DATA SQL SECURITY INVOKER

-- name: create_noise
-- what: 4 MiB that nothing compresses, for files; four rows a page of 16 KiB
CREATE TABLE load_noise (id INT NOT NULL PRIMARY KEY, part VARBINARY(3900) NOT NULL) ENGINE = InnoDB ROW_FORMAT = DYNAMIC
AS SELECT seq AS id, CONCAT(RANDOM_BYTES(975), RANDOM_BYTES(975), RANDOM_BYTES(975), RANDOM_BYTES(975)) AS part
FROM seq_1_to_1024

-- name: write_file
-- proves: the table has a file as long as asked for, when `write_file_end` has brought it to the device
-- touches: load_file_JOB, which it drops and makes of load_noise; four rows a page of 16 KiB
-- content: noise that repeats itself after 4 MiB, farther than storage looks back for what it could compress
-- makes: table load_file_<job>; table load_noise
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET v_pass = v_pass + 1;
    EXECUTE IMMEDIATE CONCAT('DROP TABLE IF EXISTS load_file_', p_job);
    EXECUTE IMMEDIATE CONCAT('CREATE TABLE load_file_', p_job, ' (id BIGINT NOT NULL PRIMARY KEY, part VARBINARY(3900) NOT NULL)',
      ' ENGINE = InnoDB ROW_FORMAT = DYNAMIC');
    EXECUTE IMMEDIATE CONCAT('INSERT INTO load_file_', p_job, ' SELECT seq * 1024 + id, part FROM seq_1_to_',
      CEILING(p_argument / 4194304), ' CROSS JOIN load_noise ORDER BY seq, id');
    COMMIT;
    SET p_ops = p_ops + 1;
  END WHILE;
END

-- name: write_file_end
-- what: waits until all pages of the file are on the device; procedures may not
FLUSH TABLES load_file_{job} FOR EXPORT; UNLOCK TABLES

-- name: write_file_bytes
-- what: how long the file is
SELECT FILE_SIZE FROM information_schema.INNODB_SYS_TABLESPACES WHERE NAME = CONCAT(DATABASE(), '/load_file_{job}')

-- name: insert
-- proves: one row a statement, copied from the small heap, with both keys maintained; a commit a transaction
-- touches: small_heap, of which it reads one row by its key; {load}, which it fills
-- variables: v_id = 1; v_source = 1
-- plan: const small_heap_pk on small_heap
-- makes: table {load}
BEGIN
  DECLARE v_pass, v_i, v_number, v_id, v_source BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET v_i = 0;
    WHILE v_i < p_rows_per_tx DO
      SET v_number = ((p_first + v_pass) * p_rows_per_tx + v_i) * p_jobs + p_job;
      SET v_id = v_number + 1, v_source = v_number % p_small_rows + 1;
      /*test*/
      INSERT INTO {load} (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
      SELECT v_id, customer_id, ref_id, region, booked_on, @dbdyno_quantity := quantity, amount, status, filler
      FROM small_heap WHERE id = v_source
      /*end*/;
      IF ROW_COUNT() = 1 THEN
        SET p_rows = p_rows + 1, p_checksum = p_checksum + @dbdyno_quantity;
      END IF;
      SET v_i = v_i + 1;
    END WHILE;
    COMMIT;
    SET v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_ops + p_passes;
END

-- name: bulk_load_large
-- proves: the whole small heap copied into one range partition (a month) of the job's own; no keys; one commit
-- touches: small_heap, which it reads; load_large_NUMBER, a table a pass, as it would be exchanged with a partition
-- variables: v_rows = 3200; v_month = 1
-- plan: ALL on small_heap
-- makes: table load_large_<number>
BEGIN
  DECLARE v_pass, v_number, v_rows, v_month BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET v_number = (p_first + v_pass) * p_jobs + p_job, v_rows = p_small_rows * v_number, v_month = v_number % 32;
    EXECUTE IMMEDIATE CONCAT('CREATE TABLE load_large_', v_number, ' {columns}');
    EXECUTE IMMEDIATE CONCAT('INSERT INTO load_large_', v_number, REPLACE(REPLACE('/*test*/
      SELECT id + v_rows, customer_id, ref_id, region, booked_on + INTERVAL v_month MONTH, quantity, amount, status, filler
      FROM small_heap
      /*end*/', 'v_rows', v_rows), 'v_month', v_month));
    SET p_rows = p_rows + ROW_COUNT(), p_checksum = p_checksum + p_argument;
    COMMIT;
    SET v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_ops + p_passes;
END

-- name: bulk_load_heap
-- proves: the whole small heap copied into a table of the job's own; no keys; one commit
-- touches: small_heap, which it reads; load_heap_NUMBER, a table a pass
-- plan: ALL on small_heap
-- makes: table load_heap_<number>
BEGIN
  DECLARE v_pass, v_number BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    SET v_number = (p_first + v_pass) * p_jobs + p_job;
    EXECUTE IMMEDIATE CONCAT('CREATE TABLE load_heap_', v_number, ' {columns}');
    EXECUTE IMMEDIATE CONCAT('INSERT INTO load_heap_', v_number, '/*test*/
      SELECT id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler FROM small_heap
      /*end*/');
    SET p_rows = p_rows + ROW_COUNT(), p_checksum = p_checksum + p_argument;
    COMMIT;
    SET v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_ops + p_passes;
END

-- name: scan
-- proves: every row visited; no key is wanted
-- touches: {table}, which it reads
-- plan: ALL on {table}{in_leaves}
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    /*test*/
    SELECT p_rows + COUNT(*), p_checksum + SUM(quantity) FROM {table}
    /*end*/
    INTO p_rows, p_checksum;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END

-- name: scan_large
-- proves: every row visited; no key is wanted
-- touches: {table}, which it reads
-- order: each job begins with another month, and comes to those before it last
-- why: jobs side by side in one partition would find each other's pages in memory
-- variables: v_from = DATE '2021-03-01'; v_to = DATE '2022-09-01'
-- plan: ALL on {table} in 72 partitions
BEGIN
  DECLARE v_pass, v_part BIGINT DEFAULT 0;
  DECLARE v_from, v_to DATE;
  WHILE v_pass < p_passes DO
    SET v_from = DATE '2020-01-01' + INTERVAL p_job * 32 DIV p_jobs MONTH, v_to = DATE '2022-09-01', v_part = 0;
    WHILE v_part < 2 DO
      /*test*/
      SELECT p_rows + COUNT(*), p_checksum + COALESCE(SUM(quantity), 0) FROM {table}
      WHERE booked_on >= v_from AND booked_on < v_to
      /*end*/
      INTO p_rows, p_checksum;
      SET v_to = v_from, v_from = DATE '2020-01-01', v_part = v_part + 1;
    END WHILE;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END

-- name: scan_range
-- proves: the rows of one range partition; the others are pruned
-- touches: {table}, of which it reads one month
-- variables: v_from = DATE '2020-01-01'
-- plan: ALL on {table} in 4 partitions
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  DECLARE v_from DATE;
  WHILE v_pass < p_passes DO
    SET p_state = p_state * 48271 % 2147483647;
    SET v_from = DATE '2020-01-01' + INTERVAL p_state * 32 DIV 2147483647 MONTH;
    /*test*/
    SELECT p_rows + COUNT(*), p_checksum + SUM(quantity) FROM {table}
    WHERE booked_on >= v_from AND booked_on < v_from + INTERVAL 1 MONTH
    /*end*/
    INTO p_rows, p_checksum;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END

-- name: index_unique
-- proves: the index is unique, and has an entry for every row: they are counted, which is part of the time
-- touches: {table}, on which it builds load_index_JOB, dropping the last one first; both committed
-- makes: index load_index_<job>
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    EXECUTE IMMEDIATE CONCAT('DROP INDEX IF EXISTS load_index_', p_job, ' ON {table}');
    EXECUTE IMMEDIATE CONCAT('ALTER TABLE {table} ADD UNIQUE INDEX load_index_', p_job, ' (ref_id, booked_on, region), ALGORITHM = NOCOPY');
    EXECUTE IMMEDIATE CONCAT('SELECT COUNT(*) INTO @dbdyno_rows FROM {table} FORCE INDEX (load_index_', p_job, ') WHERE ref_id > 0');
    SET p_rows = p_rows + @dbdyno_rows, p_checksum = p_checksum + @dbdyno_rows;
    COMMIT;
    SET v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_ops + p_passes;
END

-- name: index_non_unique
-- proves: the index has an entry for every row: they are counted, which is part of the time
-- touches: {table}, on which it builds load_index_JOB, dropping the last one first; both committed
-- makes: index load_index_<job>
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    EXECUTE IMMEDIATE CONCAT('DROP INDEX IF EXISTS load_index_', p_job, ' ON {table}');
    EXECUTE IMMEDIATE CONCAT('ALTER TABLE {table} ADD INDEX load_index_', p_job, ' (amount), ALGORITHM = NOCOPY');
    EXECUTE IMMEDIATE CONCAT('SELECT COUNT(*) INTO @dbdyno_rows FROM {table} FORCE INDEX (load_index_', p_job, ') WHERE amount >= 0');
    SET p_rows = p_rows + @dbdyno_rows, p_checksum = p_checksum + @dbdyno_rows;
    COMMIT;
    SET v_pass = v_pass + 1;
  END WHILE;
  SET p_ops = p_ops + p_passes;
END

-- name: sort
-- proves: every row, in order of amount, goes into the sums: the plan shows the sort below them
-- touches: {table}, which it reads; temporary files and tables
-- why a limit: an inner ORDER BY without one is left out by the optimizer
-- plan: derived (filesort > ALL on {table}{in_leaves})
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    /*test*/
    SELECT p_rows + COUNT(id), p_checksum + SUM(quantity)
    FROM (SELECT id, quantity FROM {table} ORDER BY amount LIMIT 9223372036854775807) AS sorted
    /*end*/
    INTO p_rows, p_checksum;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END

-- name: group
-- proves: every row is in one of the groups
-- touches: {table}, which it reads
-- plan: derived (filesort > temporary > ALL on {table}{in_leaves})
BEGIN
  DECLARE v_pass BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    /*test*/
    SELECT p_rows + SUM(n), p_checksum + SUM(quantity) FROM (
      SELECT region, status, COUNT(*) AS n, SUM(quantity) AS quantity, AVG(amount) AS average, MIN(amount) AS least,
        MAX(amount) AS most
      FROM {table} GROUP BY region, status) AS g
    WHERE average BETWEEN least AND most
    /*end*/
    INTO p_rows, p_checksum;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END

-- name: report
-- proves: every row is in one group of each grouping set; the ranking consumes all groups
-- touches: {table}, which it reads
-- how: there are no grouping sets, so the groups of month and region are counted into four levels
-- plan: derived (window > temporary > derived (filesort > temporary > derived (filesort > temporary > ALL on {table}{in_leaves})))
BEGIN
  DECLARE v_pass, v_last BIGINT DEFAULT 0;
  WHILE v_pass < p_passes DO
    /*test*/
    SELECT p_rows + SUM(IF(level = 0, n, 0)), p_checksum + SUM(IF(level = 0, quantity, 0)), MAX(place) FROM (
      SELECT level, n, quantity, RANK() OVER (PARTITION BY level ORDER BY amount DESC) AS place
      FROM (
        SELECT level, IF(level IN (0, 1), month, NULL) AS month_of, IF(level IN (0, 2), region, NULL) AS region_of,
          SUM(n) AS n, SUM(quantity) AS quantity, SUM(amount) AS amount
        FROM (
          SELECT EXTRACT(YEAR_MONTH FROM booked_on) AS month, region, COUNT(*) AS n, SUM(quantity) AS quantity,
            SUM(amount) AS amount
          FROM {table} GROUP BY 1, 2) AS g
        CROSS JOIN (SELECT 0 AS level UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) AS levels
        GROUP BY level, month_of, region_of) AS sets) AS ranked
    /*end*/
    INTO p_rows, p_checksum, v_last;
    SET v_pass = v_pass + 1;
  END WHILE;
  COMMIT;
  SET p_ops = p_ops + p_passes;
END
