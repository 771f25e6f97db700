//! What a point reports besides its rate: waits, the log, the server's settings; and reasons where they are missing.

use super::{Product, stories};
use crate::document::{absent_without_a_reason, check_document};
use crate::support::{Room, number, points, text};

stories!(the_log_is_counted, whatever_is_absent_says_why);

/// On a busy machine, sampling ten times a second may come late.
mod alone {
    use super::{stories, waits_are_told_with_counts_and_times_or_not_at_all};

    stories!(waits_are_told_with_counts_and_times_or_not_at_all);
}

/// What a product's servers report.
pub(crate) trait Telemetry: Product {
    /// Settings of the shared servers that a run must store, with their values.
    const SETTINGS: &'static [(&'static str, &'static str)];

    /// Facts that a run must store.
    const FACTS: &'static [&'static str];

    /// What is missing without sampling.
    const UNWATCHED: &'static [&'static str];

    /// Whether this server counts writes of its log.
    fn counts_log_writes(&self) -> bool;
}

fn waits_are_told_with_counts_and_times_or_not_at_all<S: Telemetry>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let line = format!("run T711 --jobs 2 --duration 500ms --json --target {}", database.target());
    let mut seen = String::new();
    // Two sessions are seen for as long as they work. On a busy machine sampling may come late, so there are several
    // attempts.
    let as_long = (0..5).any(|_| {
        let document = room.run(&line).expect(0).json();
        check_document(&document);
        let point = &points(&document)[0];
        let waits = point["waits"].as_array().unwrap();
        assert!(!waits.is_empty(), "{point:#}");
        for wait in waits {
            assert!(!text(wait, "/class").is_empty() && !text(wait, "/event").is_empty(), "{wait}");
            assert!(number(wait, "/count") >= 1.0 && number(wait, "/time_s") >= 0.0, "{wait}");
        }
        // The server's own processes have time of their own.
        let of_sessions = waits.iter().filter(|wait| wait["background"].is_null());
        let seen_s: f64 = of_sessions.map(|w| number(w, "/time_s")).sum();
        let worked_s = 2.0 * number(point, "/counters_s");
        seen = format!("{seen_s} of {worked_s}: {waits:#?}");
        assert!(seen_s < 2.0 * worked_s + 1.0, "{seen}");
        seen_s > 0.3 * worked_s
    });
    assert!(as_long, "{seen}");
    // Without sampling its values are missing, with the reason.
    let document = room.run(&format!("{line} --no-sampling")).expect(0).json();
    let point = &points(&document)[0];
    assert_eq!(point["waits"].as_array().unwrap().is_empty(), S::UNWATCHED.contains(&"waits"), "{point:#}");
    for path in S::UNWATCHED {
        assert_eq!(point["missing"][path], "the sessions were not watched (--no-sampling)", "{point:#}");
    }
}

fn the_log_is_counted<S: Telemetry>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let line = format!("run T711 --jobs 1 --duration 200ms --json --target {}", database.target());
    let update = points(&room.run(&line).expect(0).json())[0].clone();
    // Each commit of a single job writes the log once; a changed row takes at least some dozen bytes there.
    let (tx, mib) = (number(&update, "/tx_per_s"), number(&update, "/redo/mib_per_s"));
    assert!(mib * 1_048_576.0 > 50.0 * tx, "{mib} MiB/s for {tx} transactions a second");
    if database.server.counts_log_writes() {
        assert!(number(&update, "/redo/writes_per_s") > 0.3 * tx, "{update:#}");
    }
    let logical = number(&update, "/database/logical_reads_per_s");
    assert!(logical >= 2.0 * tx, "an index and a table are read for each: {logical} of {tx}");
}

/// Every figure has a value or a reason for its absence.
fn whatever_is_absent_says_why<S: Telemetry>() {
    let (room, database) = (Room::new(), S::fixtures().loaded());
    let line = format!(
        "run T121 T611 T711 T512 T426 T211 --jobs 1 --threads 1 --duration 50ms --json --target {}",
        database.target()
    );
    let document = room.run(&line).expect(0).json();
    check_document(&document);
    let silent: Vec<String> = absent_without_a_reason(&document).into_iter().collect();
    assert!(silent.is_empty(), "absent without a reason in `missing`:\n{}", silent.join("\n"));
    // The settings that figures depend on, those that were changed, and the server's facts.
    let parameters = &document["database"]["parameters"];
    for (name, value) in S::SETTINGS {
        assert_eq!(parameters[name], *value, "{parameters:#}");
    }
    assert!(!text(&document, "/database/version").is_empty());
    for fact in S::FACTS {
        assert!(document["database"]["facts"][fact].is_string(), "{fact}: {:#}", document["database"]["facts"]);
    }
    let page = room.run("show last --table platform").expect(0).stdout;
    let (name, value) = S::SETTINGS[0];
    assert!(page.contains(name) && page.contains(value), "{page}");
}
