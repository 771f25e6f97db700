use super::*;
use dbdyno_engine::private::{How, Instance, Stage, UpRequest, down, find};
use dbdyno_engine::server::{Connection as _, first};
use dbdyno_engine::servers::{Process, Silent};
use dbdyno_testkit::private::{
    Later, MIB, TestHome, a_process_that_is_not_the_server_is_not_killed, homes_do_not_clash, is_held_to_processors,
    refuses_programs, request, run_sql, size, survives_crashes_and_failed_starts, uid_of, unmark,
    what_dbdyno_never_made_is_left_alone,
};
use std::os::unix::process::CommandExt;
use std::sync::atomic::Ordering;
use std::time::Duration;

fn client(instance: &Instance) -> PostgresConnection {
    let target = format!("postgres://{NAME}@/{NAME}?host={}&port={PORT}", instance.socket_folder.display());
    let options = Options::parse(&Target::parse(&target).unwrap()).unwrap();
    PostgresConnection::open(&options, 0, "dbdyno test").unwrap()
}

fn value(instance: &Instance, sql: &str) -> String {
    first(client(instance).texts("asking", sql).unwrap()).unwrap()
}

#[test]
fn an_instance_survives_crashes_and_failed_starts() {
    let target = "postgres://dbdyno@/dbdyno?host=SOCKETS&port=5432";
    survives_crashes_and_failed_starts(&PRODUCT, target, PID_FILE, "global/pg_control", |instance| {
        let expected =
            [("shared_buffers", "8MB"), ("listen_addresses", ""), ("autovacuum", "off"), ("server_encoding", "UTF8")];
        for (name, expected) in expected {
            assert_eq!(value(instance, &format!("SHOW {name}")), expected, "{name}");
        }
        let extension = "SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_buffercache'";
        if value(instance, extension) == "1" {
            let buffers = value(instance, "SELECT count(*) FROM public.pg_buffercache");
            assert_eq!(buffers, "1024", "8 MiB in blocks of 8 KiB");
        }
    });
}

#[test]
fn homes_do_not_clash_however_long_their_paths_and_whatever_was_left_there() {
    homes_do_not_clash(&PRODUCT, "a b", "PG_VERSION", "SHOW data_directory;");
}

#[test]
fn a_cancelled_start_leaves_nothing_behind() {
    dbdyno_testkit::private::a_cancelled_start_leaves_nothing_behind(&PRODUCT);
}

#[test]
fn a_killed_maker_of_data_is_found_and_ended() {
    let place = TestHome::new(&PRODUCT, "home");
    let t = size("T", 8 * MIB);
    let programs = place.dir.path().join("bin");
    place.fake(&programs, "#!/bin/sh\ncase $1 in --version) echo 'postgres (PostgreSQL) 15.1';; *) sleep 60;; esac\n");
    let slow = UpRequest { programs: Some(&programs), ..request(&t) };
    let watch = Later::default();
    let record = place.instance_folder().join("instance.json");
    let recorded = std::thread::scope(|scope| {
        scope.spawn(|| place.up_watched(&slow, &watch));
        let recorded = loop {
            if let Ok(text) = std::fs::read_to_string(&record) {
                break text;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let instance: Instance = serde_json::from_str(&recorded).unwrap();
        assert!(instance.stage == Stage::Making && instance.lives());
        assert!(find(&place.home, &PRODUCT, None).unwrap_err().to_string().contains("still being started"));
        watch.0.store(true, Ordering::SeqCst);
        recorded
    });
    let instance: Instance = serde_json::from_str(&recorded).unwrap();
    assert!(!instance.lives() && !place.instance_folder().exists());

    // As after `kill -9` of dbdyno: the record is there, and the process goes on.
    let making = place.instance_folder().join("data.making");
    std::fs::create_dir_all(&making).unwrap();
    let mut maker = std::process::Command::new("/bin/sh");
    maker.args(["-c", "sleep 60; exit", "initdb", "-D"]).arg(&making).process_group(0);
    let mut maker = maker.uid(uid_of(&instance)).spawn().unwrap();
    let process = Process::of(maker.id());
    let left = Instance { process: process.clone(), ..instance };
    std::fs::write(&record, serde_json::to_string(&left).unwrap()).unwrap();
    let done = down(&place.home, &PRODUCT, None, &Silent).unwrap();
    assert!(!done.stopped && !process.unwrap().lives() && !place.instance_folder().exists());
    maker.wait().unwrap();
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
fn an_instance_of_an_earlier_version_is_used_stopped_and_removed() {
    let place = TestHome::new(&PRODUCT, "home");
    let t = size("T", 8 * MIB);
    let instance = place.up(&request(&t)).unwrap().instance;
    let sql = "CREATE TABLE public.kept (a int); INSERT INTO public.kept VALUES (7)";
    client(&instance).batch("making a table", sql).unwrap();
    unmark(&place.instance_folder());
    assert_eq!(place.up(&request(&t)).unwrap().how, How::Already);
    assert!(down(&place.home, &PRODUCT, Some(true), &Silent).unwrap().kept);
    unmark(&place.instance_folder());
    let again = place.up(&request(&t)).unwrap();
    assert_eq!(again.how, How::Restarted);
    assert_eq!(value(&again.instance, "SELECT a FROM public.kept"), "7");
    assert!(down(&place.home, &PRODUCT, Some(true), &Silent).unwrap().kept);

    // Somebody puts another server's data in its place, as `initdb` leaves it.
    let (data, away) = (place.instance_folder().join("data"), place.dir.path().join("away"));
    std::fs::rename(&data, &away).unwrap();
    assert!(std::process::Command::new("cp").arg("-a").args([&away, &data]).status().unwrap().success());
    std::fs::remove_file(data.join(SETTINGS)).unwrap();
    for refused in [down(&place.home, &PRODUCT, Some(false), &Silent).unwrap_err(), place.up(&request(&t)).unwrap_err()]
    {
        assert!(refused.to_string().contains("nothing proves that dbdyno made it"), "{refused}");
    }
    assert!(data.join("PG_VERSION").is_file());
    // Nor are they taken for the instance's under a record of another place.
    let copy =
        |name: &str| std::process::Command::new("cp").arg("-p").args([away.join(name), data.join(name)]).status();
    assert!(copy(SETTINGS).unwrap().success());
    let record = place.instance_folder().join("instance.json");
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, text.replace(&data.display().to_string(), &away.display().to_string())).unwrap();
    assert!(down(&place.home, &PRODUCT, Some(false), &Silent).is_err() && data.is_dir());
    std::fs::remove_dir_all(&data).unwrap();
    std::fs::rename(&away, &data).unwrap();
    std::fs::write(&record, text).unwrap();
    unmark(&place.instance_folder());
    assert!(down(&place.home, &PRODUCT, Some(false), &Silent).unwrap().removed);
    assert!(!place.instance_folder().exists());
}

#[test]
fn an_instance_is_held_to_processors() {
    is_held_to_processors(&PRODUCT, |instance| {
        assert_eq!(run_sql(&PRODUCT, instance, "SHOW max_parallel_workers;"), "16");
    });
}

#[test]
fn settings_are_not_written_through_a_link() {
    let place = TestHome::new(&PRODUCT, "home");
    let (t, programs, secret) = (size("T", 8 * MIB), place.dir.path().join("bin"), place.dir.path().join("secret"));
    std::fs::write(&secret, "secret").unwrap();
    // As if another process of the server's user were quicker than dbdyno once the data is made.
    let script = format!(
        "#!/bin/sh\ncase $1 in\n--version) echo 'postgres (PostgreSQL) 15.1';;\n--single) ;;\n*) for last; do :; done\n  ln -s '{}' \"$last/postgresql.conf\";;\nesac\n",
        secret.display()
    );
    place.fake(&programs, &script);
    let error = place.up(&UpRequest { programs: Some(&programs), ..request(&t) }).unwrap_err().to_string();
    assert!(error.contains("cannot write the settings") && error.contains("postgresql.conf is a link"), "{error}");
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    assert!(!place.instance_folder().exists());
}

#[test]
fn programs_that_do_not_do_are_refused_before_anything_is_done() {
    refuses_programs(
        &PRODUCT,
        &[
            (None, "does not hold postgres and initdb; install"),
            (Some("postgres (PostgreSQL) 9.6.24"), "9.6.24; dbdyno needs 13"),
        ],
    );
}

#[test]
fn versions_are_read_and_settings_fit_them() {
    let version = |said: &str| PRODUCT.version(said);
    assert_eq!(version("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n").as_deref(), Some("15.18"));
    assert_eq!(version("postgres (PostgreSQL) 19beta1").as_deref(), Some("19beta1"));
    assert_eq!(version("initdb: something else"), None);
    assert_eq!((major("19beta1"), major("9.6.24"), major("")), (19, 9, 0));
    assert!(PRODUCT.too_old("12.1").is_some() && PRODUCT.too_old("13.0").is_none());
    let size = size("M", 12 << 30);
    let limited = |memory_limit_bytes, version| {
        let socket_folder = Path::new("/run");
        settings(&Sizing { size: &size, version, socket_folder, hardware_threads: 96, memory_limit_bytes })
    };
    let text = |version| limited(None, version);
    assert!(text("18.4").contains("maintenance_work_mem = 2048MB\n"));
    // An eighth of what is beside the cache, so that several index builds at the same time are not killed.
    assert!(limited(Some(13 << 30), "18.4").contains("maintenance_work_mem = 128MB\n"));
    assert!(limited(Some(12 << 30), "18.4").contains("maintenance_work_mem = 1MB\n"), "the least that is valid");
    assert!(!text("13.23").contains("track_wal_io_timing") && text("14.0").contains("track_wal_io_timing = on"));
    assert!(
        text("18.4").contains("shared_buffers = 12582912kB\n") && text("18.4").contains("max_parallel_workers = 192\n")
    );
}

#[test]
fn a_server_listens_where_it_is_told_to_and_nowhere_else() {
    let place = |tcp_port| Place {
        programs: "/bin".into(),
        data: "/d".into(),
        socket_folder: "/it's".into(),
        tcp_port,
        access: Access::Own,
    };
    let text = |tcp_port| PRODUCT.settings_of(&PRODUCT.reach(&place(tcp_port)));
    let socket = "unix_socket_directories = '/it''s'\n";
    assert_eq!(text(None), format!("listen_addresses = ''\nport = '5432'\n{socket}"));
    assert_eq!(text(Some(6_000)), format!("listen_addresses = '127.0.0.1'\nport = '6000'\n{socket}"));
    assert_eq!(
        PRODUCT.settings_of(&PRODUCT.tls(Path::new("/c"), Path::new("/k"))),
        "ssl = 'on'\nssl_cert_file = '/c'\nssl_key_file = '/k'\n"
    );
}
