-- Transactions that can be told from each other, for crash tests. Makes the tables dbdyno.crash_1 to crash_3 and
-- dbdyno.crash_sessions, and touches nothing else but, on a server of dbdyno's own that is cut anyway, settings of the whole server
-- (`control`). Proves what of the transactions that were acknowledged is there after a crash.

-- name: make rows_1
-- makes: table dbdyno.crash_1
-- columns: cut session seq part checksum body
CREATE TABLE dbdyno.crash_1 (
  cut bigint NOT NULL, session bigint NOT NULL, seq bigint NOT NULL, part bigint NOT NULL, checksum bigint NOT NULL,
  body text NOT NULL, PRIMARY KEY (cut, session, seq, part)
);

-- name: make rows_2
-- makes: table dbdyno.crash_2
-- columns: cut session seq part checksum body
CREATE TABLE dbdyno.crash_2 (
  cut bigint NOT NULL, session bigint NOT NULL, seq bigint NOT NULL, part bigint NOT NULL, checksum bigint NOT NULL,
  body text NOT NULL, PRIMARY KEY (cut, session, seq, part)
);

-- name: make rows_3
-- makes: table dbdyno.crash_3
-- columns: cut session seq part checksum body
CREATE TABLE dbdyno.crash_3 (
  cut bigint NOT NULL, session bigint NOT NULL, seq bigint NOT NULL, part bigint NOT NULL, checksum bigint NOT NULL,
  body text NOT NULL, PRIMARY KEY (cut, session, seq, part)
);

-- name: make sessions
-- makes: table dbdyno.crash_sessions
-- columns: cut session last_seq row_count
CREATE TABLE dbdyno.crash_sessions (
  cut bigint NOT NULL, session bigint NOT NULL, last_seq bigint NOT NULL, row_count bigint NOT NULL, PRIMARY KEY (cut, session)
);

-- name: client start
-- what: :1 cut, :2 session, :3 transaction, :4 its rows
INSERT INTO dbdyno.crash_sessions (cut, session, last_seq, row_count) VALUES (:1, :2, :3, :4);

-- name: client move
-- what: :1 transaction, :2 its rows, :3 cut, :4 session
UPDATE dbdyno.crash_sessions SET last_seq = :1, row_count = row_count + :2 WHERE cut = :3 AND session = :4;

-- name: client insert_1
-- what: :1 cut, :2 session, :3 transaction, :4 row, :5 its sum, :6 its text
INSERT INTO dbdyno.crash_1 (cut, session, seq, part, checksum, body) VALUES (:1, :2, :3, :4, :5, :6);

-- name: client insert_2
-- what: :1 cut, :2 session, :3 transaction, :4 row, :5 its sum, :6 its text
INSERT INTO dbdyno.crash_2 (cut, session, seq, part, checksum, body) VALUES (:1, :2, :3, :4, :5, :6);

-- name: client insert_3
-- what: :1 cut, :2 session, :3 transaction, :4 row, :5 its sum, :6 its text
INSERT INTO dbdyno.crash_3 (cut, session, seq, part, checksum, body) VALUES (:1, :2, :3, :4, :5, :6);

-- name: no server
-- why: crash tests send each statement by itself
SELECT 1;

-- name: read_1
-- what: rows of a cut, :1
SELECT session, seq, part, checksum, body FROM dbdyno.crash_1 WHERE cut = :1 ORDER BY session, seq, part;

-- name: read_2
-- what: rows of a cut, :1
SELECT session, seq, part, checksum, body FROM dbdyno.crash_2 WHERE cut = :1 ORDER BY session, seq, part;

-- name: read_3
-- what: rows of a cut, :1
SELECT session, seq, part, checksum, body FROM dbdyno.crash_3 WHERE cut = :1 ORDER BY session, seq, part;

-- name: read_sessions
-- what: sessions of a cut, :1
SELECT session, last_seq, row_count FROM dbdyno.crash_sessions WHERE cut = :1 ORDER BY session;

-- name: stray
-- what: rows of no cut that there was; :1 is the last cut
SELECT (SELECT COUNT(*) FROM dbdyno.crash_1 WHERE cut NOT BETWEEN 1 AND :1) + (SELECT COUNT(*) FROM dbdyno.crash_2 WHERE cut NOT BETWEEN 1 AND :1)
     + (SELECT COUNT(*) FROM dbdyno.crash_3 WHERE cut NOT BETWEEN 1 AND :1)
     + (SELECT COUNT(*) FROM dbdyno.crash_sessions WHERE cut NOT BETWEEN 1 AND :1);

-- name: count
-- what: rows of all tables
SELECT (SELECT COUNT(*) FROM dbdyno.crash_1) + (SELECT COUNT(*) FROM dbdyno.crash_2) + (SELECT COUNT(*) FROM dbdyno.crash_3)
     + (SELECT COUNT(*) FROM dbdyno.crash_sessions);

-- name: indexes
-- what: each index of the tables, that statements can use, as the server describes it
-- made: 4
SELECT pg_get_indexdef(i.indexrelid)
FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace s ON s.oid = t.relnamespace
WHERE s.nspname = 'dbdyno' AND i.indisvalid AND t.relname LIKE 'crash@_%' ESCAPE '@'
ORDER BY 1;

-- name: checks
-- what: what the checks need
CREATE EXTENSION IF NOT EXISTS amcheck;

-- name: check indexes
-- what: fails at the first index that is damaged, or that lacks a row of its table
DO $$
BEGIN
  PERFORM bt_index_parent_check(i.indexrelid, true)
  FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid JOIN pg_namespace s ON s.oid = t.relnamespace
  WHERE s.nspname = 'dbdyno' AND t.relname LIKE 'crash@_%' ESCAPE '@';
END
$$;

-- name: control fsync_off 1
-- means: fsync = off
-- seen_by: filesystem device
ALTER SYSTEM SET fsync = off;

-- name: control fsync_off 2
SELECT pg_reload_conf();

-- name: shown fsync_off
-- is: off
SELECT reset_val FROM pg_settings WHERE name = 'fsync';

-- name: control synchronous_commit_off 1
-- what: the log writer is not woken for what it would write at once
-- means: synchronous_commit = off, wal_writer_delay = 10s, wal_writer_flush_after = 1GB
-- seen_by: kill filesystem device
ALTER SYSTEM SET synchronous_commit = off;

-- name: control synchronous_commit_off 2
ALTER SYSTEM SET wal_writer_delay = '10s';

-- name: control synchronous_commit_off 3
ALTER SYSTEM SET wal_writer_flush_after = '1GB';

-- name: control synchronous_commit_off 4
SELECT pg_reload_conf();

-- name: shown synchronous_commit_off
-- what: what sessions get that say nothing of it
-- is: off 10000 131072
SELECT string_agg(reset_val, ' ' ORDER BY name) FROM pg_settings
WHERE name IN ('synchronous_commit', 'wal_writer_delay', 'wal_writer_flush_after');

-- name: control cancelled_wait 1
-- what: a client that waits for the standby no longer is told that it has committed
-- means: waits for the standby that are cancelled (pg_cancel_backend) while the link is held
-- seen_by: promotion
-- when: while the link is held
SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE wait_event = 'SyncRep';

-- name: primary
-- what: whether it takes commits
-- is: yes
SELECT CASE WHEN pg_is_in_recovery() THEN 'no' ELSE 'yes' END;
