//! What the private instances of every product must do.

use super::{
    CancelAtFirstNote, MIB, OtherProcess, SignalAtStart, TestHome, entries, kill, make_leftover, mode, request,
    run_sql, size,
};
use dbdyno_engine::private::{
    Cpus, HeldBy, How, Instance, Stage, Up, UpRequest, choose_cpus, cpus_in_words, down, find,
};
use dbdyno_engine::servers::{Account, Process, Product, ServerError, Silent, Watch, pids};
use dbdyno_model::ErrorClass;
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// An instance keeps its data through crashes, stops and failed starts, until a `down` removes it. In `target`,
/// `SOCKETS` stands for the socket's folder. Without the file `needed` the server cannot start. `check` checks what is
/// specific to the product.
pub fn survives_crashes_and_failed_starts(
    product: &'static dyn Product,
    target: &str,
    pid_file: &str,
    needed: &str,
    check: impl Fn(&Instance),
) {
    let (test_home, engine) = (TestHome::new(product, "home"), product.about().engine);
    let (t, d) = (size("T", 8 * MIB), size("D", 64 * MIB));
    let not_found = find(&test_home.home, product, None).unwrap_err().to_string();
    assert!(not_found.ends_with(&format!("start it: dbdyno up {engine} --size D")), "{not_found}");

    // Two at the same time: one creates the instance, the other finds it.
    let both: Vec<Up> = std::thread::scope(|scope| {
        let threads = [(); 2].map(|()| scope.spawn(|| test_home.up(&request(&t)).unwrap()));
        threads.map(|thread| thread.join().unwrap()).into()
    });
    let mut how = [both[0].how, both[1].how];
    how.sort_by_key(|how| *how == How::Already);
    assert_eq!(how, [How::Made, How::Already]);
    assert_eq!(both[0].instance, both[1].instance);
    let instance = &both[0].instance;
    assert_eq!((mode(&instance.socket_folder), mode(&instance.data)), (0o700, 0o700));
    let server = find(&test_home.home, product, None).unwrap();
    let target = target.replace("SOCKETS", test_home.instance_folder().join("run").to_str().unwrap());
    assert_eq!((server.target.to_string(), server.pid, server.size.as_str()), (target, instance.pid(), "T"));
    check(instance);
    run_sql(product, instance, "CREATE TABLE kept (a int); INSERT INTO kept VALUES (7);");
    let refusal = test_home.refused(&request(&d));
    let advice = format!("runs for size T, not D; go on with it: dbdyno up {engine} --size T");
    assert!(refusal.contains(&advice), "{refusal}");

    // Another process works in the data folder, and survives all of this.
    let mut other_process = OtherProcess::new(&instance.data);

    // The server and all its processes are killed; the next start recovers, and reports it first.
    kill(instance);
    assert!(find(&test_home.home, product, None).unwrap_err().to_string().contains("has ended by itself"));
    let again = test_home.up(&UpRequest { keep: Some(true), ..request(&t) }).unwrap();
    assert_eq!((again.how, again.instance.keep), (How::Restarted, true));
    assert_eq!(run_sql(product, &again.instance, "SELECT a FROM kept;"), "7");

    // The data is marked to be kept, so a plain stop keeps it.
    let stopped = down(&test_home.home, product, None, &Silent).unwrap();
    assert!(stopped.stopped && stopped.kept && !stopped.removed && !again.instance.lives());
    assert!(test_home.refused(&request(&d)).contains("its data was kept, for size T, not D"));
    assert!(!test_home.instance_folder().join("run").exists());

    // The server's user puts links where root will write.
    let (secret, settings) = (test_home.dir.path().join("secret"), instance.data.join(product.about().settings_file));
    std::fs::write(&secret, "secret").unwrap();
    let owner = |path: &Path| path.metadata().map(|m| (m.uid(), m.gid())).unwrap();
    let owner_before = owner(&secret);
    for link in [&settings, &instance.data.join(pid_file)] {
        _ = std::fs::remove_file(link);
        symlink(&secret, link).unwrap();
    }

    // A server that cannot start shows its own messages, and starts when it can.
    let needed = instance.data.join(needed);
    let permissions = needed.metadata().unwrap().permissions();
    std::fs::set_permissions(&needed, PermissionsExt::from_mode(0o0)).unwrap();
    let error = test_home.up(&request(&t)).unwrap_err().to_string();
    let name = needed.file_name().unwrap().to_str().unwrap();
    assert!(error.contains("ended while it was starting") && error.contains(name), "{error}");
    std::fs::set_permissions(&needed, permissions).unwrap();
    assert_eq!(test_home.up(&request(&t)).unwrap().how, How::Restarted);
    assert_eq!((std::fs::read_to_string(&secret).unwrap(), owner(&secret)), ("secret".to_owned(), owner_before));
    assert!(!settings.is_symlink());
    assert_eq!(owner(&settings), owner(&instance.data));

    let ended = down(&test_home.home, product, Some(false), &Silent).unwrap();
    assert!(ended.stopped && ended.removed && !ended.kept);
    assert!(!test_home.instance_folder().exists() && test_home.home.path().exists());
    assert!(other_process.0.try_wait().unwrap().is_none());
    let again = down(&test_home.home, product, None, &Silent).unwrap();
    assert!(again.instance.is_none() && !again.removed);
}

/// Two homes work side by side. The first has a memory limit, where that is possible. The second lies at the end of a
/// long path that begins with `odd_name`, and an interrupted start left a data folder with the file `left_file` there.
/// `data_sql` asks the server for its data folder.
pub fn homes_do_not_clash(product: &'static dyn Product, odd_name: &str, left_file: &str, data_sql: &str) {
    let long = format!("{odd_name}/{}", "long/".repeat(25));
    let (first, second) = (TestHome::new(product, "a"), TestHome::new(product, &long));
    let t = size("T", 8 * MIB);
    // As if dbdyno, and the program that makes the data, had been killed while they made it.
    let making = second.instance_folder().join("data.making");
    make_leftover(&making);
    std::fs::write(making.join(left_file), "15").unwrap();
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
    // The path of a socket cannot be as long as this home's.
    let socket_folder = &second_up.instance.socket_folder;
    assert!(socket_folder.starts_with("/tmp") && mode(socket_folder) == 0o700, "{}", socket_folder.display());
    for up in [&first_up, &second_up] {
        let folder = run_sql(product, &up.instance, data_sql);
        assert_eq!(Path::new(folder.trim_end_matches('/')), up.instance.data);
    }
    if let Some(group) = first_up.instance.cgroups.first() {
        let groups = std::fs::read_to_string(format!("/proc/{}/cgroup", first_up.instance.pid())).unwrap();
        assert!(groups.contains(group.file_name().unwrap().to_str().unwrap()), "{groups}");
        let limit = ["memory.max", "memory.limit_in_bytes"].map(|file| std::fs::read_to_string(group.join(file)));
        assert!(limit.iter().flatten().any(|text| text.trim() == (256 * MIB).to_string()), "{limit:?}");
        let refusal = first.refused(&UpRequest { memory_limit_bytes: Some(512 * MIB), ..request(&t) });
        assert!(refusal.contains(&format!("dbdyno down {} --keep", product.about().engine)), "{refusal}");
    }
    for test_home in [&first, &second] {
        assert!(down(&test_home.home, product, None, &Silent).unwrap().removed);
    }
    assert!(!socket_folder.exists() && first_up.instance.cgroups.iter().all(|group| !group.exists()));
    assert!(!second_up.instance.lives() && !first.instance_folder().exists() && !second.instance_folder().exists());
}

/// A server that is held to one processor has no process and no thread that may use another, from its start on, and
/// through restarts. `check` checks settings for one processor: those of a machine with 96 are not meant.
pub fn is_held_to_processors(product: &'static dyn Product, check: impl Fn(&Instance)) {
    let (test_home, t, engine) = (TestHome::new(product, "home"), size("T", 8 * MIB), product.about().engine);
    let Cpus { server, left } = choose_cpus(1).unwrap();
    let words = cpus_in_words(&server);
    let free = UpRequest { hardware_threads: 96, ..request(&t) };
    let held = UpRequest { cpus: &server, ..free };
    let both = UpRequest { memory_limit_bytes: Some(512 * MIB), ..held };
    let up = test_home.up(&both).or_else(|_| test_home.up(&held)).unwrap();
    assert_eq!((up.how, &up.instance.cpus), (How::Made, &server));
    let only = BTreeSet::from([words.clone()]);
    assert_eq!(processors_of(&up.instance), only);
    check(&up.instance);
    let by = up.instance.held_by.unwrap();
    let fact = find(&test_home.home, product, None).unwrap().held_to();
    let (name, text) = ("held to processors".to_owned(), format!("{words} by {}", by.word()));
    assert_eq!(fact, Some((name, text)));
    let list = |group: &PathBuf| std::fs::read_to_string(group.join("cpuset.cpus")).unwrap_or_default();
    let groups = up.instance.cgroups.clone();
    let is_cpuset = groups.iter().any(|group| list(group).trim() == words);
    assert_eq!(is_cpuset, by == HeldBy::Cpuset, "{groups:?}");
    // Asked for in general, it stays as it is; asked for otherwise, it is refused.
    let again = test_home.up(&free).unwrap();
    assert_eq!((again.how, &again.instance), (How::Already, &up.instance));
    if let Some(other) = left.first() {
        let refusal = test_home.refused(&UpRequest { cpus: &[*other], ..free });
        let expected = format!("the private {engine} runs with the processors {words}, not {other}; stop it first");
        assert!(refusal.starts_with(&expected) && refusal.contains("--keep"), "{refusal}");
    }
    kill(&up.instance);
    let again = test_home.up(&held).unwrap();
    assert_eq!((again.how, &again.instance.cpus, again.instance.held_by), (How::Restarted, &server, Some(by)));
    assert_eq!(processors_of(&again.instance), only);
    // Those that had a limit of memory, too, are of no use to anybody now.
    let kept = &again.instance.cgroups;
    assert!(groups.iter().all(|group| !group.exists() || kept.contains(group)), "{groups:?}");
    let groups = kept.clone();
    down(&test_home.home, product, Some(true), &Silent).unwrap();
    assert!(groups.iter().all(|group| !group.exists()), "{groups:?}");
    let free = test_home.up(&free).unwrap().instance;
    assert_eq!((&free.cpus, free.held_by, free.cgroups.len()), (&Vec::new(), None, 0));
    if let Some(other) = left.first() {
        assert!(!processors_of(&free).contains(&words));
        let refusal = test_home.refused(&UpRequest { cpus: &[*other], ..held });
        assert!(refusal.contains(&format!("runs with all processors, not {other}; stop it first")), "{refusal}");
    }
    assert!(down(&test_home.home, product, Some(false), &Silent).unwrap().removed);
    // Processors that no machine has.
    let none = [1_000];
    let error = test_home.up(&UpRequest { cpus: &none, ..held }).unwrap_err().to_string();
    assert!(error.contains("cannot hold the server to the processors 1000"), "{error}");
    assert!(!test_home.instance_folder().exists(), "refused before anything was started");
}

/// The processors that the threads of a server may use, in the words of the system: all that work in its data folder.
fn processors_of(instance: &Instance) -> BTreeSet<String> {
    let data = instance.data.canonicalize().unwrap();
    let works_there = |pid: &u32| std::fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == data);
    let mut all = BTreeSet::new();
    for pid in pids().filter(works_there) {
        for thread in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let Ok(status) = std::fs::read_to_string(thread.path().join("status")) else { continue };
            let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap();
            all.insert(list.trim().to_owned());
        }
    }
    all
}

/// Unfit programs, missing programs, and a memory limit that is too small are refused before anything is made. Each
/// case has what the programs print, or `None` where they are missing, and the reason that the refusal must give.
pub fn refuses_programs(product: &'static dyn Product, cases: &[(Option<&str>, &str)]) {
    let (test_home, t) = (TestHome::new(product, "home"), size("T", 8 * MIB));
    for (n, (output, reason)) in cases.iter().enumerate() {
        let folder = test_home.dir.path().join(n.to_string()).join("bin");
        std::fs::create_dir_all(&folder).unwrap();
        if let Some(output) = output {
            test_home.fake(&folder, &format!("#!/bin/sh\necho '{output}'\n"));
        }
        let refusal = test_home.refused(&UpRequest { programs: Some(&folder), ..request(&t) });
        assert!(refusal.contains(reason) && refusal.contains(product.about().programs.variable), "{refusal}");
    }
    let refusal = test_home.refused(&UpRequest { memory_limit_bytes: Some(20 * MIB), ..request(&t) });
    assert!(refusal.contains("20 MiB is too small"), "{refusal}");
    assert!(!test_home.instance_folder().exists());
}

/// A start that is cancelled at once leaves no files.
pub fn a_cancelled_start_leaves_nothing_behind(product: &'static dyn Product) {
    let test_home = TestHome::new(product, "home");
    let error = test_home.up_watched(&request(&size("T", 8 * MIB)), &CancelAtFirstNote::default()).unwrap_err();
    assert!(matches!(&error, ServerError::Failed(e) if e.class == ErrorClass::Cancelled), "{error}");
    assert!(!test_home.instance_folder().exists());
}

/// A user's files under names that dbdyno uses stay unchanged, and no file is added.
pub fn what_dbdyno_never_made_is_left_alone(product: &'static dyn Product) {
    let size = size("T", 8 * MIB);
    for name in ["data/PG_VERSION", "data.making/x", "data.removing/x", "run/x", "log", "data/base/1/1"] {
        let test_home = TestHome::new(product, "home");
        let theirs = test_home.instance_folder().join(name);
        std::fs::create_dir_all(theirs.parent().unwrap()).unwrap();
        std::fs::write(&theirs, "15\n").unwrap();
        let before = entries(&test_home.instance_folder());
        let keeps = [None, Some(false), Some(true)];
        let refusals = keeps.map(|keep| down(&test_home.home, product, keep, &Silent).unwrap_err());
        for refused in refusals.iter().map(ToString::to_string).chain([test_home.refused(&request(&size))]) {
            assert!(refused.contains("nothing proves that dbdyno made it"), "{name}: {refused}");
        }
        assert_eq!(entries(&test_home.instance_folder()), before);
    }
    // Files with other names are no reason to refuse: there is just no instance to stop.
    let test_home = TestHome::new(product, "home");
    std::fs::create_dir_all(test_home.instance_folder()).unwrap();
    std::fs::write(test_home.instance_folder().join("notes"), "mine").unwrap();
    let before = entries(&test_home.instance_folder());
    assert!(down(&test_home.home, product, None, &Silent).unwrap().instance.is_none());
    assert_eq!(entries(&test_home.instance_folder()), before);
}

/// A record names a process that is not the instance's server: the process survives, and nothing is removed.
pub fn a_process_that_is_not_the_server_is_not_killed(product: &'static dyn Product) {
    let test_home = TestHome::new(product, "home");
    make_leftover(&test_home.instance_folder().join("data"));
    make_leftover(&test_home.instance_folder().join("data.making"));
    // The process even works in the data folder, as the server's user.
    let folder = test_home.instance_folder().join("data");
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    let account = Account::choose(product.about().users).unwrap();
    let mut sleep = account.command(Path::new("/bin/sleep"));
    let mut other = OtherProcess(sleep.arg("60").current_dir(&folder).stdout(Stdio::null()).spawn().unwrap());
    for stage in [Stage::Running, Stage::Starting, Stage::Making] {
        let instance = Instance {
            name: None,
            engine: product.about().engine.to_owned(),
            version: "1".to_owned(),
            size: "T".to_owned(),
            cache_bytes: MIB,
            stage,
            process: Process::of(other.0.id()),
            data: folder.clone(),
            socket_folder: test_home.instance_folder().join("run"),
            port: product.about().port,
            user: account.name.clone(),
            programs: PathBuf::from("/usr/bin"),
            log: test_home.instance_folder().join("log"),
            memory_limit_bytes: None,
            cpus: Vec::new(),
            held_by: None,
            cgroups: Vec::new(),
            keep: false,
            standby: None,
        };
        instance.write(&test_home.home.instance_folder(product.about().engine).unwrap()).unwrap();
        let refused = down(&test_home.home, product, Some(false), &Silent).unwrap_err().to_string();
        assert!(refused.contains("so it is left alone, and nothing was done"), "{refused}");
        assert!(other.0.try_wait().unwrap().is_none() && folder.join("base").is_dir());
    }
    drop(other);
    assert!(down(&test_home.home, product, Some(false), &Silent).unwrap().removed);
    assert!(!test_home.instance_folder().exists());
}

/// A server ends, or is stopped, while dbdyno waits for its start: the error says which.
pub fn a_server_that_dies_or_stands_still_while_it_starts_is_reported(product: &'static dyn Product) {
    let (test_home, size) = (TestHome::new(product, "home"), size("T", 8 * MIB));
    let real = test_home.up(&request(&size)).unwrap().instance;
    down(&test_home.home, product, Some(true), &Silent).unwrap();
    // This server never becomes ready, so every signal reaches it while it starts.
    let programs = test_home.dir.path().join("bin");
    let server = product.about().programs.server(&real.programs);
    let answers = format!("case $1 in --version) exec '{}' --version;; esac", server.display());
    test_home.fake(&programs, &format!("#!/bin/sh\n{answers}\nwhile :; do sleep 1; done\n"));
    let never_ready = UpRequest { programs: Some(&programs), ..request(&size) };
    let error = test_home.up_watched(&never_ready, &SignalAtStart(Signal::KILL)).unwrap_err().to_string();
    assert!(error.contains("the server ended while it was starting"), "{error}");
    // The next caller gets the same answer.
    for watch in [&SignalAtStart(Signal::STOP) as &dyn Watch, &Silent] {
        let error = test_home.up_watched(&never_ready, watch).unwrap_err();
        let ServerError::Failed(error) = error else { panic!("refused") };
        assert_eq!(error.class, ErrorClass::Timeout, "{error}");
        assert!(error.message.contains("stands still") && error.message.contains("kill -CONT"), "{error}");
    }
    let instance_folder = test_home.home.instance_folder(product.about().engine).unwrap();
    kill(&Instance::read(&instance_folder).unwrap().unwrap());
    let again = test_home.up(&UpRequest { programs: Some(&real.programs), ..request(&size) }).unwrap();
    assert_eq!(again.how, How::Restarted);
}
