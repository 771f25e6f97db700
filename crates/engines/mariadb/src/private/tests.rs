use super::settings::{FILE, PID_FILE};
use super::*;
use dbdyno_engine::private::{How, Instance, Up, Wish, down, find};
use dbdyno_engine::servers::{ServerError, Silent};
use dbdyno_model::ErrorClass;
use dbdyno_testkit::private::{
    Impatient, MIB, TestHome, Visitor, a_process_that_is_not_the_server_is_not_killed, kill, left_behind, mode, size,
    what_dbdyno_never_made_is_left_alone, wish,
};
use mysql::prelude::{FromRow, Queryable};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

fn rows<T: FromRow>(instance: &Instance, sql: &str) -> Vec<T> {
    connect(&instance.place()).unwrap().query(sql).unwrap()
}

fn setting(instance: &Instance, name: &str) -> String {
    let one = format!("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_VARIABLES WHERE VARIABLE_NAME = '{name}'");
    rows(instance, &one).remove(0)
}

#[test]
fn an_instance_survives_everything_but_its_end() {
    let place = TestHome::new(&PRODUCT, "home");
    let (t, d) = (size("T", 8 * MIB), size("D", 64 * MIB));
    assert!(find(&place.home, &PRODUCT).unwrap_err().to_string().ends_with("start it: dbdyno up mariadb --size D"));

    // Two at the same time: one makes it, the other finds it.
    let both: Vec<Up> = std::thread::scope(|scope| {
        let begun = [(); 2].map(|()| scope.spawn(|| place.up(&wish(&t)).unwrap()));
        begun.map(|thread| thread.join().unwrap()).into()
    });
    let mut how = [both[0].how, both[1].how];
    how.sort_by_key(|how| *how == How::Already);
    assert_eq!(how, [How::Made, How::Already]);
    assert_eq!(both[0].instance, both[1].instance);
    let instance = &both[0].instance;
    assert_eq!((mode(&instance.socket_folder), mode(&instance.data)), (0o700, 0o700));
    let socket = format!("{}/run/mariadbd.sock", place.site().display());
    let server = find(&place.home, &PRODUCT).unwrap();
    let target = format!("mariadb://dbdyno@/dbdyno?socket={socket}");
    assert_eq!((server.target.to_string(), server.pid, server.size.as_str()), (target, instance.pid(), "T"));
    let inside = PRODUCT.shell_command(&instance.place());
    assert_eq!(inside, format!("mariadb --no-defaults --socket={socket} --user=dbdyno dbdyno"));
    connect(&instance.place()).unwrap().query_drop("CREATE TABLE kept (a INT); INSERT INTO kept VALUES (7)").unwrap();
    let other = place.refused(&wish(&d));
    assert!(other.contains("runs for size T, not D; go on with it: dbdyno up mariadb --size T"), "{other}");

    // Somebody who looks around in the data outlives all of this.
    let mut visitor = Visitor::new(&instance.data);

    // Killed; the next start recovers, and says so before.
    kill(instance);
    assert!(find(&place.home, &PRODUCT).unwrap_err().to_string().contains("has ended by itself"));
    let again = place.up(&Wish { keep: Some(true), ..wish(&t) }).unwrap();
    assert_eq!((again.how, again.instance.keep), (How::Restarted, true));
    assert_eq!(rows::<i32>(&again.instance, "SELECT a FROM kept"), [7]);

    // Marked, so a plain stop keeps the data.
    let stopped = down(&place.home, &PRODUCT, None, &Silent).unwrap();
    assert!(stopped.stopped && stopped.kept && !stopped.removed && !again.instance.lives());
    assert!(place.refused(&wish(&d)).contains("its data was kept, for size T, not D"));
    assert!(!place.site().join("run").exists());
    let data = DataFolder::open(&instance.data).unwrap();
    assert_eq!(PRODUCT.data_series(&data), Some(PRODUCT.series(&instance.version)));

    // The server's user puts links where root is going to write.
    let secret = place.dir.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let owner = |path: &Path| path.metadata().map(|m| (m.uid(), m.gid())).unwrap();
    let before = owner(&secret);
    for name in [FILE, PID_FILE] {
        _ = std::fs::remove_file(instance.data.join(name));
        symlink(&secret, instance.data.join(name)).unwrap();
    }

    // One that cannot start shows its own words, and starts when it can.
    let closed =
        |mode| std::fs::set_permissions(instance.data.join("ibdata1"), PermissionsExt::from_mode(mode)).unwrap();
    closed(0);
    let error = place.up(&wish(&t)).unwrap_err().to_string();
    assert!(error.contains("ended while it was starting") && error.contains("ibdata1"), "{error}");
    closed(0o660);
    assert_eq!(place.up(&wish(&t)).unwrap().how, How::Restarted);
    assert_eq!((std::fs::read_to_string(&secret).unwrap(), owner(&secret)), ("secret".to_owned(), before));
    assert!(!instance.data.join(FILE).is_symlink());
    assert_eq!(owner(&instance.data.join(FILE)), owner(&instance.data));

    let ended = down(&place.home, &PRODUCT, Some(false), &Silent).unwrap();
    assert!(ended.stopped && ended.removed && !ended.kept);
    assert!(!place.site().exists() && place.home.path().exists());
    assert!(visitor.0.try_wait().unwrap().is_none());
}

#[test]
fn its_settings_are_in_force_and_its_account_is_the_only_one() {
    let place = TestHome::new(&PRODUCT, "home");
    let instance = place.up(&wish(&size("T", 8 * MIB))).unwrap().instance;
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
fn homes_do_not_clash_however_long_their_paths_and_whatever_was_left_there() {
    let long = format!("a b=#'/{}", "long/".repeat(25));
    let (first, second) = (TestHome::new(&PRODUCT, "a"), TestHome::new(&PRODUCT, &long));
    let t = size("T", 8 * MIB);
    // As if dbdyno and the installer had been killed in the middle.
    let making = second.site().join("data.making");
    left_behind(&making);
    std::fs::write(making.join("base/user.frm"), "").unwrap();
    let (first_up, second_up) = std::thread::scope(|scope| {
        let second = scope.spawn(|| second.up(&wish(&t)).unwrap());
        (first.up(&wish(&t)).unwrap(), second.join().unwrap())
    });
    assert!(!making.exists());
    let short = &second_up.instance.socket_folder;
    assert!(short.starts_with("/tmp") && mode(short) == 0o700, "{}", short.display());
    for up in [&first_up, &second_up] {
        assert_eq!(setting(&up.instance, "datadir"), format!("{}/", up.instance.data.display()));
    }
    for place in [&first, &second] {
        assert!(down(&place.home, &PRODUCT, None, &Silent).unwrap().removed);
    }
    assert!(!short.exists() && !second_up.instance.lives());
    assert!(!first.site().exists() && !second.site().exists());
}

#[test]
fn a_server_that_dies_or_stands_still_while_it_starts_is_told() {
    dbdyno_testkit::private::a_server_that_dies_or_stands_still_while_it_starts_is_told(&PRODUCT);
}

#[test]
fn what_is_not_dbdynos_is_neither_removed_nor_killed() {
    what_dbdyno_never_made_is_left_alone(&PRODUCT);
    a_process_that_is_not_the_server_is_not_killed(&PRODUCT);
}

#[test]
fn what_is_called_off_leaves_nothing_behind() {
    let place = TestHome::new(&PRODUCT, "home");
    let error = place.up_watched(&wish(&size("T", 8 * MIB)), &Impatient::default()).unwrap_err();
    assert!(matches!(&error, ServerError::Failed(e) if e.class == ErrorClass::Cancelled), "{error}");
    assert!(!place.site().exists());
}

/// An archive has its installer beside the folder of the server, and a distribution its server beside that of the installer.
#[test]
fn a_part_that_fails_shows_its_words_and_leaves_nothing_behind_wherever_its_programs_are() {
    let place = TestHome::new(&PRODUCT, "home");
    let version = "--version) echo 'mariadbd  Ver 10.11.9-MariaDB for Linux on x86_64 (x)'";
    let script = format!("#!/bin/sh\ncase $1 in {version};; *) echo no room for it >&2; exit 1;; esac\n");
    let t = size("T", 8 * MIB);
    for (server, installer, named) in [("bin", "bin", "bin"), ("bin", "scripts", "bin"), ("sbin", "bin", "bin")] {
        let base = place.dir.path().join(format!("{server}-{installer}"));
        place.fake(&base.join("both"), &script);
        for (folder, program) in [(server, PROGRAMS.needed[0]), (installer, PROGRAMS.needed[1])] {
            std::fs::create_dir_all(base.join(folder)).unwrap();
            std::fs::rename(base.join("both").join(program), base.join(folder).join(program)).unwrap();
        }
        let error = place.up(&Wish { programs: Some(&base.join(named)), ..wish(&t) }).unwrap_err().to_string();
        assert!(error.contains("making the data folder failed") && error.contains("no room for it"), "{error}");
        assert!(!place.site().exists());
    }
}

#[test]
fn programs_that_do_not_do_are_refused_before_anything_is_done() {
    let place = TestHome::new(&PRODUCT, "home");
    let t = size("T", 8 * MIB);
    let [none, old, other] = ["none", "old", "other"].map(|name| place.dir.path().join(name).join("bin"));
    std::fs::create_dir_all(&none).unwrap();
    place.fake(&old, "#!/bin/sh\necho 'mariadbd  Ver 10.6.18-MariaDB for Linux on x86_64'\n");
    place.fake(&other, "#!/bin/sh\necho 'mysqld  Ver 8.0.39 for Linux on x86_64 (MySQL Community Server - GPL)'\n");
    for (folder, why) in [
        (&none, "does not hold mariadbd and mariadb-install-db; install"),
        (&old, "10.6.18; dbdyno needs 10.11"),
        (&other, "it does not tell its version"),
    ] {
        let refused = place.refused(&Wish { programs: Some(folder), ..wish(&t) });
        assert!(refused.contains(why) && refused.contains("DBDYNO_MARIADB_BIN"), "{refused}");
    }
    assert!(!place.site().exists());
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
        settings::of(&Ground { size: &size, version, socket_folder: Path::new("/run"), hardware_threads: 96 })
    };
    let (small, large) = (text("D", 64 * MIB, "10.11.14"), text("M", 12 << 30, "11.8.2"));
    assert!(small.contains("innodb_flush_method = O_DIRECT\n") && !large.contains("innodb_flush_method"));
    assert!(!small.contains("innodb_data_file_buffering") && large.contains("innodb_data_file_buffering = OFF\n"));
    assert!(small.contains("innodb_buffer_pool_size = 64M\n") && small.contains("innodb_log_file_size = 1024M\n"));
    assert!(large.contains("innodb_buffer_pool_size = 12288M\n") && large.contains("innodb_log_file_size = 16384M\n"));
}
