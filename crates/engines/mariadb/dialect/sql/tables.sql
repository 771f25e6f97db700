-- The tables on MariaDB: test tables with their keys, the tables that insert and load tests fill, and the book-keeping of a
-- load. They lie in a database of their own, which every session has as its default; no statement names another.
-- A table gets its keys when it is made: the load fills it in the order of its primary key, part by part, so that rows are
-- only ever appended, and a part's secondary key stays in memory. Statistics are kept and never renewed behind our back:
-- that would change plans between points, and be foreign load within one.
-- A heap is a table that InnoDB finds no key for: it keeps the rows by a hidden number, in the order of their arrival. So
-- its id must allow null, else the unique key would become the order of the rows. No row has a null.
-- Texts are ASCII and compared byte by byte, as the rows of every engine are.

-- name: create_meta
-- what: format, size, seed, progress and checksums of the load; its presence makes the database ours
-- entry: SELECT ? AS name, ? AS value
CREATE TABLE meta (
  name VARCHAR(128) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
  value VARCHAR(255) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC

-- name: create_heap
-- what: a table without a primary key, whose rows lie in the order of their arrival
CREATE TABLE {table} (
  id BIGINT NULL, customer_id BIGINT NOT NULL, ref_id BIGINT NOT NULL, region INT NOT NULL, booked_on DATE NOT NULL,
  quantity INT NOT NULL, amount DECIMAL(12,2) NOT NULL, status CHAR(1) NOT NULL, filler VARCHAR(256) NOT NULL,
  UNIQUE KEY {table}_pk (id), KEY {table}_customer (customer_id)
)

-- name: create_iot
-- what: a table whose rows lie in its primary key, as InnoDB's do
CREATE TABLE {table} (
  id BIGINT NOT NULL, customer_id BIGINT NOT NULL, ref_id BIGINT NOT NULL, region INT NOT NULL, booked_on DATE NOT NULL,
  quantity INT NOT NULL, amount DECIMAL(12,2) NOT NULL, status CHAR(1) NOT NULL, filler VARCHAR(256) NOT NULL,
  PRIMARY KEY (id), KEY {table}_customer (customer_id)
)

-- name: create_hash
-- what: a table whose rows are spread over partitions by a hash of the primary key
CREATE TABLE {table} (
  id BIGINT NOT NULL, customer_id BIGINT NOT NULL, ref_id BIGINT NOT NULL, region INT NOT NULL, booked_on DATE NOT NULL,
  quantity INT NOT NULL, amount DECIMAL(12,2) NOT NULL, status CHAR(1) NOT NULL, filler VARCHAR(256) NOT NULL,
  PRIMARY KEY (id), KEY {table}_customer (customer_id)
)

-- name: create_heap_list
-- what: a heap that is partitioned by list of regions; its unique key must contain the region
CREATE TABLE {table} (
  id BIGINT NULL, customer_id BIGINT NOT NULL, ref_id BIGINT NOT NULL, region INT NOT NULL, booked_on DATE NOT NULL,
  quantity INT NOT NULL, amount DECIMAL(12,2) NOT NULL, status CHAR(1) NOT NULL, filler VARCHAR(256) NOT NULL,
  UNIQUE KEY {table}_pk (id, region), KEY {table}_customer (customer_id)
)

-- name: create_iot_list
-- what: a table whose rows lie in its primary key, partitioned by list of regions
CREATE TABLE {table} (
  id BIGINT NOT NULL, customer_id BIGINT NOT NULL, ref_id BIGINT NOT NULL, region INT NOT NULL, booked_on DATE NOT NULL,
  quantity INT NOT NULL, amount DECIMAL(12,2) NOT NULL, status CHAR(1) NOT NULL, filler VARCHAR(256) NOT NULL,
  PRIMARY KEY (id, region), KEY {table}_customer (customer_id)
)

-- name: create_heap_range_list
-- what: a heap that is partitioned by range of days, each range by region; its unique key must contain both
-- why ref_id may be null: a unique index on it, as T511 builds, would become the order of the rows otherwise
CREATE TABLE {table} (
  id BIGINT NULL, customer_id BIGINT NOT NULL, ref_id BIGINT NULL, region INT NOT NULL, booked_on DATE NOT NULL,
  quantity INT NOT NULL, amount DECIMAL(12,2) NOT NULL, status CHAR(1) NOT NULL, filler VARCHAR(256) NOT NULL,
  UNIQUE KEY {table}_pk (id, booked_on, region), KEY {table}_customer (customer_id)
)

-- name: create_month
-- what: a table without any key, for scans alone
CREATE TABLE {table} (
  id BIGINT NULL, customer_id BIGINT NOT NULL, ref_id BIGINT NOT NULL, region INT NOT NULL, booked_on DATE NOT NULL,
  quantity INT NOT NULL, amount DECIMAL(12,2) NOT NULL, status CHAR(1) NOT NULL, filler VARCHAR(256) NOT NULL
)

-- name: storage
-- what: how a table is kept; statistics change only when dbdyno asks for it
ENGINE = InnoDB CHARACTER SET ascii COLLATE ascii_bin STATS_PERSISTENT = 1 STATS_AUTO_RECALC = 0

-- name: dynamic
-- what: rows as InnoDB keeps them by default
ROW_FORMAT = DYNAMIC

-- name: compressed
-- what: pages of 16 KiB compressed to 8 KiB, both kept in memory
ROW_FORMAT = COMPRESSED KEY_BLOCK_SIZE = 8

-- name: by_hash
-- what: the partitions of a table that is spread by a hash of its key
PARTITION BY KEY (id) PARTITIONS {number}

-- name: by_list
-- what: partitions by list of regions; each follows
PARTITION BY LIST (region)

-- name: list_partition
-- what: one region
PARTITION p{region} VALUES IN ({region})

-- name: by_range
-- what: partitions by range of days, and in each of them regions by number modulo four, as there are no subpartitions by list
PARTITION BY RANGE COLUMNS (booked_on) SUBPARTITION BY HASH (region)

-- name: range_partition
-- what: one month; the regions stand in the order of their numbers modulo four
PARTITION {month} VALUES LESS THAN ('{next_year}-{next_month}-01')
(SUBPARTITION {month}_p4, SUBPARTITION {month}_p1, SUBPARTITION {month}_p2, SUBPARTITION {month}_p3)

-- name: drop_table
-- what: drops one of our tables with its partitions and keys
DROP TABLE IF EXISTS {name}

-- name: drop_index
-- what: drops an index that a point has built
DROP INDEX {name} ON {table}

-- name: drop_procedure
-- what: drops one of our procedures
DROP PROCEDURE IF EXISTS {name}
