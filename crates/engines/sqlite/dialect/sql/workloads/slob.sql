-- Random reads and writes through the database in the manner of SLOB. Makes for each unit the tables dbdyno_slob_1 and
-- dbdyno_slob_scan_1, and touches nothing else. Proves that each row is alone in its page, that nothing of it is stored
-- elsewhere, that rows of neighbouring keys lie in pages that have nothing to do with one another, and that as many rows are
-- read and changed as there are keys in the range.
-- A row takes 2.5 KB: a page of 4 KB has room for one. Rows are stored by `place`. There is one writer at a time.

-- name: make rows
-- makes: table dbdyno_slob_{unit}
-- columns: place id c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19
CREATE TABLE dbdyno_slob_{unit} (
  place INTEGER PRIMARY KEY, id INTEGER NOT NULL,
  c1 TEXT, c2 TEXT, c3 TEXT, c4 TEXT, c5 TEXT, c6 TEXT, c7 TEXT, c8 TEXT, c9 TEXT, c10 TEXT, c11 TEXT, c12 TEXT, c13 TEXT,
  c14 TEXT, c15 TEXT, c16 TEXT, c17 TEXT, c18 TEXT, c19 TEXT
);

-- name: make scan
-- makes: table dbdyno_slob_scan_{unit}
-- columns: place id c1 c2 c3 c4 c5 c6 c7 c8 c9 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19
CREATE TABLE dbdyno_slob_scan_{unit} (
  place INTEGER PRIMARY KEY, id INTEGER NOT NULL,
  c1 TEXT, c2 TEXT, c3 TEXT, c4 TEXT, c5 TEXT, c6 TEXT, c7 TEXT, c8 TEXT, c9 TEXT, c10 TEXT, c11 TEXT, c12 TEXT, c13 TEXT,
  c14 TEXT, c15 TEXT, c16 TEXT, c17 TEXT, c18 TEXT, c19 TEXT
);

-- name: index key
CREATE INDEX IF NOT EXISTS dbdyno_slob_{unit}_key ON dbdyno_slob_{unit} (id);

-- name: finish rows
ANALYZE dbdyno_slob_{unit};

-- name: client select
-- what: :1 the key below the range, :2 the key above it; answers with the number of rows
SELECT count(c1) FROM dbdyno_slob_{unit} INDEXED BY dbdyno_slob_{unit}_key WHERE id > :1 AND id < :2;

-- name: client update_lite
-- what: :1 the key below the range, :2 the key above it, :3 the text
UPDATE dbdyno_slob_{unit} INDEXED BY dbdyno_slob_{unit}_key SET c1 = :3, c19 = :3 WHERE id > :1 AND id < :2;

-- name: client update_heavy
-- what: :1 the key below the range, :2 the key above it, :3 the text
UPDATE dbdyno_slob_{unit} INDEXED BY dbdyno_slob_{unit}_key
SET c1 = :3, c2 = :3, c3 = :3, c4 = :3, c5 = :3, c6 = :3, c7 = :3, c8 = :3, c9 = :3, c10 = :3, c11 = :3, c12 = :3, c13 = :3,
    c14 = :3, c15 = :3, c16 = :3, c17 = :3, c18 = :3, c19 = :3
WHERE id > :1 AND id < :2;

-- name: client scan
-- what: answers with the number of rows
SELECT count(c1) FROM dbdyno_slob_scan_{unit};

-- name: no server
-- why: SQLite has no stored procedures
SELECT 1;

-- name: indexes
-- what: each index of the tables, besides those that are the table itself, as SQLite keeps it
-- made: 1
SELECT sql FROM sqlite_master
WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('dbdyno_slob_{unit}', 'dbdyno_slob_scan_{unit}') ORDER BY name;

-- name: count
-- what: rows of both tables; those of the first are counted in its index
SELECT (SELECT count(*) FROM dbdyno_slob_{unit}), (SELECT count(*) FROM dbdyno_slob_scan_{unit});

-- name: placed
-- what: rows; pages that hold one row each; pages of what did not fit there; how the key goes with the order of storage, from
-- also: -1000000 to 1000000
SELECT rows, alone, elsewhere, CAST(coalesce(round(1000000 * together / nullif(sqrt(of_key * of_place), 0)), 0) AS INTEGER)
FROM (SELECT count(*) AS rows, avg(1.0 * id * place) - avg(id) * avg(place) AS together,
             avg(1.0 * id * id) - avg(id) * avg(id) AS of_key, avg(1.0 * place * place) - avg(place) * avg(place) AS of_place
      FROM dbdyno_slob_{unit}),
     (SELECT coalesce(sum(pagetype = 'leaf' AND ncell = 1), 0) AS alone, coalesce(sum(pagetype = 'overflow'), 0) AS elsewhere
      FROM dbstat WHERE name = 'dbdyno_slob_{unit}');
