-- The schema on PostgreSQL: test tables and their indexes, the tables that insert tests fill, and the book-keeping of a
-- load. Everything lies in the schema dbdyno; nothing outside it is touched.
-- Rows are loaded first and indexed afterwards, leaf by leaf, so that a load can go on where it stopped; the parent's
-- index then adopts those of its leaves instead of building them again. Autovacuum is off on these tables, because a
-- vacuum in the middle of a point would be foreign load; dbdyno vacuums between points. parallel_workers is so high that
-- the session's limits alone decide how many workers there are.

-- name: create_schema
-- what: the schema that everything of dbdyno's lies in
CREATE SCHEMA dbdyno;

-- name: create_meta
-- what: format, size, seed, progress and checksums of the load; its presence makes the schema ours
CREATE TABLE dbdyno.meta (name text PRIMARY KEY, value text NOT NULL);

-- name: create_plain
-- what: a table without partitions: heap, covering index and hash index differ only in their indexes
CREATE TABLE dbdyno.{table} (
  id bigint NOT NULL, customer_id bigint NOT NULL, ref_id bigint NOT NULL, region integer NOT NULL,
  booked_on date NOT NULL, quantity integer NOT NULL, amount numeric(12,2) NOT NULL, status char(1) NOT NULL,
  filler varchar(256) NOT NULL
) WITH (fillfactor = 90, autovacuum_enabled = off, parallel_workers = 1024);

-- name: create_list
-- what: a table that is partitioned by list of regions
CREATE TABLE dbdyno.{table} (
  id bigint NOT NULL, customer_id bigint NOT NULL, ref_id bigint NOT NULL, region integer NOT NULL,
  booked_on date NOT NULL, quantity integer NOT NULL, amount numeric(12,2) NOT NULL, status char(1) NOT NULL,
  filler varchar(256) NOT NULL
) PARTITION BY LIST (region);

-- name: create_range_list
-- what: a table that is partitioned by range of days, each range by list of regions
CREATE TABLE dbdyno.{table} (
  id bigint NOT NULL, customer_id bigint NOT NULL, ref_id bigint NOT NULL, region integer NOT NULL,
  booked_on date NOT NULL, quantity integer NOT NULL, amount numeric(12,2) NOT NULL, status char(1) NOT NULL,
  filler varchar(256) NOT NULL
) PARTITION BY RANGE (booked_on);

-- name: create_range
-- what: one month of such a table
CREATE TABLE dbdyno.{relation} PARTITION OF dbdyno.{table}
FOR VALUES FROM (make_date({year}, {month}, 1)) TO (make_date({next_year}, {next_month}, 1))
PARTITION BY LIST (region);

-- name: create_leaf
-- what: one region of a table, or of a month of it
CREATE TABLE dbdyno.{relation} PARTITION OF dbdyno.{table} FOR VALUES IN ({region})
WITH (fillfactor = 90, autovacuum_enabled = off, parallel_workers = 1024);

-- name: index_primary_heap
-- what: the primary key of a table without partitions
ALTER TABLE dbdyno.{relation} ADD CONSTRAINT {relation}_pk PRIMARY KEY (id);

-- name: index_primary_iot
-- what: the same, with the column that lookups ask for, so that they need nothing but the index
ALTER TABLE dbdyno.{relation} ADD CONSTRAINT {relation}_pk PRIMARY KEY (id) INCLUDE (quantity);

-- name: index_primary_hash
-- what: a hash index instead of a primary key, which only a b-tree can enforce
CREATE INDEX {relation}_pk ON dbdyno.{relation} USING hash (id);

-- name: index_primary_heap_list
-- what: the primary key of a list-partitioned table or of one of its leaves; it must contain the partition column
ALTER TABLE dbdyno.{relation} ADD CONSTRAINT {relation}_pk PRIMARY KEY (id, region);

-- name: index_primary_iot_list
-- what: the same, with the column that lookups ask for
ALTER TABLE dbdyno.{relation} ADD CONSTRAINT {relation}_pk PRIMARY KEY (id, region) INCLUDE (quantity);

-- name: index_primary_heap_range_list
-- what: the primary key of the range-list-partitioned table, of one of its months or leaves
ALTER TABLE dbdyno.{relation} ADD CONSTRAINT {relation}_pk PRIMARY KEY (id, booked_on, region);

-- name: index_customer
-- what: the secondary key of a table, a month or a leaf
CREATE INDEX {relation}_customer ON dbdyno.{relation} (customer_id);

-- name: drop_table
-- what: drops one of our tables with its partitions and indexes
DROP TABLE IF EXISTS dbdyno.{name};

-- name: drop_index
-- what: drops an index that a point has built
DROP INDEX IF EXISTS dbdyno.{name};

-- name: drop_procedure
-- what: drops a procedure of ours, whatever its arguments
DROP PROCEDURE IF EXISTS dbdyno.{name};

-- name: drop_fibonacci
-- what: drops the function that cpu_fibonacci calls
DROP FUNCTION IF EXISTS dbdyno.fibonacci(integer);

-- name: create_noise
-- what: 4 MiB that nothing compresses, for files
CREATE TABLE dbdyno.load_noise AS
SELECT string_agg(sha512(int8send(n)), ''::bytea ORDER BY n) AS noise FROM generate_series(1::bigint, 65536) AS n;
