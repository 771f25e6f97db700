-- What the catalogue says of a table that was loaded some time ago, and rows of it. Nothing here changes anything.

-- name: facts
-- what: relation, kind of fact, fact, and what takes it away: all that decides how a table with its partitions works
-- left out: indexes that points build (load_...)
SELECT TABLE_NAME, 'kind', IF(TABLE_TYPE = 'BASE TABLE', 'table', LOWER(TABLE_TYPE)),
       IF(TABLE_TYPE = 'VIEW', 'DROP VIEW {table}', NULL)
FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}'
UNION ALL
SELECT TABLE_NAME, 'storage', LOWER(CONCAT(ENGINE, ' ', ROW_FORMAT)), NULL
FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}'
UNION ALL
SELECT TABLE_NAME, 'options', REPLACE(LOWER(CREATE_OPTIONS), 'partitioned', ''), NULL
FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}'
UNION ALL
SELECT TABLE_NAME, 'column',
       CONCAT(COLUMN_NAME, ' ', COLUMN_TYPE, IF(IS_NULLABLE = 'NO', ' not null', ''),
              IF(COLLATION_NAME IS NULL, '', CONCAT(' ', COLLATION_NAME)),
              IF(COALESCE(EXTRA, '') = '', '', CONCAT(' ', LOWER(EXTRA))),
              IF(COALESCE(COLUMN_DEFAULT, 'NULL') = 'NULL', '', ' with a default')), NULL
FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}'
UNION ALL
SELECT TABLE_NAME, 'index',
       CONCAT(INDEX_NAME, IF(NON_UNIQUE, '', ' unique'), ' ', LOWER(INDEX_TYPE), ' (',
              GROUP_CONCAT(CONCAT(COLUMN_NAME, IF(SUB_PART IS NULL, '', ' in part'), IF(COLLATION = 'D', ' desc', ''))
                           ORDER BY SEQ_IN_INDEX SEPARATOR ', '), ')'),
       CONCAT('DROP INDEX `', REPLACE(INDEX_NAME, '`', '``'), '` ON {table}')
FROM information_schema.STATISTICS
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}' AND INDEX_NAME NOT LIKE 'load\_%'
GROUP BY TABLE_NAME, INDEX_NAME, NON_UNIQUE, INDEX_TYPE
UNION ALL
SELECT TABLE_NAME, 'partition',
       CONCAT_WS(' ', COALESCE(SUBPARTITION_NAME, PARTITION_NAME), LOWER(PARTITION_METHOD),
                 REPLACE(PARTITION_EXPRESSION, '`', ''), PARTITION_DESCRIPTION, LOWER(SUBPARTITION_METHOD),
                 REPLACE(SUBPARTITION_EXPRESSION, '`', '')), NULL
FROM information_schema.PARTITIONS
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}' AND PARTITION_NAME IS NOT NULL
UNION ALL
SELECT EVENT_OBJECT_TABLE, 'trigger', TRIGGER_NAME, CONCAT('DROP TRIGGER `', REPLACE(TRIGGER_NAME, '`', '``'), '`')
FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_SCHEMA = DATABASE() AND EVENT_OBJECT_TABLE = '{table}'
UNION ALL
SELECT TABLE_NAME, 'constraint', CONSTRAINT_NAME,
       CONCAT('ALTER TABLE {table} DROP CONSTRAINT `', REPLACE(CONSTRAINT_NAME, '`', '``'), '`')
FROM information_schema.TABLE_CONSTRAINTS
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{table}' AND CONSTRAINT_TYPE IN ('FOREIGN KEY', 'CHECK')
UNION ALL
SELECT REFERENCED_TABLE_NAME, 'constraint', CONSTRAINT_NAME,
       CONCAT('ALTER TABLE `', CONSTRAINT_SCHEMA, '`.`', TABLE_NAME, '` DROP CONSTRAINT `', CONSTRAINT_NAME, '`')
FROM information_schema.REFERENTIAL_CONSTRAINTS
WHERE UNIQUE_CONSTRAINT_SCHEMA = DATABASE() AND REFERENCED_TABLE_NAME = '{table}'

-- name: may_see_triggers
-- what: whether triggers are shown at all, which takes the right to make some
SELECT (SELECT COUNT(*) FROM information_schema.USER_PRIVILEGES
        WHERE PRIVILEGE_TYPE = 'TRIGGER' AND GRANTEE = CONCAT('\'', REPLACE(CURRENT_USER(), '@', '\'@\''), '\''))
     + (SELECT COUNT(*) FROM information_schema.SCHEMA_PRIVILEGES
        WHERE PRIVILEGE_TYPE = 'TRIGGER' AND DATABASE() LIKE TABLE_SCHEMA
          AND GRANTEE = CONCAT('\'', REPLACE(CURRENT_USER(), '@', '\'@\''), '\''))

-- name: row
-- what: one row by all that its place follows from
SELECT id, customer_id, ref_id, region, booked_on, quantity, amount, status, filler FROM {table}
WHERE id = ? AND booked_on = ? AND region = ?

-- name: columns
-- what: the columns of every table in the database, so that none is dropped which dbdyno did not make
SELECT TABLE_NAME, GROUP_CONCAT(COLUMN_NAME ORDER BY ORDINAL_POSITION SEPARATOR ' ')
FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() GROUP BY TABLE_NAME

-- name: dependents
-- what: tables whose foreign keys refer to a table of the database, as far as this user may see them; each keeps it from being dropped
SELECT DISTINCT CONCAT('table ', CONSTRAINT_SCHEMA, '.', TABLE_NAME, ', by its foreign key ', CONSTRAINT_NAME)
FROM information_schema.REFERENTIAL_CONSTRAINTS
WHERE UNIQUE_CONSTRAINT_SCHEMA = DATABASE()
  AND NOT (CONSTRAINT_SCHEMA = DATABASE() AND TABLE_NAME = REFERENCED_TABLE_NAME)
ORDER BY 1
