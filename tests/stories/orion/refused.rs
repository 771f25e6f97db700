//! Refusals before anything is done: exit code 2, what to do instead, and nothing left behind.

use super::{POINT, measured, measured_by, skipped};
use crate::small_disk::SmallDisk;
use crate::support::{DBDYNO, Ending, Room, Running};
use std::collections::BTreeSet;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::Command;

#[test]
fn bad_input_is_refused_and_leaves_nothing() {
    let room = Room::on_disk();
    std::fs::write(room.path("empty.lun"), "\n").unwrap();
    std::fs::write(room.path("gone.lun"), "/nowhere/at/all\n").unwrap();
    std::fs::write(room.path("small"), [0; 4_096]).unwrap();
    std::fs::write(room.path("foreign"), vec![7; 1 << 20]).unwrap();
    let before = room.files();
    let cases = [
        ("orion -file foreign", "-run is missing"),
        ("orion -run simple", "orion.lun"),
        ("orion -run simple -testname empty", "empty.lun is empty"),
        ("orion -run simple -testname gone", "/nowhere/at/all"),
        ("orion -run simple --file nowhere", "nowhere"),
        ("orion -run advanced -matrix point -num_small 0 -num_large 0 --file foreign", "no outstanding I/O"),
        ("orion -run advanced -write 101 --file foreign", "-write 101 is out of range"),
        ("orion -run advanced -write 10 --file foreign", "--destroy-data foreign"),
        ("orion -run simple --file small", "small has 4096 bytes"),
        ("orion -run advanced -size_large 2048 --file new --file-size 1M", "new has 1048576 bytes"),
        ("orion -run simple --file foreign --file-size 1M", "foreign is there and is none of dbdyno's test files"),
        (
            "orion -run advanced -type seq -num_streamIO 1024 -matrix max -num_small 0 -num_large 65 --file foreign",
            "66560 large I/Os would be outstanding",
        ),
        (
            "orion -run oltp -num_disks 9 -write 50 -verify --file new --file-size 4M",
            "in each other's way on 4194304 bytes",
        ),
        ("orion -run simple --file new --file foreign --file-size 1M", "foreign is there"),
        ("orion -run simple --file new --file none/new --file-size 1M", "cannot create none/new: No such file"),
        ("orion -run simple -num_disk 4 --file foreign", "-num_disks"),
        ("orion -run simple --file .", "folder"),
        (
            "orion -run simple -testname none/run --file new --file-size 1M",
            "nothing can be written to none (No such file",
        ),
        (
            "orion -run simple -testname small/run --file new --file-size 1M",
            "nothing can be written to small (Not a directory",
        ),
        ("orion -run simple -storax asm --file foreign", "choose one of skgfr"),
    ];
    for (line, said) in cases {
        let ending = room.run(line).expect(2);
        assert!(ending.stderr.contains(said), "{line}\n{}", ending.stderr);
        assert_eq!(ending.complaints().len(), 1, "{line}\n{}", ending.stderr);
        let left: BTreeSet<_> = room.files().into_keys().collect();
        let extra: Vec<_> = left.iter().filter(|path| !before.contains_key(*path)).collect();
        assert!(extra.is_empty(), "{line}: {extra:?}");
    }
    assert_eq!(std::fs::read(room.path("foreign")).unwrap(), vec![7; 1 << 20], "nothing was written to it");
    assert!(room.run("orion -help").expect(0).stdout.contains("-num_streamIO"));
}

#[test]
fn a_file_of_another_size_is_not_made_anew() {
    let room = Room::on_disk();
    measured(&room, &format!("{POINT} --file-size 1M"));
    let refusal = room.run(&format!("{POINT} --file-size 2M")).expect(2).stderr;
    assert!(refusal.contains("is a test file of 1048576 bytes, not of 2097152"), "{refusal}");
    // dbdyno's own file may be written to without consent, and is still there.
    measured(&room, &format!("{POINT} -write 50"));
    assert_eq!(std::fs::metadata(room.path("t.dat")).unwrap().len(), 1 << 20);
}

#[test]
fn a_foreign_file_is_written_to_by_consent_alone_and_a_file_system_not_even_then() {
    let room = Room::on_disk();
    std::fs::write(room.path("t.dat"), vec![7; 4 << 20]).unwrap();
    std::fs::write(room.path("other"), "").unwrap();
    let writing = format!("{POINT} -write 100");
    room.run(&writing).expect(2);
    assert_eq!(std::fs::read(room.path("t.dat")).unwrap(), vec![7; 4 << 20]);
    let other = room.run(&format!("{writing} --destroy-data other")).expect(2).stderr;
    assert!(other.contains("none of the devices and files"), "{other}");
    measured(&room, &format!("{writing} --destroy-data t.dat"));
    assert_ne!(std::fs::read(room.path("t.dat")).unwrap(), vec![7; 4 << 20]);

    let made = Command::new("mkfs.ext4").arg("-qF").arg(room.path("t.dat")).output();
    if !made.is_ok_and(|made| made.status.success()) {
        skipped("there is no mkfs.ext4 here");
        return;
    }
    let refusal = room.run(&format!("{writing} --destroy-data t.dat")).expect(2).stderr;
    assert!(refusal.contains("ext") && refusal.contains("--really"), "{refusal}");
    measured(&room, &format!("{writing} --destroy-data t.dat --really"));
}

/// The owner of files of another user: `nobody`.
const SOMEBODY: u32 = 65_534;

/// Whether these tests run as root, whom permissions do not stop.
fn is_root(room: &Room) -> bool {
    std::fs::metadata(room.folder()).unwrap().uid() == 0
}

/// Runs dbdyno with only the rights of files. Root gives up its capabilities, not its name, because other users may not
/// reach the folder of the sources.
fn run_without_privileges(room: &Room, line: &str) -> Ending {
    if !is_root(room) {
        return room.run(line);
    }
    let mut command = Command::new("setpriv");
    command.args(["--bounding-set=-all", "--inh-caps=-all", "--", DBDYNO]).args(line.split_whitespace());
    room.settle_in(&mut command);
    Running::start(command).end()
}

/// Sets these permissions on a file of another user, if we may give one away.
fn give_away(room: &Room, path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    if is_root(room) {
        chown(path, Some(SOMEBODY), Some(SOMEBODY)).unwrap();
    }
}

#[test]
fn reading_takes_the_right_to_read_and_no_more() {
    let room = Room::on_disk();
    let path = room.path("t.dat");
    std::fs::write(&path, vec![7; 1 << 20]).unwrap();
    give_away(&room, &path, 0o444);
    measured_by(|| run_without_privileges(&room, POINT));
    let runs = room.runs().len();
    let refusal = run_without_privileges(&room, &format!("{POINT} -write 1 --destroy-data t.dat")).expect(2).stderr;
    assert!(refusal.contains("t.dat cannot be opened for reading and writing: Permission denied"), "{refusal}");
    assert_eq!(room.runs().len(), runs);
    assert_eq!(std::fs::read(&path).unwrap(), vec![7; 1 << 20]);
}

#[test]
fn what_may_not_be_read_is_refused() {
    let room = Room::on_disk();
    let path = room.path("t.dat");
    std::fs::write(&path, vec![7; 1 << 20]).unwrap();
    give_away(&room, &path, 0);
    for (flags, said) in [
        ("", "t.dat cannot be opened for reading: Permission denied"),
        (
            "-write 1 --destroy-data t.dat",
            "cannot find out what is on t.dat, so nothing is written to it: Permission denied",
        ),
    ] {
        let ending = run_without_privileges(&room, &format!("{POINT} {flags}")).expect(2);
        assert!(ending.stderr.contains(said), "{flags}: {}", ending.stderr);
    }
    assert!(!room.path("dbdyno.db").exists());
}

/// Unwritable reports are noticed before hours of measuring.
#[test]
fn a_read_only_folder_is_noticed_before_anything_is_made_or_measured() {
    let room = Room::on_disk();
    std::fs::write(room.path("t.dat"), vec![7; 1 << 20]).unwrap();
    let disk = SmallDisk::new(&room, 8);
    disk.make_read_only(&room);
    let before = room.files();
    for (line, words) in [
        (format!("orion -run simple -testname {} --file t.dat", disk.path("x").display()), "nothing can be written to"),
        (
            format!(
                "orion -run advanced -matrix point -num_small 2 -num_large 0 --file {} --file-size 1M",
                disk.path("new").display()
            ),
            "Read-only file system",
        ),
        (format!("{POINT} --results {}", disk.path("x.db").display()), "read-only for this user"),
    ] {
        let ending = Running::start(disk.command(&room, DBDYNO, &line)).end().expect(2);
        assert!(ending.stderr.contains(words), "{line}: {}", ending.stderr);
        assert_eq!(room.files(), before, "{line}");
    }
}
