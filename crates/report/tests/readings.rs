//! Readings under the points of a page, and the one line that a text has of them.

// A test that cannot be set up fails; clippy sees that only inside #[test] functions.
#![allow(clippy::unwrap_used)]

mod watched;

use dbdyno_catalogue::Catalogue;
use dbdyno_model::{DatabaseReading, Doing, LoadReading, Point, PointStage, Reading, WaitReading};
use dbdyno_report::{Reported, report};
use std::path::Path;
use watched::{BEGAN, run_of, test};

fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden_headroom").join(name);
    if std::env::var_os("DBDYNO_BLESS").is_some() {
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap();
    assert!(expected == text, "{name} differs from its golden file. It is now:\n{text}");
}

fn wait(class: &str, event: &str, sessions: f64) -> WaitReading {
    WaitReading { class: class.to_owned(), event: event.to_owned(), sessions, ..WaitReading::default() }
}

/// Three seconds of preparation and five of a window, from a second on.
fn readings(point: usize, from: i64, dop: &str) -> Vec<Reading> {
    let reading = |second: i64| {
        let began: jiff::Timestamp = BEGAN.parse().unwrap();
        let stage = if second < 3 { PointStage::Preparing } else { PointStage::Measuring };
        let mut reading = Reading {
            at: began + jiff::SignedDuration::from_secs(from + second + 1),
            seconds: 1.0,
            doing: Some(Doing { point, of: 2, subject: "T711".to_owned(), dop: dop.to_owned(), stage }),
            ..Reading::default()
        };
        reading.machine.cpu.used.busy_pct = Some(10.0 + second as f64);
        reading.machine.cpu.server_pct = Some(8.0 + second as f64);
        reading.machine.io.read_iops = Some(0.0);
        reading.machine.io.write_iops = Some(900.0 + second as f64);
        let mut waits = vec![wait("IO", "<WALSync>", 1.5), wait("CPU", "running", 0.5)];
        waits.extend(["a", "b", "c", "d"].map(|event| wait("Lock", event, 0.1)));
        waits.push(WaitReading { background: true, ..wait("IO", "Checkpoint", 9.0) });
        reading.database = Some(DatabaseReading { waits, ..DatabaseReading::default() });
        let ops_per_s = Some(1_000.0 + second as f64);
        reading.load = (second >= 3).then(|| LoadReading { ops_per_s, ..LoadReading::default() });
        reading
    };
    (0..8).map(reading).collect()
}

/// Two points, of which the first one has readings, and readings while nothing was measured.
fn reported() -> Reported {
    let at = |jobs, second: i64| {
        let began: jiff::Timestamp = BEGAN.parse().unwrap();
        Point { started_at: began + jiff::SignedDuration::from_secs(second), ..test("T711", jobs, 1_003.0, 15.0) }
    };
    let run = run_of("read1ngs", vec![at(1, 0), at(2, 100)]);
    let mut readings = readings(0, 0, "1x1x1");
    readings.push(Reading { at: readings[7].at, seconds: 1.0, ..Reading::default() });
    Reported { readings, ..Reported::of(run) }
}

fn class(reported: &Reported) -> String {
    let page = reported.document(&Catalogue::embedded().unwrap()).page();
    let class = page.split_once("<section id=\"class-T700\">").map_or("", |(_, rest)| rest);
    class.split("</section>").next().unwrap_or_default().to_owned()
}

#[test]
fn points_with_readings_have_charts_with_their_window() {
    let page = class(&reported());
    let details = page.split("<details>").find(|part| part.contains("second by second")).unwrap();
    let details = details.split("</details>").next().unwrap();
    golden("readings.html", &details.replace('<', "\n<").replace("\n</", "</"));
    for title in ["Load", "Processors", "Devices", "Waits"] {
        assert!(details.contains(&format!("<b>{title}</b>")), "{title} in {details}");
    }
    assert_eq!(details.matches("<h3>").count(), 1, "a point without readings has no charts: {details}");
    assert!(details.contains("IO: &lt;WALSync&gt;") && !details.contains("<WALSync>"), "names are no markup");
    assert!(!details.contains("Checkpoint") && !details.contains("Lock: d"), "five waits of sessions: {details}");
}

#[test]
fn a_text_says_how_many_there_are_and_nothing_where_there_are_none() {
    let catalogue = Catalogue::embedded().unwrap();
    let text = |reported: &Reported| report("summary").unwrap().of(reported, &catalogue).text(Some(80));
    let reported = reported();
    let line = "Readings  9, `dbdyno replay read1ngs` plays them\n";
    assert!(text(&reported).contains(line), "{}", text(&reported));
    let none = Reported { readings: Vec::new(), ..reported };
    assert!(!text(&none).contains("Readings"));
    assert!(!class(&none).contains("second by second"));
}

#[test]
fn readings_of_another_attempt_or_place_are_not_those_of_a_point() {
    let mut reported = reported();
    for change in [
        |reading: &mut Reading| reading.doing.as_mut().unwrap().dop = "1x4x1".to_owned(),
        |reading: &mut Reading| reading.at += jiff::SignedDuration::from_secs(50),
    ] {
        reported.readings = readings(0, 0, "1x1x1");
        reported.readings.iter_mut().for_each(change);
        assert!(!class(&reported).contains("second by second"));
    }
    reported.readings = [readings(0, -60, "1x1x1"), readings(0, 0, "1x1x1")].concat();
    reported.readings[8].doing = None;
    assert!(class(&reported).contains("second by second"), "the attempt that is kept");
}

#[test]
fn a_page_of_many_points_has_the_charts_of_the_fastest_of_each_test() {
    let began: jiff::Timestamp = BEGAN.parse().unwrap();
    let points = (1..=60_u32).map(|jobs| {
        let started_at = began + jiff::SignedDuration::from_secs(i64::from(jobs) * 10);
        Point { started_at, ..test("T711", jobs, 100.0 * f64::from(jobs), 15.0) }
    });
    let run = run_of("read1ngs", points.collect());
    let all = (1..=60).flat_map(|jobs| readings(jobs, jobs as i64 * 10, &format!("1x{jobs}x1")));
    let reported = Reported { readings: all.collect(), ..Reported::of(run) };
    let page = class(&reported);
    assert!(page.contains("those of its fastest point") && page.contains("<h3>60 jobs</h3>"));
    assert_eq!(page.matches("<b>Load</b>").count(), 1);
}
