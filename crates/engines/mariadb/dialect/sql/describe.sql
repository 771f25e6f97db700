-- What the server says of its variables and limits: for a run's record and for `dbdyno check`. Nothing here changes anything.
-- {about} is the schema that has variables and status as tables.

-- name: settings
-- what: every variable; which of them are kept is in settings.toml
SHOW GLOBAL VARIABLES

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

-- name: session
-- what: the session that answers now
SELECT CONNECTION_ID()

-- name: account
-- what: the account by which this session is known
SELECT CURRENT_USER()

-- name: grants
-- what: what was granted to this account, to its role and to everybody; one text each
SHOW GRANTS

-- name: places
-- what: where logs and tables lie, relative ones below the data folder; and how the log is opened
SHOW GLOBAL VARIABLES WHERE Variable_name IN (
    'aria_log_dir_path', 'datadir', 'innodb_data_home_dir', 'innodb_flush_log_at_trx_commit', 'innodb_flush_method',
    'innodb_log_file_write_through', 'innodb_log_group_home_dir', 'innodb_undo_directory', 'log_bin_basename')

-- name: connections
-- what: the limits of connections in words, and how many are left to this account; one of those taken is the one that asks
SELECT CONCAT('max_connections ', most, ', ', taken, ' of them taken',
    COALESCE(CONCAT(', MAX_USER_CONNECTIONS ', NULLIF(of_account, 0)), '')),
  LEAST(most - taken, COALESCE(NULLIF(of_account, 0), most))
FROM (SELECT CAST(@@GLOBAL.max_connections AS SIGNED) AS most, CAST(@@SESSION.max_user_connections AS SIGNED) AS of_account,
  (SELECT CAST(VARIABLE_VALUE AS SIGNED) - 1 FROM {about}.global_status WHERE VARIABLE_NAME = 'Threads_connected') AS taken) AS limits

-- name: cache
-- what: the cache, its bytes, and the variable that makes it larger
SELECT 'innodb_buffer_pool_size', @@GLOBAL.innodb_buffer_pool_size, 'innodb_buffer_pool_size'
