-- What other sessions are doing. Nothing here changes anything, but for the end of a session that is ours.

-- name: waits_for_us
-- what: whether a session of ours that gives no answer has nothing to do, or waits for dbdyno itself
SELECT state LIKE 'idle%' OR wait_event_type = 'Client' FROM pg_stat_activity
WHERE pid = {session} AND usename = SESSION_USER AND application_name LIKE 'dbdyno%';

-- name: holds_lock
-- what: whether a session has the lock that measuring, loading and dropping share
SELECT count(*) > 0 FROM pg_locks
WHERE locktype = 'advisory' AND classid = 1684169849 AND objid = 1 AND granted AND pid = {session};

-- name: is_ours
-- what: whether a session is this role's, and calls itself dbdyno's
SELECT 1 FROM pg_stat_activity WHERE pid = {session} AND usename = SESSION_USER AND application_name LIKE 'dbdyno%';

-- name: end
-- what: ends a session of a host that is lost
SELECT pg_terminate_backend({session});
