//! Bad command lines: good ones with something impossible added.

use crate::support::{DBDYNO, Room};
use crate::{Numbers, end_of, with_each_case};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::Command;

const GOOD: [&str; 18] = [
    "run T611 --target null:",
    "run quick --target sqlite:x.sqlite --size T",
    "check --target sqlite:x.sqlite",
    "load --target sqlite:x.sqlite --size T",
    "drop --target sqlite:x.sqlite",
    "resume last",
    "show last",
    "report last -o page.html",
    "verdict last --requirements r.toml",
    "compare one two",
    "export last",
    "import run.json",
    "list tests",
    "list engines --json",
    "sql sqlite --size T",
    "up postgres --size T",
    "down postgres",
    "orion -run simple --file x.dat --file-size 1M",
];
/// Options of `run` for which each of these values is wrong.
const OPTIONS: [&str; 13] = [
    "--ramp",
    "--duration",
    "--jobs",
    "--threads",
    "--nodes",
    "--repeat",
    "--rate",
    "--think",
    "--commit",
    "--drive",
    "--size",
    "--arrivals",
    "--queue",
];
const VALUES: [&str; 16] = [
    "",
    "0",
    "-1",
    "1e999",
    "99999999999999999999",
    "NaN",
    "inf",
    "0x10",
    "１",
    "\u{202e}1",
    "1,,2",
    "1..",
    "%",
    "-5%",
    "🦀",
    "1 2",
];
const ORION: [&str; 10] = [
    "-write 101",
    "-write -1",
    "-size_small 3",
    "-size_large 0",
    "-num_disks 0",
    "-duration -1",
    "-type zz",
    "-matrix zz",
    "-simulate zz",
    "-run zz",
];
const TARGETS: [&str; 22] = [
    "sqlite:/proc/kmsg",
    "",
    ":",
    "?",
    "zz",
    "zz:",
    "sqlite:",
    "sqlite::memory:",
    "sqlite:/dev/null",
    "sqlite:/dev/zero",
    "sqlite:/dev/tty",
    "sqlite:.",
    "sqlite:THINGS/fifo",
    "sqlite:THINGS/link",
    "sqlite:x?journal=zz",
    "sqlite:x?journal",
    "postgres://u@127.0.0.1:1/x",
    "mariadb://%zz@h/x",
    "postgres://u@[::1/x",
    "private:zz",
    "private:postgres",
    "null:?speed=zz",
];
/// Wrong values for a catalogue.
const CATALOGUES: [&str; 7] =
    ["none", "/dev/null", "THINGS/fifo", "THINGS/pipes", "THINGS/endless", "THINGS/long", "THINGS/wrong"];

/// Files outside the room on which a program must not wait.
fn things() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let fifo = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    fifo(&path("fifo"));
    std::fs::write(path("empty.sqlite"), "").unwrap();
    std::os::unix::fs::symlink(path("empty.sqlite"), path("link")).unwrap();
    for catalogue in ["pipes", "endless", "long", "wrong"] {
        std::fs::create_dir(path(catalogue)).unwrap();
    }
    fifo(&path("pipes/sizes.toml"));
    std::os::unix::fs::symlink("/dev/zero", path("endless/metrics.toml")).unwrap();
    std::fs::File::create(path("long/sizes.toml")).unwrap().set_len(17 << 20).unwrap();
    std::fs::write(path("wrong/sizes.toml"), "[[size]]\nid = 7\n").unwrap();
    folder
}

/// A line, and whether dbdyno reports the error on stdout.
fn bad(numbers: &mut Numbers, things: &Path) -> (Vec<OsString>, bool) {
    let there = |text: &str| text.replace("THINGS", &things.display().to_string());
    let split = |line: &str| line.split_whitespace().map(OsString::from).collect::<Vec<_>>();
    let mut words = split(numbers.one_of(&GOOD));
    match numbers.below(12) {
        0 => words.push(format!("--zz{}", numbers.letters(9)).into()),
        1 => words.push(format!("--zz{}={}", numbers.letters(9), numbers.one_of(&VALUES)).into()),
        2 => words.push(OsString::from_vec([b"--zz".as_slice(), &[0xff, 0xfe]].concat())),
        3 => words.extend(split("--quiet --quiet")),
        4 => words.extend(split(numbers.one_of(&["--quiet=yes", "--results", "--catalogue", "-"]))),
        5 => words.extend(["--catalogue".into(), there(numbers.one_of(&CATALOGUES)).into()]),
        6 => words.push(format!("zz{}", numbers.letters(20_000)).into()),
        7 => words[0] = format!("zz{}", numbers.letters(9)).into(),
        8 => _ = words.remove(0),
        9 => {
            words = split(GOOD[0]);
            words.extend([numbers.one_of(&OPTIONS).into(), numbers.one_of(&VALUES).into()]);
        }
        10 => {
            words = split("orion -run advanced --file none/x.dat --file-size 1M");
            words.extend(split(numbers.one_of(&ORION)));
        }
        _ => {
            words = split(numbers.one_of(&["run T611", "check", "load", "drop", "run T711 --ramp 1"]));
            words.extend(["--target".into(), there(numbers.one_of(&TARGETS)).into()]);
        }
    }
    let answers = words.first().is_some_and(|word| word == "check");
    (words, answers)
}

#[test]
fn five_hundred_bad_command_lines_are_refused_and_leave_nothing() {
    let things = things();
    with_each_case(|cases| {
        let room = Room::new();
        for case in cases {
            let (words, answers) = bad(&mut Numbers::of(case), things.path());
            let mut command = Command::new(DBDYNO);
            room.settle_in(command.args(&words));
            let shown = format!("case {case}: {:.300}", format!("{words:?}"));
            let ending = end_of(command, &shown);
            assert_eq!(ending.code, Some(2), "{shown}: {ending:?}");
            assert!(
                ending.stderr.starts_with("dbdyno: ") && (ending.stdout.is_empty() || answers),
                "{shown}: {ending:?}"
            );
            assert!(room.files().is_empty() && !room.path("home").exists(), "{shown} left {:?}", room.files().keys());
        }
    });
}
