-- Transactions that can be told from each other, for crash tests. Makes the tables dbdyno_crash_1 to 3 and dbdyno_crash_sessions,
-- and touches nothing else. Proves what of the transactions that were acknowledged is there after a crash.

-- name: make rows_1
-- makes: table dbdyno_crash_1
-- columns: cut session seq part checksum body
CREATE TABLE dbdyno_crash_1 (
  cut INTEGER NOT NULL, session INTEGER NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, checksum INTEGER NOT NULL,
  body TEXT NOT NULL, PRIMARY KEY (cut, session, seq, part)
);

-- name: make rows_2
-- makes: table dbdyno_crash_2
-- columns: cut session seq part checksum body
CREATE TABLE dbdyno_crash_2 (
  cut INTEGER NOT NULL, session INTEGER NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, checksum INTEGER NOT NULL,
  body TEXT NOT NULL, PRIMARY KEY (cut, session, seq, part)
);

-- name: make rows_3
-- makes: table dbdyno_crash_3
-- columns: cut session seq part checksum body
CREATE TABLE dbdyno_crash_3 (
  cut INTEGER NOT NULL, session INTEGER NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, checksum INTEGER NOT NULL,
  body TEXT NOT NULL, PRIMARY KEY (cut, session, seq, part)
);

-- name: make sessions
-- makes: table dbdyno_crash_sessions
-- columns: cut session last_seq row_count
CREATE TABLE dbdyno_crash_sessions (
  cut INTEGER NOT NULL, session INTEGER NOT NULL, last_seq INTEGER NOT NULL, row_count INTEGER NOT NULL, PRIMARY KEY (cut, session)
);

-- name: client start
-- what: :1 cut, :2 session, :3 transaction, :4 its rows
INSERT INTO dbdyno_crash_sessions (cut, session, last_seq, row_count) VALUES (:1, :2, :3, :4);

-- name: client move
-- what: :1 transaction, :2 its rows, :3 cut, :4 session
UPDATE dbdyno_crash_sessions SET last_seq = :1, row_count = row_count + :2 WHERE cut = :3 AND session = :4;

-- name: client insert_1
-- what: :1 cut, :2 session, :3 transaction, :4 row, :5 its sum, :6 its text
INSERT INTO dbdyno_crash_1 (cut, session, seq, part, checksum, body) VALUES (:1, :2, :3, :4, :5, :6);

-- name: client insert_2
-- what: :1 cut, :2 session, :3 transaction, :4 row, :5 its sum, :6 its text
INSERT INTO dbdyno_crash_2 (cut, session, seq, part, checksum, body) VALUES (:1, :2, :3, :4, :5, :6);

-- name: client insert_3
-- what: :1 cut, :2 session, :3 transaction, :4 row, :5 its sum, :6 its text
INSERT INTO dbdyno_crash_3 (cut, session, seq, part, checksum, body) VALUES (:1, :2, :3, :4, :5, :6);

-- name: no server
-- why: SQLite has no stored procedures
SELECT 1;

-- name: read_1
-- what: rows of a cut, :1
SELECT session, seq, part, checksum, body FROM dbdyno_crash_1 WHERE cut = :1 ORDER BY session, seq, part;

-- name: read_2
-- what: rows of a cut, :1
SELECT session, seq, part, checksum, body FROM dbdyno_crash_2 WHERE cut = :1 ORDER BY session, seq, part;

-- name: read_3
-- what: rows of a cut, :1
SELECT session, seq, part, checksum, body FROM dbdyno_crash_3 WHERE cut = :1 ORDER BY session, seq, part;

-- name: read_sessions
-- what: sessions of a cut, :1
SELECT session, last_seq, row_count FROM dbdyno_crash_sessions WHERE cut = :1 ORDER BY session;

-- name: stray
-- what: rows of no cut that there was; :1 is the last cut
SELECT (SELECT COUNT(*) FROM dbdyno_crash_1 WHERE cut NOT BETWEEN 1 AND :1) + (SELECT COUNT(*) FROM dbdyno_crash_2 WHERE cut NOT BETWEEN 1 AND :1)
     + (SELECT COUNT(*) FROM dbdyno_crash_3 WHERE cut NOT BETWEEN 1 AND :1)
     + (SELECT COUNT(*) FROM dbdyno_crash_sessions WHERE cut NOT BETWEEN 1 AND :1);

-- name: count
-- what: rows of all tables
SELECT (SELECT COUNT(*) FROM dbdyno_crash_1) + (SELECT COUNT(*) FROM dbdyno_crash_2) + (SELECT COUNT(*) FROM dbdyno_crash_3)
     + (SELECT COUNT(*) FROM dbdyno_crash_sessions);

-- name: indexes
-- what: each index of the tables, besides those that are the table itself, as SQLite keeps it
-- made: 4
SELECT name FROM sqlite_schema
WHERE type = 'index' AND tbl_name IN ('dbdyno_crash_1', 'dbdyno_crash_2', 'dbdyno_crash_3', 'dbdyno_crash_sessions')
ORDER BY name;

-- name: check file
-- what: answers with ok, or with what is wrong
PRAGMA integrity_check;

-- name: control synchronous_off
-- means: synchronous = off
-- seen_by: filesystem device
-- target: synchronous=off
SELECT 1;

-- name: control synchronous_normal
-- means: synchronous = normal
-- seen_by: filesystem device
-- target: synchronous=normal
SELECT 1;

-- name: shown synchronous_off
-- is: 0
PRAGMA synchronous;

-- name: shown synchronous_normal
-- is: 1
PRAGMA synchronous;
