-- What a live view asks an instance again and again, about everybody's work. Every statement reads views of the server's own
-- memory that belong to no pack (none of the active session history, nor of AWR), and none changes anything. What the
-- instance counts is asked for in statistics.sql. dbdyno's own sessions that look are told by the name of their module.

-- name: sessions
-- what: sessions of clients by state: on a call, inside a transaction, or neither; workers of parallel statements are none
SELECT 'session', state, COUNT(*) FROM (
  SELECT CASE WHEN s.status = 'ACTIVE' THEN 'active' WHEN s.taddr IS NOT NULL THEN 'idle in transaction' ELSE 'idle' END AS state
  FROM v$session s LEFT JOIN v$px_session p ON p.sid = s.sid AND p.qcsid <> p.sid
  WHERE s.type = 'USER' AND s.status IN ('ACTIVE', 'INACTIVE') AND p.sid IS NULL AND s.sid <> SYS_CONTEXT('USERENV', 'SID')
    AND (s.module IS NULL OR s.module NOT IN ('dbdyno', 'dbdyno run', 'dbdyno watch', 'dbdyno check', 'dbdyno monitor'))
) GROUP BY state

-- name: waits
-- what: what sessions at work, and processes of the server's own, wait for now, or that they are on a processor
-- why the state: the wait class of a session on a processor is that of its last wait
SELECT 'wait', class, event, own, COUNT(*) FROM (
  SELECT CASE s.state WHEN 'WAITING' THEN s.wait_class ELSE 'CPU' END AS class,
    CASE s.state WHEN 'WAITING' THEN s.event ELSE 'on processor' END AS event,
    CASE s.type WHEN 'USER' THEN 0 ELSE 1 END AS own
  FROM v$session s
  WHERE s.status = 'ACTIVE' AND NOT (s.state = 'WAITING' AND s.wait_class = 'Idle')
    AND s.sid <> SYS_CONTEXT('USERENV', 'SID') AND (s.type = 'USER' OR s.state = 'WAITING')
    AND (s.module IS NULL OR s.module NOT IN ('dbdyno', 'dbdyno run', 'dbdyno watch', 'dbdyno check', 'dbdyno monitor'))
) GROUP BY class, event, own

-- name: lag
-- what: on a standby, how far what it has applied is behind; other databases have no such row
SELECT value FROM v$dataguard_stats WHERE name = 'apply lag'

-- name: statements
-- what: the statements that took most time of those in the shared pool: number, executions, nanoseconds, and the beginning of
--   their text, of which the first word is used, as it has literals
SELECT sql_id, executions, elapsed_time * 1000, sql_text FROM (
  SELECT sql_id, executions, elapsed_time, SUBSTR(sql_text, 1, 500) AS sql_text FROM v$sqlstats ORDER BY elapsed_time DESC
) WHERE ROWNUM <= {statements}

-- name: at_work
-- what: sessions at work, that with the oldest call first: number, user, module, wait, seconds, number of the statement, and the
--   beginning of its text, of which the first word is used
SELECT sid, username, module, doing, last_call_et, sql_id, sql_text FROM (
  SELECT s.sid, s.username, s.module, CASE s.state WHEN 'WAITING' THEN s.wait_class || ' ' || s.event ELSE 'CPU' END AS doing,
    s.last_call_et, s.sql_id, SUBSTR(q.sql_text, 1, 500) AS sql_text
  FROM v$session s LEFT JOIN v$sqlstats q ON q.sql_id = s.sql_id
  WHERE s.type = 'USER' AND s.status = 'ACTIVE' AND s.sid <> SYS_CONTEXT('USERENV', 'SID')
    AND (s.module IS NULL OR s.module NOT IN ('dbdyno', 'dbdyno run', 'dbdyno watch', 'dbdyno check', 'dbdyno monitor'))
  ORDER BY s.last_call_et DESC
) WHERE ROWNUM <= {sessions}
