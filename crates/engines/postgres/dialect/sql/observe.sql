-- What a live view asks a server again and again, about everybody's work in all its databases. Every statement reads, and
-- touches no table of anybody's: cumulative statistics, who is at work, how far standbys are, and, where the extension
-- pg_stat_statements is installed, statements as it has normalised them. What is about the server as a whole anyway is in
-- counters.sql. Notes `from` and `until` are the first and last major version that a statement is for.

-- name: session
-- what: a session that looks can change nothing, and waits for nobody for long
SET default_transaction_read_only = on; SET statement_timeout = '2s'; SET lock_timeout = '500ms';

-- name: database
-- what: transactions, block reads and changed rows of all databases
SELECT name, value FROM (
  SELECT sum(xact_commit)::bigint AS xact_commit, sum(xact_rollback)::bigint AS xact_rollback, sum(blks_hit)::bigint AS blks_hit,
    sum(blks_read)::bigint AS blks_read, sum(tup_inserted + tup_updated + tup_deleted)::bigint AS rows_changed
  FROM pg_catalog.pg_stat_database) AS d
CROSS JOIN LATERAL (VALUES ('xact_commit', xact_commit), ('xact_rollback', xact_rollback), ('blks_hit', blks_hit),
  ('blks_read', blks_read), ('rows_changed', rows_changed)) AS each (name, value)

-- name: reads_13
-- what: how long reads of blocks took in all databases, where track_io_timing is on (one call reads one block)
-- until: 17
SELECT 'file_reads', sum(blks_read)::bigint FROM pg_catalog.pg_stat_database HAVING current_setting('track_io_timing') = 'on'
UNION ALL SELECT 'file_read_us', (sum(blk_read_time) * 1000)::bigint FROM pg_catalog.pg_stat_database
  HAVING current_setting('track_io_timing') = 'on'

-- name: activity
-- what: sessions of clients by state, and what is at work now, by what it waits for; without dbdyno's sessions that look
-- why no view: pg_stat_activity is this function and two joins
-- columns: session, state, sessions; or wait, class, event, whether of the server's own, processes. A process of the
-- server's own has the class Activity while it has nothing to do.
WITH seen AS MATERIALIZED (
  SELECT backend_type, state, wait_event_type, wait_event FROM pg_catalog.pg_stat_get_activity(NULL)
  WHERE pid <> pg_backend_pid()
    AND application_name NOT IN ('dbdyno', 'dbdyno run', 'dbdyno watch', 'dbdyno check', 'dbdyno monitor'))
SELECT 'session', CASE WHEN state = 'fastpath function call' THEN 'active' WHEN state LIKE 'idle in transaction%'
  THEN 'idle in transaction' ELSE state END AS of, count(*)::text, NULL, NULL
FROM seen WHERE backend_type = 'client backend' GROUP BY of
UNION ALL
SELECT 'wait', coalesce(wait_event_type, 'CPU') AS of, coalesce(wait_event, 'running') AS event,
  (backend_type NOT IN ('client backend', 'parallel worker'))::int::text AS background, count(*)::text
FROM seen
WHERE CASE WHEN backend_type IN ('client backend', 'parallel worker') THEN state IN ('active', 'fastpath function call')
  WHEN backend_type = 'autovacuum worker' THEN true
  WHEN backend_type IN ('checkpointer', 'background writer', 'walwriter', 'archiver', 'io worker')
    THEN wait_event_type IS DISTINCT FROM 'Activity' END
GROUP BY of, event, background

-- name: about
-- what: whether this role sees what others do, whether the server tells of that, and where pg_stat_statements is
SELECT 'sees', pg_has_role('pg_read_all_stats', 'MEMBER')::int::text
UNION ALL SELECT 'tracks', current_setting('track_activities')
UNION ALL SELECT 'statements', quote_ident(n.nspname) FROM pg_catalog.pg_extension e
  JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'pg_stat_statements'

-- name: lag
-- what: whether this is a standby and how many seconds it is behind; standbys that it sends its log to, those of them that
--   this role may see, and seconds that the last of these is behind
-- why 0: a standby that has replayed everything tells no lag after a while, and one whose primary rests has nothing to replay
SELECT 'lag', pg_is_in_recovery()::int::text,
  CASE WHEN pg_is_in_recovery() THEN CASE WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
      AND EXISTS (SELECT FROM pg_catalog.pg_stat_get_wal_receiver() AS r WHERE r.pid IS NOT NULL) THEN '0'
    ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::text END END,
  count(*)::text, count(state)::text,
  max(CASE WHEN replay_lag IS NOT NULL THEN extract(epoch FROM replay_lag)
    WHEN replay_lsn >= CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_flush_lsn() END
      THEN 0 END)::text
FROM pg_catalog.pg_stat_get_wal_senders() WHERE state IS NULL OR state IN ('streaming', 'catchup')

-- name: executions
-- what: statements that were executed, whosever, as far as the extension has not forgotten them; without their texts
SELECT 'executions', coalesce(sum(calls), 0)::bigint FROM {schema}.pg_stat_statements(false)

-- name: statements
-- what: the statements that took most time since the extension began: number, calls, nanoseconds, normalised text
SELECT queryid, sum(calls)::bigint, (sum(total_exec_time) * 1000000)::bigint AS ns, left(min(query), 2000)
FROM {schema}.pg_stat_statements WHERE queryid IS NOT NULL GROUP BY queryid ORDER BY ns DESC LIMIT {statements}

-- name: at_work_13
-- what: sessions at work, that with the oldest statement first: process, user, application, wait, seconds, no number of the
--   statement, and the beginning of its text, of which the first word is used
-- until: 13
SELECT pid, usename, application_name, coalesce(wait_event_type || ' ' || wait_event, 'CPU running'),
  extract(epoch FROM clock_timestamp() - query_start), NULL, left(query, 500)
FROM pg_catalog.pg_stat_activity
WHERE backend_type = 'client backend' AND state IN ('active', 'fastpath function call') AND pid <> pg_backend_pid()
  AND application_name NOT IN ('dbdyno', 'dbdyno run', 'dbdyno watch', 'dbdyno check', 'dbdyno monitor')
ORDER BY query_start LIMIT {sessions}

-- name: at_work_14
-- what: the same, with the number of the statement where the server computes it
-- from: 14
SELECT pid, usename, application_name, coalesce(wait_event_type || ' ' || wait_event, 'CPU running'),
  extract(epoch FROM clock_timestamp() - query_start), query_id, left(query, 500)
FROM pg_catalog.pg_stat_activity
WHERE backend_type = 'client backend' AND state IN ('active', 'fastpath function call') AND pid <> pg_backend_pid()
  AND application_name NOT IN ('dbdyno', 'dbdyno run', 'dbdyno watch', 'dbdyno check', 'dbdyno monitor')
ORDER BY query_start LIMIT {sessions}
