//! The client drive against real servers: the server's own counts prove what it sends, and its times are complete.

use super::{Product, stories};
use crate::support::{Room, number, points, text};
use std::time::Duration;

stories!(
    a_client_drives_what_applications_send,
    an_open_loop_keeps_its_rate,
    a_whole_ramp_is_carried_alike,
    users_share_the_sessions_of_a_server,
);

/// A read, a join, a change of one row, and transactions of several statements.
fn a_client_drives_what_applications_send<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    // Long enough for a commit to end within, on a busy machine, too.
    let line = "run T311 T611 T626 T711 T811 --drive client --jobs 3 --duration 1s --json --target";
    let document = room.run(&format!("{line} {}", database.target())).expect(0).json();
    let all = points(&document);
    assert!(all.len() >= 5, "{document:#}");
    for point in all {
        assert_eq!((text(point, "/status"), text(point, "/drive")), ("ok", "client"), "{point:#}");
        assert!((1.0..=3.0).contains(&number(point, "/pump/threads")), "{point:#}");
        assert_eq!(point["pump"]["sessions_follow"], false, "so few sessions stay where they are");
        let [requests, ok, rows] = ["/outcomes/requests", "/outcomes/ok", "/rows"].map(|path| number(point, path));
        assert!(ok > 0.0 && rows >= 1.0 && requests == ok, "{point:#}");
        let times = ["p50", "p90", "p99", "p99_9", "max"].map(|p| number(point, &format!("/service_time_s/{p}")));
        assert!(times[0] > 0.0 && times.is_sorted(), "{times:?}");
    }
    let page = room.run("show last --table latency").expect(0).stdout;
    assert!(page.contains("T711") && page.contains("closed loop"), "{page}");
}

fn an_open_loop_keeps_its_rate<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let line = "run T611 --drive client --jobs 4 --rate 200/s --duration 2s --json --target";
    let document = room.run(&format!("{line} {}", database.target())).expect(0).json();
    let point = &points(&document)[0];
    let reached = number(point, "/tx_per_s");
    // Poisson arrivals: 400 of them vary by 20.
    assert!((120.0..=280.0).contains(&reached), "{point:#}");
    assert!(number(point, "/response_time_s/p99") >= number(point, "/response_time_s/p50"), "{point:#}");
}

/// Only 16 sessions may follow their server processes; a single one does not, nor do sessions that are told to stay.
fn a_whole_ramp_is_carried_alike<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    for options in ["--ramp 1,16", "--ramp 16 --follow no"] {
        let line = format!("run T611 --drive client {options} --duration 300ms --json --target {}", database.target());
        let document = room.run(&line).expect(0).json();
        assert!(points(&document).iter().all(|point| point["pump"]["sessions_follow"] == false), "{document:#}");
    }
}

/// 40 users share three connections: the server never sees a fourth session, and the rows that it counts are those of
/// all users.
fn users_share_the_sessions_of_a_server<S: Product>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    // Slow enough for any device: a rate that cannot be met makes a point invalid.
    for load in ["", "--rate 20/s", "--think 10ms..50ms"] {
        let line = format!("run T311 --drive client --jobs 40 --connections 3 {load} --duration 1s --target");
        let mut run = room.start(&format!("{line} {}", database.target()));
        let mut most = 0;
        while !run.ended() {
            most = most.max(database.server.jobs(&database.name).len());
            std::thread::sleep(Duration::from_millis(20));
        }
        run.end().expect(0);
        assert_eq!(most, 3, "{load}");
        for point in points(&room.show("last")) {
            assert_eq!((text(point, "/status"), number(point, "/jobs")), ("ok", 40.0), "{point:#}");
            // At such a low rate, and with think times, a connection may always have been free.
            let waited_s = number(point, "/connection_wait_s/max");
            assert!(waited_s > 0.0 || !load.is_empty(), "{point:#}");
        }
    }
}
