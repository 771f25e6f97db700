-- What the server says of its settings and limits: for a run's record and for `dbdyno check`. Nothing here changes anything.

-- name: settings
-- what: every setting as it is in force for this session; which of them are kept is in settings.toml
SELECT name, current_setting(name) FROM pg_catalog.pg_settings ORDER BY name

-- name: changed
-- what: settings that somebody has set to something other than the built-in default
SELECT name, current_setting(name) FROM pg_catalog.pg_settings
WHERE source NOT IN ('default', 'override', 'client', 'session') AND setting IS DISTINCT FROM boot_val ORDER BY name

-- name: session
-- what: the server process that answers now
SELECT pg_backend_pid()

-- name: held_grants
-- what: grants of the set-up that this role has; nearly all that pg_monitor is for, pg_read_all_stats gives, too
SELECT rolname FROM pg_catalog.pg_roles WHERE rolname IN ('pg_checkpoint', 'pg_monitor') AND pg_has_role(oid, 'USAGE')
UNION ALL
SELECT 'pg_monitor' FROM pg_catalog.pg_roles WHERE rolname = 'pg_read_all_stats' AND pg_has_role(oid, 'USAGE')
UNION ALL
SELECT 'pg_checkpoint' FROM pg_catalog.pg_roles WHERE rolname = current_user AND rolsuper

-- name: connections
-- what: the limit of connections in words, and how many are left to this role
SELECT 'max_connections ' || most || ', ' || reserved || ' of them reserved, ' || taken || ' taken'
    || coalesce(', CONNECTION LIMIT ' || role_limit || ' of the role', '')
    || coalesce(', CONNECTION LIMIT ' || database_limit || ' of the database', ''),
  least(most - reserved - taken, role_limit, database_limit)
FROM (
  SELECT current_setting('max_connections')::int AS most,
    CASE WHEN rolsuper THEN 0 ELSE (SELECT sum(setting::int) FROM pg_catalog.pg_settings
      WHERE name IN ('superuser_reserved_connections', 'reserved_connections')) END AS reserved,
    (SELECT count(*) FROM pg_catalog.pg_stat_activity
      WHERE datid IS NOT NULL AND coalesce(application_name, '') NOT LIKE 'dbdyno%') AS taken,
    nullif(rolconnlimit, -1) AS role_limit, nullif(datconnlimit, -1) AS database_limit
  FROM pg_catalog.pg_roles, pg_catalog.pg_database WHERE rolname = current_user AND datname = current_database()
) AS limits

-- name: cache
-- what: the cache, its bytes, and the setting that makes it larger
SELECT 'shared_buffers', pg_size_bytes(current_setting('shared_buffers')), 'shared_buffers'
