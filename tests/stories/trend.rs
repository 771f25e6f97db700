//! Trends of runs that are kept: a nightly job notices a loss, somebody notes why, and it is known from then on.

use crate::support::{Room, number, text};
use serde_json::{Value, json};
use std::sync::LazyLock;

/// The nights of a job, and the first one with a new kernel.
const NIGHTS: usize = 24;
const NEW_KERNEL: usize = 16;

/// Gives a point another rate. All that is counted follows, as an import asks.
fn scale(point: &mut Value, tx_per_s: f64) {
    let factor = tx_per_s / number(point, "/tx_per_s");
    for (rate, count) in [("ops_per_s", Some("ops")), ("rows_per_s", Some("rows")), ("work_mib_per_s", None)] {
        let Some(before) = point[rate].as_f64() else { continue };
        point[rate] = json!(before * factor);
        if let Some(counted) = count.and_then(|count| point[count].as_f64()) {
            point[count.unwrap()] = json!((counted * factor).round() as u64);
        }
    }
    point["tx_per_s"] = json!(tx_per_s);
    point["metric"]["value"] = json!(tx_per_s);
}

/// A room with a run a night. One is measured; the others are that run with other figures, as if imported from the
/// machine of the job: a change of a platform that shows in 24 nights cannot be had in a test.
fn room() -> Room {
    static RESULTS: LazyLock<Vec<u8>> = LazyLock::new(|| std::fs::read(nights().path("dbdyno.db")).unwrap());
    let room = Room::new();
    std::fs::write(room.path("dbdyno.db"), &*RESULTS).unwrap();
    room
}

fn nights() -> Room {
    let room = Room::new();
    room.run("run T611 --target null: --ramp 1,2 --duration 1s --label base -q").expect(0);
    let base = room.run("export base --format json").expect(0).json();
    for n in 0..NIGHTS {
        let mut run = base.clone();
        run["run"]["id"] = json!(format!("n1ght{n:03}"));
        run["run"]["label"] = json!("nightly");
        run["run"]["started_at"] = json!(format!("2026-10-{:02}T02:00:00Z", n + 1));
        run["platform"]["kernel"] = json!(if n >= NEW_KERNEL { "6.1.0-23" } else { "6.1.0-22" });
        // Up and down by up to 1 %, as nights go.
        let noise = 1.0 + ((n * 7919) % 13) as f64 / 650.0;
        let lost = if n >= NEW_KERNEL { 0.9 } else { 1.0 };
        for point in run["points"].as_array_mut().unwrap() {
            point["flags"] = json!([]);
            scale(point, 1e6 * noise * lost);
        }
        run["cells"] = json!([]);
        std::fs::write(room.path("night.json"), run.to_string()).unwrap();
        room.run("import night.json -q").expect(0);
    }
    room
}

#[test]
fn a_loss_is_noticed_noted_and_known() {
    let room = room();
    let found = room.run("trend nightly --json").expect(0).json();
    let change = &found["changes"][0];
    assert_eq!(found["changes"].as_array().map(Vec::len), Some(1), "{found}");
    assert_eq!(text(change, "/before_run"), format!("n1ght{:03}", NEW_KERNEL - 1));
    assert_eq!(text(change, "/after_run"), format!("n1ght{NEW_KERNEL:03}"));
    assert_eq!(
        change["facts"],
        json!([{"name": "kernel", "before": "6.1.0-22", "after": "6.1.0-23", "steps_later": 0}])
    );
    let of = &found["series"][0]["changes"][0];
    assert!(number(of, "/low") < 0.9 && 0.9 < number(of, "/high") && of["is_worse"] == json!(true), "{of}");

    let failed = room.run("trend nightly --fail-on-new 5%").expect(1);
    assert!(failed.stdout.contains("nobody has noted why"), "{}", failed.stdout);
    assert!(failed.stderr.contains("dbdyno note RUN TEXT"), "{}", failed.stderr);
    let noted = room.run(&format!("note n1ght{NEW_KERNEL:03} another-kernel")).expect(0).stdout;
    assert!(noted.contains("another-kernel"), "{noted}");
    let known = room.run("trend nightly --fail-on-new 5%").expect(0).stdout;
    assert!(known.contains("noted: another-kernel"), "{known}");
    assert_eq!(room.show(&format!("n1ght{NEW_KERNEL:03}"))["notes"][0]["text"], "another-kernel");
    assert!(room.run(&format!("show n1ght{NEW_KERNEL:03}")).expect(0).stdout.contains("Noted     another-kernel"));
    room.run(&format!("note n1ght{NEW_KERNEL:03} --remove")).expect(0);
    room.run("trend nightly --fail-on-new 5%").expect(1);
    room.run("trend nightly --fail-on-new 25%").expect(0);

    room.run("trend nightly -o trend.html -q").expect(0);
    let page = std::fs::read_to_string(room.path("trend.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("Change by change"), "{page}");
}

#[test]
fn what_is_asked_for_decides_the_steps() {
    let room = room();
    let of_suite = room.run("trend T611 --json").expect(0).json();
    assert_eq!(of_suite["runs"].as_array().map(Vec::len), Some(NIGHTS + 1), "all runs of the suite");
    let labels = room.run("trend nightly base --json").expect(0).json();
    let steps: Vec<&str> = labels["steps"].as_array().unwrap().iter().map(|step| text(step, "/name")).collect();
    assert_eq!(steps, ["nightly", "base"]);
    assert!(labels["series"].as_array().unwrap().iter().all(|series| series["not_judged"] != Value::Null));
    let by_run = room.run("trend nightly base --by run --json").expect(0).json();
    assert_eq!(by_run["steps"].as_array().map(Vec::len), Some(NIGHTS + 1));
    for (line, why) in [
        ("trend nowhere", "there is no run 'nowhere'"),
        ("trend nightly --test T9", "there is no test 'T9'"),
        ("trend nightly --metric speed", "there is no metric 'speed'"),
        ("trend nightly --test T711", "no figure of T711 in 24 runs"),
        ("trend hp_dl980_violin_2012", "is a published platform"),
        ("note nowhere x", "there is no run 'nowhere'"),
        ("note hp_dl980_violin_2012 x", "published platform"),
    ] {
        let said = room.run(line).expect(2).stderr;
        assert!(said.contains(why), "{line}: {said}");
    }
    let files = Room::new();
    files.run("trend nightly").expect(2);
    files.run("note last x").expect(2);
    assert!(files.files().is_empty(), "a mistyped name makes no file");
}

/// Other people's notes must not silence an alarm here.
#[test]
fn exports_show_notes_and_imports_do_not_bring_them() {
    let room = Room::new();
    room.run("run T611 --target null: --ramp 1 --duration 100ms --label base -q").expect(0);
    room.run("note last a-new-kernel").expect(0);
    let exported = room.run("export base --format json").expect(0).stdout;
    assert!(exported.contains("a-new-kernel"), "{exported}");
    let other = Room::new();
    std::fs::write(other.path("run.json"), exported).unwrap();
    other.run("import run.json -q").expect(0);
    assert!(!other.run("export base --format json").expect(0).stdout.contains("a-new-kernel"));
}

#[test]
fn runs_that_began_at_the_same_time_are_in_the_order_of_their_recording() {
    let room = Room::new();
    room.run("run T611 --target null: --ramp 1 --duration 100ms --label base -q").expect(0);
    let mut run = room.run("export base --format json").expect(0).json();
    run["points"][0]["flags"] = json!([]);
    run["cells"] = json!([]);
    let ids = ["zz1", "aa2", "mm3"];
    for id in ids {
        (run["run"]["id"], run["run"]["label"]) = (json!(id), json!("alike"));
        std::fs::write(room.path("run.json"), run.to_string()).unwrap();
        room.run("import run.json -q").expect(0);
    }
    let found = room.run("trend alike --json").expect(0).json();
    let named: Vec<&str> = found["runs"].as_array().unwrap().iter().map(|run| text(run, "/id")).collect();
    assert_eq!(named, ids);
}
