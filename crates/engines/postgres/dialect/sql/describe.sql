-- What the server says of itself: for a run's record and for `dbdyno check`. Nothing here changes anything. Each statement
-- gives rows of a name and a value, as text.

-- name: version
SELECT 'version', current_setting('server_version')
UNION ALL
SELECT 'build', version();

-- name: parameters
-- what: parameters that always count, and those that somebody has set to something other than the built-in default
-- except: what only says where files lie or how dates look; commands and connection strings, which may hold secrets, are only said to be set
SELECT name,
       CASE WHEN name ~ '(_command|conninfo|_library|password|secret)$' THEN '(set)' ELSE current_setting(name) END
FROM pg_settings
WHERE (name IN ('autovacuum', 'block_size', 'checkpoint_completion_target', 'checkpoint_timeout', 'data_checksums',
                'effective_cache_size', 'effective_io_concurrency', 'fsync', 'full_page_writes', 'huge_pages',
                'huge_pages_status', 'io_method', 'io_workers', 'jit', 'maintenance_work_mem', 'max_connections',
                'max_parallel_maintenance_workers', 'max_parallel_workers', 'max_parallel_workers_per_gather',
                'max_wal_size', 'max_worker_processes', 'min_wal_size', 'shared_buffers', 'shared_preload_libraries',
                'synchronous_commit', 'temp_buffers', 'track_io_timing', 'wal_block_size', 'wal_buffers',
                'wal_compression', 'wal_init_zero', 'wal_level', 'wal_recycle', 'wal_segment_size', 'wal_sync_method',
                'work_mem')
       OR (source NOT IN ('default', 'override', 'client', 'session') AND setting IS DISTINCT FROM boot_val))
  AND name !~ '^(lc_|log_(file|dir|time)|unix_socket|ssl_.*_file|.*_file$)'
  AND name NOT IN ('DateStyle', 'IntervalStyle', 'TimeZone', 'application_name', 'client_encoding', 'data_directory',
                   'default_text_search_config', 'listen_addresses', 'log_directory', 'log_timezone', 'port')
ORDER BY name;

-- name: facts
SELECT 'database', current_database()::text
UNION ALL
SELECT 'user', current_user || CASE WHEN rolsuper THEN ' (superuser)' ELSE '' END FROM pg_roles WHERE rolname = current_user
UNION ALL
SELECT 'encoding', pg_encoding_to_char(encoding) || ', collation ' || datcollate FROM pg_database WHERE datname = current_database()
UNION ALL
SELECT 'connection', CASE WHEN ssl THEN version || ', ' || cipher ELSE 'not encrypted' END FROM pg_stat_ssl WHERE pid = pg_backend_pid()
UNION ALL
SELECT 'role in replication', CASE WHEN pg_is_in_recovery() THEN 'standby, read-only' ELSE 'primary' END
UNION ALL
SELECT 'standbys',
       CASE WHEN count(*) = 0 THEN 'none connected'
            ELSE count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) || ' synchronous, '
                 || count(*) FILTER (WHERE sync_state NOT IN ('sync', 'quorum')) || ' asynchronous'
                 || CASE WHEN count(sync_state) < count(*) THEN ', ' || count(*) - count(sync_state)
                         || ' of unknown kind (only pg_monitor sees it)' ELSE '' END
       END
FROM pg_stat_replication
UNION ALL
SELECT 'synchronous standbys', CASE current_setting('synchronous_standby_names') WHEN '' THEN 'none named'
                                    ELSE current_setting('synchronous_standby_names') END
UNION ALL
SELECT 'replication slots', count(*)::text FROM pg_replication_slots
UNION ALL
SELECT 'tablespace', spcname FROM pg_tablespace JOIN pg_database ON dattablespace = pg_tablespace.oid WHERE datname = current_database()
UNION ALL
SELECT 'extensions', coalesce(string_agg(extname || ' ' || extversion, ', ' ORDER BY extname), 'none') FROM pg_extension;

-- name: durability
-- what: what a new session of this user would have; reset_val, because this session may have set its own
SELECT name, reset_val
FROM pg_settings
WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit', 'wal_sync_method', 'commit_delay', 'synchronous_standby_names');

-- name: not_logged
-- what: dbdyno's tables that are not written to the log, and so not there after a crash
SELECT c.relname, CASE c.relpersistence WHEN 'u' THEN 'unlogged' ELSE 'temporary' END
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'dbdyno' AND c.relkind IN ('r', 'p', 'm') AND c.relpersistence <> 'p'
ORDER BY c.relname;

-- name: check
-- what: privileges, limits and settings that decide whether and how well this server can be measured
SELECT 'standby', pg_is_in_recovery()::text
UNION ALL
SELECT 'may_create', has_database_privilege(current_database(), 'CREATE')::text
UNION ALL
SELECT 'may_use_temporary', has_database_privilege(current_database(), 'TEMPORARY')::text
UNION ALL
SELECT 'schema_owner', pg_get_userbyid(nspowner)::text FROM pg_namespace WHERE nspname = 'dbdyno'
UNION ALL
SELECT 'schema_ours', pg_has_role(nspowner, 'USAGE')::text FROM pg_namespace WHERE nspname = 'dbdyno'
UNION ALL
SELECT 'superuser', rolsuper::text FROM pg_roles WHERE rolname = current_user
UNION ALL
SELECT 'role_limit', rolconnlimit::text FROM pg_roles WHERE rolname = current_user
UNION ALL
SELECT 'database_limit', datconnlimit::text FROM pg_database WHERE datname = current_database()
UNION ALL
SELECT rolname, pg_has_role(oid, 'USAGE')::text FROM pg_roles WHERE rolname IN ('pg_checkpoint', 'pg_monitor', 'pg_read_all_stats')
UNION ALL
SELECT 'buffercache_delivered', (count(*) > 0)::text FROM pg_available_extensions WHERE name = 'pg_buffercache'
UNION ALL
SELECT 'buffercache_schema', nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_buffercache'
UNION ALL
SELECT 'buffercache_usable', (has_schema_privilege(extnamespace, 'USAGE') AND has_function_privilege(p.oid, 'EXECUTE')
                              AND has_table_privilege(c.oid, 'SELECT'))::text
FROM pg_extension
JOIN pg_class c ON c.relnamespace = extnamespace AND c.relname = 'pg_buffercache'
JOIN pg_proc p ON p.pronamespace = extnamespace AND p.proname = CASE
  WHEN current_setting('server_version_num')::int >= 160000 THEN 'pg_buffercache_summary' ELSE 'pg_buffercache_pages' END
WHERE extname = 'pg_buffercache'
UNION ALL
SELECT 'connections', count(*)::text FROM pg_stat_activity WHERE datid IS NOT NULL AND coalesce(application_name, '') NOT LIKE 'dbdyno%'
UNION ALL
SELECT 'active_others', count(*)::text
FROM pg_stat_activity
WHERE state NOT IN ('idle', 'disabled') AND backend_type = 'client backend' AND pid <> pg_backend_pid()
  AND application_name NOT LIKE 'dbdyno%'
UNION ALL
SELECT 'vacuums', count(*)::text FROM pg_stat_activity WHERE backend_type = 'autovacuum worker'
UNION ALL
SELECT 'shared_buffers_bytes', pg_size_bytes(current_setting('shared_buffers'))::text
UNION ALL
SELECT name, reset_val
FROM pg_settings
WHERE name IN ('default_transaction_read_only', 'max_connections', 'superuser_reserved_connections', 'reserved_connections',
               'max_worker_processes', 'max_parallel_workers', 'statement_timeout', 'lock_timeout', 'transaction_timeout',
               'idle_in_transaction_session_timeout', 'track_counts', 'track_io_timing', 'temp_file_limit',
               'shared_buffers', 'log_statement', 'log_min_duration_statement');
