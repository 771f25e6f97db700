-- Facts of the server and of this session, for a run's record. Each statement gives rows of a name and a text; a text that is not
-- there is left out, and nothing is changed. {about} is the schema that has variables and status as tables.

-- name: session
SELECT 'version', VERSION()
UNION ALL SELECT 'user', CURRENT_USER()
UNION ALL SELECT 'database', DATABASE()
UNION ALL SELECT 'character set', CONCAT(@@character_set_database, ', collation ', @@collation_database)

-- name: connection
SELECT 'connection', IF(MAX(IF(VARIABLE_NAME = 'Ssl_cipher', VARIABLE_VALUE, '')) = '', 'not encrypted',
  CONCAT(MAX(IF(VARIABLE_NAME = 'Ssl_version', VARIABLE_VALUE, '')), ', ',
    MAX(IF(VARIABLE_NAME = 'Ssl_cipher', VARIABLE_VALUE, ''))))
FROM {about}.session_status WHERE VARIABLE_NAME IN ('Ssl_cipher', 'Ssl_version')

-- name: server
SELECT 'build', CONCAT(@@version, ', ', @@version_comment, ' (', @@version_compile_os, ' ', @@version_compile_machine, ')')
UNION ALL SELECT 'licence', CONCAT(@@license, '; no licence to count')

-- name: storage
SELECT 'storage', CONCAT('InnoDB, pages of ', MAX(IF(VARIABLE_NAME = 'innodb_page_size', VARIABLE_VALUE, '')), ' bytes, ',
  IF(MAX(VARIABLE_NAME = 'innodb_file_per_table' AND VARIABLE_VALUE = 'OFF'), 'all tables in one file', 'a file for each table'),
  ', ', IF(MAX(VARIABLE_NAME = 'innodb_encrypt_tables' AND VARIABLE_VALUE NOT IN ('', 'OFF')), 'encrypted', 'not encrypted'))
FROM {about}.global_variables

-- name: role
-- what: one that follows nobody now and takes writes may once have done so; read_only may also be a word that says for whom
SELECT 'role in replication', CASE WHEN follows OR refuses AND followed THEN
    IF(refuses, 'replica, read-only', 'replica that takes writes')
  ELSE IF(refuses, 'read-only', 'primary') END
FROM (
  SELECT MAX(VARIABLE_NAME IN ('read_only', 'super_read_only', 'innodb_read_only')
      AND VARIABLE_VALUE NOT IN ('', 'OFF', '0')) AS refuses,
    MAX(VARIABLE_NAME = 'gtid_slave_pos' AND VARIABLE_VALUE <> '') AS followed,
    COALESCE((SELECT MAX(VARIABLE_VALUE NOT IN ('', 'OFF', '0')) FROM {about}.global_status
      WHERE VARIABLE_NAME IN ('Slaves_running', 'Slave_running')), 0) AS follows
  FROM {about}.global_variables
) AS said

-- name: binary_log
SELECT 'binary log', IF(MAX(VARIABLE_NAME = 'log_bin' AND VARIABLE_VALUE IN ('ON', '1')),
  CONCAT('on, format ', MAX(IF(VARIABLE_NAME = 'binlog_format', VARIABLE_VALUE, '')),
    ', row image ', MAX(IF(VARIABLE_NAME = 'binlog_row_image', VARIABLE_VALUE, ''))), 'off')
FROM {about}.global_variables

-- name: semi_synchronous
-- what: names with `source` are MySQL's
SELECT 'semi-synchronous replication', IF(MAX(VARIABLE_NAME IN ('rpl_semi_sync_master_enabled', 'rpl_semi_sync_source_enabled')
    AND VARIABLE_VALUE IN ('ON', '1')),
  CONCAT('on, ', MAX(IF(VARIABLE_NAME IN ('rpl_semi_sync_master_wait_point', 'rpl_semi_sync_source_wait_point'), VARIABLE_VALUE, '')),
    ', waits up to ', MAX(IF(VARIABLE_NAME IN ('rpl_semi_sync_master_timeout', 'rpl_semi_sync_source_timeout'), VARIABLE_VALUE, '')),
    ' ms for one of ', COALESCE((SELECT MAX(VARIABLE_VALUE) FROM {about}.global_status
      WHERE VARIABLE_NAME IN ('Rpl_semi_sync_master_clients', 'Rpl_semi_sync_source_clients')), '?'), ' replicas'), 'off')
FROM {about}.global_variables

-- name: galera
-- what: whether it takes part in a cluster that certifies each commit
SELECT 'Galera', CONCAT('on, a cluster of ', COALESCE((SELECT MAX(VARIABLE_VALUE) FROM {about}.global_status
    WHERE VARIABLE_NAME = 'wsrep_cluster_size'), 'an unknown number'), ' nodes: each commit is certified by all of them')
FROM {about}.global_variables
HAVING MAX(VARIABLE_NAME = 'wsrep_on' AND VARIABLE_VALUE IN ('ON', '1'))
  AND MAX(VARIABLE_NAME = 'wsrep_provider' AND VARIABLE_VALUE NOT IN ('', 'none'))
