-- What the server says of itself: for a run's record and for `dbdyno check`. Nothing here changes anything. Each statement
-- gives rows of a name and a value, but for the grants, which are one text each.

-- name: variables
-- what: every parameter as it is in force for this session
SELECT name, value FROM v$parameter

-- name: changed
-- what: parameters that somebody has set to something other than the built-in default
SELECT name, value FROM v$parameter WHERE isdefault = 'FALSE' ORDER BY name

-- name: version
-- what: the release; the views that have all five of its numbers are younger than the oldest release that dbdyno knows
SELECT 'banner', banner FROM v$version
UNION ALL
SELECT product, version FROM product_component_version

-- name: database
-- what: what decides on durability and redo: archive log, forced logging, flashback, standby
SELECT 'log_mode', log_mode FROM v$database
UNION ALL SELECT 'force_logging', force_logging FROM v$database
UNION ALL SELECT 'flashback_on', flashback_on FROM v$database
UNION ALL SELECT 'database_role', database_role FROM v$database
UNION ALL SELECT 'protection_mode', protection_mode FROM v$database
UNION ALL SELECT 'open_mode', open_mode FROM v$database
UNION ALL SELECT 'platform_name', platform_name FROM v$database
UNION ALL SELECT 'cdb', cdb FROM v$database

-- name: instance
-- what: the instance, and how many of them there are
SELECT 'instance_name', instance_name FROM v$instance
UNION ALL SELECT 'host_name', host_name FROM v$instance
UNION ALL SELECT 'status', status FROM v$instance
UNION ALL SELECT 'parallel', parallel FROM v$instance
UNION ALL SELECT 'startup_time', TO_CHAR(startup_time, 'YYYY-MM-DD HH24:MI:SS') FROM v$instance

-- name: options
-- what: which options the software was installed with; whether they are licensed no server knows
SELECT parameter, value FROM v$option
WHERE parameter IN ('Advanced Compression', 'Partitioning', 'Real Application Clusters')

-- name: session
SELECT 'user', SYS_CONTEXT('USERENV', 'SESSION_USER') FROM dual
UNION ALL SELECT 'schema', SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA') FROM dual
UNION ALL SELECT 'service', SYS_CONTEXT('USERENV', 'SERVICE_NAME') FROM dual
UNION ALL SELECT 'container', SYS_CONTEXT('USERENV', 'CON_NAME') FROM dual
UNION ALL SELECT 'instance', SYS_CONTEXT('USERENV', 'INSTANCE') FROM dual

-- name: character_set
SELECT parameter, value FROM nls_database_parameters WHERE parameter IN ('NLS_CHARACTERSET', 'NLS_NCHAR_CHARACTERSET')

-- name: log_groups
-- what: how many groups of redo log files there are, and the bytes of the smallest
SELECT 'groups', TO_CHAR(COUNT(*)) FROM v$log
UNION ALL SELECT 'smallest_bytes', TO_CHAR(MIN(bytes)) FROM v$log

-- name: archive_destinations
-- what: destinations of redo that are in use; a synchronous one is part of each commit
SELECT dest_name, target || ' ' || transmit_mode || ' ' || affirm FROM v$archive_dest WHERE status = 'VALID'

-- name: sga
-- what: parts of the server's memory, in bytes
SELECT name, TO_CHAR(bytes) FROM v$sgainfo

-- name: grants
-- what: system privileges in force
SELECT privilege FROM session_privs ORDER BY privilege

-- name: company
-- what: sessions at work beside this one
SELECT 'active', TO_CHAR(COUNT(*)) FROM v$session
WHERE status = 'ACTIVE' AND type = 'USER' AND sid <> SYS_CONTEXT('USERENV', 'SID')
