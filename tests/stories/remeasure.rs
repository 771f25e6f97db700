//! The best of a ramp is measured again, also by a `resume` after a kill before that.

use crate::document::check_document;
use crate::support::{Room, number, points, statuses, text};

#[test]
fn the_best_of_a_ramp_is_measured_again_after_a_kill_too() {
    let room = Room::new();
    let run = room.start("run T611 --ramp 1,2 --duration 100ms --target null:?delay_us=2000");
    run.until("[2/3] T611");
    run.kill();
    assert_eq!(statuses(&room.show("last")), ["T611 ok", "T611 ok"]);
    room.run("resume last --quiet").expect(0);
    let document = room.show("last");
    check_document(&document);
    assert_eq!(statuses(&document), ["T611 ok"; 3]);
    let [one, two, again] = [0, 1, 2].map(|n| &points(&document)[n]);
    assert!(one["again"].is_null() && two["again"].is_null());
    assert_eq!(again["again"], true);
    let rate = |point| number(point, "/metric/value");
    let best = if rate(one) > rate(two) { one } else { two };
    assert_eq!(again["jobs"], best["jobs"], "{document:#}");
    let cells = document["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 3, "what selected is no repeat of what was measured again: {cells:#?}");
    let page = room.run("show last").expect(0).stdout;
    assert!(page.contains("Throughput is the rate measured again"), "{page}");
    assert!(room.run("show last --table cells").expect(0).stdout.contains("T611 again"));
    assert_eq!(text(&document, "/run/status"), "done");
}

#[test]
fn what_cannot_be_measured_is_not_measured_again() {
    let room = Room::new();
    let line = "run T611 --ramp 1,2 --duration 50ms --target null:?error_at=1&error_class=permission";
    room.run(line).expect(4);
    let document = room.show("last");
    check_document(&document);
    assert_eq!(statuses(&document), ["T611 failed"; 3]);
    assert!(text(&points(&document)[2], "/reason").contains("no best to measure again"), "{document:#}");
    // `resume` measures all of them.
    room.run("resume last --target null:").expect(0);
    assert_eq!(statuses(&room.show("last")), ["T611 ok"; 3]);
}
