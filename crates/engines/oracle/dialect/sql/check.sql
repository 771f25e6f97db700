-- What `dbdyno check` finds. Each statement gives rows of a level (ok, warning, blocker), a subject and a text, or none; nothing
-- is changed. Privileges, licences and room are judged in src/check.rs.

-- name: writable
-- what: whether the database takes writes
SELECT CASE WHEN database_role = 'PRIMARY' AND open_mode = 'READ WRITE' THEN 'ok' ELSE 'blocker' END, 'writable',
  CASE WHEN database_role = 'PRIMARY' AND open_mode = 'READ WRITE' THEN 'a primary that takes writes'
    ELSE 'the database is a ' || database_role || ', open ' || open_mode || ', and takes no writes; name the primary' END
FROM v$database

-- name: files
-- what: whether the server knows where the files of T211 go
SELECT 'warning', 'files', 'db_create_file_dest is not set, so the server does not know where T211''s files go, and T211 fails; '
  || 'an administrator runs: ALTER SYSTEM SET db_create_file_dest = ''...''' FROM v$parameter
WHERE name = 'db_create_file_dest' AND value IS NULL

-- name: redo_log
-- what: whether the groups of the redo log are large enough for a fast load
SELECT CASE WHEN MIN(bytes) < 1073741824 THEN 'warning' ELSE 'ok' END, 'redo log', TO_CHAR(COUNT(*)) || ' groups of '
  || CASE WHEN MIN(bytes) < 1073741824 THEN 'only ' END || TO_CHAR(TRUNC(MIN(bytes) / 1048576)) || ' MiB'
  || CASE WHEN MIN(bytes) < 1073741824 THEN ': loads and updates will wait for log switches and checkpoints, and measure that; '
    || 'an administrator adds larger ones (ALTER DATABASE ADD LOGFILE ... SIZE 4G)' ELSE ' of redo log' END
FROM v$log

-- name: archive_log
SELECT 'warning', 'durability', 'the database keeps no archive log, so bulk loads by direct path log nothing: their redo is not '
  || 'that of a production database' FROM v$database WHERE log_mode = 'NOARCHIVELOG'

-- name: redo_destinations
SELECT 'ok', 'durability', 'redo also goes to ' || dest_name || ' (' || LOWER(target || ' ' || transmit_mode || ' ' || affirm)
  || '), which is part of each commit where it is synchronous' FROM v$archive_dest WHERE status = 'VALID' AND target = 'STANDBY'

-- name: company
-- what: who else is at work now
SELECT 'warning', 'other load', TO_CHAR(sessions) || ' other sessions at work now: figures would be those of a shared machine'
FROM (SELECT COUNT(*) AS sessions FROM v$session
  WHERE status = 'ACTIVE' AND type = 'USER' AND NOT (state = 'WAITING' AND wait_class = 'Idle')
  AND sid <> SYS_CONTEXT('USERENV', 'SID')) busy
WHERE sessions > 0

-- name: refused_settings
-- what: whether a setting that the server refuses is told as such
SELECT 'warning', 'settings', 'ignore_session_set_param_errors is ' || value || ': the server says that it has made settings of a '
  || 'session which it refuses, and a plan may name one that is not in force' FROM v$parameter
WHERE name = 'ignore_session_set_param_errors' AND value IS NOT NULL
