use super::*;
use dbdyno_engine::private::{How, Instance, Stage, Up, Wish, down, find};
use dbdyno_engine::servers::{Process, ServerError, Silent};
use dbdyno_model::ErrorClass;
use dbdyno_testkit::private::{
    Impatient, Later, MIB, TestHome, Visitor, a_process_that_is_not_the_server_is_not_killed, kill, left_behind, mode,
    size, uid_of, unmark, what_dbdyno_never_made_is_left_alone, wish,
};
use postgres::Client;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::sync::atomic::Ordering;

fn client(instance: &Instance) -> Client {
    let mut config = Config::new();
    config.host_path(&instance.socket_folder).port(PORT).user(NAME).dbname(NAME);
    config.connect(NoTls).unwrap()
}

fn setting(instance: &Instance, name: &str) -> String {
    client(instance).query_one(&format!("SHOW {name}"), &[]).unwrap().get(0)
}

#[test]
fn an_instance_survives_everything_but_its_end() {
    let place = TestHome::new(&PRODUCT, "home");
    let (t, d) = (size("T", 8 * MIB), size("D", 64 * MIB));
    assert!(find(&place.home, &PRODUCT).unwrap_err().to_string().ends_with("start it: dbdyno up postgres --size D"));

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
    let expected =
        [("shared_buffers", "8MB"), ("listen_addresses", ""), ("autovacuum", "off"), ("server_encoding", "UTF8")];
    for (name, value) in expected {
        assert_eq!(setting(instance, name), value, "{name}");
    }
    let server = find(&place.home, &PRODUCT).unwrap();
    let target = format!("postgres://dbdyno@/dbdyno?host={}/run&port=5432", place.site().display());
    assert_eq!((server.target.to_string(), server.pid, server.size.as_str()), (target, instance.pid(), "T"));
    let extension = "SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_buffercache'";
    if client(instance).query_one(extension, &[]).unwrap().get::<_, i64>(0) == 1 {
        let buffers: i64 = client(instance).query_one("SELECT count(*) FROM pg_buffercache", &[]).unwrap().get(0);
        assert_eq!(buffers, 1024, "8 MiB in blocks of 8 KiB");
    }
    client(instance).batch_execute("CREATE TABLE kept (a int); INSERT INTO kept VALUES (7)").unwrap();
    let other = place.refused(&wish(&d));
    assert!(other.contains("runs for size T, not D; go on with it: dbdyno up postgres --size T"), "{other}");

    // Somebody who looks around in the data outlives all of this.
    let mut visitor = Visitor::new(&instance.data);

    // Killed together with everything in it; the next start recovers, and says so before.
    kill(instance);
    assert!(find(&place.home, &PRODUCT).unwrap_err().to_string().contains("has ended by itself"));
    let again = place.up(&Wish { keep: Some(true), ..wish(&t) }).unwrap();
    assert_eq!((again.how, again.instance.keep), (How::Restarted, true));
    let kept: i32 = client(&again.instance).query_one("SELECT a FROM kept", &[]).unwrap().get(0);
    assert_eq!(kept, 7);

    // Marked, so a plain stop keeps the data.
    let stopped = down(&place.home, &PRODUCT, None, &Silent).unwrap();
    assert!(stopped.stopped && stopped.kept && !stopped.removed && !again.instance.lives());
    assert!(place.refused(&wish(&d)).contains("its data was kept, for size T, not D"));
    assert!(!place.site().join("run").exists());

    // The server's user puts links where root is going to write.
    let secret = place.dir.path().join("secret");
    std::fs::write(&secret, "secret").unwrap();
    let owner = |path: &Path| path.metadata().map(|m| (m.uid(), m.gid())).unwrap();
    let before = owner(&secret);
    for name in [SETTINGS, PID_FILE] {
        _ = std::fs::remove_file(instance.data.join(name));
        std::os::unix::fs::symlink(&secret, instance.data.join(name)).unwrap();
    }

    // One that cannot start shows its own words, and starts when it can.
    let conf = instance.data.join("postgresql.conf");
    let good = std::fs::read(&conf).unwrap();
    std::fs::write(&conf, [good.as_slice(), b"no_such_setting = 1\n"].concat()).unwrap();
    let error = place.up(&wish(&t)).unwrap_err().to_string();
    assert!(error.contains("ended while it was starting") && error.contains("no_such_setting"), "{error}");
    std::fs::write(&conf, good).unwrap();
    assert_eq!(place.up(&wish(&t)).unwrap().how, How::Restarted);
    assert_eq!((std::fs::read_to_string(&secret).unwrap(), owner(&secret)), ("secret".to_owned(), before));
    assert!(!instance.data.join(SETTINGS).is_symlink());
    assert_eq!(owner(&instance.data.join(SETTINGS)), owner(&instance.data));

    let ended = down(&place.home, &PRODUCT, Some(false), &Silent).unwrap();
    assert!(ended.stopped && ended.removed && !ended.kept);
    assert!(!place.site().exists() && place.home.path().exists());
    assert!(visitor.0.try_wait().unwrap().is_none());
    let nothing = down(&place.home, &PRODUCT, None, &Silent).unwrap();
    assert!(nothing.instance.is_none() && !nothing.removed);
}

#[test]
fn homes_do_not_clash_however_long_their_paths_and_whatever_was_left_there() {
    let (first, second) =
        (TestHome::new(&PRODUCT, "a"), TestHome::new(&PRODUCT, &format!("a b/{}", "long/".repeat(25))));
    let t = size("T", 8 * MIB);
    // As if dbdyno and initdb had been killed in the middle.
    let making = second.site().join("data.making");
    left_behind(&making);
    std::fs::write(making.join("PG_VERSION"), "15").unwrap();

    let limited = Wish { memory_limit_bytes: Some(256 * MIB), ..wish(&t) };
    let (first_up, second_up) = std::thread::scope(|scope| {
        let second = scope.spawn(|| second.up(&wish(&t)).unwrap());
        let first = first.up(&limited).or_else(|error| {
            assert!(matches!(&error, ServerError::Refused(text) if text.contains("control group")), "{error}");
            assert!(!first.site().exists(), "refused before anything was started");
            first.up(&wish(&t))
        });
        (first.unwrap(), second.join().unwrap())
    });
    assert!(!making.exists());
    let short = &second_up.instance.socket_folder;
    assert!(short.starts_with("/tmp") && mode(short) == 0o700, "{}", short.display());
    for up in [&first_up, &second_up] {
        assert_eq!(setting(&up.instance, "data_directory"), up.instance.data.to_string_lossy());
    }
    if let Some(group) = &first_up.instance.cgroup {
        let ours = std::fs::read_to_string(format!("/proc/{}/cgroup", first_up.instance.pid())).unwrap();
        assert!(ours.contains(group.file_name().unwrap().to_str().unwrap()), "{ours}");
        let limit = ["memory.max", "memory.limit_in_bytes"].map(|file| std::fs::read_to_string(group.join(file)));
        assert!(limit.iter().flatten().any(|text| text.trim() == (256 * MIB).to_string()), "{limit:?}");
        let other = first.refused(&Wish { memory_limit_bytes: Some(512 * MIB), ..wish(&t) });
        assert!(other.contains("dbdyno down postgres --keep"), "{other}");
    }
    for place in [&first, &second] {
        assert!(down(&place.home, &PRODUCT, None, &Silent).unwrap().removed);
    }
    assert!(!short.exists() && first_up.instance.cgroup.is_none_or(|group| !group.exists()));
    assert!(!second_up.instance.lives() && !first.site().exists() && !second.site().exists());
}

#[test]
fn what_is_called_off_leaves_nothing_behind() {
    let place = TestHome::new(&PRODUCT, "home");
    let t = size("T", 8 * MIB);
    let error = place.up_watched(&wish(&t), &Impatient::default()).unwrap_err();
    assert!(matches!(&error, ServerError::Failed(e) if e.class == ErrorClass::Cancelled), "{error}");
    assert!(!place.site().exists());
}

#[test]
fn a_killed_maker_of_data_is_found_and_ended() {
    let place = TestHome::new(&PRODUCT, "home");
    let t = size("T", 8 * MIB);
    let programs = place.dir.path().join("bin");
    place.fake(&programs, "#!/bin/sh\ncase $1 in --version) echo 'postgres (PostgreSQL) 15.1';; *) sleep 60;; esac\n");
    let slow = Wish { programs: Some(&programs), ..wish(&t) };
    let watch = Later::default();
    let record = place.site().join("instance.json");
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
        assert!(find(&place.home, &PRODUCT).unwrap_err().to_string().contains("still being started"));
        watch.0.store(true, Ordering::SeqCst);
        recorded
    });
    let instance: Instance = serde_json::from_str(&recorded).unwrap();
    assert!(!instance.lives() && !place.site().exists());

    // As after `kill -9` of dbdyno: the record is there, and the process goes on.
    let making = place.site().join("data.making");
    std::fs::create_dir_all(&making).unwrap();
    let mut maker = std::process::Command::new("/bin/sh");
    maker.args(["-c", "sleep 60; exit", "initdb", "-D"]).arg(&making).process_group(0);
    let mut maker = maker.uid(uid_of(&instance)).spawn().unwrap();
    let process = Process::of(maker.id());
    let left = Instance { process: process.clone(), ..instance };
    std::fs::write(&record, serde_json::to_string(&left).unwrap()).unwrap();
    let done = down(&place.home, &PRODUCT, None, &Silent).unwrap();
    assert!(!done.stopped && !process.unwrap().lives() && !place.site().exists());
    maker.wait().unwrap();
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
fn an_instance_of_an_earlier_version_is_used_stopped_and_removed() {
    let place = TestHome::new(&PRODUCT, "home");
    let t = size("T", 8 * MIB);
    let instance = place.up(&wish(&t)).unwrap().instance;
    client(&instance).batch_execute("CREATE TABLE kept (a int); INSERT INTO kept VALUES (7)").unwrap();
    unmark(&place.site());
    assert_eq!(place.up(&wish(&t)).unwrap().how, How::Already);
    assert!(down(&place.home, &PRODUCT, Some(true), &Silent).unwrap().kept);
    unmark(&place.site());
    let again = place.up(&wish(&t)).unwrap();
    assert_eq!(again.how, How::Restarted);
    let kept: i32 = client(&again.instance).query_one("SELECT a FROM kept", &[]).unwrap().get(0);
    assert_eq!(kept, 7);
    assert!(down(&place.home, &PRODUCT, Some(true), &Silent).unwrap().kept);

    // Somebody puts another server's data in its place, as `initdb` leaves it.
    let (data, away) = (place.site().join("data"), place.dir.path().join("away"));
    std::fs::rename(&data, &away).unwrap();
    assert!(std::process::Command::new("cp").arg("-a").args([&away, &data]).status().unwrap().success());
    std::fs::remove_file(data.join(SETTINGS)).unwrap();
    for refused in [down(&place.home, &PRODUCT, Some(false), &Silent).unwrap_err(), place.up(&wish(&t)).unwrap_err()] {
        assert!(refused.to_string().contains("nothing proves that dbdyno made it"), "{refused}");
    }
    assert!(data.join("PG_VERSION").is_file());
    // Nor are they taken for the instance's under a record of another place.
    let copy =
        |name: &str| std::process::Command::new("cp").arg("-p").args([away.join(name), data.join(name)]).status();
    assert!(copy(SETTINGS).unwrap().success());
    let record = place.site().join("instance.json");
    let text = std::fs::read_to_string(&record).unwrap();
    std::fs::write(&record, text.replace(&data.display().to_string(), &away.display().to_string())).unwrap();
    assert!(down(&place.home, &PRODUCT, Some(false), &Silent).is_err() && data.is_dir());
    std::fs::remove_dir_all(&data).unwrap();
    std::fs::rename(&away, &data).unwrap();
    std::fs::write(&record, text).unwrap();
    unmark(&place.site());
    assert!(down(&place.home, &PRODUCT, Some(false), &Silent).unwrap().removed);
    assert!(!place.site().exists());
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
    let error = place.up(&Wish { programs: Some(&programs), ..wish(&t) }).unwrap_err().to_string();
    assert!(error.contains("cannot write the settings") && error.contains("postgresql.conf is a link"), "{error}");
    assert_eq!(std::fs::read_to_string(&secret).unwrap(), "secret");
    assert!(!place.site().exists());
}

#[test]
fn programs_that_do_not_do_are_refused_before_anything_is_done() {
    let place = TestHome::new(&PRODUCT, "home");
    let t = size("T", 8 * MIB);
    let (none, old) = (place.dir.path().join("none"), place.dir.path().join("old"));
    std::fs::create_dir_all(&none).unwrap();
    place.fake(&old, "#!/bin/sh\necho 'postgres (PostgreSQL) 9.6.24'\n");
    for (folder, why) in [(&none, "does not hold postgres and initdb; install"), (&old, "9.6.24; dbdyno needs 13")] {
        let refused = place.refused(&Wish { programs: Some(folder), ..wish(&t) });
        assert!(refused.contains(why) && refused.contains("DBDYNO_POSTGRES_BIN"), "{refused}");
    }
    let tight = place.refused(&Wish { memory_limit_bytes: Some(20 * MIB), ..wish(&t) });
    assert!(tight.contains("20 MiB is too small"), "{tight}");
    assert!(!place.site().exists());
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
    let text = |version| {
        let ground = Ground { size: &size, version, socket_folder: Path::new("/run"), hardware_threads: 96 };
        settings(&ground)
    };
    assert!(!text("13.23").contains("track_wal_io_timing") && text("14.0").contains("track_wal_io_timing = on"));
    assert!(
        text("18.4").contains("shared_buffers = 12582912kB\n") && text("18.4").contains("max_parallel_workers = 192\n")
    );
}
