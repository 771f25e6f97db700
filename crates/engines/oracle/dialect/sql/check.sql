-- What `dbdyno check` and a run's record ask besides describe.sql: room, privileges, where files and processes are. Nothing
-- here changes anything. What a user may not read is told as such, and nothing stands or falls with it.

-- name: tablespace
-- what: how the user's tablespace is made
SELECT 'tablespace', tablespace_name FROM user_tablespaces
WHERE tablespace_name = (SELECT default_tablespace FROM user_users)
UNION ALL SELECT 'block_size', TO_CHAR(block_size) FROM user_tablespaces
WHERE tablespace_name = (SELECT default_tablespace FROM user_users)
UNION ALL SELECT 'logging', logging FROM user_tablespaces
WHERE tablespace_name = (SELECT default_tablespace FROM user_users)
UNION ALL SELECT 'force_logging', force_logging FROM user_tablespaces
WHERE tablespace_name = (SELECT default_tablespace FROM user_users)
UNION ALL SELECT 'bigfile', bigfile FROM user_tablespaces
WHERE tablespace_name = (SELECT default_tablespace FROM user_users)
UNION ALL SELECT 'encrypted', encrypted FROM user_tablespaces
WHERE tablespace_name = (SELECT default_tablespace FROM user_users)

-- name: growth
-- what: bytes by which the files of the user's tablespace may still grow
SELECT 'growth', TO_CHAR(SUM(CASE WHEN maxbytes > bytes THEN maxbytes - bytes ELSE 0 END)) FROM dba_data_files
WHERE tablespace_name = (SELECT default_tablespace FROM user_users) AND autoextensible = 'YES'

-- name: data_files
-- what: the files of the user's tablespace
SELECT 'file', file_name FROM dba_data_files WHERE tablespace_name = (SELECT default_tablespace FROM user_users)

-- name: disk_groups
-- what: ASM's disk groups, where the database uses them and the container may see them
SELECT name, type || ', ' || TO_CHAR(total_mb) || ' MiB, ' || TO_CHAR(free_mb) || ' MiB free' FROM v$asm_diskgroup_stat

-- name: process
-- what: the operating system's number of the process that works for this session
SELECT 'process', p.spid FROM v$process p JOIN v$session s ON s.paddr = p.addr WHERE s.sid = SYS_CONTEXT('USERENV', 'SID')

-- name: limits
-- what: how many processes and sessions there are, and how many there may be; no rows in a pluggable database
SELECT resource_name, TO_CHAR(current_utilization) || '/' || TRIM(limit_value) FROM v$resource_limit
WHERE resource_name IN ('parallel_max_servers', 'processes', 'sessions')

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
