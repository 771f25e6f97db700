-- Transactions that can be told from each other, for crash tests. Makes the tables crash_1 to crash_3 and crash_sessions in the
-- database that the target names, and touches nothing else but, on a server of dbdyno's own that is cut anyway, settings of the
-- whole server (`control`). Proves what of the transactions that were acknowledged is there after a crash.

-- name: make rows_1
-- makes: table crash_1
-- columns: cut session seq part checksum body
CREATE TABLE crash_1 (
  cut BIGINT NOT NULL, session BIGINT NOT NULL, seq BIGINT NOT NULL, part BIGINT NOT NULL, checksum BIGINT NOT NULL,
  body VARCHAR(200) NOT NULL, PRIMARY KEY (cut, session, seq, part)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii COLLATE ascii_bin

-- name: make rows_2
-- makes: table crash_2
-- columns: cut session seq part checksum body
CREATE TABLE crash_2 (
  cut BIGINT NOT NULL, session BIGINT NOT NULL, seq BIGINT NOT NULL, part BIGINT NOT NULL, checksum BIGINT NOT NULL,
  body VARCHAR(200) NOT NULL, PRIMARY KEY (cut, session, seq, part)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii COLLATE ascii_bin

-- name: make rows_3
-- makes: table crash_3
-- columns: cut session seq part checksum body
CREATE TABLE crash_3 (
  cut BIGINT NOT NULL, session BIGINT NOT NULL, seq BIGINT NOT NULL, part BIGINT NOT NULL, checksum BIGINT NOT NULL,
  body VARCHAR(200) NOT NULL, PRIMARY KEY (cut, session, seq, part)
) ENGINE = InnoDB DEFAULT CHARACTER SET ascii COLLATE ascii_bin

-- name: make sessions
-- makes: table crash_sessions
-- columns: cut session last_seq row_count
CREATE TABLE crash_sessions (
  cut BIGINT NOT NULL, session BIGINT NOT NULL, last_seq BIGINT NOT NULL, row_count BIGINT NOT NULL, PRIMARY KEY (cut, session)
) ENGINE = InnoDB

-- name: client start
-- what: :1 cut, :2 session, :3 transaction, :4 its rows
INSERT INTO crash_sessions (cut, session, last_seq, row_count) VALUES (:1, :2, :3, :4)

-- name: client move
-- what: :1 transaction, :2 its rows, :3 cut, :4 session
UPDATE crash_sessions SET last_seq = :1, row_count = row_count + :2 WHERE cut = :3 AND session = :4

-- name: client insert_1
-- what: :1 cut, :2 session, :3 transaction, :4 row, :5 its sum, :6 its text
INSERT INTO crash_1 (cut, session, seq, part, checksum, body) VALUES (:1, :2, :3, :4, :5, :6)

-- name: client insert_2
-- what: :1 cut, :2 session, :3 transaction, :4 row, :5 its sum, :6 its text
INSERT INTO crash_2 (cut, session, seq, part, checksum, body) VALUES (:1, :2, :3, :4, :5, :6)

-- name: client insert_3
-- what: :1 cut, :2 session, :3 transaction, :4 row, :5 its sum, :6 its text
INSERT INTO crash_3 (cut, session, seq, part, checksum, body) VALUES (:1, :2, :3, :4, :5, :6)

-- name: no server
-- why: crash tests send each statement by itself
SELECT 1

-- name: read_1
-- what: rows of a cut, :1
SELECT session, seq, part, checksum, body FROM crash_1 WHERE cut = :1 ORDER BY session, seq, part

-- name: read_2
-- what: rows of a cut, :1
SELECT session, seq, part, checksum, body FROM crash_2 WHERE cut = :1 ORDER BY session, seq, part

-- name: read_3
-- what: rows of a cut, :1
SELECT session, seq, part, checksum, body FROM crash_3 WHERE cut = :1 ORDER BY session, seq, part

-- name: read_sessions
-- what: sessions of a cut, :1
SELECT session, last_seq, row_count FROM crash_sessions WHERE cut = :1 ORDER BY session

-- name: stray
-- what: rows of no cut that there was; :1 is the last cut
SELECT (SELECT COUNT(*) FROM crash_1 WHERE cut NOT BETWEEN 1 AND :1) + (SELECT COUNT(*) FROM crash_2 WHERE cut NOT BETWEEN 1 AND :1)
     + (SELECT COUNT(*) FROM crash_3 WHERE cut NOT BETWEEN 1 AND :1)
     + (SELECT COUNT(*) FROM crash_sessions WHERE cut NOT BETWEEN 1 AND :1)

-- name: count
-- what: rows of all tables
SELECT (SELECT COUNT(*) FROM crash_1) + (SELECT COUNT(*) FROM crash_2) + (SELECT COUNT(*) FROM crash_3)
     + (SELECT COUNT(*) FROM crash_sessions)

-- name: indexes
-- what: each index of the tables, that statements can use, as the server describes it
-- made: 4
SELECT CONCAT(TABLE_NAME, ' ', INDEX_NAME, ' ', GROUP_CONCAT(COLUMN_NAME ORDER BY SEQ_IN_INDEX))
FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME IN (
  'crash_1', 'crash_2', 'crash_3', 'crash_sessions')
GROUP BY TABLE_NAME, INDEX_NAME ORDER BY TABLE_NAME, INDEX_NAME

-- name: check tables
-- what: answers with OK for each table that is well
CHECK TABLE crash_1, crash_2, crash_3, crash_sessions EXTENDED

-- name: control flush_log_2 1
-- means: innodb_flush_log_at_trx_commit = 2, innodb_log_file_buffering = ON
-- seen_by: filesystem device
-- what: without buffering the log goes past the page cache, and is on the device when it is written
SET GLOBAL innodb_flush_log_at_trx_commit = 2

-- name: control flush_log_2 2
SET GLOBAL innodb_log_file_buffering = ON

-- name: shown flush_log_2
-- is: 2 ON
SELECT CONCAT(@@GLOBAL.innodb_flush_log_at_trx_commit, ' ', @@GLOBAL.innodb_log_file_buffering)

-- name: control flush_log_0 1
-- means: innodb_flush_log_at_trx_commit = 0, innodb_flush_log_at_timeout = 2700
-- seen_by: kill filesystem device
SET GLOBAL innodb_flush_log_at_trx_commit = 0

-- name: control flush_log_0 2
SET GLOBAL innodb_flush_log_at_timeout = 2700

-- name: shown flush_log_0
-- is: 0 2700
SELECT CONCAT(@@GLOBAL.innodb_flush_log_at_trx_commit, ' ', @@GLOBAL.innodb_flush_log_at_timeout)

-- name: control sync_binlog_0 1
-- needs: replication log
-- means: sync_binlog = 0
-- seen_by: filesystem device
SET GLOBAL sync_binlog = 0

-- name: shown sync_binlog_0
-- is: ON 0
SELECT CONCAT(IF(@@GLOBAL.log_bin, 'ON', 'OFF'), ' ', @@GLOBAL.sync_binlog)

-- name: control falls_back 1
-- what: a primary whose standby is silent goes on without it
-- means: rpl_semi_sync_master_timeout = 50 (ms), shorter than the link is held
-- seen_by: promotion
SET GLOBAL rpl_semi_sync_master_timeout = 50

-- name: shown falls_back
-- is: 50
SELECT @@GLOBAL.rpl_semi_sync_master_timeout

-- name: primary
-- what: whether it takes commits
-- is: yes
SELECT IF(@@GLOBAL.read_only, 'no', 'yes')
