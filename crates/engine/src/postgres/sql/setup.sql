-- What an administrator runs once, so that dbdyno can work as a user who may do nothing else.

-- name: setup
-- Lets dbdyno work in one database as a user of its own, with the least privileges.
--
-- Run it once as a superuser, in the database that dbdyno is to work in. A database of its own is the cleanest:
--     createdb dbdyno
--     psql --dbname=dbdyno --file=THIS_FILE
-- Then give the user a password, which this file does not know, with psql's command  \password dbdyno
-- and let dbdyno's machine in with a line in pg_hba.conf such as
--     hostssl  dbdyno  dbdyno  ADDRESS/32  scram-sha-256
-- Running it again does no harm. What takes it back stands at its end.

DO $setup$
BEGIN
    -- A user for dbdyno alone: it can log in, and has none of the powers of an administrator.
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'dbdyno') THEN
        CREATE ROLE dbdyno LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
    END IF;

    -- The right to connect, in case it was taken from everybody.
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO dbdyno', current_database());

    -- The one schema that dbdyno works in; it never touches another. If it is there and belongs to somebody else, stop.
    IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'dbdyno') THEN
        CREATE SCHEMA dbdyno AUTHORIZATION dbdyno;
    ELSIF (SELECT nspowner FROM pg_namespace WHERE nspname = 'dbdyno') <> 'dbdyno'::regrole THEN
        RAISE EXCEPTION 'the schema dbdyno belongs to %; use another database',
            (SELECT nspowner::regrole FROM pg_namespace WHERE nspname = 'dbdyno');
    END IF;

    -- Wait events, the work of other sessions and the settings in force are part of a figure. The role reads statistics,
    -- no data of anybody's.
    GRANT pg_monitor TO dbdyno;

    -- Before each point dbdyno makes a checkpoint, so that the writes of one test do not fall into the next. From version 15
    -- on there is a role for that; before, only superusers may, points are flagged as not settled, and T211 fails.
    IF current_setting('server_version_num')::int >= 150000 THEN
        GRANT pg_checkpoint TO dbdyno;
    END IF;
END
$setup$;

-- Times of reads and writes, for this user's sessions alone. Where the clock is slow they cost something: pg_test_timing.
ALTER ROLE dbdyno SET track_io_timing = on;

-- At most so many connections, so that a long ramp cannot take those of your applications. Each job is one, and dbdyno
-- itself needs three.
ALTER ROLE dbdyno CONNECTION LIMIT 131;

-- Limits that you have set for everybody would end loads and long tests. These are for this user alone.
ALTER ROLE dbdyno SET statement_timeout = 0;
ALTER ROLE dbdyno SET lock_timeout = 0;
ALTER ROLE dbdyno SET idle_in_transaction_session_timeout = 0;

-- Not needed: the right to create schemas. Without it `dbdyno drop` empties the schema and leaves it there.
--     GRANT CREATE ON DATABASE dbdyno TO dbdyno;
-- Not needed: to keep the public from creating objects here, which versions before 15 allow.
--     REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- To take it all back, in the same database, after `dbdyno drop`:
--     DROP OWNED BY dbdyno;
--     DROP ROLE dbdyno;
