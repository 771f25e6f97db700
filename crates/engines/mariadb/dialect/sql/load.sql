-- Loading, proving and dropping. Changes only what lies in our database, and the sessions that load.

-- name: session
-- what: a session that loads waits for locks as long as it takes (an earlier load may be taken back)
SET lock_wait_timeout = 86400, innodb_lock_wait_timeout = 86400

-- name: control
-- what: the session that keeps others away waits for locks as long, too
SET lock_wait_timeout = 86400, innodb_lock_wait_timeout = 86400

-- name: begin
START TRANSACTION

-- name: commit
COMMIT

-- name: hold
-- what: one dbdyno at a time loads or drops in a database
SELECT GET_LOCK(?, 0)

-- name: at_work
-- what: a session of an earlier load, or of a job of an earlier run, that has not ended: the lock of each bears its number, 65,536 at most
WITH digits (n) AS (
  SELECT 0 UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5
  UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9 UNION ALL SELECT 10 UNION ALL SELECT 11
  UNION ALL SELECT 12 UNION ALL SELECT 13 UNION ALL SELECT 14 UNION ALL SELECT 15)
SELECT MIN(IS_USED_LOCK(CONCAT(?, '.', a.n + 16 * b.n + 256 * c.n + 4096 * d.n)))
FROM digits a, digits b, digits c, digits d

-- name: objects
-- what: everything in the database, to tell what is ours: kind, name, words, parts (partitions; arguments), what drops it
-- own: procedure fibonacci
SELECT kind, name, CONCAT(LOWER(kind), ' ', name), parts,
       CASE WHEN kind IN ('table', 'PROCEDURE', 'SEQUENCE') THEN CONCAT('DROP ', kind, ' IF EXISTS `', REPLACE(name, '`', '``'), '`') END
FROM (
  SELECT CASE TABLE_TYPE WHEN 'BASE TABLE' THEN 'table' ELSE TABLE_TYPE END AS kind, TABLE_NAME AS name,
         (SELECT COUNT(PARTITION_NAME) FROM information_schema.PARTITIONS AS p
          WHERE p.TABLE_SCHEMA = DATABASE() AND p.TABLE_NAME = t.TABLE_NAME) AS parts
  FROM information_schema.TABLES AS t WHERE TABLE_SCHEMA = DATABASE()
  UNION ALL
  SELECT ROUTINE_TYPE, ROUTINE_NAME,
         (SELECT COUNT(*) FROM information_schema.PARAMETERS AS p
          WHERE p.SPECIFIC_SCHEMA = DATABASE() AND p.SPECIFIC_NAME = r.SPECIFIC_NAME
            AND p.ROUTINE_TYPE = r.ROUTINE_TYPE AND p.ORDINAL_POSITION > 0)
  FROM information_schema.ROUTINES AS r WHERE ROUTINE_SCHEMA = DATABASE()
  UNION ALL
  SELECT 'trigger', TRIGGER_NAME, 0 FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = DATABASE()
  UNION ALL
  SELECT 'event', EVENT_NAME, 0 FROM information_schema.EVENTS WHERE EVENT_SCHEMA = DATABASE()
) AS found
ORDER BY 1, 2

-- name: get_meta
-- what: the whole of the book-keeping
SELECT name, value FROM meta

-- name: set_meta
-- what: one entry of the book-keeping
REPLACE INTO meta (name, value) VALUES (?, ?)

-- name: note
-- what: that a step of the load is done for a part of it; belongs to the step's own transaction
REPLACE INTO meta (name, value) VALUES ('{step} {leaf}', '1')

-- name: no_longer_complete
-- what: the first thing that dropping does
DELETE FROM meta WHERE name IN ('complete', 'verified')

-- name: forget_table
-- what: nothing that was noted of a table and its parts holds any more; comes before the table is dropped
DELETE FROM meta WHERE name REGEXP '^(filled|checksum) {table}(_r[0-9]+)?(_p[0-9]+)?$'

-- name: no_entry
-- what: takes away an entry that nobody has made: whether the server takes rows of parameters (MariaDB's bulk protocol)
DELETE FROM meta WHERE name = CONCAT('no ', ?)

-- name: insert_into
-- what: rows of a part, from dbdyno, in the order of its primary key; values follow, as parameters
INSERT INTO {leaf} ({columns}) VALUES

-- name: rows_out
-- what: the rows of a part, for its checksum
SELECT id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler FROM {leaf}

-- name: analyse
-- what: statistics of a table, all its partitions included
ANALYZE TABLE {table}

-- name: any_row
-- what: whether a table has rows
SELECT 1 FROM {table} LIMIT 1

-- name: empty_leaf
-- what: takes away what a part that is to be filled holds, which is mostly nothing
DELETE FROM {leaf}

-- name: durable
-- what: waits for the device to have all that was committed, as a CREATE TABLE does even where commits and FLUSH LOGS do not
CREATE TABLE load_end (a INT) ENGINE = InnoDB;
DROP TABLE load_end

-- name: insert_rows
-- what: rows of a workload's table, from dbdyno; values follow, as parameters
INSERT INTO {table} ({columns}) VALUES

-- name: rows_of
-- what: a part of them, for its checksum
SELECT {columns} FROM {table} WHERE {key} BETWEEN {from} AND {to}
