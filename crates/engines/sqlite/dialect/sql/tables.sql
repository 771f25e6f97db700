-- The schema on SQLite: test tables, tables that insert tests fill, and the book-keeping of a load.
-- Touches only objects whose names begin with dbdyno_. A heap is a table whose key is an ordinary unique index (`id INT`
-- is no alias of the rowid, `INTEGER` would be); an index-organised table is one whose key is the rowid's b-tree itself.

-- name: create_meta
-- what: format, size, seed, progress and checksums of the load; its presence makes the file ours
CREATE TABLE dbdyno_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

-- name: create_heap
-- what: rows in the order of their loading, reached by indexes
CREATE TABLE {table} (
  id INT NOT NULL, customer_id INT NOT NULL, ref_id INT NOT NULL, region INT NOT NULL, booked_on TEXT NOT NULL,
  quantity INT NOT NULL, amount REAL NOT NULL, status TEXT NOT NULL, filler TEXT NOT NULL
);

-- name: create_iot
-- what: rows in the b-tree of their key
CREATE TABLE {table} (
  id INTEGER PRIMARY KEY, customer_id INT NOT NULL, ref_id INT NOT NULL, region INT NOT NULL, booked_on TEXT NOT NULL,
  quantity INT NOT NULL, amount REAL NOT NULL, status TEXT NOT NULL, filler TEXT NOT NULL
);

-- name: index_primary
-- what: the primary key of a heap
CREATE UNIQUE INDEX {table}_pk ON {table} (id);

-- name: index_customer
-- what: the secondary key
CREATE INDEX {table}_customer ON {table} (customer_id);

-- name: insert_row
-- what: one row of the load
INSERT INTO {table} (id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9);

-- name: read_rows
-- what: a part of a table, for its checksum
SELECT id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler
FROM {table} WHERE rowid BETWEEN ?1 AND ?2;

-- name: insert_rows
-- what: one row of a workload's table
INSERT INTO {table} ({columns}) VALUES ({places});

-- name: rows_of
-- what: a part of such rows, for its checksum
SELECT {columns} FROM {table} WHERE {key} BETWEEN {from} AND {to};

-- name: get_meta
-- what: the whole of the book-keeping
SELECT name, value FROM dbdyno_meta;

-- name: set_meta
-- what: one entry of the book-keeping
INSERT INTO dbdyno_meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- name: warm_table
-- what: reads every row of a table into this connection's cache
SELECT sum(quantity) FROM {table} NOT INDEXED;

-- name: warm_primary
-- what: reads every entry of a heap's primary key into this connection's cache
SELECT sum(id) FROM {table} INDEXED BY {table}_pk;

-- name: warm_customer
-- what: reads every entry of the secondary key into this connection's cache
SELECT sum(customer_id) FROM {table} INDEXED BY {table}_customer;

-- name: drop_table
-- what: drops a table that is ours
DROP TABLE IF EXISTS {table};

-- name: empty_table
-- what: removes all rows of a table that a load has filled
DELETE FROM {table};

-- name: drop_index
-- what: drops an index that a test has built
DROP INDEX IF EXISTS {index};
