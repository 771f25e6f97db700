-- What decides whether commits survive a crash. Rows of a setting and its value, and rows of one text for what a crash loses.
-- Nothing is changed. Which values are unsafe is in settings.toml.

-- name: settings
-- what: what a new session of this user would have; reset_val, because this session may have set its own
SELECT name, reset_val FROM pg_catalog.pg_settings
WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method', 'commit_delay', 'synchronous_standby_names')

-- name: not_logged
-- what: dbdyno's tables that are not written to the log, and so not there after a crash
SELECT 'table ' || min(relname) || CASE count(*) WHEN 1 THEN ' is ' ELSE ' and ' || count(*) - 1 || ' more are ' END
  || min(CASE relpersistence WHEN 'u' THEN 'unlogged' ELSE 'temporary' END)
  || ': commits that change it do not wait for the log, and a crash empties it; ALTER TABLE ... SET LOGGED'
FROM pg_catalog.pg_class
WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'dbdyno')
  AND relkind IN ('r', 'p', 'm') AND relpersistence <> 'p'
HAVING count(*) > 0
