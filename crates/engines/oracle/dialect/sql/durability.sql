-- What decides whether commits survive a crash, in rows of a name and a value. Nothing is changed. Which values are unsafe is in
-- settings.toml.

-- name: settings
SELECT name, value FROM v$parameter
WHERE name IN ('_disable_logging', 'commit_logging', 'commit_wait', 'commit_write', 'db_lost_write_protect')

-- name: database
SELECT 'force_logging', force_logging FROM v$database
UNION ALL SELECT 'log_mode', log_mode FROM v$database
UNION ALL SELECT 'protection_mode', protection_mode FROM v$database

-- name: archive_destinations
-- what: destinations that are not this server's own disks; a synchronous one is part of each commit
SELECT 'redo destinations', dest_name || ' ' || LOWER(target || ' ' || transmit_mode || ' ' || affirm) FROM v$archive_dest
WHERE status = 'VALID' AND target = 'STANDBY'
