//! What tests know of MariaDB. A scratch server resolves no names: a user over TCP is `'user'@'%'` or
//! `'user'@'127.0.0.1'`, never `'user'@'localhost'`.

use super::{HasFacts, ProductFacts};

/// MariaDB.
pub struct MariaDb;

/// A running server; `P` is the product.
pub type Server<P> = super::Server<MariaDb, P>;
/// The options of a server; `P` is the product.
pub type ServerOptions<P> = super::ServerOptions<Server<P>>;
/// The administrator of every scratch server; every user of this machine may connect as it, without a password.
pub const SUPERUSER: &str = MariaDb::FACTS.superuser;

impl HasFacts for MariaDb {
    const FACTS: &'static ProductFacts = &ProductFacts {
        engine: "mariadb",
        superuser: "root",
        home: "mysql",
        sees_all: true,
        making: &["--innodb-log-file-size=32M", "--innodb-buffer-pool-size=32M"],
        settings: &[
            ("innodb-buffer-pool-size", "64M"),
            ("innodb-log-file-size", "32M"),
            // Strong compression would take most of the time of a load.
            ("innodb-compression-level", "1"),
            // The contents of the cache are not worth keeping.
            ("innodb-buffer-pool-dump-at-shutdown", "OFF"),
            ("innodb-buffer-pool-load-at-startup", "OFF"),
        ],
        copy_database: None,
        drop_database: "DROP DATABASE NAME; DROP DATABASE IF EXISTS NAME_elsewhere",
        create_user: "CREATE USER NAME@'%'",
        drop_user: "DROP USER IF EXISTS NAME@'%'",
        let_work: "GRANT ALL ON NAME.* TO USER@'%'",
        let_monitor: "GRANT PROCESS, SLAVE MONITOR ON *.* TO USER@'%'; GRANT SELECT ON performance_schema.* TO USER@'%'",
        sleep: ("SELECT SLEEP(SECONDS)", "User sleep"),
        secrets: "CREATE TABLE s (a VARCHAR(100)); INSERT INTO s VALUES ('SECRET'); /* x */ create user v identified by 'SECRET';
                  SET PASSWORD FOR v = PASSWORD('SECRET'); EXECUTE IMMEDIATE 'alter user v identified by ''SECRET''';
                  PREPARE p FROM 'SELECT ''SECRET'''; EXECUTE p; SET @a = 'SECRET'",
        // One that has touched nothing is not known to be in one.
        transaction: "START TRANSACTION WITH CONSISTENT SNAPSHOT",
        table: "NAME",
        procedures: "
DELIMITER //
CREATE PROCEDURE echo(a BIGINT, d DATE, c DECIMAL(12, 2), t VARCHAR(100),
  OUT next_a BIGINT, OUT next_d DATE, OUT next_c DECIMAL(12, 2), OUT next_t VARCHAR(101))
BEGIN
  START TRANSACTION;
  SELECT quantity FROM small_heap WHERE id = 1 FOR UPDATE;
  IF a = -1 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'echo was told to fail'; END IF;
  SET next_a = a + 1, next_d = d + INTERVAL 1 DAY, next_c = c + 0.01, next_t = CONCAT(t, '!');
  COMMIT;
END //
CREATE PROCEDURE take_row(a BIGINT, OUT q INT) SELECT quantity INTO q FROM small_heap WHERE id = a FOR UPDATE //
CREATE PROCEDURE add_and_commit(a BIGINT, n BIGINT, OUT q BIGINT)
BEGIN
  UPDATE small_heap SET quantity = quantity + n WHERE id = a;
  COMMIT;
  SELECT quantity INTO q FROM small_heap WHERE id = a;
END //
CREATE PROCEDURE mute(a BIGINT, b BIGINT) SELECT quantity FROM small_heap WHERE id = a //
DELIMITER ;
",
        elsewhere: ("NAME_elsewhere", "CREATE DATABASE IF NOT EXISTS NAME_elsewhere"),
        objects: "SELECT LOWER(table_type), table_name FROM information_schema.tables WHERE table_schema = 'NAME';
                  SELECT LOWER(routine_type), routine_name FROM information_schema.routines
                    WHERE routine_schema = 'NAME';
                  SELECT 'trigger', trigger_name FROM information_schema.triggers WHERE trigger_schema = 'NAME';
                  SELECT 'event', event_name FROM information_schema.events WHERE event_schema = 'NAME';
                  SELECT 'schema', schema_name FROM information_schema.schemata WHERE schema_name = 'NAME_elsewhere';
                  SELECT 'partition', CONCAT_WS('.', table_name, partition_name, subpartition_name)
                    FROM information_schema.partitions
                    WHERE table_schema = 'NAME' AND partition_name IS NOT NULL;",
    };
}

impl<P> Server<P> {
    /// Runs SQL as administrator, as a file piped into the client; returns its output, one row a line, with tabs
    /// between values. With an empty name no database is chosen.
    pub fn client(&self, database: &str, sql: &str) -> String {
        self.client_says(database, &[], sql)
    }
}
