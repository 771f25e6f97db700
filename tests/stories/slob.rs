//! SLOB on the embedded engine: a slob.conf as its users have it, operations counted, data that is no more as it was
//! loaded, and what is refused.

use crate::document::check_document;
use crate::support::{Room, number, points, statuses, text};
use std::os::unix::fs::PermissionsExt as _;

const TARGET: &str = "--target sqlite:blocks.sqlite";
const RUN: &str = "run slob --target sqlite:blocks.sqlite --schemas 1";
/// A file with what its users have in it; values as shipped.
const CONF: &str = "\
# What the sessions do
UPDATE_PCT=10
SCAN_PCT=0
RUN_TIME=300
WORK_LOOP=0
SCALE=80M            # per schema
SCAN_TABLE_SZ=1M
WORK_UNIT=64
REDO_STRESS=LITE
LOAD_PARALLEL_DEGREE=2
THREADS_PER_SCHEMA=1
DATABASE_STATISTICS_TYPE=statspack   # Permitted values: [statspack|awr]
#ADMIN_SQLNET_SERVICE=somewhere
EXTERNAL_SCRIPT=''
DO_HOTSPOT=FALSE
HOTSPOT_MB=8
HOTSPOT_OFFSET_MB=16
HOTSPOT_FREQUENCY=3
HOT_SCHEMA_FREQUENCY=0
THINK_TM_FREQUENCY=0
THINK_TM_MIN=.1
THINK_TM_MAX=.5
export UPDATE_PCT RUN_TIME WORK_LOOP SCALE
";

fn loaded(schemas: u32) -> Room {
    let room = Room::new();
    std::fs::write(room.path("slob.conf"), CONF).unwrap();
    let said = room.run(&format!("load slob --conf slob.conf --schemas {schemas} {TARGET} --json")).expect(0).json();
    assert_eq!(number(&said, "/rows/rows"), f64::from(schemas) * 10_240.0, "{said:#}");
    assert_eq!(said["parameters"]["SCALE"], "10240", "{said:#}");
    room
}

fn change(room: &Room, sql: &str) {
    rusqlite::Connection::open(room.path("blocks.sqlite")).unwrap().execute_batch(sql).unwrap();
}

/// Transactions of each type that were done.
fn done(document: &serde_json::Value) -> [f64; 3] {
    ["select", "update", "scan"].map(|kind| {
        let of = points(document)[0]["transactions"].as_array().unwrap();
        of.iter().find(|of| of["type"] == kind).map_or(0.0, |of| number(of, "/outcomes/ok"))
    })
}

#[test]
fn a_file_as_its_users_have_it_is_loaded_and_run() {
    let room = loaded(2);
    let again = room.run(&format!("load slob --conf slob.conf {TARGET}")).expect(0).stdout;
    assert!(again.contains("holds slob at 2 schemas of 10240 blocks already"), "{again}");
    let by_file = room.run(&format!("{RUN} --conf slob.conf --dry-run --json")).expect(0).json();
    assert_eq!(number(&by_file, "/points/0/duration_s"), 300.0);
    let document = room.run(&format!("{RUN} --conf slob.conf --duration 1s --update-pct 20 --json")).expect(0).json();
    assert_eq!(statuses(&document), ["slob ok"]);
    check_document(&document);
    assert_eq!(text(&document, "/run/size"), "2 schemas of 10240 blocks");
    let point = &points(&document)[0];
    assert_eq!(point["parameters"]["UPDATE_PCT"], "20", "what comes after the file counts");
    assert_eq!(number(point, "/rows_per_s") / number(point, "/ops_per_s"), 63.0);
    // Readers alone may be several.
    let document = room.run(&format!("run slob {TARGET} --update-pct 0 --duration 500ms --json")).expect(0).json();
    assert_eq!(points(&document).iter().map(|point| number(point, "/jobs")).collect::<Vec<_>>(), [2.0]);
    let flags = points(&document)[0]["flags"].to_string();
    // Where others read from the device meanwhile, that is said instead.
    let is_said = flags.contains("served_from_os_cache") || flags.contains("foreign_load");
    assert!(is_said, "data that lies in memory is said to: {flags}");
    let refused = room.run(&format!("run slob {TARGET} --duration 500ms")).expect(2).stderr;
    assert!(refused.contains("has one writer") && refused.contains("--schemas 1"), "{refused}");
    room.run(&format!("drop {TARGET}")).expect(0);
    assert!(!room.path("blocks.sqlite").exists(), "dbdyno had made the file");
}

#[test]
fn a_session_does_as_many_operations_as_it_was_told_to() {
    let room = loaded(1);
    for (updates, scans, expected) in
        [(0, 0, [400.0, 0.0, 0.0]), (10, 0, [360.0, 40.0, 0.0]), (50, 5, [180.0, 200.0, 20.0])]
    {
        let set = format!("--update-pct {updates} --set SCAN_PCT={scans} --set WORK_LOOP=400");
        let document = room.run(&format!("{RUN} {set} --duration 60s --json")).expect(0).json();
        assert_eq!(done(&document), expected);
        let point = &points(&document)[0];
        assert_eq!((number(point, "/ops"), number(point, "/transactions_each")), (400.0, 400.0));
        assert!(number(point, "/window_s") < 60.0);
    }
    // Time caps it.
    let document = room.run(&format!("{RUN} --set WORK_LOOP=100000000 --duration 300ms --json")).expect(0).json();
    let point = &points(&document)[0];
    assert!((0.3..5.0).contains(&number(point, "/window_s")), "{point:#}");
    assert_eq!(number(point, "/ops"), number(point, "/outcomes/ok"));
}

#[test]
fn data_that_is_no_more_as_it_was_loaded_is_not_measured() {
    let room = loaded(1);
    for (breach, said) in [
        ("UPDATE dbdyno_slob_1 SET id = place", "follow the order of storage"),
        ("DELETE FROM dbdyno_slob_1 WHERE place = 7", "has [10239, 128] rows"),
        ("CREATE INDEX dbdyno_slob_other ON dbdyno_slob_1 (place)", "indexes"),
    ] {
        let room = if said == "follow the order of storage" { &room } else { &loaded(1) };
        change(room, breach);
        let refused = room.run(RUN).expect(2).stderr;
        assert!(refused.contains(said) && refused.contains("load anew"), "{breach}: {refused}");
    }
    let other = room.run(&format!("{RUN} --set SCALE=160M")).expect(2).stderr;
    let said =
        "holds slob at 1 schema of 10240 blocks, and 1 schema of 20480 blocks was asked for; say --set SCALE=10240,";
    assert!(other.contains(said), "{other}");
    let more = room.run(&format!("run slob {TARGET} --schemas 1,2 --update-pct 0")).expect(2).stderr;
    assert!(more.contains("2 schemas of 10240 blocks was asked for; say --schemas 1,"), "{more}");
}

#[test]
fn what_cannot_be_is_refused_with_its_line() {
    let room = Room::new();
    for (line, said) in [
        ("UPDATE_PCT=60", "line 2: UPDATE_PCT"),
        ("WORK_UNIT=2", "line 2: WORK_UNIT"),
        ("WORK_UNITS=64", "WORK_UNIT"),
        ("SCALE=1M", "line 2: SCALE"),
        ("RUN_TIME=$(date +%s)", "line 2"),
        ("SYSDBA_PASSWD=tiger-4711", "line 2: SYSDBA_PASSWD"),
    ] {
        std::fs::write(room.path("bad.conf"), format!("# mine\n{line}\n")).unwrap();
        for command in ["load", "run"] {
            let refused = room.run(&format!("{command} slob --conf bad.conf {TARGET}")).expect(2).stderr;
            assert!(refused.contains("bad.conf") && refused.contains(said), "{line}: {refused}");
            assert!(!refused.contains("tiger"), "{refused}");
        }
    }
    for (options, said) in [
        ("run slob --users 4", "--schemas and THREADS_PER_SCHEMA"),
        ("run slob --mix NCR=1", "UPDATE_PCT and SCAN_PCT"),
        ("run slob --scale 2", "--set SCALE=80M"),
        ("run slob --until-saturated", "--schemas 1,2,4,8"),
        ("run slob --set WORK_LOOP=5 --rate 10/s", "WORK_LOOP"),
        ("run slob --conf gone.conf", "gone.conf"),
        ("run slob --set UPDATE_PCT", "UPDATE_PCT"),
        ("run slob --update-pct many", "--update-pct"),
        ("run tpcb --schemas 2", "--schemas is for the workload slob"),
        ("run tpcb --set SCALE=80M", "tpcb has no parameters"),
        ("run T611 --update-pct 5", "--update-pct is for the workload slob"),
        ("run T611 --schemas 5", "--ramp"),
        ("load slob --scale 2", "--schemas"),
        ("load tpcb --schemas 2", "--scale"),
        ("load --conf x.conf", "--conf is for the workload slob"),
    ] {
        let refused = room.run(&format!("{options} {TARGET}")).expect(2).stderr;
        assert!(refused.contains(said), "{options}: {refused}");
    }
    assert!(!room.path("blocks.sqlite").exists() && !room.path("dbdyno.db").exists(), "nothing was done");
}

#[test]
fn a_script_is_called_where_it_is_allowed() {
    let room = loaded(1);
    let script = room.path("beside.sh");
    std::fs::write(&script, "#!/bin/sh\necho heard \"$@\"\necho \"$1\" >> called\n").unwrap();
    let run = format!("{RUN} --set EXTERNAL_SCRIPT=./beside.sh --duration 200ms --json");
    let refused = room.run(&run).expect(2).stderr;
    assert!(refused.contains("--allow-scripts") && !room.path("called").exists(), "{refused}");
    let reports = room.run(&format!("{RUN} --set DATABASE_STATISTICS_TYPE=awr")).expect(2).stderr;
    assert!(
        reports.contains("DATABASE_STATISTICS_TYPE=awr") && reports.contains("no workload repository"),
        "{reports}"
    );
    let refused = room.run(&format!("{run} --allow-scripts")).expect(2).stderr;
    assert!(refused.contains("cannot be run"), "it may not be executed: {refused}");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let ending = room.run(&format!("{run} --allow-scripts")).expect(0);
    assert_eq!(std::fs::read_to_string(room.path("called")).unwrap(), "pre\npost\nend\n");
    assert!(ending.stderr.contains("heard pre") && statuses(&ending.json()) == ["slob ok"]);
    // What it says before ends the run, and what it says after does not.
    std::fs::write(&script, "#!/bin/sh\ntest \"$1\" != pre\n").unwrap();
    let refused = room.run(&format!("{run} --allow-scripts")).expect(2).stderr;
    assert!(refused.contains("pre ended with exit status: 1; nothing was measured"), "{refused}");
    std::fs::write(&script, "#!/bin/sh\ntest \"$1\" = pre\n").unwrap();
    let ending = room.run(&format!("{run} --allow-scripts")).expect(0);
    assert!(ending.stderr.contains("post ended with") && ending.stderr.contains("end ended with"), "{}", ending.stderr);
}

#[test]
fn a_script_that_does_not_end_is_ended_with_the_run() {
    let room = loaded(1);
    let script = room.path("long.sh");
    std::fs::write(&script, "#!/bin/sh\nexec sleep 600\n").unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    let run = format!("{RUN} --set EXTERNAL_SCRIPT=./long.sh --allow-scripts --duration 200ms --max-duration 1s");
    let refused = room.run(&run).expect(2).stderr;
    assert!(refused.contains("pre was ended, as the run is to stop; nothing was measured"), "{refused}");
    assert!(room.runs().is_empty());
}

#[test]
fn time_caps_a_number_of_operations_and_says_so() {
    let room = loaded(1);
    // A pause that is longer than all of it.
    let think = "--set THINK_TM_FREQUENCY=20 --set THINK_TM_MIN=30 --set THINK_TM_MAX=30";
    let run = format!("{RUN} --set WORK_LOOP=50 --update-pct 0 --duration 1s --json");
    let document = room.run(&format!("{run} {think}")).expect(0).json();
    let point = &points(&document)[0];
    assert_eq!(number(point, "/ops"), 19.0);
    assert!((0.9..3.0).contains(&number(point, "/window_s")), "{point:#}");
    let said = text(point, "/flag_notes/too_short");
    assert!(said.contains("time ended the point when 19 of 50 transactions had been done"), "{said}");
    let whole = room.run(&run).expect(0).json();
    let said = points(&whole)[0]["flag_notes"]["too_short"].as_str().unwrap_or_default();
    assert!(!said.contains("time ended"), "{said}");
}

#[test]
fn what_is_too_much_or_no_file_is_refused() {
    let room = Room::new();
    let refused = room.run(&format!("load slob --set SCALE=16T --schemas 60000 {TARGET}")).expect(2).stderr;
    assert!(refused.contains("are free; load less: --schemas 1"), "{refused}");
    let refused = room.run(&format!("load slob --set SCALE=17T {TARGET}")).expect(2).stderr;
    assert!(refused.contains("SCALE"), "{refused}");
    for no_file in ["/dev/zero", "."] {
        let refused = room.run(&format!("load slob --conf {no_file} {TARGET}")).expect(2).stderr;
        assert!(refused.contains("it is no file"), "{no_file}: {refused}");
    }
    assert!(!room.path("blocks.sqlite").exists());
}

#[test]
fn a_run_goes_on_with_its_own_parameters() {
    let room = loaded(1);
    let run = room.start(&format!("{RUN} --set WORK_UNIT=16 --set UPDATE_PCT=30 --duration 2s --repeat 3"));
    run.until("[1/3]");
    run.signal(rustix::process::Signal::INT);
    run.end().expect(3);
    let document = room.run("resume last --json").expect(0).json();
    assert_eq!(statuses(&document), ["slob ok"; 3]);
    for point in points(&document) {
        assert_eq!(
            (&point["parameters"]["WORK_UNIT"], &point["parameters"]["UPDATE_PCT"]),
            (&"16".into(), &"30".into())
        );
        assert_eq!(number(point, "/rows_per_s") / number(point, "/ops_per_s"), 15.0);
    }
}

#[test]
fn what_users_do_must_fit_into_the_data_that_is_there() {
    let (room, target) = (Room::new(), "--target sqlite:large.sqlite");
    room.run(&format!("load slob --set SCALE=160M --set SCAN_TABLE_SZ=2M {target}")).expect(0);
    let spot = "--set DO_HOTSPOT=TRUE --set HOTSPOT_FREQUENCY=1 --set HOTSPOT_OFFSET_MB";
    let run = format!("run slob {target} --duration 300ms");
    // There is no such place in data as it is shipped, and there is in this.
    room.run(&format!("{run} {spot}=100")).expect(0);
    let refused = room.run(&format!("{run} {spot}=155")).expect(2).stderr;
    assert!(refused.contains("HOTSPOT") && refused.contains("20480"), "{refused}");
    for (asked, said) in [
        ("--set SCAN_TABLE_SZ=1M", "and 1 schema of 20480 blocks was asked for; say --set SCAN_TABLE_SZ=256,"),
        ("--set SCALE=80M", "and 1 schema of 10240 blocks with 256 to scan was asked for; say --set SCALE=20480,"),
        ("--set OBFUSCATE_COLUMNS=TRUE", "256 to scan, obfuscated was asked for; say --set OBFUSCATE_COLUMNS=FALSE,"),
    ] {
        let refused = room.run(&format!("{run} {asked}")).expect(2).stderr;
        assert!(refused.contains("holds slob at 1 schema of 20480 blocks with 256 to scan"), "{refused}");
        assert!(refused.contains(said), "{asked}: {refused}");
    }
    let refused = room.run(&format!("{run} --ramp 1,2")).expect(2).stderr;
    assert!(refused.contains("--ramp has no use with the workload slob"), "{refused}");
}
