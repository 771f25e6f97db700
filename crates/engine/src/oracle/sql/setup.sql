-- What an administrator runs once, so that dbdyno can work as a user who may do nothing else.

-- name: setup
-- Lets dbdyno work in a schema of its own, as a user with the least privileges.
--
-- Run it once in SQL*Plus (or SQLcl) as a user who may create users and grant what is granted here. In a container database
-- connect to the pluggable database that is to be measured. What fails is said and skipped: each part says what dbdyno then
-- lacks; only the first is indispensable. Running it again does no harm: what is there is said to be there.
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
    EXECUTE IMMEDIATE 'CREATE USER dbdyno IDENTIFIED BY "aA1_' || DBMS_RANDOM.STRING('x', 20)
      || '" DEFAULT TABLESPACE dbdyno QUOTA UNLIMITED ON dbdyno ACCOUNT LOCK';
  END IF;
END;
/
GRANT CREATE SESSION, ALTER SESSION, CREATE TABLE, CREATE CLUSTER, CREATE PROCEDURE TO dbdyno;

-- Indispensable: one dbdyno at a time works in the schema, which a lock sees to.
GRANT EXECUTE ON sys.dbms_lock TO dbdyno;

-- The proof of the work and the counters of a figure: what the server itself counts. None of these views belongs to a pack
-- that is licensed apart. Without them figures are missing and points are not proved.
GRANT SELECT ON sys.v_$mystat TO dbdyno;
GRANT SELECT ON sys.v_$statname TO dbdyno;
GRANT SELECT ON sys.v_$sysstat TO dbdyno;
GRANT SELECT ON sys.v_$sql TO dbdyno;
GRANT SELECT ON sys.v_$sql_plan TO dbdyno;
GRANT SELECT ON sys.v_$system_event TO dbdyno;
GRANT SELECT ON sys.v_$event_histogram_micro TO dbdyno;
GRANT SELECT ON sys.v_$sys_time_model TO dbdyno;
GRANT SELECT ON sys.v_$osstat TO dbdyno;
GRANT SELECT ON sys.v_$iostat_file TO dbdyno;
GRANT SELECT ON sys.v_$instance_recovery TO dbdyno;
GRANT SELECT ON sys.v_$session TO dbdyno;
GRANT SELECT ON sys.v_$px_session TO dbdyno;

-- The server's settings are part of a figure. Without them the record of a run is incomplete.
GRANT SELECT ON sys.v_$parameter TO dbdyno;
GRANT SELECT ON sys.v_$instance TO dbdyno;
GRANT SELECT ON sys.v_$database TO dbdyno;
GRANT SELECT ON sys.v_$option TO dbdyno;
GRANT SELECT ON sys.v_$log TO dbdyno;
GRANT SELECT ON sys.v_$archive_dest TO dbdyno;
GRANT SELECT ON sys.v_$sgainfo TO dbdyno;
GRANT SELECT ON sys.v_$cell TO dbdyno;

-- Where the server is and how much room it has. Without dba_data_files: whether the tablespace may still grow is not known, nor
-- where its files are. Without v$process: a server on dbdyno's own machine is taken for one elsewhere. Without v$resource_limit
-- (which is empty in a pluggable database): how many connections are left is not known. Without v$asm_diskgroup_stat: the
-- record of a run has no disk groups.
GRANT SELECT ON sys.dba_data_files TO dbdyno;
GRANT SELECT ON sys.v_$process TO dbdyno;
GRANT SELECT ON sys.v_$resource_limit TO dbdyno;
GRANT SELECT ON sys.v_$asm_diskgroup_stat TO dbdyno;

-- Before each point dbdyno asks for a checkpoint, so that the writes of one test do not fall into the next, and before a test
-- of storage it empties the buffer cache. Both slow down everybody else on the instance for a moment: leave it out where
-- others work. Without it: points are flagged as not settled.
GRANT ALTER SYSTEM TO dbdyno;

-- T211 measures how fast the server writes a new file. Without it: T211 fails.
GRANT CREATE TABLESPACE, DROP TABLESPACE TO dbdyno;

-- To take it all back, after `dbdyno drop`:
--     DROP USER dbdyno CASCADE;
--     DROP TABLESPACE dbdyno INCLUDING CONTENTS AND DATAFILES;

-- name: diagnostics
-- what: only with a licence of the Diagnostics Pack, for runs with --diagnostics-pack
GRANT EXECUTE ON sys.dbms_workload_repository TO dbdyno;
GRANT SELECT ON sys.v_$active_session_history TO dbdyno;
