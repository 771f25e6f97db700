use super::*;
use dbdyno_engine::private::{Instance, UpRequest};
use dbdyno_testkit::private::{
    MIB, TestHome, a_process_that_is_not_the_server_is_not_killed, homes_do_not_clash, is_held_to_processors,
    refuses_programs, request, size, survives_crashes_and_failed_starts, what_dbdyno_never_made_is_left_alone,
};
use mysql::prelude::{FromRow, Queryable};

fn rows<T: FromRow>(instance: &Instance, sql: &str) -> Vec<T> {
    connect(&instance.place()).unwrap().query(sql).unwrap()
}

fn setting(instance: &Instance, name: &str) -> String {
    let one = format!("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_VARIABLES WHERE VARIABLE_NAME = '{name}'");
    rows(instance, &one).remove(0)
}

#[test]
fn an_instance_survives_crashes_and_failed_starts() {
    let target = "mariadb://dbdyno@/dbdyno?socket=SOCKETS/mariadbd.sock";
    survives_crashes_and_failed_starts(&PRODUCT, target, PID_FILE, "ibdata1", |instance| {
        let (inside, socket) = (PRODUCT.shell_command(&instance.place()), socket(&instance.place()));
        let expected = format!("mariadb --no-defaults --socket={} --user=dbdyno dbdyno", socket.display());
        assert_eq!(inside, expected);
        let data = DataFolder::open(&instance.data).unwrap();
        assert_eq!(PRODUCT.data_series(&data), Some(PRODUCT.series(&instance.version)));
    });
}

#[test]
fn its_settings_are_in_force_and_its_account_is_the_only_one() {
    let place = TestHome::new(&PRODUCT, "home");
    let instance = place.up(&request(&size("T", 8 * MIB))).unwrap().instance;
    let data = instance.data.display().to_string();
    let expected = [
        ("innodb_buffer_pool_size", "8388608"),
        ("innodb_log_file_size", "134217728"),
        ("innodb_log_file_buffering", "OFF"),
        ("innodb_flush_log_at_trx_commit", "1"),
        ("innodb_doublewrite", "ON"),
        ("innodb_stats_auto_recalc", "OFF"),
        ("innodb_adaptive_flushing_lwm", "70.000000"),
        ("innodb_flush_neighbors", "0"),
        ("innodb_io_capacity", "10000"),
        ("log_bin", "OFF"),
        ("skip_networking", "ON"),
        ("skip_name_resolve", "ON"),
        ("max_connections", "300"),
        ("query_cache_type", "OFF"),
        ("collation_server", "utf8mb4_bin"),
        ("lc_messages", "en_US"),
        ("table_definition_cache", "4096"),
        ("pid_file", &format!("{data}/{PID_FILE}")),
    ];
    for (name, value) in expected {
        assert_eq!(setting(&instance, name), value, "{name}");
    }
    let unbuffered = match series(&instance.version) < (11, 0) {
        true => ("innodb_flush_method", "O_DIRECT"),
        false => ("innodb_data_file_buffering", "OFF"),
    };
    assert_eq!(setting(&instance, unbuffered.0), unbuffered.1);
    assert_eq!(std::fs::metadata(instance.data.join("ib_logfile0")).unwrap().len(), 128 * MIB);

    // It has nothing to complain about but what this machine does not allow.
    let log = std::fs::read_to_string(&instance.log).unwrap();
    let complains = |line: &&str| ["[ERROR]", "[Warning]"].iter().any(|word| line.contains(word));
    let complaints: Vec<&str> = log.lines().filter(complains).filter(|line| !line.contains("max_open_files")).collect();
    assert_eq!(complaints, [""; 0]);

    // What is measured of files, and nothing else.
    let instruments = "SELECT NAME FROM performance_schema.setup_instruments
        WHERE ENABLED = 'YES' AND NAME NOT LIKE 'wait/io/file/%' AND NAME NOT LIKE 'memory/performance\\_schema/%'";
    assert_eq!(rows::<String>(&instance, instruments), [""; 0]);
    let consumers = "SELECT NAME FROM performance_schema.setup_consumers WHERE ENABLED = 'YES'";
    assert_eq!(rows::<String>(&instance, consumers), ["global_instrumentation"]);
    connect(&instance.place()).unwrap().query_drop("CREATE TABLE t (a INT); INSERT INTO t VALUES (1)").unwrap();
    for table in ["file_summary_by_event_name", "events_waits_summary_global_by_event_name"] {
        let timed = format!(
            "SELECT COUNT_STAR > 0 AND SUM_TIMER_WAIT > 0 FROM performance_schema.{table}
             WHERE EVENT_NAME = 'wait/io/file/innodb/innodb_data_file'"
        );
        assert_eq!(rows::<bool>(&instance, &timed), [true], "{table}");
    }

    // Nobody else's account, and no database that nobody asked for.
    let accounts = "SELECT CONCAT(User, '@', Host) FROM mysql.global_priv ORDER BY 1";
    assert_eq!(rows::<String>(&instance, accounts), ["dbdyno@localhost", "mariadb.sys@localhost"]);
    let databases = rows::<String>(&instance, "SHOW DATABASES");
    assert_eq!(databases, ["dbdyno", "information_schema", "mysql", "performance_schema", "sys"]);
    for user in ["root", "", "mysql", "somebody"] {
        let options = OptsBuilder::new().socket(Some(socket(&instance.place()).display().to_string())).user(Some(user));
        assert!(Conn::new(options).is_err(), "'{user}'");
    }
    let may = rows::<String>(&instance, "SHOW GRANTS").join("\n");
    assert!(may.contains("GRANT ALL PRIVILEGES ON *.*") && may.contains("WITH GRANT OPTION"), "{may}");
}

#[test]
fn an_instance_is_held_to_processors() {
    // None of its settings depends on their number; it asks the system itself.
    is_held_to_processors(&PRODUCT, |_| {});
}

#[test]
fn homes_do_not_clash_however_long_their_paths_and_whatever_was_left_there() {
    homes_do_not_clash(&PRODUCT, "a b=#'", "base/user.frm", "SELECT @@datadir;");
}

#[test]
fn a_server_that_dies_or_stands_still_while_it_starts_is_reported() {
    dbdyno_testkit::private::a_server_that_dies_or_stands_still_while_it_starts_is_reported(&PRODUCT);
}

#[test]
fn what_is_not_dbdynos_is_neither_removed_nor_killed() {
    what_dbdyno_never_made_is_left_alone(&PRODUCT);
    a_process_that_is_not_the_server_is_not_killed(&PRODUCT);
}

#[test]
fn a_cancelled_start_leaves_nothing_behind() {
    dbdyno_testkit::private::a_cancelled_start_leaves_nothing_behind(&PRODUCT);
}

/// An archive has its installer beside the folder of the server, and a distribution its server beside that of the
/// installer.
#[test]
fn a_part_that_fails_shows_its_words_and_leaves_nothing_behind_wherever_its_programs_are() {
    let place = TestHome::new(&PRODUCT, "home");
    let version = "--version) echo 'mariadbd  Ver 10.11.9-MariaDB for Linux on x86_64 (x)'";
    let script = format!("#!/bin/sh\ncase $1 in {version};; *) echo no room for it >&2; exit 1;; esac\n");
    let t = size("T", 8 * MIB);
    for (server, installer, named) in [("bin", "bin", "bin"), ("bin", "scripts", "bin"), ("sbin", "bin", "bin")] {
        let base = place.dir.path().join(format!("{server}-{installer}"));
        place.fake(&base.join("both"), &script);
        for (folder, program) in [(server, ABOUT.programs.needed[0]), (installer, ABOUT.programs.needed[1])] {
            std::fs::create_dir_all(base.join(folder)).unwrap();
            std::fs::rename(base.join("both").join(program), base.join(folder).join(program)).unwrap();
        }
        let error = place.up(&UpRequest { programs: Some(&base.join(named)), ..request(&t) }).unwrap_err().to_string();
        assert!(error.contains("making the data folder failed") && error.contains("no room for it"), "{error}");
        assert!(!place.instance_folder().exists());
    }
}

#[test]
fn programs_that_do_not_do_are_refused_before_anything_is_done() {
    refuses_programs(
        &PRODUCT,
        &[
            (None, "does not hold mariadbd and mariadb-install-db; install"),
            (Some("mariadbd  Ver 10.6.18-MariaDB for Linux on x86_64"), "10.6.18; dbdyno needs 10.11"),
            (
                Some("mysqld  Ver 8.0.39 for Linux on x86_64 (MySQL Community Server - GPL)"),
                "it does not tell its version",
            ),
        ],
    );
}

#[test]
fn versions_are_read_and_settings_fit_them() {
    let version = |said: &str| PRODUCT.version(said);
    let debian = "/usr/sbin/mariadbd  Ver 10.11.14-MariaDB-0+deb12u2 for debian-linux-gnu on x86_64 (Debian 12)\n";
    assert_eq!(version(debian).as_deref(), Some("10.11.14"));
    assert_eq!(version("mariadbd  Ver 11.8.2-MariaDB-log for Linux").as_deref(), Some("11.8.2"));
    assert_eq!(version("mysqld  Ver 8.0.39 for Linux on x86_64 (MySQL Community Server - GPL)"), None);
    assert_eq!((series("11.8.2"), series("10.6.18-MariaDB"), series("")), ((11, 8), (10, 6), (0, 0)));
    assert_eq!(PRODUCT.series("10.11.14"), "10.11");
    assert!(["10.6.18", "10.10.7", "5.5"].iter().all(|old| PRODUCT.too_old(old).is_some()));
    assert!(["10.11.2", "11.0.2", "12.1.2"].iter().all(|new| PRODUCT.too_old(new).is_none()));
    let text = |id: &str, cache: u64, version: &str| {
        let size = size(id, cache);
        settings(&Sizing {
            size: &size,
            version,
            socket_folder: Path::new("/run"),
            hardware_threads: 96,
            memory_limit_bytes: None,
        })
    };
    let (small, large) = (text("D", 64 * MIB, "10.11.14"), text("M", 12 << 30, "11.8.2"));
    assert!(small.contains("innodb_flush_method = O_DIRECT\n") && !large.contains("innodb_flush_method"));
    assert!(!small.contains("innodb_data_file_buffering") && large.contains("innodb_data_file_buffering = OFF\n"));
    assert!(small.contains("innodb_buffer_pool_size = 64M\n") && small.contains("innodb_log_file_size = 1024M\n"));
    assert!(large.contains("innodb_buffer_pool_size = 12288M\n") && large.contains("innodb_log_file_size = 16384M\n"));
}

#[test]
fn a_server_listens_where_it_is_told_to_and_nowhere_else() {
    let place = |tcp_port| Place {
        programs: "/bin".into(),
        data: "/d".into(),
        socket_folder: "/run".into(),
        tcp_port,
        access: Access::Own,
    };
    let text = |tcp_port| PRODUCT.settings_of(&PRODUCT.reach(&place(tcp_port)));
    let always = "skip_name_resolve\npid_file = \"mariadbd.pid\"\ntmpdir = \".\"\n";
    assert_eq!(text(None), format!("[mariadbd]\nskip_networking\n{always}"));
    assert_eq!(text(Some(6_000)), format!("[mariadbd]\nbind_address = \"127.0.0.1\"\nport = \"6000\"\n{always}"));
    assert_eq!(
        PRODUCT.settings_of(&PRODUCT.tls(Path::new("/c"), Path::new("/k\\"))),
        "[mariadbd]\nssl_cert = \"/c\"\nssl_key = \"/k\\\\\"\n"
    );
}
