-- Facts of the server and of this session, for a run's record. Each statement gives rows of a name and a text; nothing is
-- changed.

-- name: server
SELECT 'version', current_setting('server_version')
UNION ALL
SELECT 'build', version()
UNION ALL
SELECT 'licence', 'PostgreSQL licence; no licence to count'

-- name: session
SELECT 'database', current_database()::text
UNION ALL
SELECT 'user', current_user || CASE WHEN rolsuper THEN ' (superuser)' ELSE '' END FROM pg_roles WHERE rolname = current_user
UNION ALL
SELECT 'encoding', pg_encoding_to_char(encoding) || ', collation ' || datcollate FROM pg_database WHERE datname = current_database()
UNION ALL
SELECT 'connection', CASE WHEN ssl THEN version || ', ' || cipher ELSE 'not encrypted' END FROM pg_stat_ssl WHERE pid = pg_backend_pid()
UNION ALL
SELECT 'tablespace', spcname FROM pg_tablespace JOIN pg_database ON dattablespace = pg_tablespace.oid WHERE datname = current_database()
UNION ALL
SELECT 'extensions', coalesce(string_agg(extname || ' ' || extversion, ', ' ORDER BY extname), 'none') FROM pg_extension

-- name: replication
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
