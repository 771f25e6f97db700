-- What is asked of SQLite about itself. Reads only the schema and settings of the connection; touches no table's rows.

-- name: objects
-- what: tables and views, to tell whether a file is ours
SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name;

-- name: noted
-- what: what points have noted that they make
SELECT name FROM dbdyno_meta WHERE name LIKE 'made %';

-- name: forget_made
-- what: forgets that, once it is gone
DELETE FROM dbdyno_meta WHERE name LIKE 'made %';

-- name: there
-- what: tables and indexes that bear such names as points give, whoever has made them
SELECT type, name FROM sqlite_schema
WHERE type IN ('table', 'index') AND name LIKE 'dbdyno\_load\_%' ESCAPE '\' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
ORDER BY type, name;

-- name: version
-- what: version and source of the library
SELECT sqlite_version(), sqlite_source_id();

-- name: compile_options
-- what: how the library was built
SELECT compile_options FROM pragma_compile_options;

-- name: checkpoint_passive
-- what: moves what it can from the write-ahead log into the data file, waiting for nobody
PRAGMA wal_checkpoint(PASSIVE);

-- name: checkpoint_truncate
-- what: moves everything from the write-ahead log into the data file and empties the log
PRAGMA wal_checkpoint(TRUNCATE);

-- name: data_version
-- what: another number than before when another connection has committed
PRAGMA data_version;
