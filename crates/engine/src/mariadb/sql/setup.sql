-- What an administrator runs once, so that dbdyno can work as a user who may do nothing else.

-- name: setup
-- Lets dbdyno work in one database as a user of its own, with the least privileges.
--
-- Run it once as an administrator (root, or whoever may create users and grant what is granted here):
--     mariadb --force < THIS_FILE
-- Where a cloud gives nobody all of these rights, --force goes on after what is refused: each part below says what dbdyno
-- then lacks. Only the first part is indispensable.
-- The user cannot log in before you have given it a password, which this file does not know:
--     ALTER USER dbdyno IDENTIFIED BY '...' ACCOUNT UNLOCK;
-- or, with MariaDB's stronger kind of login (plugin auth_ed25519):
--     ALTER USER dbdyno IDENTIFIED VIA ed25519 USING PASSWORD('...') ACCOUNT UNLOCK;
-- Narrow the host down to dbdyno's machine where you can: write dbdyno@'10.0.0.7' here instead of dbdyno@'%'; add REQUIRE SSL
-- to the ALTER USER where the network is not yours alone. Where an account without a name is for localhost (''@'localhost'),
-- it is asked first for whoever comes from there: drop it, or make the user for localhost, too.
-- Running it again does no harm. What takes it back stands at its end.

-- Indispensable: the user, and the one database that it works in. It is dbdyno's alone: everything in it may be dropped.
-- At most so many connections, so that a long ramp cannot take those of your applications. Each job is one, and dbdyno
-- itself needs four.
CREATE USER IF NOT EXISTS dbdyno@'%' WITH MAX_USER_CONNECTIONS 132 ACCOUNT LOCK;
CREATE DATABASE IF NOT EXISTS dbdyno;
GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, LOCK TABLES, CREATE ROUTINE, ALTER ROUTINE, EXECUTE
    ON dbdyno.* TO dbdyno@'%';

-- Triggers that somebody has put on dbdyno's tables are shown with this right alone. Without it: a run's record says that they
-- are not seen, and updates that do more than they should are found by their counts.
GRANT TRIGGER ON dbdyno.* TO dbdyno@'%';

-- The work of other sessions and InnoDB's own counters are part of a figure. Without it: other load on the server is not
-- noticed, and some counters are missing.
GRANT PROCESS ON *.* TO dbdyno@'%';

-- Before each point dbdyno brings the changed pages of its tables to the device (FLUSH TABLES ... FOR EXPORT), so that the
-- writes of one test do not fall into the next. Without it: points are flagged as not settled, and T211 fails.
GRANT RELOAD ON *.* TO dbdyno@'%';

-- Waits for files with their time; what is switched off there is switched on while a point is
-- measured. Without it, or where performance_schema is off: these figures are missing.
GRANT SELECT, UPDATE ON performance_schema.* TO dbdyno@'%';

-- How long the binary log is, and how far replicas are. Without them: those figures are missing. On MySQL both are called
-- REPLICATION CLIENT.
GRANT BINLOG MONITOR, REPLICA MONITOR ON *.* TO dbdyno@'%';

-- Limits of time that you have set for everybody would end loads and long tests, and dbdyno does not lift them by itself.
-- For this user alone a longer one can be set, here a day:
--     ALTER USER dbdyno@'%' WITH MAX_STATEMENT_TIME 86400;

-- To take it all back, after `dbdyno drop`:
--     DROP USER IF EXISTS dbdyno@'%';
--     DROP DATABASE IF EXISTS dbdyno;
