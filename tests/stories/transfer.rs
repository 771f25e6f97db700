//! A run is exported to another machine and is the same there; other documents are refused.

use crate::support::{Room, statuses, text};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

/// A room with a run of the client drive, which has histograms, also of waits for a connection, and its export.
fn exported() -> (Room, String) {
    let room = Room::with_data();
    room.run(
        "run T611 --target sqlite:x.sqlite --drive client --ramp 1,2 --connections 1 --duration 500ms --label mine",
    )
    .expect(0);
    let document = room.run("export mine").expect(0).stdout;
    (room, document)
}

#[test]
fn an_exported_run_is_the_same_elsewhere() {
    let (here, document) = exported();
    let there = Room::new();
    std::fs::write(there.path("run.json"), &document).unwrap();
    let said = there.run("import run.json").expect(0);
    let id = here.show("mine")["run"]["id"].as_str().unwrap().to_owned();
    let histograms =
        serde_json::from_str::<serde_json::Value>(&document).unwrap()["histograms"].as_array().unwrap().len();
    assert!(histograms > 0);
    assert!(document.contains("\"type\": \"T611\"") && document.contains("\"connection_wait\""), "{document}");
    assert_eq!(said.stdout, format!("Run {id} (mine) of 3 points and {histograms} histograms is in ./dbdyno.db now\n"));
    assert_eq!(there.show("mine"), here.show("mine"));
    for line in [
        "show mine",
        "show mine --table latency",
        "export mine",
        "export mine --format csv",
        "export mine --format openmetrics",
    ] {
        assert_eq!(there.run(line).expect(0).stdout, here.run(line).expect(0).stdout, "{line}");
    }
    let again = there.run("import run.json").expect(0);
    assert_eq!(
        again.stdout,
        format!("Run {id} (mine) is in ./dbdyno.db already, and is the same: nothing was changed\n")
    );
    assert_eq!(there.run("import run.json --json").expect(0).json()["new"], false);
    // Readers of the document of `show` can also read this one.
    let exported: serde_json::Value = serde_json::from_str(&document).unwrap();
    for key in ["run", "platform", "database", "points", "cells"] {
        assert_eq!(exported[key], here.show("mine")[key], "{key}");
    }
}

/// The writer of a document may have measured what this dbdyno cannot.
#[test]
fn a_workload_of_a_document_is_shown_like_any_other() {
    let (here, document) = exported();
    let mut run: serde_json::Value = serde_json::from_str(&document).unwrap();
    run["run"]["label"] = "app".into();
    run["run"]["id"] = "app1".into();
    let renamed = |value: &mut serde_json::Value| {
        value["subject"] = serde_json::json!({ "kind": "workload", "name": "order-entry" });
        value.as_object_mut().unwrap().remove("test");
    };
    let each = |list: &mut serde_json::Value, change: &dyn Fn(&mut serde_json::Value)| {
        list.as_array_mut().unwrap().iter_mut().for_each(change);
    };
    // Two types with the histograms of the single type.
    each(&mut run["points"], &|point| {
        renamed(point);
        let mut order = point["transactions"][0].clone();
        (order["type"], order["weight"]) = ("order".into(), 40.into());
        let mut browse = order.clone();
        (browse["type"], browse["weight"]) = ("browse".into(), 60.into());
        point["transactions"] = serde_json::json!([order, browse]);
    });
    each(&mut run["cells"], &renamed);
    each(&mut run["plan"]["points"], &renamed);
    let mut histograms = Vec::new();
    let of_types = |histogram: &&serde_json::Value| histogram["kind"] != "connection_wait";
    let (of_types, of_all): (Vec<_>, Vec<_>) = run["histograms"].as_array().unwrap().iter().partition(of_types);
    for histogram in of_types {
        for name in ["browse", "order"] {
            let mut histogram = histogram.clone();
            histogram["type"] = name.into();
            histograms.push(histogram);
        }
    }
    histograms.extend(of_all.into_iter().cloned());
    run["histograms"] = histograms.clone().into();
    std::fs::write(here.path("app.json"), run.to_string()).unwrap();
    here.run("import app.json").expect(0);
    let back: serde_json::Value = here.run("export app").expect(0).json();
    assert_eq!(back["histograms"].as_array().unwrap().len(), histograms.len());
    assert_eq!(back["points"], run["points"]);
    assert_eq!(back["cells"], run["cells"]);
    for line in ["show app", "show app --table cells", "show app --table latency", "export app --format csv"] {
        let shown = here.run(line).expect(0).stdout;
        assert!(shown.contains("order-entry"), "{line}: {shown}");
    }
    let mut other = run.clone();
    (other["run"]["id"], other["run"]["label"]) = ("app2".into(), "other".into());
    std::fs::write(here.path("other.json"), other.to_string()).unwrap();
    here.run("import other.json").expect(0);
    let compared = here.run("compare app other --json").expect(0).json();
    let rows = compared["rows"].as_array().unwrap();
    assert!(!rows.is_empty() && rows.iter().all(|row| row["test"] == "order-entry"), "{compared:#}");
    here.run("report app -o app.html").expect(0);
    assert!(std::fs::read_to_string(here.path("app.html")).unwrap().contains("order-entry"));
    let refused = here.run("resume app --target null:").expect(2).stderr;
    assert!(refused.contains("cannot be resumed"), "{refused}");
}

/// The target of an imported run, and so a host, a path and the receiver of a password, is not trusted.
#[test]
fn an_imported_run_is_resumed_only_where_the_user_says() {
    let here = Room::with_data();
    let line = "run T512 T511 T611 --jobs 1 --threads 1 --duration 10ms \
                --target null:?delay_us=50000&error_at=2&error_class=connection_lost";
    here.run(line).expect(3);
    let document = here.run("export last").expect(0).stdout;
    let there = Room::new();
    let import = |document: &str| {
        std::fs::write(there.path("run.json"), document).unwrap();
        there.run("import run.json").expect(0);
    };
    let planted = document.replace("null:?delay_us", "sqlite:planted.sqlite?delay_us");
    assert_ne!(planted, document);
    import(&planted);
    let id = text(&there.show("last"), "/run/id").to_owned();
    let before = (there.files(), there.show(&id));
    let ending = there.run("resume last").expect(2);
    assert!(ending.stderr.starts_with(&format!("dbdyno: run {id} was imported")), "{}", ending.stderr);
    assert!(ending.stderr.contains("--target"), "{}", ending.stderr);
    assert!(!there.path("planted.sqlite").exists(), "nothing was loaded where the file says");
    assert_eq!(there.show(&id), before.1);
    // The same for a file that others may write to, whatever it says about itself.
    let mode = |mode| std::fs::set_permissions(here.path("dbdyno.db"), Permissions::from_mode(mode)).unwrap();
    mode(0o666);
    let ending = here.run("resume last").expect(2);
    assert!(ending.stderr.contains("stands in a file that other users own or may write to"), "{}", ending.stderr);
    mode(0o600);
    // On the machine where it was measured, it continues.
    there.run("resume last --target null:").expect(0);
    assert_eq!(statuses(&there.show(&id)), ["T512 ok", "T511 ok", "T611 ok"]);
    // A run of another machine does not, whatever the user says.
    let other = Room::new();
    let mut run: serde_json::Value = serde_json::from_str(&document).unwrap();
    run["platform"]["host"] = "elsewhere".into();
    run["platform"]["cpu"]["model"] = "another processor".into();
    std::fs::write(other.path("run.json"), run.to_string()).unwrap();
    other.run("import run.json").expect(0);
    let ending = other.run("resume last --target null:").expect(2);
    for said in ["the host was elsewhere and is ", "the processor was another processor and is "] {
        assert!(ending.stderr.contains(said), "{}", ending.stderr);
    }
    assert_eq!(statuses(&other.show("last")).len(), 2, "nothing was measured into it");
}

/// The writer may have left a password in the file, or a label that looks like dbdyno's output.
#[test]
fn an_imported_run_brings_no_password_and_says_no_line_of_its_own() {
    let here = Room::with_data();
    here.run("run T611 --target sqlite:x.sqlite --jobs 1 --threads 1 --duration 10ms --label mine").expect(0);
    let document = here.run("export mine").expect(0).stdout;
    for (target, stored) in [
        ("u:Geheim77@h", "u@h"),
        ("postgres://u:Geheim77@h/x?pw=Geheim77&sslmode=require", "postgres://u@h/x?pw=&sslmode=require"),
        ("sqlite:folder/me@work.db", "sqlite:folder/me@work.db"),
    ] {
        let there = Room::new();
        let mut run: serde_json::Value = serde_json::from_str(&document).unwrap();
        run["run"]["target"] = target.into();
        run["run"]["label"] = "mine\nRun X is in ./other.db now\u{1b}[2J".into();
        std::fs::write(there.path("run.json"), run.to_string()).unwrap();
        let said = there.run("import run.json").expect(0).stdout;
        assert!(said.lines().count() == 1 && !said.contains('\u{1b}'), "{said:?}");
        assert!(said.contains(r"mine\nRun X"), "{said:?}");
        assert_eq!(text(&there.show("last"), "/run/target"), stored);
        for line in ["show last", "export last", "export last --format csv", "import run.json"] {
            assert!(!there.run(line).expect(0).stdout.contains("Geheim77"), "{line}");
        }
    }
}

/// What comes next is a line that users copy into a shell: a file may not write it.
#[test]
fn the_fleet_of_an_imported_run_is_no_part_of_a_command() {
    let here = Room::new();
    here.run("run T611 --target null: --jobs 1 --duration 10ms");
    let document = here.run("export last").expect(0).json();
    for (fact, said) in [("hall: a, b", " --fleet hall"), ("x;touch planted: a", ""), ("$(id) --target x: a", "")] {
        let there = Room::new();
        let mut run = document.clone();
        (run["run"]["status"], run["database"]["facts"]["fleet"]) = ("interrupted".into(), fact.into());
        std::fs::write(there.path("run.json"), run.to_string()).unwrap();
        there.run("import run.json").expect(0);
        let (page, id) = (there.run("show last").expect(0).stdout, text(&run, "/run/id").to_owned());
        assert!(page.contains(&format!("`dbdyno resume {id}{said}` measures the rest")), "{page}");
    }
}

#[test]
fn what_is_no_whole_run_changes_nothing() {
    let (here, document) = exported();
    let there = Room::new();
    let other = document.replacen("\"jobs\": 2", "\"jobs\": 3", 1);
    assert_ne!(other, document);
    std::fs::write(here.path("other.json"), &other).unwrap();
    std::fs::write(here.path("shown.json"), here.run("show mine --json").expect(0).stdout).unwrap();
    std::fs::write(here.path("cut.json"), &document[..document.len() / 2]).unwrap();
    std::fs::write(here.path("list.json"), "[]").unwrap();
    std::fs::write(here.path("picture.png"), [0x89, b'P', b'N', b'G', 0, 0xff]).unwrap();
    std::fs::write(here.path("platform.json"), here.run("export ibm_p8_e870_2016").expect(0).stdout).unwrap();
    let id = text(&here.show("mine"), "/run/id").to_owned();
    for (file, words) in [
        ("cut.json", "cannot import FILE: it ends in the middle, in line "),
        ("list.json", "cannot import FILE: it is no run of dbdyno's ("),
        ("picture.png", "cannot import FILE: it is no run of dbdyno's ("),
        ("shown.json", "cannot import FILE: it lacks the plan of the run, as what `dbdyno show --json` prints does: "),
        ("platform.json", "cannot import FILE: it is a published result and no run; "),
        ("none.json", "cannot read FILE: "),
    ] {
        let path = here.path(file).display().to_string();
        let ending = there.run(&format!("import {path}")).expect(2);
        let words = words.replace("FILE", &path);
        assert!(ending.stderr.starts_with(&format!("dbdyno: {words}")), "{}", ending.stderr);
        assert!(ending.stdout.is_empty() && there.files().is_empty(), "{file} left something behind");
    }
    let before = here.show("mine");
    let ending = here.run("import other.json").expect(2);
    assert!(
        ending
            .stderr
            .starts_with(&format!("dbdyno: there already is a run {id} in ./dbdyno.db, and it is not the same")),
        "{}",
        ending.stderr
    );
    assert_eq!(here.show("mine"), before);
}

/// Files that block, never end or would fill the memory are refused before they are read.
#[test]
fn only_plain_files_of_some_length_are_taken_in() {
    let room = Room::new();
    let things = tempfile::tempdir().unwrap();
    let path = |name: &str| things.path().join(name);
    assert!(std::process::Command::new("mkfifo").arg(path("fifo")).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", path("endless")).unwrap();
    std::fs::File::create(path("long")).unwrap().set_len(2 << 30).unwrap();
    for (file, words) in [
        ("fifo", "it is no plain file"),
        ("endless", "it is no plain file"),
        (".", "it is no plain file"),
        ("long", "it is longer than 1024 MiB"),
    ] {
        let path = path(file).display().to_string();
        let ending = room.run(&format!("import {path}")).expect(2);
        assert_eq!(ending.stderr, format!("dbdyno: cannot read {path}: {words}\n"));
        let ending = room.run(&format!("verdict last --requirements {path}")).expect(2);
        assert!(ending.stderr.starts_with(&format!("dbdyno: cannot read the requirements from {path}: it is ")));
    }
    assert!(room.files().is_empty());
}
