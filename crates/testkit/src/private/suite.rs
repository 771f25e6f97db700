//! What the private instances of every product must do.

use super::{Impatient, MIB, Meddler, TestHome, Visitor, entries, inside, kill, left_behind, mode, request, size};
use dbdyno_engine::private::{How, Instance, Stage, Up, UpRequest, down, find};
use dbdyno_engine::servers::{Account, Process, Product, ServerError, Silent, Watch};
use dbdyno_model::ErrorClass;
use rustix::process::Signal;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// From the first `up` to the last `down`, through crashes, stops and failed starts. In a target, `SOCKETS` stands for
/// the socket's folder. Without the file `needed` the server cannot start. `look` checks what is specific to the
/// product.
pub fn survives_everything_but_its_end(
    product: &'static dyn Product,
    target: &str,
    pid_file: &str,
    needed: &str,
    look: impl Fn(&Instance),
) {
    let (place, engine) = (TestHome::new(product, "home"), product.about().engine);
    let (t, d) = (size("T", 8 * MIB), size("D", 64 * MIB));
    let nothing = find(&place.home, product).unwrap_err().to_string();
    assert!(nothing.ends_with(&format!("start it: dbdyno up {engine} --size D")), "{nothing}");

    // Two at the same time: one creates the instance, the other finds it.
    let both: Vec<Up> = std::thread::scope(|scope| {
        let begun = [(); 2].map(|()| scope.spawn(|| place.up(&request(&t)).unwrap()));
        begun.map(|thread| thread.join().unwrap()).into()
    });
    let mut how = [both[0].how, both[1].how];
    how.sort_by_key(|how| *how == How::Already);
    assert_eq!(how, [How::Made, How::Already]);
    assert_eq!(both[0].instance, both[1].instance);
    let instance = &both[0].instance;
    assert_eq!((mode(&instance.socket_folder), mode(&instance.data)), (0o700, 0o700));
    let server = find(&place.home, product).unwrap();
    let target = target.replace("SOCKETS", place.instance_folder().join("run").to_str().unwrap());
    assert_eq!((server.target.to_string(), server.pid, server.size.as_str()), (target, instance.pid(), "T"));
    look(instance);
    inside(product, instance, "CREATE TABLE kept (a int); INSERT INTO kept VALUES (7);");
    let other = place.refused(&request(&d));
    let go_on = format!("runs for size T, not D; go on with it: dbdyno up {engine} --size T");
    assert!(other.contains(&go_on), "{other}");

    // A process in the data folder survives all of this.
    let mut visitor = Visitor::new(&instance.data);

    // The server and all its processes are killed; the next start recovers, and reports it first.
    kill(instance);
    assert!(find(&place.home, product).unwrap_err().to_string().contains("has ended by itself"));
    let again = place.up(&UpRequest { keep: Some(true), ..request(&t) }).unwrap();
    assert_eq!((again.how, again.instance.keep), (How::Restarted, true));
    assert_eq!(inside(product, &again.instance, "SELECT a FROM kept;"), "7");

    // The data is marked to be kept, so a plain stop keeps it.
    let stopped = down(&place.home, product, None, &Silent).unwrap();
    assert!(stopped.stopped && stopped.kept && !stopped.removed && !again.instance.lives());
    assert!(place.refused(&request(&d)).contains("its data was kept, for size T, not D"));
    assert!(!place.instance_folder().join("run").exists());

    // The server's user puts links where root will write.
    let (secret, settings) = (place.dir.path().join("secret"), instance.data.join(product.about().settings_file));
    std::fs::write(&secret, "secret").unwrap();
    let owner = |path: &Path| path.metadata().map(|m| (m.uid(), m.gid())).unwrap();
    let before = owner(&secret);
    for link in [&settings, &instance.data.join(pid_file)] {
        _ = std::fs::remove_file(link);
        symlink(&secret, link).unwrap();
    }

    // A server that cannot start shows its own messages, and starts when it can.
    let needed = instance.data.join(needed);
    let open = needed.metadata().unwrap().permissions();
    std::fs::set_permissions(&needed, PermissionsExt::from_mode(0o0)).unwrap();
    let error = place.up(&request(&t)).unwrap_err().to_string();
    let name = needed.file_name().unwrap().to_str().unwrap();
    assert!(error.contains("ended while it was starting") && error.contains(name), "{error}");
    std::fs::set_permissions(&needed, open).unwrap();
    assert_eq!(place.up(&request(&t)).unwrap().how, How::Restarted);
    assert_eq!((std::fs::read_to_string(&secret).unwrap(), owner(&secret)), ("secret".to_owned(), before));
    assert!(!settings.is_symlink());
    assert_eq!(owner(&settings), owner(&instance.data));

    let ended = down(&place.home, product, Some(false), &Silent).unwrap();
    assert!(ended.stopped && ended.removed && !ended.kept);
    assert!(!place.instance_folder().exists() && place.home.path().exists());
    assert!(visitor.0.try_wait().unwrap().is_none());
    let nothing = down(&place.home, product, None, &Silent).unwrap();
    assert!(nothing.instance.is_none() && !nothing.removed);
}

/// Two homes side by side: one with a memory limit where that is possible, the other at the end of a long path with a
/// strange name, with half a data folder in it. `data` is SQL for the place of the data.
pub fn homes_do_not_clash(product: &'static dyn Product, odd: &str, left: &str, data: &str) {
    let long = format!("{odd}/{}", "long/".repeat(25));
    let (first, second) = (TestHome::new(product, "a"), TestHome::new(product, &long));
    let t = size("T", 8 * MIB);
    // As if dbdyno and the program that makes the data had been killed in the middle.
    let making = second.instance_folder().join("data.making");
    left_behind(&making);
    std::fs::write(making.join(left), "15").unwrap();
    let limited = UpRequest { memory_limit_bytes: Some(256 * MIB), ..request(&t) };
    let (first_up, second_up) = std::thread::scope(|scope| {
        let second = scope.spawn(|| second.up(&request(&t)).unwrap());
        let first = first.up(&limited).or_else(|error| {
            assert!(matches!(&error, ServerError::Refused(text) if text.contains("control group")), "{error}");
            assert!(!first.instance_folder().exists(), "refused before anything was started");
            first.up(&request(&t))
        });
        (first.unwrap(), second.join().unwrap())
    });
    assert!(!making.exists());
    let short = &second_up.instance.socket_folder;
    assert!(short.starts_with("/tmp") && mode(short) == 0o700, "{}", short.display());
    for up in [&first_up, &second_up] {
        let folder = inside(product, &up.instance, data);
        assert_eq!(Path::new(folder.trim_end_matches('/')), up.instance.data);
    }
    if let Some(group) = &first_up.instance.cgroup {
        let ours = std::fs::read_to_string(format!("/proc/{}/cgroup", first_up.instance.pid())).unwrap();
        assert!(ours.contains(group.file_name().unwrap().to_str().unwrap()), "{ours}");
        let limit = ["memory.max", "memory.limit_in_bytes"].map(|file| std::fs::read_to_string(group.join(file)));
        assert!(limit.iter().flatten().any(|text| text.trim() == (256 * MIB).to_string()), "{limit:?}");
        let other = first.refused(&UpRequest { memory_limit_bytes: Some(512 * MIB), ..request(&t) });
        assert!(other.contains(&format!("dbdyno down {} --keep", product.about().engine)), "{other}");
    }
    for place in [&first, &second] {
        assert!(down(&place.home, product, None, &Silent).unwrap().removed);
    }
    assert!(!short.exists() && first_up.instance.cgroup.is_none_or(|group| !group.exists()));
    assert!(!second_up.instance.lives() && !first.instance_folder().exists() && !second.instance_folder().exists());
}

/// Programs with these outputs, missing programs, and a limit that is too small are refused before anything is done.
pub fn refuses_programs(product: &'static dyn Product, cases: &[(Option<&str>, &str)]) {
    let (place, t) = (TestHome::new(product, "home"), size("T", 8 * MIB));
    for (n, (said, why)) in cases.iter().enumerate() {
        let folder = place.dir.path().join(n.to_string()).join("bin");
        std::fs::create_dir_all(&folder).unwrap();
        if let Some(said) = said {
            place.fake(&folder, &format!("#!/bin/sh\necho '{said}'\n"));
        }
        let refused = place.refused(&UpRequest { programs: Some(&folder), ..request(&t) });
        assert!(refused.contains(why) && refused.contains(product.about().programs.variable), "{refused}");
    }
    let tight = place.refused(&UpRequest { memory_limit_bytes: Some(20 * MIB), ..request(&t) });
    assert!(tight.contains("20 MiB is too small"), "{tight}");
    assert!(!place.instance_folder().exists());
}

/// A start that is cancelled at once leaves nothing.
pub fn what_is_called_off_leaves_nothing_behind(product: &'static dyn Product) {
    let place = TestHome::new(product, "home");
    let error = place.up_watched(&request(&size("T", 8 * MIB)), &Impatient::default()).unwrap_err();
    assert!(matches!(&error, ServerError::Failed(e) if e.class == ErrorClass::Cancelled), "{error}");
    assert!(!place.instance_folder().exists());
}

/// Files of a user at the names that dbdyno uses stay unchanged, and nothing is added to them.
pub fn what_dbdyno_never_made_is_left_alone(product: &'static dyn Product) {
    let size = size("T", 8 * MIB);
    for name in ["data/PG_VERSION", "data.making/x", "data.removing/x", "run/x", "log", "data/base/1/1"] {
        let place = TestHome::new(product, "home");
        let theirs = place.instance_folder().join(name);
        std::fs::create_dir_all(theirs.parent().unwrap()).unwrap();
        std::fs::write(&theirs, "15\n").unwrap();
        let before = entries(&place.instance_folder());
        let downs = [None, Some(false), Some(true)].map(|keep| down(&place.home, product, keep, &Silent).unwrap_err());
        for refused in downs.iter().map(ToString::to_string).chain([place.refused(&request(&size))]) {
            assert!(refused.contains("nothing proves that dbdyno made it"), "{name}: {refused}");
        }
        assert_eq!(entries(&place.instance_folder()), before);
    }
    // Beside files with other names there is nothing to stop, and room for an instance.
    let place = TestHome::new(product, "home");
    std::fs::create_dir_all(place.instance_folder()).unwrap();
    std::fs::write(place.instance_folder().join("notes"), "mine").unwrap();
    let before = entries(&place.instance_folder());
    assert!(down(&place.home, product, None, &Silent).unwrap().instance.is_none());
    assert_eq!(entries(&place.instance_folder()), before);
}

/// A record whose process is not the instance's server: the process survives, and nothing else happens.
pub fn a_process_that_is_not_the_server_is_not_killed(product: &'static dyn Product) {
    let place = TestHome::new(product, "home");
    left_behind(&place.instance_folder().join("data"));
    left_behind(&place.instance_folder().join("data.making"));
    // It even works in the data folder as the server's user.
    let folder = place.instance_folder().join("data");
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    let account = Account::choose(product.about().users).unwrap();
    let mut visitor = account.command(Path::new("/bin/sleep"));
    let mut visitor = Visitor(visitor.arg("60").current_dir(&folder).stdout(Stdio::null()).spawn().unwrap());
    for stage in [Stage::Running, Stage::Starting, Stage::Making] {
        let instance = Instance {
            engine: product.about().engine.to_owned(),
            version: "1".to_owned(),
            size: "T".to_owned(),
            cache_bytes: MIB,
            stage,
            process: Process::of(visitor.0.id()),
            data: folder.clone(),
            socket_folder: place.instance_folder().join("run"),
            port: product.about().port,
            user: account.name.clone(),
            programs: PathBuf::from("/usr/bin"),
            log: place.instance_folder().join("log"),
            memory_limit_bytes: None,
            cgroup: None,
            keep: false,
        };
        instance.write(&place.home.instance_folder(product.about().engine).unwrap()).unwrap();
        let refused = down(&place.home, product, Some(false), &Silent).unwrap_err().to_string();
        assert!(refused.contains("so it is left alone, and nothing was done"), "{refused}");
        assert!(visitor.0.try_wait().unwrap().is_none() && folder.join("base").is_dir());
    }
    drop(visitor);
    assert!(down(&place.home, product, Some(false), &Silent).unwrap().removed);
    assert!(!place.instance_folder().exists());
}

/// A server that ends, or stands still, while its start is waited for.
pub fn a_server_that_dies_or_stands_still_while_it_starts_is_told(product: &'static dyn Product) {
    let (place, size) = (TestHome::new(product, "home"), size("T", 8 * MIB));
    let real = place.up(&request(&size)).unwrap().instance;
    down(&place.home, product, Some(true), &Silent).unwrap();
    // A server that never becomes ready, so that every signal comes in time.
    let programs = place.dir.path().join("bin");
    let server = product.about().programs.server(&real.programs);
    let answers = format!("case $1 in --version) exec '{}' --version;; esac", server.display());
    place.fake(&programs, &format!("#!/bin/sh\n{answers}\nwhile :; do sleep 1; done\n"));
    let never = UpRequest { programs: Some(&programs), ..request(&size) };
    let error = place.up_watched(&never, &Meddler(Signal::KILL)).unwrap_err().to_string();
    assert!(error.contains("the server ended while it was starting"), "{error}");
    // The next caller gets the same answer.
    for watch in [&Meddler(Signal::STOP) as &dyn Watch, &Silent] {
        let ServerError::Failed(error) = place.up_watched(&never, watch).unwrap_err() else { panic!("refused") };
        assert_eq!(error.class, ErrorClass::Timeout, "{error}");
        assert!(error.message.contains("stands still") && error.message.contains("kill -CONT"), "{error}");
    }
    let instance_folder = place.home.instance_folder(product.about().engine).unwrap();
    kill(&Instance::read(&instance_folder).unwrap().unwrap());
    let again = place.up(&UpRequest { programs: Some(&real.programs), ..request(&size) }).unwrap();
    assert_eq!(again.how, How::Restarted);
}
