-- Facts of the server, the instance and this session, for a run's record. Each statement gives rows of a name and a text; several
-- of one name stand one after the other. Nothing is changed. What a user may not read is told as such.

-- name: product
-- what: the release and its edition, in the product's own words: the first row, where older releases have five
SELECT 'build', banner FROM v$version WHERE ROWNUM = 1
UNION ALL SELECT 'edition', CASE WHEN LOWER(banner) LIKE '%enterprise edition%' THEN 'Enterprise Edition'
  WHEN LOWER(banner) LIKE '%standard edition 2%' THEN 'Standard Edition 2'
  WHEN LOWER(banner) LIKE '%standard edition%' THEN 'Standard Edition'
  WHEN LOWER(banner) LIKE '%express edition%' THEN 'Express Edition'
  WHEN LOWER(banner) LIKE '%free%' THEN 'Free'
  WHEN LOWER(banner) LIKE '%ee extreme perf%' THEN 'EE Extreme Perf'
  WHEN LOWER(banner) LIKE '%ee high perf%' THEN 'EE High Perf' END
FROM v$version WHERE ROWNUM = 1

-- name: instance
-- what: the instance, whether there are others, and how many nodes the target names
SELECT 'instance', instance_name || ' on ' || host_name FROM v$instance
UNION ALL SELECT 'cluster', CASE parallel WHEN 'YES' THEN 'Real Application Clusters, nodes named in the target: {nodes}'
  ELSE 'no cluster' END FROM v$instance

-- name: session
SELECT 'container', SYS_CONTEXT('USERENV', 'CON_NAME') FROM dual
UNION ALL SELECT 'service', SYS_CONTEXT('USERENV', 'SERVICE_NAME') FROM dual

-- name: database
-- what: role, archive log, forced logging, flashback
SELECT 'role', database_role || ', ' || open_mode FROM v$database
UNION ALL SELECT 'redo', LOWER(log_mode) || ', ' || CASE force_logging WHEN 'YES' THEN 'logging forced'
  WHEN 'NO' THEN 'logging not forced: a direct path may log nothing' ELSE 'logging ' || LOWER(force_logging) END
  || ', flashback ' || LOWER(flashback_on) || ', ' || LOWER(protection_mode) FROM v$database

-- name: log_groups
SELECT 'redo', TO_CHAR(COUNT(*)) || ' groups of ' || TO_CHAR(TRUNC(MIN(bytes) / 1048576)) || ' MiB' FROM v$log

-- name: archive_destinations
-- what: destinations that are not this server's own disks; a synchronous one is part of each commit
SELECT 'redo destinations', dest_name || ' ' || LOWER(target || ' ' || transmit_mode || ' ' || affirm) FROM v$archive_dest
WHERE status = 'VALID' AND target = 'STANDBY'

-- name: character_set
SELECT 'character set', value FROM nls_database_parameters WHERE parameter = 'NLS_CHARACTERSET'

-- name: tablespace
SELECT 'tablespace', tablespace_name || ', blocks of ' || TO_CHAR(block_size) || ' bytes, ' || LOWER(logging) || ', '
  || CASE encrypted WHEN 'YES' THEN 'encrypted' ELSE 'not encrypted' END FROM user_tablespaces
WHERE tablespace_name = (SELECT default_tablespace FROM user_users)

-- name: disk_groups
-- what: ASM's disk groups, where the database uses them and the container may see them
SELECT 'storage', 'ASM ' || name || ': ' || type || ', ' || TO_CHAR(total_mb) || ' MiB, ' || TO_CHAR(free_mb) || ' MiB free'
FROM v$asm_diskgroup_stat

-- name: options
-- what: which options the software was installed with; whether they are licensed no server knows
SELECT 'options installed', parameter || ' (installed is not licensed)' FROM v$option
WHERE parameter IN ('Advanced Compression', 'Partitioning', 'Real Application Clusters') AND value = 'TRUE'

-- name: management_pack
SELECT 'management pack', 'the server is set to ' || value || ', which proves no licence' FROM v$parameter
WHERE name = 'control_management_pack_access'
