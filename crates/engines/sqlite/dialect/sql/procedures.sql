-- The statements under test. SQLite has no stored procedures: dbdyno's in-process loop binds and steps these, prepared
-- once. Every statement that reads answers with (rows, sum of quantity), so that the work is proved; `plan ORGANISATION`
-- is what EXPLAIN QUERY PLAN must say, line by line, and any other plan makes the point invalid.
-- `makes` lists what a point makes (<job> is the number of a job), `built on` the column of an index.
-- The class T100 touches no table: a recursive query is SQLite's only loop, and its cost per pass (T111) is part of all.
-- Nothing in it can be folded: every value comes from the loop, whose random numbers are a multiplicative congruential
-- generator in SQL (a multiplication and a remainder, counted as one random number). SQLite's own random() is one
-- generator behind one lock for the whole process: with it, jobs would measure that lock.

-- name: cpu_loop
-- proves: answers with the passes made
-- ?1: passes
WITH RECURSIVE pass (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM pass WHERE i < ?1)
SELECT count(*), max(i) FROM pass;

-- name: cpu_random_number
-- proves: one random number a pass; the sum is that of the job's key stream
-- ?1: passes
-- ?2: state of the job's stream before the first pass
WITH RECURSIVE pass (i, state) AS (
  SELECT 1, ?2 * 48271 % 2147483647 UNION ALL SELECT i + 1, state * 48271 % 2147483647 FROM pass WHERE i < ?1)
SELECT count(*), sum(state) FROM pass;

-- name: cpu_random_string
-- proves: one random string of 32 characters a pass; the sum of their lengths is 32 times the passes
-- ?1: passes
-- ?2: state of the job's stream before the first pass
WITH RECURSIVE pass (i, state, s) AS (
  SELECT 1, ?2 * 48271 % 2147483647, format('%016X%016X', ?2 * 4294967291, ?2 * 3141592653)
  UNION ALL
  SELECT i + 1, state * 48271 % 2147483647, format('%016X%016X', state * 4294967291, state * 3141592653)
  FROM pass WHERE i < ?1)
SELECT count(*), sum(length(s)) FROM pass;

-- name: cpu_integer_mix
-- proves: 38 operations a pass: 1 random, 8 add, 7 subtract, 4 multiply, 3 divide, 6 abs, 3 sqrt, 3 power, 3 ln
-- not counted: the mask that brings the random number into 0..1023, and casts: sqrt, power and ln answer with doubles
-- ?1: passes
-- ?2: state of the job's stream before the first pass
WITH RECURSIVE pass (i, state, x) AS (
  SELECT 1, ?2 * 48271 % 2147483647, ?2 & 1023
  UNION ALL SELECT i + 1, state * 48271 % 2147483647, state & 1023 FROM pass WHERE i < ?1)
SELECT count(*), sum(
/*mix*/
  (CAST(sqrt(abs(x - 511) + 2) AS INTEGER) * CAST(ln(x + 3) AS INTEGER) + abs(CAST(power(x, 2) AS INTEGER) - 1001) / 3
 + CAST(sqrt(abs(x - 255) + 5) AS INTEGER) * CAST(ln(x + 4) AS INTEGER) + abs(CAST(power(x, 2) AS INTEGER) - 2002) / 7)
 * (CAST(sqrt(abs(x - 127)) AS INTEGER) * CAST(ln(x + 5) AS INTEGER) - abs(CAST(power(x, 2) AS INTEGER) - 3003) / 11)
/*end*/
) FROM pass;

-- name: cpu_double_mix
-- proves: the same 38 operations on doubles
-- not counted: the mask that brings the random number into 0..1023, its cast to a double, and that of the result back
-- ?1: passes
-- ?2: state of the job's stream before the first pass
WITH RECURSIVE pass (i, state, x) AS (
  SELECT 1, ?2 * 48271 % 2147483647, CAST(?2 & 1023 AS REAL)
  UNION ALL SELECT i + 1, state * 48271 % 2147483647, CAST(state & 1023 AS REAL) FROM pass WHERE i < ?1)
SELECT count(*), sum(CAST(
/*mix*/
  (sqrt(abs(x - 511.5) + 1.5) * ln(x + 2.5) + abs(power(x, 0.5) - 10.25) / 3.5
 + sqrt(abs(x - 255.5) + 2.5) * ln(x + 3.5) + abs(power(x, 0.25) - 1.25) / 4.5)
 * (sqrt(abs(x - 127.5)) * ln(x + 4.5) - abs(power(x, 0.75) - 100.25) / 5.5)
/*end*/
AS INTEGER)) FROM pass;

-- name: cpu_string_mix
-- proves: 29 operations a pass: 1 random string, 6 instr, 9 concat, 3 length, 3 substr, 1 char, 5 upper, 1 mod
-- ?1: passes
-- ?2: state of the job's stream before the first pass
WITH RECURSIVE pass (i, state, s) AS (
  SELECT 1, ?2 * 48271 % 2147483647, format('%016X%016X', ?2 * 4294967291, ?2 * 3141592653)
  UNION ALL
  SELECT i + 1, state * 48271 % 2147483647, format('%016X%016X', state * 4294967291, state * 3141592653)
  FROM pass WHERE i < ?1)
SELECT count(*), sum(
/*mix*/
  length(upper(substr(s, 1, 16)) || instr(s, 'A0') || instr(s, 'B') || instr(s, 'C')
    || upper(substr(s, 9, 8) || char((i & 15) + 65)) || instr(upper(s), 'D')
    || length(upper(substr(s, instr(s, '1'), 8) || instr(s, 'F0'))) || length(upper(s))) % 97
/*end*/
) FROM pass;

-- name: cpu_fibonacci
-- proves: one row a call of naive fibonacci, so the rows are the calls; the leaves add up to the Fibonacci number
-- order: makes the queue of open calls a stack, as deep as the argument
-- ?1: the argument
WITH RECURSIVE call (n) AS (
  SELECT ?1
  UNION ALL SELECT n - 1 FROM call WHERE n > 1
  UNION ALL SELECT n - 2 FROM call WHERE n > 1
  ORDER BY 1)
SELECT count(*), sum(n) FILTER (WHERE n < 2) FROM call;

-- name: cpu_primes
-- proves: every number from ?1 to ?2 is tested by trial division up to its root, stopping at the first divisor
-- answers: the numbers tested and how many are prime
-- ?1: the first number
-- ?2: the last number
WITH RECURSIVE number (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM number WHERE n < ?2)
SELECT count(*), sum(n > 1 AND NOT EXISTS (
  WITH RECURSIVE trial (d) AS (SELECT 2 UNION ALL SELECT d + 1 FROM trial WHERE d * d < n)
  SELECT 1 FROM trial WHERE d * d <= n AND n % d = 0)) FROM number;

-- name: write_file_table
-- what: the only table of a file that T211 writes
CREATE TABLE content (id INTEGER PRIMARY KEY, part BLOB NOT NULL);

-- name: write_file
-- proves: the file is as long as asked for, in parts of 1 MiB, one transaction; its commit waits for the device
-- ?1: number of the part
-- ?2: the part
INSERT INTO content (id, part) VALUES (?1, ?2);

-- name: begin_read
-- what: opens a transaction that reads, one for all selects of a call
BEGIN;

-- name: begin_write
-- what: opens a transaction that writes, after its turn in the writers' queue
BEGIN IMMEDIATE;

-- name: commit
-- what: ends a transaction
COMMIT;

-- name: rollback
-- what: undoes a transaction that failed
ROLLBACK;

-- name: insert
-- proves: one row copied from the small heap into an empty table with primary key and secondary index
-- plan: SEARCH dbdyno_small_heap USING INDEX dbdyno_small_heap_pk (id=?)
-- ?1: the new id, of the job's own
-- ?2: the id to copy
-- makes: table {load}
INSERT INTO {load} (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
SELECT ?1, customer_id, ref_id, region, booked_on, quantity, amount, status, filler FROM dbdyno_small_heap WHERE id = ?2;

-- name: source_quantities
-- proves: that what a bulk load copies is as loaded: the sum of its quantities
SELECT sum(quantity) FROM dbdyno_small_heap;

-- name: bulk_load
-- proves: the whole small heap copied into one range partition (a month) of the job's own; no indexes
-- plan: SCAN dbdyno_small_heap
-- ?1: how far the partition's ids lie above the copied ones
-- ?2: the partition's month, YYYY-MM
-- makes: table {load}_<job>
-- makes large: table dbdyno_load_large_<job>
INSERT INTO {load} (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
SELECT id + ?1, customer_id, ref_id, region, ?2 || substr(booked_on, 8), quantity, amount, status, filler
FROM dbdyno_small_heap;

-- name: scan
-- proves: every row visited; quantity is in no index, so that nothing narrower can answer
-- plan heap: SCAN {table}
-- plan iot: SCAN {table}
-- plan heap_range_list: SCAN {table}
SELECT count(*), sum(quantity) FROM {table};

-- name: scan_range
-- proves: the rows of one range partition, which were loaded in order and so lie side by side
-- plan heap_range_list: SEARCH {table} USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
-- ?1: first row of the partition
-- ?2: last row of it
SELECT count(*), sum(quantity) FROM {table} WHERE rowid BETWEEN ?1 AND ?2;

-- name: index_unique
-- what: a unique index over a permutation of the keys
-- makes: index dbdyno_load_index_unique_<job>
-- built on: ref_id
CREATE UNIQUE INDEX {index} ON {table} (ref_id);

-- name: index_non_unique
-- what: an index over amounts
-- makes: index dbdyno_load_index_non_unique_<job>
-- built on: amount
CREATE INDEX {index} ON {table} (amount);

-- name: verify_index
-- proves: the index holds every row of the table: rows and sum of the keys, in hundredths, from the one and the other
-- when: once, after the timed part
SELECT i.n, i.total, t.n, t.total FROM
  (SELECT count(*) AS n, sum(CAST(round({key} * 100) AS INTEGER)) AS total FROM {table} INDEXED BY {index}) AS i,
  (SELECT count(*) AS n, sum(CAST(round({key} * 100) AS INTEGER)) AS total FROM {table} NOT INDEXED) AS t;

-- name: sort
-- proves: every row, sorted; the loop takes each and checks the order. Columns: the sort key, the key and one more
-- plan heap_range_list: SCAN {table}; USE TEMP B-TREE FOR ORDER BY
SELECT quantity, amount, id FROM {table} ORDER BY amount;

-- name: group
-- proves: every row is in one of the groups
-- plan heap_range_list: CO-ROUTINE g; SCAN {table}; USE TEMP B-TREE FOR GROUP BY; SCAN g
SELECT sum(n), sum(quantity) FROM (
  SELECT region, status, count(*) AS n, sum(quantity) AS quantity, avg(amount) AS average, min(amount) AS least,
    max(amount) AS most
  FROM {table} GROUP BY region, status) AS g
WHERE average BETWEEN least AND most;

-- name: report
-- proves: every row is in one group of each grouping set; the ranking consumes all groups
-- plan heap_range_list: CO-ROUTINE ranked; CO-ROUTINE (subquery-8); CO-ROUTINE sets; COMPOUND QUERY; LEFT-MOST SUBQUERY; MATERIALIZE g; SCAN {table}; USE TEMP B-TREE FOR GROUP BY; SCAN g; UNION ALL; SCAN g; USE TEMP B-TREE FOR GROUP BY; UNION ALL; SCAN g; USE TEMP B-TREE FOR GROUP BY; UNION ALL; SCAN g; SCAN sets; USE TEMP B-TREE FOR ORDER BY; SCAN (subquery-8); SCAN ranked
WITH g AS MATERIALIZED (
  SELECT substr(booked_on, 1, 7) AS month, region, count(*) AS n, sum(quantity) AS quantity, sum(amount) AS amount
  FROM {table} GROUP BY 1, 2),
sets (level, month, region, n, quantity, amount) AS (
  SELECT 1, month, region, n, quantity, amount FROM g
  UNION ALL SELECT 2, month, NULL, sum(n), sum(quantity), sum(amount) FROM g GROUP BY month
  UNION ALL SELECT 3, NULL, region, sum(n), sum(quantity), sum(amount) FROM g GROUP BY region
  UNION ALL SELECT 4, NULL, NULL, sum(n), sum(quantity), sum(amount) FROM g),
ranked AS (SELECT *, rank() OVER (PARTITION BY level ORDER BY amount DESC) AS place FROM sets)
SELECT sum(n) FILTER (WHERE level = 1), sum(quantity) FILTER (WHERE level = 1), max(place) FROM ranked;

-- name: select_primary
-- proves: one row, visited in the table: quantity is in no index
-- plan heap: SEARCH {table} USING INDEX {table}_pk (id=?)
-- plan iot: SEARCH {table} USING INTEGER PRIMARY KEY (rowid=?)
-- plan heap_range_list: SEARCH {table} USING INDEX {table}_pk (id=?)
-- ?1: the key
SELECT quantity FROM {table} WHERE id = ?1;

-- name: select_range
-- proves: as many rows as a transaction has, whose keys follow each other, in their order, visited in the table
-- plan heap: SEARCH {table} USING INDEX {table}_pk (id>? AND id<?)
-- plan iot: SEARCH {table} USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)
-- ?1: the first key
-- ?2: the last key
SELECT quantity FROM {table} WHERE id BETWEEN ?1 AND ?2 ORDER BY id;

-- name: select_secondary
-- proves: every row of one secondary-key value, visited in the table
-- plan heap: SEARCH {table} USING INDEX {table}_customer (customer_id=?)
-- plan iot: SEARCH {table} USING INDEX {table}_customer (customer_id=?)
-- plan heap_range_list: SEARCH {table} USING INDEX {table}_customer (customer_id=?)
-- ?1: the secondary-key value
SELECT count(*), sum(quantity) FROM {table} WHERE customer_id = ?1;

-- name: update_primary
-- proves: one row changed, in columns that are in no index; never quantity, which proofs add up
-- plan heap: SEARCH {table} USING INDEX {table}_pk (id=?)
-- plan iot: SEARCH {table} USING INTEGER PRIMARY KEY (rowid=?)
-- plan heap_range_list: SEARCH {table} USING INDEX {table}_pk (id=?)
-- ?1: the key, of the job's own
UPDATE {table} SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END WHERE id = ?1;

-- name: update_secondary
-- proves: every row of one secondary-key value changed
-- plan heap: SEARCH {table} USING INDEX {table}_customer (customer_id=?)
-- plan iot: SEARCH {table} USING INDEX {table}_customer (customer_id=?)
-- ?1: the secondary-key value, of the job's own
UPDATE {table} SET amount = amount + 0.01, status = CASE status WHEN 'N' THEN 'P' ELSE 'N' END WHERE customer_id = ?1;

-- name: join_small
-- proves: every row of one customer finds its partner in a second small table by primary key; the order is forced
-- plan: SEARCH a USING INDEX dbdyno_small_heap_customer (customer_id=?); SEARCH b USING INTEGER PRIMARY KEY (rowid=?)
-- ?1: the secondary-key value
SELECT count(*), sum(b.quantity)
FROM dbdyno_small_heap AS a CROSS JOIN dbdyno_small_iot AS b ON b.id = a.ref_id
WHERE a.customer_id = ?1;

-- name: join_large
-- proves: the same with the large table
-- probe: ref_id is 1..small rows, the large table 32 times as long; 32 * ref_id - 16, on every engine, reaches all of it
-- plan: SEARCH a USING INDEX dbdyno_small_heap_customer (customer_id=?); SEARCH b USING INDEX dbdyno_large_heap_range_list_pk (id=?)
-- ?1: the secondary-key value
SELECT count(*), sum(b.quantity)
FROM dbdyno_small_heap AS a CROSS JOIN dbdyno_large_heap_range_list AS b ON b.id = 32 * a.ref_id - 16
WHERE a.customer_id = ?1;
