-- What the server says of its parameters, limits and places: for a run's record and for `dbdyno check`. Nothing here changes
-- anything. What a user may not read is told as such, and nothing stands or falls with it.

-- name: settings
-- what: every parameter as it is in force for this session
SELECT name, value FROM v$parameter

-- name: changed
-- what: parameters that somebody has set to something other than the built-in default
SELECT name, value FROM v$parameter WHERE isdefault = 'FALSE' ORDER BY name

-- name: options
-- what: which options the software was installed with; whether they are licensed no server knows
SELECT parameter, value FROM v$option
WHERE parameter IN ('Advanced Compression', 'Partitioning', 'Real Application Clusters')

-- name: schema
-- what: the user and the schema that this session works in
SELECT 'user', SYS_CONTEXT('USERENV', 'SESSION_USER') FROM dual
UNION ALL SELECT 'schema', SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA') FROM dual

-- name: grants
-- what: system privileges in force
SELECT privilege FROM session_privs ORDER BY privilege

-- name: own_privileges
-- what: what was granted to the user itself; a package has that alone, and nothing that comes by a role
SELECT privilege, 'direct' FROM user_sys_privs

-- name: may_read
-- what: whether a view may be read
SELECT 1 FROM {view} WHERE ROWNUM < 1

-- name: may_lock
-- what: whether the package of locks may be run; :1 becomes the number of its exclusive mode
BEGIN
  :1 := DBMS_LOCK.X_MODE;
END;

-- name: host
-- what: the machine that the instance is on
SELECT 'host_name', host_name FROM v$instance

-- name: process
-- what: the operating system's number of the process that works for this session
SELECT 'process', p.spid FROM v$process p JOIN v$session s ON s.paddr = p.addr WHERE s.sid = SYS_CONTEXT('USERENV', 'SID')

-- name: block_size
-- what: bytes of a block of the user's tablespace
SELECT 'block_size', TO_CHAR(block_size) FROM user_tablespaces
WHERE tablespace_name = (SELECT default_tablespace FROM user_users)

-- name: data_files
-- what: the files of the user's tablespace
SELECT 'file', file_name FROM dba_data_files WHERE tablespace_name = (SELECT default_tablespace FROM user_users)

-- name: growth
-- what: bytes by which the files of the user's tablespace may still grow
SELECT 'growth', TO_CHAR(SUM(CASE WHEN maxbytes > bytes THEN maxbytes - bytes ELSE 0 END)) FROM dba_data_files
WHERE tablespace_name = (SELECT default_tablespace FROM user_users) AND autoextensible = 'YES'

-- name: connections
-- what: limits in words, and how many are left of each; no rows in a pluggable database
SELECT resource_name || ' ' || TO_CHAR(current_utilization) || ' of ' || TRIM(limit_value),
  CASE WHEN TRIM(limit_value) <> 'UNLIMITED' THEN TRIM(limit_value) - current_utilization END
FROM v$resource_limit WHERE resource_name IN ('processes', 'sessions') ORDER BY resource_name

-- name: cache
-- what: the cache, its bytes, and the parameter that makes it larger
SELECT 'the buffer cache', TO_CHAR(bytes), 'sga_target' FROM v$sgainfo WHERE name = 'Buffer Cache Size'

-- name: keep_pool
-- what: bytes of the part of the buffer cache for tables that are to stay, which small tables ask for; 0 where there is none
SELECT 'keep_pool', value FROM v$parameter WHERE name = 'db_keep_cache_size'
