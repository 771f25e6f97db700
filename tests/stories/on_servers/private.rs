//! A private server, from `up` to `down`, for a user who has no server and wants none left behind.

use super::{Product, stories};
use crate::document::check_document;
use crate::home::{Home, lives};
use crate::support::{Running, flag_note, number, points, statuses, text, wait_until};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

stories!(
    a_private_server_is_started_measured_and_gone,
    data_that_is_kept_is_there_again,
    without_a_private_server_the_command_that_starts_one_is_named,
    two_homes_at_once_do_not_clash,
    a_private_server_that_crashed_is_started_again,
    a_private_server_is_held_to_processors,
    a_run_goes_through_numbers_of_processors;
    of_one_product:
    one_with_a_name_is_beside_the_one_without,
    two_starts_of_one_home_make_one_server,
    a_run_over_processors_that_breaks_off_is_not_whole,
    a_workload_that_another_dbdyno_just_loads_is_not_measured_under_another_scale,
);

/// A product's messages about private servers.
pub(crate) trait Private: Product {
    /// The message about size T when its last row was written.
    const LOADED: &'static str;
}

fn a_private_server_is_started_measured_and_gone<S: Private>() {
    let home = Home::new(S::ENGINE);
    let (up, private) = (home.up("--size T"), format!("private:{}", S::ENGINE));
    assert_eq!((text(&up, "/target"), text(&up, "/how")), (private.as_str(), "made"));
    assert_eq!(text(&up, "/instance/size"), "T");
    let found = home.run("check --target private:ENGINE --json").expect(0).json();
    assert_eq!(found["size"], "T", "the size that it was started for: {found:#}");
    assert!(found["findings"].as_array().unwrap().iter().all(|f| f["level"] != "blocker"), "{found:#}");
    // Without a size, and without a load.
    let line = "run T111 T611 T621 T711 T311 --target private:ENGINE --ramp 1 --duration 200ms";
    let ending = home.run(line).expect(0);
    assert!(ending.stderr.contains(S::LOADED), "{}", ending.stderr);
    assert_eq!(home.inside(&up, "SELECT count(*) FROM dbdyno.small_heap"), "3200");
    let document = home.room.show("last");
    check_document(&document);
    assert_eq!(statuses(&document), ["T111 ok", "T611 ok", "T621 ok", "T711 ok", "T311 ok", "T311 ok"]);
    assert_eq!((text(&document, "/run/target"), text(&document, "/run/size")), (private.as_str(), "T"));
    assert_eq!(text(&document, "/database/engine"), S::ENGINE);
    assert!(number(&document, "/platform/cpu/threads") >= 1.0, "the platform is this machine");
    assert!(points(&document).iter().all(|p| p["cpu"]["busy_pct"].is_number()), "{document:#}");
    let ending = home.run("run T426 --target private:ENGINE --ramp 1,2 --duration 200ms").expect(0);
    assert!(!ending.stderr.contains(S::LOADED), "it was loaded already: {}", ending.stderr);
    assert_eq!(statuses(&home.room.show("last")), ["T426 ok"; 3]);
    let page = home.run("show last").expect(0).stdout;
    assert!(page.contains("T426"), "{page}");
    // Another size is not measured on it, and nothing is done to find out.
    let ending = home.run("run T611 --target private:ENGINE --size D").expect(2);
    assert!(ending.stderr.contains("was started for size T, not D"), "{}", ending.stderr);

    let pid = up["pid"].as_u64().unwrap();
    assert!(lives(pid));
    let socket = PathBuf::from(text(&up, "/instance/socket_folder"));
    home.run("down ENGINE").expect(0);
    wait_until("the server's end", || !lives(pid));
    assert!(!home.data().exists() && !socket.exists(), "the data and the socket are gone");
    let ending = home.run("run T611 --target private:ENGINE").expect(2);
    assert!(ending.stderr.contains(&format!("start it: dbdyno up {} --size", S::ENGINE)), "{}", ending.stderr);
    // The measurements are not stored on the server.
    assert_eq!(home.room.runs().len(), 2);
}

fn data_that_is_kept_is_there_again<S: Private>() {
    let home = Home::new(S::ENGINE);
    let up = home.up("--size T");
    home.inside(&up, "CREATE SCHEMA mine");
    home.inside(&up, "CREATE TABLE mine.notes AS SELECT 'keep me' AS note");
    let down = home.run("down ENGINE --keep --json").expect(0).json();
    assert_eq!((&down["stopped"], &down["kept"], &down["removed"]), (&true.into(), &true.into(), &false.into()));
    assert!(home.data().is_dir(), "its data is kept");
    wait_until("the server's end", || !lives(up["pid"].as_u64().unwrap()));
    let ending = home.run("run T611 --target private:ENGINE").expect(2);
    assert!(ending.stderr.contains(&format!("dbdyno up {} --size", S::ENGINE)), "{}", ending.stderr);
    let up = home.up("--size T");
    assert_eq!(text(&up, "/how"), "restarted");
    assert_eq!(home.inside(&up, "SELECT note FROM mine.notes"), "keep me");
    // Asked for again, nothing is done.
    let again = home.up("--size T --keep");
    assert_eq!((text(&again, "/how"), &again["pid"]), ("already", &up["pid"]));
    // A plain `down` keeps marked data, and the mark can be removed.
    home.run("down ENGINE").expect(0);
    assert!(home.data().is_dir(), "`up --keep` was meant");
    home.run("down ENGINE --keep=false").expect(0);
    assert!(!home.data().exists());
    assert!(home.run("down ENGINE").expect(0).stdout.starts_with("nothing to stop"));
}

fn without_a_private_server_the_command_that_starts_one_is_named<S: Private>() {
    let home = Home::new(S::ENGINE);
    for line in ["run T611", "run T111 --size T", "load --size T", "drop"] {
        let words = "dbdyno: the target 'private:ENGINE' cannot be used: no private ENGINE is running; start it: \
                     dbdyno up ENGINE --size ";
        let ending = home.run(&format!("{line} --target private:ENGINE")).expect(2);
        assert!(ending.stderr.starts_with(&words.replace("ENGINE", S::ENGINE)), "{line}: {}", ending.stderr);
    }
    assert!(home.room.files().is_empty(), "nothing was made: {:?}", home.room.files().keys());
    for (line, words) in [
        ("up sqlite", "dbdyno starts no server for sqlite"),
        ("up ENGINEs", "there is no engine 'ENGINEs' in this build (did you mean 'ENGINE'?)"),
        ("up ENGINE --size Q", "there is no size 'Q'"),
        ("run T611 --target private:sqlite", "private:sqlite"),
    ] {
        let ending = home.run(line).expect(2);
        assert!(ending.stderr.contains(&words.replace("ENGINE", S::ENGINE)), "{line}: {}", ending.stderr);
    }
    assert!(home.room.files().is_empty(), "nothing was made: {:?}", home.room.files().keys());
}

fn two_homes_at_once_do_not_clash<S: Private>() {
    let homes = [Home::new(S::ENGINE), Home::new(S::ENGINE)];
    let starting: Vec<Running> = homes.iter().map(|home| home.start()).collect();
    let ups: Vec<Value> = starting.into_iter().map(|up| up.end().expect(0).json()).collect();
    assert_ne!(ups[0]["pid"], ups[1]["pid"]);
    assert_ne!(ups[0]["instance"]["socket_folder"], ups[1]["instance"]["socket_folder"]);
    homes[0].inside(&ups[0], "CREATE SCHEMA mine");
    let has = "SELECT count(*) FROM information_schema.schemata WHERE schema_name = 'mine'";
    assert_eq!((homes[0].inside(&ups[0], has).as_str(), homes[1].inside(&ups[1], has).as_str()), ("1", "0"));
    homes[0].run("down ENGINE").expect(0);
    wait_until("the first one's end", || !lives(ups[0]["pid"].as_u64().unwrap()));
    assert_eq!(homes[1].inside(&ups[1], "SELECT 1"), "1", "the second goes on");
    assert!(lives(ups[1]["pid"].as_u64().unwrap()));
}

fn one_with_a_name_is_beside_the_one_without<S: Private>() {
    let home = Home::new(S::ENGINE);
    let named = |line: &str| home.run(&line.replace("NAME", "a_1-b"));
    let (first, second) = (home.up("--size T"), home.up("--name a_1-b --size T"));
    assert_eq!(text(&second, "/target"), format!("private:{}/a_1-b", S::ENGINE));
    home.inside(&second, "CREATE SCHEMA mine");
    let has = "SELECT count(*) FROM information_schema.schemata WHERE schema_name = 'mine'";
    assert_eq!((home.inside(&first, has).as_str(), home.inside(&second, has).as_str()), ("0", "1"));
    named("run T611 --target private:ENGINE/NAME --jobs 1 --duration 200ms").expect(0);
    let target = text(&home.room.show("last"), "/run/target").to_owned();
    assert_eq!(target, format!("private:{}/a_1-b", S::ENGINE));
    let listed = home.run("up --json").expect(0).json();
    let is_named = |item: &&Value| item["name"] == "a_1-b" && item["state"] == "running";
    assert_eq!(listed.as_array().unwrap().iter().filter(is_named).count(), 1, "{listed:#}");
    let page = named("up ENGINE --name NAME --size T").expect(0).stdout;
    assert!(page.contains(&format!("dbdyno down {} --name a_1-b ", S::ENGINE)), "{page}");
    for (line, words) in [
        ("run T611 --target private:ENGINE/NAME --size D", "dbdyno up ENGINE --name NAME --size D"),
        ("up ENGINE --name NAME --size D", "dbdyno down ENGINE --name NAME --keep=false"),
        ("run T611 --target private:ENGINE/other", "start it: dbdyno up ENGINE --name other --size D"),
        ("up ENGINE --name ../NAME", "'../NAME' is no name of a private server"),
        ("run T611 --target private:ENGINE/../x", "is no name of a private server"),
        ("durability --target private:ENGINE/NAME", "makes a server of its own"),
    ] {
        let refused = named(line).expect(2).stderr;
        assert!(refused.contains(&words.replace("ENGINE", S::ENGINE).replace("NAME", "a_1-b")), "{line}: {refused}");
    }
    // Each is stopped by itself.
    home.run("down ENGINE").expect(0);
    assert_eq!(home.inside(&second, has), "1");
    let up = home.up("--size T");
    named("down ENGINE --name NAME").expect(0);
    assert!(lives(up["pid"].as_u64().unwrap()) && !lives(second["pid"].as_u64().unwrap()));
    assert!(!home.room.path("home").join("named").exists(), "nothing is left of it");
}

/// Two starts of the same server at the same time give one server.
fn two_starts_of_one_home_make_one_server<S: Private>() {
    let home = Home::new(S::ENGINE);
    let starts: Vec<Running> = (0..2).map(|_| home.start()).collect();
    let ups: Vec<Value> = starts.into_iter().map(|up| up.end().expect(0).json()).collect();
    assert_eq!(ups[0]["pid"], ups[1]["pid"]);
    let mut how = [text(&ups[0], "/how"), text(&ups[1], "/how")];
    how.sort_unstable();
    assert_eq!(how, ["already", "made"]);
}

/// The server crashed: the next `up` starts it again with its data, and a run meanwhile says what to do.
fn a_private_server_that_crashed_is_started_again<S: Private>() {
    let home = Home::new(S::ENGINE);
    let up = home.up("--size T");
    home.inside(&up, "CREATE SCHEMA mine");
    home.inside(&up, "CREATE TABLE mine.notes AS SELECT 'keep me' AS note");
    let pid = up["pid"].as_u64().unwrap();
    assert!(Command::new("kill").args(["-KILL", &pid.to_string()]).status().unwrap().success());
    wait_until("the server's end", || !lives(pid));
    let ending = home.run("run T611 --target private:ENGINE").expect(2);
    assert!(ending.stderr.contains(&format!("dbdyno up {} --size T", S::ENGINE)), "{}", ending.stderr);
    let up = home.up("--size T");
    assert_eq!(text(&up, "/how"), "restarted");
    assert_eq!(home.inside(&up, "SELECT note FROM mine.notes"), "keep me");
}

/// `--cpus` is seen in what `up` says, in the processes, and in the record of a run.
fn a_private_server_is_held_to_processors<S: Private>() {
    let home = Home::new(S::ENGINE);
    let there = std::thread::available_parallelism().unwrap().get();
    let ask = if there == 1 { "ask for 1,".to_owned() } else { format!("ask for 1 to {there},") };
    for n in [0, there + 1, 1_000_000] {
        let ending = home.run(&format!("up ENGINE --size T --cpus {n}")).expect(2);
        let said = &ending.stderr;
        assert!(said.starts_with(&format!("dbdyno: --cpus {n}: dbdyno may use {there} processor")), "{said}");
        assert!(said.contains(&ask), "{said}");
    }
    assert!(!home.data().exists());
    let up = home.up("--size T --cpus 1");
    let cpus = up["instance"]["cpus"].as_array().unwrap();
    let (cpu, by) = (cpus[0].as_u64().unwrap(), text(&up, "/instance/held_by"));
    assert!(cpus.len() == 1 && ["cpuset", "affinity"].contains(&by), "{up:#}");
    let status = std::fs::read_to_string(format!("/proc/{}/status", up["pid"])).unwrap();
    assert!(status.contains(&format!("Cpus_allowed_list:\t{cpu}\n")), "{status}");
    let page = home.run("up ENGINE --size T").expect(0).stdout;
    assert!(page.contains(&format!("  cpus     {cpu} alone, held by {by}\n")), "{page}");
    let all = home.run("up --json").expect(0).json();
    let item = all.as_array().unwrap().iter().find(|item| item["engine"] == S::ENGINE).unwrap();
    assert_eq!((&item["cpus"], text(item, "/held_by")), (&up["instance"]["cpus"], by));
    let page = home.run("up").expect(0).stdout;
    assert!(page.contains(&format!("runs, size T, cpus {cpu} by {by}")), "{page}");
    home.run("run T611 --target private:ENGINE --ramp 1 --duration 200ms").expect(0);
    let document = home.room.show("last");
    check_document(&document);
    assert_eq!(text(&document, "/database/facts/held to processors"), format!("{cpu} by {by}"));
    assert!(points(&document)[0]["cpu"]["held_busy_pct"].is_number(), "{:#}", points(&document)[0]["cpu"]);
    if there > 1 {
        assert_eq!(number(&document, "/platform/cpu/limits/allowed_threads"), 1.0);
        let ending = home.run(&format!("up ENGINE --size T --cpus {there}")).expect(2);
        assert!(ending.stderr.contains(&format!("runs with the processors {cpu}, not ")), "{}", ending.stderr);
        // Somebody lets it go: what is measured then is no figure of one processor.
        let_go(&up);
        home.run("run T611 --target private:ENGINE --ramp 1 --duration 200ms");
        let document = home.room.show("last");
        let why = flag_note(&points(&document)[0], "not_proved");
        assert!(why.contains(&format!("was to be held to the processors {cpu}, but its process ")), "{why}");
    }
    home.run("down ENGINE --keep").expect(0);
    let groups = up["instance"]["cgroups"].as_array().unwrap();
    assert!(groups.iter().all(|group| !PathBuf::from(group.as_str().unwrap()).exists()), "{groups:?}");
    let again = home.up("--size T --cpus 1");
    assert_eq!((text(&again, "/how"), &again["instance"]["cpus"]), ("restarted", &up["instance"]["cpus"]));
}

/// Lets a server's main process use all processors, as its administrator may.
fn let_go(up: &Value) {
    let pid = up["pid"].to_string();
    for group in up["instance"]["cgroups"].as_array().unwrap() {
        let above = PathBuf::from(group.as_str().unwrap()).parent().unwrap().join("cgroup.procs");
        std::fs::write(above, &pid).unwrap();
    }
    let last = std::thread::available_parallelism().unwrap().get() - 1;
    let mut taskset = Command::new("taskset");
    taskset.args(["--all-tasks", "--cpu-list", "--pid", &format!("0-{last}"), &pid]);
    assert!(taskset.output().unwrap().status.success());
}

/// `--cores`: the server is held to each number in turn, its cache and the schemas grow along, and in the end it runs
/// as it was found, with its data.
fn a_run_goes_through_numbers_of_processors<S: Private>() {
    let home = Home::new(S::ENGINE);
    let there = std::thread::available_parallelism().unwrap().get();
    let run = "run slob --target private:ENGINE --duration 500ms";
    let ending = home.run(&format!("{run} --cores 1")).expect(2);
    assert!(ending.stderr.contains("dbdyno up"), "{}", ending.stderr);
    let up = home.up("--size T");
    for (options, said) in [
        (format!("--cores {}", there + 1), format!("--cores {}: dbdyno may use {there} processor", there + 1)),
        ("--cores 1 --schemas 2".to_owned(), "leave --schemas away".to_owned()),
        ("--cores 1 --schemas-per-core 0".to_owned(), "a number above 0".to_owned()),
    ] {
        let ending = home.run(&format!("{run} {options}")).expect(2);
        assert!(ending.stderr.contains(&said), "{options}: {}", ending.stderr);
    }
    let steps = if there > 1 { vec![1, 2] } else { vec![1] };
    let cores = steps.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    let grows = "--schemas-per-core 2 --cache-per-core 16MiB";
    let document = home.run(&format!("{run} --cores {cores} {grows} --json")).expect(0).json();
    check_document(&document);
    assert_eq!(statuses(&document), vec!["slob ok"; steps.len()]);
    for (point, cores) in points(&document).iter().zip(steps) {
        assert_eq!((number(point, "/cores"), number(point, "/jobs")), (f64::from(cores), f64::from(2 * cores)));
        let settings = &point["settings"];
        let cpus = if cores == 1 { "0" } else { "0-1" };
        assert_eq!(text(settings, "/server_cache"), format!("{}.0 MiB", 16 * cores), "{settings:#}");
        // Which processors this process may use is not known here; there are as many as were asked for.
        let held = text(settings, "/server_cpus");
        assert!(held == cpus || held.split([',', '-']).count() == cores as usize, "{settings:#}");
        let shares = text(settings, "/dbdyno_cpus") == "shares those of the server";
        assert_eq!(shares, cores as usize == there, "{settings:#}");
        assert!(point["cpu"]["held_busy_pct"].is_number(), "{:#}", point["cpu"]);
    }
    let table = home.run("show last --table slob").expect(0).stdout;
    assert!(table.contains("Cores") && table.contains("exec."), "{table}");
    let compared = home.run("compare last aws_r5").expect(0).stdout;
    assert!(compared.contains("random reads and updates through the database: read write per s"), "{compared}");
    let refused = home.run("resume last").expect(2).stderr;
    assert!(refused.contains("numbers of cores"), "{refused}");
    // It runs as it was found.
    let again = home.up("--size T");
    assert_eq!((text(&again, "/how"), &again["instance"]["cpus"]), ("already", &up["instance"]["cpus"]));
    let found = home.run("check --target private:ENGINE").stdout;
    assert!(
        found.contains(&format!("slob at {} schemas of 10240 blocks", 2 * if there > 1 { 2 } else { 1 })),
        "{found}"
    );
}

/// Somebody changes the data while the first number of processors is measured, so the second is refused. What was
/// called before the run is called after it, and the server runs as it was found.
fn a_run_over_processors_that_breaks_off_is_not_whole<S: Private>() {
    if std::thread::available_parallelism().unwrap().get() < 2 {
        return;
    }
    let home = Home::new(S::ENGINE);
    let up = home.up("--size T");
    let (script, called) = (home.room.path("script"), home.room.path("called"));
    std::fs::write(&script, format!("#!/bin/sh\necho $1 >> {}\n", called.display())).unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let set = format!("--allow-scripts --set EXTERNAL_SCRIPT={}", script.display());
    let line =
        format!("run slob --target private:{} --cores 1,2 --repeat 2 --duration 3s --update-pct 0 {set}", S::ENGINE);
    let run = home.room.start(&line);
    run.until("[1/4]");
    home.inside(&up, &format!("DELETE FROM {} WHERE id = 77", S::table("slob_1")));
    let ending = run.end().expect(2);
    assert!(ending.stderr.contains("does not hold what dbdyno loaded"), "{}", ending.stderr);
    assert!(ending.stderr.contains("of 4 points: ") && ending.stderr.contains("2 not measured"), "{}", ending.stderr);
    let document = home.room.show("last");
    assert_eq!((text(&document, "/run/status"), points(&document).len()), ("interrupted", 2), "{document:#}");
    assert_eq!(std::fs::read_to_string(called).unwrap(), "pre\npost\nend\n");
    let again = home.up("--size T");
    assert_eq!((text(&again, "/how"), &again["instance"]["cpus"]), ("already", &up["instance"]["cpus"]));
}

/// The run waits a while for the lock, and its plan was made before.
fn a_workload_that_another_dbdyno_just_loads_is_not_measured_under_another_scale<S: Private>() {
    let home = Home::new(S::ENGINE);
    home.up("--size T");
    let load = home.room.start(&format!("load tpcb --scale 2 --target private:{}", S::ENGINE));
    load.until("tpcb accounts");
    let ending = home.run("run tpcb --users 1 --scale 1 --duration 100ms --target private:ENGINE").expect(2);
    load.end().expect(0);
    let said =
        ["holds tpcb at scale 2, and scale 1 was asked for", "another dbdyno is measuring, loading or dropping here"];
    assert!(said.iter().any(|said| ending.stderr.contains(said)), "{}", ending.stderr);
}
