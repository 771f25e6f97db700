-- What needs a licence of the Diagnostics Pack, and is asked only where the target says diagnostics_pack=yes. That the server
-- keeps these things by default is no proof of a licence.

-- name: awr_snapshot
-- what: a snapshot of the workload repository; :1 becomes its number
BEGIN
  :1 := DBMS_WORKLOAD_REPOSITORY.CREATE_SNAPSHOT();
END;

-- name: repository_id
-- what: the number under which the workload repository has this database; a pluggable one has a number of its own
SELECT TO_CHAR(con_dbid) FROM v$database

-- name: awr_report
-- what: the server's own report, line by line: of the database :1, on the instance :2, between the snapshots :3 and :4
SELECT output FROM TABLE(DBMS_WORKLOAD_REPOSITORY.AWR_REPORT_HTML(:1, :2, :3, :4))

-- name: session_history
-- what: samples of active sessions of the last so many seconds (:1), by event; samples have the server's own time without a zone
SELECT COALESCE(event, 'on processor'), COALESCE(wait_class, 'CPU'), COUNT(*) FROM v$active_session_history
WHERE sample_time > CAST(SYSTIMESTAMP AS TIMESTAMP) - NUMTODSINTERVAL(:1, 'SECOND')
GROUP BY COALESCE(event, 'on processor'), COALESCE(wait_class, 'CPU')
