-- What decides whether commits survive a crash. Rows of a variable and its value, and rows of one text for what a crash loses.
-- Nothing is changed. Which values are unsafe is in settings.toml.

-- name: settings
-- what: no session can set them for itself
SELECT LOWER(VARIABLE_NAME), VARIABLE_VALUE FROM {about}.global_variables
WHERE VARIABLE_NAME IN ('binlog_storage_engine', 'innodb_doublewrite', 'innodb_flush_log_at_timeout',
  'innodb_flush_log_at_trx_commit', 'innodb_flush_method', 'innodb_log_file_write_through', 'log_bin',
  'rpl_semi_sync_master_enabled', 'sync_binlog', 'wsrep_on')

-- name: not_logged
-- what: dbdyno's tables that are not InnoDB's
SELECT CONCAT('table ', TABLE_NAME, ' is one of ', ENGINE,
  ', not InnoDB: commits that change it do not wait for InnoDB''s log')
FROM information_schema.TABLES
WHERE TABLE_SCHEMA = DATABASE() AND ENGINE <> 'InnoDB' AND TABLE_NAME IN ('small_heap', 'small_iot', 'small_hash',
  'small_heap_list', 'small_iot_list', 'large_heap_range_list', 'large_compressed')
