-- What an administrator runs once, so that dbdyno can work as a user who may do nothing else.

-- name: setup
-- Lets dbdyno work in one database as a user of its own, with the least privileges.
--
-- Run it once as a superuser, in the database that dbdyno is to work in. A database of its own is the cleanest:
--     createdb dbdyno
--     psql --dbname=dbdyno --file=THIS_FILE
-- Where a cloud gives nobody a superuser, the role that may create others will do: what it is refused is skipped, with a
-- notice. Each grant below says what is lost without it, `dbdyno check` says so of those that are missing, and a run's record
-- has it where it is named here. Leave out what you do not like of what is optional.
-- Then give the user a password, which this file does not know, with psql's command  \password dbdyno
-- and let dbdyno's machine in with a line in pg_hba.conf such as
--     hostssl  dbdyno  dbdyno  ADDRESS/32  scram-sha-256
-- Running it again does no harm. What takes it back stands at its end.

-- Nothing that somebody has left in a schema of this database is run with your powers.
SET search_path = pg_catalog, pg_temp;

-- The user, and the one schema that it works in, which is its own: in it it may do everything.
DO $setup$
DECLARE
    is_16 boolean := current_setting('server_version_num')::int >= 160000;
    to_give_back boolean := false;
BEGIN
    -- A user for dbdyno alone: it can log in, and has none of the powers of an administrator.
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'dbdyno') THEN
        CREATE ROLE dbdyno LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS;
    END IF;

    -- dbdyno never touches another schema. If this one is there and belongs to somebody else, stop.
    IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'dbdyno') THEN
        -- Who is no superuser makes it for a role that it may act as; from version 16 on that has to be said.
        IF NOT pg_has_role('dbdyno', CASE WHEN is_16 THEN 'SET' ELSE 'MEMBER' END) THEN
            EXECUTE 'GRANT dbdyno TO CURRENT_USER' || CASE WHEN is_16 THEN ' WITH SET TRUE' ELSE '' END;
            to_give_back := true;
        END IF;
        CREATE SCHEMA dbdyno AUTHORIZATION dbdyno;
        IF to_give_back THEN
            REVOKE dbdyno FROM CURRENT_USER;
        END IF;
    ELSIF (SELECT nspowner FROM pg_namespace WHERE nspname = 'dbdyno') <> 'dbdyno'::regrole THEN
        RAISE EXCEPTION 'the schema dbdyno belongs to %; use another database',
            (SELECT nspowner::regrole FROM pg_namespace WHERE nspname = 'dbdyno');
    END IF;
END
$setup$;

-- Required: the right to connect, in case it was taken from everybody.
-- Without it: nothing is done, as the server lets nobody in who may not connect.
DO $setup$
BEGIN
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO dbdyno', current_database());
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'dbdyno may connect only if everybody may: %', SQLERRM;
END
$setup$;

-- Optional: what other sessions do, where the server keeps its files, and the blocks that wait to be written. The role
--   reads statistics and settings, no data of anybody's.
-- Without it: what other sessions do is not seen, where the server keeps its files is not known, so that any device of its
--   machine may be theirs, and T721 (random writes) has no proof.
-- In a run's record: T611 missing proof.foreign_busy; T721 missing database.write_blocks_per_s.
DO $setup$
BEGIN
    GRANT pg_monitor TO dbdyno;
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'not granted, see there what is lost: pg_monitor: %', SQLERRM;
END
$setup$;

-- Optional: before each point dbdyno makes a checkpoint, so that the writes of one test do not fall into the next. Before
--   version 15 only superusers may.
-- Without it: points are not settled, so writes of earlier work may fall into them, and T211 is not measured.
-- In a run's record: T611 flag not_settled; T211 unsupported.
-- From version: 15
DO $setup$
BEGIN
    IF current_setting('server_version_num')::int >= 150000 THEN
        GRANT pg_checkpoint TO dbdyno;
    END IF;
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'not granted, see there what is lost: pg_checkpoint: %', SQLERRM;
END
$setup$;

-- Not a grant, but for pg_monitor to be of use in T721: this extension of the server's own contrib modules counts the changed
-- blocks that wait in memory to be written.
DO $setup$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_buffercache SCHEMA public;
    IF (SELECT NOT has_schema_privilege('dbdyno', extnamespace, 'USAGE') FROM pg_extension WHERE extname = 'pg_buffercache') THEN
        EXECUTE (SELECT format('GRANT USAGE ON SCHEMA %s TO dbdyno', extnamespace::regnamespace)
                 FROM pg_extension WHERE extname = 'pg_buffercache');
    END IF;
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'dbdyno cannot count blocks that wait to be written: T721 is flagged writes_deferred: %', SQLERRM;
END
$setup$;

-- At most so many connections, so that a long ramp cannot take those of your applications. Each job is one, and dbdyno
-- itself needs four.
DO $setup$
BEGIN
    ALTER ROLE dbdyno CONNECTION LIMIT 132;
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'dbdyno may take as many connections as the server has: %', SQLERRM;
END
$setup$;

-- Limits that you have set for everybody would end loads and long tests. These are for this user alone.
DO $setup$
BEGIN
    ALTER ROLE dbdyno SET statement_timeout = 0;
    ALTER ROLE dbdyno SET lock_timeout = 0;
    ALTER ROLE dbdyno SET idle_in_transaction_session_timeout = 0;
EXCEPTION WHEN OTHERS THEN
    RAISE NOTICE 'limits of time, where there are any, will end loads and long tests: %', SQLERRM;
END
$setup$;

RESET search_path;

-- Not needed: the right to create schemas. Without it `dbdyno drop` empties the schema and leaves it there.
--     GRANT CREATE ON DATABASE dbdyno TO dbdyno;
-- Advised before version 15, which lets everybody create objects in the schema public: take that right away. dbdyno's own
-- sessions do not search that schema, but others that connect to this database do, yours included.
--     REVOKE CREATE ON SCHEMA public FROM PUBLIC;

-- pg_buffercache may be of use to others, so it stays. Who is no superuser needs GRANT dbdyno TO CURRENT_USER for the rest.
-- To take it all back, in the same database, after `dbdyno drop`:
--     DROP OWNED BY dbdyno;
--     DROP ROLE dbdyno;
