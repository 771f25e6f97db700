-- What `dbdyno check` finds. Each statement gives rows of a level (ok, warning, blocker), a subject and a text, or none; nothing
-- is changed. Settings are what a new session of this user would have (reset_val), because this session may have set its own.

-- name: writable
-- what: whether the server takes writes
SELECT CASE WHEN pg_is_in_recovery() OR reset_val = 'on' THEN 'blocker' ELSE 'ok' END, 'writable',
  CASE WHEN pg_is_in_recovery() THEN 'the server is a standby, which takes no writes; name the primary'
    WHEN reset_val = 'on' THEN 'transactions are read-only by default; ALTER ROLE ' || quote_ident(current_user)
      || ' SET default_transaction_read_only = off'
    ELSE 'a primary that takes writes' END
FROM pg_catalog.pg_settings WHERE name = 'default_transaction_read_only'

-- name: schema
-- what: whether dbdyno's schema is there for this role, or can be created
SELECT CASE WHEN pg_has_role(nspowner, 'USAGE') OR nspowner IS NULL AND may_create THEN 'ok' ELSE 'blocker' END, 'privileges',
  CASE WHEN nspowner IS NULL AND may_create THEN 'the schema dbdyno can be created in database ' || database
    WHEN nspowner IS NULL THEN role || ' may not create the schema dbdyno; an administrator runs, in database ' || database
      || ': CREATE SCHEMA dbdyno AUTHORIZATION ' || role || ', or GRANT CREATE ON DATABASE ' || database || ' TO ' || role
    WHEN pg_has_role(nspowner, 'USAGE') THEN 'the schema dbdyno is there, and ' || role || '''s to use'
    ELSE 'the schema dbdyno belongs to ' || pg_get_userbyid(nspowner) || '; if it is dbdyno''s, ALTER SCHEMA dbdyno OWNER TO '
      || role || ', or connect as ' || pg_get_userbyid(nspowner) || '; if it is not, name another database' END
FROM (SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
    has_database_privilege(current_database(), 'CREATE') AS may_create) AS here
LEFT JOIN pg_catalog.pg_namespace ON nspname = 'dbdyno'

-- name: counts
-- what: whether the server counts rows, without which no work can be proved
SELECT 'blocker', 'statistics', 'track_counts is off: the server counts no rows, so that no work can be proved; ALTER SYSTEM SET '
  || 'track_counts = on, or for a superuser ALTER ROLE ' || quote_ident(current_user) || ' SET track_counts = on'
FROM pg_catalog.pg_settings WHERE name = 'track_counts' AND reset_val = 'off'

-- name: waiting_blocks
-- what: whether blocks that wait to be written can be counted, without which the proof of random writes is missing
SELECT CASE WHEN usable THEN 'ok' ELSE 'warning' END, 'statistics',
  CASE WHEN usable THEN 'blocks that wait to be written can be counted (pg_buffercache)'
    ELSE 'blocks that wait to be written cannot be counted, so T721 (random writes) has no proof and is flagged writes_deferred; '
      || CASE WHEN delivered THEN '' ELSE 'install the server''s contrib modules (package postgresql-contrib), and ' END
      || 'an administrator runs, in database ' || database || ': '
      || CASE WHEN schema IS NULL THEN 'CREATE EXTENSION pg_buffercache' || CASE WHEN monitors THEN ''
           ELSE '; GRANT pg_monitor TO ' || role END
         WHEN usable IS NULL THEN 'ALTER EXTENSION pg_buffercache UPDATE'
         ELSE 'GRANT pg_monitor TO ' || role || '; GRANT USAGE ON SCHEMA ' || schema || ' TO ' || role END END
FROM (
  SELECT quote_ident(current_user) AS role, quote_ident(current_database()) AS database,
    (SELECT count(*) > 0 FROM pg_catalog.pg_available_extensions WHERE name = 'pg_buffercache') AS delivered,
    pg_has_role('pg_monitor', 'USAGE') AS monitors,
    (SELECT quote_ident(nspname) FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
      WHERE extname = 'pg_buffercache') AS schema,
    (SELECT has_schema_privilege(extnamespace, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')
        AND has_table_privilege(c.oid, 'SELECT')
      FROM pg_catalog.pg_extension
      JOIN pg_catalog.pg_class c ON c.relnamespace = extnamespace AND c.relname = 'pg_buffercache'
      JOIN pg_catalog.pg_proc p ON p.pronamespace = extnamespace AND p.proname = CASE
        WHEN current_setting('server_version_num')::int >= 160000 THEN 'pg_buffercache_summary' ELSE 'pg_buffercache_pages' END
      WHERE extname = 'pg_buffercache') AS usable
) AS found

-- name: workers
-- what: whether parallel statements can have a worker for each hardware thread of dbdyno's machine
SELECT 'warning', 'workers', 'parallel statements get at most ' || least(processes, parallel)
  || ' workers (max_worker_processes ' || processes || ', max_parallel_workers ' || parallel || '), fewer than the {threads} '
  || 'hardware threads of this machine; raise max_worker_processes and restart the server'
FROM (SELECT current_setting('max_worker_processes')::int AS processes, (SELECT reset_val FROM pg_catalog.pg_settings
  WHERE name = 'max_parallel_workers')::int AS parallel) AS limits
WHERE least(processes, parallel) < {threads}

-- name: timeouts
-- what: limits of time that could end a test
SELECT 'warning', 'limits', name || ' is ' || reset_val || ' ms, which can end a load or a test; ALTER ROLE '
  || quote_ident(current_user) || ' SET ' || name || ' = 0'
FROM pg_catalog.pg_settings
WHERE name IN ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout')
  AND reset_val ~ '^[1-9]'

-- name: temporary_files
-- what: a limit of files that could end a test
SELECT 'warning', 'limits', 'temp_file_limit is ' || reset_val || ' kB, which can end sorts and index builds; an administrator '
  || 'runs: ALTER ROLE ' || quote_ident(current_user) || ' SET temp_file_limit = -1'
FROM pg_catalog.pg_settings WHERE name = 'temp_file_limit' AND reset_val <> '-1'

-- name: logged_statements
-- what: whether every statement is written to the server's log
SELECT 'warning', 'limits', name || ' writes every statement to the server''s log, which costs time in every test'
FROM pg_catalog.pg_settings
WHERE name = 'log_statement' AND reset_val = 'all' OR name = 'log_min_duration_statement' AND reset_val = '0'

-- name: company
-- what: who else is at work now, as far as this user may see
SELECT 'warning', 'other load', concat_ws(' and ', nullif(sessions, 0) || ' other sessions', nullif(vacuums, 0)
  || ' automatic vacuums') || ' at work now: figures would be those of a shared machine'
FROM (
  SELECT count(*) FILTER (WHERE state NOT IN ('idle', 'disabled') AND backend_type = 'client backend'
      AND pid <> pg_backend_pid() AND application_name NOT LIKE 'dbdyno%') AS sessions,
    count(*) FILTER (WHERE backend_type = 'autovacuum worker') AS vacuums
  FROM pg_catalog.pg_stat_activity
) AS others WHERE sessions + vacuums > 0

-- name: read_times
-- what: where the devices are not seen from here, times of reads are what tells a device from memory
SELECT 'warning', 'read times', 'track_io_timing is off, and the server''s devices are not seen from here: nothing shows whether '
  || 'tests from storage read a device, so their figures are not proved; ALTER SYSTEM SET track_io_timing = on'
FROM pg_catalog.pg_settings WHERE name = 'track_io_timing' AND reset_val = 'off' AND {is_local} = 0
