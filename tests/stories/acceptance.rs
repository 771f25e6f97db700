//! Acceptance projects: what is missing is run, what is there stays, and the verdict is that of the stored runs.

use crate::support::{Room, number, text};
use rustix::process::Signal;
use serde_json::Value;

/// A project on two files. Limits that no machine misses, and one that none meets.
const PROJECT: &str = r#"
name = "shop"
title = "Shop <b>"
[[variant]]
name = "one"
title = "One file"
role = "baseline"
target = "sqlite:one.sqlite"
before = "echo one >> arrived"
[[variant]]
name = "other"
role = "candidate"
target = "sqlite:other.sqlite"
before = "echo other >> arrived"
after = "echo other >> left"
[[step]]
name = "lookups"
run = "T611 --size T --ramp 1,2 --duration 1s"
[[step]]
name = "crash"
durability = "--target private:sqlite --by kill --cuts 2"
variants = ["other"]
[[step]]
name = "writes"
run = "T711 --size T --drive client --ramp 1,2 --duration 1s"
[[requirement]]
title = "Lookups"
step = "lookups"
test = "T611"
metric = "tx_per_s"
jobs = 2
minimum = 1
accept = ["too_short"]
[[requirement]]
title = "Time of a write"
test = "T711"
metric = "service_time_s"
jobs = 1
maximum = 60
accept = ["not_proved", "too_short"]
[[requirement]]
title = "Nothing is lost"
step = "crash"
lost = 0
"#;

/// What no file carries.
const TOO_MUCH: &str = "[[requirement]]\ntitle = \"Too much\"\ntest = \"T711\"\nmetric = \"tx_per_s\"\nminimum = 1e12\n\
     accept = [\"not_proved\", \"too_short\"]\n";

fn room(project: &str) -> Room {
    let room = Room::new();
    std::fs::set_permissions(room.folder(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(room.path("shop.toml"), project).unwrap();
    room
}

/// The median of a figure over the stored points of a run, at these jobs.
fn by_hand(run: &Value, jobs: f64, figure: &str) -> f64 {
    let of_jobs = |point: &&Value| number(point, "/jobs") == jobs && point["again"] != Value::Bool(true);
    let points: Vec<&Value> = run["points"].as_array().unwrap().iter().filter(of_jobs).collect();
    assert_eq!(points.len(), 1, "{run:#}");
    number(points[0], figure)
}

fn result<'a>(document: &'a Value, title: &str, variant: &str) -> &'a Value {
    let requirements = document["requirements"].as_array().unwrap();
    let requirement = requirements.iter().find(|of| of["title"] == title).unwrap();
    let results = requirement["results"].as_array().unwrap();
    results.iter().find(|of| of["variant"] == variant).unwrap_or_else(|| panic!("{requirement:#}"))
}

#[test]
#[cfg(feature = "sqlite")]
fn a_project_that_was_stopped_goes_on_and_is_judged_by_what_is_stored() {
    let room = room(PROJECT);
    let planned = room.run("accept shop.toml --dry-run --json").expect(0).json();
    assert_eq!(planned["steps"].as_array().unwrap().len(), 5, "{planned:#}");
    assert!(number(&planned, "/at_least_s") > 5.0 && !room.path("dbdyno.db").exists(), "nothing was done: {planned:#}");
    // In the middle of a run.
    let stopped = room.start("accept shop.toml");
    stopped.until("step 2 of 5");
    stopped.until("[1/3] T711");
    stopped.signal(Signal::INT);
    let ending = stopped.end().expect(3);
    assert!(ending.stderr.contains("the same command goes on") && ending.stdout.is_empty(), "{}", ending.stderr);
    let before: Vec<String> = room.runs().iter().map(|run| text(run, "/id").to_owned()).collect();
    assert_eq!(before.len(), 2);
    let ending = room.run("accept shop.toml --json --junit shop.xml").expect(0);
    let document = ending.json();
    assert_eq!(
        (text(&document, "/outcome"), number(&document, "/requirements/0/results/0/value") > 0.0),
        ("met", true)
    );
    let after: Vec<String> = room.runs().iter().map(|run| text(run, "/id").to_owned()).collect();
    assert!(
        before.iter().all(|id| after.contains(id)) && after.len() == 4,
        "what is there stays: {before:?} {after:?}"
    );
    // By hand, from the stored runs.
    for (title, variant, jobs, figure) in [
        ("Lookups", "other", 2.0, "/tx_per_s"),
        ("Time of a write", "one", 1.0, "/service_time_s/mean"),
        ("Time of a write", "other", 1.0, "/service_time_s/mean"),
    ] {
        let found = result(&document, title, variant);
        let run = room.show(text(found, "/id"));
        assert_eq!(number(found, "/value"), by_hand(&run, jobs, figure), "{title}: {found:#}");
        assert_eq!(text(found, "/outcome"), "met");
    }
    let crash = room.show(text(result(&document, "Nothing is lost", "other"), "/id"));
    assert_eq!((number(&crash, "/lost"), number(&crash, "/lossy_cuts")), (0.0, 0.0));
    let page = std::fs::read_to_string(room.path("dbdyno-accept-shop.html")).unwrap();
    assert!(page.contains("Shop &lt;b&gt;") && page.contains("One file"));
    let xml = std::fs::read_to_string(room.path("shop.xml")).unwrap();
    assert!(xml.contains("tests=\"3\" failures=\"0\""), "{xml}");
    let of = |file: &str| std::fs::read_to_string(room.path(file)).unwrap();
    assert_eq!((of("arrived"), of("left")), ("one\none\nother\n".to_owned(), "other\n".to_owned()));
    // Nothing is left to do, and another limit needs no other run.
    std::fs::write(room.path("shop.toml"), format!("{PROJECT}{TOO_MUCH}")).unwrap();
    let missed = room.run("accept shop.toml -o page.html").expect(1);
    assert!(missed.stdout.contains("not met, 1 of 4 requirements: 1 missed"), "{}", missed.stdout);
    assert_eq!((room.runs().len(), of("left")), (4, "other\n".to_owned()));
    // Another definition is another step.
    std::fs::write(
        room.path("shop.toml"),
        PROJECT.replace(
            "--ramp 1,2 --duration 1s\"\n[[step]]\nname = \"crash",
            "--ramp 2 --duration 1s\"\n[[step]]\nname = \"crash",
        ),
    )
    .unwrap();
    let planned = room.run("accept shop.toml --dry-run --json").expect(0).json();
    let missing = planned["steps"].as_array().unwrap().iter().filter(|step| step["state"] == "missing").count();
    assert_eq!(missing, 2, "{planned:#}");
}

#[test]
fn a_label_is_no_proof_of_a_step() {
    const ONE: &str = "name = \"q\"\ntitle = \"Q\"\n[[variant]]\nname = \"new\"\ntarget = \"null:?speed=6000\"\n\
        [[step]]\nname = \"l\"\nrun = \"T611 --size T --ramp 1 --duration 600ms\"\n\
        [[requirement]]\ntitle = \"Fast\"\ntest = \"T611\"\nmetric = \"tx_per_s\"\nminimum = 100000\n";
    let room = room(ONE);
    room.run("accept shop.toml -q").expect(1);
    let label = text(&room.runs()[0], "/label").to_owned();
    let own = room.run("export last").expect(0).stdout;
    let forget = || std::fs::remove_file(room.path("dbdyno.db")).unwrap();
    // A run of another target that has the label.
    forget();
    room.run(&format!("run T611 --ramp 1 --duration 600ms --target null: --label {label} -q")).expect(0);
    let missed = room.run("accept shop.toml --json").expect(1).json();
    assert_eq!(text(&missed, "/outcome"), "missed", "it is none of the project's: {missed:#}");
    assert_eq!(room.runs().len(), 2);
    // One that may have been measured elsewhere.
    forget();
    std::fs::write(room.path("run.json"), own).unwrap();
    room.run("import run.json").expect(0);
    room.run("accept shop.toml -q").expect(1);
    assert_eq!(room.runs().len(), 2, "it was measured here");
}

#[test]
#[cfg(feature = "sqlite")]
fn a_crash_test_is_that_of_its_step_and_a_loss_is_not_repeated_away() {
    let room = room(
        "name = \"q\"\ntitle = \"Q\"\n[[variant]]\nname = \"new\"\n[[step]]\nname = \"crash\"\n\
         durability = \"--target private:sqlite --by kill --cuts 1\"\n\
         [[requirement]]\ntitle = \"Nothing is lost\"\nlost = 0\n",
    );
    room.run("accept shop.toml -q").expect(0);
    let label: String = room.results().query_row("SELECT label FROM experiments", [], |row| row.get(0)).unwrap();
    // Others that have its label: of other cuts, and of the same that has lost something.
    room.results().execute("DELETE FROM experiments", []).unwrap();
    room.run(&format!("durability --target private:sqlite --by kill --cuts 2 --label {label} -q")).expect(0);
    let document = room.run("accept shop.toml --json").expect(0).json();
    assert_eq!(number(&document, "/requirements/0/results/0/value"), 0.0);
    assert!(text(&document, "/requirements/0/results/0/found").contains("1 cut"), "two are of none: {document:#}");
    let lossy =
        "INSERT INTO experiments SELECT 'aaaaaaaa', kind, label, '2001' || substr(started_at, 5), target, complete,
                        schema_version, json_set(document, '$.id', 'aaaaaaaa', '$.lossy_cuts', 1, '$.lost', 7)
                 FROM experiments WHERE document ->> 'planned_cuts' = 1";
    assert_eq!(room.results().execute(lossy, []).unwrap(), 1);
    let document = room.run("accept shop.toml --json").expect(1).json();
    assert_eq!((text(&document, "/outcome"), &document["lost_something"]), ("missed", &Value::Bool(true)));
}

#[test]
fn a_ratio_is_asked_of_those_that_are_judged_and_must_be_there() {
    let variant = |name: &str, role: &str, target: &str| {
        format!("[[variant]]\nname = \"{name}\"\nrole = \"{role}\"\ntarget = \"{target}\"\n")
    };
    let pair = |b: &str| {
        format!(
            "[[step]]\nname = \"to-{b}\"\npair = \"T611 --size T --ramp 1 --duration 600ms --pairs 8\"\n\
             variants = [\"old\", \"{b}\"]\n"
        )
    };
    let required = "[[requirement]]\ntitle = \"As fast\"\nratio_at_least = 0.7\n";
    let variants = variant("old", "baseline", "null:?speed=6000") + &variant("new", "candidate", "null:?speed=6001");
    let head = "name = \"r\"\ntitle = \"R\"\n";
    let slow = variant("slow", "other", "null:?speed=2000");
    let room = room(&format!("{head}{variants}{slow}{}{}{required}", pair("new"), pair("slow")));
    let document = room.run("accept shop.toml --json").expect(0).json();
    assert_eq!(text(&document, "/outcome"), "met", "{document:#}");
    // Where a pair has no ratio nothing is met as a whole.
    let broken = variant("broken", "other", "null:?speed=6002&rows_short=1");
    let with_broken = format!("{head}{variants}{broken}{}{}{required}", pair("new"), pair("broken"));
    std::fs::write(room.path("shop.toml"), with_broken).unwrap();
    let ending = room.run("accept shop.toml").expect(4);
    assert!(ending.stdout.contains("were not compared"), "{}", ending.stdout);
}

#[test]
#[cfg(feature = "sqlite")]
fn a_step_that_cannot_be_done_ends_it_and_says_which() {
    let room = room(&PROJECT.replace("sqlite:other.sqlite", "sqlite:missing/other.sqlite"));
    let ending = room.run("accept shop.toml").expect(3);
    assert!(
        ending.stderr.contains("on other") && ending.stderr.contains("what is wrong stands above"),
        "{}",
        ending.stderr
    );
    assert_eq!(room.runs().len(), 2, "what was measured is kept");
    let broken = self::room(&PROJECT.replace("echo one >> arrived", "exit 7"));
    let ending = broken.run("accept shop.toml").expect(3);
    assert!(ending.stderr.contains("`exit 7` of variant one ended with exit status: 7"), "{}", ending.stderr);
}

#[test]
fn an_unsound_project_is_refused_before_anything_is_done() {
    let cases = [
        ("role = \"baseline\"", "rol = \"baseline\"", "unknown key 'rol'; did you mean 'role'?"),
        ("T611 --size T", "T661 --size T", "[[step]] lookups: there is no test 'T661'"),
        ("T611 --size T", "T611 --siz T", "[[step]] lookups: unexpected argument '--siz'"),
        ("T611 --size T", "T611 --label x", "[[step]] lookups: --label may not stand in a project"),
        ("T611 --size T", "T611 --size QQ", "[[step]] lookups: "),
        ("T611 --size T", "T611 --help", "--help may not stand in a project"),
        ("sqlite:one.sqlite", "postgres://me:open-sesame@db/x", "a password may not stand in a project"),
        ("--cuts 2", "--cuts 0", "[[step]] crash: "),
        ("sqlite:one.sqlite", "squlite:one.sqlite", "[[variant]] one: "),
        ("before = \"echo one", "up = \"postgres --sise D\"\nbefore = \"echo one", "unexpected argument '--sise'"),
        ("metric = \"tx_per_s\"", "metric = \"tx_per_x\"", "tx_per_x"),
    ];
    for (from, to, why) in cases {
        let project = PROJECT.replacen(from, to, 1);
        assert_ne!(project, PROJECT, "{from}");
        let room = room(&project);
        let files = room.files();
        let refused = room.run("accept shop.toml").expect(2);
        assert!(refused.stderr.contains(why) && refused.complaints().len() == 1, "{to}: {}", refused.stderr);
        assert_eq!(room.files(), files, "nothing was done");
    }
    let room = room(PROJECT);
    for (line, why) in [
        ("accept nothing.toml", "cannot read the project nothing.toml"),
        ("accept shop.toml -o missing/page.html", "missing/page.html cannot be written"),
        ("accept shop.toml --junit .", "cannot be written"),
    ] {
        let refused = room.run(line).expect(2).stderr;
        assert!(refused.contains(why), "{line}: {refused}");
    }
    assert!(!room.path("dbdyno.db").exists());
}
