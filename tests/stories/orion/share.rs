//! The reference, and a database's share of it.

use super::{POINT, measured};
use crate::support::{Room, number, points, text};

#[test]
fn a_database_stands_beside_the_reference_of_its_label() {
    let room = Room::with_data();
    measured(&room, "run T426 --target sqlite:x.sqlite --duration 100ms --ramp 1 --label mine");
    let database = text(&room.show("mine"), "/run/id").to_owned();
    let alone = room.run("show mine").expect(0).stdout;
    assert!(alone.contains("Share of what the storage can do"), "{alone}");
    assert!(alone.contains("Not known, as that was not measured here."), "{alone}");
    assert!(alone.contains("`dbdyno orion --reference --file FILE`"), "{alone}");

    let ending = measured(&room, "orion --reference -duration 0.25 --file ref.dat --file-size 8M --label mine");
    for line in ["Random read", "Random write", "Sequential read", "Sequential write", "One read at a time"] {
        assert!(ending.stdout.contains(line), "{line} in\n{}", ending.stdout);
    }
    let runs = room.runs();
    let reference = text(&runs[0], "/id").to_owned();
    // Reads go deeper while that gains.
    assert!((13..=16).contains(&points(&room.show(&reference)).len()));
    assert_eq!(text(&room.show(&reference), "/run/suite"), "orion reference");
    // It is not an ORION run, so it has no ORION files.
    assert!(super::files(&room).is_empty());

    let document = room.show(&database);
    let limits = &document["storage_reference"];
    assert_eq!((text(limits, "/run"), text(limits, "/chosen_by")), (reference.as_str(), "label"));
    assert!(number(limits, "/limits/random_read_iops/value") > 0.0, "{limits}");
    let shown = room.run(&format!("show {database}")).expect(0).stdout;
    assert!(
        shown.contains(&format!("by reference run {reference}")) && shown.contains("(it has the same label)"),
        "{shown}"
    );

    // The label still leads to the database's runs, and the reference is not in their sample.
    assert_eq!(text(&room.show("mine"), "/run/id"), database);

    // Without a label the newest reference of the host is used.
    measured(&room, "run T426 --target sqlite:x.sqlite --duration 100ms --ramp 1");
    assert_eq!(text(&room.show("last"), "/storage_reference/chosen_by"), "host");
    room.run(&format!("report {database} -o page.html")).expect(0);
    assert!(std::fs::read_to_string(room.path("page.html")).unwrap().contains(&reference));
}

/// The newest reference of a label counts, unless nothing was measured of it.
#[test]
fn a_reference_that_was_killed_before_its_first_point_hides_no_older_one() {
    let room = Room::with_data();
    measured(&room, "orion --reference -duration 0.1 --file ref.dat --file-size 8M --label mine");
    let reference = text(&room.runs()[0], "/id").to_owned();
    let killed = room.start("orion --reference -duration 60 --file ref.dat --file-size 8M --label mine");
    killed.until("measuring");
    killed.kill();
    assert_eq!(text(&room.runs()[0], "/suite"), "orion reference", "the one that was killed");
    measured(&room, "run T426 --target sqlite:x.sqlite --duration 100ms --ramp 1 --label mine");
    assert_eq!(text(&room.show("mine"), "/storage_reference/run"), reference);
    // A whole label is read in another way than one run.
    room.run("report mine -o page.html").expect(0);
    assert!(std::fs::read_to_string(room.path("page.html")).unwrap().contains(&reference));
}

#[test]
fn a_reference_writes_to_nothing_that_is_not_its_own() {
    let room = Room::on_disk();
    std::fs::write(room.path("t.dat"), vec![7; 8 << 20]).unwrap();
    let ending = measured(&room, "orion --reference -duration 0.25 --file t.dat");
    assert!(ending.stderr.contains("note: reads alone are measured"), "{}", ending.stderr);
    // Reads go deeper than 128 outstanding while that gains.
    assert!((9..=12).contains(&points(&room.show("last")).len()));
    assert_eq!(std::fs::read(room.path("t.dat")).unwrap(), vec![7; 8 << 20]);
    // Without a named file one is made and removed again; an existing file is never removed.
    std::fs::write(room.path("dbdyno-reference.orion"), "mine").unwrap();
    let ending = room.run("orion --reference -duration 0.1").expect(2);
    assert!(ending.stderr.contains("is there already"), "{}", ending.stderr);
    assert_eq!(std::fs::read(room.path("dbdyno-reference.orion")).unwrap(), b"mine");
    // A run of another kind is not a reference.
    measured(&room, POINT);
    assert_eq!(text(&room.show("last"), "/run/suite"), "orion advanced");
}
