-- What an administrator runs once, so that dbdyno can work as a user who may do nothing else.

-- name: setup
-- Lets dbdyno work in one database as a user of its own, with the least privileges.
--
-- Run it once as an administrator (root, or whoever may create users and grant what is granted here):
--     mariadb --force < THIS_FILE
-- Where a cloud gives nobody all of these rights, --force goes on after what is refused: each grant below says what is lost
-- without it, `dbdyno check` says so of those that are missing, and a run's record has it where it is named here. Leave out
-- what you do not like of what is optional.
-- The user cannot log in before you have given it a password, which this file does not know:
--     ALTER USER dbdyno IDENTIFIED BY '...' ACCOUNT UNLOCK;
-- or, with MariaDB's stronger kind of login (plugin auth_ed25519):
--     ALTER USER dbdyno IDENTIFIED VIA ed25519 USING PASSWORD('...') ACCOUNT UNLOCK;
-- Narrow the host down to dbdyno's machine where you can: write dbdyno@'10.0.0.7' here instead of dbdyno@'%'; add REQUIRE SSL
-- to the ALTER USER where the network is not yours alone. Where an account without a name is for localhost (''@'localhost'),
-- it is asked first for whoever comes from there: drop it, or make the user for localhost, too.
-- Running it again does no harm. What takes it back stands at its end.

-- The user, and the one database that it works in. It is dbdyno's alone: everything in it may be dropped.
-- At most so many connections, so that a long ramp cannot take those of your applications. Each job is one, and dbdyno
-- itself needs four.
CREATE USER IF NOT EXISTS dbdyno@'%' WITH MAX_USER_CONNECTIONS 132 ACCOUNT LOCK;
CREATE DATABASE IF NOT EXISTS dbdyno;

-- Required: reading its tables, and what it has noted of them.
-- Without it: nothing is done; load and run refuse.
GRANT SELECT ON dbdyno.* TO dbdyno@'%';

-- Required: filling its tables, keeping its notes, and the tests that change rows (T3xx, T7xx).
-- Without it: nothing is done; load and run refuse.
GRANT INSERT ON dbdyno.* TO dbdyno@'%';
GRANT UPDATE ON dbdyno.* TO dbdyno@'%';
GRANT DELETE ON dbdyno.* TO dbdyno@'%';

-- Required: making and removing its tables and keys, those that tests load and build too.
-- Without it: nothing is done; load and run refuse.
GRANT CREATE ON dbdyno.* TO dbdyno@'%';
GRANT DROP ON dbdyno.* TO dbdyno@'%';
GRANT ALTER ON dbdyno.* TO dbdyno@'%';
GRANT INDEX ON dbdyno.* TO dbdyno@'%';

-- Required: the procedures that hold the loops of the tests, made for each point and removed after it.
-- Without it: nothing is done; load and run refuse.
GRANT CREATE ROUTINE ON dbdyno.* TO dbdyno@'%';
GRANT ALTER ROUTINE ON dbdyno.* TO dbdyno@'%';
GRANT EXECUTE ON dbdyno.* TO dbdyno@'%';

-- Optional: triggers that somebody has put on dbdyno's tables are shown with this right alone.
-- Without it: triggers on dbdyno's tables are not seen, and updates that do more than they should are found by their
--   counts alone.
-- In a run's record: T611 fact tables.
GRANT TRIGGER ON dbdyno.* TO dbdyno@'%';

-- Optional: the work of other sessions, and how long the file is that T211 writes.
-- Without it: what other sessions do is not seen, and T211 is not measured.
-- In a run's record: T611 missing proof.foreign_busy; T211 unsupported.
GRANT PROCESS ON *.* TO dbdyno@'%';

-- Optional: before each point the changed pages of dbdyno's tables are brought to the device (FLUSH TABLES ... FOR EXPORT),
--   which takes both of these, so that the writes of one test do not fall into the next.
-- Without it: points are not settled, so writes of earlier work may fall into them, and T211 is not measured.
-- In a run's record: T611 flag not_settled; T211 unsupported.
GRANT RELOAD ON *.* TO dbdyno@'%';
GRANT LOCK TABLES ON dbdyno.* TO dbdyno@'%';

-- Optional: waits for files, and reads and writes of files with their time.
-- Without it: waits for files, and how many reads and writes of files there were and how long they took, are missing.
-- In a run's record: T711 missing database.data_write_service_time_s.
GRANT SELECT ON performance_schema.* TO dbdyno@'%';

-- Optional: where the instruments of files are switched off, they are on while a point is measured, and off again after it.
-- Without it: what instruments that are switched off would count of files is missing.
-- In a run's record: T711 missing database.data_write_service_time_s.
GRANT UPDATE ON performance_schema.* TO dbdyno@'%';

-- The workload slob proves that each of its rows is alone in its page, by InnoDB's statistics of its tables. It is not
-- measured without this:
--     GRANT SELECT ON mysql.innodb_index_stats TO dbdyno@'%';

-- Limits of time that you have set for everybody would end loads and long tests, and dbdyno does not lift them by itself.
-- For this user alone a longer one can be set, here a day:
--     ALTER USER dbdyno@'%' WITH MAX_STATEMENT_TIME 86400;

-- To take it all back, after `dbdyno drop`:
--     DROP USER IF EXISTS dbdyno@'%';
--     DROP DATABASE IF EXISTS dbdyno;
