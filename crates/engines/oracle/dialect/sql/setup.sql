-- What an administrator runs once, so that dbdyno can work as a user who may do nothing else.

-- name: setup
-- Lets dbdyno work in a schema of its own, as a user with the least privileges.
--
-- Run it once in SQL*Plus (or SQLcl) as a user who may create users and grant what is granted here. In a container database
-- connect to the pluggable database that is to be measured. What fails is said and skipped: each grant says what is lost
-- without it, and `dbdyno check` says so of those that are missing. Leave out what you do not like of what is optional.
-- Running it again does no harm: what is there is said to be there.
-- What takes it all back stands at the end.

-- Indispensable: a tablespace of dbdyno's own, so that its data can neither fill nor fragment another. Without
-- db_create_file_dest, write DATAFILE '/path/of/your/choice/dbdyno01.dbf' SIZE 1G ... here. `dbdyno check` says how much a size
-- class takes.
CREATE BIGFILE TABLESPACE dbdyno DATAFILE SIZE 1G AUTOEXTEND ON NEXT 1G MAXSIZE UNLIMITED;

-- Indispensable: the user. It cannot log in before you have given it a password, which this script does not know:
--     ALTER USER dbdyno IDENTIFIED BY "..." ACCOUNT UNLOCK;
DECLARE
  v_n NUMBER;
BEGIN
  SELECT COUNT(*) INTO v_n FROM all_users WHERE username = 'DBDYNO';
  IF v_n = 0 THEN
    EXECUTE IMMEDIATE 'CREATE USER dbdyno IDENTIFIED BY "qW7_eR4#' || DBMS_RANDOM.STRING('x', 16)
      || '" DEFAULT TABLESPACE dbdyno QUOTA UNLIMITED ON dbdyno ACCOUNT LOCK';
  END IF;
END;
/

-- Required: logging in, with settings of the session's own.
-- Without it: nothing is done; load and run refuse.
GRANT CREATE SESSION TO dbdyno;
GRANT ALTER SESSION TO dbdyno;

-- Required: the tables, and the package that holds the loops of the tests.
-- Without it: nothing is done; load and run refuse.
GRANT CREATE TABLE TO dbdyno;
GRANT CREATE CLUSTER TO dbdyno;
GRANT CREATE PROCEDURE TO dbdyno;

-- Optional: the keys of the workload order-entry.
-- Without it: order-entry cannot be loaded.
GRANT CREATE SEQUENCE TO dbdyno;

-- Required: one dbdyno at a time works in the schema, which a lock sees to.
-- Without it: nothing is done; load and run refuse.
GRANT EXECUTE ON sys.dbms_lock TO dbdyno;

-- Optional: the proof of the work: what the server itself counts. None of these views, nor of those below, belongs to a pack
--   that is licensed apart.
-- Without it: figures are missing, and points are not proved.
GRANT SELECT ON sys.v_$mystat TO dbdyno;
GRANT SELECT ON sys.v_$statname TO dbdyno;
GRANT SELECT ON sys.v_$sysstat TO dbdyno;
GRANT SELECT ON sys.v_$sql TO dbdyno;
GRANT SELECT ON sys.v_$sql_plan TO dbdyno;

-- Optional: waits, processors, files, the work of other sessions and parallel workers.
-- Without it: the figures that come from there are missing.
GRANT SELECT ON sys.v_$system_event TO dbdyno;
GRANT SELECT ON sys.v_$event_histogram_micro TO dbdyno;
GRANT SELECT ON sys.v_$sys_time_model TO dbdyno;
GRANT SELECT ON sys.v_$osstat TO dbdyno;
GRANT SELECT ON sys.v_$iostat_file TO dbdyno;
GRANT SELECT ON sys.v_$instance_recovery TO dbdyno;
GRANT SELECT ON sys.v_$session TO dbdyno;
GRANT SELECT ON sys.v_$px_session TO dbdyno;

-- Optional: what a live view shows besides: statements by their time, and how far a standby is behind.
-- Without it: statements are not shown one by one, nor how far a standby is behind.
GRANT SELECT ON sys.v_$sqlstats TO dbdyno;
GRANT SELECT ON sys.v_$dataguard_stats TO dbdyno;

-- Optional: the server's settings, which are part of a figure.
-- Without it: the record of a run is incomplete, and only the proof before a run tells whether commits are durable.
GRANT SELECT ON sys.v_$parameter TO dbdyno;
GRANT SELECT ON sys.v_$instance TO dbdyno;
GRANT SELECT ON sys.v_$database TO dbdyno;
GRANT SELECT ON sys.v_$option TO dbdyno;
GRANT SELECT ON sys.v_$log TO dbdyno;
GRANT SELECT ON sys.v_$archive_dest TO dbdyno;
GRANT SELECT ON sys.v_$sgainfo TO dbdyno;
GRANT SELECT ON sys.v_$cell TO dbdyno;

-- Optional: how much room there is.
-- Without it: whether the tablespace may still grow is not known, nor where its files are.
GRANT SELECT ON sys.dba_data_files TO dbdyno;

-- Optional: where the server is.
-- Without it: a server on dbdyno's own machine is taken for one elsewhere.
GRANT SELECT ON sys.v_$process TO dbdyno;

-- Optional: how many connections there are (empty in a pluggable database).
-- Without it: how many connections are left is not known.
GRANT SELECT ON sys.v_$resource_limit TO dbdyno;

-- Optional: ASM's disk groups.
-- Without it: the record of a run has no disk groups.
GRANT SELECT ON sys.v_$asm_diskgroup_stat TO dbdyno;

-- Optional: before each point dbdyno asks for a checkpoint, so that the writes of one test do not fall into the next, and
--   before a test of storage it empties the buffer cache. Both slow down everybody else on the instance for a moment:
--   leave it out where others work.
-- Without it: the server's own checkpoint is waited for, and where it does not come, writes of one test fall into the next
--   and points are flagged as not settled.
GRANT ALTER SYSTEM TO dbdyno;

-- Optional: T211 measures how fast the server writes a new file. It looks first whether somebody else has a tablespace of such a
--   name.
-- Without it: T211 is not measured.
GRANT CREATE TABLESPACE TO dbdyno;
GRANT DROP TABLESPACE TO dbdyno;
GRANT SELECT ON sys.dba_tablespaces TO dbdyno;

-- To take it all back, after `dbdyno drop`:
--     DROP USER dbdyno CASCADE;
--     DROP TABLESPACE dbdyno INCLUDING CONTENTS AND DATAFILES;

-- name: diagnostics
-- what: only with a licence of the Diagnostics Pack, for runs with --diagnostics-pack
GRANT EXECUTE ON sys.dbms_workload_repository TO dbdyno;
GRANT SELECT ON sys.v_$active_session_history TO dbdyno;
