-- The server's cumulative statistics, for a point and for everybody. Each statement reads and changes nothing; all are cheap
-- enough to run at the edges of every window, and once a second. Notes `from` and `until` are the first and last major
-- version that a statement is for. Rows are name, value; names are those of the counters.

-- name: database
-- what: transactions and block reads of this database (pg_stat_database; a row of its own for each database)
SELECT 'xact_commit', xact_commit FROM pg_catalog.pg_stat_database WHERE datname = current_database()
UNION ALL SELECT 'blks_hit', blks_hit FROM pg_catalog.pg_stat_database WHERE datname = current_database()
UNION ALL SELECT 'blks_read', blks_read FROM pg_catalog.pg_stat_database WHERE datname = current_database()

-- name: transactions
-- what: transactions rolled back in this database, and rows changed there, whosever
SELECT 'xact_rollback', xact_rollback FROM pg_catalog.pg_stat_database WHERE datname = current_database()
UNION ALL SELECT 'rows_changed', tup_inserted + tup_updated + tup_deleted FROM pg_catalog.pg_stat_database
  WHERE datname = current_database()

-- name: wal_position
-- what: bytes of WAL ever made: where the next record will be inserted; 0 on a standby, which makes none
SELECT 'wal_bytes', CASE WHEN pg_is_in_recovery() THEN 0 ELSE (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint END

-- name: rows_changed
-- what: rows inserted, updated and deleted in dbdyno's own tables, those of this moment included
SELECT 'rows_changed', coalesce(sum(pg_stat_get_tuples_inserted(oid) + pg_stat_get_tuples_updated(oid)
  + pg_stat_get_tuples_deleted(oid)), 0)::bigint
FROM pg_catalog.pg_class WHERE relnamespace = 'dbdyno'::regnamespace AND relkind = 'r'

-- name: rows_of
-- what: the same of a few tables
SELECT 'rows_changed', coalesce(sum(pg_stat_get_tuples_inserted(oid) + pg_stat_get_tuples_updated(oid)
  + pg_stat_get_tuples_deleted(oid)), 0)::bigint
FROM pg_catalog.pg_class WHERE relnamespace = 'dbdyno'::regnamespace AND relkind = 'r' AND relname IN ({tables})

-- name: table_reads
-- what: blocks of dbdyno's own tables and indexes asked of shared buffers, and those not found there
SELECT 'table_fetched', coalesce(sum(pg_stat_get_blocks_fetched(oid)), 0)::bigint
FROM pg_catalog.pg_class WHERE relnamespace = 'dbdyno'::regnamespace AND relkind IN ('r', 'i')
UNION ALL SELECT 'table_hit', coalesce(sum(pg_stat_get_blocks_hit(oid)), 0)::bigint
FROM pg_catalog.pg_class WHERE relnamespace = 'dbdyno'::regnamespace AND relkind IN ('r', 'i')

-- name: reads_13
-- what: how long reads of blocks took, where track_io_timing is on; for this database (one call reads one block)
-- until: 17
SELECT 'file_reads', blks_read FROM pg_catalog.pg_stat_database
  WHERE datname = current_database() AND current_setting('track_io_timing') = 'on'
UNION ALL SELECT 'file_read_us', (blk_read_time * 1000)::bigint FROM pg_catalog.pg_stat_database
  WHERE datname = current_database() AND current_setting('track_io_timing') = 'on'

-- name: reads_18
-- what: the same by calls, which may read several blocks, of the whole server's sessions
-- from: 18
SELECT 'file_reads', coalesce(sum(reads), 0)::bigint FROM pg_catalog.pg_stat_io
  WHERE object = 'relation' AND backend_type = 'client backend' HAVING current_setting('track_io_timing') = 'on'
UNION ALL SELECT 'file_read_us', (coalesce(sum(read_time), 0) * 1000)::bigint FROM pg_catalog.pg_stat_io
  WHERE object = 'relation' AND backend_type = 'client backend' HAVING current_setting('track_io_timing') = 'on'

-- name: wal_14
-- what: writes and syncs of the log, and their time where track_wal_io_timing is on
-- why writes as syncs: where wal_sync_method is open_*, writing is syncing, and the server counts no sync
-- from: 14
-- until: 17
SELECT 'wal_writes', wal_write FROM pg_catalog.pg_stat_wal
UNION ALL SELECT 'wal_syncs', CASE WHEN current_setting('wal_sync_method') LIKE 'open%' THEN wal_write ELSE wal_sync END
  FROM pg_catalog.pg_stat_wal
UNION ALL SELECT 'wal_write_us', (wal_write_time * 1000)::bigint FROM pg_catalog.pg_stat_wal
  WHERE current_setting('track_wal_io_timing') = 'on'
UNION ALL SELECT 'wal_sync_us', (CASE WHEN current_setting('wal_sync_method') LIKE 'open%' THEN wal_write_time
  ELSE wal_sync_time END * 1000)::bigint FROM pg_catalog.pg_stat_wal WHERE current_setting('track_wal_io_timing') = 'on'
UNION ALL SELECT 'wal_images', wal_fpi FROM pg_catalog.pg_stat_wal

-- name: wal_18
-- what: the same, which moved to pg_stat_io; the making of new segments has a context of its own there
-- from: 18
SELECT 'wal_writes', sum(writes)::bigint FROM pg_catalog.pg_stat_io WHERE object = 'wal' AND context = 'normal'
UNION ALL SELECT 'wal_syncs', sum(CASE WHEN current_setting('wal_sync_method') LIKE 'open%' THEN writes ELSE fsyncs END)::bigint
  FROM pg_catalog.pg_stat_io WHERE object = 'wal' AND context = 'normal'
UNION ALL SELECT 'wal_write_us', (sum(write_time) * 1000)::bigint FROM pg_catalog.pg_stat_io
  WHERE object = 'wal' AND context = 'normal' HAVING current_setting('track_wal_io_timing') = 'on'
UNION ALL SELECT 'wal_sync_us', (sum(CASE WHEN current_setting('wal_sync_method') LIKE 'open%' THEN write_time
  ELSE fsync_time END) * 1000)::bigint FROM pg_catalog.pg_stat_io
  WHERE object = 'wal' AND context = 'normal' HAVING current_setting('track_wal_io_timing') = 'on'
UNION ALL SELECT 'wal_images', wal_fpi FROM pg_catalog.pg_stat_wal

-- name: writes_13
-- what: blocks written to data files by checkpoints, the background writer and sessions; checkpoints
-- from: 13
-- until: 15
SELECT 'blocks_written', buffers_checkpoint + buffers_clean + buffers_backend FROM pg_catalog.pg_stat_bgwriter
UNION ALL SELECT 'checkpoints', checkpoints_timed + checkpoints_req FROM pg_catalog.pg_stat_bgwriter

-- name: writes_16
-- what: blocks written to data files by anybody (extending a file is writing too), from pg_stat_io; checkpoints
-- from: 16
-- until: 16
SELECT 'blocks_written', (sum((coalesce(writes, 0) + coalesce(extends, 0)) * op_bytes)
  / current_setting('block_size')::bigint)::bigint FROM pg_catalog.pg_stat_io WHERE object = 'relation'
UNION ALL SELECT 'checkpoints', checkpoints_timed + checkpoints_req FROM pg_catalog.pg_stat_bgwriter
UNION ALL SELECT 'file_writes', sum(writes)::bigint FROM pg_catalog.pg_stat_io
  WHERE object = 'relation' HAVING current_setting('track_io_timing') = 'on'
UNION ALL SELECT 'file_write_us', (sum(write_time) * 1000)::bigint FROM pg_catalog.pg_stat_io
  WHERE object = 'relation' HAVING current_setting('track_io_timing') = 'on'

-- name: writes_17
-- what: the same; checkpoints have a view of their own
-- from: 17
-- until: 17
SELECT 'blocks_written', (sum((coalesce(writes, 0) + coalesce(extends, 0)) * op_bytes)
  / current_setting('block_size')::bigint)::bigint FROM pg_catalog.pg_stat_io WHERE object = 'relation'
UNION ALL SELECT 'checkpoints', num_timed + num_requested FROM pg_catalog.pg_stat_checkpointer
UNION ALL SELECT 'file_writes', sum(writes)::bigint FROM pg_catalog.pg_stat_io
  WHERE object = 'relation' HAVING current_setting('track_io_timing') = 'on'
UNION ALL SELECT 'file_write_us', (sum(write_time) * 1000)::bigint FROM pg_catalog.pg_stat_io
  WHERE object = 'relation' HAVING current_setting('track_io_timing') = 'on'

-- name: writes_18
-- what: the same; an operation may be of several blocks
-- from: 18
SELECT 'blocks_written', (sum(coalesce(write_bytes, 0) + coalesce(extend_bytes, 0))
  / current_setting('block_size')::bigint)::bigint FROM pg_catalog.pg_stat_io WHERE object = 'relation'
UNION ALL SELECT 'checkpoints', num_timed + num_requested FROM pg_catalog.pg_stat_checkpointer
UNION ALL SELECT 'file_writes', sum(writes)::bigint FROM pg_catalog.pg_stat_io
  WHERE object = 'relation' HAVING current_setting('track_io_timing') = 'on'
UNION ALL SELECT 'file_write_us', (sum(write_time) * 1000)::bigint FROM pg_catalog.pg_stat_io
  WHERE object = 'relation' HAVING current_setting('track_io_timing') = 'on'

-- name: buffercache_schema
-- what: where the extension pg_buffercache is, if it is
SELECT quote_ident(n.nspname) FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'pg_buffercache'

-- name: dirty_13
-- what: changed blocks that wait in shared buffers, counted buffer by buffer; needs the extension pg_buffercache
-- until: 15
SELECT 'blocks_dirty', count(*) FROM {schema}.pg_buffercache WHERE isdirty

-- name: dirty_16
-- what: the same from the extension's summary
-- from: 16
SELECT 'blocks_dirty', buffers_dirty::bigint FROM {schema}.pg_buffercache_summary()

-- name: activity
-- what: who is at work now and what for; sessions of other users show their state to members of pg_read_all_stats only
-- why no view: pg_stat_activity is this function and two joins, which cost three times as much at each look
-- columns: the session, or that for which a parallel worker works; the class and the name of what it waits for; whether it is a
-- process of the server's own, whose class is Activity while it has nothing to do. What autovacuum does is others' work, and
-- what serves standbys, replicas and extensions is not looked at.
SELECT coalesce(leader_pid, pid), coalesce(wait_event_type, 'CPU'), CASE WHEN wait_event_type IS NULL THEN 'running' ELSE wait_event END,
  (backend_type IN ('checkpointer', 'background writer', 'walwriter', 'archiver', 'io worker'))::int
FROM pg_catalog.pg_stat_get_activity(NULL)
WHERE pid <> pg_backend_pid() AND CASE WHEN backend_type IN ('client backend', 'parallel worker') THEN state = 'active'
  WHEN backend_type = 'autovacuum worker' THEN true
  WHEN backend_type IN ('checkpointer', 'background writer', 'walwriter', 'archiver', 'io worker')
    THEN wait_event_type IS DISTINCT FROM 'Activity' END

-- name: may_see_activity
-- what: whether this role sees what other users' sessions do
SELECT pg_has_role('pg_read_all_stats', 'MEMBER')::int

-- name: flush
-- what: from 15 on, makes this session's statistics visible when this statement's transaction ends
-- why a table: a session that has scanned none since the last time does not flush its count of transactions either
-- from: 15
SELECT pg_stat_force_next_flush() FROM pg_catalog.pg_database WHERE datname = current_database()

-- name: flush_old
-- what: before 15 a session sends its statistics when it becomes idle, at most every 500 ms
-- until: 14
SELECT 1

-- name: files
-- what: the files of a table's leaves and their indexes, relative to the data folder
SELECT pg_relation_filepath(r.oid) FROM pg_catalog.pg_class r LEFT JOIN pg_catalog.pg_index x ON x.indexrelid = r.oid
WHERE r.relnamespace = 'dbdyno'::regnamespace AND r.relkind IN ('r', 'i') AND coalesce(x.indrelid, r.oid) IN (
  SELECT c.oid FROM pg_catalog.pg_class c WHERE c.relnamespace = 'dbdyno'::regnamespace AND c.relkind = 'r'
    AND (c.relname = '{table}' OR c.oid IN (SELECT relid FROM pg_partition_tree('dbdyno.{table}') WHERE isleaf)))

-- name: all_files
-- what: the files of all tables and indexes, relative to the data folder
SELECT pg_relation_filepath(oid) FROM pg_catalog.pg_class
WHERE relnamespace = 'dbdyno'::regnamespace AND relkind IN ('r', 'i')

-- name: tablespaces
-- what: where dbdyno's relations lie, and where this database puts what is made, as folders of the data folder; the server's own are left out
SELECT DISTINCT 'pg_tblspc/' || space FROM (
  SELECT reltablespace AS space FROM pg_catalog.pg_class
  WHERE relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = 'dbdyno')
  UNION ALL SELECT dattablespace FROM pg_catalog.pg_database WHERE datname = current_database()
  UNION ALL SELECT oid FROM pg_catalog.pg_tablespace WHERE spcname = current_setting('default_tablespace')
) AS spaces WHERE space NOT IN (0, 1663, 1664)

-- name: workers_at_work
-- what: parallel workers that have not ended yet; their statistics become visible when they do, after their leader has gone on
SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE backend_type = 'parallel worker' AND datname = current_database()

-- name: position
-- what: how far the log has been written; none on a standby
SELECT CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_insert_lsn() END

-- name: replayed
-- what: whether a standby has come to a position of the log; none where this is no standby
SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() >= '{position}'::pg_lsn END

-- name: lock
-- what: the lock that loading and dropping take too, the session's own; as often as it is asked for
SELECT pg_try_advisory_lock(1684169849, 1)

-- name: unlock
-- what: lets it go, however often it was taken
SELECT pg_advisory_unlock_all()
