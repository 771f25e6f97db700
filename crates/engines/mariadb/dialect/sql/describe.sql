-- What the server says of itself: for a run's record and for `dbdyno check`. Nothing here changes anything. Each statement
-- gives rows of a name and a value, but for the grants, which are one text each.

-- name: variables
SHOW GLOBAL VARIABLES

-- name: status
SHOW GLOBAL STATUS WHERE Variable_name IN (
    'Rpl_semi_sync_master_clients', 'Rpl_semi_sync_master_status', 'Rpl_semi_sync_source_clients',
    'Rpl_semi_sync_source_status', 'Slaves_running', 'Slave_running', 'Threads_connected', 'Uptime', 'wsrep_cluster_size',
    'wsrep_cluster_status')

-- name: own
-- what: what this session has of what differs from account to account and from database to database
SHOW SESSION VARIABLES WHERE Variable_name IN (
    'character_set_database', 'collation_database', 'max_execution_time', 'max_statement_time', 'max_user_connections')

-- name: connection
SHOW SESSION STATUS WHERE Variable_name IN ('Ssl_cipher', 'Ssl_version')

-- name: session
SELECT 'user', CURRENT_USER() UNION ALL SELECT 'database', DATABASE()

-- name: changed
-- what: variables that somebody has set to something other than the built-in default
SELECT LOWER(VARIABLE_NAME), GLOBAL_VALUE
FROM information_schema.SYSTEM_VARIABLES
WHERE GLOBAL_VALUE_ORIGIN NOT IN ('COMPILE-TIME', 'AUTO') AND NOT GLOBAL_VALUE <=> DEFAULT_VALUE

-- name: changed_mysql
-- what: the same where that list does not exist
SELECT v.VARIABLE_NAME, v.VARIABLE_VALUE
FROM performance_schema.global_variables AS v
JOIN performance_schema.variables_info AS i ON i.VARIABLE_NAME = v.VARIABLE_NAME
WHERE i.VARIABLE_SOURCE <> 'COMPILED'

-- name: places
-- what: where logs and tables lie, relative ones below the data folder; and how the log is opened
SHOW GLOBAL VARIABLES WHERE Variable_name IN (
    'aria_log_dir_path', 'datadir', 'innodb_data_home_dir', 'innodb_flush_log_at_trx_commit', 'innodb_flush_method',
    'innodb_log_file_write_through', 'innodb_log_group_home_dir', 'innodb_undo_directory', 'log_bin_basename')

-- name: engines
-- what: the storage engine of each table of this database
SELECT TABLE_NAME, ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND ENGINE IS NOT NULL

-- name: grants
SHOW GRANTS

-- name: company
-- what: sessions at work beside this one; without the privilege PROCESS only those of this account are seen
SELECT 'active', COUNT(*)
FROM information_schema.PROCESSLIST
WHERE ID <> CONNECTION_ID()
  AND COMMAND NOT IN ('Binlog Dump', 'Binlog Dump GTID', 'Daemon', 'Sleep', 'Slave_IO', 'Slave_SQL', 'Slave_worker')
