-- The tables on Oracle: test tables, their keys, the tables that inserts and loads fill, and the book-keeping of a load. They
-- lie in the schema of dbdyno's own user, which every session has as its default; no statement names another.
-- Every organisation is Oracle's own: heap, index-organised table, single-table hash cluster, list partitions, range partitions
-- with list subpartitions. Keys are global indexes, so that a lookup needs the key alone; only the key of a partitioned
-- index-organised table must contain the column by which it is partitioned.
-- Small tables and their keys ask for the KEEP pool; where the server has none (db_keep_cache_size = 0) that is the default one.
-- Names stay within 30 bytes, which every setting of COMPATIBLE takes. Texts are ASCII.
-- {columns}, {organisation}, {storage} and {compression} stand for other statements of this file (layout.rs puts them together).

-- name: create_meta
-- what: format, size, seed, progress and checksums of the load; its presence makes the schema ours; Oracle keeps an empty text as null
CREATE TABLE meta (name VARCHAR2(128) NOT NULL, value VARCHAR2(255), CONSTRAINT meta_pk PRIMARY KEY (name))

-- name: columns
-- what: the columns of every test table, about 315 bytes a row
  id NUMBER(19) NOT NULL, customer_id NUMBER(19) NOT NULL, ref_id NUMBER(19) NOT NULL, region NUMBER(3) NOT NULL,
  booked_on DATE NOT NULL, quantity NUMBER(3) NOT NULL, amount NUMBER(12,2) NOT NULL, status CHAR(1) NOT NULL,
  filler VARCHAR2(256) NOT NULL

-- name: create_heap
-- what: a table whose rows lie where there was room; its keys are built when it is full
CREATE TABLE {table} (
{columns}
) {storage} {compression}

-- name: create_iot
-- what: a table whose rows lie in its primary key
CREATE TABLE {table} (
{columns},
  CONSTRAINT {table}_pk PRIMARY KEY (id)
) ORGANIZATION INDEX {storage}

-- name: create_cluster
-- what: room for every row by its id, so that a lookup computes the block; taken at once, {rows} rows of 384 bytes
CREATE CLUSTER {table}_c (id NUMBER(19)) SIZE 384 SINGLE TABLE HASHKEYS {rows} HASH IS id {storage}

-- name: create_hash
-- what: the one table of that cluster
CREATE TABLE {table} (
{columns}
) CLUSTER {table}_c (id)

-- name: create_heap_list
-- what: a heap, partitioned by list of regions
CREATE TABLE {table} (
{columns}
) {storage} {compression} PARTITION BY LIST (region) (
{organisation}
)

-- name: create_iot_list
-- what: an index-organised table, partitioned by list of regions; its key must contain the region
CREATE TABLE {table} (
{columns},
  CONSTRAINT {table}_pk PRIMARY KEY (id, region)
) ORGANIZATION INDEX {storage} PARTITION BY LIST (region) (
{organisation}
)

-- name: create_heap_range_list
-- what: a heap, partitioned by range of days, each range by list of regions
CREATE TABLE {table} (
{columns}
) {storage} {compression} PARTITION BY RANGE (booked_on) SUBPARTITION BY LIST (region) (
{organisation}
)

-- name: list_partition
-- what: one region
  PARTITION p{region} VALUES ({region})

-- name: range_partition
-- what: one month with its four regions; the bound is a call, because the grammars in the tests know no date literal there
  PARTITION {month} VALUES LESS THAN (TO_DATE('{next_year}-{next_month}-01', 'YYYY-MM-DD')) (
    SUBPARTITION {month}_p1 VALUES (1), SUBPARTITION {month}_p2 VALUES (2), SUBPARTITION {month}_p3 VALUES (3),
    SUBPARTITION {month}_p4 VALUES (4))

-- name: keep_pool
-- what: asks for the part of the buffer cache that other tables do not displace
STORAGE (BUFFER_POOL KEEP)

-- name: default_pool
-- what: a small first extent, as there are 128 parts and each would take 8 MiB
STORAGE (INITIAL 1M NEXT 1M BUFFER_POOL DEFAULT)

-- name: none
-- what: rows as they are
NOCOMPRESS

-- name: basic
-- what: repeated values of a block once, for what comes by direct path; part of the Enterprise Edition
ROW STORE COMPRESS BASIC

-- name: oltp
-- what: the same for single rows, too; needs the Advanced Compression option
ROW STORE COMPRESS ADVANCED

-- name: hcc_query_low
-- what: columns of many rows together, quick to read; needs Oracle's own storage
COLUMN STORE COMPRESS FOR QUERY LOW

-- name: hcc_archive_low
-- what: the same, smaller and slower
COLUMN STORE COMPRESS FOR ARCHIVE LOW

-- name: create_primary
-- what: the index of the primary key, over all partitions
CREATE UNIQUE INDEX {table}_pk ON {table} (id) {storage} PARALLEL {threads}

-- name: add_primary
-- what: makes that index the primary key
ALTER TABLE {table} ADD CONSTRAINT {table}_pk PRIMARY KEY (id) USING INDEX {table}_pk

-- name: create_customer
-- what: the secondary key, over all partitions
CREATE INDEX {table}_customer ON {table} (customer_id) {storage} PARALLEL {threads}

-- name: no_parallel
-- what: an index remembers how many processes built it, and would be read by as many
ALTER INDEX {index} NOPARALLEL

-- name: tier
-- what: where blocks of the large table and its keys are kept besides the buffer cache: {clause} is FLASH_CACHE or CELL_FLASH_CACHE, {value} KEEP or DEFAULT
-- why a block: partitions have the clause one by one, and the grammars in the tests do not know it there
BEGIN
  FOR v_month IN 0 .. 31 LOOP
    EXECUTE IMMEDIATE 'ALTER TABLE large_heap_range_list MODIFY PARTITION r' || TO_CHAR(v_month, 'FM00')
      || ' STORAGE ({clause} {value})';
  END LOOP;
  EXECUTE IMMEDIATE 'ALTER INDEX large_heap_range_list_pk STORAGE ({clause} {value})';
  EXECUTE IMMEDIATE 'ALTER INDEX large_heap_range_list_customer STORAGE ({clause} {value})';
END;

-- name: drop_table
-- what: drops one of our tables with its partitions and keys, not into the recycle bin; that it is not there is no error
BEGIN
  EXECUTE IMMEDIATE 'DROP TABLE {name} PURGE';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -942 THEN
      RAISE;
    END IF;
END;

-- name: drop_procedure
-- what: drops a procedure of a workload; that it is not there is no error
BEGIN
  EXECUTE IMMEDIATE 'DROP PROCEDURE {name}';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -4043 THEN
      RAISE;
    END IF;
END;

-- name: discard_month
-- what: empties a month of the table that loads of the large one fill, and gives its space back
ALTER TABLE load_large TRUNCATE PARTITION {name} DROP STORAGE

-- name: drop_cluster
-- what: drops a hash cluster with its table; that it is not there is no error
BEGIN
  EXECUTE IMMEDIATE 'DROP CLUSTER {name} INCLUDING TABLES CASCADE CONSTRAINTS';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -943 THEN
      RAISE;
    END IF;
END;

-- name: drop_package
-- what: drops the package of a point; that it is not there is no error
BEGIN
  EXECUTE IMMEDIATE 'DROP PACKAGE {name}';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -4043 THEN
      RAISE;
    END IF;
END;

-- name: drop_tablespace
-- what: drops the file that T211 wrote; that it is not there is no error; one that holds anything is somebody else's, and stays
BEGIN
  EXECUTE IMMEDIATE 'DROP TABLESPACE {name}';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE NOT IN (-959, -1549) THEN
      RAISE;
    END IF;
END;

-- name: drop_index
-- what: drops an index that a point built; that it is not there is no error
BEGIN
  EXECUTE IMMEDIATE 'DROP INDEX {name}';
EXCEPTION
  WHEN OTHERS THEN
    IF SQLCODE <> -1418 THEN
      RAISE;
    END IF;
END;
