//! Searches: users until saturation, and the highest rate within limits. Where the answer is known (engines that sleep)
//! it must be right; elsewhere it must agree with itself.

use crate::document::check_document;
use crate::support::{Room, as_measured, number, points, statuses, text};
use serde_json::Value;

/// Calls that sleep are done side by side, so throughput rises with every job.
const RISES: &str = "run T611 --target null:?delay_us=2000 --duration 200ms --until-saturated --max-jobs 8";
const SHOP: &str = "--target sqlite:x.sqlite";

/// The only search of a run.
#[track_caller]
fn search(document: &Value) -> &Value {
    assert_eq!(document["searches"].as_array().unwrap().len(), 1, "{document:#}");
    let tried = document["searches"][0]["points"].as_array().unwrap();
    let places: Vec<f64> = tried.iter().map(|point| number(point, "/place")).collect();
    assert_eq!(places, (0..points(document).len()).map(|n| n as f64).collect::<Vec<_>>(), "each point is of it");
    &document["searches"][0]
}

#[test]
fn a_platform_that_was_not_saturated_is_said_to_be_rising() {
    let room = Room::new();
    let document = room.run(&format!("{RISES} --json")).expect(0).json();
    check_document(&document);
    let found = search(&document);
    assert!(found["finding"].is_null(), "{found:#}");
    assert!(text(found, "/reason").starts_with("still rising at 8 users, the most that were allowed"), "{found:#}");
    assert_eq!((text(found, "/kind"), number(found, "/most_users")), ("saturation", 8.0));
    assert!(points(&document).len() <= 12);
    for page in ["show last", "show last --table searches"] {
        let page = room.run(page).expect(0).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(page.contains("Saturation") && page.contains("nothing: still rising at 8 users"), "{page}");
    }
    room.run("report last -o page.html").expect(0);
    let page = std::fs::read_to_string(room.path("page.html")).unwrap();
    assert!(page.contains("Saturation") && page.contains("still rising at 8 users"), "it is on the page");
}

#[test]
fn a_search_that_was_killed_goes_on_and_survives_a_transfer() {
    let room = Room::new();
    let run = room.start(RISES);
    run.until("[2/2] T611");
    run.kill();
    let before = room.show("last");
    assert!(text(search(&before), "/reason").contains("`dbdyno resume` goes on with it"), "{before:#}");
    room.run("resume last --quiet").expect(0);
    let after = room.show("last");
    let kept = points(&before).len();
    assert_eq!(as_measured(&after)[..kept], as_measured(&before), "what was measured is as it was");
    assert!(text(search(&after), "/reason").starts_with("still rising at 8 users"), "{after:#}");
    let exported = room.run("export last").expect(0).stdout;
    std::fs::write(room.path("run.json"), exported).unwrap();
    room.run("import run.json --results other.db").expect(0);
    let there = room.run("show last --json --results other.db").expect(0).json();
    assert_eq!(there["searches"], after["searches"]);
}

#[test]
fn one_writer_saturates_an_engine_with_one_writer() {
    let room = Room::with_data();
    let run = format!("run tpcb {SHOP} --scale 1 --until-saturated --max-jobs 4 --duration 400ms --json");
    let ending = room.run(&run);
    assert!(matches!(ending.code, Some(0 | 4)), "{}", ending.stderr);
    let document = ending.json();
    let found = search(&document);
    let tried: Vec<f64> = found["points"].as_array().unwrap().iter().map(|p| number(p, "/users")).collect();
    assert!(tried.len() <= 12 && tried.iter().all(|users| (1.0..=4.0).contains(users)), "{tried:?}");
    if found["finding"].is_object() {
        let [value, low, high] = ["/finding/value", "/finding/low", "/finding/high"].map(|path| number(found, path));
        assert!(low <= value && value == high && tried.contains(&value), "{found:#}");
        assert!(number(found, "/finding/per_s") <= 1.05 * number(found, "/finding/max_per_s"));
    } else {
        assert!(!text(found, "/reason").is_empty());
    }
}

#[test]
fn the_highest_rate_within_limits_is_one_that_was_measured_to_hold_them() {
    let room = Room::with_data();
    // Equal distances: a queue grows at no rate below the capacity, and without end above it.
    let line = "run tpcb --scale 1 --users 1 --arrivals constant --duration 300ms --until p50<200ms,errors<2%";
    let ending = room.run(&format!("{line} {SHOP} --json"));
    let document = ending.json();
    let found = search(&document);
    assert_eq!(found["limits"], serde_json::json!(["p50<200ms", "errors<2%"]));
    let tried = found["points"].as_array().unwrap();
    let closed_per_s = number(&tried[0], "/per_s");
    assert_eq!(text(&tried[0], "/verdict"), "measured");
    let rates_of = |verdict: &str| -> Vec<f64> {
        let of = tried.iter().filter(|point| text(point, "/verdict") == verdict);
        of.map(|point| number(point, "/asked_per_s")).collect()
    };
    for point in &tried[1..] {
        let status = text(&points(&document)[number(point, "/place") as usize], "/status").to_owned();
        match text(point, "/verdict") {
            "holds" => assert_eq!(status, "ok", "{point:#}"),
            _ => assert!(!text(point, "/why").is_empty(), "{point:#}"),
        }
    }
    if found["finding"].is_object() {
        let value = number(found, "/finding/value");
        assert!(closed_per_s > 0.0 && rates_of("holds").contains(&value), "{found:#}");
        let high = number(found, "/finding/high");
        assert!(value < high && rates_of("breaks").contains(&high), "{found:#}");
        assert_eq!(ending.code, Some(0), "points beyond the limits are no failure: {}", ending.stderr);
    } else {
        assert!(text(found, "/reason").starts_with("no rate held the limits"), "{found:#}");
    }
    let page = room.run("show last").expect(0).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(page.contains("Highest rate within limits") && page.contains("closed loop"), "{page}");
}

#[test]
fn limits_that_nothing_holds_are_said_to_be_missed() {
    let room = Room::with_data();
    let line = "run T611 --drive client --jobs 1 --arrivals constant --duration 200ms --until p50<0.001us";
    let ending = room.run(&format!("{line} {SHOP} --json"));
    assert!(matches!(ending.code, Some(0 | 4)), "{}", ending.stderr);
    let document = ending.json();
    let found = search(&document);
    assert!(found["finding"].is_null());
    assert!(text(found, "/reason").starts_with("no rate held the limits; the lowest tried was "), "{found:#}");
}

#[test]
fn several_tests_are_searched_one_after_the_other() {
    let room = Room::new();
    let document = room
        .run("run T611 T711 --target null:?delay_us=1000 --duration 100ms --until-saturated --max-jobs 2 --json")
        .expect(0)
        .json();
    let names: Vec<&str> =
        document["searches"].as_array().unwrap().iter().map(|search| text(search, "/subject/name")).collect();
    assert_eq!(names, ["T611", "T711"]);
    assert!(statuses(&document).iter().all(|status| status.ends_with(" ok")));
    let one = room.run("show last --test T711 --json").expect(0).json();
    assert_eq!(one["searches"].as_array().unwrap().len(), 1);
}

#[test]
fn a_dry_run_says_that_points_follow() {
    let room = Room::with_data();
    let page = room.run(&format!("run T611 {SHOP} --until-saturated --dry-run")).expect(0).stdout;
    assert!(page.contains("each further number of users is chosen by what was measured"), "{page}");
    let document = room.run(&format!("run T611 {SHOP} --until-saturated --dry-run --json")).expect(0).json();
    assert_eq!(text(&document, "/searches/0/goal/kind"), "saturation");
    assert!(!room.path("dbdyno.db").exists());
}

#[test]
fn what_contradicts_a_search_or_is_no_limit_is_refused() {
    let room = Room::with_data();
    for (line, said) in [
        ("run tpcb --until p98<5ms", "'p98' in 'p98<5ms' cannot be limited"),
        ("run tpcb --until p99<0ms", "holds at no rate"),
        ("run tpcb --until p99<5", "write p99<5ms"),
        ("run tpcb --until errors<0.1", "write errors<0.1%"),
        ("run tpcb --until p99<5ms,p97<1ms", "'p97' in 'p97<1ms' cannot be limited"),
        ("run tpcb --until-saturated --until p99<5ms", "are two searches"),
        ("run tpcb --until-saturated --users 4", "leave one of them away"),
        ("run tpcb --until p99<5ms --users 1,2", "write one, as in --users 8"),
        ("run tpcb --until p99<5ms --rate 100/s", "--rate has no use with --until"),
        ("run tpcb --until-saturated --rate 100/s", "--rate has no use with --until-saturated"),
        ("run tpcb --until-saturated --repeat 3", "--repeat has no use with --until-saturated"),
        ("run tpcb --until p99<5ms --think 5ms", "--think has no use with --until"),
        ("run T611 --until-saturated --ramp 1,2", "--ramp has no use with --until-saturated"),
        ("run T611 --until-saturated --jobs 2", "--max-jobs bounds the search"),
        ("run T611 --until p99<5ms", "add --drive client"),
        ("run T512 --until-saturated", "T512 has one job"),
        ("run quick --until-saturated", "quick is a suite: name tests"),
    ] {
        let ending = room.run(&format!("{line} {SHOP}")).expect(2);
        let stderr = ending.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(stderr.contains(said), "{line}: {stderr}");
    }
    assert!(!room.path("dbdyno.db").exists(), "nothing was done");
}

#[test]
fn a_loss_within_a_search_is_not_excused() {
    let room = Room::new();
    room.run("load order-entry --scale 0.01 --target sqlite:shop.sqlite").expect(0);
    let run = "run order-entry --until-saturated --max-jobs 4 --duration 300ms --target sqlite:shop.sqlite";
    let running = room.start(run);
    running.until("[2/2]");
    // From here on each visit is lost after it was acknowledged.
    let shop = rusqlite::Connection::open(room.path("shop.sqlite")).unwrap();
    shop.busy_timeout(std::time::Duration::from_secs(30)).unwrap();
    let sql = "CREATE TRIGGER less AFTER INSERT ON dbdyno_oe_logons
               BEGIN DELETE FROM dbdyno_oe_logons WHERE logon_id = new.logon_id; END";
    shop.execute_batch(sql).unwrap();
    running.end().expect(4);
    let document = room.show("last");
    let lost = points(&document).iter().filter(|point| text(point, "/status") == "invalid");
    let reasons: Vec<&str> = lost.map(|point| text(point, "/reason")).collect();
    assert!(!reasons.is_empty() && reasons.iter().all(|reason| reason.contains("logons grew by ")), "{reasons:?}");
}
